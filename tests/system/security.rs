//! Guessed keys, refused pages and TLS.

mod bad_keys;
mod browser_refusals;
pub(crate) mod tls;
