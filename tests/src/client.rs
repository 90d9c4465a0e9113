//! Clients of every layer, from raw bytes to whole games.

pub mod crash_player;
pub mod frame;
pub mod game_setup;
pub mod http;
pub mod random_action;
pub mod raw_websocket;
pub(crate) mod tcp;
pub mod test_client;
