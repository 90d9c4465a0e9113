//! The listening port: TCP, TLS and HTTP, up to the WebSocket handshake.

mod accept_backoff;
pub(crate) mod http;
pub(crate) mod listener;
mod origin;
mod responses;
pub(crate) mod tls;
