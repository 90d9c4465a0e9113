//! The tables of a board that a search walks: windows, the windows through a cell, what lies beside.
//! Computed once per search; nothing here knows of stones.

use noughts_protocol::{Cell, Geometry, Rules};

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
    /// k cells for each window.
    window_cells: Box<[u16]>,
    /// The cells just before and after each window on its line.
    flanks: Box<[[u16; 2]]>,
    through: Lists,
    /// The cell that becomes playable when this one is taken.
    above: Box<[u16]>,
    /// Rows below a cell: 0 at the bottom.
    height: Box<[u8]>,
    /// The cells near a cell; empty lists unless the board is roomy.
    near: Lists,
    keys: Box<[[u64; 2]]>,
    /// Cells from the middle outwards.
    pub(super) middle: Box<[u16]>,
}

/// A list for each of many, end to end.
#[derive(Debug)]
struct Lists {
    starts: Box<[u32]>,
    items: Box<[u16]>,
}

impl Lists {
    fn new(lists: &[Vec<u16>]) -> Lists {
        let mut starts = vec![0];
        let mut items = Vec::new();
        for list in lists {
            items.extend_from_slice(list);
            starts.push(items.len() as u32);
        }
        Lists { starts: starts.into(), items: items.into() }
    }

    fn of(&self, index: u16) -> &[u16] {
        let index = usize::from(index);
        &self.items[self.starts[index] as usize..self.starts[index + 1] as usize]
    }
}

impl Shape {
    pub(super) fn new(geometry: &Geometry) -> Shape {
        let rules = *geometry.rules();
        let (k, cells) = (usize::from(rules.line()), rules.cells());
        let all = || (0..cells as u16).map(Cell::new);
        let mut window_cells = Vec::with_capacity(geometry.window_count() * k);
        let mut flanks = Vec::with_capacity(geometry.window_count());
        let mut through = vec![Vec::new(); cells];
        for line in (0..geometry.line_count()).map(|line| geometry.line(line)) {
            for (start, window) in line.windows(k).enumerate() {
                // At most 1024 cells in 40 directions: a window's number fits.
                let number = flanks.len() as u16;
                for cell in window {
                    through[cell.index()].push(number);
                    window_cells.push(cell.index() as u16);
                }
                let at =
                    |place: Option<usize>| place.and_then(|place| line.get(place)).map_or(NOWHERE, index);
                flanks.push([at(start.checked_sub(1)), at(Some(start + k))]);
            }
        }
        let width = u16::from(rules.width());
        let above = all().map(|cell| {
            let falls = rules.gravity() && geometry.coordinates(cell)[1] > 0;
            if falls { index(&cell) - width } else { NOWHERE }
        });
        let roomy = cells > ROOMY && !rules.gravity() && !rules.misere();
        let near: Vec<Vec<u16>> =
            all().map(|cell| if roomy { neighbours(geometry, cell) } else { Vec::new() }).collect();
        let mut middle: Vec<u16> = all().map(|cell| index(&cell)).collect();
        middle.sort_by_key(|&cell| from_middle(geometry, Cell::new(cell)));
        Shape {
            rules,
            k,
            cells,
            words: cells.div_ceil(64),
            window_cells: window_cells.into(),
            flanks: flanks.into(),
            through: Lists::new(&through),
            above: above.collect(),
            height: all().map(|cell| rules.height() - 1 - geometry.coordinates(cell)[1]).collect(),
            near: Lists::new(&near),
            keys: (0..cells as u64).map(|cell| [mix(2 * cell), mix(2 * cell + 1)]).collect(),
            middle: middle.into(),
        }
    }

    pub(super) fn windows(&self) -> usize {
        self.flanks.len()
    }

    pub(super) fn window(&self, window: usize) -> &[u16] {
        &self.window_cells[window * self.k..][..self.k]
    }

    pub(super) fn flanks(&self, window: usize) -> [u16; 2] {
        self.flanks[window]
    }

    /// The windows that a cell is in.
    pub(super) fn through(&self, cell: u16) -> &[u16] {
        self.through.of(cell)
    }

    pub(super) fn above(&self, cell: u16) -> Option<u16> {
        Some(self.above[usize::from(cell)]).filter(|&above| above != NOWHERE)
    }

    pub(super) fn height(&self, cell: u16) -> u8 {
        self.height[usize::from(cell)]
    }

    /// Whether only the cells near stones are searched.
    pub(super) fn is_roomy(&self) -> bool {
        !self.near.items.is_empty()
    }

    pub(super) fn near(&self, cell: u16) -> &[u16] {
        self.near.of(cell)
    }

    pub(super) fn key(&self, cell: u16, seat: usize) -> u64 {
        self.keys[usize::from(cell)][seat]
    }
}

fn index(cell: &Cell) -> u16 {
    cell.index() as u16
}

/// The cells within [`NEAR`] steps along any direction.
fn neighbours(geometry: &Geometry, cell: Cell) -> Vec<u16> {
    let at = geometry.coordinates(cell);
    let mut near = Vec::new();
    for direction in geometry.directions() {
        let steps = direction.steps();
        for distance in (-NEAR..=NEAR).filter(|&distance| distance != 0) {
            let moved: Option<Vec<u8>> =
                (0..steps.len()).map(|axis| at[axis].checked_add_signed(steps[axis] * distance)).collect();
            near.extend(moved.and_then(|moved| geometry.cell_at(&moved)).map(|cell| index(&cell)));
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
        assert_eq!(line.through(2), [0, 1, 2]);
    }

    #[test]
    fn the_middle_comes_first_and_near_is_near() {
        let board = shape("15x15:5");
        assert_eq!(board.middle[0], 7 * 15 + 7);
        assert_eq!(board.near(7 * 15 + 7).len(), 16);
        assert!(board.near(0).contains(&2) && board.near(0).contains(&32) && !board.near(0).contains(&3));
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
