//! Locking without poison errors.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks a mutex, even after a thread panicked while it held the lock.
///
/// Every critical section of this crate leaves its data consistent: it consists of a few assignments that do not panic.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
