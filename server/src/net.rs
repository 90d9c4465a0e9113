//! The listening port: TCP, TLS and HTTP, up to the WebSocket handshake.

mod accept_backoff;
mod client_address;
pub(crate) mod http;
mod lingering_close;
pub(crate) mod listener;
mod opening;
mod origin;
mod proxy_protocol;
mod refusal;
mod responses;
pub(crate) mod tls;
mod upgrade;
