//! Rate limits of each seat of a room: takeovers by newer connections, remarks of the player's engine, offers, phrases.
//! Pure: the time is an argument.

use noughts_protocol::Seat;
use noughts_protocol::rate_limit::Gcra;

use crate::config::ServerLimits;
use crate::limits::rate_limit::{RateLimit, RateLimitDecision};

const REMARK_BURST: u32 = 10;
const REMARKS_PER_SECOND: u32 = 2;
const TAKEOVERS_PER_SECOND: u32 = 1;

/// Time in which a player may make one more offer, in milliseconds.
const OFFER_INTERVAL_MS: u64 = 5000;

/// Time in which a player may say one more phrase, in milliseconds.
const PHRASE_INTERVAL_MS: u64 = 4000;

/// Number of phrases that may follow each other without delay.
const PHRASE_BURST: u64 = 3;

/// Delay for a client that ignores the delays that it was sent.
const FLOOD_DELAY_MS: u64 = 1000;

/// Rate limits of both seats. Allocated on first use: most rooms never need them.
#[derive(Debug)]
pub(super) struct SeatRateLimits {
    takeover_burst: u32,
    offer_burst: u32,
    limits: Option<Box<Limits>>,
}

/// By seat.
#[derive(Debug)]
struct Limits {
    takeovers: [RateLimit; 2],
    remarks: [RateLimit; 2],
    /// See [`Gcra`].
    offers_full_at: [u64; 2],
    phrases_full_at: [u64; 2],
}

impl SeatRateLimits {
    pub(super) fn new(limits: &ServerLimits) -> SeatRateLimits {
        SeatRateLimits {
            takeover_burst: limits.takeovers,
            offer_burst: limits.offer_burst,
            limits: None,
        }
    }

    /// Charges an offer of the player of `seat`. Offers that are made and withdrawn without end would make the room send
    /// events to all of its spectators.
    ///
    /// # Errors
    /// The milliseconds to wait if the limit is exceeded.
    pub(super) fn try_offer(&mut self, seat: Seat, now: u64) -> Result<(), u64> {
        let limit = Gcra::new(
            OFFER_INTERVAL_MS,
            OFFER_INTERVAL_MS * u64::from(self.offer_burst.max(1)),
        );
        try_charge(
            limit,
            &mut self.limits_mut(now).offers_full_at[seat.index()],
            now,
        )
    }

    /// Charges a phrase of the player in `seat`.
    ///
    /// # Errors
    /// The milliseconds to wait if the limit is exceeded.
    pub(super) fn try_say(&mut self, seat: Seat, now: u64) -> Result<(), u64> {
        let limit = Gcra::new(PHRASE_INTERVAL_MS, PHRASE_INTERVAL_MS * PHRASE_BURST);
        try_charge(
            limit,
            &mut self.limits_mut(now).phrases_full_at[seat.index()],
            now,
        )
    }

    /// Allows both players the whole burst of offers again, in a new game.
    pub(super) fn reset_offers(&mut self) {
        if let Some(limits) = &mut self.limits {
            limits.offers_full_at = [0; 2];
        }
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
                offers_full_at: [0; 2],
                phrases_full_at: [0; 2],
            })
        })
    }
}

fn try_charge(limit: Gcra, full_at: &mut u64, now: u64) -> Result<(), u64> {
    match limit.wait(*full_at, 1, now) {
        0 => {
            *full_at = limit.charge(*full_at, 1, now);
            Ok(())
        }
        wait_ms => Err(wait_ms),
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
        let mut limits = SeatRateLimits::new(&ServerLimits {
            takeovers: 2,
            offer_burst: 3,
            ..ServerLimits::default()
        });
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
        for _ in 0..3 {
            assert_eq!(limits.try_offer(Seat::O, 1000), Ok(()));
        }
        assert_eq!(limits.try_offer(Seat::O, 1000), Err(OFFER_INTERVAL_MS));
        assert_eq!(limits.try_offer(Seat::X, 1000), Ok(()));
        assert_eq!(limits.try_offer(Seat::O, 1000 + OFFER_INTERVAL_MS), Ok(()));
        for _ in 0..PHRASE_BURST {
            assert_eq!(limits.try_say(Seat::X, 1000), Ok(()));
        }
        assert_eq!(limits.try_say(Seat::X, 1000), Err(PHRASE_INTERVAL_MS));
        assert_eq!(limits.try_say(Seat::O, 1000), Ok(()), "the other seat");
        limits.reset_offers();
        assert_eq!(
            limits.try_offer(Seat::O, 1000 + OFFER_INTERVAL_MS),
            Ok(()),
            "a new game"
        );
    }
}
