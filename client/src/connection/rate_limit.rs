//! Keeps the client below the rate limit that the server announces. Pure: the time is an argument.

use std::time::Duration;

use noughts_protocol::wire::AnnouncedLimits;
use tokio::time::Instant;

/// A leaky bucket by the generic cell rate algorithm (ITU-T I.371).
#[derive(Clone, Copy, Debug)]
pub(super) struct SendRateLimit {
    /// Time at which the bucket is full again if no further message is sent.
    full_at: Instant,
    /// Cost of one message.
    interval: Duration,
    /// How far `full_at` may lie in the future when a message is sent.
    tolerance: Duration,
}

impl SendRateLimit {
    /// Creates a full bucket for these limits, less one message: the network may bunch up messages that were sent
    /// apart.
    pub(super) fn new(limits: &AnnouncedLimits, now: Instant) -> SendRateLimit {
        let interval = Duration::from_secs(1) / limits.per_second.clamp(1, 1000);
        let burst = limits.burst.clamp(2, 1000) - 2;
        SendRateLimit { full_at: now, interval, tolerance: interval * burst }
    }

    /// Returns the time at which the next message may be sent; it may lie in the past.
    pub(super) fn ready_at(&self) -> Instant {
        self.full_at.checked_sub(self.tolerance).unwrap_or(self.full_at)
    }

    pub(super) fn record_sent(&mut self, now: Instant) {
        self.full_at = self.full_at.max(now) + self.interval;
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
