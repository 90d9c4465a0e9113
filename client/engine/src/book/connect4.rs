//! Book of Connect Four, in two parts. The first part has, for both seats, a move that keeps the value in every
//! position that the moves of the book and the replies of the opponent lead to, as long as the solver might not find
//! such a move in time. The second part, the openings, has such a move in every other position of few stones that is
//! not lost: a mistake before the engine takes a seat, or the move of a weaker level, leads there.

#[cfg(test)]
mod tests;

use std::sync::OnceLock;

use noughts_protocol::{Cell, Position, Rules};

use crate::Evaluation;
use crate::search_types::{latest_loss, latest_win};

const RULES: &str = "7x6:4+gravity";
/// A line for each ply, with a character for each position of this ply in the order of the keys, see [`BookEntry`]. The
/// positions follow from the characters two lines above.
const BOOK_TEXT: &str = include_str!("connect4.txt");
/// A line for each ply from the empty board on, with a character for each position of this ply in the order of the keys,
/// see [`BookEntry`]. A full stop means that the first part has an entry, or that the position is lost.
///
/// The module of the page has no openings, because its size is limited.
const OPENINGS_TEXT: &str = if cfg!(target_arch = "wasm32") {
    ""
} else {
    include_str!("connect4_openings.txt")
};

/// An entry of the book: the value for the side to move, and a column that keeps it.
///
/// `1` to `7` are the columns of a win, `a` to `g` of a draw, and `A` to `G` of a loss. A full stop means that the
/// solver decides the position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BookEntry {
    pub column: usize,
    pub value: BookValue,
}

/// A value for the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BookValue {
    Win,
    Draw,
    Loss,
}

impl BookEntry {
    fn from_byte(byte: u8) -> Option<BookEntry> {
        let (first, value) = match byte {
            b'1'..=b'7' => (b'1', BookValue::Win),
            b'a'..=b'g' => (b'a', BookValue::Draw),
            b'A'..=b'G' => (b'A', BookValue::Loss),
            _ => return None,
        };
        Some(BookEntry {
            column: usize::from(byte - first),
            value,
        })
    }

    /// Returns the character of an entry.
    #[cfg(any(test, feature = "internals"))]
    pub fn to_char(self) -> char {
        let first = match self.value {
            BookValue::Win => b'1',
            BookValue::Draw => b'a',
            BookValue::Loss => b'A',
        };
        char::from(first + self.column as u8)
    }

    /// Returns the entry for the mirror image if `is_mirrored`, otherwise this entry.
    #[must_use]
    pub fn mirrored_if(self, is_mirrored: bool) -> BookEntry {
        BookEntry {
            column: mirrored_if(self.column, is_mirrored),
            ..self
        }
    }
}

impl BookValue {
    /// Returns the evaluation in a position. Its distance is a bound.
    fn evaluation(self, position: &Position) -> Evaluation {
        match self {
            BookValue::Win => latest_win(position),
            BookValue::Draw => Evaluation::Draw,
            BookValue::Loss => latest_loss(position),
        }
    }
}

/// Returns the move and its evaluation, if the book has an entry for the position or its mirror image.
pub(super) fn probe(position: &Position) -> Option<(Cell, Evaluation)> {
    let entry = Book::get().entry_at(position.ply(), &ColumnBoard::new(position)?)?;
    let cell = position.landing_cell(Cell::new(entry.column as u16)).ok()?;
    Some((cell, entry.value.evaluation(position)))
}

/// Returns the value for the side to move, if the book implies one. A position with an entry has the entry's value. The
/// first player wins every position that book moves lead to when it is to move. The second player loses a position if
/// each of its moves leads to such a win.
pub(crate) fn evaluate(position: &Position) -> Option<Evaluation> {
    let (ply, board) = (position.ply(), ColumnBoard::new(position)?);
    if let Some(entry) = Book::get().entry_at(ply, &board) {
        return Some(entry.value.evaluation(position));
    }
    let first_wins = |ply: usize, board: &ColumnBoard| Book::get().has(ply, board);
    if ply.is_multiple_of(2) {
        return first_wins(ply, &board).then(|| latest_win(position));
    }
    if board.can_complete_line() {
        return None;
    }
    let mut replies = board.open_columns().map(|column| board.play(column));
    replies
        .all(|board| board.can_complete_line() || first_wins(ply + 1, &board))
        .then(|| latest_loss(position))
}

/// Returns the rules of the book.
pub fn rules() -> Rules {
    RULES.parse().expect("the rules of the book are valid")
}

/// The positions of one ply.
struct BookLevel {
    /// Keys in increasing order.
    keys: Vec<u64>,
    /// For each key, the character of its entry.
    entries: &'static [u8],
}

/// The book in memory. A ply is read when it is first needed.
pub struct Book {
    lines: Vec<&'static str>,
    levels: Vec<OnceLock<BookLevel>>,
    openings: OnceLock<Vec<BookLevel>>,
}

impl Book {
    /// Returns the book of this build.
    pub fn get() -> &'static Book {
        static BOOK: OnceLock<Book> = OnceLock::new();
        BOOK.get_or_init(|| {
            let lines: Vec<_> = BOOK_TEXT.lines().collect();
            let levels = lines.iter().map(|_| OnceLock::new()).collect();
            Book {
                lines,
                levels,
                openings: OnceLock::new(),
            }
        })
    }

    /// Returns the entry of the board or its mirror image, if the book has one.
    pub fn entry_at(&self, ply: usize, board: &ColumnBoard) -> Option<BookEntry> {
        self.own_entry_at(ply, board)
            .or_else(|| self.openings().get(ply)?.entry_of(board))
    }

    /// Returns the entry of the first part of the book.
    pub fn own_entry_at(&self, ply: usize, board: &ColumnBoard) -> Option<BookEntry> {
        (ply < self.lines.len()).then(|| self.level(ply).entry_of(board))?
    }

    fn openings(&self) -> &[BookLevel] {
        self.openings.get_or_init(|| {
            let lines = OPENINGS_TEXT.lines().enumerate();
            lines
                .map(|(ply, line)| BookLevel::new(ply, opening_keys(ply), line))
                .collect()
        })
    }

    /// Returns whether book moves lead to the board or its mirror image.
    pub fn has(&self, ply: usize, board: &ColumnBoard) -> bool {
        ply < self.lines.len() && self.level(ply).index_of(board).is_some()
    }

    fn level(&self, ply: usize) -> &BookLevel {
        self.levels[ply].get_or_init(|| {
            let keys = match ply.checked_sub(2) {
                None => first_keys(ply),
                Some(before) => self.level(before).keys_after(),
            };
            BookLevel::new(ply, keys, self.lines[ply])
        })
    }
}

/// Maximum number of stones of an opening.
#[cfg(any(test, feature = "internals"))]
pub const MAX_OPENING_PLY: usize = 5;

/// Returns the keys of all positions of a ply of the openings. No side can complete a line with so few stones.
pub fn opening_keys(ply: usize) -> Vec<u64> {
    (0..ply).fold(vec![ColumnBoard::default().key().0], |keys, _| {
        let boards = keys.into_iter().map(ColumnBoard::from_key);
        sorted_keys(boards.flat_map(quiet_replies))
    })
}

/// Returns the keys of the positions before the first move of each seat: the empty board, and the boards after one
/// stone.
pub fn first_keys(ply: usize) -> Vec<u64> {
    let empty = ColumnBoard::default();
    match ply {
        0 => vec![empty.key().0],
        _ => sorted_keys(quiet_replies(empty)),
    }
}

/// Returns the keys of these boards without duplicates, in increasing order.
pub fn sorted_keys(boards: impl Iterator<Item = (ColumnBoard, usize)>) -> Vec<u64> {
    let mut keys: Vec<u64> = boards.map(|(board, _)| board.key().0).collect();
    keys.sort_unstable();
    keys.dedup();
    keys
}

impl BookLevel {
    fn new(ply: usize, keys: Vec<u64>, line: &'static str) -> BookLevel {
        let entries = line.as_bytes();
        assert_eq!(
            keys.len(),
            entries.len(),
            "the book has a character for each position of ply {ply}"
        );
        BookLevel { keys, entries }
    }

    /// Returns the index of the board or its mirror image, and whether it is the mirror image.
    fn index_of(&self, board: &ColumnBoard) -> Option<(usize, bool)> {
        let (key, is_mirrored) = board.key();
        Some((self.keys.binary_search(&key).ok()?, is_mirrored))
    }

    fn entry_of(&self, board: &ColumnBoard) -> Option<BookEntry> {
        let (index, is_mirrored) = self.index_of(board)?;
        Some(BookEntry::from_byte(self.entries[index])?.mirrored_if(is_mirrored))
    }

    /// Returns the keys of the positions after a book move and a reply.
    fn keys_after(&self) -> Vec<u64> {
        let entries = self.entries.iter().copied().map(BookEntry::from_byte);
        let boards = self.keys.iter().map(|&key| ColumnBoard::from_key(key));
        let after = boards
            .zip(entries)
            .filter_map(|(board, entry)| Some(board.play(entry?.column)));
        sorted_keys(after.flat_map(quiet_replies))
    }
}

/// Returns the boards after a reply, and the replies. Leaves out boards where the next stone can complete a line,
/// because that move needs no book.
pub fn quiet_replies(board: ColumnBoard) -> impl Iterator<Item = (ColumnBoard, usize)> {
    let replies = board
        .open_columns()
        .map(move |column| (board.play(column), column));
    replies.filter(|(board, _)| !board.can_complete_line())
}

/// Returns the column of a board, or if `is_mirrored` the column in its mirror image.
pub fn mirrored_if(column: usize, is_mirrored: bool) -> usize {
    if is_mirrored {
        WIDTH - 1 - column
    } else {
        column
    }
}

/// Number of columns.
pub const WIDTH: usize = 7;
/// Number of cells in a column.
const HEIGHT: usize = 6;
/// Number of bits per column: its cells from the bottom, and a free bit, so that no line wraps around an edge.
const COLUMN_BITS: usize = HEIGHT + 1;
const COLUMN: u64 = (1 << COLUMN_BITS) - 1;
/// The lowest cell of every column.
const BOTTOM: u64 = {
    let (mut cells, mut column) = (0, 0);
    while column < WIDTH {
        cells |= 1 << (COLUMN_BITS * column);
        column += 1;
    }
    cells
};

/// A Connect Four board by columns, from the point of view of the side to move. Mirror images have the same key, and
/// the board can be restored from it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ColumnBoard {
    /// Stones of the side to move.
    mover: u64,
    /// Stones of both sides.
    stones: u64,
}

impl ColumnBoard {
    /// Returns the stones of a position; `None` for other rules.
    fn new(position: &Position) -> Option<ColumnBoard> {
        if position.rules() != &rules() {
            return None;
        }
        let columns = position.moves().iter().map(|cell| cell.index() % WIDTH);
        Some(columns.fold(ColumnBoard::default(), |board, column| board.play(column)))
    }

    /// Returns the board with this key.
    pub fn from_key(key: u64) -> ColumnBoard {
        let mut board = ColumnBoard::default();
        for column in 0..WIDTH {
            let shift = COLUMN_BITS * column;
            let bits = key >> shift & COLUMN;
            let height = bits.checked_ilog2().unwrap_or(0);
            board.mover |= (bits & !(1 << height)) << shift;
            board.stones |= ((1 << height) - 1) << shift;
        }
        board
    }

    /// Returns the key, and whether it belongs to the mirror image. For each column, the key contains the stones of the
    /// side to move and a bit above the highest stone.
    pub fn key(&self) -> (u64, bool) {
        let (key, image) = (self.plain_key(), self.mirrored().plain_key());
        (key.min(image), image < key)
    }

    fn plain_key(&self) -> u64 {
        self.mover + self.stones + BOTTOM
    }

    fn mirrored(&self) -> ColumnBoard {
        let mirror = |cells: u64| {
            (0..WIDTH).fold(0, |image, column| {
                image
                    | (cells >> (COLUMN_BITS * column) & COLUMN)
                        << (COLUMN_BITS * (WIDTH - 1 - column))
            })
        };
        ColumnBoard {
            mover: mirror(self.mover),
            stones: mirror(self.stones),
        }
    }

    /// Returns the lowest free cell of a column; 0 if the column is full.
    fn landing_cell(&self, column: usize) -> u64 {
        let bottom = 1 << (COLUMN_BITS * column);
        (self.stones + bottom) & ((1 << HEIGHT) - 1) << (COLUMN_BITS * column)
    }

    /// Returns the columns that are not full.
    pub fn open_columns(self) -> impl Iterator<Item = usize> {
        (0..WIDTH).filter(move |&column| self.landing_cell(column) != 0)
    }

    /// Returns the board after a stone in a column that is not full.
    pub fn play(&self, column: usize) -> ColumnBoard {
        ColumnBoard {
            mover: self.mover ^ self.stones,
            stones: self.stones | self.landing_cell(column),
        }
    }

    /// Returns whether the side to move can complete a line with its next stone.
    pub fn can_complete_line(&self) -> bool {
        self.open_columns()
            .any(|column| has_line(self.mover | self.landing_cell(column)))
    }
}

fn has_line(stones: u64) -> bool {
    [1, COLUMN_BITS - 1, COLUMN_BITS, COLUMN_BITS + 1]
        .iter()
        .any(|step| {
            let pairs = stones & stones >> step;
            pairs & pairs >> (2 * step) != 0
        })
}
