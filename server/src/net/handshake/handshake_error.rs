//! Why a connection ended before its first request was complete.

use std::io;

use super::opening::OpeningError;

/// Failure of a handshake.
#[derive(Debug, thiserror::Error)]
pub(in crate::net) enum HandshakeError {
    #[error("first line timed out")]
    FirstLine,
    #[error(transparent)]
    Opening(#[from] OpeningError),
    #[error("TLS: {0}")]
    Tls(#[from] io::Error),
    #[error(transparent)]
    Http(#[from] hyper::Error),
    #[error("too many connections from this address")]
    TooMany,
}
