//! A search by the wall clock, for callers who have none of their own.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use noughts_protocol::Position;

use super::{Level, SearchLimits, SearchResult, best_move};

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
