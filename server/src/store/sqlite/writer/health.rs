//! What others can know of the writer without asking it: whether what it wrote last was written, and
//! whether it has been at one thing for too long. A disk that hangs reports no error; only time tells.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use crate::time::server_clock::ServerClock;
use crate::time::server_clock::millis;
use crate::time::uptime::ASSUMED_APPEND_MS;

/// No time at which anything begins.
const IDLE: u64 = u64::MAX;

/// How long it may take until everybody knows that something was slow, in milliseconds.
const PROPAGATION_MS: u64 = 1000;

#[derive(Debug)]
pub(crate) struct WriterHealth {
    writable: AtomicBool,
    /// When the writer began what it is at.
    busy_since: AtomicU64,
    /// When it was last done with something that took so long that rooms leave it out of the time.
    last_slow: AtomicU64,
    time: ServerClock,
    /// How long it may be at one thing, in milliseconds.
    write_timeout: u64,
    failure: CancellationToken,
}

impl WriterHealth {
    pub(crate) fn new(time: ServerClock, write_timeout: Duration) -> WriterHealth {
        WriterHealth {
            writable: AtomicBool::new(true),
            busy_since: AtomicU64::new(IDLE),
            last_slow: AtomicU64::new(0),
            time,
            write_timeout: millis(write_timeout),
            failure: CancellationToken::new(),
        }
    }

    /// Whether events can be stored at present.
    pub(crate) fn is_healthy(&self) -> bool {
        self.is_writable()
            && self.time.now().saturating_sub(self.busy_since.load(Ordering::Relaxed)) < self.write_timeout
    }

    /// Whether what was written last was written.
    pub(crate) fn is_writable(&self) -> bool {
        self.writable.load(Ordering::Relaxed)
    }

    /// Notes whether something was written, and says what was known before.
    pub(crate) fn set_writable(&self, writable: bool) -> bool {
        self.writable.swap(writable, Ordering::Relaxed)
    }

    /// Whether the time counted until then as somebody says who may not have heard of everything yet.
    pub(crate) fn time_counted_until(&self, until: u64) -> bool {
        self.is_writable() && until.saturating_sub(PROPAGATION_MS) >= self.last_slow.load(Ordering::Relaxed)
    }

    /// The writer is at something until what comes back is dropped.
    pub(crate) fn mark_busy(&self) -> BusyGuard<'_> {
        self.busy_since.store(self.time.now(), Ordering::Relaxed);
        BusyGuard(self)
    }

    /// Nothing will be written any more.
    pub(crate) fn fail_permanently(&self) {
        self.set_writable(false);
        self.failure.cancel();
    }

    /// Cancelled when nothing will be written any more.
    pub(crate) fn failure_token(&self) -> &CancellationToken {
        &self.failure
    }
}

/// While it is there, the writer is at something.
#[must_use = "the writer is at rest as soon as it is dropped"]
pub(crate) struct BusyGuard<'a>(&'a WriterHealth);

impl Drop for BusyGuard<'_> {
    fn drop(&mut self) {
        let (busy_since, now) = (self.0.busy_since.swap(IDLE, Ordering::Relaxed), self.0.time.now());
        if now.saturating_sub(busy_since) >= ASSUMED_APPEND_MS {
            self.0.last_slow.store(now, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_writer_busy_for_too_long_is_unhealthy_until_it_is_done() {
        let patience = Duration::from_secs(5);
        let health = WriterHealth::new(ServerClock::from_unix_ms(0), patience);
        tokio::time::advance(10 * patience).await;
        assert!(health.is_healthy(), "at rest, however long");
        let busy = health.mark_busy();
        tokio::time::advance(patience - Duration::from_millis(1)).await;
        assert!(health.is_healthy());
        tokio::time::advance(Duration::from_millis(1)).await;
        assert!(!health.is_healthy());
        assert!(health.is_writable(), "nothing has failed");
        drop(busy);
        assert!(health.is_healthy());
    }

    #[tokio::test(start_paused = true)]
    async fn uptime_reports_after_slow_or_failed_writes_are_ignored() {
        let health = WriterHealth::new(ServerClock::from_unix_ms(10_000), Duration::from_secs(5));
        let quick = health.mark_busy();
        tokio::time::advance(Duration::from_millis(ASSUMED_APPEND_MS - 1)).await;
        drop(quick);
        assert!(health.time_counted_until(10_100));
        let slow = health.mark_busy();
        tokio::time::advance(Duration::from_millis(ASSUMED_APPEND_MS)).await;
        drop(slow);
        let ended = 10_000 + 2 * ASSUMED_APPEND_MS - 1;
        assert!(
            !health.time_counted_until(ended + PROPAGATION_MS - 1)
                && health.time_counted_until(ended + PROPAGATION_MS)
        );
        health.set_writable(false);
        assert!(!health.time_counted_until(ended + PROPAGATION_MS));
    }
}
