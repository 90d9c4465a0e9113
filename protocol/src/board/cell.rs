//! Locations on the board and their text.
//!
//! The text of a cell depends on the board, so the functions that read and write it are methods of [`Rules`].

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::Rules;

/// A location on a board: its row-major index `x + width * (y + height * (z + depth * w))`.
///
/// Cell 0 is at the top left, and indices follow the order of reading. A `Cell` may lie off a given board: only the
/// rules determine which cells exist. On the wire a cell is its index.
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
    /// Returns the cell of this index.
    pub const fn new(index: u16) -> Cell {
        Cell(index)
    }

    /// Returns the row-major index.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// Error of reading a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CellError {
    /// The text is not a letter and a number.
    Syntax,
    /// The name has more or fewer layer numbers than the board has dimensions for layers.
    Dimensions,
    /// The text is well formed, but the board has no such cell.
    OffBoard,
}

impl Rules {
    /// Maximum length of a cell text in bytes; longer texts are rejected unread.
    pub const MAX_CELL_TEXT: usize = 40;

    /// Returns the name of a cell, as players see it: the letter of the column and the number of the row, `b2`; in
    /// layers `b2-3` (layer 3) and `b2-2.3` (layer 2 of cube 3). [`Rules::row_number`] counts the rows.
    ///
    /// A cell off the board is written as `#` and its index, a form that [`Rules::parse_cell`] rejects.
    pub fn cell_text(&self, cell: Cell) -> String {
        let mut text = String::with_capacity(Self::MAX_CELL_TEXT);
        self.push_cell(cell, &mut text);
        text
    }

    /// Appends the name of a cell.
    pub(crate) fn push_cell(&self, cell: Cell, text: &mut String) {
        let Some([x, y, z, w]) = self.coordinates(cell) else {
            text.push('#');
            return push_number(cell.index(), text);
        };
        text.push(char::from(b'a' + x));
        push_number(usize::from(self.row_number(y)), text);
        for (sign, layer) in ['-', '.']
            .into_iter()
            .zip([z, w])
            .take(self.dimensions().saturating_sub(2))
        {
            text.push(sign);
            push_number(usize::from(layer) + 1, text);
        }
    }

    /// Returns whether row 1 is at the bottom. This is the case on boards of two dimensions that have gravity or at
    /// least 5x5 cells, as in Connect Four and Gomoku. On smaller boards and in layers row 1 is at the top, so that
    /// digits read 1 to 9.
    fn counts_from_bottom(&self) -> bool {
        const MIN_BOTTOM_UP_SIDE: u8 = 5;
        self.dimensions() == 2
            && (self.gravity() || self.width().min(self.height()) >= MIN_BOTTOM_UP_SIDE)
    }

    /// Returns the number of a row, given by its index from the top.
    pub fn row_number(&self, y: u8) -> u8 {
        if self.counts_from_bottom() {
            self.height() - y
        } else {
            y + 1
        }
    }

    /// Returns the index, from the top, of the row with this number; `None` if the board lacks the row.
    pub fn row_index(&self, number: u8) -> Option<u8> {
        let index = number
            .checked_sub(1)
            .filter(|&index| index < self.height())?;
        Some(if self.counts_from_bottom() {
            self.height() - 1 - index
        } else {
            index
        })
    }

    /// Reads a cell: the name that [`Rules::cell_text`] writes, in either case.
    ///
    /// # Errors
    /// [`CellError`] when the text has a different form or names a cell off the board.
    pub fn parse_cell(&self, text: &str) -> Result<Cell, CellError> {
        if text.len() > Self::MAX_CELL_TEXT {
            return Err(CellError::Syntax);
        }
        let text = text.trim();
        let letter = text.bytes().next().ok_or(CellError::Syntax)?;
        if !letter.is_ascii_alphabetic() {
            return Err(CellError::Syntax);
        }
        let (row, layers) = match text[1..].split_once('-') {
            Some((row, layers)) => (row, layers.split('.').collect()),
            None => (&text[1..], Vec::new()),
        };
        let row = number(row)?;
        let mut at = vec![letter.to_ascii_lowercase() - b'a'];
        let row = self.row_index(row).ok_or(CellError::OffBoard);
        // A board of one dimension has only row 1.
        match self.dimensions() {
            1 => _ = row?,
            _ => at.push(row.unwrap_or(u8::MAX)),
        }
        for layer in &layers {
            at.push(number(layer)?.wrapping_sub(1));
        }
        if layers.len() != self.dimensions().saturating_sub(2) {
            return Err(CellError::Dimensions);
        }
        self.cell_at(&at).ok_or(CellError::OffBoard)
    }

    /// Returns the coordinates of a cell, counted from 0: x, y, z, w, and 0 beyond the dimensions of the board. `None`
    /// for a cell off the board.
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

    /// Returns the cell at these coordinates, counted from 0. `None` off the board, and when the number of coordinates
    /// differs from the dimensions.
    pub fn cell_at(&self, at: &[u8]) -> Option<Cell> {
        let sides = self.sides();
        if at.len() != sides.len() || at.iter().zip(sides).any(|(along, side)| along >= side) {
            return None;
        }
        // A board has at most 1024 cells, so the index fits.
        let mut index = 0;
        for (&along, &side) in at.iter().zip(sides).rev() {
            index = index * u16::from(side) + u16::from(along);
        }
        Some(Cell::new(index))
    }
}

/// Appends a decimal number. Replaces `write!`, because its formatting machinery took most of the time of writing a
/// record: 2 000 → 800 instructions per move, including the rest of the record writer. A record read back in
/// `tests/record.rs` checks the text.
pub(crate) fn push_number(number: usize, text: &mut String) {
    if number >= 10 {
        push_number(number / 10, text);
    }
    text.push(char::from(b'0' + (number % 10) as u8));
}

/// Reads the number of a row or a layer. Returns 255 for a number that is too large for any board.
fn number(text: &str) -> Result<u8, CellError> {
    if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(CellError::Syntax);
    }
    Ok(text.parse().unwrap_or(u8::MAX))
}

impl CellError {
    /// Returns a stable name for programs, in snake case.
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
        f.write_str(self.code())
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
        check("15x15:5", "h8", Ok(112));
        check("15x15:5", "a15", Ok(0));
        check("5x4:4", "a1", Ok(0));
        check("7x6:4+gravity", "d1", Ok(38));
        check("9:3", "c1", Ok(2));
        check("4x4x4:4", "c2-1", Ok(6));
        check("4x4x4:4", "A1-4", Ok(48));
        check("3x3x3x3:3", "c3-3.3", Ok(80));
        check("3x3x3x3:3", "b1-2.3", Ok(64));
        check("25x25:5", "y1", Ok(624));
    }

    #[test]
    fn every_name_is_read_back() {
        for text in [
            "3x3:3",
            "25x25:5",
            "5x4:4",
            "7x6:4+gravity",
            "4x4x4:4",
            "3x3x3x3:3",
            "10x10x10:5",
            "9:3",
        ] {
            let rules: Rules = text.parse().unwrap();
            for cell in (0..rules.cells() as u16).map(Cell::new) {
                assert_eq!(rules.parse_cell(&rules.cell_text(cell)), Ok(cell), "{text}");
            }
        }
    }

    #[test]
    fn each_error_has_its_case() {
        for text in [
            "", " ", "b", "2b", "b2c", "b-1", "b+1", "1,2", "1 2", "5", "b2-", "b2-.1", "é1",
            "b２", "#4",
        ] {
            check("3x3:3", text, Err(CellError::Syntax));
        }
        check("3x3:3", &" ".repeat(50), Err(CellError::Syntax));
        for text in ["d1", "a4", "a0", "z1", "a99999999999", "a300"] {
            check("3x3:3", text, Err(CellError::OffBoard));
        }
        check("9:3", "a2", Err(CellError::OffBoard));
        check("4x4x4:4", "a1-5", Err(CellError::OffBoard));
        check("4x4x4:4", "a1-0", Err(CellError::OffBoard));
        check("3x3:3", "a1-1", Err(CellError::Dimensions));
        check("4x4x4:4", "a1", Err(CellError::Dimensions));
        check("4x4x4:4", "a1-1.1", Err(CellError::Dimensions));
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
