//! How much a connection may say. Pure: the time is an argument.

/// A token bucket in thousandths of a message, with a memory for those who overdraw it.
#[derive(Clone, Copy, Debug)]
pub struct RateLimit {
    burst: u32,
    per_second: u32,
    /// Thousandths of a message that may still be sent.
    tokens_milli: u64,
    /// Until when the credit is counted, in milliseconds.
    refilled_until: u64,
    /// Messages refused since one last passed.
    consecutive_rejects: u32,
}

/// What becomes of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RateLimitDecision {
    /// It is handled.
    Allow,
    /// It is refused; the same would pass in this many milliseconds.
    Reject {
        /// How long to wait.
        wait_ms: u64,
    },
    /// The sender was warned and goes on: the connection closes.
    Flood,
}

impl RateLimit {
    /// Full credit at `now`.
    pub fn new(burst: u32, per_second: u32, now: u64) -> RateLimit {
        let (burst, per_second) = (burst.max(1), per_second.max(1));
        RateLimit {
            burst,
            per_second,
            tokens_milli: u64::from(burst) * 1000,
            refilled_until: now,
            consecutive_rejects: 0,
        }
    }

    /// Takes the credit for one message that came at `now`.
    pub fn try_take(&mut self, now: u64) -> RateLimitDecision {
        let capacity_milli = u64::from(self.burst) * 1000;
        let refill = now.saturating_sub(self.refilled_until).saturating_mul(u64::from(self.per_second));
        self.tokens_milli = self.tokens_milli.saturating_add(refill).min(capacity_milli);
        self.refilled_until = self.refilled_until.max(now);
        if self.tokens_milli >= 1000 {
            self.tokens_milli -= 1000;
            // Who waits as told is heard, however often it comes too early.
            self.consecutive_rejects = 0;
            return RateLimitDecision::Allow;
        }
        self.consecutive_rejects += 1;
        if self.consecutive_rejects > self.burst {
            return RateLimitDecision::Flood;
        }
        RateLimitDecision::Reject { wait_ms: (1000 - self.tokens_milli).div_ceil(u64::from(self.per_second)) }
    }

    /// Takes the credit for `more` messages besides one that has just passed, or for as many as the
    /// bucket holds.
    ///
    /// # Errors
    /// When there is less: both together would pass in this many milliseconds.
    pub fn try_take_more(&mut self, more: u32) -> Result<(), u64> {
        let cost = u64::from(more.min(self.burst - 1)) * 1000;
        match self.tokens_milli.checked_sub(cost) {
            Some(credit) => {
                self.tokens_milli = credit;
                Ok(())
            }
            None => Err((cost + 1000 - self.tokens_milli).div_ceil(u64::from(self.per_second))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_passes_then_the_rate_holds() {
        let mut limit = RateLimit::new(3, 10, 0);
        for _ in 0..3 {
            assert_eq!(limit.try_take(0), RateLimitDecision::Allow);
        }
        assert_eq!(limit.try_take(0), RateLimitDecision::Reject { wait_ms: 100 });
        assert_eq!(limit.try_take(99), RateLimitDecision::Reject { wait_ms: 1 });
        assert_eq!(limit.try_take(100), RateLimitDecision::Allow);
        assert_eq!(limit.try_take(100), RateLimitDecision::Reject { wait_ms: 100 });
    }

    #[test]
    fn flooding_after_rejects_disconnects() {
        let mut limit = RateLimit::new(2, 1, 0);
        let verdicts: Vec<_> = (0..5).map(|_| limit.try_take(0)).collect();
        let refuse = RateLimitDecision::Reject { wait_ms: 1000 };
        assert_eq!(
            verdicts,
            [RateLimitDecision::Allow, RateLimitDecision::Allow, refuse, refuse, RateLimitDecision::Flood]
        );
    }

    #[test]
    fn waiting_as_requested_is_always_allowed() {
        let mut limit = RateLimit::new(2, 1, 0);
        let mut now = 0;
        for _ in 0..100 {
            if let RateLimitDecision::Reject { wait_ms } = limit.try_take(now) {
                now += wait_ms;
                assert_eq!(limit.try_take(now), RateLimitDecision::Allow);
            }
        }
        assert_eq!(now, 98_000);
    }

    #[test]
    fn clock_standing_still_or_going_back_refills_nothing() {
        let mut limit = RateLimit::new(1, 1, 5000);
        assert_eq!(limit.try_take(5000), RateLimitDecision::Allow);
        assert_ne!(limit.try_take(0), RateLimitDecision::Allow);
        assert_ne!(limit.try_take(5999), RateLimitDecision::Allow);
        assert_eq!(limit.try_take(6000), RateLimitDecision::Allow);
    }

    #[test]
    fn costlier_requests_take_more_tokens() {
        let mut limit = RateLimit::new(5, 10, 0);
        assert_eq!((limit.try_take(0), limit.try_take_more(2)), (RateLimitDecision::Allow, Ok(())));
        assert_eq!((limit.try_take(0), limit.try_take_more(2)), (RateLimitDecision::Allow, Err(200)));
        assert_eq!((limit.try_take(200), limit.try_take_more(2)), (RateLimitDecision::Allow, Ok(())));
        // What no bucket can hold costs a full one.
        assert_eq!((limit.try_take(500), limit.try_take_more(100)), (RateLimitDecision::Allow, Err(300)));
        assert_eq!((limit.try_take(800), limit.try_take_more(100)), (RateLimitDecision::Allow, Ok(())));
        let mut single = RateLimit::new(1, 1, 0);
        assert_eq!((single.try_take(0), single.try_take_more(7)), (RateLimitDecision::Allow, Ok(())));
    }
}
