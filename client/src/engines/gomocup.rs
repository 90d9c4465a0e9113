//! The Gomocup (Piskvork) protocol: a manager's commands and an engine's ("brain") responses as text. Pure.
//!
//! `brain` is the engine's side of the protocol; `move_commands` is the manager's side. A command is one line. A point
//! is `x,y` (zero-based). The protocol covers boards of two dimensions and lines of five.
//! <https://plastovicka.github.io/protocl2en.htm>

pub(crate) mod brain;
pub(crate) mod command;

use std::fmt;
use std::str::FromStr;

use noughts_protocol::{Cell, RuleFlag, Rules};

pub(crate) use command::GomocupResponse;
pub(crate) use command::{GomocupCommand, GomocupInfo, StoneOwner};

/// Maximum length of a line in either direction, in bytes.
pub(crate) const MAX_LINE_BYTES: usize = 4096;

/// Zero-based coordinates of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Point {
    pub x: u8,
    pub y: u8,
}

/// Error for an invalid line or part of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ParseGomocupError {
    /// The first word is not a command of the protocol.
    #[error("unknown command")]
    Unknown,
    /// The command is known, but its argument is invalid.
    #[error("bad argument")]
    Argument,
    /// The line is longer than [`MAX_LINE_BYTES`].
    #[error("too long")]
    TooLong,
}

impl Point {
    /// Returns the point of a cell; `None` unless the board has two dimensions.
    pub(crate) fn from_cell(rules: &Rules, cell: Cell) -> Option<Point> {
        let at = rules
            .coordinates(cell)
            .filter(|_| rules.dimensions() == 2)?;
        Some(Point { x: at[0], y: at[1] })
    }

    /// Returns the cell at this point; `None` if the point is off the board.
    pub(crate) fn cell(self, rules: &Rules) -> Option<Cell> {
        rules.cell_at(&[self.x, self.y])
    }
}

impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{},{}", self.x, self.y)
    }
}

impl FromStr for Point {
    type Err = ParseGomocupError;

    fn from_str(text: &str) -> Result<Point, ParseGomocupError> {
        let (x, y) = text.split_once(',').ok_or(ParseGomocupError::Argument)?;
        Ok(Point {
            x: parse_number(x)?,
            y: parse_number(y)?,
        })
    }
}

/// Parses an unsigned number. Surrounding blanks are allowed.
fn parse_number<T: FromStr>(text: &str) -> Result<T, ParseGomocupError> {
    let text = text.trim();
    if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(ParseGomocupError::Argument);
    }
    text.parse().map_err(|_| ParseGomocupError::Argument)
}

/// Returns at most `max_chars` characters of an untrusted text, without control characters, so that it is safe to
/// print.
pub(crate) fn printable_excerpt(text: &str, max_chars: usize) -> String {
    text.chars()
        .filter(|letter| !letter.is_control())
        .take(max_chars)
        .collect()
}

/// Returns whether the protocol supports the rules: two dimensions, lines of five, and no flag except `exact`.
pub(crate) fn can_play(rules: &Rules) -> bool {
    rules.dimensions() == 2 && rules.line() == 5 && rules.has_only(&[RuleFlag::Exact])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_round_trip() {
        for (text, x, y) in [("0,0", 0, 0), ("14,7", 14, 7), ("7,14", 7, 14)] {
            let point = Point { x, y };
            assert_eq!(
                (text.parse(), point.to_string().as_str()),
                (Ok(point), text)
            );
        }
        assert_eq!(" 3 , 4 ".parse(), Ok(Point { x: 3, y: 4 }));
        for wrong in ["", ",", "1", "1,", "a,1", "-1,2", "1,2,3", "300,1", "+1,2"] {
            assert_eq!(
                wrong.parse::<Point>(),
                Err(ParseGomocupError::Argument),
                "{wrong}"
            );
        }
    }

    #[test]
    fn each_cell_has_a_point() {
        let rules: Rules = "15x10:5".parse().unwrap();
        for index in 0..150 {
            let point = Point::from_cell(&rules, Cell::new(index)).unwrap();
            assert_eq!(point.cell(&rules), Some(Cell::new(index)));
        }
        assert_eq!(Point { x: 14, y: 10 }.cell(&rules), None);
        assert_eq!(
            Point::from_cell(&"4x4x4:4".parse().unwrap(), Cell::new(3)),
            None
        );
    }

    #[test]
    fn only_two_dimensional_five_in_a_row_is_supported() {
        for (rules, expected) in [
            ("15x15:5", true),
            ("20x12:5+exact", true),
            ("3x3:3", false),
            ("15x15:5+misere", false),
            ("7x6:5+gravity", false),
            ("5x5x5:5", false),
        ] {
            assert_eq!(can_play(&rules.parse().unwrap()), expected, "{rules}");
        }
    }
}
