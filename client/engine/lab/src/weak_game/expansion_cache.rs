//! Cache of expanded positions. The search leaves a position and comes back to it, and an expansion reduces the position after
//! each move.

use super::zones::ChildPosition;

/// Number of slots, as a power of two: some 16 MB on boards of up to 64 cells.
const SLOT_BITS: u32 = 13;

/// The children of the positions that the search has left undecided.
#[derive(Debug)]
pub(super) struct ExpansionCache<B> {
    /// By the low bits of the key: the key and the children.
    slots: Vec<(u128, Vec<ChildPosition<B>>)>,
}

impl<B> ExpansionCache<B> {
    pub(super) fn new() -> ExpansionCache<B> {
        ExpansionCache {
            slots: (0..1 << SLOT_BITS).map(|_| (0, Vec::new())).collect(),
        }
    }

    /// Removes the children of a position.
    pub(super) fn take(&mut self, key: u128) -> Option<Vec<ChildPosition<B>>> {
        let slot = self.slot(key);
        let is_found = slot.0 == key && !slot.1.is_empty();
        is_found.then(|| std::mem::take(&mut slot.1))
    }

    /// Stores the children of a position in place of those of another.
    pub(super) fn put(&mut self, key: u128, children: Vec<ChildPosition<B>>) {
        *self.slot(key) = (key, children);
    }

    fn slot(&mut self, key: u128) -> &mut (u128, Vec<ChildPosition<B>>) {
        let at = key as usize & (self.slots.len() - 1);
        &mut self.slots[at]
    }
}
