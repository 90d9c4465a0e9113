//! Winner of a position with perfect play: weak games, then the solver of the engine without limits.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use noughts_engine::SearchLimits;
use noughts_engine::internals::{
    BitLayout, BoardKind, SearchBudget, Solver, SolverPosition, StaticResult, layout,
};
use noughts_protocol::{Position, Seat, Status};

use crate::weak_game;

/// Maximum number of positions of the weak games, which precede the search and take at most a few minutes. On most
/// boards where the maker wins, they end far earlier.
const MAX_WEAK_GAME_NODES: u64 = 100_000_000;
/// Base-2 logarithm of the size of the table of the weak games: at most 128 MB on boards of up to 64 cells.
const WEAK_GAME_TABLE_BITS: u32 = 21;
/// Base-2 logarithm of the maximum size of the table of the solver: 16 GB.
const MAX_TABLE_BITS: u32 = 30;

/// Winner of a position with perfect play of both sides, and the cost of the proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProvenWinner {
    /// `None` for a draw.
    pub winner: Option<Seat>,
    /// Number of visited positions.
    pub nodes: u64,
}

/// Finds the winner with perfect play, without limits, with a table of up to 2^`table_bits` slots of 16 bytes. In free
/// placement, proofs of a draw by weak games come first. Returns `None` for boards that do not fit into 128 bits and
/// have no such proof.
pub fn prove_winner(position: &Position, table_bits: u32) -> Option<ProvenWinner> {
    let immediate = |winner| Some(ProvenWinner { winner, nodes: 0 });
    match position.status() {
        Status::Won(seat) => return immediate(Some(seat)),
        Status::Drawn => return immediate(None),
        Status::Ongoing => {}
    }
    let turn = position.turn();
    let wins = |cell| position.status_after(cell) == Ok(Status::Won(turn));
    if position.legal_moves().any(wins) {
        return immediate(Some(turn));
    }
    let limits = SearchLimits {
        nodes: Some(MAX_WEAK_GAME_NODES),
        ..SearchLimits::default()
    };
    let stop = AtomicBool::new(false);
    let mut budget = SearchBudget::new(limits, &|| Duration::ZERO, &stop);
    if weak_game::is_proven_draw(position, WEAK_GAME_TABLE_BITS.min(table_bits), &mut budget) {
        return Some(ProvenWinner {
            winner: None,
            nodes: budget.nodes,
        });
    }
    let table_bits = table_bits.clamp(1, MAX_TABLE_BITS);
    let mut proven = match layout(position.geometry()) {
        BoardKind::Square(square) => search_winner(square, position, table_bits),
        BoardKind::Padded(padded) => search_winner(padded, position, table_bits),
        BoardKind::None => return None,
    };
    proven.nodes += budget.nodes;
    Some(proven)
}

fn search_winner<L: BitLayout>(layout: L, position: &Position, table_bits: u32) -> ProvenWinner {
    let stop = AtomicBool::new(false);
    let mut budget = SearchBudget::new(SearchLimits::default(), &|| Duration::ZERO, &stop);
    let mut solver = Solver::new(layout, position.geometry(), table_bits, &mut budget);
    let state = solver.tables.position(position);
    let turn = position.turn();
    let winner = if is_value_above(&mut solver, state, 0) {
        Some(turn)
    } else if is_value_above(&mut solver, state, -1) {
        None
    } else {
        Some(turn.other())
    };
    ProvenWinner {
        winner,
        nodes: budget.nodes,
    }
}

/// Returns whether the value for the side to move is above `alpha`.
fn is_value_above<L: BitLayout>(
    solver: &mut Solver<'_, '_, L>,
    state: SolverPosition<L::Word>,
    alpha: i32,
) -> bool {
    let value = match solver.check_static(&state) {
        StaticResult::Value(value) => value,
        StaticResult::Moves(_) => solver.negamax(state, alpha, alpha + 1),
    };
    value > alpha
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::position;

    #[test]
    fn the_known_winners_are_found() {
        for (rules, winner) in [
            // A weak game proves the draw.
            ("6x6:5", None),
            ("4x4:4+gravity", None),
            ("5x4:4+gravity", None),
            ("4x5:4+gravity", None),
            ("4x3:3", Some(Seat::X)),
            ("5x5:4", None),
            ("4x4:3+misere", Some(Seat::O)),
            ("3x3x3:3", Some(Seat::X)),
        ] {
            // The table is too small for all positions.
            let found = prove_winner(&position(rules, ""), 14).unwrap();
            assert_eq!(found.winner, winner, "{rules}");
            assert!(found.nodes > 0);
        }
        assert_eq!(prove_winner(&position("15x15:5", ""), 10), None);
        let won = prove_winner(&position("3x3:3", "a1 b1 a2 b2"), 10).unwrap();
        assert_eq!(
            won,
            ProvenWinner {
                winner: Some(Seat::X),
                nodes: 0
            }
        );
    }
}
