//! Bitboard with bit-sliced stone counts: each bit position of the count words is a window, and each count word holds one
//! binary digit of the numbers of stones in all windows.

use noughts_protocol::{Position, Seat};

use super::window_tables::{COUNT_BITS, WindowTables, iter_bits};
use noughts_protocol::rng::split_mix64;

/// The stones of a board. Seats are 0 and 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WindowBitboard {
    pub by_seat: [u64; 2],
    /// By seat, the number of its stones in each window: the ones, twos and fours digits.
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

    /// The stones after a move of this seat on a free cell.
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

    /// The windows without stones of the opponent that lack exactly `lack` stones of this seat.
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

    /// The free cells where this seat completes a line with its next stone.
    #[inline]
    pub fn completing(&self, tables: &WindowTables, seat: usize) -> u64 {
        tables.cells_of(self.windows_lacking(tables, seat, 1)) & !self.by_seat[seat]
    }

    /// Weight of the live windows of this seat: each further stone doubles the weight of a window; a full one weighs 4
    /// (Erdős and Selfridge, "On a combinatorial game", 1973).
    pub(super) fn weight(&self, tables: &WindowTables, seat: usize) -> u32 {
        let weight = |lack: usize| {
            self.windows_lacking(tables, seat, lack).count_ones() << (tables.k - lack)
        };
        (1..=tables.k).map(weight).sum::<u32>() >> (tables.k - 2)
    }

    /// The cells of a set of free cells that no other free cell dominates. A cell dominates another if it lies in all live
    /// windows of both seats in which the other lies. Of equal cells the first remains. Cells in no live window, and
    /// cells dominated from outside the set, are removed.
    pub(super) fn undominated(&self, tables: &WindowTables, cells: u64) -> u64 {
        let alive = [0, 1].map(|seat| tables.all_windows & !self.occupied_windows(1 - seat));
        let through = |cell: u8| alive.map(|alive| tables.cell_windows[usize::from(cell)] & alive);
        let free: Vec<(u8, [u128; 2])> = iter_bits(self.free(tables))
            .map(|cell| (cell, through(cell)))
            .collect();
        let is_better = |&(cell, of): &(u8, [u128; 2]), than: u8, others: [u128; 2]| {
            // Of equal cells the first dominates.
            (others[0] & !of[0]) | (others[1] & !of[1]) == 0 && (of != others || cell < than)
        };
        let good = free.iter().filter(|&&(cell, of)| {
            cells >> cell & 1 == 1
                && of != [0; 2]
                && !free.iter().any(|other| is_better(other, cell, of))
        });
        good.fold(0, |best, &(cell, _)| best | 1 << cell)
    }

    /// The windows with a stone of this seat.
    #[inline]
    fn occupied_windows(&self, seat: usize) -> u128 {
        self.counts[seat]
            .iter()
            .fold(0, |touched, bit| touched | bit)
    }

    /// The same position for all positions that differ only by a symmetry of the windows, and the cell there that each
    /// cell becomes.
    pub fn canonical<'t>(&self, tables: &'t WindowTables) -> (WindowBitboard, &'t [u8]) {
        let (canonical, images) = self.canonical_words(tables);
        (WindowBitboard::new(tables, canonical), images)
    }

    /// The stones of the canonical position: its key.
    pub(super) fn canonical_words<'t>(&self, tables: &'t WindowTables) -> ([u64; 2], &'t [u8]) {
        tables.canonical_words(self.by_seat)
    }

    /// A key of the stones of both seats, and of whose turn it is.
    #[inline]
    pub(super) fn key(&self, turn: usize) -> u64 {
        split_mix64(
            split_mix64(self.by_seat[0] ^ 0x5851_f42d_4c95_7f2d << turn)
                ^ self.by_seat[1].rotate_left(17),
        )
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
        // A row of five with lines of three: the center lies in all three windows, an end in one.
        let (windows, none) = stones("5:3", [&[], &[]]);
        assert_eq!(none.undominated(&windows, none.free(&windows)), 1 << 2);
        assert_eq!(
            none.undominated(&windows, 1 << 1),
            0,
            "the dominating cell is outside the set"
        );
        // A stone in the center leaves the second seat no window, and makes b1 and d1 equal for the first.
        let (windows, middle) = stones("5:3", [&[2], &[]]);
        assert_eq!(
            middle.undominated(&windows, middle.free(&windows)),
            1 << 1 | 1 << 3
        );
        // No live windows.
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
}
