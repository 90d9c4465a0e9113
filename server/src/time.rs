//! The one place that reads a clock.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tokio::time::{Instant, sleep};

use crate::config::millis;

/// How often a server shows itself that it runs.
const BEAT: Duration = Duration::from_millis(500);

/// A silence longer than this is a time in which the process did not run: it was stopped, the machine
/// slept, or nothing got its turn. Far more than a busy machine keeps a task waiting.
const GAP: Duration = Duration::from_secs(2);

/// The server's time: milliseconds since 1970, read once from the wall clock and carried on by the
/// monotonic one. The machine's clock may jump; no game notices. What passes while the process does
/// not run is no time at all, since nobody could have been heard in it: see [`Time::watch`].
///
/// Clones tell the same time.
#[derive(Clone, Debug)]
pub struct Time {
    scale: Arc<Scale>,
    /// How far this handle is ahead of the scale.
    ahead: u64,
}

#[derive(Debug)]
struct Scale {
    start: Instant,
    start_ms: u64,
    /// A lock and no atomics: both change together, and with them the order of all times read. It is held for
    /// one reading of the clock.
    beats: Mutex<Beats>,
}

#[derive(Debug, Default)]
struct Beats {
    /// The last sign that the process runs; none while nobody watches for gaps.
    last: Option<Instant>,
    /// All that was left out.
    lost: Duration,
}

impl Time {
    /// Starts with the wall clock's time.
    #[expect(clippy::disallowed_methods, reason = "this is the file that reads the wall clock, once")]
    pub fn start() -> Time {
        Time::at(millis(SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO)))
    }

    /// Starts with a time of the caller's choice.
    pub fn at(start_ms: u64) -> Time {
        Time { scale: Arc::new(Scale { start: Instant::now(), start_ms, beats: Mutex::default() }), ahead: 0 }
    }

    /// The same time moved forward as far as is needed to be at `ms` now: for a history that was
    /// written when the machine's clock was ahead of what it is today. Elsewhere the right time holds.
    pub fn not_before(&self, ms: u64) -> Time {
        let behind = ms.saturating_sub(self.now());
        Time { scale: Arc::clone(&self.scale), ahead: self.ahead.saturating_add(behind) }
    }

    /// Milliseconds since 1970-01-01 UTC; never goes back.
    pub fn now(&self) -> u64 {
        let beats = self.beats();
        // Under the lock, so that no two threads disagree about the order of their times.
        let ran = beats.1.duration_since(self.scale.start).saturating_sub(beats.0.lost);
        self.zero().saturating_add(millis(ran))
    }

    /// What this handle shows when one that is not ahead shows `ms`.
    pub fn shifted(&self, ms: u64) -> u64 {
        ms.saturating_add(self.ahead)
    }

    /// The runtime's instant at which [`Time::now`] has reached `ms`, unless a gap comes in between:
    /// a timer that fires looks at the time again.
    pub fn instant(&self, ms: u64) -> Instant {
        // One more millisecond: `now` rounds down, and a timer must not fire before its time.
        let after = Duration::from_millis(ms.saturating_sub(self.zero()).saturating_add(1));
        // A gap that nobody has noticed by now is like one that is still to come.
        let after = after.saturating_add(self.scale.lock().lost);
        // A century stands for «never»: an instant has an end, a limit set by an operator may not.
        self.scale.start + after.min(Duration::from_secs(100 * 365 * 24 * 60 * 60))
    }

    /// All the time that was left out so far.
    pub fn lost(&self) -> Duration {
        self.beats().0.lost
    }

    /// The same as of when the time was last read, for whoever was woken by one who read it.
    pub fn known_lost(&self) -> Duration {
        self.scale.lock().lost
    }

    /// Watches for gaps as long as it is polled. Without it every moment counts, as in a test that
    /// moves time by itself.
    pub async fn watch(&self) {
        let _watched = Watched(&self.scale);
        self.scale.lock().last = Some(Instant::now());
        loop {
            sleep(BEAT).await;
            // Whoever reads the time beats; this is for when nobody does.
            self.now();
        }
    }

    /// What the handle shows at the start of the scale.
    fn zero(&self) -> u64 {
        self.scale.start_ms.saturating_add(self.ahead)
    }

    /// One beat, and the instant at which it was. A gap is left out by whoever first looks after it.
    fn beats(&self) -> (MutexGuard<'_, Beats>, Instant) {
        let mut beats = self.scale.lock();
        let now = Instant::now();
        if let Some(last) = &mut beats.last {
            let silence = now.saturating_duration_since(*last);
            *last = now;
            if silence > GAP {
                beats.lost += silence;
            }
        }
        (beats, now)
    }
}

impl Scale {
    /// Nothing panics while the lock is held.
    fn lock(&self) -> MutexGuard<'_, Beats> {
        self.beats.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Ends the watch, also when its task is dropped.
struct Watched<'a>(&'a Scale);

impl Drop for Watched<'_> {
    fn drop(&mut self) {
        self.0.lock().last = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_gap_is_left_out_for_every_handle() {
        let time = Time::at(1_000);
        let ahead = time.not_before(5_000);
        tokio::time::advance(Duration::from_secs(60)).await;
        assert_eq!((time.now(), ahead.now()), (61_000, 65_000), "unwatched, every moment counts");
        let watching = time.clone();
        let watch = tokio::spawn(async move { watching.watch().await });
        tokio::time::sleep(Duration::from_secs(10)).await;
        assert_eq!(time.now(), 71_000);
        // The clock jumps and no task gets its turn, as behind a SIGSTOP.
        tokio::time::advance(Duration::from_secs(30)).await;
        assert!(time.now().abs_diff(71_000) <= 500, "{}", time.now());
        let lost = time.lost();
        assert!(lost > Duration::from_secs(29), "{lost:?}");
        let due = time.instant(81_000);
        assert!((due - Instant::now()).abs_diff(Duration::from_secs(10)) <= Duration::from_millis(501));
        tokio::time::sleep_until(due).await;
        assert!(time.now() >= 81_000 && ahead.now() >= 85_000);
        watch.abort();
        assert!(watch.await.unwrap_err().is_cancelled());
        tokio::time::advance(Duration::from_secs(30)).await;
        assert_eq!(time.lost(), lost, "nobody watches any more");
    }

    #[tokio::test(start_paused = true)]
    async fn a_handle_ahead_stays_ahead_and_none_goes_back() {
        let time = Time::at(1_000);
        let ahead = time.not_before(9_000);
        assert_eq!((time.now(), ahead.now(), ahead.not_before(8_000).now()), (1_000, 9_000, 9_000));
        assert_eq!(ahead.instant(9_500) - Instant::now(), Duration::from_millis(501));
    }
}
