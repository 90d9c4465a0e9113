//! The listening port: TCP, TLS and HTTP, up to the WebSocket handshake.

mod accept_backoff;
pub mod http;
pub mod listener;
mod origin;
mod responses;
pub mod tls;
