//! A board with somebody at it: a room of a server, or a game on this terminal.

use std::borrow::Cow;

use noughts_protocol::wire::{Presence, Score};
use noughts_protocol::{Cell, Code, Game, Phase, Position, ResumeToken, RoomId, RoomRef, Seat};

use super::{Next, Who, next_second};
use crate::input::Context;
use crate::local::{Local, Side};

/// The table.
#[derive(Debug)]
pub struct Table {
    /// The game, as everyone sees it.
    pub game: Game,
    /// Where it is played.
    pub place: Place,
    /// The cell under the cursor.
    pub cursor: Cell,
    /// The move that is on its way.
    pub pending: Option<Pending>,
    /// Whether the lines through the cursor are shown.
    pub guide: bool,
    /// A spectator has stepped back to the position after so many moves, while the game goes on.
    pub back: Option<usize>,
}

/// Where a game is played.
#[derive(Debug)]
pub enum Place {
    /// On a server.
    Online(Room),
    /// On this terminal.
    Here(Local),
}

/// A move that is on its way: at most one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pending {
    /// Where the mark would lie.
    pub cell: Cell,
}

/// A room, as this client sees it beside the game.
#[derive(Debug)]
pub struct Room {
    /// Its id.
    pub id: RoomId,
    /// Our seat in the game that is on; none for a spectator.
    pub seat: Option<Seat>,
    /// The code of a private room.
    pub code: Option<Code>,
    /// The right to our seat.
    pub token: Option<ResumeToken>,
    /// The server's milliseconds minus ours, as far as its messages tell.
    pub ahead: i64,
    /// Whether the players are there: X, then O.
    pub attendance: [Attendance; 2],
    /// The lag of both in milliseconds.
    pub lag: [Option<u32>; 2],
    /// How many watch.
    pub watching: u32,
    /// What the players' programs thought last, for those who watch.
    pub remarks: [Option<Thinks>; 2],
    /// Since when the server no longer knows this room, on the scale of the model's `now`.
    pub gone: Option<u64>,
}

/// What a player's program thinks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Thinks {
    /// What the position was worth to it.
    pub score: Score,
    /// What it expected both sides to play from there.
    pub line: Vec<Cell>,
}

/// Whether a player is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attendance {
    /// How it is.
    pub presence: Presence,
    /// When the other may claim the game, on the scale of the model's `now`.
    pub claim_at: Option<u64>,
}

impl Default for Attendance {
    fn default() -> Attendance {
        Attendance { presence: Presence::Here, claim_at: None }
    }
}

impl Room {
    /// A room just entered.
    pub fn new(id: RoomId, seat: Option<Seat>, code: Option<Code>) -> Room {
        Room {
            id,
            seat,
            code,
            token: None,
            ahead: 0,
            attendance: [Attendance::default(); 2],
            lag: [None; 2],
            watching: 0,
            remarks: [None, None],
            gone: None,
        }
    }

    /// How others name this room.
    pub fn reference(&self) -> RoomRef {
        self.code.map_or(RoomRef::Id(self.id), RoomRef::Code)
    }
}

impl Table {
    /// A table where nothing was touched yet, the cursor in the middle.
    pub fn new(game: Game, place: Place) -> Table {
        let sides = game.rules().sides();
        let middle: Vec<u8> = sides.iter().map(|side| (side - 1) / 2).collect();
        let cursor = game.rules().cell_at(&middle).unwrap_or(Cell::new(0));
        Table { game, place, cursor, pending: None, guide: false, back: None }
    }

    /// How many moves what is shown lies behind the game; none when it is live.
    pub fn behind(&self) -> Option<usize> {
        let live = self.game.position().ply();
        // Moves may have been taken back since.
        self.back.filter(|&ply| ply < live).map(|ply| live - ply)
    }

    /// The position to show: that of the game, unless one has stepped back.
    pub fn shown(&self) -> Cow<'_, Position> {
        let live = self.game.position();
        let Some(behind) = self.behind() else { return Cow::Borrowed(live) };
        let mut shown = live.clone();
        for _ in 0..behind {
            shown.undo();
        }
        Cow::Owned(shown)
    }

    /// Steps to the position after so many moves; beyond the last one it is live again.
    pub fn look_at(&mut self, ply: usize) {
        self.back = (ply < self.game.position().ply()).then_some(ply);
    }

    /// The room, if the game is on a server.
    pub fn room(&self) -> Option<&Room> {
        match &self.place {
            Place::Online(room) => Some(room),
            Place::Here(_) => None,
        }
    }

    /// The same, to be changed.
    pub fn room_mut(&mut self) -> Option<&mut Room> {
        match &mut self.place {
            Place::Online(room) => Some(room),
            Place::Here(_) => None,
        }
    }

    /// The one seat of the player at this terminal; none for spectators, and when several or none sit here.
    pub fn own_seat(&self) -> Option<Seat> {
        match &self.place {
            Place::Online(room) => room.seat,
            Place::Here(local) => local.only_person(),
        }
    }

    /// The seat for which somebody at this terminal may act now: one's own, or here the one to move.
    pub fn acting_seat(&self) -> Option<Seat> {
        match &self.place {
            Place::Online(room) => room.seat,
            Place::Here(local) => {
                local.only_person().or_else(|| local.has_person().then(|| self.game.position().turn()))
            }
        }
    }

    /// Whether somebody at this terminal is to move.
    pub fn may_move(&self) -> bool {
        self.game.phase() == Phase::Playing && self.acting_seat() == Some(self.game.position().turn())
    }

    /// The seat of the other player, seen from here.
    pub fn opponent(&self) -> Option<Seat> {
        self.own_seat().map(Seat::other)
    }

    /// The holder of a seat as one speaks of them; none for a free seat.
    pub fn who(&self, seat: Seat) -> Option<Who> {
        let name = self.game.player(seat)?.name.clone();
        Some(Who { seat, name, you: self.own_seat() == Some(seat) })
    }

    /// Both players, once both are there.
    pub fn both(&self) -> Option<[Who; 2]> {
        Some([self.who(Seat::X)?, self.who(Seat::O)?])
    }

    /// Who is to move, as far as it is worth saying.
    pub fn next(&self) -> Next {
        let turn = self.game.position().turn();
        if self.game.phase() != Phase::Playing {
            return Next::Other;
        }
        match &self.place {
            Place::Online(room) if room.seat == Some(turn) => Next::You,
            Place::Here(local) if *local.side(turn) == Side::Person && local.only_person().is_some() => {
                Next::You
            }
            Place::Here(local) if *local.side(turn) == Side::Person => {
                self.who(turn).map_or(Next::Other, Next::Here)
            }
            Place::Online(_) | Place::Here(_) => Next::Other,
        }
    }

    /// Whether there is no room any more, so that nothing can follow.
    pub fn is_closed(&self) -> bool {
        self.game.closing().is_some() || self.room().is_some_and(|room| room.gone.is_some())
    }

    /// What keys are about at this table.
    pub fn context(&self) -> Context {
        let seated = self.acting_seat().is_some();
        match self.game.phase() {
            Phase::Waiting if seated => Context::OwnRoom,
            Phase::Playing if seated => Context::Playing,
            Phase::Over if seated => Context::Over,
            Phase::Closed if seated => Context::Over,
            Phase::Waiting | Phase::Playing | Phase::Over | Phase::Closed => match &self.place {
                Place::Online(_) => Context::Watching,
                // Nobody but bots here: somebody watches, and may let them play again.
                Place::Here(_) if self.game.phase() == Phase::Over => Context::Over,
                Place::Here(_) => Context::Watching,
            },
        }
    }

    /// Milliseconds left to both at the model's `now`; none without a clock.
    pub fn left(&self, now: u64) -> Option<[u64; 2]> {
        // Where the room is gone, the clock stood still then.
        let now = self.room().and_then(|room| room.gone).unwrap_or(now);
        self.game.left(self.server_time(now))
    }

    /// The time on the scale of the game's events.
    pub fn server_time(&self, now: u64) -> u64 {
        self.room().map_or(now, |room| now.saturating_add_signed(room.ahead))
    }

    /// Learns how far the server's clock is ahead: a message that took less time says it better, so the
    /// greatest difference seen is kept.
    pub fn heard_time(&mut self, now: u64, at: u64) {
        let ahead =
            i64::try_from(at).unwrap_or(i64::MAX).saturating_sub(i64::try_from(now).unwrap_or(i64::MAX));
        if let Some(room) = self.room_mut() {
            room.ahead = if room.ahead == 0 { ahead } else { room.ahead.max(ahead) };
        }
    }

    /// Whether the opponent has stayed away so long that the game may be claimed: on its turn.
    pub fn may_claim(&self, now: u64) -> bool {
        let (Some(room), Some(opponent)) = (self.room(), self.opponent()) else { return false };
        self.game.phase() == Phase::Playing
            && self.game.position().turn() == opponent
            && room.attendance[opponent.index()].claim_at.is_some_and(|at| at <= now)
    }

    /// When something here changes by time alone.
    pub(super) fn deadline(&self, now: u64) -> Option<u64> {
        let gone = self.room().is_some_and(|room| room.gone.is_some());
        let clock = (self.game.phase() == Phase::Playing && !gone)
            .then(|| self.game.clock().and_then(noughts_protocol::clock::Clock::flag_at))
            .flatten()
            .and_then(|flag| next_second(self.server_time(now), flag))
            .map(|at| now + (at - self.server_time(now)));
        let room = self.room().into_iter().flat_map(|room| room.attendance);
        let claims = room.filter_map(|attendance| attendance.claim_at).filter_map(|at| next_second(now, at));
        let local = match &self.place {
            Place::Here(local) => local.due(),
            Place::Online(_) => None,
        };
        clock.into_iter().chain(claims).chain(local).min()
    }
}
