//! Engines: programs and searches that choose or evaluate moves.
//!
//! `player_engine` runs the built-in search or an external program as one player; `arena` plays engines against
//! each other; `analysis` evaluates positions and finished games; `gomocup`, `ugi` and `engine_server` speak the
//! engine protocols. Nothing here knows a server, a room or a screen.

pub mod analysis;
pub mod arena;
pub mod engine_server;
pub mod gomocup;
pub mod player_engine;
pub mod time_budget;
pub mod ugi;
