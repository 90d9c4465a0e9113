//! The whole view of a room at one place in its history.

use serde::{Deserialize, Serialize};

use crate::{Cell, MatchScore, Outcome, Phase, Player, RoomCloseReason, Rules, Seat, Seq, TimeControl};

/// All that there is to see of a room after event `seq`. Pairs are X's, then O's.
///
/// A snapshot and the events after it make the same state as all the events from the first:
/// [`Game::from_snapshot`](crate::Game::from_snapshot).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Snapshot {
    /// The last event that it contains.
    pub seq: Seq,
    /// The server's time when it was made: milliseconds since 1970-01-01 UTC. `left` is as of then.
    pub at: u64,
    /// What is played.
    pub rules: Rules,
    /// The time for each side; absent without a clock.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock: Option<TimeControl>,
    /// Whether anyone may find the room.
    pub public: bool,
    /// Where the room is in its life.
    pub phase: Phase,
    /// Who sits where; null for a free seat.
    pub players: [Option<Player>; 2],
    /// The number of the running or last game; 0 before the first.
    pub game: u32,
    /// The score of the series.
    pub score: MatchScore,
    /// The cells of this game's moves in order; X moved first.
    pub moves: Vec<Cell>,
    /// Whose turn it is; absent unless a game is on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<Seat>,
    /// Milliseconds left; absent without a clock.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left: Option<[u64; 2]>,
    /// Who has proposed a draw, a takeback, a rematch and waits for the answer; null for nobody.
    pub offers: [Option<Seat>; 3],
    /// How the last game ended; absent while one is on or before the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome>,
    /// Why the room closed; absent before.
    #[serde(rename = "closing", default, skip_serializing_if = "Option::is_none")]
    pub close_reason: Option<RoomCloseReason>,
}
