//! Engines: programs and searches that choose or evaluate moves.
//!
//! `player_engine` runs the built-in search or an external program as one player; `arena` plays engines against
//! each other; `analysis` evaluates positions and finished games; `gomocup`, `ugi` and `engine_server` speak the
//! engine protocols. Nothing here knows a server, a room or a screen.

pub(crate) mod analysis;
pub(crate) mod arena;
pub(crate) mod engine_server;
pub(crate) mod gomocup;
pub(crate) mod player_engine;
pub(crate) mod time_budget;
pub(crate) mod ugi;
