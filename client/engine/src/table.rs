//! What the search remembers of positions that it has seen.

/// How a value is to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bound {
    /// The position is worth at least this.
    Least = 1,
    /// The position is worth at most this.
    Most = 2,
    /// It is worth this.
    Exact = 3,
}

/// What was found out about a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) value: i32,
    /// Plies that were looked ahead.
    pub(super) depth: u8,
    pub(super) bound: Bound,
    /// The best move.
    pub(super) best: u16,
}

impl Found {
    /// All of it in one word, which is not 0.
    fn pack(self) -> u64 {
        let value = u64::from(self.value.cast_unsigned()) << 32;
        value | u64::from(self.best) << 16 | u64::from(self.depth) << 8 | self.bound as u64
    }

    fn unpack(word: u64) -> Option<Found> {
        let bound = match word & 3 {
            1 => Bound::Least,
            2 => Bound::Most,
            3 => Bound::Exact,
            _ => return None,
        };
        let value = ((word >> 32) as u32).cast_signed();
        Some(Found { value, depth: (word >> 8) as u8, bound, best: (word >> 16) as u16 })
    }
}

/// A table of two places for each position: one keeps what was searched deepest, the other the latest.
///
/// Zeros are no entries, so that a table costs memory only where it is written.
#[derive(Debug)]
pub(super) struct Table {
    entries: Vec<[u64; 2]>,
    mask: usize,
    /// Places that are taken.
    taken: usize,
}

impl Table {
    /// A table of 2^`bits` places of 16 bytes.
    pub(super) fn new(bits: u32) -> Table {
        let places = 1_usize << bits.clamp(1, 24);
        Table { entries: vec![[0; 2]; places], mask: places - 2, taken: 0 }
    }

    pub(super) fn get(&self, key: u64) -> Option<Found> {
        let at = self.place(key);
        let [deep, late] = [self.entries[at], self.entries[at + 1]];
        let found = if deep[0] == key { deep } else { late };
        if found[0] == key { Found::unpack(found[1]) } else { None }
    }

    pub(super) fn put(&mut self, key: u64, found: Found) {
        let at = self.place(key);
        let deep = self.entries[at];
        let keep = deep[0] != key && Found::unpack(deep[1]).is_some_and(|deep| deep.depth > found.depth);
        let entry = &mut self.entries[at + usize::from(keep)];
        self.taken += usize::from(entry[1] == 0);
        *entry = [key, found.pack()];
    }

    /// Makes the table four times as large, up to 2^`bits` places, when most of it is taken: a small table is
    /// near at hand, and few positions need no large one.
    pub(super) fn grow(&mut self, bits: u32) {
        if self.taken < self.entries.len() / 4 * 3 || self.entries.len() >= 1 << bits {
            return;
        }
        let places = (self.entries.len() * 4).min(1 << bits);
        let mut larger = Table { entries: vec![[0; 2]; places], mask: places - 2, taken: 0 };
        for &[key, word] in &self.entries {
            if let Some(found) = Found::unpack(word) {
                larger.put(key, found);
            }
        }
        *self = larger;
    }

    fn place(&self, key: u64) -> usize {
        (key >> 32) as usize & self.mask
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(depth: u8, value: i32) -> Found {
        Found { value, depth, bound: Bound::Least, best: 1023 }
    }

    #[test]
    fn what_was_put_comes_back() {
        let mut table = Table::new(8);
        for (key, value) in [(0, -999_999), (u64::MAX, 999_999), (7 << 40, 0)] {
            assert_eq!(table.get(key), None);
            table.put(key, found(200, value));
            assert_eq!(table.get(key), Some(found(200, value)));
        }
    }

    #[test]
    fn the_deepest_and_the_latest_are_kept() {
        let mut table = Table::new(1);
        table.put(1, found(5, 1));
        table.put(2, found(3, 2));
        table.put(3, found(2, 3));
        assert_eq!((table.get(1), table.get(2), table.get(3)), (Some(found(5, 1)), None, Some(found(2, 3))));
        table.put(4, found(6, 4));
        assert_eq!((table.get(1), table.get(4)), (None, Some(found(6, 4))));
    }
}
