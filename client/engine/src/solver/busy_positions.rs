//! Positions that the threads of a search visit at this moment.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Minimum number of free cells of a position whose moves the threads divide among them.
pub(super) const MIN_SHARED_CELLS: i32 = 16;
/// Slots for the positions that threads search, as a power of two.
const BUSY_BITS: u32 = 12;

/// Positions that threads search at this moment. A key that another one overwrites costs a duplicate search only.
#[derive(Clone, Debug)]
pub(super) struct BusyPositions(Arc<Vec<AtomicU64>>);

impl BusyPositions {
    pub(super) fn new() -> BusyPositions {
        BusyPositions(Arc::new(
            (0..1 << BUSY_BITS).map(|_| AtomicU64::new(0)).collect(),
        ))
    }

    fn slot(&self, key: u64) -> &AtomicU64 {
        &self.0[(key >> (u64::BITS - BUSY_BITS)) as usize]
    }

    /// Marks a position as searched. False if another thread searches it.
    pub(super) fn begin(&self, key: u64) -> bool {
        self.slot(key).swap(key, Ordering::Relaxed) != key
    }

    pub(super) fn end(&self, key: u64) {
        // Another position may have taken the slot.
        self.slot(key)
            .compare_exchange(key, 0, Ordering::Relaxed, Ordering::Relaxed)
            .ok();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_position_is_busy_until_its_search_ends() {
        let busy = BusyPositions::new();
        assert!(busy.begin(7 << 60));
        assert!(!busy.clone().begin(7 << 60));
        // A position of the same slot takes it.
        assert!(busy.begin(7 << 60 | 1));
        busy.end(7 << 60);
        assert!(!busy.begin(7 << 60 | 1));
        busy.end(7 << 60 | 1);
        assert!(busy.begin(7 << 60 | 1));
    }
}
