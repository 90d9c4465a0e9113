//! Keeps the client below the rate limit that the server announces. Pure: the time is an argument.

use std::time::Duration;

use noughts_protocol::rate_limit::Gcra;
use noughts_protocol::wire::AnnouncedLimits;
use tokio::time::Instant;

#[derive(Clone, Copy, Debug)]
pub(super) struct SendRateLimit {
    /// Times are in nanoseconds.
    limit: Gcra,
    /// `full_at` counts from this time.
    opened_at: Instant,
    /// Time in nanoseconds when the bucket is full again, if no further message is sent.
    full_at: u64,
}

impl SendRateLimit {
    /// Creates a full bucket for these limits minus one message, because the network may bunch up messages that were
    /// sent apart.
    pub(super) fn new(limits: &AnnouncedLimits, now: Instant) -> SendRateLimit {
        let interval = 1_000_000_000 / u64::from(limits.per_second.clamp(1, 1000));
        let burst = u64::from(limits.burst.clamp(2, 1000) - 1);
        SendRateLimit {
            limit: Gcra::new(interval, interval * burst),
            opened_at: now,
            full_at: 0,
        }
    }

    /// Returns the earliest time for the next message. It may lie in the past.
    pub(super) fn ready_at(&self) -> Instant {
        self.opened_at + Duration::from_nanos(self.limit.conforms_at(self.full_at, 1))
    }

    pub(super) fn record_sent(&mut self, now: Instant) {
        let now = now.saturating_duration_since(self.opened_at);
        let now = u64::try_from(now.as_nanos()).unwrap_or(u64::MAX);
        self.full_at = self.limit.charge(self.full_at, 1, now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_is_followed_by_a_steady_rate() {
        let limits = AnnouncedLimits {
            message_bytes: 4096,
            burst: 20,
            per_second: 10,
            ping_ms: 15_000,
            grace_ms: 60_000,
            left_grace_ms: 10_000,
            resume_events: 64,
            send_queue: 64,
        };
        let start = Instant::now();
        let mut rate_limit = SendRateLimit::new(&limits, start);
        let mut now = start;
        let mut sent_at_ms = Vec::new();
        for _ in 0..40 {
            now = now.max(rate_limit.ready_at());
            sent_at_ms.push((now - start).as_millis());
            rate_limit.record_sent(now);
        }
        assert_eq!(sent_at_ms[..20], [vec![0; 19], vec![100]].concat());
        assert_eq!(sent_at_ms[39], 2100);
    }
}
