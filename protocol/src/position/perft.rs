//! Counting the leaves of a game tree, the exhaustive check of everything in [`crate::position`].

use crate::Position;

/// How many sequences of exactly `depth` legal moves start from this position. A finished game has
/// no moves. The position is as it was when this returns.
///
/// The name and the method are those of chess programming, where such counts expose any mistake in
/// making moves.
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
        // The last moves need not be played: nothing is asked of the positions after them.
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
