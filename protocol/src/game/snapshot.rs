//! The whole public state of a room after an event.

use serde::{Deserialize, Serialize};

use crate::{
    Cell, MatchScore, Outcome, Phase, Player, RoomCloseReason, Rules, Seat, Seq, TimeControl,
};

/// The public state of a room after event `seq`. Arrays of two hold the values of X and O, in this order.
///
/// [`Game::from_snapshot`](crate::Game::from_snapshot) builds the game. A snapshot and the events after it give the
/// same game as all events from the first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Snapshot {
    /// Number of the last event in the snapshot.
    pub seq: Seq,
    /// Time of the snapshot on the server in milliseconds since 1970-01-01 UTC. `left` refers to this time.
    pub at: u64,
    /// Rules of all games in the room.
    pub rules: Rules,
    /// Time control; absent without a clock.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock: Option<TimeControl>,
    /// Whether any client may find, join and watch the room.
    pub public: bool,
    /// Phase of the room.
    pub phase: Phase,
    /// The holders of the seats; null for a free seat.
    pub players: [Option<Player>; 2],
    /// Number of the running or last game; 0 before the first.
    pub game: u32,
    /// Score of the series.
    pub score: MatchScore,
    /// Cells of the stones of this game in the order of play; X moved first.
    pub moves: Vec<Cell>,
    /// The seat to move; absent unless a game is running.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<Seat>,
    /// Milliseconds left to X and to O; absent without a clock.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left: Option<[u64; 2]>,
    /// Milliseconds that the clocks of X and of O show, in a room where the first move of each side costs no time;
    /// absent in other rooms. Until each side has moved, the side to move must move within the time in `left`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shown: Option<[u64; 2]>,
    /// The proposers of a draw, a takeback and a rematch; null for each offer that is not pending.
    pub offers: [Option<Seat>; 3],
    /// Outcome of the last game; absent while a game is running and before the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome>,
    /// Why the room closed; absent while it is open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub close_reason: Option<RoomCloseReason>,
}
