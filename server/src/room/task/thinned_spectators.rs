//! Spectators whose budget was exhausted: each is sent the view of the room as soon as its budget allows it.

use noughts_protocol::Seat;

use super::RoomTask;
use super::store::LogSync;
use crate::room::members::Role;
use crate::send_queue::EncodedFrame;

/// Limits of the time between two attempts, in milliseconds.
const RETRY_MIN_MS: u64 = 100;
const RETRY_MAX_MS: u64 = 5000;

impl RoomTask {
    /// Catches up the thinned spectators whose budgets allow it, and schedules the next attempt for the others.
    pub(super) fn catch_up_thinned_spectators(&mut self) {
        if !self.members.has_thinned() {
            return;
        }
        let now = self.ctx.time.now();
        if self.thinned_retry_at.is_some_and(|at| now < at) {
            return;
        }
        // Until then it is not known whether the room is what the log contains.
        let is_known = self.store.sync() == LogSync::InSync;
        if is_known && self.members.thinned_wait_ms(now) == Some(0) {
            let view = self.spectator_view();
            let count = self.members.catch_up_thinned(&view, now);
            self.ctx.metrics.thinned_snapshots.add(count);
        }
        let wait_ms = self.members.thinned_wait_ms(now);
        self.thinned_retry_at = wait_ms.map(|wait_ms| now + wait_ms.clamp(RETRY_MIN_MS, RETRY_MAX_MS));
    }

    /// All that a spectator shows: a snapshot, and the notices that no snapshot contains.
    fn spectator_view(&self) -> Vec<EncodedFrame> {
        let taken = Seat::ALL.into_iter().filter(|seat| self.room.game().player(*seat).is_some());
        let presence = taken.map(|seat| self.notice_frame(self.presence_notice(seat)));
        let count = self.notice_frame(self.spectator_count_notice());
        [self.snapshot_frame(None, Role::Spectator)].into_iter().chain(presence).chain([count]).collect()
    }
}
