//! Time accounting of a room. Requests are timed by their arrival; time spent on storing
//! events, or waiting until events can be stored, is charged to no clock of a game.
//!
//! Owns the time of the room, which never goes back behind its last event and stands still while no event can
//! be stored. Does not change the game: the caller credits the excluded time. No event records a credit by
//! itself; the next event contains the time left, so that a replay yields the same clocks.

use std::time::Duration;

use tokio::time::Instant;

use crate::runtime::time::server_clock::ServerClock;

#[derive(Debug)]
pub(super) struct RoomClock {
    /// Moved ahead, if necessary, to the last event of the room.
    time: ServerClock,
    /// Time up to which events are stored: no request is timed earlier.
    recorded_until: u64,
    /// Time at which the room's time stopped, if it stands still.
    stopped_since: Option<u64>,
    /// The suspensions of the process that the members know of.
    known_suspensions: Duration,
}

impl RoomClock {
    pub(super) fn new(server_clock: &ServerClock, last_event_at: u64) -> RoomClock {
        let time = server_clock.advanced_to(last_event_at);
        let known_suspensions = time.suspended_total();
        RoomClock {
            time,
            recorded_until: last_event_at,
            stopped_since: None,
            known_suspensions,
        }
    }

    /// Server time, which goes on while the time of the room stands still.
    pub(super) fn server_now(&self) -> u64 {
        self.time.now()
    }

    /// Time of the room.
    pub(super) fn now(&self) -> u64 {
        self.stopped_since
            .unwrap_or_else(|| self.time.now())
            .max(self.recorded_until)
    }

    /// Time of the room at which a request counts that a connection received at server time `at`.
    pub(super) fn judged_at(&self, at: u64) -> u64 {
        self.stopped_since
            .unwrap_or_else(|| self.time.to_local(at))
            .max(self.recorded_until)
    }

    pub(super) fn instant_at(&self, at: u64) -> Instant {
        self.time.instant_at(at)
    }

    /// Time at which the time of the room stopped, if it stands still.
    pub(super) fn stopped_since(&self) -> Option<u64> {
        self.stopped_since
    }

    /// Stops the time of the room at `at`, unless it stands still already.
    pub(super) fn stop_at(&mut self, at: u64) {
        self.stopped_since.get_or_insert(at);
    }

    /// Lets time run again from now on, after an access to the log that began at `started_at`. Returns the
    /// milliseconds since then, which the caller credits to the game.
    pub(super) fn resume(&mut self, started_at: u64) -> u64 {
        let now = self.time.now();
        self.stopped_since = None;
        self.recorded_until = self.recorded_until.max(now);
        now.saturating_sub(started_at)
    }

    /// Lets time run again without a credit: the room was rebuilt from the log, which excludes the period.
    pub(super) fn restart(&mut self) {
        self.stopped_since = None;
    }

    /// Returns whether the process was suspended since the last call. `cached` avoids a reading of the clock;
    /// it suffices for a request whose arrival was timed.
    pub(super) fn take_suspension(&mut self, cached: bool) -> bool {
        let total = if cached {
            self.time.suspended_total_cached()
        } else {
            self.time.suspended_total()
        };
        std::mem::replace(&mut self.known_suspensions, total) != total
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: u64 = 1_000_000;

    fn room_clock(last_event_at: u64) -> RoomClock {
        RoomClock::new(&ServerClock::from_unix_ms(START), last_event_at)
    }

    #[tokio::test(start_paused = true)]
    async fn time_starts_at_the_last_event() {
        let clock = room_clock(START + 500);
        assert_eq!(clock.now(), START + 500);
        assert_eq!(clock.judged_at(START), START + 500);
        assert_eq!(clock.judged_at(START + 20), START + 520);
    }

    #[tokio::test(start_paused = true)]
    async fn time_stands_still_from_the_first_stop_until_it_resumes() {
        let mut clock = room_clock(START);
        tokio::time::advance(Duration::from_millis(100)).await;
        clock.stop_at(START + 40);
        clock.stop_at(START + 90);
        tokio::time::advance(Duration::from_millis(100)).await;
        assert_eq!(clock.now(), START + 40);
        assert_eq!(clock.judged_at(START + 190), START + 40);
        assert_eq!(clock.server_now(), START + 200);
        assert_eq!(clock.resume(START + 40), 160);
        assert_eq!(clock.now(), START + 200);
        assert_eq!(
            clock.judged_at(START + 150),
            START + 200,
            "not before the last recorded time"
        );
        assert_eq!(clock.resume(START + 200), 0);
    }
}
