//! Secrets, guessed keys and TLS.

mod bad_keys;
mod secrets;
mod tls;
