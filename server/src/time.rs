//! The one place that reads a clock.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tokio::time::Instant;

/// The server's time: milliseconds since 1970, read once from the wall clock and carried on by the
/// monotonic one. The machine's clock may jump; no game notices.
#[derive(Clone, Copy, Debug)]
pub struct Time {
    start: Instant,
    start_ms: u64,
}

impl Time {
    /// Starts with the wall clock's time.
    #[expect(clippy::disallowed_methods, reason = "this is the file that reads the wall clock, once")]
    pub fn start() -> Time {
        let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO);
        Time { start: Instant::now(), start_ms: crate::config::millis(since_epoch) }
    }

    /// Milliseconds since 1970-01-01 UTC; never goes back.
    pub fn now(&self) -> u64 {
        self.start_ms + crate::config::millis(self.start.elapsed())
    }

    /// The runtime's instant at which [`Time::now`] has reached `ms`.
    pub fn instant(&self, ms: u64) -> Instant {
        // One more millisecond: `now` rounds down, and a timer must not fire before its time.
        let after = Duration::from_millis(ms.saturating_sub(self.start_ms).saturating_add(1));
        // A century stands for «never»: an instant has an end, a limit set by an operator may not.
        self.start + after.min(Duration::from_secs(100 * 365 * 24 * 60 * 60))
    }
}
