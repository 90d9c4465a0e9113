//! Which time counts in a room. A request is judged as of its arrival. What it takes to record an event
//! counts for nobody, nor does a time in which nothing can be recorded: a clock runs on from the moment
//! at which everyone can know the board. What was credited is in no event of its own, but in the time
//! left that the next event records: a replay gives the same.

use tokio::time::Instant;

use super::{RETRY, RoomTask, Truth};
use crate::lived::UNNOTED;

impl RoomTask {
    /// The time in the room.
    pub(super) fn now(&self) -> u64 {
        self.stood_still().unwrap_or_else(|| self.time.now()).max(self.recorded)
    }

    /// As of when a request is judged that arrived at `at` on the server's scale.
    pub(super) fn judged(&self, at: u64) -> u64 {
        self.stood_still().unwrap_or_else(|| self.time.shifted(at)).max(self.recorded)
    }

    /// Since when time has stood still, if it does.
    pub(super) fn stood_still(&self) -> Option<u64> {
        self.unrecorded.as_ref().map(|(since, _)| *since)
    }

    /// Nothing can be recorded since `at`, or since before that.
    pub(super) fn stand_still(&mut self, at: u64) {
        if self.unrecorded.is_none() {
            let last = self.time.now().saturating_sub(at);
            self.unrecorded = Some((at, self.around.pulse.pause(last)));
        }
    }

    /// Whether time goes on again after it stood still, for this room or for the whole server. Whose command it is has
    /// read the time as that came, which spares a move another reading.
    pub(super) fn look_at_time(&mut self, rested: bool, is_command: bool) {
        if let Some(since) = self.stood_still().filter(|_| rested && self.truth == Truth::Known) {
            if self.around.log.healthy() {
                self.went_on(since);
            } else {
                self.retry = Some(Instant::now() + RETRY);
            }
        }
        let lost = if is_command { self.time.known_lost() } else { self.time.lost() };
        if std::mem::replace(&mut self.lost, lost) != lost {
            self.tell_time();
        }
    }

    /// What was begun at `began` is recorded, or could be: nobody pays for the time since.
    pub(super) fn went_on(&mut self, began: u64) {
        let now = self.time.now();
        let spent = now.saturating_sub(began);
        let paused = self.unrecorded.take().is_some();
        self.recorded = self.recorded.max(now);
        self.room.credit(spent);
        if spent >= UNNOTED {
            // People would see it on the clocks before the next event shows it.
            self.tell_time();
            if !paused {
                self.around.pulse.leave_out(spent, 0);
            }
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
