//! A search on the thread that reads the input, for the time of a few hand-overs between threads.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::time::Instant;

use crate::engine::{self, SearchResult};
use crate::engines::player_engine::search_request::SearchRequest;

/// Maximum time of the attempt. It is lost when the search does not finish.
const BRIEF_SEARCH_TIME: Duration = Duration::from_micros(500);
/// Maximum number of cells of a board whose search reads the clock often enough.
const BRIEF_SEARCH_CELLS_MAX: usize = 64;

/// A finished search.
#[derive(Debug)]
pub(super) struct BriefSearch {
    /// The results of the iterations.
    pub(super) progress: Vec<SearchResult>,
    /// `None` stands for no legal move.
    pub(super) report: Option<SearchResult>,
}

/// Searches until [`BRIEF_SEARCH_TIME`] after `started_at`. `None` if the search has not finished by then, and with a time limit,
/// because such a search does not always read the clock.
pub(super) fn search_briefly(request: &SearchRequest, started_at: Instant) -> Option<BriefSearch> {
    let SearchRequest {
        position,
        level,
        limits,
        seed,
        ..
    } = request;
    if position.rules().cells() > BRIEF_SEARCH_CELLS_MAX || limits.time.is_some() {
        return None;
    }
    let is_halted = AtomicBool::new(false);
    let elapsed = || {
        let elapsed = started_at.elapsed();
        if elapsed >= BRIEF_SEARCH_TIME {
            is_halted.store(true, Ordering::Relaxed);
        }
        elapsed
    };
    let mut progress = Vec::new();
    let report = engine::best_move_with_progress(
        position,
        *level,
        *limits,
        *seed,
        &elapsed,
        &is_halted,
        &mut |report| progress.push(report),
    );
    // A search that was halted has a result of no value.
    (!is_halted.load(Ordering::Relaxed)).then_some(BriefSearch { progress, report })
}
