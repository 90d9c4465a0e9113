//! When to ping next, and what has come of it.

use std::time::Duration;

use tokio::time::Instant;

/// A connection that has left this many pings unanswered is dead.
const MAX_UNANSWERED: u32 = 2;

/// The pings of one connection.
#[derive(Debug)]
pub(super) struct Pings {
    /// Before the hello: when the patience for it ends.
    pub(super) next: Instant,
    last: Option<(u64, Instant)>,
    number: u64,
    unanswered: u32,
}

impl Pings {
    pub(super) fn new(first: Instant) -> Pings {
        Pings { next: first, last: None, number: 0, unanswered: 0 }
    }

    /// The number to ping with now, the next being due after `period`; none when enough of them were
    /// left unanswered.
    pub(super) fn due(&mut self, period: Duration) -> Option<u64> {
        if self.unanswered >= MAX_UNANSWERED {
            return None;
        }
        let now = Instant::now();
        self.number += 1;
        self.unanswered += 1;
        self.last = Some((self.number, now));
        self.next = now + period;
        Some(self.number)
    }

    /// The round trip, if this pong answers the last ping.
    pub(super) fn answered(&mut self, number: u64) -> Option<Duration> {
        let (_, sent) = self.last.take_if(|(last, _)| *last == number)?;
        self.unanswered = 0;
        Some(sent.elapsed())
    }
}
