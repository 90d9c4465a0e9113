//! The one place that reads a clock.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tokio::time::{Instant, sleep};

use crate::config::millis;

/// How often a server shows itself that it runs.
const TICK_INTERVAL: Duration = Duration::from_millis(500);

/// A silence longer than this is a time in which the process did not run: it was stopped, the machine
/// slept, or nothing got its turn. Far more than a busy machine keeps a task waiting.
const MAX_TICK_GAP: Duration = Duration::from_secs(2);

/// The server's time: milliseconds since 1970, read once from the wall clock and carried on by the
/// monotonic one. The machine's clock may jump; no game notices. What passes while the process does
/// not run is no time at all, since nobody could have been heard in it: see [`ServerClock::detect_suspends`].
///
/// Clones tell the same time.
#[derive(Clone, Debug)]
pub struct ServerClock {
    timeline: Arc<Timeline>,
    /// How far this handle is ahead of the scale.
    offset_ms: u64,
}

#[derive(Debug)]
struct Timeline {
    start: Instant,
    start_ms: u64,
    /// A lock and no atomics: both change together, and with them the order of all times read. It is held for
    /// one reading of the clock.
    detector: Mutex<SuspendDetector>,
}

#[derive(Debug, Default)]
struct SuspendDetector {
    /// The last sign that the process runs; none while nobody watches for gaps.
    last_tick: Option<Instant>,
    /// All that was left out.
    suspended: Duration,
}

impl ServerClock {
    /// Starts with the wall clock's time.
    #[expect(clippy::disallowed_methods, reason = "this is the file that reads the wall clock, once")]
    pub fn start() -> ServerClock {
        ServerClock::from_unix_ms(millis(
            SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO),
        ))
    }

    /// Starts with a time of the caller's choice.
    pub fn from_unix_ms(start_ms: u64) -> ServerClock {
        ServerClock {
            timeline: Arc::new(Timeline { start: Instant::now(), start_ms, detector: Mutex::default() }),
            offset_ms: 0,
        }
    }

    /// The same time moved forward as far as is needed to be at `ms` now: for a history that was
    /// written when the machine's clock was ahead of what it is today. Elsewhere the right time holds.
    pub fn advanced_to(&self, ms: u64) -> ServerClock {
        let behind = ms.saturating_sub(self.now());
        ServerClock { timeline: Arc::clone(&self.timeline), offset_ms: self.offset_ms.saturating_add(behind) }
    }

    /// Milliseconds since 1970-01-01 UTC; never goes back.
    pub fn now(&self) -> u64 {
        let tick = self.tick();
        // Under the lock, so that no two threads disagree about the order of their times.
        let elapsed = tick.1.duration_since(self.timeline.start).saturating_sub(tick.0.suspended);
        self.local_start_ms().saturating_add(millis(elapsed))
    }

    /// What this handle shows when one that is not ahead shows `ms`.
    pub fn to_local(&self, ms: u64) -> u64 {
        ms.saturating_add(self.offset_ms)
    }

    /// The runtime's instant at which [`ServerClock::now`] has reached `ms`, unless a gap comes in between:
    /// a timer that fires looks at the time again.
    pub fn instant_at(&self, ms: u64) -> Instant {
        // One more millisecond: `now` rounds down, and a timer must not fire before its time.
        let after = Duration::from_millis(ms.saturating_sub(self.local_start_ms()).saturating_add(1));
        // A gap that nobody has noticed by now is like one that is still to come.
        let after = after.saturating_add(self.timeline.lock().suspended);
        // A century stands for «never»: an instant has an end, a limit set by an operator may not.
        self.timeline.start + after.min(Duration::from_secs(100 * 365 * 24 * 60 * 60))
    }

    /// All the time that was left out so far.
    pub fn suspended_total(&self) -> Duration {
        self.tick().0.suspended
    }

    /// The same as of when the time was last read, for whoever was woken by one who read it.
    pub fn suspended_total_cached(&self) -> Duration {
        self.timeline.lock().suspended
    }

    /// Watches for gaps as long as it is polled. Without it every moment counts, as in a test that
    /// moves time by itself.
    pub async fn detect_suspends(&self) {
        let _guard = DetectorGuard(&self.timeline);
        self.timeline.lock().last_tick = Some(Instant::now());
        loop {
            sleep(TICK_INTERVAL).await;
            // Whoever reads the time beats; this is for when nobody does.
            self.now();
        }
    }

    /// What the handle shows at the start of the scale.
    fn local_start_ms(&self) -> u64 {
        self.timeline.start_ms.saturating_add(self.offset_ms)
    }

    /// One beat, and the instant at which it was. A gap is left out by whoever first looks after it.
    fn tick(&self) -> (MutexGuard<'_, SuspendDetector>, Instant) {
        let mut detector = self.timeline.lock();
        let now = Instant::now();
        if let Some(last) = &mut detector.last_tick {
            let gap = now.saturating_duration_since(*last);
            *last = now;
            if gap > MAX_TICK_GAP {
                detector.suspended += gap;
            }
        }
        (detector, now)
    }
}

impl Timeline {
    /// Nothing panics while the lock is held.
    fn lock(&self) -> MutexGuard<'_, SuspendDetector> {
        self.detector.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Ends the watch, also when its task is dropped.
struct DetectorGuard<'a>(&'a Timeline);

impl Drop for DetectorGuard<'_> {
    fn drop(&mut self) {
        self.0.lock().last_tick = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn suspend_gap_is_excluded_for_every_handle() {
        let time = ServerClock::from_unix_ms(1_000);
        let ahead = time.advanced_to(5_000);
        tokio::time::advance(Duration::from_secs(60)).await;
        assert_eq!((time.now(), ahead.now()), (61_000, 65_000), "unwatched, every moment counts");
        let watching = time.clone();
        let watch = tokio::spawn(async move { watching.detect_suspends().await });
        tokio::time::sleep(Duration::from_secs(10)).await;
        assert_eq!(time.now(), 71_000);
        // The clock jumps and no task gets its turn, as behind a SIGSTOP.
        tokio::time::advance(Duration::from_secs(30)).await;
        assert!(time.now().abs_diff(71_000) <= 500, "{}", time.now());
        let lost = time.suspended_total();
        assert!(lost > Duration::from_secs(29), "{lost:?}");
        let due = time.instant_at(81_000);
        assert!((due - Instant::now()).abs_diff(Duration::from_secs(10)) <= Duration::from_millis(501));
        tokio::time::sleep_until(due).await;
        assert!(time.now() >= 81_000 && ahead.now() >= 85_000);
        watch.abort();
        assert!(watch.await.unwrap_err().is_cancelled());
        tokio::time::advance(Duration::from_secs(30)).await;
        assert_eq!(time.suspended_total(), lost, "nobody watches any more");
    }

    #[tokio::test(start_paused = true)]
    async fn advanced_handle_stays_ahead_and_none_goes_back() {
        let time = ServerClock::from_unix_ms(1_000);
        let ahead = time.advanced_to(9_000);
        assert_eq!((time.now(), ahead.now(), ahead.advanced_to(8_000).now()), (1_000, 9_000, 9_000));
        assert_eq!(ahead.instant_at(9_500) - Instant::now(), Duration::from_millis(501));
    }
}
