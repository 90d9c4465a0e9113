//! The pure core of a room: which events a request or the time causes, and how events change the room.
//!
//! Owns the game, the presence of the players and their request logs. Uses no log, no runtime and no socket;
//! times are arguments, in server milliseconds. Game events change the game only in [`Room::apply`], after the log has
//! stored them; clock credits and presence change outside the history.
//!
//! A checkpoint is the state of a room as one stored document, so that a restart needs no earlier events.

pub(crate) mod handle;
pub(crate) mod members;
pub(crate) mod registry;
mod request_log;
pub(crate) mod task;
#[cfg(test)]
mod tests;
mod timeouts;

use std::sync::Arc;

use noughts_protocol::game::referee::Referee;
use noughts_protocol::wire::{Claim, EngineRemark, Presence, Reject, RejectCode, RoomCommand};
use noughts_protocol::{
    Event, EventRecord, FoldError, Game, Offer, Outcome, Phase, Player, PlayerKind, RequestId,
    RoomCloseReason, Seat, Seq, Snapshot, Status,
};
use serde::{Deserialize, Serialize};

use crate::config::ServerLimits;
use crate::runtime::clock::millis;
use crate::runtime::fault_injection::InjectedFault;
use crate::store::game_tags::GameTags;
use crate::store::{Checkpoint, FinishedGame, StoredRoom};
use request_log::{Lookup, RequestLog};
use timeouts::RoomDeadlines;

pub(crate) use timeouts::SeatPresence;

/// Minimum number of moves of a finished game that is archived: one by each player. A single client can end shorter
/// games at any rate.
const KEPT_MOVES_MIN: usize = 2;

/// When a new room needs a place, rooms with fewer moves close first.
const FEW_MOVES: usize = 4;

/// Result of a valid request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// The request causes these events. The first event answers it.
    Events(Vec<Event>),
    /// The request was executed before, and this event answered it.
    Duplicate(Seq),
}

/// A room: the fold of its events, and the presence of its players.
#[derive(Clone, Debug)]
pub struct Room {
    game: Game,
    /// By seat. Swapped when the players swap seats.
    presence: [SeatPresence; 2],
    /// By seat. Swapped when the players swap seats.
    request_logs: [RequestLog; 2],
    /// Time when the room was opened or restored. Idle times start no earlier.
    active_since: u64,
    limits: Arc<ServerLimits>,
}

impl Room {
    /// Creates a room from its first event. No player is connected.
    ///
    /// # Errors
    /// If the event is not [`Event::Opened`].
    pub fn open(first: &EventRecord, limits: Arc<ServerLimits>) -> Result<Room, FoldError> {
        let game = Game::open(first)?;
        let presence = [SeatPresence::Disconnected(first.at); 2];
        Ok(Room {
            game,
            presence,
            request_logs: Default::default(),
            active_since: first.at,
            limits,
        })
    }

    /// Replays the history of a room after a restart at `now`. No player is connected. The clocks show the time left at
    /// the last change of the board, the last time that an event states: neither the time since then nor the outage is
    /// charged to a clock. The room's time does not go back: a `now` before the last event counts as the time of that
    /// event.
    ///
    /// # Errors
    /// If the events are not the history of a room.
    pub fn replay(
        stored: &StoredRoom,
        limits: Arc<ServerLimits>,
        now: u64,
    ) -> Result<Room, FoldError> {
        let (mut room, rest) = match (&stored.checkpoint, stored.events.split_first()) {
            (Some(checkpoint), _) => (
                Room::from_checkpoint(checkpoint, limits)?,
                &stored.events[..],
            ),
            (None, Some((first, rest))) => (Room::open(first, limits)?, rest),
            (None, None) => {
                return Err(FoldError::Gap {
                    expected: Seq::ZERO.next(),
                    got: Seq::ZERO,
                });
            }
        };
        for event_record in rest {
            room.try_apply(event_record)?;
        }
        // The clock of the machine may have been set back.
        let now = now.max(room.game.last_event_at());
        room.presence = [SeatPresence::Disconnected(now); 2];
        room.active_since = now;
        // The clock continues only after the players have had time to reconnect.
        room.game
            .restart_clock(now.saturating_add(millis(room.limits.drain_timeout)));
        Ok(room)
    }

    pub fn game(&self) -> &Game {
        &self.game
    }

    pub fn presence(&self, seat: Seat) -> SeatPresence {
        self.presence[seat.index()]
    }

    /// Returns the presence of the player in `seat` as on the wire, and for an absent player the time until the
    /// opponent may claim the game, in milliseconds.
    pub fn presence_and_claim(&self, seat: Seat, now: u64) -> (Presence, Option<u64>) {
        let claim_in = self
            .deadlines()
            .claimable(seat)
            .map(|at| at.saturating_sub(now));
        match self.presence(seat) {
            SeatPresence::Connected => (Presence::Connected, None),
            SeatPresence::Disconnected(_) => (Presence::Disconnected, claim_in),
            SeatPresence::Left(_) => (Presence::Left, claim_in),
        }
    }

    pub fn set_presence(&mut self, seat: Seat, presence: SeatPresence) {
        self.presence[seat.index()] = presence;
    }

    /// Credits `ms` milliseconds to the running clock, because no event could be stored meanwhile. The next
    /// event that contains the time left includes the credit, so that a replay needs no record of it.
    pub fn credit_time(&mut self, ms: u64) {
        self.game.credit_time(ms);
    }

    /// Applies the next event, which the log has stored.
    ///
    /// # Panics
    /// If the event does not follow from the state of the room. That is a bug; the room is rebuilt from the
    /// log.
    pub fn apply(&mut self, event_record: &EventRecord) {
        if let Err(error) = self.try_apply(event_record) {
            panic!("cannot apply a stored event: {error}");
        }
    }

    /// Returns the game that the next events end, if it counts and both players have moved in it.
    pub fn finished_game(&self, events: &[EventRecord]) -> Option<FinishedGame> {
        let is_end =
            |event_record: &EventRecord| matches!(&event_record.event, Event::Ended { .. });
        let end_index = events.iter().position(is_end)?;
        if matches!(
            &events[end_index].event,
            Event::Ended {
                outcome: Outcome::Aborted,
                ..
            }
        ) {
            return None;
        }
        // The copy is made once per game.
        let mut game = self.game.clone();
        for event_record in &events[..=end_index] {
            game.apply(event_record).ok()?;
        }
        let record = game
            .record()
            .filter(|record| record.moves.len() >= KEPT_MOVES_MIN)?;
        let tags = GameTags {
            is_public: game.is_public(),
            kinds: Seat::ALL.map(|seat| {
                game.player(seat)
                    .map_or(PlayerKind::Person, |player| player.kind)
            }),
        };
        Some(FinishedGame {
            number: game.number(),
            ended_at: events[end_index].at,
            record: format!("{tags}{record}"),
        })
    }

    fn try_apply(&mut self, event_record: &EventRecord) -> Result<(), FoldError> {
        let rematch_by = self.game.offered_by(Offer::Rematch);
        self.game.apply(event_record)?;
        match event_record.event {
            Event::Started { .. } => {
                for seat in Seat::ALL {
                    self.request_logs[seat.index()].on_game_started(rematch_by == Some(seat));
                }
            }
            Event::Ended { .. } => {
                let ended_by = event_record.by.map(|request| request.seat);
                for seat in Seat::ALL {
                    self.request_logs[seat.index()].on_game_ended(ended_by == Some(seat));
                }
            }
            // The substitute numbers its requests itself.
            Event::Seated { seat, .. } if event_record.is_substitution() => {
                self.request_logs[seat.index()] = RequestLog::default();
            }
            Event::Opened { .. }
            | Event::Seated { .. }
            | Event::Moved { .. }
            | Event::Offered { .. }
            | Event::Declined { .. }
            | Event::TakenBack { .. }
            | Event::Closed { .. } => {}
        }
        if let Some(by) = event_record.by {
            self.request_logs[by.seat.index()].record(by.id, event_record);
        }
        if let Event::Started { game } = event_record.event
            && game > 1
        {
            self.presence.swap(0, 1);
            self.request_logs.swap(0, 1);
        }
        Ok(())
    }

    fn referee(&self, now: u64) -> Referee<'_> {
        Referee::new(&self.game, now)
    }

    /// Returns the time when [`Room::decide_timeout`] may next return events, if the room does not change before.
    pub fn poll_timeout(&self) -> Option<u64> {
        self.deadlines().next()
    }

    /// Returns the events that are due at `now`: a flag falls, the game of an absent player ends, an abandoned or idle
    /// room closes.
    pub fn decide_timeout(&self, now: u64) -> Vec<Event> {
        self.deadlines().decide(now)
    }

    /// Returns the events that close the room at `now` in favour of a new room.
    pub fn decide_eviction(&self, now: u64) -> Vec<Event> {
        self.decide_closing(now, RoomCloseReason::Deserted)
    }

    /// Returns the events that close the room. A running game ends without a winner. Changes nothing.
    pub fn decide_closing(&self, now: u64, reason: RoomCloseReason) -> Vec<Event> {
        self.deadlines().close(now, reason)
    }

    /// Returns whether closing the room would lose a game with several moves, or a score.
    pub fn has_progress(&self) -> bool {
        self.game.number() > 1 || self.game.position().ply() >= FEW_MOVES
    }

    fn deadlines(&self) -> RoomDeadlines<'_> {
        RoomDeadlines {
            game: &self.game,
            presence: &self.presence,
            active_since: self.active_since,
            limits: &self.limits,
        }
    }
}

impl Room {
    /// Returns the events that seat a player on the `wanted` seat, or on any free seat. Changes nothing.
    ///
    /// # Errors
    /// `room_full` if the seat is not free.
    pub fn decide_seating(
        &self,
        player: Player,
        wanted: Option<Seat>,
    ) -> Result<(Seat, Vec<Event>), RejectCode> {
        let free = |seat: &Seat| self.game.player(*seat).is_none();
        let seat = match wanted {
            Some(seat) => Some(seat).filter(free),
            None => Seat::ALL.into_iter().find(free),
        };
        let Some(seat) = seat.filter(|_| self.game.phase() == Phase::Waiting) else {
            return Err(RejectCode::RoomFull);
        };
        let mut events = vec![Event::Seated { seat, player }];
        if self.game.player(seat.other()).is_some() {
            events.push(Event::Started { game: 1 });
        }
        Ok((seat, events))
    }

    /// Checks that the opponent of the player in `seat` is absent beyond the grace time of a running game. Returns the
    /// seat of the opponent.
    ///
    /// # Errors
    /// The reject that answers the request to open that seat.
    pub fn check_opponent_absent(&self, now: u64, seat: Seat) -> Result<Seat, Reject> {
        self.referee(now).check_playing()?;
        let absent = seat.other();
        match self.deadlines().claimable(absent) {
            Some(at) if at <= now => Ok(absent),
            Some(at) => Err(Reject::new(RejectCode::NotClaimable).wait_ms(at - now)),
            None => Err(RejectCode::NotClaimable.into()),
        }
    }

    /// Returns the event that seats a substitute on the seat of an absent player in a running game. Changes nothing.
    ///
    /// # Errors
    /// `room_full` if that player is connected, or no game is running.
    pub fn decide_substitution(&self, substitute: Player, seat: Seat) -> Result<Event, RejectCode> {
        if self.game.phase() != Phase::Playing || self.presence(seat) == SeatPresence::Connected {
            return Err(RejectCode::RoomFull);
        }
        Ok(Event::Seated {
            seat,
            player: substitute,
        })
    }

    /// Returns the events that a request from the player in `seat` causes. Changes nothing.
    ///
    /// # Errors
    /// The reject that answers an invalid request.
    pub fn decide(
        &self,
        now: u64,
        seat: Seat,
        id: RequestId,
        command: RoomCommand,
    ) -> Result<Decision, Reject> {
        match self.request_logs[seat.index()].lookup(id, command, self.game.rules()) {
            Lookup::New => {}
            Lookup::Duplicate(_)
                if self
                    .limits
                    .faults
                    .is_on(InjectedFault::RepeatDuplicateRequests) => {}
            Lookup::Duplicate(seq) => return Ok(Decision::Duplicate(seq)),
            Lookup::Conflict => return Err(RejectCode::IdReused.into()),
        }
        let referee = self.referee(now);
        let events = match command {
            RoomCommand::Move { cell, seq } => {
                referee.check_playing()?;
                self.check_current(seq)?;
                referee.play(seat, cell)?
            }
            RoomCommand::Resign => vec![referee.resign(seat)?],
            RoomCommand::Offer { offer } => {
                referee.check_offer_allowed(offer)?;
                self.check_opponent_present(seat)?;
                vec![referee.offer(seat, offer)?]
            }
            RoomCommand::Accept { offer } => {
                let agreement = referee.accept(seat, offer)?;
                if offer == Offer::Rematch {
                    self.check_opponent_present(seat)?;
                }
                vec![agreement]
            }
            RoomCommand::Decline { offer } => vec![referee.decline(seat, offer)?],
            RoomCommand::Claim { result } => vec![self.decide_claim(now, seat, result)?],
            RoomCommand::Flag => {
                referee.check_playing()?;
                vec![referee.flag().ok_or(RejectCode::FlagNotFallen)?]
            }
            RoomCommand::Abort => vec![referee.abort()?],
        };
        Ok(Decision::Events(events))
    }

    /// Checks that a remark is about the current position of a running game.
    ///
    /// # Errors
    /// The reject that answers an invalid remark.
    pub fn check_remark(&self, remark: &EngineRemark) -> Result<(), Reject> {
        self.referee(self.game.last_event_at()).check_playing()?;
        self.check_current(remark.seq)?;
        if remark
            .pv
            .iter()
            .any(|cell| cell.index() >= self.game.rules().cells())
        {
            return Err(Reject::new(RejectCode::OffBoard).field("line"));
        }
        Ok(())
    }

    fn decide_claim(&self, now: u64, seat: Seat, result: Claim) -> Result<Event, Reject> {
        let referee = self.referee(now);
        referee.check_playing()?;
        let absent = seat.other();
        let claimable_at = self.deadlines().claimable(absent);
        let Some(at) = claimable_at.filter(|_| self.game.position().turn() == absent) else {
            return Err(RejectCode::NotClaimable.into());
        };
        if now < at {
            return Err(Reject::new(RejectCode::NotClaimable).wait_ms(at - now));
        }
        let winner = match result {
            Claim::Win => Some(seat),
            Claim::Draw => None,
        };
        Ok(referee.end(Outcome::Abandoned { winner }))
    }

    /// Checks that a request was made for the current board.
    fn check_current(&self, seq: Seq) -> Result<(), Reject> {
        if seq < self.game.board_seq() || seq > self.game.seq() {
            return Err(Reject::new(RejectCode::Stale).field("seq"));
        }
        Ok(())
    }

    /// Checks that the opponent of `seat` has not left, and may answer.
    fn check_opponent_present(&self, seat: Seat) -> Result<(), RejectCode> {
        match self.presence(seat.other()) {
            SeatPresence::Connected | SeatPresence::Disconnected(_) => Ok(()),
            SeatPresence::Left(_) => Err(RejectCode::OpponentLeft),
        }
    }
}

/// Number of events between two checkpoints. Bounds the work of a restart.
const CHECKPOINT_INTERVAL: u64 = 256;

/// The stored document. The spelling of its fields is part of the storage format.
#[derive(Serialize, Deserialize)]
struct CheckpointDoc {
    /// State at the last change of the board, with the time that was left then.
    snapshot: Snapshot,
    /// The last change of the board.
    board_seq: Seq,
    /// Time of the last event.
    at: u64,
    /// By seat.
    request_logs: [RequestLog; 2],
}

impl Room {
    /// Returns the checkpoint of the current state. `None` between events of one decision, where no snapshot exists:
    /// after the second player was seated and before the game starts, and between the last move and the end.
    pub fn checkpoint(&self) -> Option<Checkpoint> {
        let game = &self.game;
        let about_to_begin = game.phase() == Phase::Waiting
            && Seat::ALL
                .into_iter()
                .all(|seat| game.player(seat).is_some());
        let about_to_end =
            game.phase() == Phase::Playing && game.position().status() != Status::Ongoing;
        if about_to_begin || about_to_end {
            return None;
        }
        let left = game.clock().map(|clock| clock.left_at_last_stop());
        let document = CheckpointDoc {
            snapshot: Snapshot {
                left,
                shown: left.filter(|_| game.has_free_first_moves()),
                ..game.snapshot(game.board_at())
            },
            board_seq: game.board_seq(),
            // An event after the last change of the board may have an earlier time than that change.
            at: game.last_event_at().max(game.board_at()),
            request_logs: self.request_logs.clone(),
        };
        let body = serde_json::to_vec(&document)
            .expect("a snapshot has only string keys and finite numbers");
        Some(Checkpoint {
            seq: game.seq(),
            body,
        })
    }

    /// Restores a room from a checkpoint.
    ///
    /// # Errors
    /// If the checkpoint is not the state of a room.
    fn from_checkpoint(
        checkpoint: &Checkpoint,
        limits: Arc<ServerLimits>,
    ) -> Result<Room, FoldError> {
        let document: CheckpointDoc =
            serde_json::from_slice(&checkpoint.body).map_err(|_| FoldError::Impossible {
                seq: checkpoint.seq,
            })?;
        if document.snapshot.seq != checkpoint.seq {
            return Err(FoldError::Gap {
                expected: checkpoint.seq,
                got: document.snapshot.seq,
            });
        }
        let at = document.at;
        Ok(Room {
            game: Game::from_checkpoint(&document.snapshot, document.board_seq, at)?,
            presence: [SeatPresence::Disconnected(at); 2],
            request_logs: document.request_logs,
            active_since: at,
            limits,
        })
    }

    /// Returns whether enough events followed the last checkpoint to store a new checkpoint.
    pub fn is_checkpoint_due(&self, last_checkpoint: Seq) -> bool {
        self.game.seq().get() >= last_checkpoint.get() + CHECKPOINT_INTERVAL
    }
}
