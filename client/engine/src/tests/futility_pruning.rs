//! Quiet moves that are left out beside the leaves: what is left out proves nothing.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use super::position;
use crate::SearchLimits;
use crate::alpha_beta::budget::SearchBudget;
use crate::alpha_beta::search::{AlphaBetaSearch, PROVEN, SearchOptions, WIN};
use crate::board::SearchBoard;
use crate::board::board_tables::BoardTables;

/// O wins by threats unless X meets that, and only quiet moves do: every other move is a proven loss.
const MET_QUIETLY: &[&str] = &[
    "k10 h4 j9 h8 i11 j8 k7 l4 g10 i7 e9 h5 f6 j5",
    "g5 e11 e5 j4 g11 h9 l10 h8 l5 k11 l6 f8 g6 k9 l11 g9 j8 j7",
];

#[test]
fn quiet_moves_that_are_left_out_are_no_proof_of_a_loss() {
    let stop = AtomicBool::new(false);
    for moves in MET_QUIETLY {
        let game = position("15x15:5", moves);
        let tables = BoardTables::new(game.geometry());
        for depth in 1..=2 {
            let options = SearchOptions { vcf_nodes: 60, noise: 0, seed: 0 };
            let budget = SearchBudget::new(SearchLimits::default(), &|| Duration::ZERO, &stop);
            let mut search = AlphaBetaSearch::new(SearchBoard::new(&tables, &game), options, budget);
            // More than a quiet move can make of the estimate; and not so much that the loss is no news.
            for alpha in [200, 20_000] {
                let alpha = search.board.evaluate() + alpha;
                let value = search.alpha_beta(depth, alpha, alpha + 1, 0);
                assert!(-PROVEN < value && value <= alpha, "{value} at {depth}: {game:?}");
            }
            // One of them does meet it.
            let value = search.alpha_beta(1, -WIN, WIN, 0);
            assert!(value.abs() < PROVEN, "{value}: {game:?}");
        }
    }
}
