//! Entries of the room list and of the lobby.

use serde::{Deserialize, Serialize};

use crate::{Phase, Player, PlayerKind, RoomId, Rules, Seat, TimeControl};

/// A public room in the room list and in the lobby.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RoomListing {
    /// The id, for `join` and `watch`.
    pub room: RoomId,
    /// Rules of the game.
    pub rules: Rules,
    /// Time control; absent without a clock.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock: Option<TimeControl>,
    /// Phase of the room: a waiting room has a seat to take.
    pub phase: Phase,
    /// The players of X and of O; null for a free seat.
    pub players: [Option<Player>; 2],
    /// Number of moves of the running or last game.
    pub moves: u32,
    /// Members of the room without a seat, without previews.
    pub spectators: u32,
    /// In the lobby: the seat of an absent player that a bot may take with `join`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub open_seat: Option<Seat>,
}

/// An open seek in the room list. A `seek` for the same rules and clock, and not for the same seat, is paired with it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenSeek {
    /// The player who waits.
    pub player: Player,
    /// Rules of the game.
    pub rules: Rules,
    /// Time control; absent without a clock.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock: Option<TimeControl>,
    /// The wanted seat; absent for any seat.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seat: Option<Seat>,
    /// The only kind of opponent that the seeker plays; absent for people and bots.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opponents: Option<PlayerKind>,
}

impl OpenSeek {
    /// Returns whether a player of this kind may accept the seek.
    pub fn admits(&self, kind: PlayerKind) -> bool {
        self.opponents.is_none_or(|wanted| wanted == kind)
    }
}
