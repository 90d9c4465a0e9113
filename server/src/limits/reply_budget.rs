//! Limit of the bytes that one connection draws by requests whose responses may be long. Pure: the time is an argument.
//!
//! The length of a response is known only after it was sent, by a room or the lobby. A request therefore needs budget for
//! an estimate; the true length is charged later, and may leave a debt, which delays the next such request.
//!
//! A budget starts full, unless the network of the client has drawn more than the rates of its connections allow: a client
//! that connects again and again then draws little more than these rates.

use noughts_protocol::rate_limit::Gcra;

/// Smallest capacity: the longest list, and the room that the client chooses from it.
const CAPACITY_MIN_BYTES: u64 = 64 * 1024;

/// Bytes of a budget that does not start full: a typical view of a room.
const REDUCED_BYTES: u64 = 8 * 1024;

/// Number of seconds in which an empty budget refills, unless it has the smallest capacity.
const CAPACITY_SECONDS: u64 = 20;

/// Time after which a response must have been sent, in milliseconds. Its estimate is then no longer reserved.
const RESERVATION_MS: u64 = 1000;

/// Ticks per byte. A millisecond has as many ticks as a second allows bytes, so that every rate is exact.
const TICKS_PER_BYTE: u64 = 1000;

/// The bytes that a connection may still draw.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ReplyBudget {
    bytes_per_second: u64,
    /// Time of the creation, in milliseconds.
    created_at: u64,
    /// Time at which the whole budget is available again, in ticks since the creation; see [`Gcra`].
    full_at: u64,
    /// Estimates of the requests whose responses may not have been charged.
    reserved_bytes: u64,
    /// Time at which `reserved_bytes` become available again, in milliseconds.
    reserved_until: u64,
}

impl ReplyBudget {
    /// Creates a full budget, or one with [`REDUCED_BYTES`].
    pub(crate) fn new(bytes_per_second: u32, is_full: bool, now: u64) -> ReplyBudget {
        let mut budget = ReplyBudget {
            bytes_per_second: u64::from(bytes_per_second.max(1)),
            created_at: now,
            full_at: 0,
            reserved_bytes: 0,
            reserved_until: 0,
        };
        if !is_full {
            budget.charge(budget.capacity_bytes() - REDUCED_BYTES, now);
        }
        budget
    }

    /// Charges responses that were sent before `now`.
    pub(crate) fn charge(&mut self, bytes: u64, now: u64) {
        self.full_at = self.limit().charge(self.full_at, bytes, self.ticks(now));
    }

    /// Reserves an estimate for a response, at most the whole budget.
    ///
    /// # Errors
    /// The time until the budget suffices, in milliseconds. Nothing is reserved.
    pub(crate) fn try_reserve(&mut self, estimated_bytes: u64, now: u64) -> Result<(), u64> {
        if now >= self.reserved_until {
            self.reserved_bytes = 0;
        }
        let estimated_bytes = estimated_bytes.min(self.capacity_bytes());
        let needed = self.reserved_bytes + estimated_bytes;
        if needed > self.capacity_bytes() {
            return Err(self.reserved_until - now);
        }
        let wait = self.limit().wait(self.full_at, needed, self.ticks(now));
        if wait > 0 {
            return Err(wait.div_ceil(self.bytes_per_second));
        }
        self.reserved_bytes += estimated_bytes;
        self.reserved_until = now.saturating_add(RESERVATION_MS);
        Ok(())
    }

    fn capacity_bytes(&self) -> u64 {
        CAPACITY_MIN_BYTES.max(self.bytes_per_second * CAPACITY_SECONDS)
    }

    fn limit(&self) -> Gcra {
        Gcra::new(TICKS_PER_BYTE, TICKS_PER_BYTE * self.capacity_bytes())
    }

    fn ticks(&self, now: u64) -> u64 {
        now.saturating_sub(self.created_at)
            .saturating_mul(self.bytes_per_second)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RATE: u32 = 3072;

    #[test]
    fn a_budget_allows_a_burst_and_then_its_rate() {
        let mut budget = ReplyBudget::new(RATE, true, 1_000);
        let (mut now, mut drawn) = (1_000, 0);
        while now < 61_000 {
            match budget.try_reserve(4096, now) {
                Ok(()) => {
                    budget.charge(9_000, now);
                    drawn += 9_000;
                    now += RESERVATION_MS;
                }
                Err(wait) => {
                    assert!(budget.try_reserve(4096, now + wait - 1).is_err());
                    now += wait;
                }
            }
        }
        let expected = CAPACITY_MIN_BYTES + 60 * u64::from(RATE);
        assert!(
            (expected - 10_000..=expected + 10_000).contains(&drawn),
            "{drawn} of {expected}"
        );
    }

    #[test]
    fn a_reduced_budget_allows_one_view_and_then_its_rate() {
        let mut budget = ReplyBudget::new(RATE, false, 5);
        assert_eq!(budget.try_reserve(4096, 5), Ok(()));
        budget.charge(REDUCED_BYTES, 5);
        let now = 5 + RESERVATION_MS;
        let wait = (4096_u64 * 1000).div_ceil(RATE.into()) - RESERVATION_MS;
        assert_eq!(budget.try_reserve(4096, now), Err(wait));
        assert_eq!(budget.try_reserve(4096, now + wait), Ok(()));
    }

    #[test]
    fn requests_sent_at_once_share_the_budget() {
        let mut budget = ReplyBudget::new(RATE, true, 0);
        let allowed = (0..100)
            .filter(|_| budget.try_reserve(4096, 5).is_ok())
            .count();
        assert_eq!(allowed, 16);
        // Short responses release the rest of their reservations.
        budget.charge(1_600, 5);
        assert!(budget.try_reserve(4096, 5).is_err());
        assert_eq!(budget.try_reserve(4096, 5 + RESERVATION_MS), Ok(()));
    }

    #[test]
    fn an_estimate_above_the_capacity_needs_the_whole_budget() {
        let mut budget = ReplyBudget::new(RATE, true, 0);
        assert_eq!(budget.try_reserve(1 << 20, 0), Ok(()));
        budget.charge(4096, 0);
        assert_eq!(
            budget.try_reserve(1 << 20, RESERVATION_MS - 1),
            Err(1),
            "the first may not have been charged"
        );
        assert_eq!(budget.try_reserve(1 << 20, RESERVATION_MS), Err(334));
        assert_eq!(budget.try_reserve(1 << 20, RESERVATION_MS + 334), Ok(()));
    }
}
