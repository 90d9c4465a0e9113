//! Spectators whose budget was exhausted: each is sent the view of the room as soon as its budget allows it.

use std::time::Duration;

use noughts_protocol::Seat;
use tokio::time::Instant;

use super::RoomTask;
use super::store::LogSync;
use crate::room::members::Role;
use crate::send_queue::EncodedFrame;

/// Limits of the time between two attempts.
const RETRY_DELAY_MIN: Duration = Duration::from_millis(100);
const RETRY_DELAY_MAX: Duration = Duration::from_secs(5);

impl RoomTask {
    /// Catches up the thinned spectators whose budgets allow it, and schedules the next attempt for the others.
    pub(super) fn catch_up_thinned_spectators(&mut self) {
        if !self.members.has_thinned() {
            return;
        }
        if self.thinned_retry_at.is_some_and(|at| Instant::now() < at) {
            return;
        }
        let now = self.ctx.time.now();
        // Until recovery the room may differ from its log.
        let is_known = self.store.sync() == LogSync::InSync;
        if is_known && self.members.thinned_wait_ms(now) == Some(0) {
            let view = self.spectator_view();
            let count = self.members.catch_up_thinned(&view, now);
            self.ctx.metrics.thinned_snapshots.add(count);
        }
        let wait_ms = self.members.thinned_wait_ms(now);
        let delay =
            |wait_ms| Duration::from_millis(wait_ms).clamp(RETRY_DELAY_MIN, RETRY_DELAY_MAX);
        self.thinned_retry_at = wait_ms.map(|wait_ms| Instant::now() + delay(wait_ms));
    }

    /// All that a spectator shows: a snapshot, and the notices that no snapshot contains.
    fn spectator_view(&self) -> Vec<EncodedFrame> {
        let taken = Seat::ALL
            .into_iter()
            .filter(|seat| self.room.game().player(*seat).is_some());
        let presence = taken.map(|seat| self.notice_frame(self.presence_notice(seat)));
        let count = self.notice_frame(self.spectator_count_notice());
        [self.snapshot_frame(None, Role::Spectator)]
            .into_iter()
            .chain(presence)
            .chain([count])
            .collect()
    }
}
