//! Win search: finds whether the side to move wins, not how fast. Many queries share one large table. Only the generator
//! of the Connect Four book uses it.

use noughts_protocol::{Cell, Geometry, Position};

use super::bitboard::SquareLayout;
use super::shared_table::SolverTable;
use super::{BoardKind, Solver, layout};
use crate::board::bit_word::BitWord;
use crate::budget::SearchBudget;

/// 2^24 slots of 16 bytes.
const TABLE_BITS: u32 = 24;

/// A win search for boards that fit into 64 bits.
pub(crate) struct WinSearch<'m, 'a> {
    solver: Solver<'m, 'a, SquareLayout>,
}

impl<'m, 'a> WinSearch<'m, 'a> {
    /// Panics if the board does not fit.
    pub(crate) fn new(geometry: &Geometry, budget: &'m mut SearchBudget<'a>) -> WinSearch<'m, 'a> {
        let BoardKind::Square(square) = layout(geometry) else {
            panic!("the board does not fit into 64 bits")
        };
        WinSearch {
            solver: Solver {
                tt: SolverTable::new(TABLE_BITS),
                ..Solver::new(square, geometry, budget)
            },
        }
    }

    /// A winning move; `None` without one, and when the budget has halted. The side to move must not be able to complete a
    /// line at once.
    pub(crate) fn winning_move(&mut self, position: &Position) -> Option<Cell> {
        let state = self.solver.tables.position(position);
        let mut root = self.solver.root_moves(&state);
        if let Some(known) = self.solver.tt.get(self.solver.tables.key(&state)) {
            let known = root
                .iter()
                .position(|root| root.stone.first_bit() == u32::from(known.best));
            root[..=known.unwrap_or(0)].rotate_right(1);
        }
        let is_win =
            self.solver.search_root(&state, &mut root, 0) > 0 && !self.solver.budget.halted;
        is_win.then(|| Cell::new(self.solver.tables.cell(root[0].stone.first_bit())))
    }
}
