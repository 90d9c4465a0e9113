//! Opening books for games that take too long to solve while playing. The search of this crate found their moves
//! without a time limit. Programs in `lab/` make and check the books.

pub mod connect4;
pub mod qubic;

use noughts_protocol::{Cell, Position};

use crate::Evaluation;

/// Returns the book move and its evaluation, if a book contains the position. The distance of a win or loss is an upper
/// bound. The books contain no position where the next stone can complete a line.
pub fn probe(position: &Position) -> Option<(Cell, Evaluation)> {
    connect4::probe(position).or_else(|| qubic::probe(position))
}

/// Returns the value that a book implies for the side to move in a position without a book move.
pub(crate) fn evaluate(position: &Position) -> Option<Evaluation> {
    connect4::evaluate(position).or_else(|| qubic::evaluate(position))
}
