//! The listening port: TCP, TLS and HTTP, up to the WebSocket handshake.

mod accept_backoff;
pub(crate) mod admin;
mod client_address;
mod handshake_error;
mod host_origin;
pub(crate) mod http;
mod lingering_close;
pub(crate) mod listener;
mod opening;
mod page;
mod page_connection;
mod proxy_protocol;
mod refusal;
mod responses;
pub(crate) mod status;
pub(crate) mod tls;
mod upgrade;
