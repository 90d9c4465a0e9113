//! Locking without poison errors.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks a mutex even after a thread panicked while it held the lock: the failed assertion is reported, not the poison.
pub fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
