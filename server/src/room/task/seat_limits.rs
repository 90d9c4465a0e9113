//! Rate limits of each seat of a room: takeovers by newer connections, and remarks of the player's engine.
//! Pure: the time is an argument.

use noughts_protocol::Seat;

use crate::limits::rate_limit::{RateLimit, RateLimitDecision};

const REMARK_BURST: u32 = 10;
const REMARKS_PER_SECOND: u32 = 2;
const TAKEOVERS_PER_SECOND: u32 = 1;

/// Delay for a client that ignores the delays that it was sent.
const FLOOD_DELAY_MS: u64 = 1000;

/// Rate limits of both seats. Allocated on first use: most rooms never need them.
#[derive(Debug)]
pub(super) struct SeatRateLimits {
    takeover_burst: u32,
    limits: Option<Box<Limits>>,
}

/// By seat.
#[derive(Debug)]
struct Limits {
    takeovers: [RateLimit; 2],
    remarks: [RateLimit; 2],
}

impl SeatRateLimits {
    pub(super) fn new(takeover_burst: u32) -> SeatRateLimits {
        SeatRateLimits { takeover_burst, limits: None }
    }

    /// Charges a takeover of `seat`. Two programs that take the seat from each other would otherwise keep
    /// the room busy.
    ///
    /// # Errors
    /// The milliseconds to wait if the limit is exceeded.
    pub(super) fn try_take_over(&mut self, seat: Seat, now: u64) -> Result<(), u64> {
        check(self.limits_mut(now).takeovers[seat.index()].try_take(now))
    }

    /// Charges a remark of the player in `seat`.
    ///
    /// # Errors
    /// The milliseconds to wait if the limit is exceeded.
    pub(super) fn try_remark(&mut self, seat: Seat, now: u64) -> Result<(), u64> {
        check(self.limits_mut(now).remarks[seat.index()].try_take(now))
    }

    fn limits_mut(&mut self, now: u64) -> &mut Limits {
        let takeover_burst = self.takeover_burst;
        self.limits.get_or_insert_with(|| {
            Box::new(Limits {
                takeovers: [RateLimit::new(takeover_burst, TAKEOVERS_PER_SECOND, now); 2],
                remarks: [RateLimit::new(REMARK_BURST, REMARKS_PER_SECOND, now); 2],
            })
        })
    }
}

fn check(decision: RateLimitDecision) -> Result<(), u64> {
    match decision {
        RateLimitDecision::Allow => Ok(()),
        RateLimitDecision::Reject { wait_ms } => Err(wait_ms),
        // The rate limit of the connection closes it.
        RateLimitDecision::Flood => Err(FLOOD_DELAY_MS),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limits_of_a_seat_are_independent() {
        let mut limits = SeatRateLimits::new(2);
        for _ in 0..2 {
            assert_eq!(limits.try_take_over(Seat::X, 0), Ok(()));
        }
        assert_eq!(limits.try_take_over(Seat::X, 0), Err(1000));
        assert_eq!(limits.try_take_over(Seat::O, 0), Ok(()), "the other seat");
        for _ in 0..REMARK_BURST {
            assert_eq!(limits.try_remark(Seat::X, 0), Ok(()));
        }
        assert_eq!(limits.try_remark(Seat::X, 0), Err(500));
        assert_eq!(limits.try_take_over(Seat::X, 1000), Ok(()));
    }
}
