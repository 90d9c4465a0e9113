//! Analysis of games: the value of each legal move, and the review of a finished game. Pure: the clock and the stop
//! flag are arguments.
//!
//! The values of a position and of its images under all symmetries of the board are equal.

mod review;
mod values;

use std::cmp::Ordering;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use noughts_protocol::{Cell, Position, Record, Status};

use crate::engine::{self, Evaluation, SearchLimits, SearchResult, SearchScore};

pub(crate) use review::{GameReview, MoveLoss, ReviewedMove, review_game};
pub(crate) use values::{MoveValues, evaluate_moves};

#[derive(Clone, Debug)]
pub(crate) enum AnalysisRequest {
    /// Evaluate each legal move of a position.
    Values(Position),
    /// Evaluate each move of a finished game.
    Review(Box<Record>),
}

#[derive(Clone, Debug)]
pub(crate) enum AnalysisResult {
    /// Values of the legal moves; `None` if the game is over.
    Values(Option<MoveValues>),
    Review(GameReview),
    /// Progress of a review: how many of its moves have been evaluated.
    Progress(ReviewProgress),
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ReviewProgress {
    pub done: usize,
    pub all: usize,
}

/// The clock and the stop flag of an analysis.
#[derive(Clone, Copy)]
pub(crate) struct StopAndClock<'a> {
    /// Returns the time since the analysis started.
    pub elapsed: &'a dyn Fn() -> Duration,
    /// When set, ends the analysis with its result so far.
    pub stop: &'a AtomicBool,
}

impl std::fmt::Debug for StopAndClock<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("StopAndClock")
            .field("stop", &self.stop)
            .finish_non_exhaustive()
    }
}

/// Runs an analysis for at most `time`, and reports the progress of a review. Returns `None` if a review was stopped.
pub(crate) fn analyse(
    request: &AnalysisRequest,
    time: Duration,
    stop_and_clock: StopAndClock<'_>,
    report: &dyn Fn(ReviewProgress),
) -> Option<AnalysisResult> {
    match request {
        AnalysisRequest::Values(position) => {
            let limits = SearchLimits {
                time: Some(time),
                ..SearchLimits::default()
            };
            let values = evaluate_moves(position, limits, stop_and_clock, &mut |_| {});
            Some(AnalysisResult::Values(values))
        }
        AnalysisRequest::Review(record) => {
            review_game(record, time, stop_and_clock, report).map(AnalysisResult::Review)
        }
    }
}

/// Searches a position within the limits, at most until `deadline`, which counts from the start of the analysis.
fn search(
    position: &Position,
    limits: SearchLimits,
    deadline: Duration,
    stop_and_clock: StopAndClock<'_>,
) -> Option<SearchResult> {
    let began = (stop_and_clock.elapsed)();
    let limits = SearchLimits {
        time: Some(deadline.saturating_sub(began)),
        ..limits
    };
    engine::evaluate(
        position,
        limits,
        &|| (stop_and_clock.elapsed)() - began,
        stop_and_clock.stop,
    )
}

/// Returns the value of a finished position for `mover`, the side that moved last. Returns `None` if the game is not
/// over.
fn terminal_score(status: Status, mover: noughts_protocol::Seat) -> Option<SearchScore> {
    let evaluation = match status {
        Status::Ongoing => return None,
        Status::Drawn => Evaluation::Draw,
        Status::Won(seat) if seat == mover => Evaluation::Win(1),
        Status::Won(_) => Evaluation::Loss(1),
    };
    Some(SearchScore {
        evaluation,
        exact: true,
    })
}

/// Returns whether the value is proven rather than an estimate.
fn is_proven(score: SearchScore) -> bool {
    match score.evaluation {
        Evaluation::Loss(_) | Evaluation::Draw | Evaluation::Win(_) => true,
        Evaluation::Estimate(_) => false,
    }
}

/// Orders values from worse to better. A quick win is better than a late win, and a late loss better than a quick loss.
/// A draw equals an estimate of 0.
fn compare_scores(one: SearchScore, other: SearchScore) -> Ordering {
    let key = |score: SearchScore| match score.evaluation {
        Evaluation::Win(plies) => (2, -i64::from(plies)),
        Evaluation::Estimate(estimate) => (1, i64::from(estimate)),
        Evaluation::Draw => (1, 0),
        Evaluation::Loss(plies) => (0, i64::from(plies)),
    };
    key(one).cmp(&key(other))
}

/// The representative of a position among its symmetric images, and the mapping between the two.
#[derive(Debug)]
struct CanonicalPosition {
    /// The image with the moves that come first in cell order.
    position: Position,
    /// For each cell of the original, its cell in the image.
    to_image: Vec<Cell>,
    /// The symmetries that leave the stones of the image unchanged: for each cell, its symmetric cell.
    kept: Vec<Vec<Cell>>,
}

impl CanonicalPosition {
    fn new(original: &Position) -> CanonicalPosition {
        let symmetries = original.geometry().symmetries();
        let image = |symmetry: &[Cell]| -> Vec<Cell> {
            original
                .moves()
                .iter()
                .map(|cell| symmetry[cell.index()])
                .collect()
        };
        let identity = || {
            (0..original.rules().cells())
                .map(|index| Cell::new(index as u16))
                .collect()
        };
        let to_image = symmetries
            .iter()
            .min_by_key(|symmetry| image(symmetry))
            .cloned();
        let to_image: Vec<Cell> = to_image.unwrap_or_else(identity);
        let mut position = Position::with_geometry(original.shared_geometry());
        for cell in image(&to_image) {
            position
                .play(cell)
                .expect("the image of a legal move is legal");
        }
        let is_kept = |symmetry: &Vec<Cell>| {
            let mut stones = position.moves().iter();
            stones.all(|&cell| position.stone_at(symmetry[cell.index()]) == position.stone_at(cell))
        };
        let kept = symmetries.into_iter().filter(is_kept).collect();
        CanonicalPosition {
            position,
            to_image,
            kept,
        }
    }

    /// Returns the cell of the image that corresponds to a cell of the original.
    fn image(&self, cell: Cell) -> Cell {
        self.to_image[cell.index()]
    }

    /// Returns the first cell of the image that is equivalent to this cell.
    fn representative(&self, cell: Cell) -> Cell {
        self.kept
            .iter()
            .map(|symmetry| symmetry[cell.index()])
            .min()
            .unwrap_or(cell)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_order_wins_draws_and_losses() {
        let order = [
            Evaluation::Loss(2),
            Evaluation::Loss(8),
            Evaluation::Estimate(-5),
            Evaluation::Draw,
            Evaluation::Estimate(5),
            Evaluation::Win(9),
            Evaluation::Win(1),
        ];
        let order = order.map(|evaluation| SearchScore {
            evaluation,
            exact: true,
        });
        for pair in order.windows(2) {
            assert_eq!(compare_scores(pair[0], pair[1]), Ordering::Less, "{pair:?}");
            assert_eq!(
                compare_scores(pair[0].before_move(), pair[1].before_move()),
                Ordering::Greater,
                "{pair:?}"
            );
        }
    }
}
