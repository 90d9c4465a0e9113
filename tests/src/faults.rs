//! Faults of the store, the network and the C library.

pub mod failing_store;
pub mod preload;
pub mod proxy;
