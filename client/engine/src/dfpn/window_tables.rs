//! Windows of a small board as sets of cells, and the symmetries that map windows to windows.

use noughts_protocol::{Cell, Geometry};

use crate::board::bit_word;

/// Bits of the number of stones in a window.
pub(super) const COUNT_BITS: usize = 3;

/// Tables of a board of up to 64 cells and 128 windows of up to seven cells.
#[derive(Debug)]
pub struct WindowTables {
    /// Cells of a window.
    pub(super) k: usize,
    /// All cells of the board.
    pub(super) all_cells: u64,
    /// By window, its cells.
    pub(super) window_cells: Box<[u64]>,
    /// All windows.
    pub(super) all_windows: u128,
    /// By cell, its windows.
    pub(super) cell_windows: Box<[u128]>,
    /// By symmetry, the image of every cell.
    symmetries: Box<[Box<[u8]>]>,
}

impl WindowTables {
    /// `None` if the board does not fit, or its rules are not normal free placement.
    pub fn new(geometry: &Geometry) -> Option<WindowTables> {
        let rules = geometry.rules();
        let k = usize::from(rules.line());
        let normal = !rules.gravity() && !rules.misere() && !rules.exact();
        if !normal
            || rules.cells() > 64
            || geometry.window_count() > 128
            || !(3..1 << COUNT_BITS).contains(&k)
        {
            return None;
        }
        let set = |window: &[Cell]| {
            window
                .iter()
                .fold(0, |cells, cell| cells | 1 << cell.index())
        };
        let cells: Box<[u64]> = geometry.windows().map(set).collect();
        let through = |cell: usize| {
            let tables = cells.iter().enumerate();
            tables.fold(0, |through, (window, cells)| {
                through | u128::from(cells >> cell & 1) << window
            })
        };
        let through = (0..rules.cells()).map(through).collect();
        let board = u64::MAX >> (64 - rules.cells());
        let all = u128::MAX >> (128 - cells.len());
        Some(WindowTables {
            k,
            all_cells: board,
            window_cells: cells,
            all_windows: all,
            cell_windows: through,
            symmetries: symmetries(geometry),
        })
    }

    #[cfg(test)]
    pub(super) fn symmetries(&self) -> &[Box<[u8]>] {
        &self.symmetries
    }

    /// The cells of all these windows.
    #[inline]
    pub(super) fn cells_of(&self, mut windows: u128) -> u64 {
        let mut cells = 0;
        while windows != 0 {
            cells |= self.window_cells[windows.trailing_zeros() as usize];
            windows &= windows - 1;
        }
        cells
    }

    /// The least image of the stones of both seats under the symmetries, and the image of every cell under the
    /// symmetry that leads there.
    pub(super) fn canonical_words(&self, stones: [u64; 2]) -> ([u64; 2], &[u8]) {
        let image = |images: &[u8], cells: u64| {
            iter_bits(cells).fold(0, |cells, cell| cells | 1_u64 << images[usize::from(cell)])
        };
        let (mut least, mut by) = ([u64::MAX; 2], &*self.symmetries[0]);
        for images in &self.symmetries {
            let first = image(images, stones[0]);
            if first > least[0] {
                continue;
            }
            let both = [first, image(images, stones[1])];
            if both < least {
                (least, by) = (both, images);
            }
        }
        (least, by)
    }
}

/// The cells of a word, from the first to the last.
pub(crate) fn iter_bits(word: u64) -> impl Iterator<Item = u8> {
    bit_word::iter_bits(word).map(|bit| bit as u8)
}

/// The symmetries of the board. If all sides have the line length, the set includes their products with permutations of
/// the coordinates that apply to all sides alike and keep opposite coordinates opposite: these map every line to a line
/// (Silver, "The group of automorphisms of the game of 3-dimensional ticktacktoe", 1967; 192 symmetries for Qubic).
fn symmetries(geometry: &Geometry) -> Box<[Box<[u8]>]> {
    let rules = geometry.rules();
    let edge_to_edge = rules.sides().iter().all(|&side| side == rules.line());
    let longest = rules.sides().iter().copied().max().unwrap_or(1);
    let orders = if edge_to_edge {
        coordinate_orders(longest)
    } else {
        vec![(0..longest).collect()]
    };
    let symmetries = geometry.symmetries();
    let image = |symmetry: &[Cell], order: &[u8]| -> Box<[u8]> {
        let image = |cell: &Cell| {
            let at = geometry.coordinates(*cell).map(|at| order[usize::from(at)]);
            let at = geometry.cell_at(&at[..rules.dimensions()]);
            at.expect("coordinates are exchanged within the board")
                .index() as u8
        };
        symmetry.iter().map(image).collect()
    };
    let mut images: Vec<_> = symmetries
        .iter()
        .flat_map(|symmetry| orders.iter().map(|order| image(symmetry, order)))
        .collect();
    images.sort_unstable();
    images.dedup();
    images.into()
}

/// The permutations of the coordinates of a side that keep opposite ones opposite.
fn coordinate_orders(side: u8) -> Vec<Vec<u8>> {
    let opposite = |at: u8| side - 1 - at;
    let mut halves: Vec<Vec<u8>> = vec![Vec::new()];
    for _ in 0..side / 2 {
        let longer = |half: &Vec<u8>| {
            let is_new =
                |at: u8| at != opposite(at) && !half.contains(&at) && !half.contains(&opposite(at));
            let with = |at: u8| half.iter().copied().chain([at]).collect();
            (0..side)
                .filter(|&at| is_new(at))
                .map(with)
                .collect::<Vec<_>>()
        };
        halves = halves.iter().flat_map(longer).collect();
    }
    let whole = |half: Vec<u8>| {
        let middle = (0..side).filter(|&at| at == opposite(at));
        half.iter()
            .copied()
            .chain(middle)
            .chain(half.iter().rev().map(|&at| opposite(at)))
            .collect()
    };
    halves.into_iter().map(whole).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn windows(rules: &str) -> Option<WindowTables> {
        WindowTables::new(&Geometry::new(rules.parse().unwrap()))
    }

    #[test]
    fn symmetries_map_windows_to_windows() {
        for (rules, count) in [
            ("4x4x4:4", 192),
            ("3x3x3:3", 48),
            ("4x4:4", 32),
            ("5x4:4", 4),
            ("5x5:4", 8),
            ("5x5:5", 32),
        ] {
            let tables = windows(rules).unwrap();
            assert_eq!(tables.symmetries.len(), count, "{rules}");
            for images in &tables.symmetries {
                for &cells in &tables.window_cells {
                    let image = iter_bits(cells)
                        .fold(0, |image, cell| image | 1_u64 << images[usize::from(cell)]);
                    assert!(tables.window_cells.contains(&image), "{rules}");
                }
            }
        }
    }

    #[test]
    fn unsupported_boards_have_no_tables() {
        for rules in [
            "7x6:4+gravity",
            "4x4:3+misere",
            "7x7:5+exact",
            "9x9:5",
            "8x8:3",
            "2x2:2",
        ] {
            assert!(windows(rules).is_none(), "{rules}");
        }
        assert!(windows("8x8:5").is_some());
    }
}
