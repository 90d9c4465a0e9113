//! The event loop of a room task, and its end.

use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::task::Poll;

use futures::FutureExt;
use noughts_protocol::Phase;
use noughts_protocol::wire::{CloseCode, RejectCode};
use tokio::time::Instant;
use tracing::{debug, warn};

use super::RoomTask;
use super::store::{LogSync, UnconfirmedRequest, with_timeout};
use crate::room::handle::{InboxEvent, RoomInbox, RoomRequest};
use crate::runtime::sync::stop_or_deadline::StopOrDeadline;
use crate::send_queue::Outgoing;

/// Time after which the members of a room that moves to another server should return, in milliseconds; at most twice as
/// much, at random. Longer than a move usually takes.
const MOVE_RETRY_MS: u64 = 200;

/// Reason for which the task of a room has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RoomEnd {
    /// The room has closed, another server continues it, or the server stops.
    Regular,
    /// The log contains no valid history of the room, which is not closed.
    Lost,
}

enum WakeReason {
    Stop,
    Inbox(InboxEvent),
    Deadline,
}

impl RoomTask {
    /// Runs `first` before the first request. A panic in it is handled like any other.
    pub(super) fn run_catching_panic(&mut self, first: impl FnOnce(&mut RoomTask)) {
        if catch_unwind(AssertUnwindSafe(|| first(self))).is_err() {
            self.on_panic();
        }
    }

    /// Handles events until the room closes or is lost, or the server stops.
    ///
    /// The task is boxed because a future that takes a value stores it twice. The futures of single steps are
    /// boxed, too: their memory is shared by all rooms through the allocator, stays in the cache, and does not
    /// add to the size of each room.
    pub(super) async fn run(mut self: Box<Self>, mut inbox: RoomInbox) -> RoomEnd {
        let mut stop_or_deadline = StopOrDeadline::new(&self.stop, Instant::now());
        while self.room.game().phase() != Phase::Closed && self.store.sync() != LogSync::Lost {
            let deadline = self.deadline();
            if let Some(deadline) = deadline {
                stop_or_deadline.set_deadline_if_earlier(deadline);
            }
            let wake_reason = poll_fn(|context| {
                if stop_or_deadline.poll_stop(context).is_ready() {
                    return Poll::Ready(WakeReason::Stop);
                }
                match inbox.poll_next(context) {
                    Poll::Ready(event) => Poll::Ready(WakeReason::Inbox(event)),
                    Poll::Pending if stop_or_deadline.take_fired() && deadline.is_some() => {
                        Poll::Ready(WakeReason::Deadline)
                    }
                    Poll::Pending => Poll::Pending,
                }
            });
            let handling = match wake_reason.await {
                WakeReason::Stop => {
                    Box::pin(self.drain_and_close(inbox)).await;
                    return RoomEnd::Regular;
                }
                WakeReason::Inbox(event) => Box::pin(self.handle_event(Some(event))),
                WakeReason::Deadline => Box::pin(self.handle_event(None)),
            };
            handling.await;
        }
        let is_lost = self.store.sync() == LogSync::Lost;
        let code = if is_lost {
            self.ctx.ended_room_code()
        } else {
            RejectCode::UnknownRoom
        };
        // Every request is answered, and every member learns that it is in no room.
        for request in inbox.close(code) {
            self.reject_request(request, code);
        }
        match self.store.take_unconfirmed() {
            None => {}
            // `unavailable` would promise that nothing changed, but the seat may be taken.
            Some(UnconfirmedRequest::Join(joiner, _)) if is_lost => {
                joiner.send_queue.close_with(CloseCode::Internal);
            }
            Some(UnconfirmedRequest::Join(joiner, _)) => {
                self.reject_joiner(&joiner, RejectCode::UnknownRoom.into());
            }
            Some(UnconfirmedRequest::Command(member, by)) => {
                self.reject_member(member, by.id, RejectCode::NotInRoom);
            }
        }
        if is_lost {
            self.members.close_all(CloseCode::Internal);
            return RoomEnd::Lost;
        }
        // The event that closed the room was not sent to them.
        for member in self.members.members_with_gaps() {
            if let Some(member) = self.members.get(member) {
                member
                    .send_queue()
                    .send_reply(self.snapshot_message(None, member.role()));
            }
        }
        self.members.remove_all();
        if let Some(closing) = self.room.game().close_reason() {
            debug!(room = %self.secrets.room, ?closing, "room closed");
            Box::pin(self.delete_from_log()).await;
        }
        RoomEnd::Regular
    }

    async fn delete_from_log(&self) {
        let delete = self.ctx.event_log.delete(self.secrets.room);
        if let Err(error) = with_timeout(self.ctx.limits.append_timeout, delete).await {
            // The next start deletes closed rooms.
            warn!(room = %self.secrets.room, %error, "cannot delete closed room from log");
        }
    }

    /// Handles one event, or a deadline if there is none. A panic affects neither other rooms nor the
    /// existence of this one, which is rebuilt from the log.
    fn handle_event(&mut self, event: Option<InboxEvent>) -> impl Future<Output = ()> {
        let (request, sweep) = match event {
            Some(InboxEvent::Request(request)) => (Some(request), false),
            Some(InboxEvent::Sweep) => (None, true),
            None => (None, false),
        };
        self.current_joiner = request
            .as_ref()
            .and_then(RoomRequest::joiner)
            .map(|joiner| joiner.send_queue.clone());
        async move {
            // Not bound to a variable: the future would store it twice.
            let result = AssertUnwindSafe(async {
                self.process(request).await;
                if sweep {
                    self.sweep_members();
                }
                self.broadcast_spectator_count();
                self.catch_up_thinned_spectators();
            })
            .catch_unwind()
            .await;
            if result.is_err() {
                self.on_panic();
            }
            self.current_joiner = None;
            self.publish_vacancy(0);
        }
    }

    /// Completes the requests in the inbox when the server stops, even if the sender has disconnected. The remaining members
    /// are those of a room that moves to another server.
    async fn drain_and_close(mut self: Box<Self>, inbox: RoomInbox) {
        for request in inbox.close(RejectCode::Unavailable) {
            self.handle_event(Some(InboxEvent::Request(request))).await;
        }
        let rng = Arc::clone(&self.ctx.rng);
        let retry_after_ms = || MOVE_RETRY_MS + (rng.random_unit() * MOVE_RETRY_MS as f64) as u64;
        if let Some(UnconfirmedRequest::Join(joiner, _)) = self.store.take_unconfirmed() {
            // Not a member yet. The seat is free or taken, as the log says.
            joiner.send_queue.send_reply(Outgoing::Restart {
                retry_after_ms: retry_after_ms(),
            });
        }
        self.members.restart_all(retry_after_ms);
    }

    /// The time at which the task has to act without a request.
    fn deadline(&self) -> Option<Instant> {
        // A stopping server ends no game: it disconnects the players that could act in time.
        let game_deadline = self
            .room
            .poll_timeout()
            .filter(|_| !self.ctx.draining.is_cancelled());
        let game_deadline = game_deadline.map(|at| self.clock.instant_at(at));
        let is_stopped = self.clock.stopped_since().is_some();
        let deadline = self.store.deadline(game_deadline, is_stopped, Instant::now);
        [
            deadline,
            self.spectator_count.send_at(),
            self.thinned_retry_at,
        ]
        .into_iter()
        .flatten()
        .min()
    }
}
