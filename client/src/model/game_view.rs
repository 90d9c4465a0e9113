//! A board with somebody at it: a room of a server, or a game on this terminal.

use std::borrow::Cow;

use noughts_protocol::wire::Presence;
use noughts_protocol::{Cell, Game, Phase, Position, ResumeToken, RoomCode, RoomId, RoomRef, Seat};

use super::countdown::next_countdown_change;
use crate::facts::{EngineEvaluation, NextMove, PlayerRef};
use crate::input::KeyContext;
use crate::local::{LocalGame, LocalPlayer};

/// The table.
#[derive(Debug)]
pub struct GameView {
    /// The game, as everyone sees it.
    pub game: Game,
    /// Where it is played.
    pub host: GameHost,
    /// The cell under the cursor.
    pub cursor: Cell,
    /// The move that is on its way.
    pub pending_move: Option<PendingMove>,
    /// Whether the lines through the cursor are shown.
    pub show_guide_lines: bool,
    /// A spectator has stepped back to the position after so many moves, while the game goes on.
    pub viewed_ply: Option<usize>,
}

/// Where a game is played.
#[derive(Debug)]
pub enum GameHost {
    /// On a server.
    Server(RoomView),
    /// On this terminal.
    Local(LocalGame),
}

/// A move that is on its way: at most one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PendingMove {
    /// Where the mark would lie.
    pub cell: Cell,
}

/// A room, as this client sees it beside the game.
#[derive(Debug)]
pub struct RoomView {
    /// Its id.
    pub id: RoomId,
    /// Our seat in the game that is on; none for a spectator.
    pub seat: Option<Seat>,
    /// The code of a private room.
    pub code: Option<RoomCode>,
    /// The right to our seat.
    pub token: Option<ResumeToken>,
    /// The server's milliseconds minus ours, as far as its messages tell.
    pub clock_offset_ms: i64,
    /// Whether the players are there: X, then O.
    pub presence: [PlayerPresence; 2],
    /// The lag of both in milliseconds.
    pub lag: [Option<u32>; 2],
    /// How many watch.
    pub spectators: u32,
    /// What the players' programs thought last, for those who watch.
    pub evaluations: [Option<EngineEvaluation>; 2],
    /// Since when the server no longer knows this room, on the scale of the model's `now`.
    pub gone_since: Option<u64>,
}

/// Whether a player is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlayerPresence {
    /// How it is.
    pub presence: Presence,
    /// When the other may claim the game, on the scale of the model's `now`.
    pub claim_at: Option<u64>,
}

impl Default for PlayerPresence {
    fn default() -> PlayerPresence {
        PlayerPresence { presence: Presence::Here, claim_at: None }
    }
}

impl RoomView {
    /// A room just entered.
    pub fn new(id: RoomId, seat: Option<Seat>, code: Option<RoomCode>) -> RoomView {
        RoomView {
            id,
            seat,
            code,
            token: None,
            clock_offset_ms: 0,
            presence: [PlayerPresence::default(); 2],
            lag: [None; 2],
            spectators: 0,
            evaluations: [None, None],
            gone_since: None,
        }
    }

    /// How others name this room.
    pub fn room_ref(&self) -> RoomRef {
        self.code.map_or(RoomRef::Id(self.id), RoomRef::Code)
    }
}

impl GameView {
    /// A table where nothing was touched yet, the cursor in the middle.
    pub fn new(game: Game, host: GameHost) -> GameView {
        let sides = game.rules().sides();
        let middle: Vec<u8> = sides.iter().map(|side| (side - 1) / 2).collect();
        let cursor = game.rules().cell_at(&middle).unwrap_or(Cell::new(0));
        GameView { game, host: host, cursor, pending_move: None, show_guide_lines: false, viewed_ply: None }
    }

    /// The cell that the cursor stands for: with gravity, the cell where a stone would come to rest.
    pub fn effective_cursor(&self) -> Cell {
        if self.game.rules().gravity() {
            self.game.position().landing_cell(self.cursor).unwrap_or(self.cursor)
        } else {
            self.cursor
        }
    }

    /// How many moves what is shown lies behind the game; none when it is live.
    pub fn plies_back(&self) -> Option<usize> {
        let live = self.game.position().ply();
        // Moves may have been taken back since.
        self.viewed_ply.filter(|&ply| ply < live).map(|ply| live - ply)
    }

    /// The position to show: that of the game, unless one has stepped back.
    pub fn shown_position(&self) -> Cow<'_, Position> {
        let live = self.game.position();
        let Some(plies_back) = self.plies_back() else { return Cow::Borrowed(live) };
        let mut position = live.clone();
        for _ in 0..plies_back {
            position.undo();
        }
        Cow::Owned(position)
    }

    /// Steps to the position after so many moves; beyond the last one it is live again.
    pub fn step_to(&mut self, ply: usize) {
        self.viewed_ply = (ply < self.game.position().ply()).then_some(ply);
    }

    /// The room, if the game is on a server.
    pub fn room(&self) -> Option<&RoomView> {
        match &self.host {
            GameHost::Server(room) => Some(room),
            GameHost::Local(_) => None,
        }
    }

    /// The same, to be changed.
    pub fn room_mut(&mut self) -> Option<&mut RoomView> {
        match &mut self.host {
            GameHost::Server(room) => Some(room),
            GameHost::Local(_) => None,
        }
    }

    /// The one seat of the player at this terminal; none for spectators, and when several or none sit here.
    pub fn own_seat(&self) -> Option<Seat> {
        match &self.host {
            GameHost::Server(room) => room.seat,
            GameHost::Local(local) => local.sole_person(),
        }
    }

    /// The seat for which somebody at this terminal may act now: one's own, or here the one to move.
    pub fn acting_seat(&self) -> Option<Seat> {
        match &self.host {
            GameHost::Server(room) => room.seat,
            GameHost::Local(local) => {
                local.sole_person().or_else(|| local.has_person().then(|| self.game.position().turn()))
            }
        }
    }

    /// Whether somebody at this terminal is to move.
    pub fn can_move(&self) -> bool {
        self.game.phase() == Phase::Playing && self.acting_seat() == Some(self.game.position().turn())
    }

    /// The seat of the other player, seen from here.
    pub fn opponent(&self) -> Option<Seat> {
        self.own_seat().map(Seat::other)
    }

    /// The holder of a seat as one speaks of them; none for a free seat.
    pub fn player_ref(&self, seat: Seat) -> Option<PlayerRef> {
        let name = self.game.player(seat)?.name.clone();
        Some(PlayerRef { seat, name, you: self.own_seat() == Some(seat) })
    }

    /// Both players, once both are there.
    pub fn players(&self) -> Option<[PlayerRef; 2]> {
        Some([self.player_ref(Seat::X)?, self.player_ref(Seat::O)?])
    }

    /// Who is to move, as far as it is worth saying.
    pub fn next_move(&self) -> NextMove {
        let turn = self.game.position().turn();
        if self.game.phase() != Phase::Playing {
            return NextMove::Other;
        }
        match &self.host {
            GameHost::Server(room) if room.seat == Some(turn) => NextMove::You,
            GameHost::Local(local)
                if *local.player(turn) == LocalPlayer::Person && local.sole_person().is_some() =>
            {
                NextMove::You
            }
            GameHost::Local(local) if *local.player(turn) == LocalPlayer::Person => {
                self.player_ref(turn).map_or(NextMove::Other, NextMove::Local)
            }
            GameHost::Server(_) | GameHost::Local(_) => NextMove::Other,
        }
    }

    /// Whether there is no room any more, so that nothing can follow.
    pub fn is_closed(&self) -> bool {
        self.game.close_reason().is_some() || self.room().is_some_and(|room| room.gone_since.is_some())
    }

    /// What keys are about at this table.
    pub fn key_context(&self) -> KeyContext {
        let seated = self.acting_seat().is_some();
        match self.game.phase() {
            Phase::Waiting if seated => KeyContext::OwnRoom,
            Phase::Playing if seated => KeyContext::Playing,
            Phase::Over if seated => KeyContext::GameOver,
            Phase::Closed if seated => KeyContext::GameOver,
            Phase::Waiting | Phase::Playing | Phase::Over | Phase::Closed => match &self.host {
                GameHost::Server(_) => KeyContext::Watching,
                // Nobody but bots here: somebody watches, and may let them play again.
                GameHost::Local(_) if self.game.phase() == Phase::Over => KeyContext::GameOver,
                GameHost::Local(_) => KeyContext::Watching,
            },
        }
    }

    /// Milliseconds left to both at the model's `now`; none without a clock.
    pub fn time_left(&self, now: u64) -> Option<[u64; 2]> {
        // Where the room is gone, the clock stood still then.
        let now = self.room().and_then(|room| room.gone_since).unwrap_or(now);
        self.game.left(self.server_time(now))
    }

    /// The time on the scale of the game's events.
    pub fn server_time(&self, now: u64) -> u64 {
        self.room().map_or(now, |room| now.saturating_add_signed(room.clock_offset_ms))
    }

    /// Learns how far the server's clock is ahead: a message that took less time says it better, so the
    /// greatest difference seen is kept.
    pub fn sync_clock(&mut self, now: u64, at: u64) {
        let offset_ms =
            i64::try_from(at).unwrap_or(i64::MAX).saturating_sub(i64::try_from(now).unwrap_or(i64::MAX));
        if let Some(room) = self.room_mut() {
            room.clock_offset_ms =
                if room.clock_offset_ms == 0 { offset_ms } else { room.clock_offset_ms.max(offset_ms) };
        }
    }

    /// Whether the opponent has stayed away so long that the game may be claimed: on its turn.
    pub fn can_claim(&self, now: u64) -> bool {
        let (Some(room), Some(opponent)) = (self.room(), self.opponent()) else { return false };
        self.game.phase() == Phase::Playing
            && self.game.position().turn() == opponent
            && room.presence[opponent.index()].claim_at.is_some_and(|at| at <= now)
    }

    /// When something here changes by time alone.
    pub(super) fn deadline(&self, now: u64) -> Option<u64> {
        let is_gone = self.room().is_some_and(|room| room.gone_since.is_some());
        let clock = (self.game.phase() == Phase::Playing && !is_gone)
            .then(|| self.game.clock().and_then(noughts_protocol::clock::Clock::flag_at))
            .flatten()
            .and_then(|flag| next_countdown_change(self.server_time(now), flag))
            .map(|at| now + (at - self.server_time(now)));
        let room = self.room().into_iter().flat_map(|room| room.presence);
        let claims =
            room.filter_map(|attendance| attendance.claim_at).filter_map(|at| next_countdown_change(now, at));
        let local = match &self.host {
            GameHost::Local(local) => local.move_due_at(),
            GameHost::Server(_) => None,
        };
        clock.into_iter().chain(claims).chain(local).min()
    }
}
