//! Names of cells as the players of a game expect them: on the board, in the list of moves, and as they type them.
//!
//! Rows of boards with marks that fall and of boards from 5x5 on are counted from the bottom, as in Connect Four and
//! Gomoku; those of smaller boards and of layers from the top, so that digits read 1 to 9. Cells in layers are `b2-3`
//! (column b, row 2, layer 3) and `b2-2.3` (layer 2 of cube 3). The protocol, JSON mode and game records have names of
//! their own, which always count from the top.

use noughts_protocol::{Cell, CellError, Rules};

/// Smallest side of a board whose rows are counted from the bottom.
const MIN_BOTTOM_UP_SIDE: u8 = 5;

/// Returns whether row 1 is at the bottom.
fn counts_from_bottom(rules: &Rules) -> bool {
    rules.dimensions() == 2
        && (rules.gravity() || rules.width().min(rules.height()) >= MIN_BOTTOM_UP_SIDE)
}

/// Returns whether columns are named by numbers: a player of a game with marks that fall chooses a column.
pub(crate) fn has_column_numbers(rules: &Rules) -> bool {
    rules.gravity() && rules.dimensions() == 2 && rules.width() <= 9
}

/// Returns the number of a row, given by its index from the top.
pub(crate) fn row_number(rules: &Rules, y: u8) -> u8 {
    if counts_from_bottom(rules) {
        rules.height() - y
    } else {
        y + 1
    }
}

/// Which names of cells a text has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CellNotation {
    /// Those of this module.
    Player,
    /// Those of the protocol, which JSON mode uses.
    Wire,
}

impl CellNotation {
    /// Reads a cell.
    ///
    /// # Errors
    /// Returns the reason why the text is not a cell of this board.
    pub(crate) fn parse_cell(self, rules: &Rules, text: &str) -> Result<Cell, CellError> {
        match self {
            CellNotation::Player => parse_cell(rules, text),
            CellNotation::Wire => rules.parse_cell(text),
        }
    }

    /// Returns the index from the top of the row with a number; `None` if there is no such row.
    pub(crate) fn row_index(self, rules: &Rules, number: u8) -> Option<u8> {
        match self {
            CellNotation::Player => row_index(rules, number),
            CellNotation::Wire => number
                .checked_sub(1)
                .filter(|&index| index < rules.height()),
        }
    }
}

/// Returns the index from the top of the row with a number; `None` if there is no such row.
fn row_index(rules: &Rules, number: u8) -> Option<u8> {
    let index = number
        .checked_sub(1)
        .filter(|&index| index < rules.height())?;
    Some(if counts_from_bottom(rules) {
        rules.height() - 1 - index
    } else {
        index
    })
}

/// Returns the name of a cell.
pub(crate) fn cell_name(rules: &Rules, cell: Cell) -> String {
    let Some([x, y, z, w]) = rules.coordinates(cell) else {
        return rules.cell_text(cell);
    };
    let (column, row) = (char::from(b'a' + x), row_number(rules, y));
    match rules.dimensions() {
        0 | 1 => rules.cell_text(cell),
        2 => format!("{column}{row}"),
        3 => format!("{column}{row}-{}", z + 1),
        _ => format!("{column}{row}-{}.{}", z + 1, w + 1),
    }
}

/// Reads a cell: its name; on a board of two dimensions row and column as two numbers; with layers the numbers of
/// column, row and layers.
///
/// # Errors
/// Returns the reason why the text is not a cell of this board.
fn parse_cell(rules: &Rules, text: &str) -> Result<Cell, CellError> {
    match named_coordinates(rules, text) {
        // The error of the protocol names the fault.
        None => rules.parse_cell(text),
        Some(at) => at
            .and_then(|at| rules.cell_at(&at[..rules.dimensions()]))
            .ok_or(CellError::OffBoard),
    }
}

/// The coordinates of a name or of two numbers: `Some(None)` beyond the board, `None` for another text.
fn named_coordinates(rules: &Rules, text: &str) -> Option<Option<[u8; 4]>> {
    if rules.dimensions() < 2 {
        return None;
    }
    let text = text.trim();
    let numbers = |text: &str| -> Option<Vec<u8>> {
        let parts = text
            .split([',', '.', '-', ' ', '\t'])
            .filter(|part| !part.is_empty());
        parts.map(|part| part.parse().ok()).collect()
    };
    let (x, rest) = match text.chars().next()? {
        letter if letter.is_ascii_alphabetic() => (
            letter.to_ascii_lowercase() as u8 - b'a',
            numbers(&text[1..])?,
        ),
        digit if digit.is_ascii_digit() && rules.dimensions() == 2 => match numbers(text)?[..] {
            [row, column] => (column.wrapping_sub(1), vec![row]),
            _ => return None,
        },
        _ => return None,
    };
    let (&row, layers) = rest.split_first()?;
    if layers.len() + 2 != rules.dimensions() {
        return None;
    }
    let layer = |index: usize| {
        layers
            .get(index)
            .map_or(Some(0), |number: &u8| number.checked_sub(1))
    };
    Some((|| {
        (x < rules.width()).then_some(())?;
        Some([x, row_index(rules, row)?, layer(0)?, layer(1)?])
    })())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(rules: &str, wire: &str, expected: &str) {
        let rules: Rules = rules.parse().unwrap();
        let cell = rules.parse_cell(wire).unwrap();
        assert_eq!(cell_name(&rules, cell), expected, "{rules}");
        assert_eq!(parse_cell(&rules, expected), Ok(cell), "{rules} {expected}");
        assert_eq!(
            parse_cell(&rules, &expected.to_uppercase()),
            Ok(cell),
            "{rules} {expected}"
        );
    }

    #[test]
    fn rows_count_from_the_bottom_where_players_expect_it() {
        check("3x3:3", "b1", "b1");
        check("connect4", "d6", "d1");
        check("connect4", "d1", "d6");
        check("gomoku", "a15", "a1");
        check("gomoku", "h8", "h8");
        check("gomoku19", "c17", "c3");
        check("5x4:4", "a1", "a1");
        check("qubic", "2,2,3", "b2-3");
        check("tesseract", "2,1,2,3", "b1-2.3");
        check("9:3", "d1", "d1");
    }

    #[test]
    fn two_numbers_are_row_and_column() {
        for (rules, typed, expected) in [
            ("3x3:3", "1 3", "c1"),
            ("3x3:3", "3,1", "a3"),
            ("gomoku", "1 15", "o1"),
            ("connect4", "1 4", "d1"),
        ] {
            let rules: Rules = rules.parse().unwrap();
            assert_eq!(
                parse_cell(&rules, typed).map(|cell| cell_name(&rules, cell)),
                Ok(expected.to_owned())
            );
        }
        // With layers, three numbers are column, row and layer, as in game records.
        let qubic: Rules = "qubic".parse().unwrap();
        assert_eq!(
            parse_cell(&qubic, "3,1,4").map(|cell| cell_name(&qubic, cell)),
            Ok("c1-4".to_owned())
        );
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
                assert_eq!(
                    parse_cell(&rules, &cell_name(&rules, cell)),
                    Ok(cell),
                    "{text}"
                );
            }
        }
    }

    #[test]
    fn cells_beyond_the_board_are_errors() {
        for (rules, typed) in [
            ("3x3:3", "d1"),
            ("3x3:3", "a4"),
            ("3x3:3", "0 1"),
            ("3x3:3", "4 4"),
            ("qubic", "a1-5"),
            ("qubic", "a1-0"),
        ] {
            let rules: Rules = rules.parse().unwrap();
            assert!(parse_cell(&rules, typed).is_err(), "{rules} {typed}");
        }
    }
}
