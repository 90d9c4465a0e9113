//! The port of the players: TCP, TLS and HTTP, up to the WebSocket handshake.

pub(crate) mod accept;
mod handshake;
pub(crate) mod http;
mod page;
mod proxy;
mod responses;
pub(crate) mod status;
