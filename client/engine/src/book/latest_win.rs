//! The distance of a win of which only the result is stored.

use noughts_protocol::Position;

use crate::Evaluation;

/// A win at the latest possible stone of the side to move.
pub(super) fn latest_win(position: &Position) -> Evaluation {
    let free = position.rules().cells() - position.ply();
    Evaluation::Win((free - usize::from(free.is_multiple_of(2))) as u32)
}
