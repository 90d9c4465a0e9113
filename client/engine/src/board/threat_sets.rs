//! Threat sets: the free cells of windows that lack one stone, and of windows that lack two.

use crate::board::board_tables::threat_change;
use crate::board::cell_sets::CellSet;

/// For each seat, the free cells of windows that lack a given number of stones.
#[derive(Clone, Debug)]
pub(crate) struct ThreatSet {
    counts: Box<[[u8; 2]]>,
    pub(crate) cells: [CellSet; 2],
}

impl ThreatSet {
    fn new(cells: usize) -> ThreatSet {
        ThreatSet {
            counts: vec![[0; 2]; cells].into(),
            cells: [CellSet::default(); 2],
        }
    }

    /// Returns the number of windows in the set that contain this cell.
    pub(crate) fn window_count(&self, cell: u16, seat: usize) -> u8 {
        self.counts[usize::from(cell)][seat]
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

/// The threat sets for one and for two missing stones.
#[derive(Clone, Debug)]
pub(crate) struct ThreatSets {
    pub(crate) lacking_one: ThreatSet,
    pub(crate) lacking_two: ThreatSet,
}

/// A stone in a window that belongs to a threat set before or after the move.
pub(super) struct WindowChange {
    /// Flags of `board_tables::threat_change`.
    pub(super) threat_changes: u8,
    pub(super) seat: usize,
    pub(super) cell: u16,
    /// The exclusive or of the free cells of the window after the move. If one cell is free, it is that cell.
    pub(super) free_xor: u16,
}

impl ThreatSets {
    pub(super) fn new(cells: usize) -> ThreatSets {
        ThreatSets {
            lacking_one: ThreatSet::new(cells),
            lacking_two: ThreatSet::new(cells),
        }
    }

    /// Adds an empty window. Only needed for lines of one or two cells, because their empty windows are threats.
    pub(super) fn add_window(&mut self, window: &[u16]) {
        for seat in 0..2 {
            match *window {
                [cell] => self.lacking_one.add(cell, seat),
                [a, b] => [a, b]
                    .into_iter()
                    .for_each(|cell| self.lacking_two.add(cell, seat)),
                _ => {}
            }
        }
    }

    /// Applies a move. `first_free` returns the first free cell of the window after the move.
    #[inline(never)]
    pub(super) fn apply(&mut self, change: &WindowChange, first_free: impl Fn() -> u16) {
        let &WindowChange {
            threat_changes,
            seat,
            cell,
            free_xor,
        } = change;
        if threat_changes & threat_change::OWN_ONE_LEAVES != 0 {
            self.lacking_one.remove(cell, seat);
        }
        if threat_changes & threat_change::OWN_TWO_LEAVES != 0 {
            self.lacking_two.remove(cell, seat);
            self.lacking_two.remove(free_xor, seat);
        }
        if threat_changes & threat_change::OWN_ONE_COMES != 0 {
            self.lacking_one.add(free_xor, seat);
        }
        if threat_changes & threat_change::OWN_TWO_COMES != 0 {
            let free = first_free();
            self.lacking_two.add(free, seat);
            self.lacking_two.add(free ^ free_xor, seat);
        }
        if threat_changes & threat_change::OTHERS_ONE_LEAVES != 0 {
            self.lacking_one.remove(cell, 1 - seat);
        }
        if threat_changes & threat_change::OTHERS_TWO_LEAVES != 0 {
            self.lacking_two.remove(cell, 1 - seat);
            self.lacking_two.remove(free_xor, 1 - seat);
        }
    }

    /// Reverts a move before the stone is removed.
    #[inline(never)]
    pub(super) fn revert(&mut self, change: &WindowChange, first_free: impl Fn() -> u16) {
        let &WindowChange {
            threat_changes,
            seat,
            cell,
            free_xor,
        } = change;
        if threat_changes & threat_change::OWN_ONE_LEAVES != 0 {
            self.lacking_one.add(cell, seat);
        }
        if threat_changes & threat_change::OWN_TWO_LEAVES != 0 {
            self.lacking_two.add(cell, seat);
            self.lacking_two.add(free_xor, seat);
        }
        if threat_changes & threat_change::OWN_ONE_COMES != 0 {
            self.lacking_one.remove(free_xor, seat);
        }
        if threat_changes & threat_change::OWN_TWO_COMES != 0 {
            let free = first_free();
            self.lacking_two.remove(free, seat);
            self.lacking_two.remove(free ^ free_xor, seat);
        }
        if threat_changes & threat_change::OTHERS_ONE_LEAVES != 0 {
            self.lacking_one.add(cell, 1 - seat);
        }
        if threat_changes & threat_change::OTHERS_TWO_LEAVES != 0 {
            self.lacking_two.add(cell, 1 - seat);
            self.lacking_two.add(free_xor, 1 - seat);
        }
    }
}
