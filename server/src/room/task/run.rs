//! The life of a room's task: what wakes it, one thing at a time, and its end.

use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::task::Poll;

use futures::FutureExt;
use noughts_protocol::Phase;
use noughts_protocol::wire::{CloseCode, RejectCode};
use tokio::time::Instant;
use tracing::{info, warn};

use super::store::with_timeout;
use super::{LogSync, RoomTask, UnconfirmedRequest};
use crate::room::handle::{InboxEvent, RoomInbox, RoomRequest};
use crate::sync::stop_or_deadline::StopOrDeadline;

/// What has woken a room.
enum WakeReason {
    Stop,
    Inbox(InboxEvent),
    Deadline,
}

impl RoomTask {
    /// Something to do before anybody asks; a bug in it is one like any other.
    pub(super) fn run_catching_panic(&mut self, first: impl FnOnce(&mut RoomTask)) {
        if catch_unwind(AssertUnwindSafe(|| first(self))).is_err() {
            self.on_panic();
        }
    }

    /// On the heap, here and below: a future that takes its actor by value holds it twice. And what a future keeps
    /// across its waits lies with the room, out of the cache, as long as the room lives; what is on the heap for the
    /// time of one step lies where that of the last room lay.
    pub(super) async fn run(mut self: Box<Self>, mut inbox: RoomInbox) {
        let mut stop_or_deadline = StopOrDeadline::new(&self.stop, Instant::now());
        while self.room.game().phase() != Phase::Closed && self.log_sync != LogSync::Lost {
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
                WakeReason::Stop => return Box::pin(self.drain_and_close(inbox)).await,
                WakeReason::Inbox(event) => Box::pin(self.handle_event(Some(event))),
                WakeReason::Deadline => Box::pin(self.handle_event(None)),
            };
            handling.await;
        }
        // Nobody who has asked is left without an answer, nor in a room that is no more.
        for request in inbox.close() {
            self.reject_request(request, RejectCode::UnknownRoom);
        }
        match self.unconfirmed.take().map(|unconfirmed| *unconfirmed) {
            None => {}
            Some(UnconfirmedRequest::Join(joiner, _)) => {
                self.reject_joiner(&joiner, RejectCode::UnknownRoom.into())
            }
            Some(UnconfirmedRequest::Command(member, by)) => {
                self.reject_member(member, by.id, RejectCode::NotInRoom)
            }
        }
        if self.log_sync == LogSync::Lost {
            return self.members.close_all(CloseCode::Internal);
        }
        self.members.remove_all();
        if let Some(closing) = self.room.game().close_reason() {
            info!(room = %self.secrets.room, ?closing, "room closed");
            Box::pin(self.delete_from_log()).await;
        }
    }

    /// Nobody will ask the log for the room again.
    async fn delete_from_log(&self) {
        let delete = self.ctx.event_log.delete(self.secrets.room);
        if let Err(failed) = with_timeout(self.ctx.append_timeout, delete).await {
            // The next start finds it closed, and retires it then.
            warn!(room = %self.secrets.room, error = %failed, "a closed room stays in the log");
        }
    }

    /// Deals with one thing. A bug in one room must not take the others along, nor this one for good.
    fn handle_event(&mut self, event: Option<InboxEvent>) -> impl Future<Output = ()> {
        let (request, sweep) = match event {
            Some(InboxEvent::Request(request)) => (Some(request), false),
            Some(InboxEvent::Sweep) => (None, true),
            None => (None, false),
        };
        self.current_joiner =
            request.as_ref().and_then(RoomRequest::joiner).map(|joiner| joiner.send_queue.clone());
        async move {
            // Awaited where it is made: given a name, it would be held twice.
            let result = AssertUnwindSafe(async {
                self.process(request).await;
                if sweep {
                    self.sweep_members();
                }
                self.broadcast_spectator_count();
            })
            .catch_unwind()
            .await;
            if result.is_err() {
                self.on_panic();
            }
            self.current_joiner = None;
        }
    }

    /// The server stops. What was asked by now is done all the same: whoever asked finds it done when it is
    /// back, as it was told.
    async fn drain_and_close(mut self: Box<Self>, inbox: RoomInbox) {
        for request in inbox.close() {
            self.handle_event(Some(InboxEvent::Request(request))).await;
        }
    }

    /// When to wake without being asked.
    fn deadline(&self) -> Option<Instant> {
        // A server that stops ends no games: those who would act in time are being sent away.
        let due = self.room.poll_timeout().filter(|_| !self.ctx.draining.is_cancelled());
        let due = due.map(|at| self.time.instant_at(at));
        let due = match (self.log_sync, self.retry_at) {
            (LogSync::InSync, None) => due,
            // Until the log can be written again, no time passes.
            (LogSync::InSync, Some(retry)) if self.append_failing_since.is_some() => Some(retry),
            (LogSync::InSync, Some(retry)) => due.map(|due| due.max(retry)),
            (LogSync::Unconfirmed | LogSync::NeedsReload | LogSync::Lost, retry) => {
                Some(retry.unwrap_or_else(Instant::now))
            }
        };
        [due, self.spectator_count.send_at()].into_iter().flatten().min()
    }
}
