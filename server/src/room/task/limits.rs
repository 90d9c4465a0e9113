//! How often each seat may do what few do at all.

use super::RoomTask;
use crate::rate_limit::RateLimit;

/// Remarks of a seat at once, and a second in the long run.
const REMARKS: u32 = 10;
const REMARKS_A_SECOND: u32 = 2;

/// By seat.
#[derive(Debug)]
pub(super) struct Limits {
    /// Of its being taken over by a newer connection.
    pub(super) takeovers: [RateLimit; 2],
    /// Of telling the audience what its program thinks.
    pub(super) remarks: [RateLimit; 2],
}

impl RoomTask {
    /// Made when first it is asked for: most rooms never need it.
    pub(super) fn limits(&mut self) -> &mut Limits {
        let (takeovers, now) = (self.around.takeovers, self.time.now());
        self.limits.get_or_insert_with(|| {
            Box::new(Limits {
                takeovers: [RateLimit::new(takeovers, 1, now); 2],
                remarks: [RateLimit::new(REMARKS, REMARKS_A_SECOND, now); 2],
            })
        })
    }
}
