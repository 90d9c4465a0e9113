//! The stones of any board: a word for each maximal line and seat. A move sets its bit in each line through
//! the cell and tests that word for a run; the same few instructions serve every board of the family.

use super::nth_bit;
use super::runs;
use crate::geometry::{Geometry, Incidence};
use crate::{Cell, Seat};

/// A board as its lines.
#[derive(Clone)]
pub(super) struct Lines {
    /// A bit for each cell along the line, by seat. One more line takes the bits of cells with few lines;
    /// see `Geometry::place`.
    words: Box<[[u32; 2]]>,
    /// Whose stone lies on each cell.
    stones: Box<[Option<Seat>]>,
    /// The landing cells, a bit each.
    open: Box<[u64]>,
}

impl Lines {
    /// The empty board.
    pub(super) fn new(geometry: &Geometry) -> Lines {
        let cells = geometry.rules().cells();
        let mut lines = Lines {
            words: vec![[0; 2]; geometry.line_count() + 1].into(),
            stones: vec![None; cells].into(),
            open: vec![0; cells.div_ceil(64)].into(),
        };
        lines.clear(geometry);
        lines
    }

    /// Takes all stones off the board.
    pub(super) fn clear(&mut self, geometry: &Geometry) {
        self.words.fill([0; 2]);
        self.stones.fill(None);
        self.open.copy_from_slice(geometry.landings());
    }

    /// Whose stone lies on a cell of the board.
    pub(super) fn at(&self, cell: Cell) -> Option<Seat> {
        self.stones[cell.index()]
    }

    pub(super) fn is_open(&self, cell: Cell) -> bool {
        self.open.get(cell.index() / 64).is_some_and(|word| word >> (cell.index() % 64) & 1 == 1)
    }

    /// The first landing cell at or after an index.
    pub(super) fn open_from(&self, index: usize) -> Option<Cell> {
        let mut word = index / 64;
        let mut bits = self.open.get(word)? & (!0 << (index % 64));
        while bits == 0 {
            word += 1;
            bits = *self.open.get(word)?;
        }
        Some(Cell::new((64 * word) as u16 + bits.trailing_zeros() as u16))
    }

    /// The landing cell with so many before it.
    pub(super) fn open_nth(&self, mut number: usize) -> Option<Cell> {
        for (word, &bits) in self.open.iter().enumerate() {
            let count = bits.count_ones() as usize;
            if number < count {
                return Some(Cell::new((64 * word) as u16 + nth_bit(bits, number) as u16));
            }
            number -= count;
        }
        None
    }

    /// Puts a stone on a landing cell, and says whether that completed a line.
    #[inline]
    pub(super) fn put(&mut self, geometry: &Geometry, cell: Cell, seat: Seat) -> bool {
        let rules = geometry.rules();
        let (place, tail) = geometry.place(cell);
        self.stones[cell.index()] = Some(seat);
        self.flip(cell.index());
        if let Some(above) = place.above() {
            self.flip(above.index());
        }
        let head = &place.head;
        match (rules.line(), rules.exact()) {
            // The common lengths get code of their own, where the shifts of the test are constants.
            (3, false) => self.mark(seat, head, tail, 3, false),
            (4, false) => self.mark(seat, head, tail, 4, false),
            (5, false) => self.mark(seat, head, tail, 5, false),
            (line, exact) => self.mark(seat, head, tail, line, exact),
        }
    }

    /// The seat that completes a line when `choose` names the landing cells; none when the board fills up.
    pub(super) fn playout(
        mut self,
        geometry: &Geometry,
        mut seat: Seat,
        choose: &mut impl FnMut(usize) -> usize,
    ) -> Option<Seat> {
        let mut cells = Vec::with_capacity(self.stones.len());
        for (word, &bits) in (0_u16..).zip(&self.open) {
            let mut bits = bits;
            while bits != 0 {
                cells.push(Cell::new(64 * word + bits.trailing_zeros() as u16));
                bits &= bits - 1;
            }
        }
        while !cells.is_empty() {
            let chosen = choose(cells.len()).min(cells.len() - 1);
            let cell = cells[chosen];
            if self.put(geometry, cell, seat) {
                return Some(seat);
            }
            match geometry.place(cell).0.above() {
                Some(above) => cells[chosen] = above,
                None => {
                    cells.swap_remove(chosen);
                }
            }
            seat = seat.other();
        }
        None
    }

    /// Takes the last stone off the board.
    #[inline]
    pub(super) fn take(&mut self, geometry: &Geometry, cell: Cell, seat: Seat) {
        let (place, tail) = geometry.place(cell);
        self.stones[cell.index()] = None;
        self.flip(cell.index());
        if let Some(above) = place.above() {
            self.flip(above.index());
        }
        for through in place.head {
            self.words[usize::from(through.line)][seat.index()] &= !(1 << through.offset);
        }
        for through in tail {
            self.words[usize::from(through.line)][seat.index()] &= !(1 << through.offset);
        }
    }

    /// Whether a stone on this free cell would complete a line.
    #[inline]
    pub(super) fn would_complete(&self, geometry: &Geometry, cell: Cell, seat: Seat) -> bool {
        let rules = geometry.rules();
        geometry.through(cell).iter().any(|through| {
            let word = self.words[usize::from(through.line)][seat.index()] | 1 << through.offset;
            runs(u64::from(word), 1, rules.line(), rules.exact()) != 0
        })
    }

    /// Inlined, so that the lines of `head` are a known number and the length may be a constant.
    #[inline(always)]
    fn mark(&mut self, seat: Seat, head: &[Incidence], tail: &[Incidence], line: u8, exact: bool) -> bool {
        let mut one = |through: &Incidence| {
            let word = &mut self.words[usize::from(through.line)][seat.index()];
            *word |= 1 << through.offset;
            runs(u64::from(*word), 1, line, exact)
        };
        let mut found = 0;
        for through in head {
            found |= one(through);
        }
        for through in tail {
            found |= one(through);
        }
        found != 0
    }

    /// Takes a cell into the set of landing cells, or out of it.
    #[inline]
    fn flip(&mut self, cell: usize) {
        self.open[cell / 64] ^= 1 << (cell % 64);
    }
}

impl PartialEq for Lines {
    fn eq(&self, other: &Lines) -> bool {
        // The line too many has bits of moves that were taken back.
        self.stones == other.stones
    }
}

impl Eq for Lines {}
