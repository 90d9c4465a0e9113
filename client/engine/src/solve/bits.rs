//! Sets of cells in one machine word, and where the cells lie in it.

use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Not, Shl, Shr};

/// A word of cells.
pub(crate) trait Bits:
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
    const NONE: Self;

    /// The one cell of this place.
    fn one(place: u32) -> Self;
    fn count(self) -> u32;
    /// The place of the first cell.
    fn first(self) -> u32;
    /// The same without its first cell.
    fn rest(self) -> Self;
    /// The word in 64 bits, for a key.
    fn fold(self) -> u64;

    fn is_none(self) -> bool {
        self == Self::NONE
    }

    fn any(self) -> bool {
        self != Self::NONE
    }
}

impl Bits for u64 {
    const SIZE: u32 = 64;
    const NONE: u64 = 0;

    #[inline]
    fn one(place: u32) -> u64 {
        1 << place
    }

    #[inline]
    fn count(self) -> u32 {
        self.count_ones()
    }

    #[inline]
    fn first(self) -> u32 {
        self.trailing_zeros()
    }

    #[inline]
    fn rest(self) -> u64 {
        self & (self.wrapping_sub(1))
    }

    #[inline]
    fn fold(self) -> u64 {
        self
    }
}

impl Bits for u128 {
    const SIZE: u32 = 128;
    const NONE: u128 = 0;

    #[inline]
    fn one(place: u32) -> u128 {
        1 << place
    }

    #[inline]
    fn count(self) -> u32 {
        self.count_ones()
    }

    #[inline]
    fn first(self) -> u32 {
        self.trailing_zeros()
    }

    #[inline]
    fn rest(self) -> u128 {
        self & (self.wrapping_sub(1))
    }

    #[inline]
    fn fold(self) -> u64 {
        (self as u64) ^ ((self >> 64) as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }
}

/// The cells of a word, first to last.
pub(super) fn each<B: Bits>(mut word: B) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let place = word.any().then(|| word.first())?;
        word = word.rest();
        Some(place)
    })
}

/// How the cells of a board lie in a word, so that a step in a direction is a shift.
pub(super) trait Layout {
    type Word: Bits;

    /// The shifts of the directions.
    fn steps(&self) -> &[u32];
    /// The shift from a cell to the one above it.
    fn row(&self) -> u32;
    /// The place of a cell by its coordinates.
    fn place(&self, at: [u8; 4]) -> u32;
}

/// Two dimensions in eight rows of eight bits, of which the last of a row is free: no line goes around an edge.
/// The shifts are constants.
#[derive(Clone, Copy, Debug)]
pub(super) struct Square {
    /// Columns of the board lie as rows, for a board that fits in no other way.
    pub(super) across: bool,
}

impl Layout for Square {
    type Word = u64;

    #[inline(always)]
    fn steps(&self) -> &[u32] {
        &[1, 8, 9, 7]
    }

    #[inline(always)]
    fn row(&self) -> u32 {
        if self.across { 1 } else { 8 }
    }

    fn place(&self, at: [u8; 4]) -> u32 {
        let (row, column) = if self.across { (at[0], at[1]) } else { (at[1], at[0]) };
        8 * u32::from(row) + u32::from(column)
    }
}

/// Any board that fits with a free cell behind each row, each layer and so on.
#[derive(Clone, Debug)]
pub(super) struct Padded {
    pub(super) steps: Vec<u32>,
    /// What a step along each axis is worth.
    pub(super) axes: [u32; 4],
}

impl Layout for Padded {
    type Word = u128;

    #[inline(always)]
    fn steps(&self) -> &[u32] {
        &self.steps
    }

    #[inline(always)]
    fn row(&self) -> u32 {
        self.axes[1]
    }

    fn place(&self, at: [u8; 4]) -> u32 {
        at.iter().zip(self.axes).map(|(&at, axis)| u32::from(at) * axis).sum()
    }
}
