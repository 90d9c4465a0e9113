//! Pruning of large boards, where the search is selective anyway, for levels with VCF search.

use super::{AlphaBetaSearch, LEAF_VCF_THREATS, MAX_EVAL, MoveLoop, PROVEN};
use crate::alpha_beta::vcf::VcfWin;
use crate::board::board_tables::NO_CELL;
use crate::board::cell_set::CellSet;
use crate::line_network::MOVE_SCORE_UNIT;

/// Minimum depth of a reduction on boards with a network.
const MIN_REDUCTION_DEPTH: i32 = 3;
/// Reduction by the logarithms of the depth and the place of a move, in hundredths of a ply.
const PLACE_REDUCTION: i32 = 80;
/// Reduction by the logarithm of the ratio of the probabilities of the best move and the move, in hundredths of a ply, and its
/// maximum.
const PROBABILITY_REDUCTION: i32 = 50;
const MAX_PROBABILITY_REDUCTION: i32 = 300;
/// Hundredths of a ply by which the principal variation is reduced less.
const PV_REDUCTION: i32 = 100;
/// Evaluation above beta, per remaining ply, from which on a cutoff is likely.
const FAIL_HIGH_MARGIN: i32 = 10;
/// The logarithm of the ratio of the probabilities of the best move and a threat from which on futility pruning omits the threat, in
/// units of 1/[`MOVE_SCORE_UNIT`].
const UNLIKELY_THREAT_GAP: i32 = 2 * MOVE_SCORE_UNIT as i32;
/// Natural logarithms of 1 to 32 in hundredths.
const LOG_PERCENT: [i32; 32] = [
    0, 69, 110, 139, 161, 179, 195, 208, 220, 230, 240, 248, 256, 264, 271, 277, 283, 289, 294, 300, 304,
    309, 314, 318, 322, 326, 330, 333, 337, 340, 343, 347,
];

/// The natural logarithm of a positive number up to 32 in hundredths; that of 32 for greater ones.
fn log_percent(number: usize) -> i32 {
    LOG_PERCENT[number.clamp(1, LOG_PERCENT.len()) - 1]
}

impl AlphaBetaSearch<'_> {
    /// Futility pruning: an upper bound of quiet moves near the horizon, if it is not above alpha.
    pub(super) fn futility_bound(&mut self, depth: i32, alpha: i32) -> Option<i32> {
        let is_prunable =
            self.is_selective() && (1..=self.pruning.futility_depth).contains(&depth) && alpha.abs() < PROVEN;
        if !is_prunable {
            return None;
        }
        let bound = (self.board.evaluate() + self.pruning.margin * depth).max(-MAX_EVAL);
        (bound <= alpha).then_some(bound)
    }

    /// Reverse futility pruning: a lower bound of a position near the horizon, if it is not below beta and the opponent
    /// threatens no VCF.
    pub(super) fn static_cutoff(&mut self, state: &MoveLoop) -> Option<i32> {
        if !state.is_safe || state.depth > self.pruning.cutoff_depth || state.beta.abs() >= PROVEN {
            return None;
        }
        let bound = self.board.evaluate() - self.pruning.margin * state.depth;
        (bound >= state.beta).then(|| bound.min(MAX_EVAL))
    }

    /// Returns the late move reduction in plies, by the place of the move in the order. Zero at full depth, where the search is a
    /// proof.
    pub(crate) fn late_reduction(&self, number: usize, cell: u16, depth: i32) -> i32 {
        let is_full_depth = depth >= self.board.free_cells as i32;
        if number < 4 || depth < 3 || is_full_depth || !self.is_quiet(cell) {
            return 0;
        }
        1 + i32::from(number >= 16)
    }

    /// The reduction of the current move in plies: by its place, or where the network orders the moves, by place, depth and
    /// probability.
    pub(super) fn move_reduction(&self, state: &MoveLoop, cell: u16) -> i32 {
        let &MoveLoop { depth, number: place, .. } = state;
        if !self.has_network_ordering() {
            return self.late_reduction(place - 1, cell, depth);
        }
        let is_full_depth = depth >= self.board.free_cells as i32;
        if place == 1 || depth < MIN_REDUCTION_DEPTH || is_full_depth {
            return 0;
        }
        let by_place = PLACE_REDUCTION * log_percent(depth as usize) * log_percent(place) / 10_000;
        let by_probability =
            (PROBABILITY_REDUCTION * state.score_gap / MOVE_SCORE_UNIT as i32).min(MAX_PROBABILITY_REDUCTION);
        let of_window = if state.has_null_window() { 0 } else { PV_REDUCTION };
        ((by_place + by_probability - of_window) / 100).max(0)
    }

    /// Whether futility pruning applies to the current move.
    pub(super) fn is_prunable(&self, state: &MoveLoop, cell: u16) -> bool {
        self.is_quiet(cell) || state.score_gap > UNLIKELY_THREAT_GAP
    }

    /// Fail-high reduction: returns whether the evaluation is so far above beta that a reduced depth suffices.
    pub(super) fn predict_cutoff(&mut self, state: &MoveLoop) -> bool {
        state.is_cut_node
            && state.has_null_window()
            && self.has_network_ordering()
            && self.board.evaluate() >= state.beta + FAIL_HIGH_MARGIN * state.depth
    }

    /// The greatest ordering score of the moves from index `first` on and of a move that was searched before them. 0 where no network
    /// orders the moves.
    pub(super) fn best_move_score(&self, first: usize, searched: u16) -> i32 {
        if !self.has_network_ordering() {
            return 0;
        }
        let searched = if searched == NO_CELL { None } else { Some(self.board.move_score(searched)) };
        self.moves[first..].iter().map(|listed| listed.score()).chain(searched).max().unwrap_or(0)
    }

    fn has_network_ordering(&self) -> bool {
        self.board.has_network() && self.is_selective()
    }

    /// Whether a move neither makes a threat nor prevents one.
    pub(super) fn is_quiet(&self, cell: u16) -> bool {
        (0..2).all(|seat| !self.board.is_threat(seat, cell))
    }

    /// Finds a VCF that the opponent threatens, and its cells; see
    /// [`SearchBoardVcf::find_threat`](crate::alpha_beta::vcf::SearchBoardVcf::find_threat). Neither seat may be able to complete a line at
    /// once.
    pub(crate) fn find_threat(&mut self) -> Option<(VcfWin, CellSet)> {
        if !self.is_selective() {
            return None;
        }
        self.vcf.nodes_left = self.options.vcf_nodes;
        self.vcf.find_threat(&mut self.board, &mut self.tt, &mut self.budget, LEAF_VCF_THREATS)
    }

    /// Whether the board and the level permit pruning that is no proof.
    pub(crate) fn is_selective(&self) -> bool {
        self.options.vcf_nodes > 0 && self.board.tables.is_large()
    }
}
