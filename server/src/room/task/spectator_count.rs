//! Throttle of the notice of the spectator count: hundreds of spectators that come in one moment cause one
//! notice. Pure: the time is an argument.

use std::time::Duration;

use tokio::time::Instant;

/// Shortest time between two notices.
const MIN_NOTICE_INTERVAL: Duration = Duration::from_millis(500);

/// Decides when the members are sent the number of spectators.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct SpectatorCountThrottle(State);

#[derive(Clone, Copy, Debug, Default)]
enum State {
    /// The count never changed.
    #[default]
    Idle,
    /// The members know the count; it was sent at this time.
    Sent(Instant),
    /// The count has changed and is sent at this time.
    Pending(Instant),
}

impl SpectatorCountThrottle {
    /// Schedules a notice, if none is pending.
    pub(super) fn on_count_changed(&mut self, now: Instant) {
        let send_at = match self.0 {
            State::Idle => now,
            State::Sent(at) => now.max(at + MIN_NOTICE_INTERVAL),
            State::Pending(at) => at,
        };
        self.0 = State::Pending(send_at);
    }

    /// Time of the pending notice.
    pub(super) fn send_at(self) -> Option<Instant> {
        match self.0 {
            State::Pending(at) => Some(at),
            State::Idle | State::Sent(_) => None,
        }
    }

    /// Returns whether the caller has to send the notice at `now`, and records that it was sent.
    pub(super) fn take_due(&mut self, now: Instant) -> bool {
        let is_due = self.send_at().is_some_and(|at| at <= now);
        if is_due {
            self.0 = State::Sent(now);
        }
        is_due
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_within_the_interval_cause_one_notice() {
        let (start, mut throttle) = (Instant::now(), SpectatorCountThrottle::default());
        assert!(!throttle.take_due(start), "nothing changed");
        throttle.on_count_changed(start);
        assert!(throttle.take_due(start), "the first change is sent at once");
        let later = start + Duration::from_millis(100);
        throttle.on_count_changed(later);
        throttle.on_count_changed(later + Duration::from_millis(100));
        assert_eq!(throttle.send_at(), Some(start + MIN_NOTICE_INTERVAL));
        assert!(!throttle.take_due(later));
        assert!(throttle.take_due(start + MIN_NOTICE_INTERVAL));
        assert!(
            !throttle.take_due(start + 2 * MIN_NOTICE_INTERVAL),
            "sent once"
        );
    }
}
