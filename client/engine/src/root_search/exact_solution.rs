//! The exact solution of a position, as a result of the root search.

use rand::seq::IndexedRandom;

use super::{RootSearch, SHORTEN_WIN_NODES, to_cell};
use crate::alpha_beta::search::PROVEN;
use crate::solver::{SolveQuery, solve, solver_share};
use crate::strategies::traps;
use crate::{Evaluation, SearchLimits, SearchResult};

impl RootSearch<'_> {
    /// Solves the position exactly, if the budget allows. `cannot_win`: a proof exists that the side to move does not win.
    /// The clock does not end the solver within `guaranteed_nodes`.
    pub(super) fn solve_exactly(
        &mut self,
        limits: SearchLimits,
        cannot_win: bool,
        guaranteed_nodes: u64,
    ) -> Option<SearchResult> {
        if guaranteed_nodes > 0 {
            self.search.budget.guarantee_nodes(guaranteed_nodes);
        }
        if self.search.budget.halted {
            return None;
        }
        let sets_traps =
            self.style.sets_traps && self.search.board.free_cells <= traps::MAX_FREE_CELLS;
        let all_moves = self.search.options.noise > 0 || sets_traps;
        let known = self.best.0 > PROVEN;
        let budget = &mut self.search.budget;
        let saved_limits = if known {
            budget.push_nodes(SHORTEN_WIN_NODES)
        } else {
            let (parts, count) = solver_share(self.position, limits);
            budget.push_share(parts, count)
        };
        let solution = solve(
            self.position,
            SolveQuery {
                all_moves,
                cannot_win,
            },
            budget,
        );
        budget.end_guarantee();
        budget.pop(saved_limits);
        let game_value = match solution {
            // If neither win is proven to be the shortest, keep the known one.
            Ok(game_value) if known && !game_value.exact => return None,
            Ok(game_value) => game_value,
            Err(unsolved) => {
                self.remove_moves(&unsolved.losing_moves);
                return None;
            }
        };
        let trap = if sets_traps && game_value.plies <= 0 {
            traps::find(self.position, &game_value.moves, &mut self.search.budget)
        } else {
            None
        };
        let best = match trap {
            Some(best) => best,
            None => *game_value.moves.choose(&mut self.rng)?,
        };
        let score = match game_value.plies {
            0 => Evaluation::Draw,
            plies @ 1.. => Evaluation::Win(plies.unsigned_abs()),
            plies => Evaluation::Loss(plies.unsigned_abs()),
        };
        // The principal variation belongs to the first of the moves.
        let pv = if game_value.pv.first() == Some(&best) {
            game_value.pv
        } else {
            vec![best]
        };
        Some(SearchResult {
            best: to_cell(best),
            score,
            exact: game_value.exact,
            depth: self.search.board.free_cells as u32,
            nodes: self.search.budget.nodes,
            pv: pv.into_iter().map(to_cell).collect(),
        })
    }
}
