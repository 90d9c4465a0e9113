//! Positions that the threads of a search visit at this moment.

use std::sync::atomic::{AtomicU64, Ordering};

use noughts_engine::internals::BusyPositions;

/// Slots for the positions that threads search, as a power of two.
const BUSY_BITS: u32 = 12;

/// Positions that threads search at this moment. A key that another one overwrites costs a duplicate search only.
#[derive(Debug)]
pub(crate) struct SharedBusyPositions(Vec<AtomicU64>);

impl SharedBusyPositions {
    pub(crate) fn new() -> SharedBusyPositions {
        SharedBusyPositions((0..1 << BUSY_BITS).map(|_| AtomicU64::new(0)).collect())
    }

    fn slot(&self, key: u64) -> &AtomicU64 {
        &self.0[(key >> (u64::BITS - BUSY_BITS)) as usize]
    }
}

impl BusyPositions for SharedBusyPositions {
    fn begin(&self, key: u64) -> bool {
        self.slot(key).swap(key, Ordering::Relaxed) != key
    }

    fn end(&self, key: u64) {
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
        let busy = SharedBusyPositions::new();
        assert!(busy.begin(7 << 60));
        assert!(!busy.begin(7 << 60));
        // A position of the same slot takes it.
        assert!(busy.begin(7 << 60 | 1));
        busy.end(7 << 60);
        assert!(!busy.begin(7 << 60 | 1));
        busy.end(7 << 60 | 1);
        assert!(busy.begin(7 << 60 | 1));
    }
}
