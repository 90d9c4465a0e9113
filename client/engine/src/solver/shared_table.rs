//! Transposition table of the solver, which threads share without locks.
//!
//! A slot is two atomic words: the key combined by exclusive or with the entry, and the entry. If two threads write a slot at the
//! same time, the words do not match and the slot counts as empty (R. Hyatt and T. Mann, "A lock-less transposition table
//! implementation for parallel search", 2002).

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::transposition::TtEntry;

/// Slots of a new table, as a power of two.
const FIRST_BITS: u32 = 8;

/// A table with two slots per position: one prefers the entry with more free cells, the other always takes the latest. Clones
/// share the slots.
#[derive(Clone, Debug)]
pub struct SolverTable {
    slots: Arc<Vec<[AtomicU64; 2]>>,
    mask: usize,
    /// Number of slots that this clone has occupied.
    used: usize,
    /// Maximum number of slots, as a power of two.
    max_bits: u32,
}

impl SolverTable {
    /// A small table, which grows up to 2^`max_bits` slots of 16 bytes.
    pub fn new(max_bits: u32) -> SolverTable {
        SolverTable::with_bits(FIRST_BITS.min(max_bits), max_bits)
    }

    /// A table of 2^`bits` slots, which does not grow.
    #[cfg(any(test, feature = "internals"))]
    pub fn new_fixed(bits: u32) -> SolverTable {
        SolverTable::with_bits(bits, bits)
    }

    fn with_bits(bits: u32, max_bits: u32) -> SolverTable {
        // In place: the system provides memory only for slots that are written.
        let words = vec![[0_u64; 2]; 1 << bits];
        let slots = words
            .into_iter()
            .map(|words| words.map(AtomicU64::new))
            .collect();
        SolverTable {
            slots: Arc::new(slots),
            mask: (1 << bits) - 2,
            used: 0,
            max_bits,
        }
    }

    #[inline]
    pub fn get(&self, key: u64) -> Option<TtEntry> {
        let index = self.index(key);
        let find = |slot: &[AtomicU64; 2]| {
            let word = slot[1].load(Ordering::Relaxed);
            (slot[0].load(Ordering::Relaxed) ^ word == key).then_some(word)
        };
        let word = find(&self.slots[index]).or_else(|| find(&self.slots[index + 1]))?;
        TtEntry::unpack(word)
    }

    pub(super) fn put(&mut self, key: u64, entry: TtEntry) {
        let index = self.index(key);
        let deep = &self.slots[index];
        let word = deep[1].load(Ordering::Relaxed);
        let is_other = deep[0].load(Ordering::Relaxed) ^ word != key;
        let keep = is_other && TtEntry::unpack(word).is_some_and(|deep| deep.depth > entry.depth);
        let slot = &self.slots[index + usize::from(keep)];
        self.used += usize::from(slot[1].load(Ordering::Relaxed) == 0);
        let word = entry.pack();
        slot[0].store(key ^ word, Ordering::Relaxed);
        slot[1].store(word, Ordering::Relaxed);
        if self.used >= self.slots.len() / 4 * 3 {
            self.grow();
        }
    }

    /// Enlarges the table by a factor of four, up to its maximum. A small table stays in the processor cache.
    #[cold]
    fn grow(&mut self) {
        let bits = (self.slots.len().ilog2() + 2).min(self.max_bits);
        if self.slots.len() >= 1 << bits {
            return;
        }
        let mut larger = SolverTable::with_bits(bits, self.max_bits);
        for slot in self.slots.iter() {
            let word = slot[1].load(Ordering::Relaxed);
            if let Some(entry) = TtEntry::unpack(word) {
                larger.put(slot[0].load(Ordering::Relaxed) ^ word, entry);
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
    use crate::transposition::Bound;

    fn entry(depth: u8, value: i32) -> TtEntry {
        TtEntry {
            value,
            depth,
            bound: Bound::Lower,
            best: 127,
        }
    }

    #[test]
    fn entries_survive_the_growth_of_the_table() {
        let mut table = SolverTable::new(11);
        let key = |number: u64| number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let put = |table: &mut SolverTable, number| {
            table.put(key(number), entry((number % 30) as u8, number as i32));
        };
        let found = |table: &SolverTable| -> Vec<u64> {
            let value = |number| table.get(key(number)).map(|entry| entry.value);
            (0..3_000)
                .filter(|&number| value(number) == Some(number as i32))
                .collect()
        };
        (0..150).for_each(|number| put(&mut table, number));
        let before = found(&table);
        assert!(table.slots.len() == 256 && before.len() > 75);
        table.grow();
        assert!(table.slots.len() == 1024 && found(&table) == before);
        (0..3_000).for_each(|number| put(&mut table, number));
        assert_eq!(table.slots.len(), 2048, "the maximum is no power of four");
    }

    #[test]
    fn clones_share_entries_and_torn_slots_are_empty() {
        let mut table = SolverTable::new_fixed(1);
        let copy = table.clone();
        table.put(5, entry(3, -7));
        assert_eq!(copy.get(5), Some(entry(3, -7)));
        // The words of two entries in one slot.
        table.slots[0][1].store(entry(3, 8).pack(), Ordering::Relaxed);
        assert_eq!(copy.get(5), None);
    }

    #[test]
    fn the_deepest_and_the_latest_are_kept() {
        let mut table = SolverTable::new_fixed(1);
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
