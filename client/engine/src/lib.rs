//! The bot's thinking: which move to make on any board of the family.
//!
//! The search is pure: the position, the limits, the time and the wish to stop come in as arguments.
//! Only [`think`] reads a clock, for callers who have none of their own.

mod board;
pub mod book;
mod cells;
mod force;
mod level;
mod meter;
mod mirror;
mod pairing;
mod proof;
mod root;
mod search;
mod shape;
mod solve;
mod table;
#[cfg(test)]
mod tests;
mod think;

use std::time::Duration;

use noughts_protocol::Cell;

pub use level::{Level, LevelError};
pub use noughts_protocol::wire::Score;
pub use root::{choose, judge};
pub use think::think;

/// When a search ends at the latest. Without any limit it ends when the game is solved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// Plies to look ahead.
    pub depth: Option<u32>,
    /// Positions to look at: the same number gives the same answer on every machine.
    pub nodes: Option<u64>,
    /// Time to use, by the clock that the caller passes in.
    pub time: Option<Duration>,
}

/// What a search came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// The move to make: the cell where the mark will lie.
    pub best: Cell,
    /// What the position is worth to the side to move.
    pub score: Score,
    /// How many plies were looked ahead in full.
    pub depth: u32,
    /// How many positions were looked at.
    pub nodes: u64,
    /// What both sides are expected to play, beginning with `best`.
    pub line: Vec<Cell>,
}
