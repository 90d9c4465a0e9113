//! How often each seat may do what few do at all.

use super::RoomTask;
use crate::limits::rate_limit::RateLimit;

/// Remarks of a seat at once, and a second in the long run.
const REMARK_BURST: u32 = 10;
const REMARKS_PER_SECOND: u32 = 2;

/// By seat.
#[derive(Debug)]
pub(super) struct SeatRateLimits {
    /// Of its being taken over by a newer connection.
    pub(super) takeovers: [RateLimit; 2],
    /// Of telling the audience what its program thinks.
    pub(super) remarks: [RateLimit; 2],
}

impl RoomTask {
    /// Made when first it is asked for: most rooms never need it.
    pub(super) fn seat_limits_mut(&mut self) -> &mut SeatRateLimits {
        let (takeover_burst, now) = (self.ctx.takeover_burst, self.time.now());
        self.seat_limits.get_or_insert_with(|| {
            Box::new(SeatRateLimits {
                takeovers: [RateLimit::new(takeover_burst, 1, now); 2],
                remarks: [RateLimit::new(REMARK_BURST, REMARKS_PER_SECOND, now); 2],
            })
        })
    }
}
