//! Which time counts in a room. A request is judged as of its arrival. What it takes to record an event
//! counts for nobody, nor does a time in which nothing can be recorded: a clock runs on from the moment
//! at which everyone can know the board. What was credited is in no event of its own, but in the time
//! left that the next event records: a replay gives the same.

use std::time::Duration;

use tokio::time::Instant;

use super::{RETRY, RoomTask, Truth};

/// A credit that people would see on the clocks before the next event shows it.
const NOTICEABLE: Duration = Duration::from_millis(500);

impl RoomTask {
    /// The time in the room.
    pub(super) fn now(&self) -> u64 {
        self.unrecorded.unwrap_or_else(|| self.around.time.now()).max(self.recorded)
    }

    /// As of when a request is judged that arrived at `at` on the server's scale.
    pub(super) fn judged(&self, at: u64) -> u64 {
        self.unrecorded.unwrap_or_else(|| self.around.time.shifted(at)).max(self.recorded)
    }

    /// Whether time goes on again after it stood still, for this room or for the whole server.
    pub(super) fn look_at_time(&mut self, rested: bool) {
        if let Some(since) = self.unrecorded.filter(|_| rested && self.truth == Truth::Known) {
            if self.around.log.healthy() {
                self.went_on(since);
            } else {
                self.retry = Some(Instant::now() + RETRY);
            }
        }
        let lost = self.around.time.lost();
        if std::mem::replace(&mut self.lost, lost) != lost {
            self.tell_time();
        }
    }

    /// What was begun at `began` is recorded, or could be: nobody pays for the time since.
    pub(super) fn went_on(&mut self, began: u64) {
        let now = self.around.time.now();
        let spent = now.saturating_sub(began);
        self.unrecorded = None;
        self.recorded = self.recorded.max(now);
        self.room.credit(spent);
        if u128::from(spent) >= NOTICEABLE.as_millis() {
            self.tell_time();
        }
    }

    /// What everyone sees on a running clock is not what the server has: the whole view says so.
    fn tell_time(&mut self) {
        if self.room.game().clock().is_none_or(|clock| clock.running().is_none()) {
            return;
        }
        self.told_from = self.room.game().seq().next();
        for member in self.audience.everyone() {
            self.refresh(member);
        }
    }
}
