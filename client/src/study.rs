//! What a search can tell people about a game: the value of each free cell, and where a finished game was
//! lost. Pure: the time and the wish to stop come in as arguments.

mod review;
mod values;

use std::cmp::Ordering;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use noughts_protocol::{Position, Record, Status};

use crate::engine::{self, Limits, Report, Score};

pub use review::{Judged, Regret, Review, review};
pub use values::{Values, values};

/// What is to be found out.
#[derive(Clone, Debug)]
pub enum Study {
    /// The value of each free cell.
    Values(Position),
    /// What each move of a game was worth.
    Review(Box<Record>),
}

/// What was found out.
#[derive(Clone, Debug)]
pub enum Findings {
    /// The value of each free cell; none when the game is over.
    Values(Option<Values>),
    /// What each move was worth.
    Review(Review),
}

/// How the time and the wish to stop come in.
#[derive(Clone, Copy)]
pub struct Watch<'a> {
    /// The time since the study began.
    pub elapsed: &'a dyn Fn() -> Duration,
    /// Ends it with what it has found so far.
    pub stop: &'a AtomicBool,
}

impl std::fmt::Debug for Watch<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Watch").field("stop", &self.stop).finish_non_exhaustive()
    }
}

/// What can be found out within a time.
pub fn study(study: &Study, time: Duration, watch: Watch<'_>) -> Findings {
    match study {
        Study::Values(position) => Findings::Values(values(position, time, watch)),
        Study::Review(record) => Findings::Review(review(record, time, watch)),
    }
}

/// A search that begins now and ends `until` then.
fn search(
    position: &Position,
    depth: Option<u32>,
    nodes: Option<u64>,
    until: Duration,
    watch: Watch<'_>,
) -> Option<Report> {
    let began = (watch.elapsed)();
    let limits = Limits { depth, nodes, time: Some(until.saturating_sub(began)) };
    engine::judge(position, limits, &|| (watch.elapsed)() - began, watch.stop)
}

/// The value of a finished position for the side that has just moved.
fn of_the_end(status: Status, mover: noughts_protocol::Seat) -> Option<Score> {
    match status {
        Status::Ongoing => None,
        Status::Drawn => Some(Score::Draw),
        Status::Won(seat) if seat == mover => Some(Score::Win(1)),
        Status::Won(_) => Some(Score::Loss(1)),
    }
}

/// What a value of the side to move is worth to the one who has just moved there.
fn before(score: Score) -> Score {
    match score {
        Score::Loss(plies) => Score::Win(plies + 1),
        Score::Estimate(estimate) => Score::Estimate(-estimate),
        Score::Draw => Score::Draw,
        Score::Win(plies) => Score::Loss(plies + 1),
    }
}

/// Whether more thought changes nothing.
fn is_settled(score: Score) -> bool {
    match score {
        Score::Loss(_) | Score::Draw | Score::Win(_) => true,
        Score::Estimate(_) => false,
    }
}

/// Which of two values is better: a quick win before a late one, a late loss before a quick one. A draw
/// counts as an estimate of nothing.
fn compare(one: Score, other: Score) -> Ordering {
    let key = |score: Score| match score {
        Score::Win(plies) => (2, -i64::from(plies)),
        Score::Estimate(estimate) => (1, i64::from(estimate)),
        Score::Draw => (1, 0),
        Score::Loss(plies) => (0, i64::from(plies)),
    };
    key(one).cmp(&key(other))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_in_order() {
        let order = [
            Score::Loss(2),
            Score::Loss(8),
            Score::Estimate(-5),
            Score::Draw,
            Score::Estimate(5),
            Score::Win(9),
            Score::Win(1),
        ];
        for pair in order.windows(2) {
            assert_eq!(compare(pair[0], pair[1]), Ordering::Less, "{pair:?}");
            assert_eq!(compare(before(pair[0]), before(pair[1])), Ordering::Greater, "{pair:?}");
        }
    }
}
