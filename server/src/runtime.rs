//! Parts that the tasks of a server share: context, time, randomness, metrics and synchronization.

pub(crate) mod clock;
pub(crate) mod context;
pub(crate) mod fault_injection;
pub(crate) mod logging;
pub(crate) mod metrics;
pub(crate) mod rng;
pub(crate) mod sync;

/// Drops a result that needs no handling, for the given reason.
///
/// `let _ = …` would hide the decision; the lint `let_underscore_must_use` forbids it.
pub(crate) fn ignore<T>(_result: T, _reason: &'static str) {}
