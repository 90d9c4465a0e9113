//! A state of the board, and the only place where a move is judged by the rules of the game.
//!
//! One word of stones per maximal line and seat: a move sets its bit in each line through the cell
//! and tests that word for a run. The same few instructions serve every board of the family, and
//! neither `play` nor `undo` allocates, so that a search can stand on them.

use std::fmt;
use std::sync::Arc;

mod move_error;

pub use move_error::MoveError;

use crate::geometry::{Incidence, NO_CELL};
use crate::{Cell, Geometry, Line, LineName, Outcome, Rules, Seat};

/// Words of a set of cells.
const WORDS: usize = Rules::MAX_CELLS / 64;

/// A state of the board, with the moves that led to it.
///
/// Two positions are equal when their rules and stones are; the moves may have come in another order.
///
/// ```
/// use noughts_protocol::{Position, Seat, Status};
/// let rules = "3x3:3".parse().unwrap();
/// let mut position = Position::new(rules);
/// for text in ["b2", "a1", "c1", "b1"] {
///     assert_eq!(position.play(rules.parse_cell(text).unwrap()), Ok(Status::Ongoing));
/// }
/// assert_eq!(position.play(rules.parse_cell("a3").unwrap()), Ok(Status::Won(Seat::X)));
/// assert_eq!(position.outcome().unwrap().to_string(), "X line");
/// position.undo();
/// assert_eq!(position.turn(), Seat::X);
/// ```
#[derive(Clone)]
pub struct Position {
    geometry: Arc<Geometry>,
    /// The stones on each maximal line, a bit for each cell along it, by seat. One more line takes the
    /// bits of cells with few lines; see `Geometry::place`.
    lines: Box<[[u32; 2]]>,
    /// Whose stone lies on each cell.
    stones: Box<[Option<Seat>]>,
    /// The moves so far, then room for the rest: a full board never grows it.
    moves: Box<[Cell]>,
    ply: u16,
    /// The landing cells, a bit each, whether or not the game is over.
    open: [u64; WORDS],
    open_count: u16,
    status: Status,
    key: u64,
}

/// Whether a game is over on the board, and who won.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Status {
    /// There are moves to play.
    Ongoing,
    /// A line was completed, and this seat won by it.
    Won(Seat),
    /// The board is full without a line.
    Drawn,
}

impl Position {
    /// The empty board of these rules.
    pub fn new(rules: Rules) -> Position {
        Position::with_geometry(Arc::new(Geometry::new(rules)))
    }

    /// The empty board of a geometry that is computed already.
    pub fn with_geometry(geometry: Arc<Geometry>) -> Position {
        let cells = geometry.rules().cells();
        let mut position = Position {
            lines: vec![[0; 2]; geometry.line_count() + 1].into(),
            stones: vec![None; cells].into(),
            moves: vec![Cell::new(0); cells].into(),
            ply: 0,
            open: [0; WORDS],
            open_count: 0,
            status: Status::Ongoing,
            key: 0,
            geometry,
        };
        let rules = *position.rules();
        for cell in (0..cells as u16).map(Cell::new) {
            let bottom = position.geometry.coordinates(cell)[1] + 1 == rules.height();
            if !rules.gravity() || bottom {
                position.open[cell.index() / 64] |= 1 << (cell.index() % 64);
                position.open_count += 1;
            }
        }
        position
    }

    /// The rules played by.
    pub fn rules(&self) -> &Rules {
        self.geometry.rules()
    }

    /// The shape of the board.
    pub fn geometry(&self) -> &Geometry {
        &self.geometry
    }

    /// The shape of the board, to be shared by another position of the same rules.
    pub fn shared_geometry(&self) -> Arc<Geometry> {
        Arc::clone(&self.geometry)
    }

    /// The seat to move; when the game is over, the one that would be.
    pub fn turn(&self) -> Seat {
        Seat::to_move(self.ply())
    }

    /// How many moves have been played.
    pub fn ply(&self) -> usize {
        usize::from(self.ply)
    }

    /// The moves played, as the cells where the stones lie, in order. X played the first.
    pub fn moves(&self) -> &[Cell] {
        &self.moves[..self.ply()]
    }

    /// Whose stone lies on a cell. `None` when it is free, or off the board.
    pub fn at(&self, cell: Cell) -> Option<Seat> {
        self.stones.get(cell.index()).copied().flatten()
    }

    /// Where a stone played at `cell` comes to lie: under gravity any cell of a column names the
    /// column, and the stone falls to its lowest free cell; otherwise the cell itself.
    ///
    /// # Errors
    /// When the move is not possible.
    pub fn landing(&self, cell: Cell) -> Result<Cell, MoveError> {
        if self.status != Status::Ongoing {
            return Err(MoveError::GameOver);
        }
        if cell.index() >= self.stones.len() {
            return Err(MoveError::OffBoard);
        }
        if self.rules().gravity() {
            let mut lowest = self.geometry.place(cell).0.bottom;
            while self.stones[usize::from(lowest)].is_some() {
                lowest = self.geometry.place(Cell::new(lowest)).0.above;
                if lowest == NO_CELL {
                    return Err(MoveError::ColumnFull);
                }
            }
            return Ok(Cell::new(lowest));
        }
        if self.at(cell).is_some() { Err(MoveError::Taken) } else { Ok(cell) }
    }

    /// Plays a stone of the seat to move at `landing(cell)`, and says whether that ended the game.
    ///
    /// # Errors
    /// When the move is not possible; the position is then as it was.
    pub fn play(&mut self, cell: Cell) -> Result<Status, MoveError> {
        let cell = if self.is_legal(cell) { cell } else { self.landing(cell)? };
        // The common lengths get code of their own, where the shifts of the test are constants.
        let rules = self.rules();
        Ok(match (rules.line(), rules.exact()) {
            (3, false) => self.place::<3, false>(cell),
            (4, false) => self.place::<4, false>(cell),
            (5, false) => self.place::<5, false>(cell),
            (_, false) => self.place::<0, false>(cell),
            (_, true) => self.place::<0, true>(cell),
        })
    }

    /// What playing at `landing(cell)` would make of the game, without playing.
    ///
    /// # Errors
    /// When the move is not possible.
    ///
    /// ```
    /// # use noughts_protocol::{Cell, Position, Seat, Status};
    /// let mut position = Position::new("3x1:2".parse().unwrap());
    /// position.play(Cell::new(0)).unwrap();
    /// position.play(Cell::new(2)).unwrap();
    /// assert_eq!(position.judge(Cell::new(1)), Ok(Status::Won(Seat::X)));
    /// assert_eq!(position.status(), Status::Ongoing);
    /// ```
    pub fn judge(&self, cell: Cell) -> Result<Status, MoveError> {
        let cell = self.landing(cell)?;
        let (seat, rules) = (self.turn(), self.rules());
        let completes = self.geometry.through(cell).iter().any(|through| {
            let word = self.lines[usize::from(through.line)][seat.index()] | 1 << through.offset;
            runs(word, rules.line(), rules.exact()) != 0
        });
        Ok(if completes {
            Status::Won(if rules.misere() { seat.other() } else { seat })
        } else if self.ply() + 1 == rules.cells() {
            Status::Drawn
        } else {
            Status::Ongoing
        })
    }

    /// Takes the last move back and says where it was. `None` on the empty board.
    pub fn undo(&mut self) -> Option<Cell> {
        self.ply = self.ply.checked_sub(1)?;
        let (cell, seat) = (self.moves[self.ply()], self.turn());
        self.stones[cell.index()] = None;
        let (place, tail) = self.geometry.place(cell);
        self.key ^= place.keys[seat.index()];
        flip(&mut self.open, cell.index());
        if place.above == NO_CELL {
            self.open_count += 1;
        } else {
            flip(&mut self.open, usize::from(place.above));
        }
        unmark(&mut self.lines, seat, &place.head);
        unmark(&mut self.lines, seat, tail);
        // Nothing is played after the end: before its last move every game went on.
        self.status = Status::Ongoing;
        Some(cell)
    }

    /// The landing cells in increasing order. None when the game is over.
    pub fn legal_moves(&self) -> impl Iterator<Item = Cell> + '_ {
        let mut from = 0;
        std::iter::from_fn(move || {
            let cell = self.legal_from(from)?;
            from = cell.index() + 1;
            Some(cell)
        })
    }

    /// The first landing cell at or after an index: walks the moves while playing and undoing them.
    ///
    /// ```
    /// # use noughts_protocol::Position;
    /// # let mut position = Position::new("3x3:3".parse().unwrap());
    /// let mut from = 0;
    /// while let Some(cell) = position.legal_from(from) {
    ///     position.play(cell).unwrap();
    ///     position.undo();
    ///     from = cell.index() + 1;
    /// }
    /// assert_eq!(from, 9);
    /// ```
    pub fn legal_from(&self, index: usize) -> Option<Cell> {
        if self.status != Status::Ongoing {
            return None;
        }
        // A small board has few words to look through.
        let open = &self.open[..self.stones.len().div_ceil(64).min(WORDS)];
        let mut word = index / 64;
        let mut bits = open.get(word)? & (!0 << (index % 64));
        while bits == 0 {
            word += 1;
            bits = *open.get(word)?;
        }
        Some(Cell::new((64 * word) as u16 + bits.trailing_zeros() as u16))
    }

    /// How many landing cells there are, without a walk. Zero when the game is over.
    pub fn legal_count(&self) -> usize {
        if self.status == Status::Ongoing { usize::from(self.open_count) } else { 0 }
    }

    /// Whether a stone may be played to lie on this very cell.
    pub fn is_legal(&self, cell: Cell) -> bool {
        let word = self.open.get(cell.index() / 64).copied().unwrap_or(0);
        word >> (cell.index() % 64) & 1 == 1 && self.status == Status::Ongoing
    }

    /// Whether the game is over on the board, and who won.
    pub fn status(&self) -> Status {
        self.status
    }

    /// How the game ended on the board; `None` while it goes on. Finds the line each time.
    pub fn outcome(&self) -> Option<Outcome> {
        match self.status {
            Status::Ongoing => None,
            Status::Drawn => Some(Outcome::Full),
            Status::Won(winner) => Some(Outcome::Line { winner, line: self.last_line()? }),
        }
    }

    /// A key of the stones and the seat to move, kept up to date move by move (Zobrist 1970). Equal
    /// stones have equal keys on every machine; different stones almost never do. The seat to move
    /// follows from the number of stones.
    pub fn key(&self) -> u64 {
        self.key
    }

    /// Puts a stone on a landing cell and returns the new status. `K` is the rules' line, or 0 for any;
    /// `EXACT` is the rules' flag.
    fn place<const K: u8, const EXACT: bool>(&mut self, cell: Cell) -> Status {
        let (seat, rules) = (self.turn(), *self.geometry.rules());
        let k = if K == 0 { rules.line() } else { K };
        self.moves[self.ply()] = cell;
        self.ply += 1;
        self.stones[cell.index()] = Some(seat);
        let (place, tail) = self.geometry.place(cell);
        self.key ^= place.keys[seat.index()];
        flip(&mut self.open, cell.index());
        if place.above == NO_CELL {
            self.open_count -= 1;
        } else {
            flip(&mut self.open, usize::from(place.above));
        }
        let mut completed = mark(&mut self.lines, seat, &place.head, k, EXACT);
        completed |= mark(&mut self.lines, seat, tail, k, EXACT);
        self.status = if completed != 0 {
            Status::Won(if rules.misere() { seat.other() } else { seat })
        } else if self.open_count == 0 {
            Status::Drawn
        } else {
            Status::Ongoing
        };
        self.status
    }

    /// The line that the last move completed, the first in the order of directions.
    fn last_line(&self) -> Option<Line> {
        let last = *self.moves().last()?;
        let (seat, rules) = (self.turn().other(), self.rules());
        let through = self.geometry.through(last).iter().find(|through| {
            runs(self.lines[usize::from(through.line)][seat.index()], rules.line(), rules.exact()) != 0
        })?;
        let cells = self.geometry.line(usize::from(through.line));
        let word = self.lines[usize::from(through.line)][seat.index()];
        // The run through the last stone: the ones on either side of it.
        let after = (word >> through.offset).trailing_ones() as usize;
        let before = (word << (31 - through.offset)).leading_ones() as usize;
        let place = usize::from(through.offset);
        let cells = cells[place + 1 - before..place + after].to_vec();
        let direction = self.geometry.line_direction(usize::from(through.line));
        Some(Line { first: cells[0], direction, cells, name: LineName::of(direction) })
    }
}

/// Puts a stone on lines, and says where runs begin on any of them. Inlined, so that the lines of
/// `head` are a known number.
#[inline(always)]
fn mark(lines: &mut [[u32; 2]], seat: Seat, through: &[Incidence], k: u8, exact: bool) -> u32 {
    let mut completed = 0;
    for through in through {
        let word = &mut lines[usize::from(through.line)][seat.index()];
        *word |= 1 << through.offset;
        completed |= runs(*word, k, exact);
    }
    completed
}

/// Takes a stone off lines.
#[inline(always)]
fn unmark(lines: &mut [[u32; 2]], seat: Seat, through: &[Incidence]) {
    for through in through {
        lines[usize::from(through.line)][seat.index()] &= !(1 << through.offset);
    }
}

/// Takes a cell into a set, or out of it.
#[inline]
fn flip(set: &mut [u64; WORDS], cell: usize) {
    // The remainder changes nothing, since no board has more cells; it spares a check.
    set[cell / 64 % WORDS] ^= 1 << (cell % 64);
}

/// A bit for each place where a run of `k` ones begins; with `exact`, of no more than `k`.
#[inline]
fn runs(word: u32, k: u8, exact: bool) -> u32 {
    // After each step a bit says that `length` ones begin there; the last step overlaps.
    let mut starts = word;
    let mut length = 1;
    while length < k {
        let step = length.min(k - length);
        starts &= starts >> step;
        length += step;
    }
    // A longer run has several starts side by side, and other runs begin further off.
    if exact { starts & !(starts >> 1) & !(starts << 1) } else { starts }
}

impl PartialEq for Position {
    fn eq(&self, other: &Position) -> bool {
        // The stones imply whose turn it is.
        self.rules() == other.rules() && self.stones == other.stones
    }
}

impl Eq for Position {}

impl fmt::Debug for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let moves: Vec<String> = self.moves().iter().map(|&cell| self.rules().cell_text(cell)).collect();
        write!(f, "Position({}; {}; {:?})", self.rules(), moves.join(" "), self.status)
    }
}
