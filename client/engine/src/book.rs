//! Openings that take longer to solve than anybody waits: how the first side wins. Found by our own search, with all
//! the time it wanted; each `make` does it again.

pub mod connect4;
pub mod qubic;

use noughts_protocol::{Cell, Position};

use super::Evaluation;

/// What a win by the book is worth: how soon it comes the book does not know.
const BOOK_WIN_SCORE: Evaluation = Evaluation::Estimate(1_000);

/// The move that wins and what it is worth, if the position is in a book.
pub(super) fn probe(position: &Position) -> Option<(Cell, Evaluation)> {
    connect4::probe(position).map(|best| (best, BOOK_WIN_SCORE)).or_else(|| qubic::probe(position))
}
