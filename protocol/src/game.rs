//! The game of a room: a fold of the room's events.
//!
//! The server, the terminal client and the bots hold the same [`Game`]. Events change it only in [`Game::apply`], in
//! order and without gaps; clock credits change it outside the history. [`referee::Referee`] decides which events may
//! follow.

pub mod event;
mod fold;
pub mod phase;
pub mod referee;
pub mod snapshot;

use std::fmt;

use crate::clock::Clock;
use crate::{
    Cell, Event, EventRecord, MatchScore, MoveError, Offer, Outcome, Phase, Player, Position,
    Record, RoomCloseReason, Rules, Seat, Seq, Snapshot, Status, TimeControl,
};

/// Number of moves of a game that cost no time in a room with free first moves: one for each side.
pub const FREE_MOVES: usize = 2;

/// Reason why a move is illegal in a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IllegalMove {
    /// No game has started.
    NotStarted,
    /// The other seat is to move.
    NotYourTurn,
    /// The board does not allow the move.
    Move(MoveError),
}

/// Error of applying an event. A client recovers by requesting a snapshot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FoldError {
    /// The event does not follow the last event.
    Gap {
        /// The next number.
        expected: Seq,
        /// The number of the event.
        got: Seq,
    },
    /// The state does not allow the event.
    Impossible {
        /// The number of the event.
        seq: Seq,
    },
}

/// The state of a room: a fold of its events from the first, or of a snapshot and the events after it.
#[derive(Clone, Debug)]
pub struct Game {
    seq: Seq,
    /// The last event that changed the board; a move against an older state is stale.
    board_seq: Seq,
    board_at: u64,
    last_event_at: u64,
    rules: Rules,
    public: bool,
    players: [Option<Player>; 2],
    number: u32,
    score: MatchScore,
    position: Position,
    control: Option<TimeControl>,
    free_first_moves: bool,
    clock: Option<Clock>,
    offers: [Option<Seat>; 3],
    outcome: Option<Outcome>,
    close_reason: Option<RoomCloseReason>,
}

impl Game {
    /// Returns the game after the first event of a room.
    ///
    /// # Errors
    /// [`FoldError`] when the event is not [`Event::Opened`] with number 1.
    pub fn open(first: &EventRecord) -> Result<Game, FoldError> {
        let expected = Seq::ZERO.next();
        if first.seq != expected {
            return Err(FoldError::Gap {
                expected,
                got: first.seq,
            });
        }
        let Event::Opened {
            rules,
            clock,
            public,
            free_first_moves,
        } = &first.event
        else {
            return Err(FoldError::Impossible { seq: first.seq });
        };
        Ok(Game {
            seq: first.seq,
            board_seq: first.seq,
            board_at: first.at,
            last_event_at: first.at,
            rules: *rules,
            public: *public,
            players: [None, None],
            number: 0,
            score: MatchScore::default(),
            position: Position::new(*rules),
            control: *clock,
            free_first_moves: *free_first_moves && clock.is_some(),
            clock: clock.map(Clock::new),
            offers: [None; 3],
            outcome: None,
            close_reason: None,
        })
    }

    /// Returns the game that a snapshot describes.
    ///
    /// # Errors
    /// [`FoldError::Impossible`] when the fields contradict each other.
    pub fn from_snapshot(snapshot: &Snapshot) -> Result<Game, FoldError> {
        let impossible_error = FoldError::Impossible { seq: snapshot.seq };
        let mut position = Position::new(snapshot.rules);
        for &cell in &snapshot.moves {
            position.play(cell).map_err(|_| impossible_error)?;
        }
        let phase = snapshot.phase;
        let mut clock = snapshot.clock.map(Clock::new);
        match (&mut clock, snapshot.left) {
            (Some(clock), Some(left)) => {
                clock.set(
                    left,
                    (phase == Phase::Playing).then(|| position.turn()),
                    snapshot.at,
                );
                if let (Phase::Playing, Some(shown)) = (phase, snapshot.shown) {
                    let turn = position.turn();
                    let used = shown[turn.index()]
                        .checked_sub(left[turn.index()])
                        .ok_or(impossible_error)?;
                    if position.ply() < FREE_MOVES {
                        clock.set_free(shown, turn, snapshot.at);
                        clock.resume(snapshot.at, used);
                    }
                }
            }
            (None, None) => {}
            (Some(_), None) | (None, Some(_)) => return Err(impossible_error),
        }
        if snapshot.shown.is_some() && snapshot.clock.is_none() {
            return Err(impossible_error);
        }
        let seated = snapshot.players.iter().all(Option::is_some);
        let has_started = snapshot.game > 0;
        let outcome = snapshot.outcome.as_ref();
        let is_consistent = match phase {
            Phase::Waiting => !seated && !has_started,
            Phase::Playing => {
                has_started && outcome.is_none() && position.status() == Status::Ongoing
            }
            Phase::Over => has_started && outcome.is_some(),
            Phase::Closed => true,
        };
        // A started game has both players; before the first game the board is empty.
        let is_complete = if has_started {
            seated
        } else {
            snapshot.moves.is_empty() && outcome.is_none()
        };
        let is_consistent = is_consistent
            && is_complete
            && outcome.is_none_or(|outcome| position.allows_outcome(outcome));
        if !is_consistent || (snapshot.close_reason.is_some() != (phase == Phase::Closed)) {
            return Err(impossible_error);
        }
        Ok(Game {
            seq: snapshot.seq,
            board_seq: snapshot.seq,
            board_at: snapshot.at,
            last_event_at: snapshot.at,
            rules: snapshot.rules,
            public: snapshot.public,
            players: snapshot.players.clone(),
            number: snapshot.game,
            score: snapshot.score,
            position,
            control: snapshot.clock,
            free_first_moves: snapshot.shown.is_some(),
            clock,
            offers: snapshot.offers,
            outcome: snapshot.outcome.clone(),
            close_reason: snapshot.close_reason,
        })
    }

    /// Returns the game that a checkpoint describes: a snapshot as of the last change of the board by event
    /// `board_seq`, and the time `at` of the last event.
    ///
    /// # Errors
    /// [`FoldError::Impossible`] when the parts contradict each other.
    pub fn from_checkpoint(
        snapshot: &Snapshot,
        board_seq: Seq,
        at: u64,
    ) -> Result<Game, FoldError> {
        if board_seq > snapshot.seq || at < snapshot.at {
            return Err(FoldError::Impossible { seq: snapshot.seq });
        }
        Ok(Game {
            board_seq,
            last_event_at: at,
            ..Game::from_snapshot(snapshot)?
        })
    }

    /// Returns the snapshot at `now`, the time of the server in milliseconds.
    pub fn snapshot(&self, now: u64) -> Snapshot {
        let phase = self.phase();
        Snapshot {
            seq: self.seq,
            at: now,
            rules: self.rules,
            clock: self.control,
            public: self.public,
            phase,
            players: self.players.clone(),
            game: self.number,
            score: self.score,
            moves: self.position.moves().to_vec(),
            turn: (phase == Phase::Playing).then(|| self.position.turn()),
            left: self
                .clock
                .map(|clock| Seat::ALL.map(|seat| clock.left(seat, now))),
            shown: self.left(now).filter(|_| self.free_first_moves),
            offers: self.offers,
            outcome: self.outcome.clone(),
            close_reason: self.close_reason,
        }
    }

    /// Checks a move of `seat`, and returns the cell where the stone would land.
    ///
    /// # Errors
    /// The reason why the move is illegal.
    pub fn check_move(&self, seat: Seat, cell: Cell) -> Result<Cell, IllegalMove> {
        match self.phase() {
            Phase::Waiting => Err(IllegalMove::NotStarted),
            Phase::Over | Phase::Closed => Err(IllegalMove::Move(MoveError::GameOver)),
            Phase::Playing if self.position.turn() != seat => Err(IllegalMove::NotYourTurn),
            Phase::Playing => self.position.landing_cell(cell).map_err(IllegalMove::Move),
        }
    }

    /// Returns the number of moves that a takeback by `seat` undoes: its last move, and the reply, if any. `None`
    /// before the first move of the seat, and while no game is running.
    pub fn takeback_plies(&self, seat: Seat) -> Option<u8> {
        let plies = if self.position.turn() == seat { 2 } else { 1 };
        (self.phase() == Phase::Playing && self.position.ply() >= usize::from(plies))
            .then_some(plies)
    }

    /// Returns the phase of the room.
    pub fn phase(&self) -> Phase {
        if self.close_reason.is_some() {
            Phase::Closed
        } else if self.outcome.is_some() {
            Phase::Over
        } else if self.number > 0 {
            Phase::Playing
        } else {
            Phase::Waiting
        }
    }

    /// Returns the milliseconds that the clocks of X and of O show at `now`; `None` without a clock.
    pub fn left(&self, now: u64) -> Option<[u64; 2]> {
        self.clock
            .map(|clock| Seat::ALL.map(|seat| clock.shown(seat, now)))
    }

    /// Returns the number of the last event.
    pub fn seq(&self) -> Seq {
        self.seq
    }

    /// Returns the number of the last event that changed the board, or began or ended a game on it. A move against an
    /// older state is stale.
    pub fn board_seq(&self) -> Seq {
        self.board_seq
    }

    /// Returns the time of the last event on the server, in milliseconds.
    pub fn last_event_at(&self) -> u64 {
        self.last_event_at
    }

    /// Returns the time of the last event that changed the board, or began or ended a game on it, in milliseconds.
    pub fn board_at(&self) -> u64 {
        self.board_at
    }

    /// Returns the rules of all games in the room.
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// Returns whether any client may find, join and watch the room.
    pub fn is_public(&self) -> bool {
        self.public
    }

    /// Returns the holder of a seat; `None` for a free seat.
    pub fn player(&self, seat: Seat) -> Option<&Player> {
        self.players[seat.index()].as_ref()
    }

    /// Returns the number of the running or last game; 0 before the first.
    pub fn number(&self) -> u32 {
        self.number
    }

    /// Returns the score of the series.
    pub fn score(&self) -> MatchScore {
        self.score
    }

    /// Returns the board of the running or last game.
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// Returns the time control; `None` without a clock.
    pub fn control(&self) -> Option<TimeControl> {
        self.control
    }

    /// Returns whether the first move of each side costs no time in this room.
    pub fn has_free_first_moves(&self) -> bool {
        self.free_first_moves
    }

    /// Returns the clock of the running or last game; `None` without a time control.
    pub fn clock(&self) -> Option<&Clock> {
        self.clock.as_ref()
    }

    /// Returns the proposer of a pending offer.
    pub fn offered_by(&self, offer: Offer) -> Option<Seat> {
        self.offers[offer.index()]
    }

    /// Returns the outcome of the last game, until the next begins.
    pub fn outcome(&self) -> Option<&Outcome> {
        self.outcome.as_ref()
    }

    /// Why the room closed; `None` while it is open.
    pub fn close_reason(&self) -> Option<RoomCloseReason> {
        self.close_reason
    }

    /// Continues the clock at `now` after an outage. The time since the opponent's move is not charged to the running
    /// seat.
    pub fn restart_clock(&mut self, now: u64) {
        if let Some(clock) = &mut self.clock {
            clock.resume(now, 0);
        }
    }

    /// Credits `ms` milliseconds to the running clock, because the server could not record events during that time.
    pub fn credit_time(&mut self, ms: u64) {
        if let Some(clock) = &mut self.clock {
            clock.credit_time(ms);
        }
    }

    /// Returns the game as a record. `None` before both seats are taken.
    pub fn record(&self) -> Option<Record> {
        let [Some(x), Some(o)] = &self.players else {
            return None;
        };
        Some(Record {
            rules: self.rules,
            control: self.control,
            players: [x.name.to_string(), o.name.to_string()],
            identities: [x.identity, o.identity],
            moves: self.position.moves().to_vec(),
            outcome: self.outcome.clone(),
        })
    }
}

impl fmt::Display for IllegalMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            IllegalMove::NotStarted => f.write_str("the game has not started"),
            IllegalMove::NotYourTurn => f.write_str("it is not your turn"),
            IllegalMove::Move(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for IllegalMove {}

impl fmt::Display for FoldError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FoldError::Gap { expected, got } => {
                write!(f, "got event {got}, expected event {expected}")
            }
            FoldError::Impossible { seq } => write!(f, "event {seq} is impossible in this state"),
        }
    }
}

impl std::error::Error for FoldError {}
