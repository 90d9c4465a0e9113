//! Types of a search: its limits and its result.

use std::time::Duration;

use noughts_protocol::wire::Evaluation;
use noughts_protocol::{Cell, Position};

/// Limits of a search. The search ends at the first limit that it reaches. Without a limit, it ends when the game is
/// solved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SearchLimits {
    /// Maximum depth in plies.
    pub depth: Option<u32>,
    /// Maximum number of positions. The same number gives the same result on every machine.
    pub nodes: Option<u64>,
    /// Maximum time on the caller's clock.
    pub time: Option<Duration>,
    /// Whether the search runs without the opening books.
    pub without_book: bool,
}

/// Maximum number of positions of a search that takes at most about a second.
const MAX_BRIEF_NODES: u64 = 1 << 22;

impl SearchLimits {
    /// Returns whether the stages of a search take turns in slices, because shares of these limits would delay the
    /// first iteration.
    pub(crate) fn is_sliced(&self) -> bool {
        let is_long = self.nodes.is_none_or(|nodes| nodes > MAX_BRIEF_NODES);
        self.depth.is_some() || (self.time.is_none() && is_long)
    }
}

/// Estimate of a win that a selective search has found but not proven; the plies are subtracted. Alpha-beta on large
/// boards is selective: it leaves out moves of both sides.
pub(crate) const CLAIMED_WIN: i32 = 100_000;

/// Returns what an estimate claims for the side to move: `Some(true)` for a win and `Some(false)` for a loss that a
/// selective search has found but not proven.
pub fn claims_win(estimate: i32) -> Option<bool> {
    // No game has more plies than this part of the range.
    (estimate.abs() > CLAIMED_WIN / 2).then_some(estimate > 0)
}

/// Result of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchResult {
    /// The best move: the cell where the stone comes to rest.
    pub best: Cell,
    /// Evaluation for the side to move. A win or a loss is proven.
    pub score: Evaluation,
    /// Whether the distance of a win or loss is exact. Otherwise the game ends within that number of plies, perhaps
    /// sooner. Meaningless for other evaluations.
    pub exact: bool,
    /// Depth of the last complete iteration, in plies. With an estimate, 0 means that nothing was searched.
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
    /// Whether the distance of a win or loss is exact. Otherwise the game ends within that number of plies, perhaps
    /// sooner.
    pub exact: bool,
}

impl SearchScore {
    /// Returns the score of the last move for its mover, from the score of the position after the move.
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

    /// Returns the score of the position after the last move, from the score of that move for its mover.
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

    /// Returns whether the evaluation is proven and its distance, if any, is exact.
    pub fn is_final(self) -> bool {
        match self.evaluation {
            Evaluation::Win(_) | Evaluation::Loss(_) => self.exact,
            Evaluation::Draw => true,
            Evaluation::Estimate(_) => false,
        }
    }
}

impl SearchResult {
    /// Returns the score of the position.
    pub fn search_score(&self) -> SearchScore {
        SearchScore {
            evaluation: self.score,
            exact: self.exact,
        }
    }
}

/// Returns a win with the last possible stone of the side to move.
pub(crate) fn latest_win(position: &Position) -> Evaluation {
    let free = position.rules().cells() - position.ply();
    Evaluation::Win((free - usize::from(free.is_multiple_of(2))) as u32)
}

/// Returns a loss to the last possible stone of the opponent.
pub(crate) fn latest_loss(position: &Position) -> Evaluation {
    let free = position.rules().cells() - position.ply();
    Evaluation::Loss((free - free % 2) as u32)
}
