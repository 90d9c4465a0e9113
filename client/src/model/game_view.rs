//! The displayed game, in a room on a server or local, and the times of the next changes of its countdowns.

use std::borrow::Cow;
use std::collections::VecDeque;

use noughts_protocol::wire::{Phrase, Presence};
use noughts_protocol::{
    Cell, Game, Offer, Outcome, Phase, Position, ResumeToken, RoomCode, RoomId, RoomRef, Seat,
};

use crate::engine::Level;
use crate::facts::{EngineEvaluation, NextMove, PlayerRef};
use crate::input::{Action, KeyContext};
use crate::model::analysis::Analysis;
use crate::model::local_game::{LocalGame, LocalPlayer};
use crate::model::motion::Motion;
use crate::puzzle::PuzzleGame;

/// For this number of milliseconds after the end of a game or a change of its menu, the menu ignores keys that also
/// have a meaning during a game.
const MENU_GUARD_MS: u64 = 1000;

/// Maximum number of phrases that the screen of a game shows.
const MAX_PHRASES: usize = 6;

/// A game with the state of its view.
#[derive(Debug)]
pub(crate) struct GameView {
    /// The public state of the game.
    pub game: Game,
    pub host: GameHost,
    pub cursor: Cell,
    /// The move that was sent and has not been confirmed.
    pub pending_move: Option<PendingMove>,
    /// Whether the lines through the cursor are shown.
    pub show_guide_lines: bool,
    /// The number of moves in the displayed earlier position; `None` shows the current position.
    pub viewed_ply: Option<usize>,
    /// The selected entry of the menu after a game; `None` means the first entry.
    pub menu_selection: Option<Action>,
    /// Time when the entries of the menu after the game last changed, on the scale of the model's `now`.
    pub menu_changed_at: Option<u64>,
    /// Time when the game ended, on the scale of the model's `now`, if the screen showed its end.
    pub ended_at: Option<u64>,
    /// The latest change of the board, while it is animated.
    pub motion: Option<Motion>,
    /// The analysis of the finished game, while it covers the game.
    pub analysis: Option<Box<Analysis>>,
    /// Whether the finished game was passed to the store of own games.
    pub is_kept: bool,
}

#[derive(Debug)]
pub(crate) enum GameHost {
    Server(RoomView),
    Local(LocalGame),
}

/// A move that was sent and has not been confirmed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PendingMove {
    /// Cell where the stone comes to rest.
    pub cell: Cell,
}

#[derive(Debug)]
pub(crate) struct RoomView {
    pub id: RoomId,
    /// The player's seat in the current game; `None` for a spectator.
    pub seat: Option<Seat>,
    /// The code, if the room is private.
    pub code: Option<RoomCode>,
    /// The secret that grants the seat.
    pub token: Option<ResumeToken>,
    /// Estimate of the server's time minus the model's `now`.
    pub clock_offset_ms: i64,
    /// Presence of the players of X and O.
    pub presence: [PlayerPresence; 2],
    /// Lag of the players of X and O in milliseconds.
    pub lag: [Option<u32>; 2],
    pub spectators: u32,
    /// Whether the QR code of the player's own room is shown.
    pub is_qr_shown: bool,
    /// Whether the phrases of other players are hidden.
    pub is_muted: bool,
    /// The latest phrases, the oldest first. At most [`MAX_PHRASES`].
    pub phrases: VecDeque<(PlayerRef, Phrase)>,
    /// Whether this program runs a bot in a seat of the room.
    pub has_own_bot: bool,
    /// Latest evaluations by the engines of X and O. Only spectators receive them.
    pub evaluations: [Option<EngineEvaluation>; 2],
    /// The call for a bot to take the absent opponent's seat.
    pub substitute: Option<SubstituteCall>,
    /// Time when the room was lost, on the scale of the model's `now`.
    pub gone_since: Option<u64>,
}

/// A call for a bot to take the absent opponent's seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SubstituteCall {
    /// Level of a bot of this program.
    pub level: Level,
    /// Time when that bot starts, on the scale of the model's `now`; `None` after its start.
    pub own_bot_at: Option<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PlayerPresence {
    pub presence: Presence,
    /// The earliest time when the opponent can claim the game, on the scale of the model's `now`.
    pub claim_at: Option<u64>,
}

impl Default for PlayerPresence {
    fn default() -> PlayerPresence {
        PlayerPresence {
            presence: Presence::Connected,
            claim_at: None,
        }
    }
}

impl RoomView {
    /// Creates the state of a room when the client enters it.
    pub(crate) fn new(id: RoomId, seat: Option<Seat>, code: Option<RoomCode>) -> RoomView {
        RoomView {
            id,
            seat,
            code,
            token: None,
            clock_offset_ms: 0,
            presence: [PlayerPresence::default(); 2],
            lag: [None; 2],
            spectators: 0,
            is_qr_shown: false,
            is_muted: false,
            phrases: VecDeque::new(),
            has_own_bot: false,
            evaluations: [None, None],
            substitute: None,
            gone_since: None,
        }
    }

    /// Adds a phrase, and drops the oldest phrase if there are too many.
    pub(crate) fn add_phrase(&mut self, who: PlayerRef, phrase: Phrase) {
        if self.phrases.len() == MAX_PHRASES {
            self.phrases.pop_front();
        }
        self.phrases.push_back((who, phrase));
    }

    /// Returns the reference that lets others join: the code of a private room, or else the id.
    pub(crate) fn room_ref(&self) -> RoomRef {
        self.code.map_or(RoomRef::Id(self.id), RoomRef::Code)
    }
}

impl GameView {
    /// Creates a view with the cursor in the middle of the board.
    pub(crate) fn new(game: Game, host: GameHost) -> GameView {
        let sides = game.rules().sides();
        let middle: Vec<u8> = sides.iter().map(|side| (side - 1) / 2).collect();
        let cursor = game.rules().cell_at(&middle).unwrap_or(Cell::new(0));
        GameView {
            game,
            host,
            cursor,
            pending_move: None,
            show_guide_lines: false,
            viewed_ply: None,
            menu_selection: None,
            menu_changed_at: None,
            ended_at: None,
            motion: None,
            analysis: None,
            is_kept: false,
        }
    }

    /// Returns the cell that the cursor selects. With gravity, it is the cell where a stone would come to rest.
    pub(crate) fn effective_cursor(&self) -> Cell {
        if self.game.rules().gravity() {
            self.game
                .position()
                .landing_cell(self.cursor)
                .unwrap_or(self.cursor)
        } else {
            self.cursor
        }
    }

    /// Returns the number of moves between the displayed position and the current position; `None` if the current
    /// position is displayed.
    pub(crate) fn plies_back(&self) -> Option<usize> {
        let live = self.game.position().ply();
        // Moves may have been taken back in the meantime.
        self.viewed_ply
            .filter(|&ply| ply < live)
            .map(|ply| live - ply)
    }

    /// Returns the position to display.
    pub(crate) fn shown_position(&self) -> Cow<'_, Position> {
        let live = self.game.position();
        let Some(plies_back) = self.plies_back() else {
            return Cow::Borrowed(live);
        };
        let mut position = live.clone();
        for _ in 0..plies_back {
            position.undo();
        }
        Cow::Owned(position)
    }

    /// Shows the position after this number of moves. At the last move, shows the current position, which follows the
    /// game.
    pub(crate) fn step_to(&mut self, ply: usize) {
        self.viewed_ply = (ply < self.game.position().ply()).then_some(ply);
    }

    /// Returns the room; `None` for a local game.
    pub(crate) fn room(&self) -> Option<&RoomView> {
        match &self.host {
            GameHost::Server(room) => Some(room),
            GameHost::Local(_) => None,
        }
    }

    pub(crate) fn puzzle(&self) -> Option<&PuzzleGame> {
        match &self.host {
            GameHost::Server(_) => None,
            GameHost::Local(local) => local.puzzle(),
        }
    }

    pub(crate) fn room_mut(&mut self) -> Option<&mut RoomView> {
        match &mut self.host {
            GameHost::Server(room) => Some(room),
            GameHost::Local(_) => None,
        }
    }

    /// Returns the seat of the only person at this terminal; `None` for spectators, and if two people or no person play
    /// here.
    pub(crate) fn own_seat(&self) -> Option<Seat> {
        match &self.host {
            GameHost::Server(room) => room.seat,
            GameHost::Local(local) => local.sole_person(),
        }
    }

    /// Returns the seat that a person at this terminal can act for: the player's own seat, or with two people the side
    /// to move.
    pub(crate) fn acting_seat(&self) -> Option<Seat> {
        match &self.host {
            GameHost::Server(room) => room.seat,
            GameHost::Local(local) => local
                .sole_person()
                .or_else(|| local.has_person().then(|| self.game.position().turn())),
        }
    }

    /// Returns whether it is the turn of a person at this terminal.
    pub(crate) fn can_move(&self) -> bool {
        self.game.phase() == Phase::Playing
            && self.acting_seat() == Some(self.game.position().turn())
    }

    pub(crate) fn opponent(&self) -> Option<Seat> {
        self.own_seat().map(Seat::other)
    }

    /// Returns the player in a seat, for notifications; `None` if the seat is free.
    pub(crate) fn player_ref(&self, seat: Seat) -> Option<PlayerRef> {
        let player = self.game.player(seat)?;
        Some(PlayerRef {
            seat,
            name: player.name.clone(),
            you: self.own_seat() == Some(seat),
            identity: player.identity,
        })
    }

    /// Returns both players; `None` while a seat is free.
    pub(crate) fn players(&self) -> Option<[PlayerRef; 2]> {
        Some([self.player_ref(Seat::X)?, self.player_ref(Seat::O)?])
    }

    /// Returns whether both players have the same name. Then only their tags tell them apart.
    pub(crate) fn has_namesakes(&self) -> bool {
        let [x, o] = Seat::ALL.map(|seat| self.game.player(seat).map(|player| &player.name));
        x.is_some() && x == o
    }

    /// Returns the side to move, for notifications.
    pub(crate) fn next_move(&self) -> NextMove {
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
            GameHost::Local(local) if *local.player(turn) == LocalPlayer::Person => self
                .player_ref(turn)
                .map_or(NextMove::Other, NextMove::Local),
            GameHost::Server(_) | GameHost::Local(_) => NextMove::Other,
        }
    }

    /// Returns whether the room is closed or lost.
    pub(crate) fn is_closed(&self) -> bool {
        self.game.close_reason().is_some()
            || self.room().is_some_and(|room| room.gone_since.is_some())
    }

    /// Returns whether the game is over, or its room is closed or lost.
    pub(crate) fn has_ended(&self) -> bool {
        matches!(self.game.phase(), Phase::Over | Phase::Closed) || self.is_closed()
    }

    /// Returns whether the opponent has left the room for good.
    pub(crate) fn has_opponent_left(&self) -> bool {
        let presence = self
            .opponent()
            .zip(self.room())
            .map(|(seat, room)| room.presence[seat.index()].presence);
        presence == Some(Presence::Left)
    }

    /// Returns whether the player at this terminal has lost the finished game.
    pub(crate) fn has_lost(&self) -> bool {
        let winner = self
            .game
            .outcome()
            .and_then(noughts_protocol::Outcome::winner);
        winner.is_some() && winner == self.opponent()
    }

    /// Returns whether the menu after a game ignores keys, because the player may have pressed them for the game or for
    /// an earlier entry.
    pub(crate) fn is_menu_guarded(&self, now: u64) -> bool {
        let is_recent = |at: u64| now < at + MENU_GUARD_MS;
        self.ended_at.is_some_and(is_recent) || self.menu_changed_at.is_some_and(is_recent)
    }

    /// Resets the view at the start of a game.
    pub(crate) fn on_game_started(&mut self) {
        (self.viewed_ply, self.analysis, self.pending_move) = (None, None, None);
        self.is_kept = false;
        (self.menu_selection, self.menu_changed_at, self.ended_at) = (None, None, None);
        if let Some(room) = self.room_mut() {
            room.evaluations = [None, None];
        }
    }

    /// Prepares the view for the end of a game at `now`. Moves the cursor to the winning line, so that a board that
    /// scrolls shows the line.
    pub(crate) fn on_game_ended(&mut self, outcome: &Outcome, now: u64) {
        (self.pending_move, self.ended_at) = (None, Some(now));
        if let Some(line) = outcome.line() {
            self.cursor = line.cells[line.cells.len() / 2];
        }
    }

    /// Returns whether the player may make this offer: during a game, unless it has already been made.
    pub(crate) fn can_offer(&self, offer: Offer) -> bool {
        let Some(seat) = self
            .acting_seat()
            .filter(|_| self.game.phase() == Phase::Playing && self.puzzle().is_none())
        else {
            return false;
        };
        match offer {
            Offer::Draw => self.game.offered_by(offer) != Some(seat),
            Offer::Takeback => {
                // With two people at one terminal, the side that has just moved takes back.
                let seat = self.own_seat().unwrap_or_else(|| seat.other());
                self.game.offered_by(offer) != Some(seat)
                    && self.game.takeback_plies(seat).is_some()
            }
            Offer::Rematch => false,
        }
    }

    /// Returns whether the opponent has made an offer that the player can accept or decline.
    pub(crate) fn has_offer_to_answer(&self) -> bool {
        self.opponent().is_some_and(|opponent| {
            Offer::ALL
                .into_iter()
                .any(|offer| self.game.offered_by(offer) == Some(opponent))
        })
    }

    /// Returns whether the player has made an offer that can be withdrawn.
    pub(crate) fn has_own_offer(&self) -> bool {
        self.own_seat().is_some_and(|own| {
            Offer::ALL
                .into_iter()
                .any(|offer| self.game.offered_by(offer) == Some(own))
        })
    }

    /// Returns whether the opponent offers a rematch.
    pub(crate) fn is_rematch_offered(&self) -> bool {
        self.opponent()
            .is_some_and(|opponent| self.game.offered_by(Offer::Rematch) == Some(opponent))
    }

    /// Returns the context that determines the meaning of keys.
    pub(crate) fn key_context(&self) -> KeyContext {
        if self.analysis.is_some() {
            return KeyContext::Analysis;
        }
        let seated = self.acting_seat().is_some();
        match self.game.phase() {
            Phase::Waiting if seated => KeyContext::OwnRoom,
            Phase::Playing if seated && !self.is_closed() => KeyContext::Playing,
            Phase::Playing | Phase::Over | Phase::Closed if seated => KeyContext::GameOver,
            Phase::Waiting | Phase::Playing | Phase::Over | Phase::Closed => match &self.host {
                GameHost::Server(_) => KeyContext::Watching,
                // After a game between bots, the person who watches can start a rematch.
                GameHost::Local(_) if self.game.phase() == Phase::Over => KeyContext::GameOver,
                GameHost::Local(_) => KeyContext::Watching,
            },
        }
    }

    /// Returns the milliseconds left for X and O at the model's `now`; `None` without a clock.
    pub(crate) fn time_left(&self, now: u64) -> Option<[u64; 2]> {
        // When the room is lost, the clock stops.
        let now = self.room().and_then(|room| room.gone_since).unwrap_or(now);
        self.game.left(self.server_time(now))
    }

    /// Returns the milliseconds left for the first move of the side to move, while its clock is stopped; `None` while a
    /// clock runs.
    pub(crate) fn first_move_left(&self, now: u64) -> Option<u64> {
        let clock = self.game.clock().filter(|clock| clock.is_free())?;
        Some(clock.flag_at()?.saturating_sub(self.server_time(now)))
    }

    /// Converts the model's `now` to the time scale of the game's events.
    pub(crate) fn server_time(&self, now: u64) -> u64 {
        self.room()
            .map_or(now, |room| now.saturating_add_signed(room.clock_offset_ms))
    }

    /// Updates the clock offset from a server time. Keeps the largest offset, because it comes from the message with
    /// the shortest delay.
    pub(crate) fn sync_clock(&mut self, now: u64, at: u64) {
        let offset_ms = i64::try_from(at)
            .unwrap_or(i64::MAX)
            .saturating_sub(i64::try_from(now).unwrap_or(i64::MAX));
        if let Some(room) = self.room_mut() {
            room.clock_offset_ms = if room.clock_offset_ms == 0 {
                offset_ms
            } else {
                room.clock_offset_ms.max(offset_ms)
            };
        }
    }

    /// Returns whether the player can claim the game: the opponent is to move, and the opponent's grace period is over.
    pub(crate) fn can_claim(&self, now: u64) -> bool {
        let (Some(room), Some(opponent)) = (self.room(), self.opponent()) else {
            return false;
        };
        self.game.phase() == Phase::Playing
            && self.game.position().turn() == opponent
            && room.presence[opponent.index()]
                .claim_at
                .is_some_and(|at| at <= now)
    }

    /// Returns whether the game was aborted before both players had moved. The client does not keep such a game.
    pub(crate) fn is_aborted_early(&self) -> bool {
        self.game.outcome() == Some(&Outcome::Aborted) && self.game.position().ply() < 2
    }

    /// Returns the next time when the view changes without input.
    pub(super) fn deadline(&self, now: u64) -> Option<u64> {
        let is_gone = self.room().is_some_and(|room| room.gone_since.is_some());
        let clock = (self.game.phase() == Phase::Playing && !is_gone)
            .then(|| {
                self.game
                    .clock()
                    .and_then(noughts_protocol::clock::Clock::flag_at)
            })
            .flatten()
            .and_then(|flag| next_clock_change(self.server_time(now), flag))
            .map(|at| now + (at - self.server_time(now)));
        let room = self.room().into_iter().flat_map(|room| room.presence);
        let claims = room
            .filter_map(|attendance| attendance.claim_at)
            .filter_map(|at| next_countdown_change(now, at));
        let local = match &self.host {
            GameHost::Local(local) => local.move_due_at(),
            GameHost::Server(_) => None,
        };
        let own_bot = self.room().and_then(|room| room.substitute?.own_bot_at);
        clock
            .into_iter()
            .chain(claims)
            .chain(local)
            .chain(own_bot)
            .chain(self.motion.and_then(|motion| motion.next_frame_at(now)))
            .min()
    }
}

/// Remaining time below which a clock shows tenths of a second, in milliseconds.
const TENTHS_BELOW_MS: u64 = 10_000;

/// Returns the time, after `now`, when a countdown to `end` shows its next second; `None` after its end. Both times are
/// in milliseconds on the same scale.
pub(super) fn next_countdown_change(now: u64, end: u64) -> Option<u64> {
    next_change(now, end, 1000)
}

/// Returns the time, after `now`, when a clock that runs out at `end` changes: every second, or every tenth of a second
/// below ten seconds.
pub(super) fn next_clock_change(now: u64, end: u64) -> Option<u64> {
    let is_low = end.saturating_sub(now) <= TENTHS_BELOW_MS;
    next_change(now, end, if is_low { 100 } else { 1000 })
}

fn next_change(now: u64, end: u64, step: u64) -> Option<u64> {
    let left = end.checked_sub(now).filter(|&left| left > 0)?;
    Some(
        now + if left.is_multiple_of(step) {
            step
        } else {
            left % step
        },
    )
}

/// Returns the time, after `now`, when a display of `elapsed` time shows its next second.
pub(super) fn next_elapsed_change(now: u64, elapsed: u64) -> u64 {
    now + 1000 - elapsed % 1000
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_changes_by_seconds_and_at_the_end_by_tenths() {
        assert_eq!(next_clock_change(0, 60_000), Some(1000));
        assert_eq!(next_clock_change(0, 59_400), Some(400));
        assert_eq!(next_clock_change(0, 10_000), Some(100));
        assert_eq!(next_clock_change(0, 9_950), Some(50));
        assert_eq!(next_clock_change(5, 5), None);
        assert_eq!(next_countdown_change(0, 9_950), Some(950));
    }

    #[test]
    fn elapsed_seconds_change_on_the_second() {
        for (now, next) in [(500, 1500), (1499, 1500), (1500, 2500), (2600, 3500)] {
            assert_eq!(next_elapsed_change(now, now - 500), next);
        }
    }
}
