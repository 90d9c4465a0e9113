//! The bot's thinking: which move to make on any board of the family.
//!
//! The search is pure: the position, the limits, the time and the wish to stop come in as arguments.
//! Only [`best_move_timed`] reads a clock, for callers who have none of their own.

mod alpha_beta;
mod board;
pub mod book;
mod dfpn;
mod level;
mod root_search;
mod solver;
mod strategies;
#[cfg(test)]
mod tests;
mod vcf;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use noughts_protocol::{Cell, Position};

pub use level::{Level, LevelError};
pub use noughts_protocol::wire::Evaluation;
pub use root_search::{best_move, evaluate};

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

/// Thinks about a position for at most `budget`, or until `stop` is set; blocks meanwhile, so call it on
/// a thread that may block. `None` when the game is over: there is no move.
///
/// The seed decides between moves that look the same.
pub fn best_move_timed(
    position: Position,
    level: Level,
    budget: Duration,
    seed: u64,
    stop: Arc<AtomicBool>,
) -> Option<SearchResult> {
    #[expect(clippy::disallowed_methods, reason = "the one place where the engine's time begins")]
    let started_at = Instant::now();
    let limits = SearchLimits { time: Some(budget), ..SearchLimits::default() };
    best_move(&position, level, limits, seed, &|| started_at.elapsed(), &stop)
}
