//! The geometry of a board: its directions, board lines, windows, columns and symmetries.
//!
//! A geometry depends on the rules alone, not on stones. All positions of the same rules share one.

use std::fmt;

mod cache;
mod direction;
#[cfg(test)]
mod tests;

pub use direction::Direction;

use crate::rng::split_mix64;
use crate::{Cell, RuleFlag, Rules};

const AXES: usize = Rules::MAX_DIMENSIONS;

/// The location of a cell on a board line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Incidence {
    /// The number of the board line, below [`Geometry::board_line_count`].
    pub board_line: u16,
    /// The index of the cell in the cells of the board line: 0 to 31.
    pub offset: u8,
}

/// Data of one cell that a move needs, adjacent in memory.
#[derive(Clone)]
pub(crate) struct CellInfo {
    /// The first incidences of the cell. A cell on fewer lines is padded with a dummy line after the last line of the
    /// board. The dummy does no harm: its single bit is never a run of two, and on a board with lines of one cell every
    /// move completes a line anyway.
    pub(crate) head: [Incidence; HEAD_LEN],
    /// The range of all incidences of the cell in `Geometry::incidences`.
    first: u16,
    count: u8,
    /// The cell that becomes playable when this cell is occupied, or [`NO_CELL`].
    above: u16,
    /// The lowest cell of the column: the cell with the greatest row.
    bottom: u16,
    /// The bit of the cell on a one-word board; see [`Geometry::word_landings`].
    pub(crate) word_bit: u64,
    /// Zobrist keys of a stone of X and of O.
    pub(crate) keys: [u64; 2],
}

impl CellInfo {
    /// Returns the cell that becomes playable when this cell is occupied.
    #[inline]
    pub(crate) fn above(&self) -> Option<Cell> {
        (self.above != NO_CELL).then(|| Cell::new(self.above))
    }

    /// Returns the lowest cell of the column: the cell with the greatest row.
    pub(crate) fn bottom(&self) -> Cell {
        Cell::new(self.bottom)
    }
}

/// Maximum number of cells of a board line: each has a bit in a word.
const MAX_BOARD_LINE_CELLS: usize = 32;

/// Returns whether the stones of a board fit into one word per seat, and runs of bits are runs of stones: two
/// dimensions, with a free bit after each row.
fn fits_one_word(rules: &Rules) -> bool {
    rules.dimensions() == 2
        && rules.width() < 8
        && rules.height() <= 8
        && rules.has_only(&[RuleFlag::Gravity, RuleFlag::Misere, RuleFlag::Exact])
}

/// Stands for the absence of a cell.
const NO_CELL: u16 = u16::MAX;

/// Number of board lines through a cell that a move visits without a check of their count. In two dimensions these are
/// all lines, so the loop is the same for every cell.
const HEAD_LEN: usize = 4;

/// The board lines, windows, columns and symmetries of a board.
///
/// A *board line* runs from edge to edge and has at least k cells, where k is the line length of the rules. A *window*
/// is k consecutive cells of a board line. Board lines are numbered by direction, then by first cell.
///
/// On a torus most lines wrap around and have no ends: any k consecutive cells of such a line are a window. Its board
/// lines are parts of the endless line, which repeat their first cells at the end where necessary, so that each window
/// is in exactly one board line, once.
///
/// ```
/// use noughts_protocol::Geometry;
/// let connect4 = Geometry::new("connect4".parse().unwrap());
/// assert_eq!(connect4.window_count(), 69);
/// assert_eq!(connect4.symmetries().len(), 2);
/// ```
#[derive(Clone)]
pub struct Geometry {
    rules: Rules,
    directions: Vec<Direction>,
    /// The cells of all board lines, line by line.
    board_line_cells: Vec<Cell>,
    /// Where each board line begins in `board_line_cells`, and the end of the last.
    board_line_starts: Vec<u16>,
    /// By board line, its direction.
    board_line_directions: Vec<Direction>,
    cell_infos: Vec<CellInfo>,
    incidences: Vec<Incidence>,
    /// The landing cells of the empty board, and the same cells as one word if the board is small.
    landings: Vec<u64>,
    word_landings: Option<u64>,
}

impl Geometry {
    /// Maximum number of symmetries of a torus that include translations.
    pub const MAX_SYMMETRIES: usize = 8192;

    /// Computes the geometry: in microseconds for a small board, in one or two milliseconds for a large board of four
    /// dimensions. [`Geometry::cached`] reuses an existing geometry.
    pub fn new(rules: Rules) -> Geometry {
        let mut geometry = Geometry {
            rules,
            directions: Direction::all(rules.dimensions()),
            board_line_cells: Vec::new(),
            board_line_starts: vec![0],
            board_line_directions: Vec::new(),
            cell_infos: Vec::with_capacity(rules.cells()),
            incidences: Vec::new(),
            landings: vec![0; rules.cells().div_ceil(64)],
            word_landings: fits_one_word(&rules).then_some(0),
        };
        geometry.add_board_lines();
        geometry.add_cell_infos();
        geometry
    }

    fn add_board_lines(&mut self) {
        let cells = (0..self.rules.cells() as u16).map(Cell::new);
        for direction in self.line_directions().collect::<Vec<_>>() {
            let mut seen = vec![false; self.rules.cells()];
            for first in cells.clone() {
                if self.neighbour(first, direction, -1).is_none() {
                    let line: Vec<Cell> = self.cells_from(first, direction).collect();
                    self.add_board_line(&line, direction);
                } else if self.is_closed(direction) && !seen[first.index()] {
                    let mut line = vec![first];
                    line.extend(
                        self.cells_from(first, direction)
                            .skip(1)
                            .take_while(|&cell| cell != first),
                    );
                    line.iter().for_each(|cell| seen[cell.index()] = true);
                    self.add_closed_line(line, direction);
                }
            }
        }
    }

    /// Adds a line without ends as board lines that contain each of its windows once.
    fn add_closed_line(&mut self, mut line: Vec<Cell>, direction: Direction) {
        let overlap = usize::from(self.rules.line()) - 1;
        // A line of k cells is one window, wherever it begins.
        if line.len() > overlap + 1 {
            line.extend_from_within(..overlap);
        }
        for from in (0..line.len() - overlap).step_by(MAX_BOARD_LINE_CELLS - overlap) {
            let to = line.len().min(from + MAX_BOARD_LINE_CELLS);
            self.add_board_line(&line[from..to], direction);
        }
    }

    /// Adds a board line unless it is too short.
    fn add_board_line(&mut self, line: &[Cell], direction: Direction) {
        if line.len() >= usize::from(self.rules.line()) {
            self.board_line_cells.extend(line);
            // A board has at most 1024 cells in each of 40 directions, so all indices fit into 16 bits.
            self.board_line_starts
                .push(self.board_line_cells.len() as u16);
            self.board_line_directions.push(direction);
        }
    }

    fn add_cell_infos(&mut self) {
        let mut incidences_by_cell: Vec<Vec<Incidence>> = vec![Vec::new(); self.rules.cells()];
        for line in 0..self.board_line_count() {
            for (offset, cell) in self.board_line(line).iter().enumerate() {
                incidences_by_cell[cell.index()].push(Incidence {
                    board_line: line as u16,
                    offset: offset as u8,
                });
            }
        }
        let filler = Incidence {
            board_line: self.board_line_count() as u16,
            offset: 0,
        };
        let (width, height) = (
            u16::from(self.rules.width()),
            u16::from(self.rules.height()),
        );
        for (index, incidences) in (0..).zip(incidences_by_cell) {
            let mut head = [filler; HEAD_LEN];
            head.iter_mut()
                .zip(&incidences)
                .for_each(|(slot, &incidence)| *slot = incidence);
            let (column, row) = (index % width, index / width % height);
            let (bottom, bit) = (
                index + width * (height - 1 - row),
                1_u64.wrapping_shl(u32::from(8 * row + column)),
            );
            if !self.rules.gravity() || bottom == index {
                self.landings[usize::from(index) / 64] |= 1 << (index % 64);
                self.word_landings = self.word_landings.map(|square| square | bit);
            }
            self.cell_infos.push(CellInfo {
                head,
                first: self.incidences.len() as u16,
                count: incidences.len() as u8,
                above: if self.rules.gravity() && row > 0 {
                    index - width
                } else {
                    NO_CELL
                },
                bottom,
                word_bit: self.word_landings.map_or(0, |_| bit),
                keys: [0, 1].map(|seat| split_mix64(2 * u64::from(index) + seat)),
            });
            self.incidences.extend(incidences);
        }
    }

    /// Returns the rules of the board.
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// Returns every direction of the board that leads to greater indices, which is one of each opposite pair. The
    /// directions are sorted by the number of axes, then by the axes, then +1 before -1: in two dimensions row (1, 0),
    /// column (0, 1), main diagonal (1, 1), other diagonal (-1, 1).
    pub fn directions(&self) -> &[Direction] {
        &self.directions
    }

    /// Returns the directions that have room for a line.
    pub fn line_directions(&self) -> impl Iterator<Item = Direction> + '_ {
        let (k, sides) = (self.rules.line(), self.rules.padded_sides());
        let has_room = move |direction: &Direction| {
            let mut steps = direction.padded_steps().into_iter().zip(sides);
            steps.all(|(step, side)| step == 0 || side >= k)
        };
        // A line of one cell has no direction, so only rows are taken: one line per cell.
        let count = if k == 1 { 1 } else { self.directions.len() };
        let directions = self.directions.iter().copied();
        directions
            .take(count)
            .filter(move |direction| has_room(direction) && self.is_first_of_equals(*direction))
    }

    /// Returns whether the direction is the first of all directions with the same lines. If a side of two cells wraps
    /// around, both steps along it lead to the same cell, so that two directions have the same lines.
    fn is_first_of_equals(&self, direction: Direction) -> bool {
        let sides = self.rules.padded_sides();
        let mut last = 1;
        for (axis, step) in direction.padded_steps().into_iter().enumerate() {
            if self.rules.wraps(axis) && sides[axis] == 2 {
                if step < 0 {
                    return false;
                }
            } else if step != 0 {
                last = step;
            }
        }
        last > 0
    }

    /// Returns whether the lines in a direction have no ends.
    fn is_closed(&self, direction: Direction) -> bool {
        let mut steps = direction.padded_steps().into_iter().enumerate();
        steps.all(|(axis, step)| step == 0 || self.rules.wraps(axis))
    }

    /// Returns the next cell in a direction, or the previous cell for `sign` -1. Returns `None` beyond the edge of the
    /// board.
    ///
    /// # Panics
    /// When the cell is off the board.
    pub fn neighbour(&self, cell: Cell, direction: Direction, sign: i8) -> Option<Cell> {
        let (mut at, sides) = (self.coordinates(cell), self.rules.padded_sides());
        for (axis, step) in direction.padded_steps().into_iter().enumerate() {
            let along = i16::from(at[axis]) + i16::from(step * sign);
            let side = i16::from(sides[axis]);
            let wrapped = along.rem_euclid(side);
            if wrapped != along && !self.rules.wraps(axis) {
                return None;
            }
            at[axis] = wrapped as u8;
        }
        self.cell_at(&at[..self.rules.dimensions()])
    }

    /// Returns a cell and the cells beyond it in a direction, up to the edge of the board. The iterator is endless on a
    /// line that wraps around.
    pub(crate) fn cells_from(
        &self,
        first: Cell,
        direction: Direction,
    ) -> impl Iterator<Item = Cell> + '_ {
        std::iter::successors(Some(first), move |&cell| self.neighbour(cell, direction, 1))
    }

    /// Returns the first cell and the length of the run through a cell: the consecutive cells before and after it that
    /// `is_own` accepts. A run that fills a whole line without ends begins at the cell with the least index.
    pub(crate) fn run_through(
        &self,
        cell: Cell,
        direction: Direction,
        is_own: impl Fn(Cell) -> bool,
    ) -> (Cell, usize) {
        let step = |from: Cell, sign| {
            let next = self.neighbour(from, direction, sign);
            next.filter(|&next| is_own(next))
        };
        let (mut first, mut last, mut length) = (cell, cell, 1);
        while let Some(before) = step(first, -1) {
            if before == cell {
                let line = self.cells_from(cell, direction).take(length);
                return (line.min().unwrap_or(cell), length);
            }
            (first, length) = (before, length + 1);
        }
        while let Some(next) = step(last, 1) {
            (last, length) = (next, length + 1);
        }
        (first, length)
    }

    /// Returns the number of board lines.
    pub fn board_line_count(&self) -> usize {
        self.board_line_directions.len()
    }

    /// Returns the cells of a board line, in order along its direction: k to 32 of them.
    ///
    /// # Panics
    /// When `line` is not below [`Geometry::board_line_count`].
    pub fn board_line(&self, line: usize) -> &[Cell] {
        &self.board_line_cells[usize::from(self.board_line_starts[line])
            ..usize::from(self.board_line_starts[line + 1])]
    }

    /// Returns the direction of a board line.
    ///
    /// # Panics
    /// When `line` is not below [`Geometry::board_line_count`].
    pub fn board_line_direction(&self, line: usize) -> Direction {
        self.board_line_directions[line]
    }

    /// Returns the board lines through a cell in the order of directions; at most one per direction unless the board is
    /// a torus.
    ///
    /// # Panics
    /// When the cell is off the board.
    pub fn board_lines_through(&self, cell: Cell) -> &[Incidence] {
        let info = &self.cell_infos[cell.index()];
        &self.incidences[usize::from(info.first)..][..usize::from(info.count)]
    }

    /// Returns the coordinates of a cell, counted from 0: x, y, z, w, and 0 beyond the dimensions of the board.
    ///
    /// # Panics
    /// When the cell is off the board; see [`Rules::coordinates`] for a version that returns `None`.
    pub fn coordinates(&self, cell: Cell) -> [u8; AXES] {
        self.rules
            .coordinates(cell)
            .expect("the cell is on the board")
    }

    /// Returns the cell at these coordinates, counted from 0. `None` off the board.
    pub fn cell_at(&self, at: &[u8]) -> Option<Cell> {
        self.rules.cell_at(at)
    }

    /// Returns every window: k consecutive cells that a player must fill to complete a line.
    pub fn windows(&self) -> impl Iterator<Item = &[Cell]> + '_ {
        let k = usize::from(self.rules.line());
        (0..self.board_line_count()).flat_map(move |line| self.board_line(line).windows(k))
    }

    /// Returns the number of windows.
    pub fn window_count(&self) -> usize {
        let k = usize::from(self.rules.line());
        (0..self.board_line_count())
            .map(|line| self.board_line(line).len() + 1 - k)
            .sum()
    }

    /// Returns whether a window contains both of these different cells.
    ///
    /// # Panics
    /// When a cell is off the board.
    pub fn shares_window(&self, one: Cell, other: Cell) -> bool {
        let others = self.board_lines_through(other);
        self.board_lines_through(one).iter().any(|incidence| {
            others.iter().any(|other| {
                let distance = incidence.offset.abs_diff(other.offset);
                incidence.board_line == other.board_line
                    && (1..self.rules.line()).contains(&distance)
            })
        })
    }

    /// Returns the greatest number of steps between two cells along one axis.
    ///
    /// # Panics
    /// When a cell is off the board.
    pub fn distance(&self, one: Cell, other: Cell) -> u8 {
        let (one, other) = (self.coordinates(one), self.coordinates(other));
        let along = |axis: usize| {
            let distance = one[axis].abs_diff(other[axis]);
            if self.rules.wraps(axis) {
                distance.min(self.rules.sides()[axis] - distance)
            } else {
                distance
            }
        };
        (0..self.rules.dimensions()).map(along).max().unwrap_or(0)
    }

    /// Returns the cells with the same x, z and w as this one, from the greatest row upwards, as gravity fills them. On
    /// a board of one dimension, the cell alone.
    ///
    /// # Panics
    /// When the cell is off the board.
    pub fn column(&self, cell: Cell) -> impl DoubleEndedIterator<Item = Cell> + use<> {
        let (width, row) = (
            u16::from(self.rules.width()),
            u16::from(self.coordinates(cell)[1]),
        );
        let top = cell.index() as u16 - width * row;
        (0..u16::from(self.rules.height()))
            .rev()
            .map(move |row| Cell::new(top + width * row))
    }

    /// Returns every symmetry of the game: `symmetry[cell]` is the image of the cell. The first symmetry is the
    /// identity. Gravity fixes y.
    ///
    /// Symmetries are permutations and reflections of axes: 8 for a square, 4 for a rectangle, 48 for a cube, 384 for a
    /// cube of four dimensions, 2 for a two-dimensional board with gravity. Each is listed once. On a torus their
    /// products with the translations follow, unless there are more than [`Geometry::MAX_SYMMETRIES`].
    pub fn symmetries(&self) -> Vec<Vec<Cell>> {
        let sides = self.rules.padded_sides();
        // Axes with only one cell stay in place, because reflecting or exchanging them would repeat a symmetry.
        let free = |axis: usize| sides[axis] > 1 && !(self.rules.gravity() && axis == 1);
        let mut symmetries = Vec::new();
        for to in axis_permutations() {
            if (0..AXES)
                .any(|axis| to[axis] != axis && !(free(axis) && sides[axis] == sides[to[axis]]))
            {
                continue;
            }
            for flips in 0..1_u8 << AXES {
                let flipped = |axis: usize| flips >> axis & 1 == 1;
                if (0..AXES).any(|axis| flipped(axis) && !free(axis)) {
                    continue;
                }
                let image = |index: usize| {
                    let at = self.coordinates(Cell::new(index as u16));
                    let mut moved = [0; AXES];
                    for axis in 0..AXES {
                        moved[to[axis]] = if flipped(axis) {
                            sides[axis] - 1 - at[axis]
                        } else {
                            at[axis]
                        };
                    }
                    self.cell_at(&moved[..self.rules.dimensions()])
                        .expect("sides are exchanged with equals")
                };
                symmetries.push((0..self.rules.cells()).map(image).collect());
            }
        }
        self.add_translations(&mut symmetries);
        symmetries
    }

    /// Adds the products of symmetries with the translations of a torus.
    fn add_translations(&self, symmetries: &mut Vec<Vec<Cell>>) {
        let sides = self.rules.padded_sides();
        let fixed = std::mem::take(symmetries);
        let is_translation = |by: &Cell| {
            let by = self.coordinates(*by);
            // Along a side of two cells, a translation is a reflection.
            (0..AXES).all(|axis| by[axis] == 0 || (self.rules.wraps(axis) && sides[axis] > 2))
        };
        let all = (0..self.rules.cells() as u16).map(Cell::new);
        let mut translations: Vec<Cell> = all.filter(is_translation).collect();
        if translations.len() * fixed.len() > Self::MAX_SYMMETRIES {
            translations.truncate(1);
        }
        for by in translations {
            let by = self.coordinates(by);
            let image = |cell: &Cell| {
                let mut at = self.coordinates(*cell);
                for axis in 0..AXES {
                    at[axis] = (at[axis] + by[axis]) % sides[axis];
                }
                self.cell_at(&at[..self.rules.dimensions()])
                    .expect("a translation keeps the board")
            };
            let moved = |symmetry: &Vec<Cell>| symmetry.iter().map(image).collect();
            symmetries.extend(fixed.iter().map(moved).collect::<Vec<_>>());
        }
    }

    /// Returns the landing cells of the empty board as one word of eight rows of eight bits, if the board fits. The
    /// last bit of a row is never set, so that no run wraps around an edge.
    pub(crate) fn word_landings(&self) -> Option<u64> {
        self.word_landings
    }

    /// Returns the cell of a bit in the word of [`Geometry::word_landings`].
    pub(crate) fn word_cell(&self, bit: u32) -> Cell {
        Cell::new((bit / 8) as u16 * u16::from(self.rules.width()) + (bit % 8) as u16)
    }

    /// Returns the landing cells of the empty board, with one bit per cell.
    pub(crate) fn landings(&self) -> &[u64] {
        &self.landings
    }

    /// Returns the number of landing cells of the empty board.
    pub(crate) fn landing_count(&self) -> u16 {
        let cells = self.rules.cells() as u16;
        if self.rules.gravity() {
            cells / u16::from(self.rules.height())
        } else {
            cells
        }
    }

    /// Returns the data of all cells for moves.
    pub(crate) fn cell_infos(&self) -> &[CellInfo] {
        &self.cell_infos
    }

    /// Returns the data of a cell for moves, and the board lines through it beyond the head.
    #[inline]
    pub(crate) fn cell_info(&self, cell: Cell) -> (&CellInfo, &[Incidence]) {
        let info = &self.cell_infos[cell.index()];
        let tail = match usize::from(info.count) {
            count if count > HEAD_LEN => {
                &self.incidences[usize::from(info.first)..][HEAD_LEN..count]
            }
            _ => &[],
        };
        (info, tail)
    }
}

impl fmt::Debug for Geometry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The tables are omitted, because they follow from the rules and would fill pages.
        write!(f, "Geometry({})", self.rules)
    }
}

/// Returns the permutations of the axes, in lexicographic order: the identity is the first.
fn axis_permutations() -> impl Iterator<Item = [usize; AXES]> {
    (0..AXES.pow(AXES as u32))
        .map(|number| [number / 64, number / 16 % 4, number / 4 % 4, number % 4])
        .filter(|to| (0..AXES).all(|axis| to.contains(&axis)))
}
