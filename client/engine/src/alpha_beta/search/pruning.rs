//! Pruning of large boards, where the search is selective anyway, for levels with VCF search.

use super::{AlphaBetaSearch, LEAF_VCF_THREATS, MAX_EVAL, MoveLoop, PROVEN};
use crate::alpha_beta::vcf::VcfWin;
use crate::board::cell_set::CellSet;

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
