//! Searches with a depth limit, or without a near limit. The stages take turns, with growing slices.

use crate::SearchResult;
use crate::alpha_beta::PROVEN;
use crate::root_search::RootSearch;
use crate::root_search::deepening::DEFENCE_SHARE;
use crate::solver::{is_solver_first, is_solver_likely};
use crate::strategy_proofs::StrategyResult;

/// Base-2 logarithms of the numbers of positions in the slices of alpha-beta, the first slice first.
const SLICE_BITS: std::ops::Range<u32> = 13..62;
/// Number of positions for the solver if it precedes the other stages. They take less than a tenth of a second.
const FIRST_SOLVER_SLICE: u64 = 1 << 17;
/// Time that df-pn takes per position, as a multiple of the time that alpha-beta takes.
const PROOF_NODE_COST: u64 = 8;

impl RootSearch<'_> {
    /// Alternates between alpha-beta, df-pn and the solver until one of them ends the search or the budget runs out.
    /// With a depth limit, the last iteration ends the search, and the solver has no turn.
    pub(super) fn run_in_slices(
        &mut self,
        max_depth: u32,
        is_proven_draw: bool,
        strategy: Option<StrategyResult>,
    ) -> SearchResult {
        let limits = self.search.budget.limits;
        let mut has_solver = limits.depth.is_none() && self.stages.solver;
        let mut solver_slice = 0;
        if has_solver && is_solver_first(self.position, limits) {
            solver_slice = FIRST_SOLVER_SLICE;
            if let Some(result) =
                self.solve_exactly(false, |budget| budget.push_nodes(solver_slice))
            {
                return result;
            }
        }
        if let Some(StrategyResult::Wins(best)) = strategy {
            return self.strategy_win(best);
        }
        let mut proofs = self.new_proofs(is_proven_draw);
        let mut proven = None;
        // Reserves a share of the budget for attacks of the opponent.
        let saved_limits = self
            .search
            .budget
            .push_share(DEFENCE_SHARE - 1, DEFENCE_SHARE);
        for slice in SLICE_BITS.map(|bits| 1 << bits) {
            if self.search.budget.halted {
                break;
            }
            if proven.is_none() {
                let outer_limits = self.search.budget.push_nodes(slice);
                proven = self.iterative_deepening(max_depth, is_proven_draw);
                self.search.budget.pop(outer_limits);
            }
            let is_known = proven == Some(true) || self.best.0.abs() > PROVEN;
            if proven.is_some() && (is_known || !has_solver) {
                break;
            }
            if let Some(proofs) = &mut proofs {
                self.prove_attack(proofs, |budget| budget.push_nodes(slice / PROOF_NODE_COST));
            }
            if has_solver && is_solver_likely(self.position, 2.0 * slice as f64) {
                // Each attempt starts from scratch, so each slice of the solver is at least twice as large as the slice
                // before.
                solver_slice = slice.max(2 * solver_slice);
                let cannot_win = proofs.as_ref().is_some_and(|proofs| proofs.cannot_win);
                let visited = self.search.budget.nodes;
                if let Some(result) =
                    self.solve_exactly(cannot_win, |budget| budget.push_nodes(solver_slice))
                {
                    return result;
                }
                // If the solver has visited no position, the board is too large.
                has_solver = self.search.budget.nodes > visited;
            }
        }
        self.search.budget.pop(saved_limits);
        if self.best.0.abs() <= PROVEN {
            if let Some(StrategyResult::Holds(best)) = strategy {
                self.best.1 = best.index() as u16;
            } else if let Some(proofs) = &mut proofs {
                let visited = self.search.budget.nodes;
                let saved_limits = self.search.budget.push_nodes(visited / PROOF_NODE_COST);
                self.refute_losing_moves(proofs);
                self.search.budget.pop(saved_limits);
            }
        }
        self.result(proven.unwrap_or(is_proven_draw))
    }
}
