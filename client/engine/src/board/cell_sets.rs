//! Sets of cells, and one list per cell.

use std::iter::Zip;
use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Not, Shl, Shr};
use std::slice::Iter;

use noughts_protocol::Rules;

const WORDS: usize = Rules::MAX_CELLS / 64;

/// A set of cells on any board, with one bit per cell. Loops visit only the words that a board uses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct CellSet([u64; WORDS]);

impl CellSet {
    pub(crate) fn insert(&mut self, cell: u16) {
        self.0[usize::from(cell) / 64] |= 1 << (cell % 64);
    }

    pub(crate) fn remove(&mut self, cell: u16) {
        self.0[usize::from(cell) / 64] &= !(1 << (cell % 64));
    }

    pub(crate) fn contains(&self, cell: u16) -> bool {
        self.0[usize::from(cell) / 64] >> (cell % 64) & 1 == 1
    }

    /// Adds the cells of another set that are in the first `words` words.
    pub(crate) fn union_with(&mut self, other: &CellSet, words: usize) {
        self.0[..words]
            .iter_mut()
            .zip(&other.0[..words])
            .for_each(|(own, more)| *own |= more);
    }

    /// Returns the common cells of this set and `other` in the first `words` words, in increasing order.
    pub(crate) fn intersection<'a>(&'a self, other: &'a CellSet, words: usize) -> Intersection<'a> {
        Intersection {
            words: self.0[..words].iter().zip(&other.0[..words]),
            bits: 0,
            base: 0_u16.wrapping_sub(64),
        }
    }
}

/// Iterator over the common cells of two sets, see [`CellSet::intersection`].
#[derive(Clone, Debug)]
pub(crate) struct Intersection<'a> {
    /// The remaining words.
    words: Zip<Iter<'a, u64>, Iter<'a, u64>>,
    /// The remaining bits of the current word, and its first cell.
    bits: u64,
    base: u16,
}

impl Iterator for Intersection<'_> {
    type Item = u16;

    #[inline]
    fn next(&mut self) -> Option<u16> {
        while self.bits == 0 {
            let (a, b) = self.words.next()?;
            (self.bits, self.base) = (a & b, self.base.wrapping_add(64));
        }
        let bit = self.bits.trailing_zeros();
        self.bits &= self.bits - 1;
        Some(self.base + bit as u16)
    }
}

/// A set of cells in one machine word, with one bit per cell.
pub trait BitWord:
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
    + Into<u128>
{
    /// Number of bits.
    const SIZE: u32;
    const EMPTY: Self;

    /// Returns the set of one cell.
    fn from_bit(bit: u32) -> Self;
    fn count(self) -> u32;
    /// Returns the bit of the first cell; [`BitWord::SIZE`] for the empty set.
    fn first_bit(self) -> u32;
    /// Returns the set without its first cell.
    fn without_first(self) -> Self;
    /// Returns the set mixed into 64 bits, for a hash key.
    fn to_u64(self) -> u64;

    fn is_empty(self) -> bool {
        self == Self::EMPTY
    }

    fn any(self) -> bool {
        self != Self::EMPTY
    }
}

/// Implements the operations that are the same for every unsigned integer.
macro_rules! impl_bit_word {
    ($word:ty, $to_u64:expr) => {
        impl BitWord for $word {
            const SIZE: u32 = <$word>::BITS;
            const EMPTY: $word = 0;

            #[inline]
            fn from_bit(bit: u32) -> $word {
                1 << bit
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
            fn without_first(self) -> $word {
                self & (self.wrapping_sub(1))
            }

            #[inline]
            fn to_u64(self) -> u64 {
                $to_u64(self)
            }
        }
    };
}

impl_bit_word!(u64, |word| word);
impl_bit_word!(u128, |word: u128| (word as u64)
    ^ ((word >> 64) as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15));

/// Iterates over the bits of a set, from the first to the last.
pub fn iter_bits<B: BitWord>(mut word: B) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let bit = word.any().then(|| word.first_bit())?;
        word = word.without_first();
        Some(bit)
    })
}

/// Lists of varying length in a single allocation.
#[derive(Clone, Debug)]
pub(crate) struct ListOfLists<T> {
    starts: Box<[u32]>,
    items: Box<[T]>,
}

impl<T: Copy> ListOfLists<T> {
    pub(crate) fn new(lists: &[Vec<T>]) -> ListOfLists<T> {
        let mut starts = vec![0];
        let mut items = Vec::new();
        for list in lists {
            items.extend_from_slice(list);
            starts.push(items.len() as u32);
        }
        ListOfLists {
            starts: starts.into(),
            items: items.into(),
        }
    }

    pub(crate) fn get(&self, index: u16) -> &[T] {
        let index = usize::from(index);
        &self.items[self.starts[index] as usize..self.starts[index + 1] as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intersections_are_in_order() {
        let (mut a, mut b) = (CellSet::default(), CellSet::default());
        for cell in [1023, 3, 64, 63, 200] {
            a.insert(cell);
        }
        for cell in [1023, 64, 65, 3] {
            b.insert(cell);
        }
        assert_eq!(a.intersection(&b, WORDS).collect::<Vec<_>>(), [3, 64, 1023]);
        assert_eq!(a.intersection(&b, 1).collect::<Vec<_>>(), [3]);
        b.remove(64);
        assert!(!b.contains(64) && b.contains(65));
    }
}
