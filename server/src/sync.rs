//! Synchronization primitives that the standard library and tokio do not offer.

pub mod lock;
pub mod stop_or_deadline;
pub mod wake_chain;
pub mod wake_mutex;
