//! What others can know of the writer without asking it: whether what it wrote last was written, and
//! whether it has been at one thing for too long. A disk that hangs reports no error; only time tells.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use crate::config::millis;
use crate::lived::UNNOTED;
use crate::time::Time;

/// No time at which anything begins.
const AT_REST: u64 = u64::MAX;

/// How long it may take until everybody knows that something was slow, in milliseconds.
const HEARD: u64 = 1000;

#[derive(Debug)]
pub(super) struct Health {
    writes: AtomicBool,
    /// When the writer began what it is at.
    began: AtomicU64,
    /// When it was last done with something that took so long that rooms leave it out of the time.
    slow: AtomicU64,
    time: Time,
    /// How long it may be at one thing, in milliseconds.
    patience: u64,
    broken: CancellationToken,
}

impl Health {
    pub(super) fn new(time: Time, patience: Duration) -> Health {
        Health {
            writes: AtomicBool::new(true),
            began: AtomicU64::new(AT_REST),
            slow: AtomicU64::new(0),
            time,
            patience: millis(patience),
            broken: CancellationToken::new(),
        }
    }

    /// Whether events can be stored at present.
    pub(super) fn is_good(&self) -> bool {
        self.writes() && self.time.now().saturating_sub(self.began.load(Ordering::Relaxed)) < self.patience
    }

    /// Whether what was written last was written.
    pub(super) fn writes(&self) -> bool {
        self.writes.load(Ordering::Relaxed)
    }

    /// Notes whether something was written, and says what was known before.
    pub(super) fn note(&self, written: bool) -> bool {
        self.writes.swap(written, Ordering::Relaxed)
    }

    /// Whether the time counted until then as somebody says who may not have heard of everything yet.
    pub(super) fn counted(&self, until: u64) -> bool {
        self.writes() && until.saturating_sub(HEARD) >= self.slow.load(Ordering::Relaxed)
    }

    /// The writer is at something until what comes back is dropped.
    pub(super) fn busy(&self) -> Busy<'_> {
        self.began.store(self.time.now(), Ordering::Relaxed);
        Busy(self)
    }

    /// Nothing will be written any more.
    pub(super) fn fail_for_good(&self) {
        self.note(false);
        self.broken.cancel();
    }

    /// Cancelled when nothing will be written any more.
    pub(super) fn broken(&self) -> &CancellationToken {
        &self.broken
    }
}

/// While it is there, the writer is at something.
#[must_use = "the writer is at rest as soon as it is dropped"]
pub(super) struct Busy<'a>(&'a Health);

impl Drop for Busy<'_> {
    fn drop(&mut self) {
        let (began, now) = (self.0.began.swap(AT_REST, Ordering::Relaxed), self.0.time.now());
        if now.saturating_sub(began) >= UNNOTED {
            self.0.slow.store(now, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn who_is_at_one_thing_for_too_long_is_not_well_until_it_is_done() {
        let patience = Duration::from_secs(5);
        let health = Health::new(Time::at(0), patience);
        tokio::time::advance(10 * patience).await;
        assert!(health.is_good(), "at rest, however long");
        let busy = health.busy();
        tokio::time::advance(patience - Duration::from_millis(1)).await;
        assert!(health.is_good());
        tokio::time::advance(Duration::from_millis(1)).await;
        assert!(!health.is_good());
        assert!(health.writes(), "nothing has failed");
        drop(busy);
        assert!(health.is_good());
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_said_of_a_time_in_which_it_was_slow_or_failed_is_not_believed() {
        let health = Health::new(Time::at(10_000), Duration::from_secs(5));
        let quick = health.busy();
        tokio::time::advance(Duration::from_millis(UNNOTED - 1)).await;
        drop(quick);
        assert!(health.counted(10_100));
        let slow = health.busy();
        tokio::time::advance(Duration::from_millis(UNNOTED)).await;
        drop(slow);
        let ended = 10_000 + 2 * UNNOTED - 1;
        assert!(!health.counted(ended + HEARD - 1) && health.counted(ended + HEARD));
        health.note(false);
        assert!(!health.counted(ended + HEARD));
    }
}
