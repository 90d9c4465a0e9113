//! A set of cells, a bit each. All boards fit; loops run over the words that a board uses.

use noughts_protocol::Rules;

const WORDS: usize = Rules::MAX_CELLS / 64;

/// A set of cells by index.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Cells([u64; WORDS]);

impl Cells {
    pub(super) fn insert(&mut self, cell: u16) {
        self.0[usize::from(cell) / 64] |= 1 << (cell % 64);
    }

    pub(super) fn remove(&mut self, cell: u16) {
        self.0[usize::from(cell) / 64] &= !(1 << (cell % 64));
    }

    pub(super) fn contains(&self, cell: u16) -> bool {
        self.0[usize::from(cell) / 64] >> (cell % 64) & 1 == 1
    }

    /// The cells that are in this set and in `other`, in increasing order, of the first `words` words.
    pub(super) fn both<'a>(&'a self, other: &'a Cells, words: usize) -> impl Iterator<Item = u16> + 'a {
        self.0[..words].iter().zip(&other.0[..words]).enumerate().flat_map(|(word, (&a, &b))| {
            let mut bits = a & b;
            std::iter::from_fn(move || {
                let bit = (bits != 0).then(|| bits.trailing_zeros())?;
                bits &= bits - 1;
                Some(word as u16 * 64 + bit as u16)
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_both_have_comes_in_order() {
        let (mut a, mut b) = (Cells::default(), Cells::default());
        for cell in [1023, 3, 64, 63, 200] {
            a.insert(cell);
        }
        for cell in [1023, 64, 65, 3] {
            b.insert(cell);
        }
        assert_eq!(a.both(&b, WORDS).collect::<Vec<_>>(), [3, 64, 1023]);
        assert_eq!(a.both(&b, 1).collect::<Vec<_>>(), [3]);
        b.remove(64);
        assert!(!b.contains(64) && b.contains(65));
    }
}
