//! States of the board. This module alone applies the rules to moves.
//!
//! Stones are bits, so a few shifts find a run. A small board is one word (`word_bitboard`); any other board has a word
//! for each maximal line (`line_bitboard`). Neither [`Position::play`] nor [`Position::undo`] allocates, so that
//! searches can use them.

use std::fmt;
use std::sync::Arc;

mod bits;
mod line_bitboard;
mod move_error;
mod outcome;
pub mod perft;
pub mod playout;
mod word_bitboard;

pub use move_error::MoveError;

use bits::nth_bit;
use line_bitboard::LineBitboard;
use word_bitboard::{WordBitboard, WordRules};

use crate::{Cell, Geometry, Rules, Seat};

/// A state of the board, with the moves that led to it.
///
/// Two positions are equal when their rules and stones are equal; the order of moves does not matter.
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
    stones: Stones,
    /// The moves so far, followed by unused space up to the moves of a full board.
    moves: Box<[Cell]>,
    ply: u16,
    /// Number of landing cells.
    landing_count: u16,
    status: Status,
    key: u64,
}

/// The stones by seat and the landing cells, even after the end of the game.
#[derive(Clone, PartialEq, Eq)]
enum Stones {
    Word(WordBitboard),
    Lines(LineBitboard),
}

/// Whether the game is over on the board, and its winner.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Status {
    /// The game continues.
    Ongoing,
    /// A line is complete, and this seat won.
    Won(Seat),
    /// The board is full without a line.
    Drawn,
}

impl Position {
    /// Returns the empty board. All positions of the same rules share one geometry.
    pub fn new(rules: Rules) -> Position {
        Position::with_geometry(Geometry::cached(rules))
    }

    /// Returns the empty board with an existing geometry.
    pub fn with_geometry(geometry: Arc<Geometry>) -> Position {
        let cells = geometry.rules().cells();
        Position {
            stones: match geometry.word_landings() {
                Some(open) => Stones::Word(WordBitboard::new(open)),
                None => Stones::Lines(LineBitboard::new(&geometry)),
            },
            moves: vec![Cell::new(0); cells].into(),
            ply: 0,
            landing_count: geometry.landing_count(),
            status: Status::Ongoing,
            key: 0,
            geometry,
        }
    }

    /// Returns the rules of the game.
    pub fn rules(&self) -> &Rules {
        self.geometry.rules()
    }

    /// Returns the geometry of the board.
    pub fn geometry(&self) -> &Geometry {
        &self.geometry
    }

    /// Returns the geometry, to share with another position of the same rules.
    pub fn shared_geometry(&self) -> Arc<Geometry> {
        Arc::clone(&self.geometry)
    }

    /// Returns the seat to move; after the end of the game, the seat that would be next.
    pub fn turn(&self) -> Seat {
        Seat::to_move(self.ply())
    }

    /// Returns the number of moves played.
    pub fn ply(&self) -> usize {
        usize::from(self.ply)
    }

    /// Returns the cells of the stones in the order of play. X played the first.
    pub fn moves(&self) -> &[Cell] {
        &self.moves[..self.ply()]
    }

    /// Returns the owner of the stone on a cell. `None` for a free cell and off the board.
    pub fn stone_at(&self, cell: Cell) -> Option<Seat> {
        let info = self.geometry.cell_infos().get(cell.index())?;
        match &self.stones {
            Stones::Word(word) => word.stone_at(info.word_bit),
            Stones::Lines(lines) => lines.stone_at(cell),
        }
    }

    /// Returns the cell where a stone played at `cell` lands. Under gravity any cell stands for its column, and the
    /// stone falls to the lowest free cell; otherwise the stone stays at `cell`.
    ///
    /// # Errors
    /// The reason why the move is impossible.
    pub fn landing_cell(&self, cell: Cell) -> Result<Cell, MoveError> {
        if self.status != Status::Ongoing {
            return Err(MoveError::GameOver);
        }
        if cell.index() >= self.moves.len() {
            return Err(MoveError::OffBoard);
        }
        if self.rules().gravity() {
            let mut lowest = self.geometry.cell_info(cell).0.bottom();
            while self.stone_at(lowest).is_some() {
                lowest = self
                    .geometry
                    .cell_info(lowest)
                    .0
                    .above()
                    .ok_or(MoveError::ColumnFull)?;
            }
            return Ok(lowest);
        }
        if self.stone_at(cell).is_some() {
            Err(MoveError::Taken)
        } else {
            Ok(cell)
        }
    }

    /// Plays a stone of the seat to move at `landing_cell(cell)`, and returns the new status.
    ///
    /// # Errors
    /// The reason why the move is impossible; the position is unchanged.
    pub fn play(&mut self, cell: Cell) -> Result<Status, MoveError> {
        let cell = if self.is_legal(cell) {
            cell
        } else {
            self.landing_cell(cell)?
        };
        let seat = self.turn();
        self.moves[self.ply()] = cell;
        self.ply += 1;
        let info = self.geometry.cell_info(cell).0;
        self.key ^= info.keys[seat.index()];
        self.landing_count -= u16::from(info.above().is_none());
        let completed = match &mut self.stones {
            Stones::Word(word) => word.put(
                info.word_bit,
                seat.index(),
                word_rules(self.geometry.rules()),
            ),
            Stones::Lines(lines) => lines.put(&self.geometry, cell, seat),
        };
        self.status = if completed {
            self.won_by_line_of(seat)
        } else if self.landing_count == 0 {
            Status::Drawn
        } else {
            Status::Ongoing
        };
        Ok(self.status)
    }

    /// Returns the status after a move at `landing_cell(cell)`, without playing it.
    ///
    /// # Errors
    /// The reason why the move is impossible.
    ///
    /// ```
    /// # use noughts_protocol::{Cell, Position, Seat, Status};
    /// let mut position = Position::new("3x1:2".parse().unwrap());
    /// position.play(Cell::new(0)).unwrap();
    /// position.play(Cell::new(2)).unwrap();
    /// assert_eq!(position.status_after(Cell::new(1)), Ok(Status::Won(Seat::X)));
    /// assert_eq!(position.status(), Status::Ongoing);
    /// ```
    pub fn status_after(&self, cell: Cell) -> Result<Status, MoveError> {
        let cell = self.landing_cell(cell)?;
        let seat = self.turn();
        let completes = match &self.stones {
            Stones::Word(word) => {
                let info = self.geometry.cell_info(cell).0;
                word.would_complete(info.word_bit, seat.index(), word_rules(self.rules()))
            }
            Stones::Lines(lines) => lines.would_complete(&self.geometry, cell, seat),
        };
        Ok(if completes {
            self.won_by_line_of(seat)
        } else if self.ply() + 1 == self.moves.len() {
            Status::Drawn
        } else {
            Status::Ongoing
        })
    }

    /// Counts leaves on a copy of a one-word board; `None` for other boards. See [`crate::perft()`].
    pub(crate) fn word_perft(&self, depth: u32) -> Option<u64> {
        match &self.stones {
            Stones::Word(word) if self.status == Status::Ongoing && depth > 1 => {
                Some(word.perft(self.turn().index(), depth, word_rules(self.rules())))
            }
            Stones::Word(_) | Stones::Lines(_) => None,
        }
    }

    /// Plays a copy of the stones to the end of the game; see [`crate::playout()`].
    pub(crate) fn ended_by(&self, choose: &mut impl FnMut(usize) -> usize) -> Status {
        if self.status != Status::Ongoing {
            return self.status;
        }
        let completed = match &self.stones {
            Stones::Word(word) => {
                let seat = word.playout(self.turn().index(), word_rules(self.rules()), choose);
                seat.map(|seat| Seat::ALL[seat])
            }
            Stones::Lines(lines) => lines.playout(&self.geometry, self.turn(), choose),
        };
        completed.map_or(Status::Drawn, |seat| self.won_by_line_of(seat))
    }

    /// Returns the status when this seat has completed a line: in misère the other seat wins.
    fn won_by_line_of(&self, seat: Seat) -> Status {
        Status::Won(if self.rules().misere() {
            seat.other()
        } else {
            seat
        })
    }

    /// Takes back the last move and returns its cell. `None` on the empty board.
    pub fn undo(&mut self) -> Option<Cell> {
        self.ply = self.ply.checked_sub(1)?;
        let (cell, seat) = (self.moves[self.ply()], self.turn());
        let info = self.geometry.cell_info(cell).0;
        self.key ^= info.keys[seat.index()];
        self.landing_count += u16::from(info.above().is_none());
        match &mut self.stones {
            Stones::Word(word) => {
                word.remove(
                    info.word_bit,
                    seat.index(),
                    word_rules(self.geometry.rules()),
                );
            }
            Stones::Lines(lines) => lines.remove(&self.geometry, cell, seat),
        }
        // No move follows the end of a game, so the game was ongoing before its last move.
        self.status = Status::Ongoing;
        Some(cell)
    }

    /// Takes back all moves without allocating.
    pub fn clear(&mut self) {
        match &mut self.stones {
            Stones::Word(word) => {
                *word = WordBitboard::new(self.geometry.word_landings().unwrap_or_default());
            }
            Stones::Lines(lines) => lines.clear(&self.geometry),
        }
        (self.ply, self.status, self.key) = (0, Status::Ongoing, 0);
        self.landing_count = self.geometry.landing_count();
    }

    /// Returns the landing cells in increasing order; empty after the end of the game.
    pub fn legal_moves(&self) -> impl Iterator<Item = Cell> + '_ {
        let mut from = 0;
        std::iter::from_fn(move || {
            let cell = self.legal_from(from)?;
            from = cell.index() + 1;
            Some(cell)
        })
    }

    /// Returns the first landing cell at or after an index. With this function a caller can iterate over the moves
    /// while it plays and undoes them.
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
        match &self.stones {
            Stones::Word(word) => {
                // Negating the cell's bit masks that bit and all higher bits.
                let from = self.geometry.cell_infos().get(index)?.word_bit;
                let bits = word.landings & from.wrapping_neg();
                (bits != 0).then(|| self.geometry.word_cell(bits.trailing_zeros()))
            }
            Stones::Lines(lines) => lines.landing_from(index),
        }
    }

    /// Returns the landing cell that has `number` landing cells before it, for random choices. Returns `None` if there
    /// are `number` landing cells or fewer.
    ///
    /// ```
    /// # use noughts_protocol::Position;
    /// let mut position = Position::new("7x6:4+gravity".parse().unwrap());
    /// assert_eq!(position.legal_nth(3), position.legal_moves().nth(3));
    /// assert_eq!(position.legal_nth(7), None);
    /// ```
    pub fn legal_nth(&self, number: usize) -> Option<Cell> {
        if number >= self.legal_count() {
            return None;
        }
        match &self.stones {
            Stones::Word(word) => Some(self.geometry.word_cell(nth_bit(word.landings, number))),
            Stones::Lines(lines) => lines.landing_nth(number),
        }
    }

    /// Returns the number of landing cells, in constant time; 0 after the end of the game.
    pub fn legal_count(&self) -> usize {
        if self.status == Status::Ongoing {
            usize::from(self.landing_count)
        } else {
            0
        }
    }

    /// Returns whether a stone can be played onto exactly this cell.
    pub fn is_legal(&self, cell: Cell) -> bool {
        let open = match &self.stones {
            Stones::Word(word) => {
                let info = self.geometry.cell_infos().get(cell.index());
                info.is_some_and(|info| word.landings & info.word_bit != 0)
            }
            Stones::Lines(lines) => lines.is_landing(cell),
        };
        open && self.status == Status::Ongoing
    }

    /// Returns the status of the game on the board.
    pub fn status(&self) -> Status {
        self.status
    }

    /// Returns a hash key of the stones, updated with each move (Zobrist, "A new hashing method with application for
    /// game playing", 1970). Equal stones have equal keys on every machine; different stones almost never do. The seat
    /// to move follows from the number of stones.
    pub fn key(&self) -> u64 {
        self.key
    }
}

fn word_rules(rules: &Rules) -> WordRules {
    WordRules {
        line: rules.line(),
        exact: rules.exact(),
        gravity_mask: if rules.gravity() { !0 } else { 0 },
    }
}

impl PartialEq for Position {
    fn eq(&self, other: &Position) -> bool {
        // The stones imply the seat to move.
        self.rules() == other.rules() && self.stones == other.stones
    }
}

impl Eq for Position {}

impl fmt::Debug for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let moves: Vec<String> = self
            .moves()
            .iter()
            .map(|&cell| self.rules().cell_text(cell))
            .collect();
        write!(
            f,
            "Position({}; {}; {:?})",
            self.rules(),
            moves.join(" "),
            self.status
        )
    }
}
