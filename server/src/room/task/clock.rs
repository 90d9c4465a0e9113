//! Which time counts in a room. A request is judged as of its arrival. What it takes to record an event
//! counts for nobody, nor does a time in which nothing can be recorded: a clock runs on from the moment
//! at which everyone can know the board. What was credited is in no event of its own, but in the time
//! left that the next event records: a replay gives the same.

use tokio::time::Instant;

use super::{LogSync, RETRY_DELAY, RoomTask};
use crate::time::uptime::ASSUMED_APPEND_MS;

impl RoomTask {
    /// The time in the room.
    pub(super) fn now(&self) -> u64 {
        self.stopped_since().unwrap_or_else(|| self.time.now()).max(self.recorded_until)
    }

    /// As of when a request is judged that arrived at `at` on the server's scale.
    pub(super) fn judged_at(&self, at: u64) -> u64 {
        self.stopped_since().unwrap_or_else(|| self.time.to_local(at)).max(self.recorded_until)
    }

    /// Since when time has stood still, if it does.
    pub(super) fn stopped_since(&self) -> Option<u64> {
        self.append_failing_since.as_ref().map(|(since, _)| *since)
    }

    /// Nothing can be recorded since `at`, or since before that.
    pub(super) fn stop_at(&mut self, at: u64) {
        if self.append_failing_since.is_none() {
            let last = self.time.now().saturating_sub(at);
            self.append_failing_since = Some((at, self.ctx.heartbeat.exclude_while_held(last)));
        }
    }

    /// Whether time goes on again after it stood still, for this room or for the whole server. Whose command it is has
    /// read the time as that came, which spares a move another reading.
    pub(super) fn resume_if_possible(&mut self, may_retry: bool, is_command: bool) {
        if let Some(since) = self.stopped_since().filter(|_| may_retry && self.log_sync == LogSync::InSync) {
            if self.ctx.event_log.is_healthy() {
                self.exclude_since(since);
            } else {
                self.retry_at = Some(Instant::now() + RETRY_DELAY);
            }
        }
        let known_gaps =
            if is_command { self.time.suspended_total_cached() } else { self.time.suspended_total() };
        if std::mem::replace(&mut self.known_gaps, known_gaps) != known_gaps {
            self.broadcast_clocks();
        }
    }

    /// What was begun at `began` is recorded, or could be: nobody pays for the time since.
    pub(super) fn exclude_since(&mut self, started_at: u64) {
        let now = self.time.now();
        let spent = now.saturating_sub(started_at);
        let was_stopped = self.append_failing_since.take().is_some();
        self.recorded_until = self.recorded_until.max(now);
        self.room.credit_time(spent);
        if spent >= ASSUMED_APPEND_MS {
            // People would see it on the clocks before the next event shows it.
            self.broadcast_clocks();
            if !was_stopped {
                self.ctx.heartbeat.exclude(spent, 0);
            }
        }
    }

    /// What everyone sees on a running clock is not what the server has: the whole view says so.
    fn broadcast_clocks(&mut self) {
        if self.room.game().clock().is_none_or(|clock| clock.running().is_none()) {
            return;
        }
        self.replayable_from = self.room.game().seq().next();
        for member in self.members.member_ids() {
            self.send_snapshot_to(member);
        }
    }
}
