//! One room, pure: what may happen in it, what then happens, and when it has to be woken.
//!
//! It knows no log, no runtime and no socket. Its game changes only in [`Room::apply`], by events
//! that the log has accepted; attendance, which is not part of the history, changes in
//! [`Room::attend`]. Times are the server's milliseconds.

mod answered;
pub mod audience;
pub mod handle;
mod image;
mod patience;
pub mod task;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use noughts_protocol::wire::{Claim, Command, Presence, Reject, RejectCode, Remark};
use noughts_protocol::{
    Event, FoldError, Game, Offer, Outcome, Phase, Player, RequestId, Seat, Seq, Stamped, Status,
};

use crate::fault::Fault;
use crate::lived::{Lived, UNNOTED};
use crate::log::{Finished, Stored};
use answered::{Answered, Earlier};
pub use patience::Patience;

/// Whether the holder of a seat is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Attendance {
    /// Connected.
    Here,
    /// The connection was lost at this time.
    Away(u64),
    /// Went on purpose at this time.
    Left(u64),
}

/// What a request leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// These events, once they are durable; the first answers the request.
    Events(Vec<Event>),
    /// Nothing: it was done before, by this event.
    Already(Seq),
}

/// A room: the fold of its events, and who of its players is there.
#[derive(Clone, Debug)]
pub struct Room {
    game: Game,
    /// By seat; swaps with the players.
    attendance: [Attendance; 2],
    /// What each player was answered last; swaps with the players.
    answered: [Answered; 2],
    /// When the room was opened, or taken up again: what happened before is no reason to give it up.
    since: u64,
    /// The same for all rooms.
    patience: Arc<Patience>,
}

impl Room {
    /// A room after its first event; nobody has come yet.
    ///
    /// # Errors
    /// When that is not [`Event::Opened`].
    pub fn open(first: &Stamped, patience: Arc<Patience>) -> Result<Room, FoldError> {
        let game = Game::open(first)?;
        let attendance = [Attendance::Away(first.at); 2];
        Ok(Room { game, attendance, answered: Default::default(), since: first.at, patience })
    }

    /// A room with this history, as after a restart at `now`, or at its last event if `now` is before
    /// that: nobody is connected, and the time since counts for nobody.
    ///
    /// # Errors
    /// When it is not a room's history.
    pub fn replay(stored: &Stored, patience: Arc<Patience>, now: u64) -> Result<Room, FoldError> {
        let (mut room, rest) = match (&stored.image, stored.events.split_first()) {
            (Some(image), _) => (Room::from_image(image, patience)?, &stored.events[..]),
            (None, Some((first, rest))) => (Room::open(first, patience)?, rest),
            (None, None) => return Err(FoldError::Gap { expected: Seq::ZERO.next(), got: Seq::ZERO }),
        };
        for stamped in rest {
            room.try_apply(stamped)?;
        }
        // The machine's clock may have been set back.
        let now = now.max(room.game.at());
        room.attendance = [Attendance::Away(now); 2];
        room.since = now;
        // Players were told when to come back: until then nobody's clock runs.
        if !room.patience.faults.has(Fault::ReplayByTheClock) {
            room.game.credit_outage(now.saturating_add(room.patience.back), 0);
        }
        Ok(room)
    }

    /// A room with this history, whose clock ran as long as a server `lived` to see it: only the outage
    /// counts for nobody.
    ///
    /// # Errors
    /// When it is not a room's history.
    pub fn resume(
        stored: &Stored,
        patience: Arc<Patience>,
        now: u64,
        lived: &Lived,
    ) -> Result<Room, FoldError> {
        let mut room = Room::replay(stored, patience, now)?;
        let game = &mut room.game;
        // What recording them took is in none of them, and was nobody's.
        let events = game.seq().get() - game.board_seq().get() + 1;
        let used = lived.after(game.board_at()).saturating_sub(events.saturating_mul(UNNOTED));
        if used > 0 && !room.patience.faults.has(Fault::ReplayByTheClock) {
            game.credit_outage(room.since.saturating_add(room.patience.back), used);
        }
        Ok(room)
    }

    /// The game as everyone sees it.
    pub fn game(&self) -> &Game {
        &self.game
    }

    /// Whether the holder of `seat` is there.
    pub fn attendance(&self, seat: Seat) -> Attendance {
        self.attendance[seat.index()]
    }

    /// The same as the wire tells it, with the time until a claim if the seat is empty.
    pub fn presence(&self, seat: Seat, now: u64) -> (Presence, Option<u64>) {
        let claim_in = self.claimable_at(seat).map(|at| at.saturating_sub(now));
        match self.attendance(seat) {
            Attendance::Here => (Presence::Here, None),
            Attendance::Away(_) => (Presence::Away, claim_in),
            Attendance::Left(_) => (Presence::Left, claim_in),
        }
    }

    /// Notes that the holder of `seat` came or went.
    pub fn attend(&mut self, seat: Seat, attendance: Attendance) {
        self.attendance[seat.index()] = attendance;
    }

    /// Lets `ms` count for nobody's clock: they passed while nothing could be recorded. What a clock then
    /// shows is in the next event that records it, so that a replay needs not know.
    pub fn credit(&mut self, ms: u64) {
        self.game.credit(ms);
    }

    /// Takes in the next event, which is durable.
    ///
    /// # Panics
    /// When the room did not decide it: that is a bug, and the room is rebuilt from the log.
    pub fn apply(&mut self, stamped: &Stamped) {
        if let Err(error) = self.try_apply(stamped) {
            panic!("a durable event does not fit the room: {error}");
        }
    }

    /// The game that ends with these events, which come next; none that ends without a move.
    pub fn finished_by(&self, events: &[Stamped]) -> Option<Finished> {
        let is_end = |stamped: &Stamped| matches!(stamped.event, Event::Ended { .. });
        let ending = events.iter().position(is_end)?;
        // Once a game, a copy is cheap.
        let mut game = self.game.clone();
        for stamped in &events[..=ending] {
            game.apply(stamped).ok()?;
        }
        let record = game.record().filter(|record| !record.moves.is_empty())?;
        Some(Finished { number: game.number(), ended: events[ending].at, record: record.to_string() })
    }

    fn try_apply(&mut self, stamped: &Stamped) -> Result<(), FoldError> {
        self.game.apply(stamped)?;
        if let Some(by) = stamped.by {
            self.answered[by.seat.index()].note(by.id, stamped);
        }
        if let Event::Started { game } = stamped.event
            && game > 1
        {
            self.attendance.swap(0, 1);
            self.answered.swap(0, 1);
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
    pub fn decide(&self, now: u64, seat: Seat, id: RequestId, command: Command) -> Result<Decision, Reject> {
        match self.answered[seat.index()].earlier(id, command, self.game.rules()) {
            Earlier::Never => {}
            Earlier::Same(_) if self.patience.faults.has(Fault::ForgetAnswers) => {}
            Earlier::Same(seq) => return Ok(Decision::Already(seq)),
            Earlier::Different => return Err(RejectCode::IdReused.into()),
        }
        let events = match command {
            Command::Move { cell, seq } => self.decide_move(now, seat, cell, seq)?,
            Command::Resign => {
                self.playing()?;
                vec![self.ended(now, Outcome::Resigned { winner: seat.other() })]
            }
            Command::Offer { offer } => self.decide_offer(now, seat, offer)?,
            Command::Accept { offer } => {
                self.open_to(offer)?;
                if self.game.offered(offer) != Some(seat.other()) {
                    return Err(RejectCode::NoOffer.into());
                }
                if offer == Offer::Rematch && matches!(self.attendance(seat.other()), Attendance::Left(_)) {
                    return Err(RejectCode::OpponentLeft.into());
                }
                self.agreed(now, seat.other(), offer)?
            }
            Command::Decline { offer } => {
                if self.game.offered(offer).is_none() {
                    return Err(RejectCode::NoOffer.into());
                }
                vec![Event::Declined { seat, offer }]
            }
            Command::Claim { result } => self.decide_claim(now, seat, result)?,
            Command::Flag => {
                self.playing()?;
                vec![self.flag_fallen(now).ok_or(RejectCode::FlagNotFallen)?]
            }
        };
        Ok(Decision::Events(events))
    }

    /// Whether a remark is about the game as it stands.
    pub fn may_be_told(&self, remark: &Remark) -> Result<(), Reject> {
        self.playing()?;
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
        self.playing()?;
        if seq < self.game.board_seq() || seq > self.game.seq() {
            return Err(Reject::new(RejectCode::Stale).field("seq"));
        }
        let cell = self.game.check_move(seat, cell)?;
        let left = self.game.clock().map(|clock| clock.after_move(seat, now));
        let moved = Event::Moved { seat, cell, left };
        match self.game.position().judge(cell).expect("the game has just allowed it") {
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
        self.open_to(offer)?;
        if matches!(self.attendance(seat.other()), Attendance::Left(_)) {
            return Err(RejectCode::OpponentLeft.into());
        }
        match self.game.offered(offer) {
            Some(by) if by == seat => return Err(RejectCode::AlreadyOffered.into()),
            Some(by) => return self.agreed(now, by, offer),
            None => {}
        }
        if offer == Offer::Takeback && self.game.takeback_plies(seat).is_none() {
            return Err(RejectCode::NothingToTakeBack.into());
        }
        Ok(vec![Event::Offered { seat, offer }])
    }

    /// What follows when both want what `proposer` proposed.
    fn agreed(&self, now: u64, proposer: Seat, offer: Offer) -> Result<Vec<Event>, Reject> {
        Ok(match offer {
            Offer::Draw => vec![self.ended(now, Outcome::Agreed)],
            Offer::Takeback => {
                let plies = self.game.takeback_plies(proposer).ok_or(RejectCode::NothingToTakeBack)?;
                vec![Event::TakenBack { plies, left: self.game.left(now) }]
            }
            Offer::Rematch => vec![Event::Started { game: self.game.number() + 1 }],
        })
    }

    fn decide_claim(&self, now: u64, seat: Seat, result: Claim) -> Result<Vec<Event>, Reject> {
        self.playing()?;
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
        Ok(vec![self.ended(now, Outcome::Abandoned { winner })])
    }

    fn playing(&self) -> Result<(), RejectCode> {
        match self.game.phase() {
            Phase::Playing => Ok(()),
            Phase::Waiting => Err(RejectCode::NotStarted),
            Phase::Over | Phase::Closed => Err(RejectCode::GameOver),
        }
    }

    /// Whether `offer` has its place now: a rematch after a game, the others in one.
    fn open_to(&self, offer: Offer) -> Result<(), RejectCode> {
        match (offer, self.game.phase()) {
            (Offer::Draw | Offer::Takeback, _) => self.playing(),
            (Offer::Rematch, Phase::Over) => Ok(()),
            (Offer::Rematch, Phase::Playing) => Err(RejectCode::GameOn),
            (Offer::Rematch, Phase::Waiting) => Err(RejectCode::NotStarted),
            (Offer::Rematch, Phase::Closed) => Err(RejectCode::GameOver),
        }
    }

    fn ended(&self, now: u64, outcome: Outcome) -> Event {
        Event::Ended { outcome, left: self.game.left(now) }
    }
}
