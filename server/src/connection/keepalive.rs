//! Pings of a connection: schedule, missing pongs, and round-trip time.

use std::time::Duration;

use tokio::time::Instant;

use crate::lobby::PingId;

/// Tracks outstanding pings and the round-trip time of one connection.
#[derive(Debug)]
pub(super) struct PingTracker {
    /// Time of the next ping. Before the hello: deadline of the hello.
    pub(super) next_at: Instant,
    last_ping: Option<(u64, Instant)>,
    /// Last measured round-trip time.
    pub(super) last_rtt: Option<Duration>,
    last_number: u64,
    last_answered: u64,
    /// Time of the first ping after the last pong.
    unanswered_since: Option<Instant>,
    /// Total suspended time that the other fields exclude already.
    known_gap: Duration,
}

impl PingTracker {
    /// Schedules the first ping. `known_gap` is the total suspended time of the server so far.
    pub(super) fn new(first_at: Instant, known_gap: Duration) -> PingTracker {
        PingTracker {
            next_at: first_at,
            last_ping: None,
            last_rtt: None,
            last_number: 0,
            last_answered: 0,
            unanswered_since: None,
            known_gap,
        }
    }

    /// Returns the payload of the next ping and schedules the one after it at `jittered`; none if two intervals passed
    /// without a pong. `jittered` is `interval` ± 10 %.
    pub(super) fn next_ping(&mut self, interval: Duration, jittered: Duration) -> Option<u64> {
        let now = Instant::now();
        // Longer than one jittered interval, shorter than two.
        let timeout = interval.mul_f64(1.75);
        if self
            .unanswered_since
            .is_some_and(|since| now - since >= timeout)
        {
            return None;
        }
        self.last_number += 1;
        self.unanswered_since.get_or_insert(now);
        self.last_ping = Some((self.last_number, now));
        self.next_at = now + jittered;
        Some(self.last_number)
    }

    /// Returns the number of the last ping.
    pub(super) fn last_number(&self) -> u64 {
        self.last_number
    }

    /// Shifts all times by the suspends since the last call, in which the server could receive nothing. Returns whether
    /// there was one.
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

    /// Handles a pong. Returns none if it answers no outstanding ping, otherwise the round-trip time if it answers the
    /// last one.
    pub(super) fn on_pong(&mut self, number: u64) -> Option<Option<Duration>> {
        if number <= self.last_answered || number > self.last_number {
            return None;
        }
        self.last_answered = number;
        self.unanswered_since = None;
        let rtt = self
            .last_ping
            .take_if(|(last, _)| *last == number)
            .map(|(_, sent)| sent.elapsed());
        self.last_rtt = rtt.or(self.last_rtt);
        Some(rtt)
    }
}

/// A ping of the lobby.
#[derive(Clone, Copy, Debug)]
pub(super) struct LobbyPing {
    pub(super) id: PingId,
    /// Number of the ping on this connection. The pong of a later one is an answer as well.
    pub(super) number: u64,
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
        assert_eq!(
            tracker.next_ping(PERIOD, PERIOD),
            None,
            "later silence counts"
        );
        assert_eq!(tracker.on_pong(1), Some(Some(2 * PERIOD)));
    }

    #[tokio::test(start_paused = true)]
    async fn pings_out_of_turn_do_not_time_out() {
        let mut tracker = PingTracker::new(Instant::now(), Duration::ZERO);
        for number in 1..=9 {
            assert_eq!(tracker.next_ping(PERIOD, PERIOD), Some(number));
            advance_by(Duration::from_secs(1)).await;
        }
        assert_eq!(
            tracker.on_pong(3),
            Some(None),
            "an older ping counts as well"
        );
        assert_eq!(tracker.on_pong(3), None, "once");
        assert_eq!(tracker.on_pong(10), None, "that ping was never sent");
        assert_eq!(tracker.on_pong(9), Some(Some(Duration::from_secs(1))));
    }
}
