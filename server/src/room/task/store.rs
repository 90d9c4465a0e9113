//! The room and its log: events are durable before anyone learns of them.

use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use futures::future::BoxFuture;
use futures::poll;
use noughts_protocol::wire::{CloseCode, Message, Reject, RejectCode};
use noughts_protocol::{Event, EventRecord, RequestRef, Seat, Seq};
use tokio::time::{Instant, timeout};
use tracing::{debug, error, warn};

use super::{LogSync, RETRY_DELAY, RoomTask, UnconfirmedRequest, number_events};
use crate::fault_injection::InjectedFault;
use crate::room::handle::RoomRequest;
use crate::room::members::Role;
use crate::room::{Connectivity, Decision, Room};
use crate::send_queue::{EncodedFrame, Outgoing};
use crate::store::{Checkpoint, LogError};

/// What the log answers within `limit`, or that it gives no answer. Most answer far sooner, and one in memory at
/// once: a timer is made for one that does not.
pub(super) async fn with_timeout<T>(
    limit: Duration,
    mut response: BoxFuture<'_, Result<T, LogError>>,
) -> Result<T, LogError> {
    match poll!(&mut response) {
        Poll::Ready(response) => response,
        // On the heap: every step has a place for it, and a log in memory never needs it.
        Poll::Pending => Box::pin(timeout(limit, response)).await.unwrap_or(Err(LogError::Unknown)),
    }
}

impl RoomTask {
    /// Makes events that were decided as of `at` durable, applies them and tells everyone. Nothing has
    /// changed on an error.
    pub(super) async fn append_and_apply(
        &mut self,
        at: u64,
        by: Option<RequestRef>,
        events: Vec<Event>,
    ) -> Result<(), Reject> {
        let event_records = number_events(self.room.game().seq(), at, by, events);
        let mut stored = event_records.clone();
        if self.faults().has(InjectedFault::PersistFirstEventOnly) {
            stored.truncate(1);
        }
        if self.faults().has(InjectedFault::BroadcastBeforeCommit) {
            self.broadcast_events(event_records.clone());
        }
        let archives_games = self.ctx.event_log.archives_games();
        let finished = if archives_games { self.room.finished_game(&stored) } else { None };
        let append = self.ctx.event_log.append(self.secrets.room, stored, finished);
        match with_timeout(self.ctx.append_timeout, append).await {
            Ok(()) => {
                if self.faults().has(InjectedFault::BlockOnSlowClients) {
                    self.members.wait_for_queue_space().await;
                }
                self.apply_and_broadcast(event_records);
                self.exclude_since(at);
                self.checkpoint_if_due().await;
                Ok(())
            }
            Err(failed) => {
                self.ctx.metrics.append_failures.add(1);
                if self.faults().has(InjectedFault::ShowUncommitted) {
                    self.apply_and_broadcast(event_records);
                    return Ok(());
                }
                self.retry_at = Some(Instant::now() + RETRY_DELAY);
                self.stop_at(at);
                warn!(room = %self.secrets.room, error = %failed, "events were not stored");
                self.log_sync = match failed {
                    LogError::Unavailable(_) => LogSync::InSync,
                    LogError::Conflict { .. } | LogError::Unknown | LogError::Corrupt(_) => {
                        LogSync::Unconfirmed
                    }
                };
                Err(RejectCode::Unavailable.into())
            }
        }
    }

    /// Takes an image from time to time. Everyone has been told by now: if it fails, nothing is lost
    /// that a later start would not find in the events.
    pub(super) async fn checkpoint_if_due(&mut self) {
        if self.room.is_checkpoint_due(self.checkpoint_seq)
            && !self.faults().has(InjectedFault::NeverCheckpoint)
            && let Some(checkpoint) = self.room.checkpoint()
        {
            // On the heap: it is seldom due, and every step has a place for it.
            Box::pin(self.store_checkpoint(checkpoint)).await;
        }
    }

    async fn store_checkpoint(&mut self, checkpoint: Checkpoint) {
        let seq = checkpoint.seq;
        let write = self.ctx.event_log.checkpoint(self.secrets.room, checkpoint);
        match with_timeout(self.ctx.append_timeout, write).await {
            Ok(()) => self.checkpoint_seq = seq,
            Err(failed) => warn!(room = %self.secrets.room, error = %failed, "no image was taken"),
        }
    }

    /// Lets the log know whose the seats are, for a next run to tell them.
    pub(super) async fn persist_parties(&mut self) -> Result<(), LogError> {
        if !self.parties_dirty {
            return Ok(());
        }
        let update = self.ctx.event_log.update_secrets(self.secrets);
        let stored = with_timeout(self.ctx.append_timeout, update).await;
        match &stored {
            Ok(()) => self.parties_dirty = false,
            Err(failed) => {
                warn!(room = %self.secrets.room, error = %failed, "whose a seat is was not stored");
            }
        }
        stored
    }

    /// The same where somebody has come or gone in any case: who has the token of a seat needs no party.
    pub(super) async fn try_persist_parties(&mut self) {
        if self.ctx.event_log.is_healthy() && self.persist_parties().await.is_err() {
            debug!(room = %self.secrets.room, "the next who comes or goes tries again");
        }
    }

    /// Takes in durable events and tells everyone.
    pub(super) fn apply_and_broadcast(&mut self, events: Vec<EventRecord>) {
        let (mut started, mut seated) = (false, false);
        for event_record in &events {
            self.room.apply(event_record);
            match &event_record.event {
                Event::Seated { .. } => seated = true,
                Event::Started { game } => {
                    started = true;
                    if *game > 1 {
                        self.members.swap_seats();
                    }
                }
                Event::Moved { .. } => self.ctx.metrics.moves.add(1),
                Event::Ended { .. } => self.ctx.metrics.games.add(1),
                Event::Opened { .. }
                | Event::Offered { .. }
                | Event::Declined { .. }
                | Event::TakenBack { .. }
                | Event::Closed { .. } => {}
            }
        }
        self.ctx.metrics.events.add(events.len() as u64);
        self.tail.extend(events.iter().cloned());
        while self.tail.len() > self.ctx.tail_capacity {
            self.tail.pop_front();
        }
        self.broadcast_events(events);
        if started {
            // Who is away is now missed: the other one learns for how long.
            for seat in
                Seat::ALL.into_iter().filter(|seat| self.room.connectivity(*seat) != Connectivity::Connected)
            {
                self.broadcast_lossy(self.presence_notice(seat));
            }
        }
        // Players come when they are seated, and change places when a game starts.
        if seated || started { self.publish_listing() } else { self.publish_listing_state() }
    }

    /// Tells everyone what happened, in one message encoded once.
    fn broadcast_events(&mut self, events: Vec<EventRecord>) {
        if self.faults().has(InjectedFault::DropBroadcasts)
            && events.iter().any(|event| event.seq.get() % 8 == 7)
        {
            return;
        }
        let message = Message::Events { re: None, room: self.secrets.room, events };
        self.members.broadcast(&EncodedFrame::from(&message));
    }

    /// Takes in what the log has and the room has not, after an append without an answer.
    pub(super) async fn reconcile(&mut self) {
        let load = self.ctx.event_log.events_since(self.secrets.room, self.room.game().seq());
        let events = match with_timeout(self.ctx.append_timeout, load).await {
            Ok(events) => events,
            Err(failed) => return self.on_unreadable_log(&failed),
        };
        self.log_sync = LogSync::InSync;
        let done = matches!(self.unconfirmed.as_deref(), Some(UnconfirmedRequest::Command(_, by)) if events.iter().any(|event| event.by.as_ref() == Some(by)));
        if !events.is_empty() {
            self.apply_and_broadcast(events);
            self.checkpoint_if_due().await;
        }
        if let Some(stopped_since) = self.stopped_since() {
            self.exclude_since(stopped_since);
        }
        self.resolve_unconfirmed(done);
    }

    /// Answers who had to wait for the truth: for the whole view, or for what came of an append without an
    /// answer. `done` tells whether the command in doubt has its event.
    fn resolve_unconfirmed(&mut self, done: bool) {
        self.sweep_members();
        match self.unconfirmed.take().map(|unconfirmed| *unconfirmed) {
            None => {}
            Some(UnconfirmedRequest::Join(joiner, seat)) if self.room.game().player(seat).is_some() => {
                self.set_seat_party(seat, joiner.party);
                self.admit_with_snapshot(joiner, Role::Player(seat));
            }
            Some(UnconfirmedRequest::Join(joiner, seat)) => {
                self.reserve_seat_for(seat, None);
                self.reject_joiner(&joiner, RejectCode::Unavailable.into());
            }
            // Its event was the answer.
            Some(UnconfirmedRequest::Command(..)) if done => {}
            Some(UnconfirmedRequest::Command(member, by)) => {
                self.reject_member(member, by.id, RejectCode::Unavailable)
            }
        }
    }

    /// Answers a command that was sent again, also where the log may have more than the room: `unavailable`, with
    /// nothing changed, would be a lie about one that was done. One in doubt is answered once that is known.
    pub(super) fn try_answer_duplicate(&mut self, request: &RoomRequest) -> bool {
        let &RoomRequest::Command { member, id, command, .. } = request else { return false };
        let Some(sender) = self.members.get(member).filter(|_| self.log_sync == LogSync::Unconfirmed) else {
            return false;
        };
        let Role::Player(seat) = sender.role else { return false };
        if let Ok(Decision::Duplicate(seq)) = self.room.decide(self.now(), seat, id, command) {
            sender.send_queue.send_reply(Outgoing::message(&Message::Done { re: id, seq: Some(seq) }));
            return true;
        }
        match self.unconfirmed.as_deref_mut() {
            Some(UnconfirmedRequest::Command(requester, by)) if *by == (RequestRef { seat, id }) => {
                *requester = member;
                true
            }
            Some(UnconfirmedRequest::Command(..) | UnconfirmedRequest::Join(..)) | None => false,
        }
    }

    /// A bug has stopped the room half-way through something. Connections are closed, to resume what
    /// is true once that is known again.
    pub(super) fn on_panic(&mut self) {
        error!(room = %self.secrets.room, "a bug stopped the room; it is rebuilt from the log");
        self.ctx.metrics.room_panics.add(1);
        self.stop_at(self.now());
        self.members.close_all(CloseCode::Internal);
        // Whoever came in with what was being done is no member yet, and waits all the same.
        if let Some(send_queue) = self.current_joiner.take() {
            send_queue.close_with(CloseCode::Internal);
        }
        self.log_sync = LogSync::NeedsReload;
        // At once, but a bug that comes again and again is not to keep a core busy.
        let now = Instant::now();
        let is_repeated = self.last_panic.replace(now).is_some_and(|previous| now - previous < RETRY_DELAY);
        self.retry_at = is_repeated.then(|| now + RETRY_DELAY);
    }

    /// The room as the log has it.
    pub(super) async fn rebuild(&mut self) {
        let load = self.ctx.event_log.load(self.secrets.room);
        let stored = match with_timeout(self.ctx.append_timeout, load).await {
            Ok(stored) => stored,
            Err(failed) => return self.on_unreadable_log(&failed),
        };
        let (timeouts, heartbeat) = (&self.ctx.timeouts, &self.ctx.heartbeat);
        match Room::resume(&stored, Arc::clone(timeouts), self.time.now(), &heartbeat.uptime()) {
            Ok(room) => {
                self.room = room;
                let skip = stored.events.len().saturating_sub(self.ctx.tail_capacity);
                self.tail = stored.events.into_iter().skip(skip).collect();
                self.replayable_from = self.replayable_after_restart();
                self.append_failing_since = None;
                self.ctx.heartbeat.exclude(0, timeouts.restart_grace);
                self.log_sync = LogSync::InSync;
                self.publish_listing();
                // Whoever sent the command in doubt was cut off, and is no member now.
                self.resolve_unconfirmed(false);
            }
            Err(failed) => self.mark_lost(&failed),
        }
    }

    /// The log did not say what it has.
    fn on_unreadable_log(&mut self, failed: &LogError) {
        match failed {
            LogError::Unavailable(_) | LogError::Unknown => {
                self.retry_at = Some(Instant::now() + RETRY_DELAY);
                warn!(room = %self.secrets.room, error = %failed, "the log cannot be read");
            }
            // It has gone on without this room: only all of it tells the truth. What the members have seen is
            // contradicted by it, and they resume once it is known.
            LogError::Conflict { .. } => {
                self.members.close_all(CloseCode::Internal);
                self.retry_at = Some(Instant::now() + RETRY_DELAY);
                self.log_sync = LogSync::NeedsReload;
                error!(room = %self.secrets.room, error = %failed, "the room is rebuilt from the log");
            }
            LogError::Corrupt(_) => self.mark_lost(failed),
        }
    }

    /// What is stored makes no room, and will make none however often it is read: nobody is left to
    /// wait for it. It stays in the log as it is, for the operator, and for the next start to name.
    fn mark_lost(&mut self, failed: &dyn std::error::Error) {
        error!(room = %self.secrets.room, error = %failed, "the history does not hold; the room is lost");
        self.ctx.metrics.rooms_lost.add(1);
        self.log_sync = LogSync::Lost;
    }

    /// From where on events tell the whole story, just after a replay.
    pub(super) fn replayable_after_restart(&self) -> Seq {
        let game = self.room.game();
        if game.clock().is_some_and(|clock| clock.running().is_some()) {
            game.seq().next()
        } else {
            Seq::ZERO
        }
    }
}
