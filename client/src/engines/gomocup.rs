//! The Gomocup (Piskvork) protocol as text: what a program that manages games says to a brain, and what
//! brains say. Pure; `brain` answers as our own search, `brief` tells another brain what to think about.
//!
//! One line a command, points as `x,y` from 0, brains in two dimensions with lines of five.
//! <https://plastovicka.github.io/protocl2en.htm>

pub mod brain;
mod command;
pub mod move_commands;
mod response;

use std::fmt;
use std::str::FromStr;

use noughts_protocol::{Cell, Rules};

pub use command::{GomocupCommand, GomocupInfo, StoneOwner};
pub use response::GomocupResponse;

/// The longest line that is read, in bytes, from either side.
pub const MAX_LINE_BYTES: usize = 4096;

/// A place on the board: its column and row from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Point {
    /// The column.
    pub x: u8,
    /// The row.
    pub y: u8,
}

/// A text is not a point, or another part of a line is not what it should be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParseGomocupError {
    /// No command of the protocol begins like this.
    #[error("unknown command")]
    Unknown,
    /// The command is known, but what follows it makes no sense.
    #[error("bad argument")]
    Argument,
    /// Longer than [`MAX_LINE_BYTES`].
    #[error("too long")]
    TooLong,
}

impl Point {
    /// The point of a cell; none on boards of other than two dimensions.
    pub fn from_cell(rules: &Rules, cell: Cell) -> Option<Point> {
        let at = rules.coordinates(cell).filter(|_| rules.dimensions() == 2)?;
        Some(Point { x: at[0], y: at[1] })
    }

    /// The cell at this point; none off the board.
    pub fn cell(self, rules: &Rules) -> Option<Cell> {
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
        Ok(Point { x: parse_number(x)?, y: parse_number(y)? })
    }
}

/// A number without a sign, blanks around it allowed.
fn parse_number<T: FromStr>(text: &str) -> Result<T, ParseGomocupError> {
    let text = text.trim();
    if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(ParseGomocupError::Argument);
    }
    text.parse().map_err(|_| ParseGomocupError::Argument)
}

/// Returns the first `chars_max` characters of a foreign text without control characters, so that it is safe to print.
pub fn printable_excerpt(text: &str, chars_max: usize) -> String {
    text.chars().filter(|letter| !letter.is_control()).take(chars_max).collect()
}

/// Whether the protocol can name these rules: two dimensions, lines of five, no gravity, no misère.
pub fn can_play(rules: &Rules) -> bool {
    rules.dimensions() == 2 && rules.line() == 5 && !rules.gravity() && !rules.misere()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_round_trip() {
        for (text, x, y) in [("0,0", 0, 0), ("14,7", 14, 7), ("7,14", 7, 14)] {
            let point = Point { x, y };
            assert_eq!((text.parse(), point.to_string().as_str()), (Ok(point), text));
        }
        assert_eq!(" 3 , 4 ".parse(), Ok(Point { x: 3, y: 4 }));
        for wrong in ["", ",", "1", "1,", "a,1", "-1,2", "1,2,3", "300,1", "+1,2"] {
            assert_eq!(wrong.parse::<Point>(), Err(ParseGomocupError::Argument), "{wrong}");
        }
    }

    #[test]
    fn points_are_cells() {
        let rules: Rules = "15x10:5".parse().unwrap();
        for index in 0..150 {
            let point = Point::from_cell(&rules, Cell::new(index)).unwrap();
            assert_eq!(point.cell(&rules), Some(Cell::new(index)));
        }
        assert_eq!(Point { x: 14, y: 10 }.cell(&rules), None);
        assert_eq!(Point::from_cell(&"4x4x4:4".parse().unwrap(), Cell::new(3)), None);
    }

    #[test]
    fn what_the_protocol_can_name() {
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
