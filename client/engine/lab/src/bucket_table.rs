//! Hash table of fixed size for proof-number searches, with two entries in each bucket.

/// Entries of a bucket.
const BUCKET_SIZE: usize = 2;

/// Entry of a [`BucketTable`].
pub(crate) trait BucketEntry: Copy {
    type Key: Copy + Eq;
    const EMPTY: Self;

    fn key(&self) -> Self::Key;

    /// Number of positions that were searched below this position; 0 in an empty entry.
    fn work(&self) -> u32;

    /// Bits of the key that select the bucket.
    fn bucket_bits(key: Self::Key) -> usize;
}

/// Hash table. In a full bucket, a new entry replaces the entry with the least work.
#[derive(Debug)]
pub(crate) struct BucketTable<E> {
    entries: Vec<E>,
}

impl<E: BucketEntry> BucketTable<E> {
    /// Creates a table of 2^`bits` entries. `bits` must be at least 1.
    pub(crate) fn new(bits: u32) -> BucketTable<E> {
        BucketTable {
            entries: vec![E::EMPTY; BUCKET_SIZE << (bits - 1)],
        }
    }

    fn bucket(&self, key: E::Key) -> usize {
        E::bucket_bits(key) & (self.entries.len() - 1) & !(BUCKET_SIZE - 1)
    }

    pub(crate) fn get(&self, key: E::Key) -> Option<&E> {
        let at = self.bucket(key);
        self.entries[at..at + BUCKET_SIZE]
            .iter()
            .find(|entry| entry.work() > 0 && entry.key() == key)
    }

    /// Stores an entry. It replaces the older entry of the same position, or else the entry with the least work.
    pub(crate) fn insert(&mut self, entry: E) {
        let at = self.bucket(entry.key());
        let [first, second] = &mut self.entries[at..at + BUCKET_SIZE] else {
            return;
        };
        let is_first = if entry.key() == first.key() || entry.key() == second.key() {
            entry.key() == first.key()
        } else {
            first.work() <= second.work()
        };
        *(if is_first { first } else { second }) = entry;
    }
}
