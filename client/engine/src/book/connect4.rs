//! Book of Connect Four: a winning move of the first player for every position that the replies of the second can lead to.

mod column_board;
#[cfg(test)]
mod tests;

use std::cmp::Ordering;
use std::sync::OnceLock;

use noughts_protocol::{Cell, Position, Rules};

use super::latest_win::latest_win;
use crate::Evaluation;
pub use column_board::{ColumnBoard, WIDTH};

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
