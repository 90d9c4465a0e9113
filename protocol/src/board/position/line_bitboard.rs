//! Boards of any size: a word for each maximal line and seat. A move sets its bit in every line through the cell and
//! tests these words for a run.

use super::bits::{nth_bit, runs};
use crate::geometry::{Geometry, Incidence};
use crate::{Cell, Seat};

/// Maximum number of lines and cells for playouts without an allocation.
const MAX_STACK_LINES: usize = 128;
const MAX_STACK_CELLS: usize = 256;

/// Stones as one word per line.
#[derive(Clone)]
pub(super) struct LineBitboard {
    /// By line and seat, a bit for each cell along the line. One extra line receives the filler bits of cells with few
    /// lines; see `CellInfo::head`.
    words: Box<[[u32; 2]]>,
    /// The owner of the stone on each cell.
    stones: Box<[Option<Seat>]>,
    /// The landing cells, a bit each.
    landings: Box<[u64]>,
}

impl LineBitboard {
    /// Returns the empty board.
    pub(super) fn new(geometry: &Geometry) -> LineBitboard {
        let cells = geometry.rules().cells();
        let mut lines = LineBitboard {
            words: vec![[0; 2]; geometry.board_line_count() + 1].into(),
            stones: vec![None; cells].into(),
            landings: vec![0; cells.div_ceil(64)].into(),
        };
        lines.clear(geometry);
        lines
    }

    /// Removes all stones.
    pub(super) fn clear(&mut self, geometry: &Geometry) {
        self.words.fill([0; 2]);
        self.stones.fill(None);
        self.landings.copy_from_slice(geometry.landings());
    }

    /// Returns the owner of the stone on a cell of the board.
    pub(super) fn stone_at(&self, cell: Cell) -> Option<Seat> {
        self.stones[cell.index()]
    }

    pub(super) fn is_landing(&self, cell: Cell) -> bool {
        self.landings
            .get(cell.index() / 64)
            .is_some_and(|word| word >> (cell.index() % 64) & 1 == 1)
    }

    /// Returns the first landing cell at or after an index.
    pub(super) fn landing_from(&self, index: usize) -> Option<Cell> {
        let mut word = index / 64;
        let mut bits = self.landings.get(word)? & (!0 << (index % 64));
        while bits == 0 {
            word += 1;
            bits = *self.landings.get(word)?;
        }
        Some(Cell::new((64 * word) as u16 + bits.trailing_zeros() as u16))
    }

    /// Returns the landing cell with `number` landing cells before it.
    pub(super) fn landing_nth(&self, mut number: usize) -> Option<Cell> {
        for (word, &bits) in self.landings.iter().enumerate() {
            let count = bits.count_ones() as usize;
            if number < count {
                return Some(Cell::new((64 * word) as u16 + nth_bit(bits, number) as u16));
            }
            number -= count;
        }
        None
    }

    /// Places a stone on a landing cell; `true` if it completes a line.
    #[inline]
    pub(super) fn put(&mut self, geometry: &Geometry, cell: Cell, seat: Seat) -> bool {
        let rules = geometry.rules();
        let (info, tail) = geometry.cell_info(cell);
        self.stones[cell.index()] = Some(seat);
        self.toggle_landing(cell.index());
        if let Some(above) = info.above() {
            self.toggle_landing(above.index());
        }
        let head = &info.head;
        let completes = match (rules.line(), rules.exact()) {
            // The common lengths have code of their own, where all shifts are constants.
            (3, false) => set_stone(&mut self.words, seat, head, tail, (3, false)),
            (4, false) => set_stone(&mut self.words, seat, head, tail, (4, false)),
            (5, false) => set_stone(&mut self.words, seat, head, tail, (5, false)),
            (k, exact) => {
                let line = (k, exact && rules.has_edges());
                set_stone(&mut self.words, seat, head, tail, line)
            }
        };
        completes && !is_overlong(&self.words, geometry, cell, seat)
    }

    /// Plays to the end with moves that `choose` selects. Returns the seat that completes a line, `None` for a full
    /// board.
    pub(super) fn playout(
        &self,
        geometry: &Geometry,
        seat: Seat,
        choose: &mut impl FnMut(usize) -> usize,
    ) -> Option<Seat> {
        // Each playout makes one copy of the board, which is on the stack for boards of common sizes.
        let (mut stack_words, mut stack_cells) =
            ([[0; 2]; MAX_STACK_LINES], [Cell::new(0); MAX_STACK_CELLS]);
        let (mut heap_words, mut heap_cells);
        let words = if let Some(words) = stack_words.get_mut(..self.words.len()) {
            words.copy_from_slice(&self.words);
            words
        } else {
            heap_words = self.words.clone();
            &mut heap_words[..]
        };
        let cells = if let Some(cells) = stack_cells.get_mut(..self.stones.len()) {
            cells
        } else {
            heap_cells = vec![Cell::new(0); self.stones.len()];
            &mut heap_cells[..]
        };
        let mut count = 0;
        for (word, &bits) in (0_u16..).zip(&self.landings) {
            let mut bits = bits;
            while bits != 0 {
                cells[count] = Cell::new(64 * word + bits.trailing_zeros() as u16);
                bits &= bits - 1;
                count += 1;
            }
        }
        let rules = geometry.rules();
        let plies = match (rules.line(), rules.exact()) {
            (3, false) => play_to_end(words, cells, count, geometry, seat, choose, (3, false)),
            (4, false) => play_to_end(words, cells, count, geometry, seat, choose, (4, false)),
            (5, false) => play_to_end(words, cells, count, geometry, seat, choose, (5, false)),
            (k, exact) => {
                let line = (k, exact && rules.has_edges());
                play_to_end(words, cells, count, geometry, seat, choose, line)
            }
        };
        plies.map(|plies| if plies % 2 == 0 { seat } else { seat.other() })
    }

    /// Removes the last stone.
    #[inline]
    pub(super) fn remove(&mut self, geometry: &Geometry, cell: Cell, seat: Seat) {
        let (info, tail) = geometry.cell_info(cell);
        self.stones[cell.index()] = None;
        self.toggle_landing(cell.index());
        if let Some(above) = info.above() {
            self.toggle_landing(above.index());
        }
        for incidence in info.head {
            self.words[usize::from(incidence.board_line)][seat.index()] &= !(1 << incidence.offset);
        }
        for incidence in tail {
            self.words[usize::from(incidence.board_line)][seat.index()] &= !(1 << incidence.offset);
        }
    }

    /// Returns whether a stone on this free cell would complete a line.
    #[inline]
    pub(super) fn would_complete(&self, geometry: &Geometry, cell: Cell, seat: Seat) -> bool {
        let rules = geometry.rules();
        if !rules.has_edges() {
            return completes_run(&self.words, geometry, cell, seat);
        }
        geometry.board_lines_through(cell).iter().any(|incidence| {
            let word =
                self.words[usize::from(incidence.board_line)][seat.index()] | 1 << incidence.offset;
            runs(u64::from(word), 1, rules.line(), rules.exact()) != 0
        })
    }

    /// Adds a cell to the landing cells if it is not among them, and otherwise removes it.
    #[inline]
    fn toggle_landing(&mut self, cell: usize) {
        self.landings[cell / 64] ^= 1 << (cell % 64);
    }
}

/// Sets the bits of a stone; `true` if it completes a line. Inlined, so that the number of lines in `head` and, for the
/// common lengths, all shifts are constants.
#[inline(always)]
fn set_stone(
    words: &mut [[u32; 2]],
    seat: Seat,
    head: &[Incidence],
    tail: &[Incidence],
    (line, exact): (u8, bool),
) -> bool {
    let mut set_bit = |incidence: &Incidence| {
        let word = &mut words[usize::from(incidence.board_line)][seat.index()];
        *word |= 1 << incidence.offset;
        runs(u64::from(*word), 1, line, exact)
    };
    let mut found = 0;
    for incidence in head {
        found |= set_bit(incidence);
    }
    for incidence in tail {
        found |= set_bit(incidence);
    }
    found != 0
}

/// Returns whether a run through a stone does not count, because the rules are `exact` and the run is longer than their
/// line. The run is followed on the board, because on a board without edges a word does not show the whole run.
#[inline]
fn is_overlong(words: &[[u32; 2]], geometry: &Geometry, cell: Cell, seat: Seat) -> bool {
    let rules = geometry.rules();
    !rules.has_edges() && rules.exact() && !completes_run(words, geometry, cell, seat)
}

/// Returns whether a stone on this cell completes a line, by walking along the directions of the board.
fn completes_run(words: &[[u32; 2]], geometry: &Geometry, cell: Cell, seat: Seat) -> bool {
    let (k, exact) = (
        usize::from(geometry.rules().line()),
        geometry.rules().exact(),
    );
    let is_own = |cell: Cell| {
        let mut lines = geometry.board_lines_through(cell).iter();
        lines.any(|incidence| {
            let word = words[usize::from(incidence.board_line)][seat.index()];
            word >> incidence.offset & 1 == 1
        })
    };
    geometry.line_directions().any(|direction| {
        let (_, length) = geometry.run_through(cell, direction, is_own);
        if exact { length == k } else { length >= k }
    })
}

/// Returns the number of stones placed before the stone that completes a line; `None` for a full board. `choose` picks
/// among the first `count` cells.
#[inline(always)]
fn play_to_end(
    words: &mut [[u32; 2]],
    cells: &mut [Cell],
    mut count: usize,
    geometry: &Geometry,
    mut seat: Seat,
    choose: &mut impl FnMut(usize) -> usize,
    line: (u8, bool),
) -> Option<usize> {
    let mut plies = 0;
    while count > 0 {
        let chosen = choose(count).min(count - 1);
        let (info, tail) = geometry.cell_info(cells[chosen]);
        if set_stone(words, seat, &info.head, tail, line)
            && !is_overlong(words, geometry, cells[chosen], seat)
        {
            return Some(plies);
        }
        cells[chosen] = match info.above() {
            Some(above) => above,
            None => {
                count -= 1;
                cells[count]
            }
        };
        seat = seat.other();
        plies += 1;
    }
    None
}

impl PartialEq for LineBitboard {
    fn eq(&self, other: &LineBitboard) -> bool {
        // The words are not compared, because the extra line keeps bits of moves that were taken back.
        self.stones == other.stones
    }
}

impl Eq for LineBitboard {}
