//! What a search can tell people about a game: the value of each free cell, and where a finished game was
//! lost. Pure: the time and the wish to stop come in as arguments.

mod review;
mod values;

use std::cmp::Ordering;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use noughts_protocol::{Position, Record, Status};

use crate::engine::{self, Evaluation, SearchLimits, SearchResult};

pub use review::{GameReview, MoveLoss, ReviewedMove, review_game};
pub use values::{MoveValues, evaluate_moves};

/// What is to be found out.
#[derive(Clone, Debug)]
pub enum AnalysisRequest {
    /// The value of each free cell.
    Values(Position),
    /// What each move of a game was worth.
    Review(Box<Record>),
}

/// What was found out.
#[derive(Clone, Debug)]
pub enum AnalysisResult {
    /// The value of each free cell; none when the game is over.
    Values(Option<MoveValues>),
    /// What each move was worth.
    Review(GameReview),
}

/// How the time and the wish to stop come in.
#[derive(Clone, Copy)]
pub struct StopAndClock<'a> {
    /// The time since the study began.
    pub elapsed: &'a dyn Fn() -> Duration,
    /// Ends it with what it has found so far.
    pub stop: &'a AtomicBool,
}

impl std::fmt::Debug for StopAndClock<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Watch").field("stop", &self.stop).finish_non_exhaustive()
    }
}

/// What can be found out within a time.
pub fn analyse(
    request: &AnalysisRequest,
    time: Duration,
    stop_and_clock: StopAndClock<'_>,
) -> AnalysisResult {
    match request {
        AnalysisRequest::Values(position) => {
            AnalysisResult::Values(evaluate_moves(position, time, stop_and_clock))
        }
        AnalysisRequest::Review(record) => AnalysisResult::Review(review_game(record, time, stop_and_clock)),
    }
}

/// A search that begins now and ends `until` then.
fn search(
    position: &Position,
    depth: Option<u32>,
    nodes: Option<u64>,
    deadline: Duration,
    stop_and_clock: StopAndClock<'_>,
) -> Option<SearchResult> {
    let began = (stop_and_clock.elapsed)();
    let limits = SearchLimits { depth, nodes, time: Some(deadline.saturating_sub(began)) };
    engine::evaluate(position, limits, &|| (stop_and_clock.elapsed)() - began, stop_and_clock.stop)
}

/// The value of a finished position for the side that has just moved.
fn terminal_score(status: Status, mover: noughts_protocol::Seat) -> Option<Evaluation> {
    match status {
        Status::Ongoing => None,
        Status::Drawn => Some(Evaluation::Draw),
        Status::Won(seat) if seat == mover => Some(Evaluation::Win(1)),
        Status::Won(_) => Some(Evaluation::Loss(1)),
    }
}

/// What a value of the side to move is worth to the one who has just moved there.
fn score_for_parent(score: Evaluation) -> Evaluation {
    match score {
        Evaluation::Loss(plies) => Evaluation::Win(plies + 1),
        Evaluation::Estimate(estimate) => Evaluation::Estimate(-estimate),
        Evaluation::Draw => Evaluation::Draw,
        Evaluation::Win(plies) => Evaluation::Loss(plies + 1),
    }
}

/// Whether more thought changes nothing.
fn is_proven(score: Evaluation) -> bool {
    match score {
        Evaluation::Loss(_) | Evaluation::Draw | Evaluation::Win(_) => true,
        Evaluation::Estimate(_) => false,
    }
}

/// Which of two values is better: a quick win before a late one, a late loss before a quick one. A draw
/// counts as an estimate of nothing.
fn compare_scores(one: Evaluation, other: Evaluation) -> Ordering {
    let key = |score: Evaluation| match score {
        Evaluation::Win(plies) => (2, -i64::from(plies)),
        Evaluation::Estimate(estimate) => (1, i64::from(estimate)),
        Evaluation::Draw => (1, 0),
        Evaluation::Loss(plies) => (0, i64::from(plies)),
    };
    key(one).cmp(&key(other))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_in_order() {
        let order = [
            Evaluation::Loss(2),
            Evaluation::Loss(8),
            Evaluation::Estimate(-5),
            Evaluation::Draw,
            Evaluation::Estimate(5),
            Evaluation::Win(9),
            Evaluation::Win(1),
        ];
        for pair in order.windows(2) {
            assert_eq!(compare_scores(pair[0], pair[1]), Ordering::Less, "{pair:?}");
            assert_eq!(
                compare_scores(score_for_parent(pair[0]), score_for_parent(pair[1])),
                Ordering::Greater,
                "{pair:?}"
            );
        }
    }
}
