//! Limits of the pruning, by the kind of the evaluation.

/// Margins and depths of the pruning of a large board, and the maximum number of moves of a selective search, which applies to all
/// levels.
#[derive(Clone, Copy, Debug)]
pub(super) struct PruningLimits {
    /// Assumed maximum gain of a quiet move in evaluation, per remaining ply.
    pub(super) margin: i32,
    /// Maximum depth of futility pruning.
    pub(super) futility_depth: i32,
    /// Maximum depth of reverse futility pruning.
    pub(super) cutoff_depth: i32,
    /// Maximum number of moves up to a depth of 2, up to 5, and beyond.
    max_moves: [usize; 3],
    /// Half the width of the first window of an iteration; see `root_search/aspiration_window.rs`.
    pub(super) aspiration_margin: i32,
}

/// Percentage of the maximum number of moves in positions that do not improve.
const NOT_IMPROVING_MOVES_PERCENT: usize = 60;

impl PruningLimits {
    const WINDOW_EVALUATION: PruningLimits = PruningLimits {
        margin: 70,
        futility_depth: 2,
        cutoff_depth: 3,
        max_moves: [12, 20, 28],
        aspiration_margin: 60,
    };
    /// The network evaluates and orders moves more accurately.
    const NETWORK_EVALUATION: PruningLimits = PruningLimits {
        margin: 30,
        futility_depth: 3,
        cutoff_depth: 4,
        max_moves: [8, 16, 28],
        aspiration_margin: 25,
    };

    pub(super) fn new(has_network: bool) -> PruningLimits {
        if has_network { PruningLimits::NETWORK_EVALUATION } else { PruningLimits::WINDOW_EVALUATION }
    }

    pub(super) fn max_moves(&self, depth: i32, is_improving: bool) -> usize {
        let max_moves = self.max_moves[match depth {
            ..=2 => 0,
            3..=5 => 1,
            _ => 2,
        }];
        if is_improving { max_moves } else { max_moves * NOT_IMPROVING_MOVES_PERCENT / 100 }
    }
}
