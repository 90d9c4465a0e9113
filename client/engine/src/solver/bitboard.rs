//! Shift-based bitboard for every board that fits into one word. Shifts of whole boards find completing cells and room
//! for lines.

use noughts_protocol::rng::split_mix64;
use noughts_protocol::{Geometry, Position, Rules};

use crate::board::cell_sets::{BitWord, iter_bits};

/// Maximum number of stones in a position that shares its key with all its symmetric images.
const MAX_SYMMETRY_PLY: u32 = 10;
/// Maximum number of symmetries to use. Boards of four dimensions have more symmetries than are worthwhile.
const MAX_SYMMETRIES: usize = 48;

/// Tables of a board.
pub struct SolverTables<L: BitLayout> {
    pub(super) layout: L,
    pub(super) rules: Rules,
    /// All cells of the board.
    pub cells: L::Word,
    pub(super) windows: Vec<L::Word>,
    /// With `exact` on a torus, the cells before and after each window.
    flanks: Vec<L::Word>,
    /// The cells of the odd rows, counted from 1 at the bottom.
    pub(super) odd_rows: L::Word,
    /// Whether a player who answers every stone in its column decides which rows it gets.
    pub has_zugzwang: bool,
    /// For each bit, the number of windows through the cell.
    pub(super) window_counts: Vec<u8>,
    /// For each bit, the cell.
    cell_of: Vec<u16>,
    /// Zobrist keys by symmetry, bit and seat.
    keys: Vec<Vec<[u64; 2]>>,
}

/// The stones from the mover's point of view.
#[derive(Clone, Copy, Debug)]
pub struct SolverPosition<W> {
    pub mover: W,
    pub other: W,
    /// The landing cells.
    pub open: W,
    pub ply: u32,
}

impl<L: BitLayout> SolverTables<L> {
    pub fn new(layout: L, geometry: &Geometry) -> SolverTables<L> {
        let rules = *geometry.rules();
        let all = || (0..rules.cells() as u16).map(noughts_protocol::Cell::new);
        let bits: Vec<u32> = all()
            .map(|cell| layout.bit_index(geometry.coordinates(cell)))
            .collect();
        let word = |cells: &[noughts_protocol::Cell]| {
            cells.iter().fold(L::Word::EMPTY, |word, cell| {
                word | L::Word::from_bit(bits[cell.index()])
            })
        };
        let cells = word(&all().collect::<Vec<_>>());
        let is_in_odd_row = |cell: &noughts_protocol::Cell| {
            (rules.height() - geometry.coordinates(*cell)[1]) % 2 == 1
        };
        let odd_rows = word(&all().filter(is_in_odd_row).collect::<Vec<_>>());
        let has_zugzwang = rules.gravity()
            && !rules.misere()
            && !rules.exact()
            && rules.height().is_multiple_of(2);
        let windows: Vec<L::Word> = geometry.windows().map(word).collect();
        let mut flanks = Vec::new();
        if !rules.has_edges() && rules.exact() {
            let k = usize::from(rules.line());
            for line in 0..geometry.board_line_count() {
                let direction = geometry.board_line_direction(line);
                for window in geometry.board_line(line).windows(k) {
                    let before = geometry.neighbour(window[0], direction, -1);
                    let after = geometry.neighbour(window[k - 1], direction, 1);
                    flanks.push(word(before.as_slice()) | word(after.as_slice()));
                }
            }
        }
        let size = L::Word::SIZE as usize;
        let (mut window_counts, mut cell_of) = (vec![0; size], vec![0; size]);
        for window in &windows {
            iter_bits(*window).for_each(|place| window_counts[place as usize] += 1);
        }
        bits.iter()
            .zip(0..)
            .for_each(|(&place, cell)| cell_of[place as usize] = cell);
        let mut symmetries = geometry.symmetries();
        symmetries.truncate(if symmetries.len() > MAX_SYMMETRIES {
            1
        } else {
            MAX_SYMMETRIES
        });
        let key = |place: u32, seat: u64| split_mix64(2 * u64::from(place) + seat + 1);
        let keys = symmetries.iter().map(|symmetry| {
            let mut keys = vec![[0; 2]; size];
            for (from, to) in symmetry.iter().enumerate() {
                keys[bits[from] as usize] = [0, 1].map(|seat| key(bits[to.index()], seat));
            }
            keys
        });
        let keys = keys.collect();
        SolverTables {
            rules,
            cells,
            odd_rows,
            has_zugzwang,
            windows,
            flanks,
            window_counts,
            cell_of,
            keys,
            layout,
        }
    }

    pub fn position(&self, position: &Position) -> SolverPosition<L::Word> {
        let word = |cells: &mut dyn Iterator<Item = noughts_protocol::Cell>| {
            cells.fold(L::Word::EMPTY, |word, cell| {
                word | L::Word::from_bit(
                    self.layout.bit_index(position.geometry().coordinates(cell)),
                )
            })
        };
        let first = word(&mut position.moves().iter().copied().step_by(2));
        let second = word(&mut position.moves().iter().copied().skip(1).step_by(2));
        let ply = position.ply() as u32;
        let (mover, other) = if ply.is_multiple_of(2) {
            (first, second)
        } else {
            (second, first)
        };
        SolverPosition {
            mover,
            other,
            open: word(&mut position.legal_moves()),
            ply,
        }
    }

    pub fn cell(&self, bit: u32) -> u16 {
        self.cell_of[bit as usize]
    }

    /// Returns the state after a stone on a landing cell.
    #[inline(always)]
    pub fn play(&self, state: SolverPosition<L::Word>, stone: L::Word) -> SolverPosition<L::Word> {
        let mut open = state.open ^ stone;
        if self.rules.gravity() {
            open |= (stone >> self.layout.row_shift()) & self.cells;
        }
        SolverPosition {
            mover: state.other,
            other: state.mover | stone,
            open,
            ply: state.ply + 1,
        }
    }

    /// Returns the cells, free or not, where a stone would complete a line of `stones`.
    #[inline(always)]
    pub fn completing(&self, stones: L::Word) -> L::Word {
        if self.layout.shifts().is_empty() {
            return self.completing_windows(stones);
        }
        match (self.rules.line(), self.rules.exact()) {
            // The common lengths have separate code without a loop over the length.
            (3, false) => self.completing_k::<3>(stones),
            (4, false) => self.completing_k::<4>(stones),
            (5, false) => self.completing_k::<5>(stones),
            (line, exact) => self.completing_any(stones, u32::from(line), exact),
        }
    }

    /// Like [`Self::completing`], but uses the windows, for boards without shifts.
    #[inline(never)]
    fn completing_windows(&self, stones: L::Word) -> L::Word {
        let mut found = L::Word::EMPTY;
        for (index, &window) in self.windows.iter().enumerate() {
            let missing = window & !stones;
            let is_overlong = |flanks: &L::Word| (*flanks & stones).any();
            if missing.without_first().is_empty()
                && !self.flanks.get(index).is_some_and(is_overlong)
            {
                found |= missing;
            }
        }
        found
    }

    #[inline(always)]
    fn completing_k<const K: usize>(&self, stones: L::Word) -> L::Word {
        let mut found = L::Word::EMPTY;
        for &step in self.layout.shifts() {
            // Runs of stones before and after a cell, with k - 1 stones together.
            let (mut before, mut after) = ([!L::Word::EMPTY; K], [!L::Word::EMPTY; K]);
            for count in 1..K {
                before[count] = before[count - 1] & (stones << (step * count as u32));
                after[count] = after[count - 1] & (stones >> (step * count as u32));
            }
            for count in 0..K {
                found |= before[count] & after[K - 1 - count];
            }
        }
        found
    }

    fn completing_any(&self, stones: L::Word, k: u32, exact: bool) -> L::Word {
        let mut found = L::Word::EMPTY;
        for &step in self.layout.shifts() {
            let shifted = |count: u32, forward: bool| {
                let by = step * count;
                match (by < L::Word::SIZE, forward) {
                    (false, _) => L::Word::EMPTY,
                    (true, true) => stones << by,
                    (true, false) => stones >> by,
                }
            };
            let run = |count: u32, forward: bool| {
                let stones =
                    (1..=count).fold(!L::Word::EMPTY, |run, count| run & shifted(count, forward));
                if exact {
                    stones & !shifted(count + 1, forward)
                } else {
                    stones
                }
            };
            for count in 0..k {
                found |= run(count, true) & run(k - 1 - count, false);
            }
        }
        found
    }

    /// Returns the safe moves: the opponent cannot complete a line with the next move. If the opponent has a threat,
    /// only its block is safe; with gravity, no stone may be placed below a threat. The mover must not be able to
    /// complete a line, and the rules must not be misère.
    #[inline(always)]
    pub fn safe_moves(&self, state: &SolverPosition<L::Word>) -> L::Word {
        let free = self.cells & !(state.mover | state.other);
        let threats = self.completing(state.other) & free;
        let forced = threats & state.open;
        if forced.without_first().any() {
            return L::Word::EMPTY;
        }
        let mut moves = if forced.any() { forced } else { state.open };
        if self.rules.gravity() {
            // A stone below a threat would enable it.
            moves &= !(threats << self.layout.row_shift());
        }
        moves
    }

    /// Returns whether a line fits on these cells: all cells without a stone of the opponent.
    #[inline(always)]
    pub fn has_room(&self, cells: L::Word) -> bool {
        let k = u32::from(self.rules.line());
        if self.layout.shifts().is_empty() {
            return self
                .windows
                .iter()
                .any(|&window| (window & !cells).is_empty());
        }
        self.layout.shifts().iter().any(|&step| {
            let (mut starts, mut length) = (cells, 1);
            while length < k && starts.any() {
                let more = length.min(k - length);
                starts &= starts >> (more * step).min(L::Word::SIZE - 1);
                length += more;
            }
            starts.any()
        })
    }

    /// Returns a hash key of the stones and the seat to move. With few stones, symmetric images have the same key.
    #[inline]
    pub fn key(&self, state: &SolverPosition<L::Word>) -> u64 {
        if state.ply > MAX_SYMMETRY_PLY {
            let (mover, other) = (state.mover.to_u64(), state.other.to_u64());
            return split_mix64(mover.wrapping_mul(0xd6e8_feb8_6659_fd93) ^ other.rotate_left(32))
                ^ other;
        }
        let key = |keys: &Vec<[u64; 2]>| {
            let of = |word, seat: usize| {
                iter_bits(word).fold(0, |key, place| key ^ keys[place as usize][seat])
            };
            of(state.mover, 0) ^ of(state.other, 1)
        };
        self.keys.iter().map(key).min().unwrap_or(0) ^ u64::from(state.ply)
    }
}

/// Layout of a board in a word, such that a step in a direction is a shift.
pub trait BitLayout {
    type Word: BitWord;

    /// Returns the shifts of the directions; none on a torus.
    fn shifts(&self) -> &[u32];
    /// Returns the shift from a cell to the cell above it.
    fn row_shift(&self) -> u32;
    /// Returns the bit of the cell at these coordinates.
    fn bit_index(&self, at: [u8; 4]) -> u32;
}

/// Two dimensions in eight rows of eight bits. The last bit of a row is free, so that no line wraps around an edge. The
/// shifts are constants.
#[derive(Clone, Copy, Debug)]
pub struct SquareLayout {
    /// Whether columns of the board are in rows of the word, for boards of width 8.
    pub(super) is_transposed: bool,
}

impl BitLayout for SquareLayout {
    type Word = u64;

    #[inline(always)]
    fn shifts(&self) -> &[u32] {
        &[1, 8, 9, 7]
    }

    #[inline(always)]
    fn row_shift(&self) -> u32 {
        if self.is_transposed { 1 } else { 8 }
    }

    fn bit_index(&self, at: [u8; 4]) -> u32 {
        let (row, column) = if self.is_transposed {
            (at[0], at[1])
        } else {
            (at[1], at[0])
        };
        8 * u32::from(row) + u32::from(column)
    }
}

/// Any board that fits with a free bit after each row, each layer, and so on.
#[derive(Clone, Debug)]
pub struct PaddedLayout {
    pub(super) shifts: Vec<u32>,
    /// The shift of a step along each axis.
    pub(super) axis_shifts: [u32; 4],
}

impl BitLayout for PaddedLayout {
    type Word = u128;

    #[inline(always)]
    fn shifts(&self) -> &[u32] {
        &self.shifts
    }

    #[inline(always)]
    fn row_shift(&self) -> u32 {
        self.axis_shifts[1]
    }

    fn bit_index(&self, at: [u8; 4]) -> u32 {
        at.iter()
            .zip(self.axis_shifts)
            .map(|(&at, axis)| u32::from(at) * axis)
            .sum()
    }
}

impl<L: BitLayout> SolverTables<L> {
    /// Returns whether the second player, when the first is to move, can answer every stone so that the first player
    /// cannot complete a line.
    ///
    /// Zugzwang, with gravity on a board of even height: a player who answers every stone in the same column decides
    /// which rows it gets (V. Allis, "A Knowledge-based Approach of Connect-Four", 1988). Rows count from 1 at the
    /// bottom. In a column with an even number of stones a player who always answers gets the even rows and leaves the
    /// odd rows to the opponent; the same holds in a column with an odd number of stones, once its next cell is
    /// occupied. Two columns with an odd number of stones form a pair: a stone on the next cell of either column is
    /// answered on the next cell of the other column, so the opponent gets at most one of the two cells.
    ///
    /// Requires [`SolverTables::has_zugzwang`].
    #[inline]
    pub fn is_held_by_second(&self, state: &SolverPosition<L::Word>) -> bool {
        let free = self.cells & !(state.mover | state.other);
        let reachable = state.mover | (free & self.odd_rows);
        self.is_held(reachable, state.open & !self.odd_rows)
    }

    /// Returns whether the first player, when the second is to move, can answer every stone, and finally completes a
    /// line in an odd row because the second player has only the cell below it left.
    ///
    /// Requires [`SolverTables::has_zugzwang`].
    #[inline]
    pub(super) fn is_won_by_first(&self, state: &SolverPosition<L::Word>) -> bool {
        let free = self.cells & !(state.mover | state.other);
        let threats = self.completing(state.other) & free & self.odd_rows;
        if threats.is_empty() {
            return false;
        }
        let next_cells = state.open & !self.odd_rows;
        iter_bits(next_cells)
            .map(L::Word::from_bit)
            .any(|next_cell| {
                // Below its threat, the first player gets the odd rows of this column, because it answers there too.
                let (mut column, mut below) = (L::Word::EMPTY, L::Word::EMPTY);
                let mut cell = next_cell;
                let mut is_below = true;
                while cell.any() {
                    is_below &= (cell & threats).is_empty();
                    column |= cell;
                    if is_below {
                        below |= cell & !self.odd_rows;
                    }
                    cell = (cell >> self.layout.row_shift()) & self.cells;
                }
                let reachable = state.mover | (free & self.odd_rows & !column) | below;
                !is_below && self.is_held(reachable, next_cells & !next_cell)
            })
    }

    /// Returns whether no line fits on the cells that a player can reach, with one cell of each pair of these next
    /// cells in other columns.
    #[inline]
    fn is_held(&self, reachable: L::Word, next_cells: L::Word) -> bool {
        match next_cells.count() {
            2 => {
                let first = L::Word::from_bit(next_cells.first_bit());
                let second = next_cells.without_first();
                !self.has_room(reachable | first) && !self.has_room(reachable | second)
            }
            // With more pairs, assumes that the player can reach both cells of each pair.
            _ => !self.has_room(reachable | next_cells),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::super::{BoardKind, layout};
    use noughts_protocol::rng::split_mix64;
    use noughts_protocol::{Position, Seat, Status};

    use super::*;
    use crate::tests::{is_deep, position};

    /// Returns the winner of a position, by exhaustive minimax; `None` for a draw.
    fn winner(game: &mut Position, known: &mut HashMap<u64, Option<Seat>>) -> Option<Seat> {
        match game.status() {
            Status::Won(seat) => return Some(seat),
            Status::Drawn => return None,
            Status::Ongoing => {}
        }
        if let Some(&winner) = known.get(&game.key()) {
            return winner;
        }
        let turn = game.turn();
        let results = game
            .legal_moves()
            .collect::<Vec<_>>()
            .into_iter()
            .map(|cell| {
                game.play(cell).unwrap();
                let found = winner(game, known);
                game.undo();
                found
            });
        let rank = |result: &Option<Seat>| {
            if *result == Some(turn) {
                2
            } else {
                u8::from(result.is_none())
            }
        };
        let best = results.max_by_key(rank).expect("the game is not over");
        known.insert(game.key(), best);
        best
    }

    /// Returns the seat that a bound favours, if a bound applies to the position.
    fn bound<L: BitLayout>(tables: &SolverTables<L>, game: &Position) -> Option<Seat> {
        let state = tables.position(game);
        assert!(tables.has_zugzwang);
        match game.turn() {
            Seat::X => tables.is_held_by_second(&state).then_some(Seat::O),
            Seat::O => tables.is_won_by_first(&state).then_some(Seat::X),
        }
    }

    /// Checks the bounds in late positions of random games. Returns for each seat how often a bound applied.
    fn check<L: BitLayout>(layout: L, empty: &Position, seeds: u64, free_cells: usize) -> [u32; 2] {
        let tables = SolverTables::new(layout, empty.geometry());
        let (mut known, mut counts) = (HashMap::new(), [0, 0]);
        for seed in 0..seeds {
            let mut game = empty.clone();
            let mut random = seed;
            while game.status() == Status::Ongoing {
                if game.rules().cells() - game.ply() <= free_cells
                    && let Some(seat) = bound(&tables, &game)
                {
                    let wins = winner(&mut game, &mut known) == Some(Seat::X);
                    assert_eq!(wins, seat == Seat::X, "{game:?}");
                    counts[seat as usize] += 1;
                }
                random = split_mix64(random);
                let any = game
                    .legal_nth((random % game.legal_count() as u64) as usize)
                    .unwrap();
                game.play(any).unwrap();
            }
        }
        counts
    }

    #[test]
    fn bounds_agree_with_minimax() {
        let (seeds, free_cells) = if is_deep() { (1_000, 14) } else { (150, 12) };
        let mut counts = [0, 0];
        for rules in [
            "4x4:3",
            "5x4:3",
            "4x4:4",
            "5x4:4",
            "6x4:4",
            "5x6:4",
            "7x6:4",
            "3x4x3:3",
            "5x4:3+torus",
            "5x4:4+torus",
        ] {
            let empty = position(&format!("{rules}+gravity"), "");
            let of_board = match layout(empty.geometry()) {
                BoardKind::Square(square) => check(square, &empty, seeds, free_cells),
                BoardKind::Padded(padded) => check(padded, &empty, seeds, free_cells),
                BoardKind::None => panic!("the board fits into a word"),
            };
            counts = [counts[0] + of_board[0], counts[1] + of_board[1]];
        }
        assert!(counts[0] > 30 && counts[1] > 400, "{counts:?}");
    }
}
