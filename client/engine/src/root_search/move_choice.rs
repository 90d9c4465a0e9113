//! Choice of the move: multi-PV search and random choice among good moves, for the weaker levels and for variety.

use rand::RngExt;
use rand::seq::IndexedRandom;

use super::{RootSearch, SHORTEN_WIN_NODES, ScoredMove, Sight};
use crate::alpha_beta::search::{PROVEN, WIN};
use crate::level::LevelParams;

impl RootSearch<'_> {
    /// Chooses by the seed the moves and lines that the level considers.
    pub(super) fn draw_sight(&mut self) -> Sight {
        let LevelParams { own_sight, threat_sight, .. } = self.params;
        let mut draw = |chance: u32| chance >= 100 || self.rng.random_range(0..100) < chance;
        Sight { own: draw(own_sight), threats: draw(threat_sight) }
    }

    /// Evaluates the root moves without looking at replies.
    pub(super) fn evaluate_statically(&mut self) {
        for index in 0..self.moves.len() {
            self.search.board.play(self.moves[index].1);
            self.moves[index].0 = -self.search.board.evaluate();
            self.search.board.undo();
        }
        self.moves.sort_by_key(|&(value, _)| std::cmp::Reverse(value));
        self.best = self.moves[0];
        self.depth = 1;
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
                // A share of the spread needs all values.
                if self.params.spread_percent == 0 {
                    alpha = alpha.max(value - self.params.margin - 1).max(-WIN);
                }
                scored.push((value, cell));
            }
            scored.sort_by_key(|&(value, _)| std::cmp::Reverse(value));
            self.moves = scored;
            self.best = self.moves[0];
            self.depth = depth;
        }
    }

    /// Picks a random move among the best candidates within the margin of the level. Never replaces a proven win or loss.
    pub(super) fn pick_randomized(&mut self) {
        let LevelParams { candidate_moves, margin, spread_percent, .. } = self.params;
        let (best, _) = self.best;
        let worst = self.moves.iter().map(|&(value, _)| value).filter(|value| value.abs() <= PROVEN).min();
        let margin = margin.max((best - worst.unwrap_or(best)) * spread_percent / 100);
        if self.depth == 0 || best.abs() > PROVEN {
            return;
        }
        let candidates: Vec<ScoredMove> = self
            .moves
            .iter()
            .take(candidate_moves)
            .filter(|&&(value, _)| value >= best - margin && value > -PROVEN)
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
