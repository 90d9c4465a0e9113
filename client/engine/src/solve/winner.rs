//! Whether a position is won at all, without asking how fast: many questions to one large table.

use noughts_protocol::{Cell, Geometry, Position};

use super::bits::{Bits, Square};
use super::{Fit, Solver, layout};
use crate::meter::Meter;

/// 2^24 places of 16 bytes.
const BITS: u32 = 24;

/// Answers for the boards that fit into 64 bits.
pub(crate) struct Winner<'m, 'a> {
    solver: Solver<'m, 'a, Square>,
}

impl<'m, 'a> Winner<'m, 'a> {
    /// Panics on a board that does not fit.
    pub(crate) fn new(geometry: &Geometry, meter: &'m mut Meter<'a>) -> Winner<'m, 'a> {
        let Fit::Square(square) = layout(geometry) else { panic!("the board does not fit into 64 bits") };
        Winner { solver: Solver { most_bits: BITS, ..Solver::new(square, geometry, meter) } }
    }

    /// A move that wins; none when there is none, or the meter halted. The side to move can complete no line at
    /// once.
    pub(crate) fn winning(&mut self, position: &Position) -> Option<Cell> {
        let state = self.solver.grid.state(position);
        let mut root = self.solver.root_moves(&state);
        let wins = self.solver.look(&state, &mut root, 0) > 0 && !self.solver.meter.halted;
        wins.then(|| Cell::new(self.solver.grid.cell(root[0].first())))
    }
}
