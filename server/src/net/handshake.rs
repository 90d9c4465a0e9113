//! The handshake of a connection: its first bytes, and the WebSocket upgrade.

pub(super) mod handshake_error;
pub(super) mod opening;
pub(super) mod upgrade;
