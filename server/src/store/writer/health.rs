//! Health of the writer thread, readable by other threads without waiting: whether the last write succeeded, and
//! whether the writer has been busy for too long. A disk that hangs reports no error.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use crate::runtime::time::server_clock::ServerClock;
use crate::runtime::time::server_clock::millis;

/// Value of `busy_since` while the writer is idle.
const IDLE: u64 = u64::MAX;

#[derive(Debug)]
pub(crate) struct WriterHealth {
    writable: AtomicBool,
    /// Start of the current work, or [`IDLE`].
    busy_since: AtomicU64,
    time: ServerClock,
    /// Time limit of the current work, in milliseconds.
    write_timeout: u64,
    /// Passes of the writer through its loop.
    steps: AtomicU64,
    failure: CancellationToken,
}

impl WriterHealth {
    pub(crate) fn new(time: ServerClock, write_timeout: Duration) -> WriterHealth {
        WriterHealth {
            writable: AtomicBool::new(true),
            busy_since: AtomicU64::new(IDLE),
            time,
            write_timeout: millis(write_timeout),
            steps: AtomicU64::new(0),
            failure: CancellationToken::new(),
        }
    }

    /// Whether events can be stored: the last write succeeded, and the writer is not stuck.
    pub(crate) fn is_healthy(&self) -> bool {
        self.is_writable()
            && self
                .time
                .now()
                .saturating_sub(self.busy_since.load(Ordering::Relaxed))
                < self.write_timeout
    }

    /// Whether the last write succeeded.
    pub(crate) fn is_writable(&self) -> bool {
        self.writable.load(Ordering::Relaxed)
    }

    /// Records whether a write succeeded, and returns the previous value.
    pub(crate) fn set_writable(&self, writable: bool) -> bool {
        self.writable.swap(writable, Ordering::Relaxed)
    }

    /// Marks the writer as busy until the guard is dropped.
    pub(crate) fn mark_busy(&self) -> BusyGuard<'_> {
        self.busy_since.store(self.time.now(), Ordering::Relaxed);
        BusyGuard(self)
    }

    /// Counts a step of the writer.
    pub(crate) fn count_step(&self) {
        self.steps.fetch_add(1, Ordering::Relaxed);
    }

    /// Number of steps that the writer has taken.
    pub(crate) fn step_count(&self) -> u64 {
        self.steps.load(Ordering::Relaxed)
    }

    /// Records a permanent failure: nothing will be written until the next start.
    pub(crate) fn fail_permanently(&self) {
        self.set_writable(false);
        self.failure.cancel();
    }

    /// Records a permanent failure if the thread panics while it holds the guard.
    pub(crate) fn fail_on_panic(&self) -> PanicGuard<'_> {
        PanicGuard(self)
    }

    /// Cancelled by a permanent failure.
    pub(crate) fn failure_token(&self) -> &CancellationToken {
        &self.failure
    }
}

/// Marks the writer as busy.
#[must_use = "the writer is idle as soon as the guard is dropped"]
pub(crate) struct BusyGuard<'a>(&'a WriterHealth);

impl Drop for BusyGuard<'_> {
    fn drop(&mut self) {
        self.0.busy_since.store(IDLE, Ordering::Relaxed);
    }
}

/// Records a permanent failure of the log if the writer panics.
#[must_use = "it reports a panic only while it is held"]
pub(crate) struct PanicGuard<'a>(&'a WriterHealth);

impl Drop for PanicGuard<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.fail_permanently();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_writer_busy_for_too_long_is_unhealthy_until_it_is_done() {
        let write_timeout = Duration::from_secs(5);
        let health = WriterHealth::new(ServerClock::from_unix_ms(0), write_timeout);
        tokio::time::advance(10 * write_timeout).await;
        assert!(health.is_healthy(), "idle for any time");
        let guard = health.mark_busy();
        tokio::time::advance(write_timeout - Duration::from_millis(1)).await;
        assert!(health.is_healthy());
        tokio::time::advance(Duration::from_millis(1)).await;
        assert!(!health.is_healthy());
        assert!(health.is_writable(), "nothing has failed");
        drop(guard);
        assert!(health.is_healthy());
    }
}
