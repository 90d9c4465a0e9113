//! Phase of a room, and the score of its series of games.

use serde::{Deserialize, Serialize};

/// Phase of a room. Follows from the events, see [`Game::phase`](crate::Game::phase).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// A seat is free.
    Waiting,
    /// A game is running.
    Playing,
    /// The last game is over; a rematch may follow.
    Over,
    /// The room is closed; no event follows.
    Closed,
}

/// Games won and drawn in a room. Wins belong to the player: they change seats with the players.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MatchScore {
    /// Games won by the current holder of X, and of O.
    pub wins: [u32; 2],
    /// Games drawn.
    pub draws: u32,
}
