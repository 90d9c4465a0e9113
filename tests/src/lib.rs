//! The harness: real servers on free ports, scripted peers, raw sockets, real
//! terminals, and waits with a limit.

pub mod failing_store;
pub mod frame;
pub mod game_setup;
pub mod http;
pub mod observations;
pub mod pipe;
pub mod preload;
pub mod program;
pub mod proxy;
pub mod pty;
pub mod random_action;
pub mod raw_websocket;
pub mod rng;
pub mod server;
pub mod test_client;
pub mod wait;
