//! Text commands: from the command line of the full screen, and from the lines of line mode.

use clap::ValueEnum;
use noughts_protocol::{Cell, CellError, Rules};
use serde::{Serialize, Serializer};

use super::commands::{COMMANDS, CommandEntry, TextCommand};
use super::keyboard_layout;

/// Maximum length of a command in bytes.
pub(crate) const MAX_COMMAND_BYTES: usize = 200;

/// How digits number the cells of a small board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum DigitOrder {
    /// 1 2 3 in the top row.
    Reading,
    /// 7 8 9 in the top row, as on a numeric keypad.
    Numpad,
}

/// Reason why a text is not a command.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TextCommandError {
    Empty,
    UnknownCommand,
    /// The text is a cell, but the screen has no board.
    NoBoard,
    /// The argument of this command is invalid.
    BadArgument(#[serde(skip)] &'static CommandEntry),
    /// The JSON object is not a command. The text comes from the JSON parser.
    BadObject(#[serde(skip)] String),
    /// The text looks like a cell, but the board has no such cell.
    #[serde(untagged, serialize_with = "cell_error")]
    BadCell(CellError),
}

fn cell_error<S: Serializer>(error: &CellError, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(match error {
        CellError::Syntax | CellError::Dimensions => "bad_cell",
        CellError::OffBoard => "off_board",
    })
}

/// Parses a command. `rules` are the rules of the displayed board.
///
/// # Errors
/// Returns why the text is not a command.
pub(crate) fn parse(
    text: &str,
    rules: Option<&Rules>,
    order: DigitOrder,
) -> Result<TextCommand, TextCommandError> {
    let text = text.trim();
    // On the full screen, cells are typed after a colon.
    let text = text.strip_prefix([':', '：']).unwrap_or(text);
    if text.len() > MAX_COMMAND_BYTES {
        return Err(TextCommandError::UnknownCommand);
    }
    parse_latin(text, rules, order).or_else(|error| {
        // The text may have been typed with another keyboard layout.
        let latin: String = text
            .chars()
            .map(|letter| keyboard_layout::latin_key(letter).unwrap_or(letter))
            .collect();
        if latin == text {
            Err(error)
        } else {
            parse_latin(&latin, rules, order).map_err(|_| error)
        }
    })
}

/// Parses a cell, but no other command.
///
/// # Errors
/// Returns why the text is not a cell.
pub(crate) fn parse_move(
    text: &str,
    rules: Option<&Rules>,
    order: DigitOrder,
) -> Result<Cell, TextCommandError> {
    match parse(text, rules, order) {
        Ok(TextCommand::Move(cell)) => Ok(cell),
        Err(error @ (TextCommandError::BadCell(_) | TextCommandError::NoBoard)) => Err(error),
        Ok(_) | Err(_) => Err(TextCommandError::BadCell(CellError::Syntax)),
    }
}

fn parse_latin(
    text: &str,
    rules: Option<&Rules>,
    order: DigitOrder,
) -> Result<TextCommand, TextCommandError> {
    let (name, argument) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    let (lower, argument) = (name.to_lowercase(), argument.trim());
    if lower.is_empty() {
        return Err(TextCommandError::Empty);
    }
    if let Some(entry) = COMMANDS.iter().find(|entry| entry.has_name(&lower)) {
        return (entry.parse)(argument, rules).ok_or(TextCommandError::BadArgument(entry));
    }
    let starts_like_a_cell = |first: char| first.is_ascii_digit() || first == '-';
    let looks_like_a_cell = text.starts_with(starts_like_a_cell) || is_letter_and_number(text);
    match rules {
        Some(rules) => match parse_digit(text).and_then(|digit| digit_cell(rules, order, digit)) {
            Some(cell) => Ok(TextCommand::Move(cell)),
            None if looks_like_a_cell => parse_cell(rules, text)
                .map(TextCommand::Move)
                .map_err(TextCommandError::BadCell),
            None => Err(TextCommandError::UnknownCommand),
        },
        None if looks_like_a_cell => Err(TextCommandError::NoBoard),
        None => Err(TextCommandError::UnknownCommand),
    }
}

/// Parses a cell: by its name, or on a board of two dimensions by the numbers of its row and column.
fn parse_cell(rules: &Rules, text: &str) -> Result<Cell, CellError> {
    if rules.dimensions() != 2 || !text.starts_with(|first: char| first.is_ascii_digit()) {
        return rules.parse_cell(text);
    }
    let numbers: Option<Vec<u8>> = text
        .split([',', ' ', '\t'])
        .filter(|part| !part.is_empty())
        .map(|part| part.parse().ok())
        .collect();
    let Some(&[row, column]) = numbers.as_deref() else {
        return Err(CellError::Syntax);
    };
    column
        .checked_sub(1)
        .and_then(|x| rules.cell_at(&[x, rules.row_index(row)?]))
        .ok_or(CellError::OffBoard)
}

/// Returns whether a text looks like `b2`, `b2-3` or `b2-2.3`.
fn is_letter_and_number(text: &str) -> bool {
    let mut letters = text.chars();
    letters
        .next()
        .is_some_and(|first| first.is_ascii_alphabetic())
        && !letters.as_str().is_empty()
        && letters
            .as_str()
            .bytes()
            .all(|byte| byte.is_ascii_digit() || matches!(byte, b'-' | b'.'))
}

fn parse_digit(text: &str) -> Option<u8> {
    match text.as_bytes() {
        [digit @ b'1'..=b'9'] => Some(digit - b'0'),
        _ => None,
    }
}

/// Returns the cell for a digit. With gravity, it is in the column with this number. Without gravity, only boards with
/// at most nine cells have digits; for other boards, returns `None`.
pub(crate) fn digit_cell(rules: &Rules, order: DigitOrder, digit: u8) -> Option<Cell> {
    let index = digit.checked_sub(1)?;
    if rules.gravity() {
        return (rules.dimensions() == 2 && index < rules.width().min(9))
            .then(|| Cell::new(u16::from(index)));
    }
    if rules.cells() > 9 || usize::from(index) >= rules.cells() {
        return None;
    }
    let numpad = order == DigitOrder::Numpad && rules.sides() == [3, 3];
    Some(Cell::new(u16::from(if numpad {
        3 * (2 - index / 3) + index % 3
    } else {
        index
    })))
}

/// Returns the digit of a free cell, as the inverse of [`digit_cell`]. With gravity, it is the number of the column.
pub(crate) fn cell_digit(rules: &Rules, order: DigitOrder, cell: Cell) -> Option<u8> {
    let cell = if rules.gravity() {
        Cell::new(u16::from(rules.coordinates(cell)?[0]))
    } else {
        cell
    };
    (1..=9).find(|&digit| digit_cell(rules, order, digit) == Some(cell))
}

/// Returns whether the board names its cells, or with gravity its columns, only by digits. A board without edges has
/// signs beside the rulers, so its cells have letters and numbers.
pub(crate) fn is_named_by_digits(rules: &Rules) -> bool {
    let has_digits = match rules.gravity() {
        true => rules.width() <= 9,
        false => rules.cells() <= 9,
    };
    has_digits && rules.dimensions() <= 2 && rules.has_edges()
}

/// Returns the name of a cell as the board on the full screen shows it.
pub(crate) fn shown_name(rules: &Rules, order: DigitOrder, cell: Cell) -> String {
    let digit = cell_digit(rules, order, cell).filter(|_| is_named_by_digits(rules));
    digit.map_or_else(|| rules.cell_text(cell), |digit| digit.to_string())
}

#[cfg(test)]
mod tests;
