//! Faults of the store, the network and the C library, and the faults that the guarantees must detect.

pub mod failing_store;
mod faulty_log;
mod faulty_wire;
mod injection;
pub mod preload;
pub mod proxy;

pub use faulty_log::{FaultyLog, LogFault};
pub use faulty_wire::{FaultyListener, WireFault};
pub use injection::{Fault, LimitFault};
