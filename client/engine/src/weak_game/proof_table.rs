//! Table of the proof numbers of positions.

use super::proof_numbers::ProofNumbers;
use crate::board::bit_word::BitWord;

/// Entries of a bucket.
const BUCKET_SIZE: usize = 2;

/// A position.
#[derive(Clone, Copy, Debug)]
pub(super) struct ProofEntry<B> {
    pub(super) key: u128,
    pub(super) numbers: ProofNumbers,
    /// Positions searched below; 0 in an empty entry.
    pub(super) work: u32,
    /// Zone of the winner, in the canonical image.
    pub(super) zone: B,
}

/// Table of fixed size, which replaces the entry with the least work of two.
#[derive(Debug)]
pub(super) struct ProofTable<B> {
    entries: Vec<ProofEntry<B>>,
}

impl<B: BitWord> ProofTable<B> {
    pub(super) fn new(bits: u32) -> ProofTable<B> {
        let empty = ProofEntry { key: 0, numbers: ProofNumbers::UNKNOWN, work: 0, zone: B::EMPTY };
        ProofTable { entries: vec![empty; BUCKET_SIZE << (bits.clamp(1, 30) - 1)] }
    }

    fn bucket(&self, key: u128) -> usize {
        key as usize & (self.entries.len() - 1) & !(BUCKET_SIZE - 1)
    }

    pub(super) fn get(&self, key: u128) -> Option<&ProofEntry<B>> {
        let at = self.bucket(key);
        self.entries[at..at + BUCKET_SIZE].iter().find(|entry| entry.work > 0 && entry.key == key)
    }

    pub(super) fn insert(&mut self, entry: ProofEntry<B>) {
        let at = self.bucket(entry.key);
        let [first, second] = &mut self.entries[at..at + BUCKET_SIZE] else { return };
        let is_first = if entry.key == first.key || entry.key == second.key {
            entry.key == first.key
        } else {
            first.work <= second.work
        };
        *(if is_first { first } else { second }) = entry;
    }
}
