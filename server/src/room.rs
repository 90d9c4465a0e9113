//! One room, pure: what may happen in it, what then happens, and when it has to be woken.
//!
//! It knows no log, no runtime and no socket. Its game changes only in [`Room::apply`], by events
//! that the log has accepted; attendance, which is not part of the history, changes in
//! [`Room::set_connectivity`]. Times are the server's milliseconds.

mod checkpoint;
pub mod handle;
pub mod members;
mod request_log;
pub mod task;
#[cfg(test)]
mod tests;
mod timeouts;

use std::sync::Arc;

use noughts_protocol::wire::{Claim, EngineRemark, Presence, Reject, RejectCode, RoomCommand};
use noughts_protocol::{
    Event, EventRecord, FoldError, Game, Offer, Outcome, Phase, Player, RequestId, Seat, Seq, Status,
};

use crate::fault_injection::InjectedFault;
use crate::store::{FinishedGame, StoredRoom};
use crate::time::uptime::{ASSUMED_APPEND_MS, UptimeHistory};
use request_log::{Lookup, RequestLog};
pub use timeouts::RoomTimeouts;

/// Whether the holder of a seat is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Connectivity {
    /// Connected.
    Connected,
    /// The connection was lost at this time.
    Disconnected(u64),
    /// Went on purpose at this time.
    Left(u64),
}

/// What a request leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// These events, once they are durable; the first answers the request.
    Events(Vec<Event>),
    /// Nothing: it was done before, by this event.
    Duplicate(Seq),
}

/// A room: the fold of its events, and who of its players is there.
#[derive(Clone, Debug)]
pub struct Room {
    game: Game,
    /// By seat; swaps with the players.
    connectivity: [Connectivity; 2],
    /// What each player was answered last; swaps with the players.
    request_logs: [RequestLog; 2],
    /// When the room was opened, or taken up again: what happened before is no reason to give it up.
    active_since: u64,
    /// The same for all rooms.
    timeouts: Arc<RoomTimeouts>,
}

impl Room {
    /// A room after its first event; nobody has come yet.
    ///
    /// # Errors
    /// When that is not [`Event::Opened`].
    pub fn open(first: &EventRecord, timeouts: Arc<RoomTimeouts>) -> Result<Room, FoldError> {
        let game = Game::open(first)?;
        let connectivity = [Connectivity::Disconnected(first.at); 2];
        Ok(Room { game, connectivity, request_logs: Default::default(), active_since: first.at, timeouts })
    }

    /// A room with this history, as after a restart at `now`, or at its last event if `now` is before
    /// that: nobody is connected, and the time since counts for nobody.
    ///
    /// # Errors
    /// When it is not a room's history.
    pub fn replay(stored: &StoredRoom, timeouts: Arc<RoomTimeouts>, now: u64) -> Result<Room, FoldError> {
        let (mut room, rest) = match (&stored.checkpoint, stored.events.split_first()) {
            (Some(checkpoint), _) => (Room::from_checkpoint(checkpoint, timeouts)?, &stored.events[..]),
            (None, Some((first, rest))) => (Room::open(first, timeouts)?, rest),
            (None, None) => return Err(FoldError::Gap { expected: Seq::ZERO.next(), got: Seq::ZERO }),
        };
        for event_record in rest {
            room.try_apply(event_record)?;
        }
        // The machine's clock may have been set back.
        let now = now.max(room.game.last_event_at());
        room.connectivity = [Connectivity::Disconnected(now); 2];
        room.active_since = now;
        // Players were told when to come back: until then nobody's clock runs.
        if !room.timeouts.faults.has(InjectedFault::ChargeOutageOnReplay) {
            room.game.resume_clock(now.saturating_add(room.timeouts.restart_grace), 0);
        }
        Ok(room)
    }

    /// A room with this history, whose clock ran as long as a server `lived` to see it: only the outage
    /// counts for nobody.
    ///
    /// # Errors
    /// When it is not a room's history.
    pub fn resume(
        stored: &StoredRoom,
        timeouts: Arc<RoomTimeouts>,
        now: u64,
        uptime: &UptimeHistory,
    ) -> Result<Room, FoldError> {
        let mut room = Room::replay(stored, timeouts, now)?;
        let game = &mut room.game;
        // What recording them took is in none of them, and was nobody's.
        let events = game.seq().get() - game.board_seq().get() + 1;
        let counted_ms =
            uptime.uptime_after(game.board_at()).saturating_sub(events.saturating_mul(ASSUMED_APPEND_MS));
        if counted_ms > 0 && !room.timeouts.faults.has(InjectedFault::ChargeOutageOnReplay) {
            game.resume_clock(room.active_since.saturating_add(room.timeouts.restart_grace), counted_ms);
        }
        Ok(room)
    }

    /// The game as everyone sees it.
    pub fn game(&self) -> &Game {
        &self.game
    }

    /// Whether the holder of `seat` is there.
    pub fn connectivity(&self, seat: Seat) -> Connectivity {
        self.connectivity[seat.index()]
    }

    /// The same as the wire tells it, with the time until a claim if the seat is empty.
    pub fn presence(&self, seat: Seat, now: u64) -> (Presence, Option<u64>) {
        let claim_in = self.claimable_at(seat).map(|at| at.saturating_sub(now));
        match self.connectivity(seat) {
            Connectivity::Connected => (Presence::Here, None),
            Connectivity::Disconnected(_) => (Presence::Away, claim_in),
            Connectivity::Left(_) => (Presence::Left, claim_in),
        }
    }

    /// Notes that the holder of `seat` came or went.
    pub fn set_connectivity(&mut self, seat: Seat, connectivity: Connectivity) {
        self.connectivity[seat.index()] = connectivity;
    }

    /// Lets `ms` count for nobody's clock: they passed while nothing could be recorded. What a clock then
    /// shows is in the next event that records it, so that a replay needs not know.
    pub fn credit_time(&mut self, ms: u64) {
        self.game.credit_time(ms);
    }

    /// Takes in the next event, which is durable.
    ///
    /// # Panics
    /// When the room did not decide it: that is a bug, and the room is rebuilt from the log.
    pub fn apply(&mut self, event_record: &EventRecord) {
        if let Err(error) = self.try_apply(event_record) {
            panic!("a durable event does not fit the room: {error}");
        }
    }

    /// The game that ends with these events, which come next; none that ends without a move.
    pub fn finished_game(&self, events: &[EventRecord]) -> Option<FinishedGame> {
        let is_end = |event_record: &EventRecord| matches!(event_record.event, Event::Ended { .. });
        let end_index = events.iter().position(is_end)?;
        // Once a game, a copy is cheap.
        let mut game = self.game.clone();
        for event_record in &events[..=end_index] {
            game.apply(event_record).ok()?;
        }
        let record = game.record().filter(|record| !record.moves.is_empty())?;
        Some(FinishedGame {
            number: game.number(),
            ended_at: events[end_index].at,
            record: record.to_string(),
        })
    }

    fn try_apply(&mut self, event_record: &EventRecord) -> Result<(), FoldError> {
        self.game.apply(event_record)?;
        if let Some(by) = event_record.by {
            self.request_logs[by.seat.index()].record(by.id, event_record);
        }
        if let Event::Started { game } = event_record.event
            && game > 1
        {
            self.connectivity.swap(0, 1);
            self.request_logs.swap(0, 1);
        }
        Ok(())
    }

    /// What it means that somebody takes a seat: `wanted`, or the free one.
    ///
    /// # Errors
    /// When no such seat is free.
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

    /// What a request by the holder of `seat` leads to. Nothing changes here.
    ///
    /// # Errors
    /// The typed no.
    pub fn decide(
        &self,
        now: u64,
        seat: Seat,
        id: RequestId,
        command: RoomCommand,
    ) -> Result<Decision, Reject> {
        match self.request_logs[seat.index()].lookup(id, command, self.game.rules()) {
            Lookup::New => {}
            Lookup::Duplicate(_) if self.timeouts.faults.has(InjectedFault::RepeatDuplicateRequests) => {}
            Lookup::Duplicate(seq) => return Ok(Decision::Duplicate(seq)),
            Lookup::Conflict => return Err(RejectCode::IdReused.into()),
        }
        let events = match command {
            RoomCommand::Move { cell, seq } => self.decide_move(now, seat, cell, seq)?,
            RoomCommand::Resign => {
                self.check_playing()?;
                vec![self.end_event(now, Outcome::Resigned { winner: seat.other() })]
            }
            RoomCommand::Offer { offer } => self.decide_offer(now, seat, offer)?,
            RoomCommand::Accept { offer } => {
                self.check_offer_allowed(offer)?;
                if self.game.offered_by(offer) != Some(seat.other()) {
                    return Err(RejectCode::NoOffer.into());
                }
                if offer == Offer::Rematch && matches!(self.connectivity(seat.other()), Connectivity::Left(_))
                {
                    return Err(RejectCode::OpponentLeft.into());
                }
                self.decide_agreement(now, seat.other(), offer)?
            }
            RoomCommand::Decline { offer } => {
                if self.game.offered_by(offer).is_none() {
                    return Err(RejectCode::NoOffer.into());
                }
                vec![Event::Declined { seat, offer }]
            }
            RoomCommand::Claim { result } => self.decide_claim(now, seat, result)?,
            RoomCommand::Flag => {
                self.check_playing()?;
                vec![self.decide_flag(now).ok_or(RejectCode::FlagNotFallen)?]
            }
        };
        Ok(Decision::Events(events))
    }

    /// Whether a remark is about the game as it stands.
    pub fn check_remark(&self, remark: &EngineRemark) -> Result<(), Reject> {
        self.check_playing()?;
        if remark.seq < self.game.board_seq() || remark.seq > self.game.seq() {
            return Err(Reject::new(RejectCode::Stale).field("seq"));
        }
        if remark.line.iter().any(|cell| cell.index() >= self.game.rules().cells()) {
            return Err(Reject::new(RejectCode::OffBoard).field("line"));
        }
        Ok(())
    }

    fn decide_move(
        &self,
        now: u64,
        seat: Seat,
        cell: noughts_protocol::Cell,
        seq: Seq,
    ) -> Result<Vec<Event>, Reject> {
        self.check_playing()?;
        if seq < self.game.board_seq() || seq > self.game.seq() {
            return Err(Reject::new(RejectCode::Stale).field("seq"));
        }
        let cell = self.game.check_move(seat, cell)?;
        let left = self.game.clock().map(|clock| clock.left_after_move(seat, now));
        let moved = Event::Moved { seat, cell, left };
        match self.game.position().status_after(cell).expect("the game has just allowed it") {
            Status::Ongoing => Ok(vec![moved]),
            Status::Won(_) | Status::Drawn => {
                // The line is found on the board after the move: once a game, a copy is cheap.
                let mut after = self.game.position().clone();
                after.play(cell).expect("the board has just judged it");
                let outcome = after.outcome().expect("the board has just judged it over");
                Ok(vec![moved, Event::Ended { outcome, left }])
            }
        }
    }

    fn decide_offer(&self, now: u64, seat: Seat, offer: Offer) -> Result<Vec<Event>, Reject> {
        self.check_offer_allowed(offer)?;
        if matches!(self.connectivity(seat.other()), Connectivity::Left(_)) {
            return Err(RejectCode::OpponentLeft.into());
        }
        match self.game.offered_by(offer) {
            Some(by) if by == seat => return Err(RejectCode::AlreadyOffered.into()),
            Some(by) => return self.decide_agreement(now, by, offer),
            None => {}
        }
        if offer == Offer::Takeback && self.game.takeback_plies(seat).is_none() {
            return Err(RejectCode::NothingToTakeBack.into());
        }
        Ok(vec![Event::Offered { seat, offer }])
    }

    /// What follows when both want what `proposer` proposed.
    fn decide_agreement(&self, now: u64, proposer: Seat, offer: Offer) -> Result<Vec<Event>, Reject> {
        Ok(match offer {
            Offer::Draw => vec![self.end_event(now, Outcome::Agreed)],
            Offer::Takeback => {
                let plies = self.game.takeback_plies(proposer).ok_or(RejectCode::NothingToTakeBack)?;
                vec![Event::TakenBack { plies, left: self.game.left(now) }]
            }
            Offer::Rematch => vec![Event::Started { game: self.game.number() + 1 }],
        })
    }

    fn decide_claim(&self, now: u64, seat: Seat, result: Claim) -> Result<Vec<Event>, Reject> {
        self.check_playing()?;
        let absent = seat.other();
        let Some(at) = self.claimable_at(absent).filter(|_| self.game.position().turn() == absent) else {
            return Err(RejectCode::NotClaimable.into());
        };
        if now < at {
            return Err(Reject::new(RejectCode::NotClaimable).wait_ms(at - now));
        }
        let winner = match result {
            Claim::Win => Some(seat),
            Claim::Draw => None,
        };
        Ok(vec![self.end_event(now, Outcome::Abandoned { winner })])
    }

    fn check_playing(&self) -> Result<(), RejectCode> {
        match self.game.phase() {
            Phase::Playing => Ok(()),
            Phase::Waiting => Err(RejectCode::NotStarted),
            Phase::Over | Phase::Closed => Err(RejectCode::GameOver),
        }
    }

    /// Whether `offer` has its place now: a rematch after a game, the others in one.
    fn check_offer_allowed(&self, offer: Offer) -> Result<(), RejectCode> {
        match (offer, self.game.phase()) {
            (Offer::Draw | Offer::Takeback, _) => self.check_playing(),
            (Offer::Rematch, Phase::Over) => Ok(()),
            (Offer::Rematch, Phase::Playing) => Err(RejectCode::GameOn),
            (Offer::Rematch, Phase::Waiting) => Err(RejectCode::NotStarted),
            (Offer::Rematch, Phase::Closed) => Err(RejectCode::GameOver),
        }
    }

    fn end_event(&self, now: u64, outcome: Outcome) -> Event {
        Event::Ended { outcome, left: self.game.left(now) }
    }
}
