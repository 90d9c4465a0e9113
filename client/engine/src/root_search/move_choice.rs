//! Choice of the move: multi-PV search and random choice among good moves, for the weaker levels and for variety.

use rand::RngExt;
use rand::seq::IndexedRandom;

use super::{RootSearch, SHORTEN_WIN_NODES, ScoredMove};
use crate::alpha_beta::search::{PROVEN, WIN};

/// Number of best moves that a look of some plies chooses among, and their maximum distance from the best value.
const CANDIDATE_MOVES: usize = 4;
const MARGIN: i32 = 15;

impl RootSearch<'_> {
    /// Picks any of the moves.
    pub(super) fn pick_by_whim(&mut self) {
        let (_, cell) = self.moves[self.rng.random_range(0..self.moves.len())];
        self.best = (0, cell);
    }

    /// Iterative deepening with an exact value for every root move within the margin of the best one.
    pub(super) fn multi_pv(&mut self, max_depth: u32) {
        for depth in 1..=max_depth {
            let mut scored: Vec<ScoredMove> = Vec::with_capacity(self.moves.len());
            let mut alpha = -WIN;
            for &(_, cell) in &self.moves {
                self.search.board.play(cell);
                let value = -self.search.alpha_beta(depth as i32 - 1, -WIN, -alpha, 1);
                self.search.board.undo();
                if self.search.budget.halted {
                    return;
                }
                let value = self.losing_line_value(cell).unwrap_or(value);
                alpha = alpha.max(value - MARGIN - 1).max(-WIN);
                scored.push((value, cell));
            }
            scored.sort_by_key(|&(value, _)| std::cmp::Reverse(value));
            self.moves = scored;
            self.best = self.moves[0];
            self.depth = depth;
        }
    }

    /// Picks a random move among the best ones. Never replaces a win or a loss.
    pub(super) fn pick_randomized(&mut self) {
        let (best, _) = self.best;
        if self.depth == 0 || best.abs() > PROVEN {
            return;
        }
        let candidates: Vec<ScoredMove> = self
            .moves
            .iter()
            .take(CANDIDATE_MOVES)
            .filter(|&&(value, _)| value >= best - MARGIN && value > -PROVEN)
            .copied()
            .collect();
        if let Some(&chosen) = candidates.choose(&mut self.rng) {
            self.best = chosen;
        }
    }

    /// Picks a random move among those that are proven to be as good as the best one, for variety. Only while that takes
    /// few positions.
    pub(super) fn randomize_ties(&mut self) {
        if self.search.options.noise == 0 || self.search.budget.nodes > SHORTEN_WIN_NODES {
            return;
        }
        let (value, _) = self.best;
        let depth = self.search.board.free_cells as i32;
        let mut ties = Vec::new();
        for &(_, cell) in &self.moves.clone() {
            self.search.board.play(cell);
            let found = -self.search.alpha_beta(depth - 1, -value, -value + 1, 1);
            self.search.board.undo();
            if self.search.budget.halted {
                return;
            }
            if self.losing_line_value(cell).unwrap_or(found) >= value {
                ties.push(cell);
            }
        }
        if !ties.is_empty() {
            self.best.1 = ties[self.rng.random_range(0..ties.len())];
        }
    }
}
