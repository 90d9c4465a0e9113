//! Pruning and reductions for levels with VCF search. They apply on large boards, where the search is selective anyway.

use crate::alpha_beta::vcf::VcfWin;
use crate::alpha_beta::{
    AlphaBetaSearch, LEAF_VCF_THREATS, MAX_EVAL, MAX_FULL_WIDTH_MOVES, MoveLoop, OrderedMove,
    PROVEN,
};
use crate::board::board_tables::NO_CELL;
use crate::board::cell_sets::CellSet;
use crate::line_network::MOVE_SCORE_UNIT;

/// Minimum depth of a reduction on boards with a network.
const MIN_REDUCTION_DEPTH: i32 = 3;
/// Factor of the reduction that depends on the logarithms of depth and place, in hundredths of a ply.
const PLACE_REDUCTION: i32 = 100;
/// Reduction per unit of the logarithm of a probability ratio (best move to current move), in hundredths of a ply, and
/// its maximum.
const PROBABILITY_REDUCTION: i32 = 60;
const MAX_PROBABILITY_REDUCTION: i32 = 300;
/// How much less the principal variation is reduced, in hundredths of a ply.
const PV_REDUCTION: i32 = 100;
/// How much more a null window is reduced if the position does not improve, in hundredths of a ply.
const NOT_IMPROVING_REDUCTION: i32 = 60;
/// If the reduced search of a move exceeds alpha by the first margin, plus the second margin per ply of the reduction,
/// the move is searched one ply deeper than without the reduction.
const DEEPER_MARGIN: i32 = 15;
const DEEPER_MARGIN_PER_PLY: i32 = 5;
/// If the reduced search of a move exceeds the best value by less than this margin per ply of depth, the move is
/// searched one ply less deep.
const SHALLOWER_MARGIN_PER_PLY: i32 = 1;
/// Minimum evaluation above beta, per remaining ply, that makes a cutoff likely.
const FAIL_HIGH_MARGIN: i32 = 10;
/// Minimum logarithm of a probability ratio (best move to threat) that lets futility pruning omit the threat, in units
/// of 1/[`MOVE_SCORE_UNIT`].
const UNLIKELY_THREAT_GAP: i32 = 2 * MOVE_SCORE_UNIT as i32;
/// Natural logarithms of 1 to 32 in hundredths.
const LOG_HUNDREDTHS: [i32; 32] = [
    0, 69, 110, 139, 161, 179, 195, 208, 220, 230, 240, 248, 256, 264, 271, 277, 283, 289, 294,
    300, 304, 309, 314, 318, 322, 326, 330, 333, 337, 340, 343, 347,
];

/// Returns the natural logarithm of a positive number, in hundredths. Numbers above 32 count as 32.
fn log_hundredths(number: usize) -> i32 {
    LOG_HUNDREDTHS[number.clamp(1, LOG_HUNDREDTHS.len()) - 1]
}

impl AlphaBetaSearch<'_> {
    /// Futility pruning: returns an upper bound of quiet and unlikely moves near the horizon, if the bound is not above
    /// alpha.
    pub(super) fn futility_bound(&mut self, depth: i32, alpha: i32) -> Option<i32> {
        let is_near_horizon = (1..=self.pruning.futility_depth).contains(&depth);
        if !self.is_selective() || !is_near_horizon || alpha.abs() >= PROVEN {
            return None;
        }
        let bound = (self.board.evaluate() + self.pruning.margin * depth).max(-MAX_EVAL);
        (bound <= alpha).then_some(bound)
    }

    /// Reverse futility pruning: returns a lower bound of a position near the horizon, if the bound is not below beta
    /// and the opponent threatens no VCF.
    pub(super) fn static_cutoff(&mut self, state: &MoveLoop) -> Option<i32> {
        if !state.is_safe || state.depth > self.pruning.cutoff_depth || state.beta.abs() >= PROVEN {
            return None;
        }
        let bound = self.board.evaluate() - self.pruning.margin * state.depth;
        (bound >= state.beta).then(|| bound.min(MAX_EVAL))
    }

    /// Returns the late move reduction in plies, which depends on the place of the move in the order. The reduction is
    /// zero for the first moves, for threats and their defences, near the horizon, and at full depth.
    pub(crate) fn late_reduction(&self, place: usize, cell: u16, depth: i32) -> i32 {
        let is_full_depth = depth >= self.board.free_cells as i32;
        if place <= 4 || depth < 3 || is_full_depth || !self.is_quiet(cell) {
            return 0;
        }
        1 + i32::from(place > 16)
    }

    /// Returns by how many plies to reduce the current move. Where the network orders the moves, the reduction depends
    /// on the place, the depth, the probability and the window; otherwise it is [`Self::late_reduction`]. The reduction
    /// is zero for the first move, near the horizon, and at full depth.
    pub(super) fn move_reduction(&self, state: &MoveLoop, cell: u16) -> i32 {
        let &MoveLoop {
            depth,
            number: place,
            ..
        } = state;
        if !self.has_network_ordering() {
            return self.late_reduction(place, cell, depth);
        }
        let is_full_depth = depth >= self.board.free_cells as i32;
        if place == 1 || depth < MIN_REDUCTION_DEPTH || is_full_depth {
            return 0;
        }
        let by_place =
            PLACE_REDUCTION * log_hundredths(depth as usize) * log_hundredths(place) / 10_000;
        let by_probability = (PROBABILITY_REDUCTION * state.score_gap / MOVE_SCORE_UNIT as i32)
            .min(MAX_PROBABILITY_REDUCTION);
        let of_window = match (state.has_null_window(), state.is_improving) {
            (false, _) => -PV_REDUCTION,
            (true, false) => NOT_IMPROVING_REDUCTION,
            (true, true) => 0,
        };
        ((by_place + by_probability + of_window) / 100).max(0)
    }

    /// Returns the depth for searching a move again, after a search reduced by `reduction` plies has returned a value
    /// above alpha: `depth`, one ply more if the value is far above alpha, or one ply less if it is hardly above the
    /// best value so far.
    pub(super) fn depth_after_reduction(
        &self,
        state: &MoveLoop,
        depth: i32,
        reduction: i32,
        value: i32,
    ) -> i32 {
        if !self.has_network_ordering() || value.abs() >= PROVEN || state.alpha.abs() >= PROVEN {
            depth
        } else if value > state.alpha + DEEPER_MARGIN + DEEPER_MARGIN_PER_PLY * reduction {
            depth + 1
        } else if value < state.best.0 + SHALLOWER_MARGIN_PER_PLY * depth {
            depth - 1
        } else {
            depth
        }
    }

    /// Returns whether futility pruning applies to the current move.
    pub(super) fn is_prunable(&self, state: &MoveLoop, cell: u16) -> bool {
        self.is_quiet(cell) || state.score_gap > UNLIKELY_THREAT_GAP
    }

    /// Fail-high reduction: returns whether the evaluation is so far above beta that a reduced depth suffices.
    pub(super) fn predict_cutoff(&mut self, state: &MoveLoop) -> bool {
        state.is_cut_node
            && state.has_null_window()
            && state.beta.abs() < PROVEN
            && self.has_network_ordering()
            && self.board.evaluate() >= state.beta + FAIL_HIGH_MARGIN * state.depth
    }

    /// Sets the evaluations of a position and of the position one ply earlier, and whether the position improves.
    pub(super) fn set_evaluations(
        &mut self,
        state: &mut MoveLoop,
        [previous, own]: [Option<i32>; 2],
    ) {
        if !self.has_network_ordering() {
            return;
        }
        let evaluation = self.board.evaluate();
        state.evaluations = [Some(evaluation), previous];
        state.is_improving = own.is_none_or(|own| evaluation > own);
    }

    /// Returns the greatest ordering score of the moves from index `first`, and of a move that was searched before
    /// them. Returns `None` if no network orders the moves.
    pub(super) fn best_move_score(&self, first: usize, searched: u16) -> Option<i32> {
        if !self.has_network_ordering() {
            return None;
        }
        let searched = if searched == NO_CELL {
            None
        } else {
            Some(self.board.move_score(searched))
        };
        self.moves[first..]
            .iter()
            .map(|listed| listed.score())
            .chain(searched)
            .max()
    }

    fn has_network_ordering(&self) -> bool {
        self.board.has_network() && self.is_selective()
    }

    /// Returns whether a move neither makes nor prevents a threat.
    pub(super) fn is_quiet(&self, cell: u16) -> bool {
        (0..2).all(|seat| !self.board.is_threat(seat, cell))
    }

    /// Returns half the width of the first window of an iteration, if the search is selective.
    pub(crate) fn aspiration_margin(&self) -> Option<i32> {
        self.is_selective()
            .then_some(self.pruning.aspiration_margin)
    }

    /// Finds a VCF that the opponent threatens, and its cells, see
    /// [`SearchBoardVcf::find_threat`](crate::alpha_beta::vcf::SearchBoardVcf::find_threat). Neither seat may be able
    /// to complete a line with one move.
    pub(crate) fn find_threat(&mut self) -> Option<(VcfWin, CellSet)> {
        if !self.is_selective() {
            return None;
        }
        self.vcf.nodes_left = self.options.vcf_nodes;
        self.vcf.find_threat(
            &mut self.board,
            &mut self.tt,
            &mut self.budget,
            LEAF_VCF_THREATS,
        )
    }

    /// Returns whether the board and the level permit pruning without a proof.
    pub(crate) fn is_selective(&self) -> bool {
        self.options.vcf_nodes > 0 && self.board.tables.is_large()
    }
}

/// Maximum history score. It is less than the ordering score of a threat, so that threats come first.
const MAX_HISTORY: i32 = 1 << 10;

impl AlphaBetaSearch<'_> {
    /// Generates the moves to search. The network scores their order, or without a network the windows through them,
    /// history and killer moves. If the opponent has a threat, generates only moves in its cells, and threats.
    pub(super) fn generate_moves(
        &mut self,
        threat_cells: Option<&CellSet>,
        tt_move: u16,
        state: &MoveLoop,
    ) {
        self.board.update_move_ordering();
        let (board, seat) = (&self.board, self.board.turn());
        let (tables, first) = (board.tables, self.moves.len());
        let [killer, older_killer] = self.killers[state.ply as usize % self.killers.len()];
        for cell in board.candidates() {
            if cell == tt_move
                || threat_cells
                    .is_some_and(|cells| !cells.contains(cell) && !board.is_threat(seat, cell))
                || (tables.rules.misere() && board.is_completing(seat, cell))
            {
                continue;
            }
            let mut score = board.move_score(cell);
            // History and killer moves would make the network's order worse.
            if !board.has_network() {
                score += self.history[usize::from(cell)][seat];
                if cell == killer || cell == older_killer {
                    score += MAX_HISTORY;
                }
            }
            self.moves.push(OrderedMove::new(score, cell));
        }
        if self.moves.len() == first && tables.is_large() && tt_move == NO_CELL {
            // No free cell is near the stones, so any cell will do.
            let open = board.open.intersection(&board.open, tables.words);
            self.moves.extend(
                open.take(MAX_FULL_WIDTH_MOVES)
                    .map(|cell| OrderedMove::new(0, cell)),
            );
        }
        if self.moves.len() - first > MAX_FULL_WIDTH_MOVES {
            let listed = &mut self.moves[first..];
            listed.select_nth_unstable_by(MAX_FULL_WIDTH_MOVES, |a, b| b.cmp(a));
            self.moves.truncate(first + MAX_FULL_WIDTH_MOVES);
        }
    }

    /// Returns the maximum number of moves that the search tries at a position.
    pub(super) fn max_moves(&self, state: &MoveLoop) -> usize {
        if self.board.tables.is_large() {
            self.pruning.max_moves(state.depth, state.is_improving)
        } else {
            MAX_FULL_WIDTH_MOVES
        }
    }

    /// Moves the best of the moves from index `from` to `from`, and returns it.
    pub(super) fn select_next(&mut self, from: usize) -> u16 {
        let rest = &mut self.moves[from..];
        let likeliest = (0..rest.len()).max_by_key(|&place| rest[place]);
        rest.swap(0, likeliest.unwrap_or(0));
        rest[0].cell()
    }

    /// Records a cutoff in the history and killer tables. The moves of a network do not need them.
    pub(super) fn record_cutoff(&mut self, cell: u16, seat: usize, depth: i32, ply: i32) {
        if self.board.has_network() {
            return;
        }
        let history = &mut self.history[usize::from(cell)][seat];
        *history = (*history + depth * depth).min(MAX_HISTORY);
        let slot = ply as usize % self.killers.len();
        let killers = &mut self.killers[slot];
        if killers[0] != cell {
            *killers = [cell, killers[0]];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::alpha_beta::WIN;
    use crate::tests::tactics::QUIET_DEFENCES;
    use crate::tests::with_search;

    /// Returns a null window at a place in the order of the moves.
    fn null_window(depth: i32, place: usize) -> MoveLoop {
        MoveLoop {
            number: place,
            ..MoveLoop::new(depth, 0, 1, 0)
        }
    }

    #[test]
    fn late_and_unlikely_moves_are_reduced() {
        with_search("15x15:5", "h8 i9 j8", |search| {
            let full_depth = search.board.free_cells as i32;
            let reduction = |state: MoveLoop| search.move_reduction(&state, 0);
            assert_eq!(reduction(null_window(12, 1)), 0, "the first move");
            assert_eq!(
                reduction(null_window(MIN_REDUCTION_DEPTH - 1, 20)),
                0,
                "a low depth"
            );
            assert_eq!(reduction(null_window(full_depth, 20)), 0, "full depth");
            let usual = reduction(null_window(12, 10));
            assert!(
                usual > 0 && reduction(null_window(12, 20)) > usual,
                "a later move"
            );
            assert!(reduction(null_window(32, 10)) > usual, "a greater depth");
            let unlikely = MoveLoop {
                score_gap: 2 * MOVE_SCORE_UNIT as i32,
                ..null_window(12, 10)
            };
            assert!(reduction(unlikely) > usual, "an unlikely move");
            let declining = MoveLoop {
                is_improving: false,
                ..null_window(12, 10)
            };
            assert!(
                reduction(declining) > usual,
                "a position that does not improve"
            );
            assert!(
                reduction(MoveLoop {
                    beta: 2,
                    ..null_window(12, 10)
                }) < usual,
                "the principal variation"
            );
        });
    }

    #[test]
    fn a_value_far_above_alpha_is_searched_deeper() {
        with_search("15x15:5", "h8 i9 j8", |search| {
            let state = MoveLoop {
                best: (-20, 0),
                ..null_window(12, 10)
            };
            let depth_after = |value: i32| search.depth_after_reduction(&state, 11, 4, value);
            let margin = DEEPER_MARGIN + 4 * DEEPER_MARGIN_PER_PLY;
            assert_eq!(
                (depth_after(margin + 1), depth_after(margin), depth_after(1)),
                (12, 11, 11)
            );
            assert_eq!(depth_after(WIN - 9), 11, "a proven value");
            let lost = MoveLoop {
                alpha: 8 - WIN,
                beta: 9 - WIN,
                ..state
            };
            assert_eq!(
                search.depth_after_reduction(&lost, 11, 4, 10),
                11,
                "every value is far above a loss"
            );
            let state = MoveLoop {
                best: (0, 0),
                ..null_window(12, 10)
            };
            assert_eq!(
                search.depth_after_reduction(&state, 11, 4, 10),
                10,
                "hardly better"
            );
            assert_eq!(search.depth_after_reduction(&state, 11, 4, 11), 11);
        });
        with_search("9x9:4", "d9 a1 f9 i1", |search| {
            assert_eq!(
                search.depth_after_reduction(&null_window(5, 5), 4, 1, 900),
                4,
                "no network"
            );
        });
    }

    #[test]
    fn boards_without_a_network_reduce_quiet_moves_only() {
        // X has two stones with three free cells between and beside them. e9 makes a threat to complete a line of four.
        with_search("9x9:4", "d9 a1 f9 i1", |search| {
            assert!(!search.has_network_ordering());
            let [threat, quiet] = [4, 40];
            assert_eq!(search.move_reduction(&null_window(5, 4), quiet), 0);
            assert_eq!(search.move_reduction(&null_window(5, 5), quiet), 1);
            assert_eq!(search.move_reduction(&null_window(5, 17), quiet), 2);
            assert_eq!(search.move_reduction(&null_window(5, 17), threat), 0);
        });
    }

    #[test]
    fn a_cutoff_is_predicted_from_a_high_evaluation() {
        with_search("15x15:5", "h8 i9 j8", |search| {
            let evaluation = search.board.evaluate();
            let expects = |beta: i32, is_cut_node: bool, alpha: i32| MoveLoop {
                is_cut_node,
                ..MoveLoop::new(6, alpha, beta, 0)
            };
            let low = evaluation - FAIL_HIGH_MARGIN * 6;
            assert!(search.predict_cutoff(&expects(low, true, low - 1)));
            assert!(
                !search.predict_cutoff(&expects(low + 1, true, low)),
                "too high"
            );
            assert!(
                !search.predict_cutoff(&expects(low, false, low - 1)),
                "another node"
            );
            assert!(
                !search.predict_cutoff(&expects(low, true, low - 2)),
                "another window"
            );
            // Against a loss, every evaluation is high, and only a search at full depth refutes the loss.
            assert!(
                !search.predict_cutoff(&expects(9 - WIN, true, 8 - WIN)),
                "a proven value"
            );
        });
    }

    #[test]
    fn pruned_moves_leave_a_bound_and_no_entry() {
        with_search("15x15:5", "h8 i9 j8", |search| {
            let bound = search.board.evaluate() + search.pruning.margin;
            let value = search.alpha_beta(1, bound, bound + 1, 0);
            assert_eq!(value, bound);
            assert!(
                search.tt.get(search.board.key()).is_none(),
                "no move was searched"
            );
            // Below the bound, moves are searched.
            search.alpha_beta(1, bound - 1, bound, 0);
            assert!(search.tt.get(search.board.key()).is_some());
        });
    }

    #[test]
    fn no_loss_is_claimed_before_a_move_that_does_not_lose() {
        for moves in QUIET_DEFENCES.iter().chain(&["h8 i9 j8"]) {
            with_search("15x15:5", moves, |search| {
                (
                    search.pruning.moves_at_horizon,
                    search.pruning.moves_per_ply,
                ) = (0, 0);
                let value = search.alpha_beta(1, -WIN, WIN, 0);
                assert!(value.abs() < PROVEN, "{value}: {moves}");
            });
        }
    }

    #[test]
    fn late_defences_are_omitted_after_one_that_holds() {
        let visited = |moves: &str, max_moves: usize| {
            let nodes = std::cell::Cell::new(0);
            with_search("15x15:5", moves, |search| {
                (
                    search.pruning.moves_at_horizon,
                    search.pruning.moves_per_ply,
                ) = (max_moves, 0);
                search.alpha_beta(1, -WIN, WIN, 0);
                nodes.set(search.budget.nodes);
            });
            nodes.get()
        };
        let [few, many] = [1, 20].map(|max_moves| {
            QUIET_DEFENCES
                .iter()
                .map(|moves| visited(moves, max_moves))
                .sum::<u64>()
        });
        assert!(few < many, "{few} and {many} positions");
    }

    #[test]
    fn an_evaluation_is_compared_with_that_of_two_plies_earlier() {
        with_search("15x15:5", "h8 i9 j8", |search| {
            let evaluation = search.board.evaluate();
            for (own, is_improving) in [
                (None, true),
                (Some(evaluation - 1), true),
                (Some(evaluation), false),
                (Some(evaluation + 1), false),
            ] {
                let mut state = MoveLoop::new(6, 0, 1, 2);
                search.set_evaluations(&mut state, [Some(7), own]);
                assert_eq!(
                    (state.is_improving, state.evaluations),
                    (is_improving, [Some(evaluation), Some(7)])
                );
                let max_moves = if is_improving { 16 } else { 9 };
                assert_eq!(search.pruning.max_moves(6, is_improving), max_moves);
            }
        });
    }
}
