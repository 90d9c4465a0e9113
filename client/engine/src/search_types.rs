//! Types of a search: its limits and its result.

use std::time::Duration;

use noughts_protocol::wire::Evaluation;
use noughts_protocol::{Cell, Position};

/// Limits of a search. The search ends at the limit that it reaches first. Without a limit the search ends when the
/// game is solved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SearchLimits {
    /// Maximum depth in plies.
    pub depth: Option<u32>,
    /// Maximum number of positions. The same number gives the same result on every machine.
    pub nodes: Option<u64>,
    /// Maximum time, on the clock that the caller passes.
    pub time: Option<Duration>,
    /// Whether the search runs without the opening books.
    pub without_book: bool,
}

/// A search of more positions than this takes seconds.
const MAX_BRIEF_NODES: u64 = 1 << 22;

impl SearchLimits {
    /// Whether the stages of a search take turns in slices: shares of these limits would delay the first iteration.
    pub(crate) fn is_sliced(&self) -> bool {
        let is_long = self.nodes.is_none_or(|nodes| nodes > MAX_BRIEF_NODES);
        self.depth.is_some() || (self.time.is_none() && is_long)
    }
}

/// Estimate of a win that a selective search has found but not proven, less its plies.
pub(crate) const CLAIMED_WIN: i32 = 100_000;

/// Returns the winner that an estimate claims for the side to move: `Some(true)` for a win and `Some(false)` for a loss that a
/// selective search has found, but not proven.
pub fn claims_win(estimate: i32) -> Option<bool> {
    // No game has more plies than this part of the range.
    (estimate.abs() > CLAIMED_WIN / 2).then_some(estimate > 0)
}

/// Result of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchResult {
    /// The best move: the cell where the stone lands.
    pub best: Cell,
    /// Evaluation for the side to move. A win or a loss is proven.
    pub score: Evaluation,
    /// Whether the distance of a win or a loss is exact. Otherwise the game ends within that many plies, perhaps sooner.
    /// Without meaning for other evaluations.
    pub exact: bool,
    /// Depth of the last complete iteration in plies. 0 with an estimate: nothing was searched.
    pub depth: u32,
    /// Number of positions visited.
    pub nodes: u64,
    /// The principal variation, beginning with `best`.
    pub pv: Vec<Cell>,
}

/// Score of a position for the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SearchScore {
    /// The evaluation. A win or a loss is proven.
    pub evaluation: Evaluation,
    /// Whether the distance of a win or a loss is exact. Otherwise the game ends within that many plies, perhaps sooner.
    pub exact: bool,
}

impl SearchScore {
    /// Returns the score of the last move for the side that made it, from the score of the position after the move.
    #[must_use]
    pub fn before_move(self) -> SearchScore {
        let evaluation = match self.evaluation {
            Evaluation::Loss(plies) => Evaluation::Win(plies + 1),
            Evaluation::Estimate(estimate) => Evaluation::Estimate(-estimate),
            Evaluation::Draw => Evaluation::Draw,
            Evaluation::Win(plies) => Evaluation::Loss(plies + 1),
        };
        SearchScore { evaluation, ..self }
    }

    /// Returns the score of the position after the last move, from the score of that move for the side that made it.
    #[must_use]
    pub fn after_move(self) -> SearchScore {
        let evaluation = match self.evaluation {
            Evaluation::Loss(plies) => Evaluation::Win(plies.saturating_sub(1)),
            Evaluation::Estimate(estimate) => Evaluation::Estimate(-estimate),
            Evaluation::Draw => Evaluation::Draw,
            Evaluation::Win(plies) => Evaluation::Loss(plies.saturating_sub(1)),
        };
        SearchScore { evaluation, ..self }
    }

    /// Whether the evaluation is proven, and its distance, if any, is exact.
    pub fn is_final(self) -> bool {
        match self.evaluation {
            Evaluation::Win(_) | Evaluation::Loss(_) => self.exact,
            Evaluation::Draw => true,
            Evaluation::Estimate(_) => false,
        }
    }
}

impl SearchResult {
    /// The score of the position.
    pub fn search_score(&self) -> SearchScore {
        SearchScore {
            evaluation: self.score,
            exact: self.exact,
        }
    }
}

/// A win at the latest possible stone of the side to move.
pub(crate) fn latest_win(position: &Position) -> Evaluation {
    let free = position.rules().cells() - position.ply();
    Evaluation::Win((free - usize::from(free.is_multiple_of(2))) as u32)
}

/// A loss at the latest possible stone of the opponent.
pub(crate) fn latest_loss(position: &Position) -> Evaluation {
    let free = position.rules().cells() - position.ply();
    Evaluation::Loss((free - free % 2) as u32)
}
