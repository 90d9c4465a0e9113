//! A set of cells of any board: one bit per cell. Loops visit only the words that a board uses.

use std::iter::Zip;
use std::slice::Iter;

use noughts_protocol::Rules;

const WORDS: usize = Rules::MAX_CELLS / 64;

/// A set of cells by index.
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

    /// Adds the cells of another set that lie in the first `words` words.
    pub(crate) fn union_with(&mut self, other: &CellSet, words: usize) {
        self.0[..words]
            .iter_mut()
            .zip(&other.0[..words])
            .for_each(|(own, more)| *own |= more);
    }

    /// The common cells of this set and `other` in the first `words` words, in increasing order.
    pub(crate) fn intersection<'a>(&'a self, other: &'a CellSet, words: usize) -> Intersection<'a> {
        Intersection {
            words: self.0[..words].iter().zip(&other.0[..words]),
            bits: 0,
            base: 0_u16.wrapping_sub(64),
        }
    }
}

/// Iterator over the common cells of two sets; see [`CellSet::intersection`].
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
