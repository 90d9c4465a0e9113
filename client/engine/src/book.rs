//! Opening books of games that take too long to solve while playing: winning moves of the first player. The search of this
//! crate found them without a time limit; programs in `lab/` make and check them.

#[cfg(feature = "connect4-book")]
pub mod connect4;
pub mod qubic;

use noughts_protocol::{Cell, Position};

use crate::Evaluation;
#[cfg(feature = "connect4-book")]
pub(crate) use crate::book::connect4::evaluate;
use crate::search_types::latest_win;

/// The winning move of a book and its evaluation, if a book has the position. The distance is an upper bound. The books
/// have no position where the next stone can complete a line.
pub fn probe(position: &Position) -> Option<(Cell, Evaluation)> {
    #[cfg(feature = "connect4-book")]
    if let Some(best) = connect4::probe(position) {
        return Some((best, latest_win(position)));
    }
    qubic::probe(position)
}

/// Without the book of Connect Four no book has such values.
#[cfg(not(feature = "connect4-book"))]
pub(crate) fn evaluate(_: &Position) -> Option<Evaluation> {
    None
}
