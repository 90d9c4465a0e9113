//! Locations on the board and their text.
//!
//! The text of a cell depends on the board, so the functions that read and write it are methods of [`Rules`].

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::Rules;

/// A location on a board: its row-major index `x + width * (y + height * (z + depth * w))`.
///
/// Cell 0 is at the top left, and indices follow the order of reading. A `Cell` may lie off a given board; only
/// the rules can tell. On the wire a cell is its index.
///
/// ```
/// use noughts_protocol::{Cell, Rules};
/// let rules: Rules = "3x3:3".parse().unwrap();
/// assert_eq!(rules.parse_cell("B2"), Ok(Cell::new(4)));
/// assert_eq!(rules.cell_text(Cell::new(5)), "c2");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Cell(u16);

impl Cell {
    /// The cell of this index.
    pub const fn new(index: u16) -> Cell {
        Cell(index)
    }

    /// The row-major index.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// Error of reading a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CellError {
    /// The text is neither a letter and a number nor coordinates.
    Syntax,
    /// The number of coordinates differs from the dimensions of the board.
    Dimensions,
    /// The text is well formed, but the board has no such cell.
    OffBoard,
}

impl Rules {
    /// Maximum length of a cell text in bytes; longer texts are rejected unread.
    pub const MAX_CELL_TEXT: usize = 40;

    /// The text of a cell. In one and two dimensions it is the letter of the column and the number
    /// of the row, `b2`, and row 1 is the top row; in three and four it is the coordinates counted
    /// from 1, `3,2,1` for x, y, z.
    ///
    /// A cell off the board is written as `#` and its index, a form that [`Rules::parse_cell`] rejects.
    pub fn cell_text(&self, cell: Cell) -> String {
        let mut text = String::with_capacity(Self::MAX_CELL_TEXT);
        self.push_cell(cell, &mut text);
        text
    }

    /// Appends the text of a cell.
    pub(crate) fn push_cell(&self, cell: Cell, text: &mut String) {
        let Some(at) = self.coordinates(cell) else {
            text.push('#');
            return push_number(cell.index(), text);
        };
        if self.dimensions() <= 2 {
            text.push(char::from(b'a' + at[0]));
            return push_number(usize::from(at[1]) + 1, text);
        }
        for (axis, along) in at[..self.dimensions()].iter().enumerate() {
            if axis > 0 {
                text.push(',');
            }
            push_number(usize::from(*along) + 1, text);
        }
    }

    /// Reads a cell: the text that [`Rules::cell_text`] writes, in either case, or for any number of dimensions
    /// the coordinates from 1, separated by commas or spaces: `8 8`, `3, 2, 1`.
    ///
    /// # Errors
    /// [`CellError`] when the text has another form or the board has no such cell.
    pub fn parse_cell(&self, text: &str) -> Result<Cell, CellError> {
        if text.len() > Self::MAX_CELL_TEXT {
            return Err(CellError::Syntax);
        }
        let text = text.trim();
        let mut at = [0; Rules::MAX_DIMENSIONS];
        let mut count = 0;
        if let Some(letter) = text.chars().next().filter(char::is_ascii_alphabetic) {
            let row = coordinate(&text[1..])?;
            if self.dimensions() > 2 {
                return Err(CellError::Dimensions);
            }
            // A board of one dimension has only row 1.
            at[..2].copy_from_slice(&[u16::from(letter.to_ascii_lowercase() as u8 - b'a'), row]);
            count = self.dimensions();
            if count == 1 && row != 0 {
                return Err(CellError::OffBoard);
            }
        } else {
            for part in text.split(',') {
                let before = count;
                for number in part.split_whitespace() {
                    *at.get_mut(count).ok_or(CellError::Dimensions)? = coordinate(number)?;
                    count += 1;
                }
                if count == before {
                    return Err(CellError::Syntax);
                }
            }
        }
        if count != self.dimensions() {
            return Err(CellError::Dimensions);
        }
        let at = at.map(|along| u8::try_from(along).unwrap_or(u8::MAX));
        self.cell_at(&at[..count]).ok_or(CellError::OffBoard)
    }

    /// The coordinates of a cell, counted from 0: x, y, z, w, and 0 beyond the dimensions of the board. `None` for a
    /// cell off the board.
    pub fn coordinates(&self, cell: Cell) -> Option<[u8; Rules::MAX_DIMENSIONS]> {
        let mut rest = cell.index();
        (rest < self.cells()).then(|| {
            self.padded_sides().map(|side| {
                let along = rest % usize::from(side);
                rest /= usize::from(side);
                along as u8
            })
        })
    }

    /// The cell at these coordinates, counted from 0. `None` off the board, and when the number of coordinates
    /// differs from the dimensions.
    pub fn cell_at(&self, at: &[u8]) -> Option<Cell> {
        let sides = self.sides();
        if at.len() != sides.len() || at.iter().zip(sides).any(|(along, side)| along >= side) {
            return None;
        }
        // At most 1024 cells: the index fits.
        let mut index = 0;
        for (&along, &side) in at.iter().zip(sides).rev() {
            index = index * u16::from(side) + u16::from(along);
        }
        Some(Cell::new(index))
    }
}

/// Appends a decimal number. Replaces `write!`, whose formatting machinery took most of the time of writing a
/// record: 2 000 → 800 instructions per move with the rest of the record writer. A record read back in
/// `tests/record.rs` checks the text.
pub(crate) fn push_number(number: usize, text: &mut String) {
    if number >= 10 {
        push_number(number / 10, text);
    }
    text.push(char::from(b'0' + (number % 10) as u8));
}

/// Reads a coordinate counted from 1 and returns it counted from 0. Zero and numbers beyond any board are off the board.
fn coordinate(text: &str) -> Result<u16, CellError> {
    if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(CellError::Syntax);
    }
    let number: u16 = text.parse().map_err(|_| CellError::OffBoard)?;
    number.checked_sub(1).ok_or(CellError::OffBoard)
}

impl CellError {
    /// A stable name for programs, in snake case.
    pub fn code(self) -> &'static str {
        match self {
            CellError::Syntax => "cell_syntax",
            CellError::Dimensions => "cell_dimensions",
            CellError::OffBoard => "off_board",
        }
    }
}

impl fmt::Display for CellError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            CellError::Syntax => {
                "a cell is a letter and a number, e.g. b2, or coordinates, e.g. 3,2,1"
            }
            CellError::Dimensions => "wrong number of coordinates",
            CellError::OffBoard => "there is no such cell",
        })
    }
}

impl std::error::Error for CellError {}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(rules: &str, text: &str, expected: Result<u16, CellError>) {
        let rules: Rules = rules.parse().unwrap();
        assert_eq!(
            rules.parse_cell(text),
            expected.map(Cell::new),
            "{text:?} on {rules}"
        );
    }

    #[test]
    fn cells_are_read() {
        check("3x3:3", "a1", Ok(0));
        check("3x3:3", " C3 ", Ok(8));
        check("15x15:5", "8 8", Ok(112));
        check("15x15:5", "8,8", Ok(112));
        check("9:3", "c1", Ok(2));
        check("9:3", "3", Ok(2));
        check("4x4x4:4", "3, 2, 1", Ok(6));
        check("4x4x4:4", "1 1,4", Ok(48));
        check("3x3x3x3:3", "3,3,3,3", Ok(80));
        check("25x25:5", "y25", Ok(624));
    }

    #[test]
    fn each_error_has_its_case() {
        for text in [
            "", " ", "b", "2b", "b2c", "b-1", "b+1", "1,,2", "1,2,", ",1,2", "1;2", "é1", "b２",
            "#4",
        ] {
            check("3x3:3", text, Err(CellError::Syntax));
        }
        check("3x3:3", &" ".repeat(50), Err(CellError::Syntax));
        for text in [
            "d1",
            "a4",
            "a0",
            "z1",
            "0,1",
            "1,4",
            "1,99999999999",
            "a300",
        ] {
            check("3x3:3", text, Err(CellError::OffBoard));
        }
        check("9:3", "a2", Err(CellError::OffBoard));
        for text in ["1", "1,2,3", "1 2 3 4 5"] {
            check("3x3:3", text, Err(CellError::Dimensions));
        }
        check("4x4x4:4", "a1", Err(CellError::Dimensions));
    }

    #[test]
    fn a_cell_beyond_the_board_has_no_name() {
        for rules in ["9:3", "7x6:4+gravity", "3x2x5x4:3"] {
            let rules: Rules = rules.parse().unwrap();
            let off = Cell::new(rules.cells() as u16);
            let text = format!("#{}", off.index());
            assert_eq!((rules.coordinates(off), rules.cell_text(off)), (None, text));
        }
    }
}
