//! Rate limit of the messages of one sender. Pure: the time is an argument.

use noughts_protocol::rate_limit::Gcra;

/// Cost of a message in ticks. A millisecond has as many ticks as a second allows messages, so that every rate is exact.
const TICKS_PER_MESSAGE: u64 = 1000;

/// Limits the messages of one sender. Detects floods by the number of consecutive rejects.
///
/// All ticks count from the creation. A time before the latest one counts as the latest: a clock that goes back refills
/// nothing.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RateLimit {
    burst: u32,
    per_second: u32,
    /// Time of the creation, in milliseconds.
    created_at: u64,
    /// Latest time of a message, in ticks.
    latest: u64,
    /// Time at which the whole burst is available again, in ticks; see [`Gcra`].
    full_at: u64,
    /// Rejects since the last allowed message.
    consecutive_rejects: u32,
}

/// Decision on one message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RateLimitDecision {
    /// The message is handled.
    Allow,
    /// The message is rejected.
    Reject {
        /// Time until the message would be allowed, in milliseconds.
        wait_ms: u64,
    },
    /// The sender ignored as many rejects as the burst: the connection closes.
    Flood,
}

impl RateLimit {
    /// Creates a limit with the whole burst available.
    pub(crate) fn new(burst: u32, per_second: u32, now: u64) -> RateLimit {
        RateLimit {
            burst: burst.max(1),
            per_second: per_second.max(1),
            created_at: now,
            latest: 0,
            full_at: 0,
            consecutive_rejects: 0,
        }
    }

    /// Charges one message that arrived at `now`.
    pub(crate) fn try_take(&mut self, now: u64) -> RateLimitDecision {
        let ticks = now
            .saturating_sub(self.created_at)
            .saturating_mul(u64::from(self.per_second));
        self.latest = self.latest.max(ticks);
        let Err(wait_ms) = self.try_charge(1, 1) else {
            // A sender that waits as requested is never disconnected.
            self.consecutive_rejects = 0;
            return RateLimitDecision::Allow;
        };
        self.consecutive_rejects += 1;
        if self.consecutive_rejects > self.burst {
            return RateLimitDecision::Flood;
        }
        RateLimitDecision::Reject { wait_ms }
    }

    /// Charges `messages`. If they exceed the limit, charges nothing and returns the time until `retried` messages
    /// would be allowed, in milliseconds.
    fn try_charge(&mut self, messages: u64, retried: u64) -> Result<(), u64> {
        let limit = Gcra::new(TICKS_PER_MESSAGE, TICKS_PER_MESSAGE * u64::from(self.burst));
        if limit.wait(self.full_at, messages, self.latest) > 0 {
            let wait = limit.wait(self.full_at, retried, self.latest);
            return Err(wait.div_ceil(u64::from(self.per_second)));
        }
        self.full_at = limit.charge(self.full_at, messages, self.latest);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flooding_after_rejects_disconnects() {
        let mut limit = RateLimit::new(2, 1, 0);
        let decisions: Vec<_> = (0..5).map(|_| limit.try_take(0)).collect();
        let reject = RateLimitDecision::Reject { wait_ms: 1000 };
        assert_eq!(
            decisions,
            [
                RateLimitDecision::Allow,
                RateLimitDecision::Allow,
                reject,
                reject,
                RateLimitDecision::Flood
            ]
        );
    }

    /// Messages that pass at `now`, and the wait that the first rejected one is sent.
    fn take_all(limit: &mut RateLimit, now: u64) -> (u32, u64) {
        let mut passed = 0;
        loop {
            match limit.try_take(now) {
                RateLimitDecision::Allow => passed += 1,
                RateLimitDecision::Reject { wait_ms } => return (passed, wait_ms),
                RateLimitDecision::Flood => panic!("one reject is no flood"),
            }
        }
    }

    #[test]
    fn a_rate_that_does_not_divide_a_second_is_exact() {
        // Three messages a second are one in 333.3 ms.
        let mut limit = RateLimit::new(2, 3, 10_000);
        assert_eq!(take_all(&mut limit, 10_000), (2, 334));
        assert_eq!(take_all(&mut limit, 10_333), (0, 1));
        assert_eq!(take_all(&mut limit, 10_334), (1, 333));
        assert_eq!(take_all(&mut limit, 10_667), (1, 333));
        assert_eq!(take_all(&mut limit, 11_000), (1, 334));
    }

    #[test]
    fn an_idle_bucket_holds_one_burst() {
        let mut limit = RateLimit::new(3, 10, 0);
        assert_eq!(take_all(&mut limit, 0), (3, 100));
        assert_eq!(take_all(&mut limit, 299), (2, 1));
        assert_eq!(
            take_all(&mut limit, 499),
            (2, 1),
            "200 ms refill two messages; 99 ms were left over"
        );
        assert_eq!(take_all(&mut limit, 1_000_000), (3, 100));
    }

    #[test]
    fn a_time_before_the_creation_counts_as_the_creation() {
        let mut limit = RateLimit::new(2, 1, 5000);
        assert_eq!(take_all(&mut limit, 1000), (2, 1000));
        assert_eq!(take_all(&mut limit, 5999), (0, 1));
        assert_eq!(take_all(&mut limit, 6000), (1, 1000));
    }

    #[test]
    fn extreme_limits_do_not_overflow() {
        let mut limit = RateLimit::new(u32::MAX, u32::MAX, 0);
        for now in [0, 1, u64::MAX] {
            assert_eq!(
                [limit.try_take(now), limit.try_take(now)],
                [RateLimitDecision::Allow; 2]
            );
        }
        assert_eq!(
            take_all(&mut RateLimit::new(0, 0, 0), 0),
            (1, 1000),
            "zero counts as one"
        );
    }
}
