//! Storing and applying events, and recovery: members learn of events only after the log has stored them.
//!
//! After an append with an unknown result, the task reads what the log stored. After a panic or a contradiction it
//! rebuilds the room from the log. The states between these steps are in `log_sync`.

use std::cell::LazyCell;
use std::sync::Arc;

use noughts_protocol::wire::{CloseCode, Message, Reject, RejectCode};
use noughts_protocol::{Event, EventRecord, Phase, RequestRef, Seat};
use tokio::time::Instant;
use tracing::{debug, error, warn};

use crate::room::handle::RoomRequest;
use crate::room::members::{DetailedFrames, Role};
use crate::room::task::log_sync::{EventTail, LogSync, UnconfirmedRequest, with_timeout};
use crate::room::task::{RoomTask, number_events};
use crate::room::{Decision, Room, SeatPresence};
use crate::runtime::sync::lock;
use crate::send_queue::{EncodedFrame, Outgoing};
use crate::store::{Checkpoint, LogError};

/// Minimum credit that the members receive as new clocks, without an event.
const SHOWN_CREDIT_MS: u64 = 500;

impl RoomTask {
    /// Stores events that were decided at `at`, applies them and sends them to the members.
    ///
    /// # Errors
    /// `unavailable` if the log does not confirm the events; the room is then unchanged.
    pub(in crate::room) async fn append_and_apply(
        &mut self,
        at: u64,
        by: Option<RequestRef>,
        events: Vec<Event>,
    ) -> Result<(), Reject> {
        let event_records = number_events(self.room.game().seq(), at, by, events);
        let stored = event_records.clone();
        let archives_games = self.ctx.event_log.archives_games();
        let finished = if archives_games {
            self.room.finished_game(&stored)
        } else {
            None
        };
        let finished = finished.filter(|_| self.charge_archive_budget(at));
        let append = self
            .ctx
            .event_log
            .append(self.secrets.room, stored, finished);
        match with_timeout(self.ctx.limits.append_timeout, append).await {
            Ok(()) => {
                self.on_appended(at, event_records);
                self.checkpoint_if_due().await;
                Ok(())
            }
            Err(error) => {
                self.ctx.metrics.append_failures.add(1);
                self.clock.stop_at(at);
                self.log_state.on_append_error(&error, Instant::now());
                warn!(room = %self.secrets.room, %error, "cannot store events");
                Err(RejectCode::Unavailable.into())
            }
        }
    }

    /// Waits until no other server can have changed the room, before a reply that stores nothing.
    ///
    /// # Errors
    /// `unavailable` if the log does not confirm it.
    pub(in crate::room) async fn confirm_state(&self) -> Result<(), Reject> {
        let Some(shared) = self.ctx.event_log.shared() else {
            return Ok(());
        };
        let confirmation = shared.confirm(self.secrets.room);
        with_timeout(self.ctx.limits.append_timeout, confirmation)
            .await
            .map_err(|error| {
                debug!(room = %self.secrets.room, %error, "cannot confirm state of room");
                RejectCode::Unavailable.into()
            })
    }

    /// Applies events that were decided at `at` and are stored, and measures the time of a move. This is a function of
    /// its own to keep the future of [`RoomTask::append_and_apply`] small, because that future is copied for every
    /// request.
    fn on_appended(&mut self, at: u64, events: Vec<EventRecord>) {
        let is_move = matches!(
            events.first(),
            Some(EventRecord {
                event: Event::Moved { .. },
                ..
            })
        );
        self.apply_and_broadcast(events);
        let elapsed_ms = self.credit_since(at);
        if is_move {
            self.ctx
                .metrics
                .move_time
                .observe(elapsed_ms as f64 / 1000.0);
        }
    }

    /// Charges a finished game to a contributor with budget left. Returns whether the game may be kept, which is always
    /// the case without contributors.
    fn charge_archive_budget(&self, at: u64) -> bool {
        let is_kept = lock(&self.ctx.archive_budget).try_charge(&self.contributors, at);
        if !is_kept {
            self.ctx.metrics.games_over_budget.add(1);
            debug!(room = %self.secrets.room, "finished game not kept: budget of its clients exceeded");
        }
        is_kept
    }

    /// Applies stored events and sends them to the members.
    fn apply_and_broadcast(&mut self, events: Vec<EventRecord>) {
        let (mut started, mut seated) = (false, false);
        let substituted = events.iter().any(EventRecord::is_substitution);
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
        self.tail.extend(&events, self.ctx.limits.resume_buffer);
        self.broadcast_events(events);
        if self.room.game().phase() != Phase::Playing || substituted {
            self.open_seat = None;
        }
        self.count_game();
        if started {
            self.seat_limits.reset_offers();
            // At the start of a game, the members learn which players are absent, and when their opponents may claim
            // the game.
            for seat in Seat::ALL {
                if self.room.presence(seat) != SeatPresence::Connected {
                    self.broadcast_lossy(self.presence_notice(seat));
                }
            }
        }
        // Players change only when a player is seated or a game starts.
        if seated || started {
            self.publish_listing();
        } else {
            self.publish_listing_state();
        }
    }

    /// Counts the running game of the room once.
    pub(in crate::room) fn count_game(&mut self) {
        let is_running = self.room.game().phase() == Phase::Playing;
        match (self.is_game_counted, is_running) {
            (false, true) => self.ctx.population.games.increment(),
            (true, false) => self.ctx.population.games.decrement(),
            (true, true) | (false, false) => {}
        }
        self.is_game_counted = is_running;
    }

    /// Sends events to the members, in one message that is encoded once.
    fn broadcast_events(&mut self, events: Vec<EventRecord>) {
        let room = self.secrets.room;
        let copy = if self.members.any_detailed() {
            events.clone()
        } else {
            Vec::new()
        };
        let mut detailed = DetailedFrames::new(room, &copy, self.room.game());
        let message = Message::Events {
            re: None,
            room,
            events,
        };
        let now = LazyCell::new(|| self.ctx.time.now());
        self.members
            .broadcast(&EncodedFrame::from(&message), &mut detailed, &now);
    }

    /// Credits the time since `started_at` to the running clock, and returns it in milliseconds. Called when an access
    /// to the log that began at that time has succeeded.
    pub(in crate::room) fn credit_since(&mut self, started_at: u64) -> u64 {
        let excluded_ms = self.clock.resume(started_at);
        self.room.credit_time(excluded_ms);
        if excluded_ms >= SHOWN_CREDIT_MS {
            // Without new clocks, clients would show wrong times until the next event.
            self.broadcast_clocks();
        }
        excluded_ms
    }

    /// Resumes timekeeping if the log accepts events again, and sends the members the clocks after a suspension of the
    /// process. With `is_command`, the clock was read when the request arrived.
    pub(in crate::room) fn resume_time(&mut self, may_retry: bool, is_command: bool) {
        let stopped_since = self.clock.stopped_since();
        if let Some(since) =
            stopped_since.filter(|_| may_retry && self.log_state.sync() == LogSync::InSync)
        {
            if self.ctx.event_log.is_healthy() {
                self.credit_since(since);
            } else {
                self.log_state.delay_retry(Instant::now());
            }
        }
        if self.clock.take_suspension(is_command) {
            self.broadcast_clocks();
        }
    }

    /// Stores a checkpoint once enough events have followed the last checkpoint. After a failure, the log still has the
    /// events; the next event tries again.
    async fn checkpoint_if_due(&mut self) {
        if self.room.is_checkpoint_due(self.log_state.checkpoint_seq())
            && let Some(checkpoint) = self.room.checkpoint()
        {
            // Boxed, because it is rarely needed but would enlarge every future that calls this function.
            Box::pin(self.store_checkpoint(checkpoint)).await;
        }
    }

    async fn store_checkpoint(&mut self, checkpoint: Checkpoint) {
        let seq = checkpoint.seq;
        let write = self.ctx.event_log.checkpoint(self.secrets.room, checkpoint);
        match with_timeout(self.ctx.limits.append_timeout, write).await {
            Ok(()) => self.log_state.set_checkpoint_seq(seq),
            Err(error) => warn!(room = %self.secrets.room, %error, "cannot store checkpoint"),
        }
    }

    /// Stores the owners of the seats if they changed, so that they are known after a restart.
    pub(in crate::room) async fn persist_parties(&mut self) -> Result<(), LogError> {
        if !self.log_state.has_unsaved_parties() {
            return Ok(());
        }
        let update = self.ctx.event_log.update_secrets(self.secrets);
        let result = with_timeout(self.ctx.limits.append_timeout, update).await;
        match &result {
            Ok(()) => self.log_state.mark_parties_saved(),
            Err(error) => warn!(room = %self.secrets.room, %error, "cannot persist seat owners"),
        }
        result
    }

    /// Stores the owners of the seats if the log is healthy. A failure is harmless: a resume token gives
    /// access to its seat in any case.
    pub(in crate::room) async fn try_persist_parties(&mut self) {
        if self.ctx.event_log.is_healthy() && self.persist_parties().await.is_err() {
            debug!(room = %self.secrets.room, "cannot persist seat owners; retrying at the next join or leave");
        }
    }
}

impl RoomTask {
    /// Applies the events that the log has and the room does not, after an append with an unknown result.
    pub(in crate::room) async fn reconcile(&mut self) {
        let load = self
            .ctx
            .event_log
            .events_since(self.secrets.room, self.room.game().seq());
        let events = match with_timeout(self.ctx.limits.append_timeout, load).await {
            Ok(events) => events,
            Err(error) => return self.on_unreadable_log(&error),
        };
        self.log_state.mark_in_sync();
        let command = self.log_state.unconfirmed_command();
        let done =
            command.is_some_and(|command| events.iter().any(|event| event.by == Some(command)));
        if !events.is_empty() {
            self.apply_and_broadcast(events);
            self.checkpoint_if_due().await;
        }
        if let Some(stopped_since) = self.clock.stopped_since() {
            self.credit_since(stopped_since);
        }
        self.resolve_unconfirmed(done);
    }

    /// Replaces the room with the version in the log.
    pub(in crate::room) async fn rebuild(&mut self) {
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
                self.log_state.mark_in_sync();
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
        match self.log_state.take_unconfirmed() {
            None => {}
            Some(UnconfirmedRequest::Join(joiner, seat))
                if self.room.game().player(seat) == Some(&joiner.player) =>
            {
                self.set_seat_party(seat, joiner.party);
                self.admit_with_snapshot(joiner, Role::Player(seat));
            }
            Some(UnconfirmedRequest::Join(joiner, seat)) => {
                // Only a free seat is released: a seat that a substitute did not get still belongs to the absent
                // player.
                if self.room.game().player(seat).is_none() {
                    self.reserve_seat_for(seat, None);
                }
                self.reject_joiner(&joiner, RejectCode::Unavailable.into());
            }
            // The event of the command was its response.
            Some(UnconfirmedRequest::Command(..)) if done => {}
            Some(UnconfirmedRequest::Command(member, by)) => {
                self.reject_member(member, by.id, RejectCode::Unavailable);
            }
        }
    }

    /// Answers a repeated command while new commands are rejected because of the log, and returns whether it did.
    /// `unavailable` would promise that nothing changed, although the command may have been executed. A repetition of
    /// the unconfirmed command gets its response when the result is known.
    pub(in crate::room) fn try_answer_duplicate(&mut self, request: &RoomRequest) -> bool {
        let &RoomRequest::Command {
            member,
            id,
            command,
            ..
        } = request
        else {
            return false;
        };
        if !matches!(
            self.log_state.sync(),
            LogSync::InSync | LogSync::Unconfirmed
        ) {
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
        self.log_state
            .redirect_unconfirmed(RequestRef { seat, id }, member)
    }

    /// Closes all connections after a panic in the task, because its state may be inconsistent. Clients resume when the
    /// room is rebuilt.
    pub(in crate::room) fn on_panic(&mut self) {
        error!(room = %self.secrets.room, "room task panicked; rebuilding the room from the log");
        self.ctx.metrics.room_panics.add(1);
        self.clock.stop_at(self.clock.now());
        self.members.close_all(CloseCode::Internal);
        // The sender of the current request may not be a member yet.
        if let Some(send_queue) = self.current_joiner.take() {
            send_queue.close_with(CloseCode::Internal);
        }
        self.log_state.on_panic(Instant::now());
    }

    fn on_unreadable_log(&mut self, error: &LogError) {
        match error {
            LogError::Unavailable(_) | LogError::Unknown => {
                warn!(room = %self.secrets.room, %error, "cannot read room log");
            }
            LogError::Conflict { .. } => {
                // The log contradicts events that the members have seen. They resume when the room is rebuilt.
                self.members.close_all(CloseCode::Internal);
                error!(room = %self.secrets.room, %error, "room log is ahead; rebuilding the room from the log");
            }
            LogError::Corrupt(_) => return self.on_lost(error),
        }
        self.log_state.on_read_error(error, Instant::now());
    }

    /// Ends the room because the log contains no valid history of it, and never will. The log keeps the
    /// history for the operator; the next start reports it.
    fn on_lost(&mut self, error: &dyn std::error::Error) {
        error!(room = %self.secrets.room, %error, "room log is corrupt; room closed");
        self.ctx.metrics.rooms_lost.add(1);
        self.log_state.mark_lost();
    }
}
