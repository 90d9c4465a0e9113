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
    pub(super) fn is_held_by_second(&self, state: &SolverPosition<L::Word>) -> bool {
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
    use crate::tests::position;

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

    /// Whether one of the bounds applies to a position, and for which seat.
    fn bound<L: BitLayout>(tables: &SolverTables<L>, game: &Position) -> Option<Seat> {
        let state = tables.position(game);
        assert!(tables.has_zugzwang);
        match game.turn() {
            Seat::X => tables.is_held_by_second(&state).then_some(Seat::O),
            Seat::O => tables.is_won_by_first(&state).then_some(Seat::X),
        }
    }

    /// Checks the bound of a position with few free cells. Returns the seat for which it applies.
    fn check(game: &mut Position, known: &mut HashMap<u64, Option<Seat>>) -> Option<Seat> {
        let found = match layout(game.geometry()) {
            BoardKind::Square(square) => bound(&SolverTables::new(square, game.geometry()), game),
            BoardKind::Padded(padded) => bound(&SolverTables::new(padded, game.geometry()), game),
            BoardKind::None => panic!("the board fits into a word"),
        }?;
        let wins = winner(game, known) == Some(Seat::X);
        assert_eq!(wins, found == Seat::X, "{game:?}");
        Some(found)
    }

    #[test]
    fn bounds_agree_with_minimax() {
        let mut counts = [0, 0];
        for rules in [
            "4x4:3", "5x4:3", "4x4:4", "5x4:4", "6x4:4", "5x6:4", "7x6:4", "3x4x3:3",
        ] {
            let mut known = HashMap::new();
            for seed in 0..1_000 {
                let mut game = position(&format!("{rules}+gravity"), "");
                let mut random = seed;
                while game.status() == Status::Ongoing {
                    if game.rules().cells() - game.ply() <= 14
                        && let Some(seat) = check(&mut game, &mut known)
                    {
                        counts[seat as usize] += 1;
                    }
                    random = split_mix64(random);
                    let any = game
                        .legal_nth((random % game.legal_count() as u64) as usize)
                        .unwrap();
                    game.play(any).unwrap();
                }
            }
        }
        assert!(counts[0] > 300 && counts[1] > 3_000, "{counts:?}");
    }
}
