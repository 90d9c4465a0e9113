//! Futility pruning near the leaves: a pruned move proves nothing.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use super::position;
use crate::SearchLimits;
use crate::alpha_beta::search::{AlphaBetaSearch, PROVEN, SearchOptions, WIN};
use crate::board::SearchBoard;
use crate::board::board_tables::BoardTables;
use crate::budget::SearchBudget;

/// O threatens a VCF, and X is to move. Only quiet moves refute it: every other move is a proven loss.
const QUIET_DEFENCES: &[&str] = &[
    "k10 h4 j9 h8 i11 j8 k7 l4 g10 i7 e9 h5 f6 j5",
    "g5 e11 e5 j4 g11 h9 l10 h8 l5 k11 l6 f8 g6 k9 l11 g9 j8 j7",
];

#[test]
fn pruned_quiet_moves_do_not_prove_a_loss() {
    let stop = AtomicBool::new(false);
    for moves in QUIET_DEFENCES {
        let game = position("15x15:5", moves);
        let tables = BoardTables::new(game.geometry());
        for depth in 1..=2 {
            let options = SearchOptions { vcf_nodes: 60, noise: 0, seed: 0 };
            let budget = SearchBudget::new(SearchLimits::default(), &|| Duration::ZERO, &stop);
            let mut search = AlphaBetaSearch::new(SearchBoard::new(&tables, &game), options, budget);
            // Above the futility bound, so that quiet moves are pruned, and below the values of wins.
            for alpha in [200, 20_000] {
                let alpha = search.board.evaluate() + alpha;
                let value = search.alpha_beta(depth, alpha, alpha + 1, 0);
                assert!(-PROVEN < value && value <= alpha, "{value} at {depth}: {game:?}");
            }
            // With a full window nothing is pruned, and a quiet move refutes the VCF.
            let value = search.alpha_beta(1, -WIN, WIN, 0);
            assert!(value.abs() < PROVEN, "{value}: {game:?}");
        }
    }
}
