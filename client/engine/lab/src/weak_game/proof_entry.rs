//! Entries of the table of proof numbers.

use super::proof_numbers::ProofNumbers;
use crate::bucket_table::BucketEntry;
use noughts_engine::internals::BitWord;

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

impl<B: BitWord> BucketEntry for ProofEntry<B> {
    type Key = u128;
    const EMPTY: Self = ProofEntry {
        key: 0,
        numbers: ProofNumbers::UNKNOWN,
        work: 0,
        zone: B::EMPTY,
    };

    fn key(&self) -> u128 {
        self.key
    }

    fn work(&self) -> u32 {
        self.work
    }

    fn bucket_bits(key: u128) -> usize {
        key as usize
    }
}
