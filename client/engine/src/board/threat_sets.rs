//! The cells that matter most: those of windows that lack one stone, and of windows that lack two.

use super::eval_tables::threat_change;
use crate::board::cell_set::CellSet;

/// The free cells in windows of one kind, by seat.
#[derive(Clone, Debug)]
pub(crate) struct ThreatSet {
    counts: Box<[[u8; 2]]>,
    pub(crate) cells: [CellSet; 2],
}

impl ThreatSet {
    fn new(cells: usize) -> ThreatSet {
        ThreatSet { counts: vec![[0; 2]; cells].into(), cells: [CellSet::default(); 2] }
    }

    fn add(&mut self, cell: u16, seat: usize) {
        self.counts[usize::from(cell)][seat] += 1;
        self.cells[seat].insert(cell);
    }

    fn remove(&mut self, cell: u16, seat: usize) {
        let count = &mut self.counts[usize::from(cell)][seat];
        *count -= 1;
        if *count == 0 {
            self.cells[seat].remove(cell);
        }
    }
}

/// Both kinds.
#[derive(Clone, Debug)]
pub(crate) struct ThreatSets {
    pub(crate) lacking_one: ThreatSet,
    pub(crate) lacking_two: ThreatSet,
}

/// A stone in a window that is in a tier before or after.
pub(super) struct WindowChange {
    /// See [`tier`].
    pub(super) threat_changes: u8,
    pub(super) seat: usize,
    pub(super) cell: u16,
    /// The exclusive or of the cells that are free in the window when the stone lies: with one, that one.
    pub(super) free_xor: u16,
}

impl ThreatSets {
    pub(super) fn new(cells: usize) -> ThreatSets {
        ThreatSets { lacking_one: ThreatSet::new(cells), lacking_two: ThreatSet::new(cells) }
    }

    /// A window that lacks so many stones from the start: for lines of one and two.
    pub(super) fn add_window(&mut self, window: &[u16]) {
        for seat in 0..2 {
            match *window {
                [cell] => self.lacking_one.add(cell, seat),
                [a, b] => [a, b].into_iter().for_each(|cell| self.lacking_two.add(cell, seat)),
                _ => {}
            }
        }
    }

    /// The stone is put. `free` finds a cell of the window that is free then.
    #[inline(never)]
    pub(super) fn apply(&mut self, change: &WindowChange, first_free: impl Fn() -> u16) {
        let &WindowChange { threat_changes: tiers, seat, cell, free_xor: rest } = change;
        if tiers & threat_change::OWN_ONE_LEAVES != 0 {
            self.lacking_one.remove(cell, seat);
        }
        if tiers & threat_change::OWN_TWO_LEAVES != 0 {
            self.lacking_two.remove(cell, seat);
            self.lacking_two.remove(rest, seat);
        }
        if tiers & threat_change::OWN_ONE_COMES != 0 {
            self.lacking_one.add(rest, seat);
        }
        if tiers & threat_change::OWN_TWO_COMES != 0 {
            let one = first_free();
            self.lacking_two.add(one, seat);
            self.lacking_two.add(one ^ rest, seat);
        }
        if tiers & threat_change::OTHERS_ONE_LEAVES != 0 {
            self.lacking_one.remove(cell, 1 - seat);
        }
        if tiers & threat_change::OTHERS_TWO_LEAVES != 0 {
            self.lacking_two.remove(cell, 1 - seat);
            self.lacking_two.remove(rest, 1 - seat);
        }
    }

    /// The stone is taken back: the reverse, while it still lies.
    #[inline(never)]
    pub(super) fn revert(&mut self, change: &WindowChange, first_free: impl Fn() -> u16) {
        let &WindowChange { threat_changes: tiers, seat, cell, free_xor: rest } = change;
        if tiers & threat_change::OWN_ONE_LEAVES != 0 {
            self.lacking_one.add(cell, seat);
        }
        if tiers & threat_change::OWN_TWO_LEAVES != 0 {
            self.lacking_two.add(cell, seat);
            self.lacking_two.add(rest, seat);
        }
        if tiers & threat_change::OWN_ONE_COMES != 0 {
            self.lacking_one.remove(rest, seat);
        }
        if tiers & threat_change::OWN_TWO_COMES != 0 {
            let one = first_free();
            self.lacking_two.remove(one, seat);
            self.lacking_two.remove(one ^ rest, seat);
        }
        if tiers & threat_change::OTHERS_ONE_LEAVES != 0 {
            self.lacking_one.add(cell, 1 - seat);
        }
        if tiers & threat_change::OTHERS_TWO_LEAVES != 0 {
            self.lacking_two.add(cell, 1 - seat);
            self.lacking_two.add(rest, 1 - seat);
        }
    }
}
