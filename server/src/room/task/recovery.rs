//! Recovery of a room: reading what an unconfirmed append stored, and rebuilding the room from the log after a
//! panic or a contradiction.

use std::sync::Arc;

use noughts_protocol::RequestRef;
use noughts_protocol::wire::{CloseCode, Message, RejectCode};
use tokio::time::Instant;
use tracing::{error, warn};

use super::RoomTask;
use super::store::{LogSync, UnconfirmedRequest, with_timeout};
use super::tail::EventTail;
use crate::room::handle::RoomRequest;
use crate::room::members::Role;
use crate::room::{Decision, Room};
use crate::send_queue::Outgoing;
use crate::store::LogError;

impl RoomTask {
    /// Applies the events that the log has and the room does not, after an append with an unknown result.
    pub(super) async fn reconcile(&mut self) {
        let load = self
            .ctx
            .event_log
            .events_since(self.secrets.room, self.room.game().seq());
        let events = match with_timeout(self.ctx.limits.append_timeout, load).await {
            Ok(events) => events,
            Err(error) => return self.on_unreadable_log(&error),
        };
        self.store.mark_in_sync();
        let command = self.store.unconfirmed_command();
        let done = command
            .is_some_and(|command| events.iter().any(|event| event.request == Some(command)));
        if !events.is_empty() {
            self.apply_and_broadcast(events);
            self.checkpoint_if_due().await;
        }
        if let Some(stopped_since) = self.clock.stopped_since() {
            self.credit_since(stopped_since);
        }
        self.resolve_unconfirmed(done);
    }

    /// Replaces the room by the one that the log contains.
    pub(super) async fn rebuild(&mut self) {
        let load = self.ctx.event_log.load(self.secrets.room);
        let stored = match with_timeout(self.ctx.limits.append_timeout, load).await {
            Ok(stored) => stored,
            Err(error) => return self.on_unreadable_log(&error),
        };
        let limits = Arc::clone(&self.ctx.limits);
        match Room::replay(&stored, limits, self.clock.server_now()) {
            Ok(room) => {
                self.room = room;
                self.tail = EventTail::from_log(
                    stored.events,
                    self.ctx.limits.resume_buffer,
                    self.room.game(),
                );
                self.clock.restart();
                self.store.mark_in_sync();
                self.open_seat = None;
                self.count_game();
                self.publish_listing();
                // The sender of an unconfirmed command was disconnected.
                self.resolve_unconfirmed(false);
            }
            Err(error) => self.on_lost(&error),
        }
    }

    /// Sends the snapshots that members waited for, and answers the unconfirmed request. `done`: the log has
    /// the events of the unconfirmed command.
    fn resolve_unconfirmed(&mut self, done: bool) {
        self.sweep_members();
        match self.store.take_unconfirmed() {
            None => {}
            Some(UnconfirmedRequest::Join(joiner, seat))
                if self.room.game().player(seat) == Some(&joiner.player) =>
            {
                self.set_seat_party(seat, joiner.party);
                self.admit_with_snapshot(joiner, Role::Player(seat));
            }
            Some(UnconfirmedRequest::Join(joiner, seat)) => {
                self.reserve_seat_for(seat, None);
                self.reject_joiner(&joiner, RejectCode::Unavailable.into());
            }
            // Its event answered it.
            Some(UnconfirmedRequest::Command(..)) if done => {}
            Some(UnconfirmedRequest::Command(member, by)) => {
                self.reject_member(member, by.id, RejectCode::Unavailable);
            }
        }
    }

    /// Answers a repeated command while new commands are rejected because of the log, and returns whether it did.
    /// `unavailable` would promise that nothing changed, although the command may have been executed; a
    /// repetition of the unconfirmed command is answered when its result is known.
    pub(super) fn try_answer_duplicate(&mut self, request: &RoomRequest) -> bool {
        let &RoomRequest::Command {
            member,
            id,
            command,
            ..
        } = request
        else {
            return false;
        };
        if !matches!(self.store.sync(), LogSync::InSync | LogSync::Unconfirmed) {
            return false;
        }
        let Some(sender) = self.members.get(member) else {
            return false;
        };
        let Role::Player(seat) = sender.role() else {
            return false;
        };
        if let Ok(Decision::Duplicate(seq)) = self.room.decide(self.clock.now(), seat, id, command)
        {
            sender
                .send_queue()
                .send_reply(Outgoing::message(&Message::Done {
                    re: id,
                    seq: Some(seq),
                }));
            return true;
        }
        self.store
            .redirect_unconfirmed(RequestRef { seat, id }, member)
    }

    /// Closes all connections after a panic in the task, whose state may be inconsistent. Clients resume when
    /// the room is rebuilt.
    pub(super) fn on_panic(&mut self) {
        error!(room = %self.secrets.room, "room task panicked; rebuilding the room from the log");
        self.ctx.metrics.room_panics.add(1);
        self.clock.stop_at(self.clock.now());
        self.members.close_all(CloseCode::Internal);
        // The sender of the current request may not be a member yet.
        if let Some(send_queue) = self.current_joiner.take() {
            send_queue.close_with(CloseCode::Internal);
        }
        self.store.on_panic(Instant::now());
    }

    fn on_unreadable_log(&mut self, error: &LogError) {
        match error {
            LogError::Unavailable(_) | LogError::Unknown => {
                warn!(room = %self.secrets.room, %error, "cannot read room log");
            }
            LogError::Conflict { .. } => {
                // The log contradicts what the members have seen: they resume when the room is rebuilt.
                self.members.close_all(CloseCode::Internal);
                error!(room = %self.secrets.room, %error, "room log is ahead; rebuilding the room from the log");
            }
            LogError::Corrupt(_) => return self.on_lost(error),
        }
        self.store.on_read_error(error, Instant::now());
    }

    /// Ends the room because the log contains no valid history of it, and never will. The log keeps the
    /// history for the operator; the next start reports it.
    fn on_lost(&mut self, error: &dyn std::error::Error) {
        error!(room = %self.secrets.room, %error, "room log is corrupt; room closed");
        self.ctx.metrics.rooms_lost.add(1);
        self.store.mark_lost();
    }
}
