//! Transposition table: results of positions that a search has visited.

/// Meaning of a stored value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// The value is a lower bound.
    Lower = 1,
    /// The value is an upper bound.
    Upper = 2,
    /// The value is exact.
    Exact = 3,
}

/// Result of the search of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TtEntry {
    pub value: i32,
    /// Depth of the search in plies.
    pub depth: u8,
    pub bound: Bound,
    /// The best move.
    pub best: u16,
}

impl TtEntry {
    /// Returns the entry in one word, which is never 0.
    pub(crate) fn pack(self) -> u64 {
        let value = u64::from(self.value.cast_unsigned()) << 32;
        value | u64::from(self.best) << 16 | u64::from(self.depth) << 8 | self.bound as u64
    }

    pub(crate) fn unpack(word: u64) -> Option<TtEntry> {
        let bound = match word & 3 {
            1 => Bound::Lower,
            2 => Bound::Upper,
            3 => Bound::Exact,
            _ => return None,
        };
        let value = ((word >> 32) as u32).cast_signed();
        Some(TtEntry {
            value,
            depth: (word >> 8) as u8,
            bound,
            best: (word >> 16) as u16,
        })
    }
}

/// A hash table with two slots per position: one prefers the deepest search, the other always takes the latest.
///
/// Zero means an empty slot, so the system provides memory only for slots that are written.
#[derive(Debug)]
pub struct TranspositionTable {
    entries: Vec<[u64; 2]>,
    mask: usize,
    /// Number of occupied slots.
    used: usize,
}

impl TranspositionTable {
    /// Creates a table of 2^`bits` slots of 16 bytes.
    pub(crate) fn new(bits: u32) -> TranspositionTable {
        let slots = 1_usize << bits.clamp(1, 24);
        TranspositionTable {
            entries: vec![[0; 2]; slots],
            mask: slots - 2,
            used: 0,
        }
    }

    pub fn get(&self, key: u64) -> Option<TtEntry> {
        let index = self.index(key);
        let [deep, late] = [self.entries[index], self.entries[index + 1]];
        let slot = if deep[0] == key { deep } else { late };
        if slot[0] == key {
            TtEntry::unpack(slot[1])
        } else {
            None
        }
    }

    pub(crate) fn put(&mut self, key: u64, entry: TtEntry) {
        let index = self.index(key);
        let deep = self.entries[index];
        let keep =
            deep[0] != key && TtEntry::unpack(deep[1]).is_some_and(|deep| deep.depth > entry.depth);
        let slot = &mut self.entries[index + usize::from(keep)];
        self.used += usize::from(slot[1] == 0);
        *slot = [key, entry.pack()];
    }

    /// Enlarges the table by a factor of four, up to 2^`bits` slots, when three quarters are occupied. It starts small,
    /// because a small table stays in the processor cache.
    pub(crate) fn grow(&mut self, bits: u32) {
        if self.used < self.entries.len() / 4 * 3 || self.entries.len() >= 1 << bits {
            return;
        }
        let slots = (self.entries.len() * 4).min(1 << bits);
        let mut larger = TranspositionTable {
            entries: vec![[0; 2]; slots],
            mask: slots - 2,
            used: 0,
        };
        for &[key, word] in &self.entries {
            if let Some(entry) = TtEntry::unpack(word) {
                larger.put(key, entry);
            }
        }
        *self = larger;
    }

    fn index(&self, key: u64) -> usize {
        (key >> 32) as usize & self.mask
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(depth: u8, value: i32) -> TtEntry {
        TtEntry {
            value,
            depth,
            bound: Bound::Lower,
            best: 1023,
        }
    }

    #[test]
    fn stored_entries_are_found() {
        let mut table = TranspositionTable::new(8);
        for (key, value) in [(0, -999_999), (u64::MAX, 999_999), (7 << 40, 0)] {
            assert_eq!(table.get(key), None);
            table.put(key, entry(200, value));
            assert_eq!(table.get(key), Some(entry(200, value)));
        }
    }

    #[test]
    fn the_deepest_and_the_latest_are_kept() {
        let mut table = TranspositionTable::new(1);
        table.put(1, entry(5, 1));
        table.put(2, entry(3, 2));
        table.put(3, entry(2, 3));
        assert_eq!(
            (table.get(1), table.get(2), table.get(3)),
            (Some(entry(5, 1)), None, Some(entry(2, 3)))
        );
        table.put(4, entry(6, 4));
        assert_eq!((table.get(1), table.get(4)), (None, Some(entry(6, 4))));
    }
}
