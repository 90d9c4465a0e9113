//! How much a connection may say. Pure: the time is an argument.

/// A token bucket in thousandths of a message, with a memory for those who overdraw it.
#[derive(Clone, Copy, Debug)]
pub struct RateLimit {
    burst: u32,
    per_second: u32,
    /// Thousandths of a message that may still be sent.
    credit: u64,
    /// Until when the credit is counted, in milliseconds.
    counted_to: u64,
    /// Messages refused since one last passed.
    refused: u32,
}

/// What becomes of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is handled.
    Pass,
    /// It is refused; the same would pass in this many milliseconds.
    Refuse {
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
        RateLimit { burst, per_second, credit: u64::from(burst) * 1000, counted_to: now, refused: 0 }
    }

    /// Takes the credit for one message that came at `now`.
    pub fn take(&mut self, now: u64) -> Verdict {
        let full = u64::from(self.burst) * 1000;
        let earned = now.saturating_sub(self.counted_to).saturating_mul(u64::from(self.per_second));
        self.credit = self.credit.saturating_add(earned).min(full);
        self.counted_to = self.counted_to.max(now);
        if self.credit >= 1000 {
            self.credit -= 1000;
            // Who waits as told is heard, however often it comes too early.
            self.refused = 0;
            return Verdict::Pass;
        }
        self.refused += 1;
        if self.refused > self.burst {
            return Verdict::Flood;
        }
        Verdict::Refuse { wait_ms: (1000 - self.credit).div_ceil(u64::from(self.per_second)) }
    }

    /// Takes the credit for `more` messages besides one that has just passed, or for as many as the
    /// bucket holds.
    ///
    /// # Errors
    /// When there is less: both together would pass in this many milliseconds.
    pub fn take_more(&mut self, more: u32) -> Result<(), u64> {
        let price = u64::from(more.min(self.burst - 1)) * 1000;
        match self.credit.checked_sub(price) {
            Some(credit) => {
                self.credit = credit;
                Ok(())
            }
            None => Err((price + 1000 - self.credit).div_ceil(u64::from(self.per_second))),
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
            assert_eq!(limit.take(0), Verdict::Pass);
        }
        assert_eq!(limit.take(0), Verdict::Refuse { wait_ms: 100 });
        assert_eq!(limit.take(99), Verdict::Refuse { wait_ms: 1 });
        assert_eq!(limit.take(100), Verdict::Pass);
        assert_eq!(limit.take(100), Verdict::Refuse { wait_ms: 100 });
    }

    #[test]
    fn who_goes_on_after_the_warnings_is_cut_off() {
        let mut limit = RateLimit::new(2, 1, 0);
        let verdicts: Vec<_> = (0..5).map(|_| limit.take(0)).collect();
        let refuse = Verdict::Refuse { wait_ms: 1000 };
        assert_eq!(verdicts, [Verdict::Pass, Verdict::Pass, refuse, refuse, Verdict::Flood]);
    }

    #[test]
    fn who_waits_as_told_is_heard_again_and_again() {
        let mut limit = RateLimit::new(2, 1, 0);
        let mut now = 0;
        for _ in 0..100 {
            if let Verdict::Refuse { wait_ms } = limit.take(now) {
                now += wait_ms;
                assert_eq!(limit.take(now), Verdict::Pass);
            }
        }
        assert_eq!(now, 98_000);
    }

    #[test]
    fn a_clock_that_stands_still_or_goes_back_gives_nothing() {
        let mut limit = RateLimit::new(1, 1, 5000);
        assert_eq!(limit.take(5000), Verdict::Pass);
        assert_ne!(limit.take(0), Verdict::Pass);
        assert_ne!(limit.take(5999), Verdict::Pass);
        assert_eq!(limit.take(6000), Verdict::Pass);
    }

    #[test]
    fn what_costs_more_takes_more_and_who_waits_as_told_gets_it() {
        let mut limit = RateLimit::new(5, 10, 0);
        assert_eq!((limit.take(0), limit.take_more(2)), (Verdict::Pass, Ok(())));
        assert_eq!((limit.take(0), limit.take_more(2)), (Verdict::Pass, Err(200)));
        assert_eq!((limit.take(200), limit.take_more(2)), (Verdict::Pass, Ok(())));
        // What no bucket can hold costs a full one.
        assert_eq!((limit.take(500), limit.take_more(100)), (Verdict::Pass, Err(300)));
        assert_eq!((limit.take(800), limit.take_more(100)), (Verdict::Pass, Ok(())));
        let mut single = RateLimit::new(1, 1, 0);
        assert_eq!((single.take(0), single.take_more(7)), (Verdict::Pass, Ok(())));
    }
}
