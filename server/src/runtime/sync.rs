//! Synchronization primitives that the standard library and tokio do not offer.

pub(crate) mod lock;
pub(crate) mod stop_or_deadline;
pub(crate) mod wake_mutex;
