//! The listening port: TCP, TLS and HTTP, up to the WebSocket handshake.

mod accept_backoff;
mod handshake;
mod host_origin;
pub(crate) mod http;
mod lingering_close;
pub(crate) mod listener;
mod page;
mod proxy;
mod refusal;
mod responses;
pub(crate) mod status;
pub(crate) mod tls;
