//! The tables of a board that a search walks: windows, the windows through a cell, what lies beside.
//! Computed once per search; nothing here knows of stones.

use std::ops::Range;

use noughts_protocol::{Cell, Geometry, Rules};

use super::cells::Cells;

/// No such cell.
pub(super) const NOWHERE: u16 = u16::MAX;
/// Boards of more cells are searched near the stones only.
const ROOMY: usize = 64;
/// How near, in steps along a line.
const NEAR: i8 = 2;

/// A board's tables. A *window* is k cells in a row: what a player has to fill.
#[derive(Debug)]
pub(super) struct Shape {
    pub(super) rules: Rules,
    /// Stones of a line.
    pub(super) k: usize,
    pub(super) cells: usize,
    /// Words of a set of cells that this board uses.
    pub(super) words: usize,
    /// The cells of every line that has room for a window, line after line.
    line_cells: Box<[u16]>,
    /// By window, where its cells begin in `line_cells`.
    starts: Box<[u32]>,
    /// The cells just before and after each window on its line.
    flanks: Box<[[u16; 2]]>,
    runs: Lists<Run>,
    /// The cell that becomes playable when this one is taken.
    above: Box<[u16]>,
    /// Rows below a cell: 0 at the bottom.
    height: Box<[u8]>,
    /// The cells near a cell; nothing unless the board is roomy.
    near: Box<[Cells]>,
    keys: Box<[[u64; 2]]>,
    /// Cells from the middle outwards.
    pub(super) middle: Box<[u16]>,
}

/// The windows of one line that a cell is in: their numbers follow each other, and so do their cells.
#[derive(Clone, Copy, Debug)]
pub(super) struct Run {
    first: u16,
    windows: u8,
    /// Where the cells of the first window begin in `line_cells`.
    start: u32,
}

impl Run {
    pub(super) fn windows(self) -> Range<usize> {
        let first = usize::from(self.first);
        first..first + usize::from(self.windows)
    }
}

/// A list for each of many, end to end.
#[derive(Debug)]
struct Lists<T> {
    starts: Box<[u32]>,
    items: Box<[T]>,
}

impl<T: Copy> Lists<T> {
    fn new(lists: &[Vec<T>]) -> Lists<T> {
        let mut starts = vec![0];
        let mut items = Vec::new();
        for list in lists {
            items.extend_from_slice(list);
            starts.push(items.len() as u32);
        }
        Lists { starts: starts.into(), items: items.into() }
    }

    fn of(&self, index: u16) -> &[T] {
        let index = usize::from(index);
        &self.items[self.starts[index] as usize..self.starts[index + 1] as usize]
    }
}

impl Shape {
    pub(super) fn new(geometry: &Geometry) -> Shape {
        let rules = *geometry.rules();
        let (k, cells) = (usize::from(rules.line()), rules.cells());
        let all = || (0..cells as u16).map(Cell::new);
        let (mut line_cells, mut starts, mut flanks) = (Vec::new(), Vec::new(), Vec::new());
        let mut runs = vec![Vec::new(); cells];
        for line in (0..geometry.line_count()).map(|line| geometry.line(line)) {
            let Some(last) = line.len().checked_sub(k) else { continue };
            let start = line_cells.len() as u32;
            for (offset, cell) in line.iter().enumerate() {
                let (from, to) = ((offset + 1).saturating_sub(k), offset.min(last));
                runs[cell.index()].push(Run {
                    // At most 1024 cells in 40 directions: a window's number fits.
                    first: (starts.len() + from) as u16,
                    windows: (to + 1 - from) as u8,
                    start: start + from as u32,
                });
            }
            line_cells.extend(line.iter().map(index));
            for from in 0..=last {
                let at =
                    |place: Option<usize>| place.and_then(|place| line.get(place)).map_or(NOWHERE, index);
                starts.push(start + from as u32);
                flanks.push([at(from.checked_sub(1)), at(Some(from + k))]);
            }
        }
        let width = u16::from(rules.width());
        let above = all().map(|cell| {
            let falls = rules.gravity() && geometry.coordinates(cell)[1] > 0;
            if falls { index(&cell) - width } else { NOWHERE }
        });
        let roomy = cells > ROOMY && !rules.gravity() && !rules.misere();
        let near =
            if roomy { all().map(|cell| neighbours(geometry, cell)).collect() } else { Box::default() };
        let mut middle: Vec<u16> = all().map(|cell| index(&cell)).collect();
        middle.sort_by_key(|&cell| from_middle(geometry, Cell::new(cell)));
        Shape {
            rules,
            k,
            cells,
            words: cells.div_ceil(64),
            line_cells: line_cells.into(),
            starts: starts.into(),
            flanks: flanks.into(),
            runs: Lists::new(&runs),
            above: above.collect(),
            height: all().map(|cell| rules.height() - 1 - geometry.coordinates(cell)[1]).collect(),
            near,
            keys: (0..cells as u64).map(|cell| [mix(2 * cell), mix(2 * cell + 1)]).collect(),
            middle: middle.into(),
        }
    }

    pub(super) fn windows(&self) -> usize {
        self.flanks.len()
    }

    pub(super) fn window(&self, window: usize) -> &[u16] {
        &self.line_cells[self.starts[window] as usize..][..self.k]
    }

    pub(super) fn flanks(&self, window: usize) -> [u16; 2] {
        self.flanks[window]
    }

    /// The windows that a cell is in, line by line.
    pub(super) fn runs(&self, cell: u16) -> &[Run] {
        self.runs.of(cell)
    }

    /// All cells of the windows of a run, along their line.
    pub(super) fn cells_of(&self, run: Run) -> &[u16] {
        &self.line_cells[run.start as usize..][..usize::from(run.windows) + self.k - 1]
    }

    pub(super) fn above(&self, cell: u16) -> Option<u16> {
        Some(self.above[usize::from(cell)]).filter(|&above| above != NOWHERE)
    }

    pub(super) fn height(&self, cell: u16) -> u8 {
        self.height[usize::from(cell)]
    }

    /// Whether only the cells near stones are searched.
    pub(super) fn is_roomy(&self) -> bool {
        !self.near.is_empty()
    }

    /// The cells near a cell of a roomy board.
    pub(super) fn near(&self, cell: u16) -> &Cells {
        &self.near[usize::from(cell)]
    }

    pub(super) fn key(&self, cell: u16, seat: usize) -> u64 {
        self.keys[usize::from(cell)][seat]
    }
}

fn index(cell: &Cell) -> u16 {
    cell.index() as u16
}

/// The cells within [`NEAR`] steps along any direction.
fn neighbours(geometry: &Geometry, cell: Cell) -> Cells {
    let at = geometry.coordinates(cell);
    let mut near = Cells::default();
    for direction in geometry.directions() {
        let steps = direction.steps();
        for distance in (-NEAR..=NEAR).filter(|&distance| distance != 0) {
            let moved: Option<Vec<u8>> =
                (0..steps.len()).map(|axis| at[axis].checked_add_signed(steps[axis] * distance)).collect();
            if let Some(cell) = moved.and_then(|moved| geometry.cell_at(&moved)) {
                near.insert(index(&cell));
            }
        }
    }
    near
}

/// The square of twice the distance from the middle of the board.
fn from_middle(geometry: &Geometry, cell: Cell) -> u32 {
    let at = geometry.coordinates(cell);
    let sides = geometry.rules().sides();
    sides.iter().zip(at).map(|(&side, at)| (2 * u32::from(at) + 1).abs_diff(u32::from(side)).pow(2)).sum()
}

/// The output of SplitMix64 for this state: Steele, Lea and Flood, "Fast splittable pseudorandom number
/// generators" (OOPSLA 2014). Fixed, so that a search is the same on every machine.
pub(super) fn mix(number: u64) -> u64 {
    let mut z = number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(rules: &str) -> Shape {
        Shape::new(&Geometry::new(rules.parse().unwrap()))
    }

    #[test]
    fn windows_are_those_of_the_board() {
        for (rules, windows) in
            [("7x6:4+gravity", 69), ("4x4:4", 10), ("15x15:5", 572), ("19x19:5", 1020), ("9:3", 7)]
        {
            assert_eq!(shape(rules).windows(), windows, "{rules}");
        }
        let line = shape("5:3");
        assert_eq!((line.window(1), line.flanks(1)), (&[1, 2, 3][..], [0, 4]));
        assert_eq!((line.flanks(0), line.flanks(2)), ([NOWHERE, 3], [1, NOWHERE]));
        let runs = line.runs(2);
        assert_eq!((runs.len(), runs[0].windows(), line.cells_of(runs[0])), (1, 0..3, &[0, 1, 2, 3, 4][..]));
        let runs = line.runs(4);
        assert_eq!((runs.len(), runs[0].windows(), line.cells_of(runs[0])), (1, 2..3, &[2, 3, 4][..]));
    }

    #[test]
    fn the_middle_comes_first_and_near_is_near() {
        let board = shape("15x15:5");
        assert_eq!(board.middle[0], 7 * 15 + 7);
        let near = board.near(7 * 15 + 7);
        assert_eq!(near.both(near, board.words).count(), 16);
        let near = board.near(0);
        assert!(near.contains(2) && near.contains(32) && !near.contains(3));
        assert!(!shape("4x4x4:4").is_roomy() && !shape("15x15:5+misere").is_roomy());
    }

    #[test]
    fn gravity_opens_the_cell_above() {
        let board = shape("7x6:4+gravity");
        assert_eq!(
            (board.above(41), board.above(6), board.height(41), board.height(6)),
            (Some(34), None, 0, 5)
        );
        assert_eq!(shape("7x6:4").above(41), None);
    }
}
