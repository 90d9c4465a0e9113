//! Types of a search: its limits and its result.

use std::time::Duration;

use noughts_protocol::Cell;
use noughts_protocol::wire::Evaluation;

/// Limits of a search; the first one reached ends it. Without a limit the search ends when the game is solved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SearchLimits {
    /// Maximum depth in plies.
    pub depth: Option<u32>,
    /// Maximum number of positions. The same number gives the same result on every machine.
    pub nodes: Option<u64>,
    /// Maximum time, on the clock that the caller passes.
    pub time: Option<Duration>,
}

/// Result of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchResult {
    /// The best move: the cell where the stone lands.
    pub best: Cell,
    /// Evaluation for the side to move.
    pub score: Evaluation,
    /// Depth of the last complete iteration in plies.
    pub depth: u32,
    /// Number of positions visited.
    pub nodes: u64,
    /// The principal variation, beginning with `best`.
    pub pv: Vec<Cell>,
}
