//! Limits of the pruning, depending on the kind of evaluation.

/// Margins and depths of the pruning on a large board, and the maximum number of moves of a selective search. That
/// number applies to all levels.
#[derive(Clone, Copy, Debug)]
pub(super) struct PruningLimits {
    /// Assumed maximum gain of a quiet move in evaluation, per remaining ply.
    pub(super) margin: i32,
    /// Maximum depth of futility pruning.
    pub(super) futility_depth: i32,
    /// Maximum depth of reverse futility pruning.
    pub(super) cutoff_depth: i32,
    /// Maximum number of moves of a selective search at depth 0, and its increase per ply of depth.
    pub(super) moves_at_horizon: usize,
    pub(super) moves_per_ply: usize,
    /// Half the width of the first window of an iteration, see `root_search/deepening.rs`.
    pub(super) aspiration_margin: i32,
}

/// Maximum number of moves of a selective search at any depth.
const MAX_SELECTIVE_MOVES: usize = 28;
/// Share of the maximum number of moves in positions that do not improve, in percent.
const NOT_IMPROVING_MOVES_PERCENT: usize = 60;

impl PruningLimits {
    const WINDOW_EVALUATION: PruningLimits = PruningLimits {
        margin: 70,
        futility_depth: 2,
        cutoff_depth: 3,
        moves_at_horizon: 10,
        moves_per_ply: 3,
        aspiration_margin: 60,
    };
    /// Larger depths, because the network evaluates and orders moves more accurately.
    const NETWORK_EVALUATION: PruningLimits = PruningLimits {
        margin: 30,
        futility_depth: 3,
        cutoff_depth: 4,
        moves_at_horizon: 4,
        moves_per_ply: 2,
        aspiration_margin: 25,
    };

    pub(super) fn new(has_network: bool) -> PruningLimits {
        if has_network {
            PruningLimits::NETWORK_EVALUATION
        } else {
            PruningLimits::WINDOW_EVALUATION
        }
    }

    /// Returns the maximum number of moves that a selective search visits in a position.
    pub(super) fn max_moves(&self, depth: i32, is_improving: bool) -> usize {
        let max_moves =
            (self.moves_at_horizon + self.moves_per_ply * depth as usize).min(MAX_SELECTIVE_MOVES);
        if is_improving {
            max_moves
        } else {
            max_moves * NOT_IMPROVING_MOVES_PERCENT / 100
        }
    }
}
