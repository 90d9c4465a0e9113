//! Tables of a board for searches: windows, windows through each cell, and neighbours. They are computed once per
//! search from the geometry, and do not depend on stones.

use std::ops::{Add, AddAssign, Range, Sub, SubAssign};

use noughts_protocol::rng::split_mix64;
use noughts_protocol::{Cell, Geometry, RuleFlag, Rules};

use crate::board::cell_sets::{CellSet, ListOfLists};
use crate::line_network::patterns::BoardPatterns;
use crate::line_network::{self, MAX_FULL_SEARCH_CELLS};

/// Returns whether stones go to any free cell, and a completed line wins. Pairings and potentials apply only to these
/// rules.
pub(crate) fn is_free_placement(rules: &Rules) -> bool {
    rules.has_only(&[RuleFlag::Exact, RuleFlag::Torus])
}

/// Index that stands for no cell.
pub(crate) const NO_CELL: u16 = u16::MAX;
/// Maximum distance of near cells, in steps along a direction.
const NEAR_DISTANCE: usize = 2;

/// Tables of a board. A *window* is k consecutive cells that a player must fill to complete a line.
#[derive(Debug)]
pub(crate) struct BoardTables {
    pub(crate) rules: Rules,
    pub(crate) k: usize,
    pub(crate) cells: usize,
    /// Number of words that this board uses of a [`CellSet`].
    pub(crate) words: usize,
    /// The cells of all board lines, one line after another.
    board_line_cells: Box<[u16]>,
    /// For each window, the index of its first cell in `board_line_cells`.
    starts: Box<[u32]>,
    /// For each window, the cells before and after it on its board line.
    flanks: Box<[[u16; 2]]>,
    runs: ListOfLists<WindowRun>,
    /// For each cell, the cell that becomes playable when it is occupied.
    above: Box<[u16]>,
    /// For each cell, the number of rows below it.
    height: Box<[u8]>,
    /// For each cell, the cells near it; empty unless the board is large.
    neighbourhoods: Box<[CellSet]>,
    keys: Box<[[u64; 2]]>,
    /// The patterns of the evaluation network, on boards that it evaluates.
    pub(crate) patterns: Option<BoardPatterns>,
    /// All cells, from the centre outwards.
    pub(crate) cells_from_center: Box<[u16]>,
}

/// The windows on one board line that contain a cell. They have consecutive numbers and consecutive first cells.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WindowRun {
    first: u16,
    windows: u8,
    /// Index of the first cell of the first window in `board_line_cells`.
    start: u32,
}

impl WindowRun {
    pub(crate) fn windows(self) -> Range<usize> {
        let first = usize::from(self.first);
        first..first + usize::from(self.windows)
    }
}

impl BoardTables {
    pub(crate) fn new(geometry: &Geometry) -> BoardTables {
        let rules = *geometry.rules();
        let (k, cells) = (usize::from(rules.line()), rules.cells());
        let all = || (0..cells as u16).map(Cell::new);
        let (mut board_line_cells, mut starts, mut flanks) = (Vec::new(), Vec::new(), Vec::new());
        let mut runs = vec![Vec::new(); cells];
        for line in 0..geometry.board_line_count() {
            let (line, direction) = (
                geometry.board_line(line),
                geometry.board_line_direction(line),
            );
            let (start, last) = (board_line_cells.len() as u32, line.len() - k);
            for (offset, cell) in line.iter().enumerate() {
                let (from, to) = ((offset + 1).saturating_sub(k), offset.min(last));
                runs[cell.index()].push(WindowRun {
                    // At most 1024 cells in 40 directions, so window numbers fit into 16 bits.
                    first: (starts.len() + from) as u16,
                    windows: (to + 1 - from) as u8,
                    start: start + from as u32,
                });
            }
            board_line_cells.extend(line.iter().map(index));
            for from in 0..=last {
                let flank = |cell: Cell, sign| {
                    let flank = geometry.neighbour(cell, direction, sign);
                    flank.as_ref().map_or(NO_CELL, index)
                };
                starts.push(start + from as u32);
                flanks.push([flank(line[from], -1), flank(line[from + k - 1], 1)]);
            }
        }
        let width = u16::from(rules.width());
        let above = all().map(|cell| {
            let has_above = rules.gravity() && geometry.coordinates(cell)[1] > 0;
            if has_above {
                index(&cell) - width
            } else {
                NO_CELL
            }
        });
        let is_large = cells > MAX_FULL_SEARCH_CELLS && is_free_placement(&rules);
        let neighbourhoods = if is_large {
            all().map(|cell| neighbourhood_of(geometry, cell)).collect()
        } else {
            Box::default()
        };
        let mut cells_from_center: Vec<u16> = all().map(|cell| index(&cell)).collect();
        cells_from_center.sort_by_key(|&cell| distance_from_center(geometry, Cell::new(cell)));
        BoardTables {
            rules,
            k,
            cells,
            words: cells.div_ceil(64),
            board_line_cells: board_line_cells.into(),
            starts: starts.into(),
            flanks: flanks.into(),
            runs: ListOfLists::new(&runs),
            above: above.collect(),
            height: all()
                .map(|cell| rules.height() - 1 - geometry.coordinates(cell)[1])
                .collect(),
            neighbourhoods,
            keys: (0..cells as u64)
                .map(|cell| [split_mix64(2 * cell), split_mix64(2 * cell + 1)])
                .collect(),
            patterns: if line_network::supports(&rules) {
                BoardPatterns::new(geometry)
            } else {
                None
            },
            cells_from_center: cells_from_center.into(),
        }
    }

    pub(crate) fn window_count(&self) -> usize {
        self.flanks.len()
    }

    pub(crate) fn window(&self, window: usize) -> &[u16] {
        &self.board_line_cells[self.starts[window] as usize..][..self.k]
    }

    pub(crate) fn flanks(&self, window: usize) -> [u16; 2] {
        self.flanks[window]
    }

    /// Returns the windows that contain a cell, one board line after another.
    pub(crate) fn runs(&self, cell: u16) -> &[WindowRun] {
        self.runs.get(cell)
    }

    /// Returns the cells of all windows of a run, along their board line.
    pub(crate) fn run_cells(&self, run: WindowRun) -> &[u16] {
        &self.board_line_cells[run.start as usize..][..usize::from(run.windows) + self.k - 1]
    }

    pub(crate) fn above(&self, cell: u16) -> Option<u16> {
        Some(self.above[usize::from(cell)]).filter(|&above| above != NO_CELL)
    }

    pub(crate) fn height(&self, cell: u16) -> u8 {
        self.height[usize::from(cell)]
    }

    /// Returns whether searches visit only cells near stones.
    pub(crate) fn is_large(&self) -> bool {
        !self.neighbourhoods.is_empty()
    }

    /// Returns the cells near a cell of a large board.
    pub(crate) fn neighbourhood(&self, cell: u16) -> &CellSet {
        &self.neighbourhoods[usize::from(cell)]
    }

    pub(crate) fn key(&self, cell: u16, seat: usize) -> u64 {
        self.keys[usize::from(cell)][seat]
    }
}

fn index(cell: &Cell) -> u16 {
    cell.index() as u16
}

/// Returns the cells within [`NEAR_DISTANCE`] steps along any direction.
fn neighbourhood_of(geometry: &Geometry, cell: Cell) -> CellSet {
    let mut near = CellSet::default();
    for &direction in geometry.directions() {
        for sign in [-1, 1] {
            let step = |&from: &Cell| geometry.neighbour(from, direction, sign);
            for cell in std::iter::successors(step(&cell), step).take(NEAR_DISTANCE) {
                near.insert(index(&cell));
            }
        }
    }
    near
}

/// Returns the square of twice the distance from the centre of the board.
fn distance_from_center(geometry: &Geometry, cell: Cell) -> u32 {
    let at = geometry.coordinates(cell);
    let sides = geometry.rules().sides();
    sides
        .iter()
        .zip(at)
        .map(|(&side, at)| (2 * u32::from(at) + 1).abs_diff(u32::from(side)).pow(2))
        .sum()
}

/// Weights of a live window by the number of stones that it lacks: for the evaluation, and for move ordering.
const VALUE_BY_LACKING: [i32; 7] = [0, 160, 42, 14, 2, 1, 0];
const ORDER_BY_LACKING: [i32; 7] = [0, 100_000, 4_000, 400, 30, 5, 1];

/// A number for each seat in one word, so that a single addition updates both.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct PackedPair(i64);

impl PackedPair {
    fn new(seat: usize, own: i32, others: i32) -> PackedPair {
        let seats = if seat == 0 {
            [own, others]
        } else {
            [others, own]
        };
        PackedPair(i64::from(seats[0]) + (i64::from(seats[1]) << 32))
    }

    /// The number 1 for each seat.
    pub(super) const ONES: PackedPair = PackedPair(1 + (1 << 32));

    #[inline]
    pub(super) fn get(self, seat: usize) -> i32 {
        let low = self.0 as i32;
        if seat == 0 {
            low
        } else {
            ((self.0 - i64::from(low)) >> 32) as i32
        }
    }
}

impl Add for PackedPair {
    type Output = PackedPair;

    #[inline]
    fn add(self, other: PackedPair) -> PackedPair {
        PackedPair(self.0 + other.0)
    }
}

impl Sub for PackedPair {
    type Output = PackedPair;

    #[inline]
    fn sub(self, other: PackedPair) -> PackedPair {
        PackedPair(self.0 - other.0)
    }
}

impl AddAssign for PackedPair {
    #[inline]
    fn add_assign(&mut self, other: PackedPair) {
        *self = *self + other;
    }
}

impl SubAssign for PackedPair {
    #[inline]
    fn sub_assign(&mut self, other: PackedPair) {
        *self = *self - other;
    }
}

/// Flags that say how a stone changes the membership of a window in the threat sets.
pub(super) mod threat_change {
    /// The window lacked one stone of the mover, and this stone completes it.
    pub(crate) const OWN_ONE_LEAVES: u8 = 1;
    /// The window lacked two stones of the mover.
    pub(crate) const OWN_TWO_LEAVES: u8 = 2;
    /// After the move, the window lacks one stone of the mover.
    pub(crate) const OWN_ONE_COMES: u8 = 4;
    /// After the move, the window lacks two stones of the mover.
    pub(crate) const OWN_TWO_COMES: u8 = 8;
    /// The window lacked one stone of the opponent and is now dead.
    pub(crate) const OTHERS_ONE_LEAVES: u8 = 16;
    /// The window lacked two stones of the opponent and is now dead.
    pub(crate) const OTHERS_TWO_LEAVES: u8 = 32;
}

/// Effect of a stone on a window.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct EvalDelta {
    pub(super) value: PackedPair,
    pub(super) order: PackedPair,
    /// Change in the number of live windows.
    pub(super) live_windows: PackedPair,
    pub(super) threat_changes: u8,
}

/// Effects of a stone on the evaluation, by the moving seat and the window state. A state encodes the stone counts of
/// both seats as one number, see [`EvalTables::state_step`].
#[derive(Clone, Debug)]
pub(super) struct EvalTables {
    k: u16,
    deltas: [Box<[EvalDelta]>; 2],
    /// Value of an empty window.
    pub(super) value: PackedPair,
    pub(super) order: PackedPair,
}

impl EvalTables {
    pub(super) fn new(k: usize) -> EvalTables {
        let lookup = |table: &[i32], stones: usize| table[(k - stones).min(table.len() - 1)];
        let delta = |seat: usize, state: usize| {
            let stones = [state / (k + 1), state % (k + 1)];
            let (own, others) = (stones[seat], stones[1 - seat]);
            let mut delta = EvalDelta::default();
            if others == 0 && own < k {
                delta.value += PackedPair::new(
                    seat,
                    lookup(&VALUE_BY_LACKING, own + 1) - lookup(&VALUE_BY_LACKING, own),
                    0,
                );
                delta.order += PackedPair::new(
                    seat,
                    lookup(&ORDER_BY_LACKING, own + 1) - lookup(&ORDER_BY_LACKING, own),
                    0,
                );
                delta.threat_changes |= match k - own {
                    1 => threat_change::OWN_ONE_LEAVES,
                    2 => threat_change::OWN_TWO_LEAVES | threat_change::OWN_ONE_COMES,
                    3 => threat_change::OWN_TWO_COMES,
                    _ => 0,
                };
            }
            if own == 0 && others < k {
                delta.value -= PackedPair::new(seat, 0, lookup(&VALUE_BY_LACKING, others));
                delta.order -= PackedPair::new(seat, 0, lookup(&ORDER_BY_LACKING, others));
                delta.threat_changes |= match k - others {
                    1 => threat_change::OTHERS_ONE_LEAVES,
                    2 => threat_change::OTHERS_TWO_LEAVES,
                    _ => 0,
                };
            }
            if own == 0 {
                delta.live_windows -= PackedPair::new(seat, 0, 1);
            }
            delta
        };
        EvalTables {
            k: k as u16,
            deltas: [0, 1].map(|seat| {
                (0..(k + 1) * (k + 1))
                    .map(|state| delta(seat, state))
                    .collect()
            }),
            value: PackedPair::new(
                0,
                lookup(&VALUE_BY_LACKING, 0),
                lookup(&VALUE_BY_LACKING, 0),
            ),
            order: PackedPair::new(
                0,
                lookup(&ORDER_BY_LACKING, 0),
                lookup(&ORDER_BY_LACKING, 0),
            ),
        }
    }

    /// Returns the increase of the window state by a stone of this seat.
    pub(super) fn state_step(&self, seat: usize) -> u16 {
        if seat == 0 { self.k + 1 } else { 1 }
    }

    /// Returns the number of stones of a seat in a window with this state.
    pub(super) fn stones(&self, state: u16, seat: usize) -> usize {
        usize::from(if seat == 0 {
            state / (self.k + 1)
        } else {
            state % (self.k + 1)
        })
    }

    /// Returns the effects of a stone of this seat, by window state.
    #[inline]
    pub(super) fn deltas(&self, seat: usize) -> &[EvalDelta] {
        &self.deltas[seat]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tables(rules: &str) -> BoardTables {
        BoardTables::new(&Geometry::new(rules.parse().unwrap()))
    }

    #[test]
    fn windows_match_the_geometry() {
        for (rules, windows) in [
            ("7x6:4+gravity", 69),
            ("4x4:4", 10),
            ("15x15:5", 572),
            ("19x19:5", 1020),
            ("9:3", 7),
        ] {
            assert_eq!(tables(rules).window_count(), windows, "{rules}");
        }
        let line = tables("5:3");
        assert_eq!((line.window(1), line.flanks(1)), (&[1, 2, 3][..], [0, 4]));
        assert_eq!(
            (line.flanks(0), line.flanks(2)),
            ([NO_CELL, 3], [1, NO_CELL])
        );
        let runs = line.runs(2);
        assert_eq!(
            (runs.len(), runs[0].windows(), line.run_cells(runs[0])),
            (1, 0..3, &[0, 1, 2, 3, 4][..])
        );
        let runs = line.runs(4);
        assert_eq!(
            (runs.len(), runs[0].windows(), line.run_cells(runs[0])),
            (1, 2..3, &[2, 3, 4][..])
        );
    }

    #[test]
    fn cells_are_ordered_from_the_center_and_have_neighbours() {
        let board = tables("15x15:5");
        assert_eq!(board.cells_from_center[0], 7 * 15 + 7);
        let near = board.neighbourhood(7 * 15 + 7);
        assert_eq!(near.intersection(near, board.words).count(), 16);
        let near = board.neighbourhood(0);
        assert!(near.contains(2) && near.contains(32) && !near.contains(3));
        assert!(!tables("4x4x4:4").is_large() && !tables("15x15:5+misere").is_large());
    }

    #[test]
    fn gravity_opens_the_cell_above() {
        let board = tables("7x6:4+gravity");
        assert_eq!(
            (
                board.above(41),
                board.above(6),
                board.height(41),
                board.height(6)
            ),
            (Some(34), None, 0, 5)
        );
        assert_eq!(tables("7x6:4").above(41), None);
    }

    #[test]
    fn packed_numbers_are_independent() {
        let mut pair = PackedPair::default();
        let (mut x, mut o) = (0, 0);
        for (own, others) in [
            (5, -7),
            (-100_000, 3),
            (99_995, 4),
            (-1, -1),
            (0, 30_000_000),
        ] {
            pair += PackedPair::new(0, own, others);
            (x, o) = (x + own, o + others);
            assert_eq!((pair.get(0), pair.get(1)), (x, o));
            pair -= PackedPair::new(1, 2, -3);
            (x, o) = (x + 3, o - 2);
            assert_eq!((pair.get(0), pair.get(1)), (x, o));
        }
    }

    /// The sum of the effects depends only on the final state, not on the order of stones.
    #[test]
    fn deltas_add_up_to_the_value_of_the_state() {
        for k in 1..8 {
            let tables = EvalTables::new(k);
            for order in 0_u32..1 << k {
                let (mut state, mut value, mut live) = (0, tables.value, PackedPair::new(0, 1, 1));
                let mut stones = [0, 0];
                for ply in 0..k {
                    let seat = (order >> ply & 1) as usize;
                    let delta = tables.deltas(seat)[usize::from(state)];
                    (value, live, state) = (
                        value + delta.value,
                        live + delta.live_windows,
                        state + tables.state_step(seat),
                    );
                    stones[seat] += 1;
                    for seat in 0..2 {
                        assert_eq!(tables.stones(state, seat), stones[seat]);
                        let is_live = stones[1 - seat] == 0;
                        assert_eq!(live.get(seat), i32::from(is_live));
                        let lacking = (k - stones[seat]).min(VALUE_BY_LACKING.len() - 1);
                        assert_eq!(
                            value.get(seat),
                            if is_live {
                                VALUE_BY_LACKING[lacking]
                            } else {
                                0
                            }
                        );
                    }
                }
            }
        }
    }
}
