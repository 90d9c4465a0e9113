//! A search by the wall clock, for callers who have none of their own.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use noughts_protocol::Position;

use super::{Level, Limits, Report, choose};

/// Thinks about a position for at most `budget`, or until `stop` is set; blocks meanwhile, so call it on
/// a thread that may block. `None` when the game is over: there is no move.
///
/// The seed decides between moves that look the same.
pub fn think(
    position: Position,
    level: Level,
    budget: Duration,
    seed: u64,
    stop: Arc<AtomicBool>,
) -> Option<Report> {
    #[expect(clippy::disallowed_methods, reason = "the one place where the engine's time begins")]
    let began = Instant::now();
    let limits = Limits { time: Some(budget), ..Limits::default() };
    choose(&position, level, limits, seed, &|| began.elapsed(), &stop)
}
