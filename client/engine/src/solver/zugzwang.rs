//! Bounds by zugzwang, with gravity on a board of even height: a player who answers every stone in the same column decides
//! which rows it gets (V. Allis, "A Knowledge-based Approach of Connect-Four", 1988).
//!
//! Rows count from 1 at the bottom. In a column with an even number of stones a player who always answers gets the even rows
//! and leaves the odd ones to the opponent; in a column with an odd number, once its next cell is occupied, the same. Two
//! columns with an odd number of stones form a pair: a stone on the next cell of one is answered on that of the other, so
//! the opponent gets at most one of the two.

use super::bitboard::{BitLayout, SolverPosition, SolverTables};
use crate::board::bit_word::{BitWord, iter_bits};

impl<L: BitLayout> SolverTables<L> {
    /// Whether the second player, with the first to move, answers every stone so that the first cannot complete a line.
    ///
    /// With [`SolverTables::has_zugzwang`] only.
    #[inline]
    pub fn is_held_by_second(&self, state: &SolverPosition<L::Word>) -> bool {
        let free = self.cells & !(state.mover | state.other);
        let reachable = state.mover | (free & self.odd_rows);
        self.is_held(reachable, state.open & !self.odd_rows)
    }

    /// Whether the first player, with the second to move, answers every stone, and at last completes a line in an odd row
    /// because the second has only the cell below it left.
    ///
    /// With [`SolverTables::has_zugzwang`] only.
    #[inline]
    pub(super) fn is_won_by_first(&self, state: &SolverPosition<L::Word>) -> bool {
        let free = self.cells & !(state.mover | state.other);
        let threats = self.completing(state.other) & free & self.odd_rows;
        if threats.is_empty() {
            return false;
        }
        let next_cells = state.open & !self.odd_rows;
        iter_bits(next_cells)
            .map(L::Word::from_bit)
            .any(|next_cell| {
                // Below its threat the first player gets the odd rows of this column, because it answers there too.
                let (mut column, mut below) = (L::Word::EMPTY, L::Word::EMPTY);
                let mut cell = next_cell;
                let mut is_below = true;
                while cell.any() {
                    is_below &= (cell & threats).is_empty();
                    column |= cell;
                    if is_below {
                        below |= cell & !self.odd_rows;
                    }
                    cell = (cell >> self.layout.row_shift()) & self.cells;
                }
                let reachable = state.mover | (free & self.odd_rows & !column) | below;
                !is_below && self.is_held(reachable, next_cells & !next_cell)
            })
    }

    /// Whether no line fits on the cells that a player can reach, and one of each pair of these next cells of other columns.
    #[inline]
    fn is_held(&self, reachable: L::Word, next_cells: L::Word) -> bool {
        match next_cells.count() {
            2 => {
                let first = L::Word::from_bit(next_cells.first_bit());
                let second = next_cells.without_first();
                !self.has_room(reachable | first) && !self.has_room(reachable | second)
            }
            // More pairs: as if the player could reach both cells of each.
            _ => !self.has_room(reachable | next_cells),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use noughts_protocol::rng::split_mix64;
    use noughts_protocol::{Position, Seat, Status};

    use super::super::{BoardKind, layout};
    use super::*;
    use crate::tests::{is_deep, position};

    /// The winner of a position, by exhaustive minimax; `None` for a draw.
    fn winner(game: &mut Position, known: &mut HashMap<u64, Option<Seat>>) -> Option<Seat> {
        match game.status() {
            Status::Won(seat) => return Some(seat),
            Status::Drawn => return None,
            Status::Ongoing => {}
        }
        if let Some(&winner) = known.get(&game.key()) {
            return winner;
        }
        let turn = game.turn();
        let results = game
            .legal_moves()
            .collect::<Vec<_>>()
            .into_iter()
            .map(|cell| {
                game.play(cell).unwrap();
                let found = winner(game, known);
                game.undo();
                found
            });
        let rank = |result: &Option<Seat>| {
            if *result == Some(turn) {
                2
            } else {
                u8::from(result.is_none())
            }
        };
        let best = results.max_by_key(rank).expect("the game is not over");
        known.insert(game.key(), best);
        best
    }

    /// The seat for which one of the bounds applies to a position, if there is one.
    fn bound<L: BitLayout>(tables: &SolverTables<L>, game: &Position) -> Option<Seat> {
        let state = tables.position(game);
        assert!(tables.has_zugzwang);
        match game.turn() {
            Seat::X => tables.is_held_by_second(&state).then_some(Seat::O),
            Seat::O => tables.is_won_by_first(&state).then_some(Seat::X),
        }
    }

    /// Checks the bounds of the late positions of random games. Returns for each seat how often one applied.
    fn check<L: BitLayout>(layout: L, empty: &Position, seeds: u64, free_cells: usize) -> [u32; 2] {
        let tables = SolverTables::new(layout, empty.geometry());
        let (mut known, mut counts) = (HashMap::new(), [0, 0]);
        for seed in 0..seeds {
            let mut game = empty.clone();
            let mut random = seed;
            while game.status() == Status::Ongoing {
                if game.rules().cells() - game.ply() <= free_cells
                    && let Some(seat) = bound(&tables, &game)
                {
                    let wins = winner(&mut game, &mut known) == Some(Seat::X);
                    assert_eq!(wins, seat == Seat::X, "{game:?}");
                    counts[seat as usize] += 1;
                }
                random = split_mix64(random);
                let any = game
                    .legal_nth((random % game.legal_count() as u64) as usize)
                    .unwrap();
                game.play(any).unwrap();
            }
        }
        counts
    }

    #[test]
    fn bounds_agree_with_minimax() {
        let (seeds, free_cells) = if is_deep() { (1_000, 14) } else { (150, 12) };
        let mut counts = [0, 0];
        for rules in [
            "4x4:3", "5x4:3", "4x4:4", "5x4:4", "6x4:4", "5x6:4", "7x6:4", "3x4x3:3",
        ] {
            let empty = position(&format!("{rules}+gravity"), "");
            let of_board = match layout(empty.geometry()) {
                BoardKind::Square(square) => check(square, &empty, seeds, free_cells),
                BoardKind::Padded(padded) => check(padded, &empty, seeds, free_cells),
                BoardKind::None => panic!("the board fits into a word"),
            };
            counts = [counts[0] + of_board[0], counts[1] + of_board[1]];
        }
        assert!(counts[0] > 30 && counts[1] > 400, "{counts:?}");
    }
}
