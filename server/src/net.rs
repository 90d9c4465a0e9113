//! The listening port: TCP, TLS and HTTP, up to the WebSocket handshake.

mod accept_backoff;
mod client_address;
mod host_origin;
pub(crate) mod http;
mod lingering_close;
pub(crate) mod listener;
mod opening;
mod proxy_protocol;
mod refusal;
mod responses;
pub(crate) mod tls;
mod upgrade;
