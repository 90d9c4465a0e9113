//! Bitboard with bit-sliced stone counts: each bit position of the count words is a window, and each count word holds
//! one binary digit of the numbers of stones in all windows.

use noughts_protocol::rng::split_mix64;
use noughts_protocol::{Cell, Geometry, Position, RuleFlag, Rules, Seat};

use crate::board::cell_sets;

/// The stones on a board. Seats are 0 and 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WindowBitboard {
    pub by_seat: [u64; 2],
    /// For each seat, its number of stones in each window: the ones, twos and fours digits.
    counts: [[u128; COUNT_BITS]; 2],
}

impl WindowBitboard {
    pub const EMPTY: WindowBitboard = WindowBitboard {
        by_seat: [0; 2],
        counts: [[0; COUNT_BITS]; 2],
    };

    pub(super) fn new(tables: &WindowTables, by_seat: [u64; 2]) -> WindowBitboard {
        let play =
            |stones: WindowBitboard, (seat, cell): (usize, u8)| stones.play(tables, seat, cell);
        (0..2)
            .flat_map(|seat| iter_bits(by_seat[seat]).map(move |cell| (seat, cell)))
            .fold(WindowBitboard::EMPTY, play)
    }

    pub fn from_position(tables: &WindowTables, position: &Position) -> WindowBitboard {
        let moves = position.moves().iter().zip(Seat::ALL.into_iter().cycle());
        moves.fold(WindowBitboard::EMPTY, |stones, (cell, seat)| {
            stones.play(tables, seat.index(), cell.index() as u8)
        })
    }

    /// Returns the stones after a move of this seat on a free cell.
    #[inline]
    pub fn play(&self, tables: &WindowTables, seat: usize, cell: u8) -> WindowBitboard {
        let mut stones = *self;
        stones.by_seat[seat] |= 1 << cell;
        let mut carry = tables.cell_windows[usize::from(cell)];
        for bit in &mut stones.counts[seat] {
            (*bit, carry) = (*bit ^ carry, *bit & carry);
        }
        stones
    }

    #[inline]
    pub fn free(&self, tables: &WindowTables) -> u64 {
        tables.all_cells & !(self.by_seat[0] | self.by_seat[1])
    }

    /// Returns the windows without stones of the opponent that lack exactly `lack` stones of this seat.
    #[inline]
    pub(super) fn windows_lacking(&self, tables: &WindowTables, seat: usize, lack: usize) -> u128 {
        let stones = tables.k - lack;
        let alive = tables.all_windows & !self.occupied_windows(1 - seat);
        self.counts[seat]
            .iter()
            .enumerate()
            .fold(alive, |windows, (place, bit)| {
                windows
                    & if stones >> place & 1 == 1 {
                        *bit
                    } else {
                        !*bit
                    }
            })
    }

    /// Returns the free cells where this seat completes a line with its next stone.
    #[inline]
    pub fn completing(&self, tables: &WindowTables, seat: usize) -> u64 {
        tables.cells_of(self.windows_lacking(tables, seat, 1)) & !self.by_seat[seat]
    }

    /// Returns the weight of this seat's live windows. Each further stone doubles the weight of a window, and a full
    /// window weighs 4 (Erdős and Selfridge, "On a combinatorial game", 1973).
    pub(super) fn weight(&self, tables: &WindowTables, seat: usize) -> u32 {
        let weight = |lack: usize| {
            self.windows_lacking(tables, seat, lack).count_ones() << (tables.k - lack)
        };
        (1..=tables.k).map(weight).sum::<u32>() >> (tables.k - 2)
    }

    /// Returns the cells of a set of free cells that no other free cell dominates. A cell dominates another cell if it
    /// is in all live windows of both seats that contain the other cell. Of equal cells, the first remains. Cells in no
    /// live window, and cells that are dominated from outside the set, are removed.
    pub(super) fn undominated(&self, tables: &WindowTables, cells: u64) -> u64 {
        let alive = [0, 1].map(|seat| tables.all_windows & !self.occupied_windows(1 - seat));
        let through = |cell: u8| alive.map(|alive| tables.cell_windows[usize::from(cell)] & alive);
        let free: Vec<(u8, [u128; 2])> = iter_bits(self.free(tables))
            .map(|cell| (cell, through(cell)))
            .collect();
        let is_better = |&(cell, of): &(u8, [u128; 2]), than: u8, others: [u128; 2]| {
            // Of equal cells, the first dominates.
            (others[0] & !of[0]) | (others[1] & !of[1]) == 0 && (of != others || cell < than)
        };
        let good = free.iter().filter(|&&(cell, of)| {
            cells >> cell & 1 == 1
                && of != [0; 2]
                && !free.iter().any(|other| is_better(other, cell, of))
        });
        good.fold(0, |best, &(cell, _)| best | 1 << cell)
    }

    /// Returns the windows with a stone of this seat.
    #[inline]
    fn occupied_windows(&self, seat: usize) -> u128 {
        self.counts[seat]
            .iter()
            .fold(0, |touched, bit| touched | bit)
    }

    /// Returns a position that is the same for all positions that differ only by a symmetry of the windows, and for
    /// each cell its image in that position.
    pub fn canonical<'t>(&self, tables: &'t WindowTables) -> (WindowBitboard, &'t [u8]) {
        let (canonical, images) = self.canonical_words(tables);
        (WindowBitboard::new(tables, canonical), images)
    }

    /// Returns the stones of the canonical position, which are its key.
    pub(super) fn canonical_words<'t>(&self, tables: &'t WindowTables) -> ([u64; 2], &'t [u8]) {
        tables.canonical_words(self.by_seat)
    }

    /// Returns a key of the stones of both seats and the side to move.
    #[inline]
    pub(super) fn key(&self, turn: usize) -> u64 {
        split_mix64(
            split_mix64(self.by_seat[0] ^ 0x5851_f42d_4c95_7f2d << turn)
                ^ self.by_seat[1].rotate_left(17),
        )
    }
}

/// Number of bits of the stone count in a window.
pub(super) const COUNT_BITS: usize = 3;

/// Tables of a board with up to 64 cells and 128 windows of up to seven cells: the windows as sets of cells, and the
/// symmetries that map windows to windows.
#[derive(Debug)]
pub struct WindowTables {
    /// Number of cells in a window.
    pub(super) k: usize,
    pub(super) all_cells: u64,
    /// For each window, its cells.
    pub(super) window_cells: Box<[u64]>,
    pub(super) all_windows: u128,
    /// For each cell, its windows.
    pub(super) cell_windows: Box<[u128]>,
    /// For each symmetry, the image of every cell.
    symmetries: Box<[Box<[u8]>]>,
}

impl WindowTables {
    /// Returns whether the tables support the rules (normal free placement), provided that the board has few enough
    /// windows.
    pub fn supports(rules: &Rules) -> bool {
        rules.has_only(&[RuleFlag::Torus])
            && rules.cells() <= 64
            && (3..1 << COUNT_BITS).contains(&usize::from(rules.line()))
    }

    /// Returns `None` if the rules are not supported or the board has too many windows.
    pub fn new(geometry: &Geometry) -> Option<WindowTables> {
        let rules = geometry.rules();
        if !WindowTables::supports(rules) || geometry.window_count() > 128 {
            return None;
        }
        let k = usize::from(rules.line());
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

    /// Returns the cells of all these windows.
    #[inline]
    pub(super) fn cells_of(&self, mut windows: u128) -> u64 {
        let mut cells = 0;
        while windows != 0 {
            cells |= self.window_cells[windows.trailing_zeros() as usize];
            windows &= windows - 1;
        }
        cells
    }

    /// Returns the least image of the stones of both seats under the symmetries, and the image of every cell under the
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

/// Iterates over the cells of a word, from the first to the last.
pub(crate) fn iter_bits(word: u64) -> impl Iterator<Item = u8> {
    cell_sets::iter_bits(word).map(|bit| bit as u8)
}

/// Returns the symmetries of the board. If all sides have the line length and no edges meet, the set includes their
/// products with permutations of the coordinates that apply to all sides alike and keep opposite coordinates opposite:
/// these map every line to a line (Silver, "The group of automorphisms of the game of 3-dimensional ticktacktoe", 1967;
/// 192 symmetries for Qubic).
fn symmetries(geometry: &Geometry) -> Box<[Box<[u8]>]> {
    let rules = geometry.rules();
    let edge_to_edge = rules.has_edges() && rules.sides().iter().all(|&side| side == rules.line());
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

/// Returns the permutations of the coordinates of a side that keep opposite coordinates opposite.
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

/// Search for a victory by continuous fours (VCF) on a [`WindowBitboard`], with a cache of positions without a VCF.
/// Each stone threatens to complete a line and has one reply, until a stone makes a double threat (Allis, van den Herik
/// and Huntjens, "Go-Moku and threat-space search", 1993).
///
/// `alpha_beta/vcf.rs` explains why a second version for the `SearchBoard` exists.
#[derive(Debug)]
pub struct VcfSearch {
    /// Keys of positions without a VCF, in the slot of their lowest bits.
    no_vcf: Box<[u64]>,
    /// Maximum number of positions of the current search, and the remaining number.
    max_nodes: u32,
    nodes_left: u32,
}

/// A winning sequence of threats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VcfLine {
    /// The cell of the first stone.
    pub first: u8,
    /// Plies until the line is complete.
    pub plies: u32,
    /// The cells of the threatening stones.
    pub(super) stones: u64,
    /// The cells where they threaten to complete a line: the replies and the end.
    pub(super) replies: u64,
}

impl VcfSearch {
    /// Creates a search with a cache of 2^`bits` positions.
    pub fn new(bits: u32) -> VcfSearch {
        VcfSearch {
            no_vcf: vec![0; 1 << bits].into(),
            max_nodes: 0,
            nodes_left: 0,
        }
    }

    /// Finds a VCF of this seat within `max_nodes` positions. The seat must be to move and unable to complete a line
    /// with one move.
    pub fn find(
        &mut self,
        tables: &WindowTables,
        stones: &WindowBitboard,
        seat: usize,
        max_nodes: u32,
    ) -> Option<VcfLine> {
        (self.max_nodes, self.nodes_left) = (max_nodes, max_nodes);
        self.search(tables, stones, seat)
    }

    /// Returns the number of positions that the last search visited.
    pub(super) fn nodes_used(&self) -> u32 {
        self.max_nodes - self.nodes_left + 1
    }

    fn search(
        &mut self,
        tables: &WindowTables,
        stones: &WindowBitboard,
        seat: usize,
    ) -> Option<VcfLine> {
        // A threat of the opponent must be met by a threat.
        let forced = stones.completing(tables, 1 - seat);
        if forced & forced.wrapping_sub(1) != 0 {
            return None;
        }
        let free = if forced == 0 {
            stones.free(tables)
        } else {
            forced
        };
        let (mut single_threats, mut double_threats) = (0, 0);
        let mut twos = stones.windows_lacking(tables, seat, 2);
        while twos != 0 {
            let cells = tables.window_cells[twos.trailing_zeros() as usize] & free;
            (single_threats, double_threats) = (
                single_threats | cells,
                double_threats | single_threats & cells,
            );
            twos &= twos - 1;
        }
        // A double threat needs two windows that cross.
        for first in iter_bits(double_threats) {
            let replies = stones.play(tables, seat, first).completing(tables, seat);
            if replies & (replies - 1) != 0 {
                return Some(VcfLine {
                    first,
                    plies: 3,
                    stones: 1 << first,
                    replies,
                });
            }
        }
        if single_threats == 0 || self.nodes_left == 0 {
            return None;
        }
        let key = stones.key(seat);
        let slot = key as usize & (self.no_vcf.len() - 1);
        if self.no_vcf[slot] == key {
            return None;
        }
        self.nodes_left -= 1;
        for first in iter_bits(single_threats) {
            let threat = stones.play(tables, seat, first);
            let reply = threat.completing(tables, seat);
            let next = threat.play(tables, 1 - seat, reply.trailing_zeros() as u8);
            if let Some(rest) = self.search(tables, &next, seat) {
                return Some(VcfLine {
                    first,
                    plies: rest.plies + 2,
                    stones: rest.stones | 1 << first,
                    replies: rest.replies | reply,
                });
            }
        }
        // An incomplete search proves nothing.
        if self.nodes_left > 0 {
            self.no_vcf[slot] = key;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use noughts_protocol::Geometry;

    use super::*;

    fn stones(rules: &str, of: [&[u8]; 2]) -> (WindowTables, WindowBitboard) {
        let tables = WindowTables::new(&Geometry::new(rules.parse().unwrap())).unwrap();
        let of = of.map(|cells| cells.iter().fold(0, |all, cell| all | 1 << cell));
        let stones = WindowBitboard::new(&tables, of);
        (tables, stones)
    }

    #[test]
    fn dominated_cells_are_removed() {
        // A row of five with lines of three: the centre lies in all three windows, an end in one.
        let (windows, none) = stones("5:3", [&[], &[]]);
        assert_eq!(none.undominated(&windows, none.free(&windows)), 1 << 2);
        assert_eq!(
            none.undominated(&windows, 1 << 1),
            0,
            "the dominating cell is outside the set"
        );
        // A stone in the centre leaves the second seat no window, and makes b1 and d1 equal for the first.
        let (windows, middle) = stones("5:3", [&[2], &[]]);
        assert_eq!(
            middle.undominated(&windows, middle.free(&windows)),
            1 << 1 | 1 << 3
        );
        // If no window is live, all cells are removed.
        let (windows, both) = stones("5:3", [&[2], &[1, 3]]);
        assert_eq!(both.undominated(&windows, both.free(&windows)), 0);
    }

    #[test]
    fn windows_weigh_more_with_more_stones() {
        for (of, weight) in [(&[][..], 0), (&[0], 0), (&[0, 1], 1), (&[0, 1, 2], 2)] {
            let (windows, stones) = stones("4x1:4", [of, &[]]);
            assert_eq!(stones.weight(&windows, 0), weight, "{of:?}");
        }
        let (windows, stones) = stones("4x4:4", [&[0], &[15]]);
        assert_eq!([0, 1].map(|seat| stones.weight(&windows, seat)), [2, 2]);
    }

    #[test]
    fn canonical_form_is_the_same_position() {
        let (tables, _) = stones("4x4x4:4", [&[], &[]]);
        let stones = WindowBitboard::new(&tables, [1 << 5 | 1 << 17, 1 << 63]);
        let (canonical, images) = stones.canonical(&tables);
        let of = |cell: u8| 1_u64 << images[usize::from(cell)];
        assert_eq!(canonical.by_seat, [of(5) | of(17), of(63)]);
        for images in tables.symmetries() {
            let of = |cell: u8| 1_u64 << images[usize::from(cell)];
            let image = WindowBitboard::new(&tables, [of(5) | of(17), of(63)]);
            assert_eq!(image.canonical(&tables).0, canonical);
        }
    }

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
