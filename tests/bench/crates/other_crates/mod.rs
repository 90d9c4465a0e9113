//! Tic-tac-toe and Connect Four for the crate `minimax`, which has no games of its own. The bitboards resemble the
//! bitboards of its examples.

use minimax::Winner;

/// Board of at most 64 cells with a spare row on top, as in the crate's examples.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct BitboardPair {
    mover: u64,
    occupied: u64,
    plies: u32,
}

/// Game with constant size; columns have `HEIGHT` cells and a spare cell.
#[derive(Debug)]
pub(crate) struct BitboardGame<
    const WIDTH: u32,
    const HEIGHT: u32,
    const LINE: u32,
    const GRAVITY: bool,
>;

pub(crate) type TicTacToe = BitboardGame<3, 3, 3, false>;

impl<const WIDTH: u32, const HEIGHT: u32, const LINE: u32, const GRAVITY: bool> minimax::Game
    for BitboardGame<WIDTH, HEIGHT, LINE, GRAVITY>
{
    type S = BitboardPair;
    /// A move: the bit of its cell, or with gravity any bit of its column.
    type M = u64;

    fn generate_moves(bits: &BitboardPair, moves: &mut Vec<u64>) -> Option<Winner> {
        if let Some(winner) = Self::get_winner(bits) {
            return Some(winner);
        }
        for column in 0..WIDTH {
            let cells = ((1 << HEIGHT) - 1) << (column * (HEIGHT + 1));
            let mut free = cells & !bits.occupied;
            if GRAVITY {
                free &= free.wrapping_neg();
            }
            while free != 0 {
                moves.push(free & free.wrapping_neg());
                free &= free - 1;
            }
        }
        None
    }

    fn get_winner(bits: &BitboardPair) -> Option<Winner> {
        let stones = bits.mover ^ bits.occupied;
        for step in [1, HEIGHT, HEIGHT + 1, HEIGHT + 2] {
            let pairs = stones & (stones >> step);
            let runs = if LINE == 3 {
                pairs & (stones >> (2 * step))
            } else {
                pairs & (pairs >> (2 * step))
            };
            if runs != 0 {
                return Some(Winner::PlayerJustMoved);
            }
        }
        (bits.plies == WIDTH * HEIGHT).then_some(Winner::Draw)
    }

    fn apply(bits: &mut BitboardPair, cell: u64) -> Option<BitboardPair> {
        Some(BitboardPair {
            mover: bits.mover ^ bits.occupied,
            occupied: bits.occupied | cell,
            plies: bits.plies + 1,
        })
    }
}
