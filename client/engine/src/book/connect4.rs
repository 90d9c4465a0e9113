//! Book of Connect Four: a winning move of the first player for every position that the replies of the second can lead to.

#[cfg(test)]
mod tests;

use std::cmp::Ordering;
use std::sync::OnceLock;

use noughts_protocol::{Cell, Position, Rules};

use crate::Evaluation;
use crate::search_types::latest_win;

const RULES: &str = "7x6:4+gravity";
/// A line for each ply of the first player, a digit for each position of this ply in the order of keys: the winning
/// column, counted from 1. The positions follow from the digits of the line before.
const BOOK_TEXT: &str = include_str!("connect4.txt");

/// Results of the first moves by column (J. D. Allen and V. Allis, 1988). The book proves the win.
const FIRST_MOVES: [Ordering; WIDTH] = [
    Ordering::Less,
    Ordering::Less,
    Ordering::Equal,
    Ordering::Greater,
    Ordering::Equal,
    Ordering::Less,
    Ordering::Less,
];
/// Plies of the whole game with the best play of both sides.
const FIRST_MOVE_PLIES: u32 = 41;

/// The winning move, if the book has the position or its mirror image.
pub(super) fn probe(position: &Position) -> Option<Cell> {
    if position.rules() != &rules() {
        return None;
    }
    let columns = position.moves().iter().map(|cell| cell.index() % WIDTH);
    let board = columns.fold(ColumnBoard::default(), |board, column| board.play(column));
    let column = Book::get().column_at(position.ply(), &board)?;
    position.landing_cell(Cell::new(column as u16)).ok()
}

/// The value for the side to move where the book implies it: a win in the positions of the book and where a line can be
/// completed, a loss after a move of the book, and the values of the first moves.
pub(crate) fn evaluate(position: &Position) -> Option<Evaluation> {
    if position.rules() != &rules() {
        return None;
    }
    if position.ply().is_multiple_of(2) {
        return probe(position).map(|_| latest_win(position));
    }
    if let [first] = position.moves() {
        return Some(match FIRST_MOVES[first.index() % WIDTH] {
            Ordering::Less => latest_win(position),
            Ordering::Equal => Evaluation::Draw,
            Ordering::Greater => Evaluation::Loss(FIRST_MOVE_PLIES - 1),
        });
    }
    let columns = position.moves().iter().map(|cell| cell.index() % WIDTH);
    let board = columns.fold(ColumnBoard::default(), |board, column| board.play(column));
    if board.can_complete_line() {
        return None;
    }
    let mut replies = board.open_columns().map(|column| board.play(column));
    let wins = |board: ColumnBoard| {
        board.can_complete_line() || Book::get().column_at(position.ply() + 1, &board).is_some()
    };
    let free = position.rules().cells() - position.ply();
    replies.all(wins).then_some(Evaluation::Loss(free as u32))
}

/// The rules of the book.
pub fn rules() -> Rules {
    RULES.parse().expect("the rules of the book are valid")
}

/// The positions of one ply.
struct BookLevel {
    /// In increasing order.
    keys: Vec<u64>,
    /// By key, the winning column as a digit.
    columns: &'static [u8],
}

/// The book in memory. A ply is read when it is first needed.
pub struct Book {
    lines: Vec<&'static str>,
    levels: Vec<OnceLock<BookLevel>>,
}

impl Book {
    /// The book of this build.
    pub fn get() -> &'static Book {
        static BOOK: OnceLock<Book> = OnceLock::new();
        BOOK.get_or_init(|| {
            let lines: Vec<_> = BOOK_TEXT.lines().collect();
            let levels = lines.iter().map(|_| OnceLock::new()).collect();
            Book { lines, levels }
        })
    }

    /// The winning column, if the book has the board or its mirror image.
    pub fn column_at(&self, ply: usize, board: &ColumnBoard) -> Option<usize> {
        if !ply.is_multiple_of(2) || ply / 2 >= self.lines.len() {
            return None;
        }
        let level = self.level(ply / 2);
        let (key, is_mirrored) = board.key();
        let index = level.keys.binary_search(&key).ok()?;
        Some(mirrored_if(
            usize::from(level.columns[index] - b'1'),
            is_mirrored,
        ))
    }

    fn level(&self, index: usize) -> &BookLevel {
        self.levels[index].get_or_init(|| {
            let mut keys = match index.checked_sub(1) {
                None => vec![ColumnBoard::default().key().0],
                Some(index) => self.level(index).keys_after(),
            };
            keys.sort_unstable();
            keys.dedup();
            let columns = self.lines[index].as_bytes();
            assert_eq!(
                keys.len(),
                columns.len(),
                "the book has a digit for each position of its line {index}"
            );
            BookLevel { keys, columns }
        })
    }
}

impl BookLevel {
    /// The keys of the positions after a move of the book and a reply, unordered.
    fn keys_after(&self) -> Vec<u64> {
        let boards = self.keys.iter().map(|&key| ColumnBoard::from_key(key));
        let after = boards
            .zip(self.columns)
            .map(|(board, &digit)| board.play(usize::from(digit - b'1')));
        after
            .flat_map(quiet_replies)
            .map(|(board, _)| board.key().0)
            .collect()
    }
}

/// The boards after a reply, and the reply, without those on which the next stone can complete a line: that move needs no
/// book.
pub fn quiet_replies(board: ColumnBoard) -> impl Iterator<Item = (ColumnBoard, usize)> {
    let replies = board
        .open_columns()
        .map(move |column| (board.play(column), column));
    replies.filter(|(board, _)| !board.can_complete_line())
}

/// The column of a board in its mirror image.
pub fn mirrored_if(column: usize, is_mirrored: bool) -> usize {
    if is_mirrored {
        WIDTH - 1 - column
    } else {
        column
    }
}

/// Columns of the board.
pub const WIDTH: usize = 7;
/// Cells of a column.
const HEIGHT: usize = 6;
/// Bits of a column: its cells from the bottom, and a free bit, so that no line wraps around an edge.
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

/// Board of Connect Four by columns, from the view of the side to move. Its key is the same for mirror images, and the board can
/// be restored from it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ColumnBoard {
    /// Stones of the side to move.
    mover: u64,
    /// Stones of both sides.
    stones: u64,
}

impl ColumnBoard {
    /// The board of a key.
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

    /// The key, and whether it is the key of the mirror image. In each column the key has the stones of the side to move
    /// and a bit above the highest stone.
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

    /// The lowest free cell of a column; 0 if the column is full.
    fn landing_cell(&self, column: usize) -> u64 {
        let bottom = 1 << (COLUMN_BITS * column);
        (self.stones + bottom) & ((1 << HEIGHT) - 1) << (COLUMN_BITS * column)
    }

    /// The columns that are not full.
    pub fn open_columns(self) -> impl Iterator<Item = usize> {
        (0..WIDTH).filter(move |&column| self.landing_cell(column) != 0)
    }

    /// The board after a stone in a column that is not full.
    pub fn play(&self, column: usize) -> ColumnBoard {
        ColumnBoard {
            mover: self.mover ^ self.stones,
            stones: self.stones | self.landing_cell(column),
        }
    }

    /// Whether the side to move can complete a line with its next stone.
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
