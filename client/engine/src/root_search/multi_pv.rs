//! A choice among several moves of the root, for the levels that do not play the best one only, and for variety.

use rand::RngExt;
use rand::seq::IndexedRandom;

use super::{RootSearch, SHORTEN_WIN_NODES, ScoredMove};
use crate::alpha_beta::search::{PROVEN, WIN};
use crate::level::LevelParams;

impl RootSearch<'_> {
    /// The value of every move on its own, a ply deeper each time: what a choice among the best needs.
    pub(super) fn multi_pv(&mut self, deepest: u32) {
        for depth in 1..=deepest {
            let mut scored = Vec::with_capacity(self.moves.len());
            for &(_, cell) in &self.moves {
                self.search.board.play(cell);
                let value = -self.search.alpha_beta(depth as i32 - 1, -WIN, WIN, 1);
                self.search.board.undo();
                if self.search.budget.halted {
                    return;
                }
                scored.push((self.losing_line_value(cell).unwrap_or(value), cell));
            }
            scored.sort_by_key(|&(value, _)| std::cmp::Reverse(value));
            self.moves = scored;
            self.best = self.moves[0];
            self.depth = depth;
        }
    }

    /// Chooses among the few best moves that are about as good as the best.
    pub(super) fn pick_randomized(&mut self) {
        let LevelParams { candidate_moves: among, margin, .. } = self.params;
        let (best, _) = self.best;
        if self.depth == 0 || best.abs() > PROVEN {
            return;
        }
        let candidates: Vec<ScoredMove> = self
            .moves
            .iter()
            .take(among)
            .filter(|&&(value, _)| value >= best - margin && value > -PROVEN)
            .copied()
            .collect();
        if let Some(&chosen) = candidates.choose(&mut self.rng) {
            self.best = chosen;
        }
    }

    /// Of all moves that are proven to be as good as the best one, takes any: the same game again and again
    /// would be dull. Only where that costs next to nothing.
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
