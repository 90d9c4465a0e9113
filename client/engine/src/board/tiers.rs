//! The cells that matter most: those of windows that lack one stone, and of windows that lack two.

use super::worth::tier;
use crate::cells::Cells;

/// The free cells in windows of one kind, by seat.
#[derive(Clone, Debug)]
pub(crate) struct Tier {
    counts: Box<[[u8; 2]]>,
    pub(crate) cells: [Cells; 2],
}

impl Tier {
    fn new(cells: usize) -> Tier {
        Tier { counts: vec![[0; 2]; cells].into(), cells: [Cells::default(); 2] }
    }

    fn add(&mut self, cell: u16, seat: usize) {
        self.counts[usize::from(cell)][seat] += 1;
        self.cells[seat].insert(cell);
    }

    fn take(&mut self, cell: u16, seat: usize) {
        let count = &mut self.counts[usize::from(cell)][seat];
        *count -= 1;
        if *count == 0 {
            self.cells[seat].remove(cell);
        }
    }
}

/// Both kinds.
#[derive(Clone, Debug)]
pub(crate) struct Tiers {
    pub(crate) one: Tier,
    pub(crate) two: Tier,
}

/// A stone in a window that is in a tier before or after.
pub(super) struct Touch {
    /// See [`tier`].
    pub(super) tiers: u8,
    pub(super) seat: usize,
    pub(super) cell: u16,
    /// The exclusive or of the cells that are free in the window when the stone lies: with one, that one.
    pub(super) rest: u16,
}

impl Tiers {
    pub(super) fn new(cells: usize) -> Tiers {
        Tiers { one: Tier::new(cells), two: Tier::new(cells) }
    }

    /// A window that lacks so many stones from the start: for lines of one and two.
    pub(super) fn begin(&mut self, window: &[u16]) {
        for seat in 0..2 {
            match *window {
                [cell] => self.one.add(cell, seat),
                [a, b] => [a, b].into_iter().for_each(|cell| self.two.add(cell, seat)),
                _ => {}
            }
        }
    }

    /// The stone is put. `free` finds a cell of the window that is free then.
    #[inline(never)]
    pub(super) fn put(&mut self, touch: &Touch, free: impl Fn() -> u16) {
        let &Touch { tiers, seat, cell, rest } = touch;
        if tiers & tier::OWN_ONE_LEAVES != 0 {
            self.one.take(cell, seat);
        }
        if tiers & tier::OWN_TWO_LEAVES != 0 {
            self.two.take(cell, seat);
            self.two.take(rest, seat);
        }
        if tiers & tier::OWN_ONE_COMES != 0 {
            self.one.add(rest, seat);
        }
        if tiers & tier::OWN_TWO_COMES != 0 {
            let one = free();
            self.two.add(one, seat);
            self.two.add(one ^ rest, seat);
        }
        if tiers & tier::OTHERS_ONE_LEAVES != 0 {
            self.one.take(cell, 1 - seat);
        }
        if tiers & tier::OTHERS_TWO_LEAVES != 0 {
            self.two.take(cell, 1 - seat);
            self.two.take(rest, 1 - seat);
        }
    }

    /// The stone is taken back: the reverse, while it still lies.
    #[inline(never)]
    pub(super) fn take(&mut self, touch: &Touch, free: impl Fn() -> u16) {
        let &Touch { tiers, seat, cell, rest } = touch;
        if tiers & tier::OWN_ONE_LEAVES != 0 {
            self.one.add(cell, seat);
        }
        if tiers & tier::OWN_TWO_LEAVES != 0 {
            self.two.add(cell, seat);
            self.two.add(rest, seat);
        }
        if tiers & tier::OWN_ONE_COMES != 0 {
            self.one.take(rest, seat);
        }
        if tiers & tier::OWN_TWO_COMES != 0 {
            let one = free();
            self.two.take(one, seat);
            self.two.take(one ^ rest, seat);
        }
        if tiers & tier::OTHERS_ONE_LEAVES != 0 {
            self.one.add(cell, 1 - seat);
        }
        if tiers & tier::OTHERS_TWO_LEAVES != 0 {
            self.two.add(cell, 1 - seat);
            self.two.add(rest, 1 - seat);
        }
    }
}
