//! Perft: counts the leaves of a game tree, an exhaustive test of [`crate::position`].

use crate::Position;

/// Counts the sequences of exactly `depth` legal moves from this position. A finished game has no moves. The position
/// is unchanged on return.
///
/// The name and the method come from chess programming, where the counts expose errors in move generation
/// (<https://www.chessprogramming.org/Perft>).
///
/// ```
/// use noughts_protocol::{Position, perft};
/// let mut board = Position::new("3x3:3".parse().unwrap());
/// assert_eq!((0..=9).map(|depth| perft(&mut board, depth)).collect::<Vec<_>>(),
///            [1, 9, 72, 504, 3024, 15120, 54720, 148176, 200448, 127872]);
/// ```
pub fn perft(position: &mut Position, depth: u32) -> u64 {
    match depth {
        0 => return 1,
        // The last moves need not be played: their number is the count.
        1 => return position.legal_count() as u64,
        _ => {}
    }
    if let Some(leaves) = position.word_perft(depth) {
        return leaves;
    }
    let mut leaves = 0;
    let mut from = 0;
    while let Some(cell) = position.legal_from(from) {
        from = cell.index() + 1;
        if position.play(cell).is_ok() {
            leaves += perft(position, depth - 1);
            position.undo();
        }
    }
    leaves
}
