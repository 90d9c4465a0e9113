//! Secrets, guessed keys and TLS.

mod bad_keys;
mod browser_refusals;
mod secrets;
pub(crate) mod tls;
