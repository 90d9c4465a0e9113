//! The server's clock, the only reader of the system clock, and the expected time of a restart.
//!
//! The clock owns the detection of suspends: the time of a suspend does not count. The server announces the duration of
//! a restart to its clients; the computation of that duration is pure.

use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tokio::time::{Instant, sleep};

use crate::runtime::sync::lock;

/// Maximum interval between two readings of the clock while suspends are detected.
const TICK_INTERVAL: Duration = Duration::from_millis(500);

/// A longer gap between two readings is a suspend: the process was stopped, the machine slept, or no task was
/// scheduled. The limit is far longer than scheduling delays on a busy machine.
const MAX_TICK_GAP: Duration = Duration::from_secs(2);

/// Milliseconds since 1970, read once from the wall clock and advanced by the monotonic clock.
///
/// Setting the system clock does not affect games. The time of a suspend does not count, since the server received
/// nothing meanwhile: see [`ServerClock::detect_suspends`]. Clones show the same time.
#[derive(Clone, Debug)]
pub struct ServerClock {
    timeline: Arc<Timeline>,
    /// Offset of this handle from the timeline.
    offset_ms: u64,
}

#[derive(Debug)]
struct Timeline {
    start: Instant,
    start_ms: u64,
    /// Guarded by a lock instead of atomics, because both fields change together and the lock orders all readings. The
    /// lock is held for one reading of the clock.
    detector: Mutex<SuspendDetector>,
}

#[derive(Debug, Default)]
struct SuspendDetector {
    /// Time of the last reading; `None` while suspends are not detected.
    last_tick: Option<Instant>,
    /// Total duration of all suspends.
    suspended: Duration,
}

impl ServerClock {
    /// Starts at the time of the wall clock.
    #[expect(
        clippy::disallowed_methods,
        reason = "the only file that reads the wall clock, once"
    )]
    pub fn start() -> ServerClock {
        ServerClock::from_unix_ms(millis(
            SystemTime::now()
                .duration_since(UNIX_EPOCH)
                .unwrap_or(Duration::ZERO),
        ))
    }

    /// Starts at a given time.
    pub fn from_unix_ms(start_ms: u64) -> ServerClock {
        ServerClock {
            timeline: Arc::new(Timeline {
                start: Instant::now(),
                start_ms,
                detector: Mutex::default(),
            }),
            offset_ms: 0,
        }
    }

    /// Returns a handle that shows at least `ms` now, for a history that was written while the system clock was ahead.
    /// Other handles are not affected.
    pub fn advanced_to(&self, ms: u64) -> ServerClock {
        let behind = ms.saturating_sub(self.now());
        ServerClock {
            timeline: Arc::clone(&self.timeline),
            offset_ms: self.offset_ms.saturating_add(behind),
        }
    }

    /// Returns the milliseconds since 1970-01-01 UTC. Never goes back.
    pub fn now(&self) -> u64 {
        let tick = self.tick();
        // The time is computed under the lock, so that the times of two threads have the order of their readings.
        let elapsed = tick
            .1
            .duration_since(self.timeline.start)
            .saturating_sub(tick.0.suspended);
        self.local_start_ms().saturating_add(millis(elapsed))
    }

    /// Returns the time when the server started.
    pub fn started_at(&self) -> u64 {
        self.local_start_ms()
    }

    /// Converts a time of a handle without offset to the time of this handle.
    pub fn to_local(&self, ms: u64) -> u64 {
        ms.saturating_add(self.offset_ms)
    }

    /// Returns the instant when [`ServerClock::now`] reaches `ms`. A suspend before the instant delays it, so the task
    /// must read the clock again when its timer fires.
    pub fn instant_at(&self, ms: u64) -> Instant {
        // One millisecond is added, because `now` rounds down and a timer must not fire before its time.
        let after =
            Duration::from_millis(ms.saturating_sub(self.local_start_ms()).saturating_add(1));
        // A suspend that is not detected yet delays the instant like a future suspend.
        let after = after.saturating_add(self.timeline.lock().suspended);
        // A century stands for «never», because an instant can overflow and an operator may set an unlimited time.
        self.timeline.start + after.min(Duration::from_secs(100 * 365 * 24 * 60 * 60))
    }

    /// Returns the total duration of all suspends.
    pub fn suspended_total(&self) -> Duration {
        self.tick().0.suspended
    }

    /// Returns [`ServerClock::suspended_total`] as of the last reading, without reading the clock.
    pub fn suspended_total_cached(&self) -> Duration {
        self.timeline.lock().suspended
    }

    /// Detects suspends while it is polled. Otherwise all time counts, as in a test that advances a paused clock.
    pub async fn detect_suspends(&self) {
        let _guard = DetectorGuard(&self.timeline);
        self.timeline.lock().last_tick = Some(Instant::now());
        loop {
            sleep(TICK_INTERVAL).await;
            // Every reading of the clock is a tick. This reading makes sure that an idle server has ticks, too.
            self.now();
        }
    }

    /// Returns the time of this handle at the start of the timeline.
    fn local_start_ms(&self) -> u64 {
        self.timeline.start_ms.saturating_add(self.offset_ms)
    }

    /// Reads the monotonic clock. The first reading after a suspend adds the suspend to the suspended time.
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
    fn lock(&self) -> MutexGuard<'_, SuspendDetector> {
        lock(&self.detector)
    }
}

/// Ends the detection when its task is dropped.
struct DetectorGuard<'a>(&'a Timeline);

impl Drop for DetectorGuard<'_> {
    fn drop(&mut self) {
        self.0.lock().last_tick = None;
    }
}

/// Converts a duration to milliseconds, the unit of rooms and of the wire.
pub(crate) fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// Time that a stop is assumed to take if no restart was measured. The time is rather short: a client that comes too
/// early soon tries again, but a client that comes late has waited longer than necessary.
const ASSUMED_STOP: Duration = Duration::from_millis(250);

/// Maximum time that a service manager lets pass between the end of a server and the start of the next server. A longer
/// pause is due to an operator.
const MAX_PAUSE: Duration = Duration::from_secs(2);

/// Maximum announced duration of a restart.
const MAX_RESTART: Duration = Duration::from_secs(60);

/// Time that it takes to accept one returning connection with TLS. The server spreads the return of its clients over
/// this time multiplied by the number of connections.
const ACCEPT_TIME: Duration = Duration::from_micros(250);

/// Returns the time that the next restart is expected to take, from the stop signal until a server accepts connections.
///
/// It is the time that the last restart took. `start`: time that this server took to accept connections. `outage`: time
/// from the stop signal of the previous server until then, if that server completed its stop. An outage that is longer
/// than a restart can be, with a stop of at most `longest_stop`, does not count: the server was off for another reason.
pub(crate) fn expected_restart(
    start: Duration,
    outage: Option<Duration>,
    longest_stop: Duration,
) -> Duration {
    let longest = longest_stop.saturating_add(start).saturating_add(MAX_PAUSE);
    let measured = outage.filter(|outage| (start..=longest).contains(outage));
    measured
        .unwrap_or(start.saturating_add(ASSUMED_STOP))
        .min(MAX_RESTART)
}

/// The restart that a draining server announces.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RestartSchedule {
    /// Server time when the next server is expected to accept connections.
    back_at: u64,
    /// The return of the clients is spread over this time, in milliseconds.
    spread_ms: u64,
}

impl RestartSchedule {
    /// Returns the schedule of a server that begins to stop at `now`, with that number of connections.
    pub(crate) fn new(now: u64, expected: Duration, connection_count: u64) -> RestartSchedule {
        let spread =
            ACCEPT_TIME.saturating_mul(u32::try_from(connection_count).unwrap_or(u32::MAX));
        RestartSchedule {
            back_at: now.saturating_add(millis(expected)),
            spread_ms: millis(spread.min(MAX_RESTART)),
        }
    }

    /// Returns the time until a client should return, in milliseconds, at least 1. `random_unit`: from 0 to 1.
    pub(crate) fn retry_after_ms(&self, now: u64, random_unit: f64) -> u64 {
        let spread = Duration::from_millis(self.spread_ms).mul_f64(random_unit.clamp(0.0, 1.0));
        self.back_at
            .saturating_add(millis(spread))
            .saturating_sub(now)
            .max(1)
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
        assert_eq!(
            (time.now(), ahead.now()),
            (61_000, 65_000),
            "without detection all time counts"
        );
        let watching = time.clone();
        let watch = tokio::spawn(async move { watching.detect_suspends().await });
        tokio::time::sleep(Duration::from_secs(10)).await;
        assert_eq!(time.now(), 71_000);
        // The clock jumps and no task runs, as after a SIGSTOP.
        tokio::time::advance(Duration::from_secs(30)).await;
        assert!(time.now().abs_diff(71_000) <= 500, "{}", time.now());
        let lost = time.suspended_total();
        assert!(lost > Duration::from_secs(29), "{lost:?}");
        let due = time.instant_at(81_000);
        assert!(
            (due - Instant::now()).abs_diff(Duration::from_secs(10)) <= Duration::from_millis(501)
        );
        tokio::time::sleep_until(due).await;
        assert!(time.now() >= 81_000 && ahead.now() >= 85_000);
        watch.abort();
        assert!(watch.await.unwrap_err().is_cancelled());
        tokio::time::advance(Duration::from_secs(30)).await;
        assert_eq!(time.suspended_total(), lost, "detection has ended");
    }

    #[tokio::test(start_paused = true)]
    async fn advanced_handle_stays_ahead_and_none_goes_back() {
        let time = ServerClock::from_unix_ms(1_000);
        let ahead = time.advanced_to(9_000);
        assert_eq!(
            (time.now(), ahead.now(), ahead.advanced_to(8_000).now()),
            (1_000, 9_000, 9_000)
        );
        assert_eq!(
            ahead.instant_at(9_500) - Instant::now(),
            Duration::from_millis(501)
        );
    }

    const MS: Duration = Duration::from_millis(1);

    #[test]
    fn the_last_restart_is_expected_again() {
        let longest_stop = 10_000 * MS;
        for (start, outage, expected, case) in [
            (300, Some(450), 450, "a quick restart"),
            (300, Some(12_300), 12_300, "the longest restart"),
            (300, Some(12_301), 550, "an operator waited"),
            (300, Some(299), 550, "the system clock was set back"),
            (
                300,
                None,
                550,
                "the first start, or the previous server was killed",
            ),
            (90_000, Some(95_000), 60_000, "more than clients wait"),
        ] {
            let found = expected_restart(
                start * MS,
                outage.map(|outage: u32| outage * MS),
                longest_stop,
            );
            assert_eq!(found.as_millis(), expected, "{case}");
        }
        assert_eq!(
            expected_restart(MS, Some(Duration::MAX), Duration::MAX),
            60_000 * MS
        );
    }

    #[test]
    fn clients_return_when_the_server_is_back_spread_by_their_number() {
        let schedule = RestartSchedule::new(1_000, 500 * MS, 4_000);
        assert_eq!(schedule.retry_after_ms(1_000, 0.0), 500);
        assert_eq!(schedule.retry_after_ms(1_000, 1.0), 1_500);
        assert_eq!(
            schedule.retry_after_ms(1_400, 0.0),
            100,
            "a notice that was sent late"
        );
        assert_eq!(schedule.retry_after_ms(9_000, 0.0), 1);
        assert_eq!(
            RestartSchedule::new(0, MS, u64::MAX).retry_after_ms(0, 1.0),
            60_001
        );
    }
}
