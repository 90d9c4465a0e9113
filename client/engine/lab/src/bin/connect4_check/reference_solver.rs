//! Solver of Connect Four that shares no code with the engine. It decides whether a seat wins a position.
//!
//! The search is alpha-beta over two results. A cell is bit 7 × column + height, with a free bit above each column.

use noughts_protocol::Seat;

const WIDTH: u32 = 7;
const HEIGHT: u32 = 6;
const BOTTOM: u64 = 0x0408_1020_4081;
const CELLS: u64 = BOTTOM * ((1 << HEIGHT) - 1);
const COLUMNS: [u32; 7] = [3, 2, 4, 1, 5, 0, 6];

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ReferenceBoard {
    /// Stones of the side to move.
    mover: u64,
    /// Stones of both sides.
    occupied: u64,
}

impl ReferenceBoard {
    /// Returns the position after a move; `None` if the column is full.
    pub(crate) fn play(&self, column: u32) -> Option<ReferenceBoard> {
        let stone = self.landing_cells() & (0x7f << (7 * column));
        (stone != 0).then_some(ReferenceBoard {
            mover: self.occupied ^ self.mover,
            occupied: self.occupied | stone,
        })
    }

    /// Returns whether the side to move can complete a line with its next stone.
    pub(crate) fn can_complete_line(&self) -> bool {
        completing_cells(self.mover) & self.landing_cells() != 0
    }

    /// Returns a number that identifies the position.
    pub(crate) fn key(&self) -> u64 {
        self.mover | (self.occupied + BOTTOM)
    }

    fn is_first_to_move(&self) -> bool {
        self.occupied.count_ones().is_multiple_of(2)
    }

    fn landing_cells(&self) -> u64 {
        (self.occupied + BOTTOM) & CELLS
    }
}

/// Returns the cells, free or not, that complete a line of these stones.
fn completing_cells(stones: u64) -> u64 {
    let vertical = stones << 1 & stones << 2 & stones << 3;
    [6, 7, 8].iter().fold(vertical, |found, &step| {
        let (up, down) = (
            stones << step & stones << (2 * step),
            stones >> step & stones >> (2 * step),
        );
        found
            | up & stones << (3 * step)
            | up & stones >> step
            | down & stones << step
            | down & stones >> (3 * step)
    }) & CELLS
}

/// Solver with a table of results that later searches use again.
pub(crate) struct ReferenceSolver {
    /// Key and result in each slot; 0 stands for an empty slot.
    table: Vec<u64>,
    seat: Seat,
}

impl ReferenceSolver {
    /// Creates a solver for wins of a seat, with a table of 2^`bits` slots of 8 bytes.
    pub(crate) fn new(bits: u32, seat: Seat) -> ReferenceSolver {
        ReferenceSolver {
            table: vec![0; 1 << bits],
            seat,
        }
    }

    /// Returns whether the seat wins.
    pub(crate) fn prove_win(&mut self, board: ReferenceBoard) -> bool {
        let is_own_turn = board.is_first_to_move() == (self.seat == Seat::X);
        if board.can_complete_line() {
            return is_own_turn;
        }
        let threats = completing_cells(board.occupied ^ board.mover) & !board.occupied;
        let landing = board.landing_cells();
        if landing == 0 {
            return false;
        }
        let forced = threats & landing;
        // A stone below a threat would let the opponent complete the line.
        let moves = if forced == 0 { landing } else { forced } & !(threats >> 1);
        if forced & forced.wrapping_sub(1) != 0 || moves == 0 {
            return !is_own_turn;
        }
        let key = board.key();
        let slot =
            (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20) as usize & (self.table.len() - 1);
        // The key contains the number of stones, so it differs with the side to move.
        if self.table[slot] >> 1 == key {
            return self.table[slot] & 1 == 1;
        }
        let mut children = [(0, board); WIDTH as usize];
        let mut count = 0;
        for column in COLUMNS {
            let stone = moves & (0x7f << (7 * column));
            if stone != 0 {
                let threats = completing_cells(board.mover | stone) & !board.occupied;
                let next = ReferenceBoard {
                    mover: board.occupied ^ board.mover,
                    occupied: board.occupied | stone,
                };
                children[count] = (threats.count_ones(), next);
                count += 1;
            }
        }
        children[..count].sort_by_key(|&(threats, _)| std::cmp::Reverse(threats));
        // The mover looks for a move with the result that it prefers.
        let is_found = children[..count]
            .iter()
            .any(|&(_, next)| self.prove_win(next) == is_own_turn);
        let result = is_found == is_own_turn;
        self.table[slot] = key << 1 | u64::from(result);
        result
    }
}
