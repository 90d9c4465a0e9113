//! When to ping next, and what has come of it.

use std::time::Duration;

use tokio::time::Instant;

/// The pings of one connection.
#[derive(Debug)]
pub(super) struct Pings {
    /// Before the hello: when the patience for it ends.
    pub(super) next: Instant,
    last: Option<(u64, Instant)>,
    /// The last round trip that was measured.
    pub(super) took: Option<Duration>,
    number: u64,
    answered: u64,
    /// When the first ping was sent that no pong has followed.
    silent_since: Option<Instant>,
    /// The gaps in the server's time that are taken into account.
    lost: Duration,
}

impl Pings {
    /// The first at `first`, on a server that has lost so much time before.
    pub(super) fn new(first: Instant, lost: Duration) -> Pings {
        Pings { next: first, last: None, took: None, number: 0, answered: 0, silent_since: None, lost }
    }

    /// The number to ping with now, the next being due after `period`, which is `usual` give or take
    /// a tenth; none when nothing has been heard for two periods.
    pub(super) fn due(&mut self, usual: Duration, period: Duration) -> Option<u64> {
        let now = Instant::now();
        // Longer than one period may be, and shorter than two.
        let patience = usual.mul_f64(1.75);
        if self.silent_since.is_some_and(|since| now - since >= patience) {
            return None;
        }
        self.number += 1;
        self.silent_since.get_or_insert(now);
        self.last = Some((self.number, now));
        self.next = now + period;
        Some(self.number)
    }

    /// Moves everything on by a time in which the server did not run, and says whether there was one:
    /// nobody could be heard in it, so nobody was silent.
    pub(super) fn forgive(&mut self, lost: Duration) -> bool {
        let gap = lost.saturating_sub(self.lost);
        self.lost = lost;
        self.next += gap;
        let sent = self.last.as_mut().map(|(_, sent)| sent);
        for instant in sent.into_iter().chain(&mut self.silent_since) {
            *instant += gap;
        }
        !gap.is_zero()
    }

    /// Whether a pong answers a ping of ours, and the round trip if it was the last one.
    pub(super) fn answered(&mut self, number: u64) -> Option<Option<Duration>> {
        if number <= self.answered || number > self.number {
            return None;
        }
        self.answered = number;
        self.silent_since = None;
        let took = self.last.take_if(|(last, _)| *last == number).map(|(_, sent)| sent.elapsed());
        self.took = took.or(self.took);
        Some(took)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PERIOD: Duration = Duration::from_secs(15);

    fn after(time: Duration) -> impl Future<Output = ()> {
        tokio::time::advance(time)
    }

    #[tokio::test(start_paused = true)]
    async fn two_periods_of_silence_are_the_end() {
        let mut pings = Pings::new(Instant::now(), Duration::ZERO);
        assert_eq!(pings.due(PERIOD, PERIOD), Some(1));
        after(PERIOD).await;
        assert_eq!(pings.due(PERIOD, PERIOD), Some(2));
        after(PERIOD).await;
        assert_eq!(pings.due(PERIOD, PERIOD), None);
    }

    #[tokio::test(start_paused = true)]
    async fn a_time_in_which_the_server_did_not_run_is_no_silence() {
        let mut pings = Pings::new(Instant::now(), PERIOD);
        assert_eq!(pings.due(PERIOD, PERIOD), Some(1));
        after(4 * PERIOD).await;
        assert!(pings.forgive(4 * PERIOD));
        assert!(!pings.forgive(4 * PERIOD), "once");
        assert_eq!(pings.next, Instant::now());
        after(PERIOD).await;
        assert_eq!(pings.due(PERIOD, PERIOD), None, "but then it has to answer");
        assert_eq!(pings.answered(1), Some(Some(2 * PERIOD)));
    }

    #[tokio::test(start_paused = true)]
    async fn pings_out_of_turn_cost_no_patience() {
        let mut pings = Pings::new(Instant::now(), Duration::ZERO);
        for number in 1..=9 {
            assert_eq!(pings.due(PERIOD, PERIOD), Some(number));
            after(Duration::from_secs(1)).await;
        }
        assert_eq!(pings.answered(3), Some(None), "an older one is a sign of life");
        assert_eq!(pings.answered(3), None, "once");
        assert_eq!(pings.answered(10), None, "it was never sent");
        assert_eq!(pings.answered(9), Some(Some(Duration::from_secs(1))));
    }
}
