//! Sets of cells in one machine word, and where the cells lie in it.

use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Not, Shl, Shr};

/// A word of cells.
pub(crate) trait BitWord:
    Copy
    + Eq
    + BitAnd<Output = Self>
    + BitAndAssign
    + BitOr<Output = Self>
    + BitOrAssign
    + BitXor<Output = Self>
    + BitXorAssign
    + Not<Output = Self>
    + Shl<u32, Output = Self>
    + Shr<u32, Output = Self>
{
    const SIZE: u32;
    const EMPTY: Self;

    /// The one cell of this place.
    fn from_bit(place: u32) -> Self;
    fn count(self) -> u32;
    /// The place of the first cell.
    fn first_bit(self) -> u32;
    /// The same without its first cell.
    fn without_first(self) -> Self;
    /// The word in 64 bits, for a key.
    fn to_u64(self) -> u64;

    fn is_empty(self) -> bool {
        self == Self::EMPTY
    }

    fn any(self) -> bool {
        self != Self::EMPTY
    }
}

impl BitWord for u64 {
    const SIZE: u32 = 64;
    const EMPTY: u64 = 0;

    #[inline]
    fn from_bit(place: u32) -> u64 {
        1 << place
    }

    #[inline]
    fn count(self) -> u32 {
        self.count_ones()
    }

    #[inline]
    fn first_bit(self) -> u32 {
        self.trailing_zeros()
    }

    #[inline]
    fn without_first(self) -> u64 {
        self & (self.wrapping_sub(1))
    }

    #[inline]
    fn to_u64(self) -> u64 {
        self
    }
}

impl BitWord for u128 {
    const SIZE: u32 = 128;
    const EMPTY: u128 = 0;

    #[inline]
    fn from_bit(place: u32) -> u128 {
        1 << place
    }

    #[inline]
    fn count(self) -> u32 {
        self.count_ones()
    }

    #[inline]
    fn first_bit(self) -> u32 {
        self.trailing_zeros()
    }

    #[inline]
    fn without_first(self) -> u128 {
        self & (self.wrapping_sub(1))
    }

    #[inline]
    fn to_u64(self) -> u64 {
        (self as u64) ^ ((self >> 64) as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }
}

/// The cells of a word, first to last.
pub(super) fn iter_bits<B: BitWord>(mut word: B) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let bit = word.any().then(|| word.first_bit())?;
        word = word.without_first();
        Some(bit)
    })
}

/// How the cells of a board lie in a word, so that a step in a direction is a shift.
pub(super) trait BitLayout {
    type Word: BitWord;

    /// The shifts of the directions.
    fn shifts(&self) -> &[u32];
    /// The shift from a cell to the one above it.
    fn row_shift(&self) -> u32;
    /// The place of a cell by its coordinates.
    fn bit_index(&self, at: [u8; 4]) -> u32;
}

/// Two dimensions in eight rows of eight bits, of which the last of a row is free: no line goes around an edge.
/// The shifts are constants.
#[derive(Clone, Copy, Debug)]
pub(super) struct SquareLayout {
    /// Columns of the board lie as rows, for a board that fits in no other way.
    pub(super) is_transposed: bool,
}

impl BitLayout for SquareLayout {
    type Word = u64;

    #[inline(always)]
    fn shifts(&self) -> &[u32] {
        &[1, 8, 9, 7]
    }

    #[inline(always)]
    fn row_shift(&self) -> u32 {
        if self.is_transposed { 1 } else { 8 }
    }

    fn bit_index(&self, at: [u8; 4]) -> u32 {
        let (row, column) = if self.is_transposed { (at[0], at[1]) } else { (at[1], at[0]) };
        8 * u32::from(row) + u32::from(column)
    }
}

/// Any board that fits with a free cell behind each row, each layer and so on.
#[derive(Clone, Debug)]
pub(super) struct PaddedLayout {
    pub(super) shifts: Vec<u32>,
    /// What a step along each axis is worth.
    pub(super) axis_shifts: [u32; 4],
}

impl BitLayout for PaddedLayout {
    type Word = u128;

    #[inline(always)]
    fn shifts(&self) -> &[u32] {
        &self.shifts
    }

    #[inline(always)]
    fn row_shift(&self) -> u32 {
        self.axis_shifts[1]
    }

    fn bit_index(&self, at: [u8; 4]) -> u32 {
        at.iter().zip(self.axis_shifts).map(|(&at, axis)| u32::from(at) * axis).sum()
    }
}
