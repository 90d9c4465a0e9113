//! Stones as sets of cells, and beside them the number of stones in each window, counted for all windows at once: a
//! number is spread over several words, a bit of it in each, and a window is a place in these words.

use noughts_protocol::{Position, Seat};

use super::windows::Windows;
use crate::shape::mix;

/// The bits of a number of stones.
pub(super) const BITS: usize = 3;

/// What lies on a board, with seats as 0 and 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stones {
    pub(crate) of: [u64; 2],
    /// By seat, the number of its stones in each window: the ones, the twos and the fours.
    counts: [[u128; BITS]; 2],
}

/// The cells of a word, first to last.
pub(crate) fn each(mut word: u64) -> impl Iterator<Item = u8> {
    std::iter::from_fn(move || {
        let cell = (word != 0).then(|| word.trailing_zeros() as u8)?;
        word &= word - 1;
        Some(cell)
    })
}

impl Stones {
    pub(crate) const NONE: Stones = Stones { of: [0; 2], counts: [[0; BITS]; 2] };

    pub(super) fn new(windows: &Windows, of: [u64; 2]) -> Stones {
        let play = |stones: Stones, (seat, cell): (usize, u8)| stones.play(windows, seat, cell);
        (0..2).flat_map(|seat| each(of[seat]).map(move |cell| (seat, cell))).fold(Stones::NONE, play)
    }

    pub(crate) fn of(windows: &Windows, position: &Position) -> Stones {
        let moves = position.moves().iter().zip(Seat::ALL.into_iter().cycle());
        moves
            .fold(Stones::NONE, |stones, (cell, seat)| stones.play(windows, seat.index(), cell.index() as u8))
    }

    /// The same with a stone of this seat on a free cell.
    #[inline]
    pub(crate) fn play(&self, windows: &Windows, seat: usize, cell: u8) -> Stones {
        let mut stones = *self;
        stones.of[seat] |= 1 << cell;
        let mut carry = windows.through[usize::from(cell)];
        for bit in &mut stones.counts[seat] {
            (*bit, carry) = (*bit ^ carry, *bit & carry);
        }
        stones
    }

    #[inline]
    pub(crate) fn free(&self, windows: &Windows) -> u64 {
        windows.board & !(self.of[0] | self.of[1])
    }

    /// The windows that this seat fills with so many stones more.
    #[inline]
    pub(super) fn lacking(&self, windows: &Windows, seat: usize, lack: usize) -> u128 {
        let stones = windows.k - lack;
        let others = self.counts[1 - seat].iter().fold(0, |touched, bit| touched | bit);
        let all = u128::MAX >> (128 - windows.cells.len());
        self.counts[seat].iter().enumerate().fold(all & !others, |windows, (place, bit)| {
            windows & if stones >> place & 1 == 1 { *bit } else { !*bit }
        })
    }

    /// The cells where this seat completes a line with its next stone.
    #[inline]
    pub(crate) fn completing(&self, windows: &Windows, seat: usize) -> u64 {
        windows.union(self.lacking(windows, seat, 1)) & !self.of[seat]
    }

    /// What a free cell is worth to this seat: the more of its windows is filled, the more, and its own before those
    /// of the other.
    pub(super) fn worth(&self, windows: &Windows, seat: usize, cell: u8) -> u32 {
        let through = windows.through[usize::from(cell)];
        let count = |seat, lack| (through & self.lacking(windows, seat, lack)).count_ones();
        let worth = |lack: usize| {
            let stones = (windows.k - lack) as u32;
            3 * count(seat, lack) * 4_u32.pow(stones) + 2 * count(1 - seat, lack) * 3_u32.pow(stones)
        };
        (1..=windows.k).map(worth).sum()
    }

    /// A key of the stones and the seat to move.
    #[inline]
    pub(super) fn key(&self, turn: usize) -> u64 {
        mix(mix(self.of[0] ^ 0x5851_f42d_4c95_7f2d << turn) ^ self.of[1].rotate_left(17))
    }
}
