//! Deliberately ignored results.

/// Drops a result that needs no handling, for the given reason.
///
/// `let _ = …` would hide the decision; the lint `let_underscore_must_use` forbids it.
pub(crate) fn ignore<T>(_result: T, _reason: &'static str) {}
