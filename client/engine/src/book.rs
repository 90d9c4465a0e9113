//! Opening books of games that take too long to solve while playing. The search of this crate found their moves without a
//! time limit; programs in `lab/` make and check them.

pub mod connect4;
pub mod qubic;

use noughts_protocol::{Cell, Position};

use crate::Evaluation;

/// The move of a book and its evaluation, if a book has the position. The distance of a win or loss is an upper bound. The books
/// have no position where the next stone can complete a line.
pub fn probe(position: &Position) -> Option<(Cell, Evaluation)> {
    connect4::probe(position).or_else(|| qubic::probe(position))
}

/// The value that a book implies for the side to move, where it has no move.
pub(crate) fn evaluate(position: &Position) -> Option<Evaluation> {
    connect4::evaluate(position).or_else(|| qubic::evaluate(position))
}
