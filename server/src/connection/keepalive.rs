//! When to ping next, and what has come of it.

use std::time::Duration;

use tokio::time::Instant;

/// The pings of one connection.
#[derive(Debug)]
pub(super) struct PingTracker {
    /// Before the hello: when the patience for it ends.
    pub(super) next_at: Instant,
    last_ping: Option<(u64, Instant)>,
    /// The last round trip that was measured.
    pub(super) last_rtt: Option<Duration>,
    last_number: u64,
    last_answered: u64,
    /// When the first ping was sent that no pong has followed.
    unanswered_since: Option<Instant>,
    /// The gaps in the server's time that are taken into account.
    known_gap: Duration,
}

impl PingTracker {
    /// The first at `first`, on a server that has lost so much time before.
    pub(super) fn new(first_at: Instant, known_gap: Duration) -> PingTracker {
        PingTracker {
            next_at: first_at,
            last_ping: None,
            last_rtt: None,
            last_number: 0,
            last_answered: 0,
            unanswered_since: None,
            known_gap: known_gap,
        }
    }

    /// The number to ping with now, the next being due after `period`, which is `usual` give or take
    /// a tenth; none when nothing has been heard for two periods.
    pub(super) fn next_ping(&mut self, interval: Duration, jittered: Duration) -> Option<u64> {
        let now = Instant::now();
        // Longer than one period may be, and shorter than two.
        let timeout = interval.mul_f64(1.75);
        if self.unanswered_since.is_some_and(|since| now - since >= timeout) {
            return None;
        }
        self.last_number += 1;
        self.unanswered_since.get_or_insert(now);
        self.last_ping = Some((self.last_number, now));
        self.next_at = now + jittered;
        Some(self.last_number)
    }

    /// Moves everything on by a time in which the server did not run, and says whether there was one:
    /// nobody could be heard in it, so nobody was silent.
    pub(super) fn exclude_gap(&mut self, suspended: Duration) -> bool {
        let gap = suspended.saturating_sub(self.known_gap);
        self.known_gap = suspended;
        self.next_at += gap;
        let sent = self.last_ping.as_mut().map(|(_, sent)| sent);
        for instant in sent.into_iter().chain(&mut self.unanswered_since) {
            *instant += gap;
        }
        !gap.is_zero()
    }

    /// Whether a pong answers a ping of ours, and the round trip if it was the last one.
    pub(super) fn on_pong(&mut self, number: u64) -> Option<Option<Duration>> {
        if number <= self.last_answered || number > self.last_number {
            return None;
        }
        self.last_answered = number;
        self.unanswered_since = None;
        let rtt = self.last_ping.take_if(|(last, _)| *last == number).map(|(_, sent)| sent.elapsed());
        self.last_rtt = rtt.or(self.last_rtt);
        Some(rtt)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PERIOD: Duration = Duration::from_secs(15);

    fn advance_by(time: Duration) -> impl Future<Output = ()> {
        tokio::time::advance(time)
    }

    #[tokio::test(start_paused = true)]
    async fn two_unanswered_intervals_end_the_connection() {
        let mut tracker = PingTracker::new(Instant::now(), Duration::ZERO);
        assert_eq!(tracker.next_ping(PERIOD, PERIOD), Some(1));
        advance_by(PERIOD).await;
        assert_eq!(tracker.next_ping(PERIOD, PERIOD), Some(2));
        advance_by(PERIOD).await;
        assert_eq!(tracker.next_ping(PERIOD, PERIOD), None);
    }

    #[tokio::test(start_paused = true)]
    async fn suspended_time_is_not_silence() {
        let mut tracker = PingTracker::new(Instant::now(), PERIOD);
        assert_eq!(tracker.next_ping(PERIOD, PERIOD), Some(1));
        advance_by(4 * PERIOD).await;
        assert!(tracker.exclude_gap(4 * PERIOD));
        assert!(!tracker.exclude_gap(4 * PERIOD), "once");
        assert_eq!(tracker.next_at, Instant::now());
        advance_by(PERIOD).await;
        assert_eq!(tracker.next_ping(PERIOD, PERIOD), None, "but then it has to answer");
        assert_eq!(tracker.on_pong(1), Some(Some(2 * PERIOD)));
    }

    #[tokio::test(start_paused = true)]
    async fn pings_out_of_turn_do_not_time_out() {
        let mut tracker = PingTracker::new(Instant::now(), Duration::ZERO);
        for number in 1..=9 {
            assert_eq!(tracker.next_ping(PERIOD, PERIOD), Some(number));
            advance_by(Duration::from_secs(1)).await;
        }
        assert_eq!(tracker.on_pong(3), Some(None), "an older one is a sign of life");
        assert_eq!(tracker.on_pong(3), None, "once");
        assert_eq!(tracker.on_pong(10), None, "it was never sent");
        assert_eq!(tracker.on_pong(9), Some(Some(Duration::from_secs(1))));
    }
}
