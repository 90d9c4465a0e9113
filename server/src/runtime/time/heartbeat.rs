//! The heartbeat: persists the uptime of the server at an interval, so that the next run can exclude the outage from
//! every clock. A kill loses less than one interval.

use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use tokio::time::sleep;

use crate::runtime::sync::lock::lock;
use crate::runtime::time::server_clock::ServerClock;
use crate::runtime::time::uptime::UptimeHistory;
use crate::store::EventLog;

/// Interval between two records.
const HEARTBEAT_INTERVAL: Duration = Duration::from_secs(1);

/// Uptime of this run and of the earlier runs on the same log.
#[derive(Debug)]
pub(crate) struct Heartbeat {
    state: Mutex<HeartbeatState>,
    time: ServerClock,
}

#[derive(Debug)]
struct HeartbeatState {
    uptime: UptimeHistory,
    /// Set between [`Heartbeat::start`] and [`Heartbeat::stop`].
    running: bool,
    /// Number of live [`ExcludeGuard`]s.
    exclusions: usize,
}

impl HeartbeatState {
    /// Counts time from `from` on, unless it is excluded.
    fn restart_interval(&mut self, from: u64) {
        if self.running && self.exclusions == 0 {
            self.uptime.start_interval(from);
        }
    }
}

impl Heartbeat {
    /// Prepares a run that follows the runs recorded in `uptime`.
    pub(crate) fn new(uptime: UptimeHistory, time: ServerClock) -> Arc<Heartbeat> {
        Arc::new(Heartbeat {
            state: Mutex::new(HeartbeatState {
                uptime,
                running: false,
                exclusions: 0,
            }),
            time,
        })
    }

    /// Begins the run. Its first `excluded_ms` milliseconds do not count.
    pub(crate) fn start(&self, excluded_ms: u64) {
        let now = self.time.now();
        let mut state = self.lock_state();
        state.running = true;
        state.uptime.start_interval(now);
        state.uptime.start_interval(now.saturating_add(excluded_ms));
    }

    fn lock_state(&self) -> MutexGuard<'_, HeartbeatState> {
        lock(&self.state)
    }

    /// Returns the uptime up to now, or none while time does not count.
    pub(crate) fn current_uptime(&self) -> Option<UptimeHistory> {
        let mut state = self.lock_state();
        if state.exclusions > 0 || !state.running {
            return None;
        }
        state.uptime.extend_to(self.time.now());
        Some(state.uptime.clone())
    }

    /// Returns the uptime of earlier runs and of this one so far.
    pub(crate) fn uptime(&self) -> UptimeHistory {
        self.current_uptime()
            .unwrap_or_else(|| self.lock_state().uptime.clone())
    }

    /// Excludes the last `past_ms` and the next `future_ms` milliseconds.
    pub(crate) fn exclude(&self, past_ms: u64, future_ms: u64) {
        let now = self.time.now();
        let mut state = self.lock_state();
        if state.running {
            if state.exclusions == 0 {
                state.uptime.extend_to(now);
            }
            state.uptime.truncate_at(now.saturating_sub(past_ms));
            state.restart_interval(now.saturating_add(future_ms));
        }
    }

    /// Excludes the last `past_ms` milliseconds and all time until the guard is dropped.
    pub(crate) fn exclude_while_held(self: &Arc<Self>, past_ms: u64) -> ExcludeGuard {
        self.exclude(past_ms, 0);
        self.lock_state().exclusions += 1;
        ExcludeGuard(Arc::clone(self))
    }

    /// Ends the run and returns its final uptime, or none while time does not count.
    pub(crate) fn stop(&self) -> Option<UptimeHistory> {
        let final_uptime = self.current_uptime();
        self.lock_state().running = false;
        final_uptime
    }

    /// Records the uptime at an interval, while `needed` returns true. Runs until it is dropped.
    pub(crate) async fn run(&self, log: &dyn EventLog, needed: impl Fn() -> bool) {
        loop {
            sleep(HEARTBEAT_INTERVAL).await;
            if needed()
                && let Some(uptime) = self.current_uptime()
            {
                log.record_uptime(uptime);
            }
        }
    }
}

/// Excludes time while it exists.
#[derive(Debug)]
#[must_use = "time counts again once it is dropped"]
pub(crate) struct ExcludeGuard(Arc<Heartbeat>);

impl Drop for ExcludeGuard {
    fn drop(&mut self) {
        let now = self.0.time.now();
        let mut state = self.0.lock_state();
        state.exclusions -= 1;
        state.restart_interval(now);
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::advance;

    use super::*;

    fn uptime_text(heartbeat: &Heartbeat) -> Option<String> {
        heartbeat.current_uptime().map(|uptime| uptime.to_string())
    }

    async fn advance_ms(ms: u64) {
        advance(Duration::from_millis(ms)).await;
    }

    #[tokio::test(start_paused = true)]
    async fn uptime_continues_from_earlier_runs() {
        let heartbeat =
            Heartbeat::new("100-200".parse().unwrap(), ServerClock::from_unix_ms(1_000));
        assert_eq!(
            (uptime_text(&heartbeat), heartbeat.uptime().to_string()),
            (None, "100-200".into()),
            "before the start"
        );
        heartbeat.start(50);
        assert_eq!(uptime_text(&heartbeat).unwrap(), "100-200 1050-1050");
        advance_ms(150).await;
        assert_eq!(uptime_text(&heartbeat).unwrap(), "100-200 1050-1150");
        advance_ms(10).await;
        assert_eq!(heartbeat.stop().unwrap().to_string(), "100-200 1050-1160");
        advance_ms(10).await;
        assert_eq!(uptime_text(&heartbeat), None, "after the end");
        heartbeat.exclude(5, 5);
        assert_eq!(heartbeat.uptime().to_string(), "100-200 1050-1160");
        let clock_set_back = Heartbeat::new(
            "900-2000".parse().unwrap(),
            ServerClock::from_unix_ms(1_000),
        );
        assert_eq!(
            clock_set_back.uptime().uptime_after(950),
            1_050,
            "the recorded interval counts"
        );
        clock_set_back.start(50);
        assert_eq!(uptime_text(&clock_set_back).unwrap(), "1050-1050");
    }

    #[tokio::test(start_paused = true)]
    async fn excluded_time_is_not_uptime() {
        let heartbeat = Heartbeat::new(UptimeHistory::default(), ServerClock::from_unix_ms(0));
        heartbeat.start(0);
        advance_ms(100).await;
        heartbeat.exclude(30, 20);
        assert_eq!(uptime_text(&heartbeat).unwrap(), "0-70 120-120");
        advance_ms(50).await;
        assert_eq!(uptime_text(&heartbeat).unwrap(), "0-70 120-150");
    }

    #[tokio::test(start_paused = true)]
    async fn no_uptime_while_an_exclude_guard_is_held() {
        let heartbeat = Heartbeat::new(UptimeHistory::default(), ServerClock::from_unix_ms(0));
        heartbeat.start(0);
        advance_ms(100).await;
        let one = heartbeat.exclude_while_held(10);
        let two = heartbeat.exclude_while_held(0);
        assert_eq!(uptime_text(&heartbeat), None);
        advance_ms(100).await;
        drop(one);
        heartbeat.exclude(5, 0);
        assert_eq!(
            (uptime_text(&heartbeat), heartbeat.uptime().to_string()),
            (None, "0-90".into())
        );
        advance_ms(100).await;
        drop(two);
        advance_ms(7).await;
        assert_eq!(uptime_text(&heartbeat).unwrap(), "0-90 300-307");
    }
}
