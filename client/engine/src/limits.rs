//! Limits and result of a search.

use std::time::Duration;

use noughts_protocol::Cell;
use noughts_protocol::wire::Evaluation;

/// When a search ends at the latest. Without any limit it ends when the game is solved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SearchLimits {
    /// Plies to look ahead.
    pub depth: Option<u32>,
    /// Positions to look at: the same number gives the same answer on every machine.
    pub nodes: Option<u64>,
    /// Time to use, by the clock that the caller passes in.
    pub time: Option<Duration>,
}

/// What a search came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchResult {
    /// The move to make: the cell where the mark will lie.
    pub best: Cell,
    /// What the position is worth to the side to move.
    pub score: Evaluation,
    /// How many plies were looked ahead in full.
    pub depth: u32,
    /// How many positions were looked at.
    pub nodes: u64,
    /// What both sides are expected to play, beginning with `best`.
    pub pv: Vec<Cell>,
}
