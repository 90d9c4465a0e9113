//! Text commands: the command line of the full screen, and the lines of line mode.

mod entries;

use noughts_protocol::wire::{Claim, Phrase};
use noughts_protocol::{Cell, CellError, Offer, Rules};

use super::cell_names::CellNotation;
use super::keyboard_layout;
use crate::engine::Level;
use crate::i18n::lang::Lang;

pub(crate) use entries::{COMMANDS, CommandEntry, CommandWord};

/// Maximum length of a command in bytes.
pub(crate) const MAX_COMMAND_BYTES: usize = 200;

/// A parsed command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TextCommand {
    /// Plays a move on this cell.
    Move(Cell),
    /// Prints the board.
    Board,
    /// Sets whether line mode prints the board at each turn.
    PrintBoard(bool),
    /// Lists a row or a column.
    Scan(ScanTarget),
    /// Lists the player's stones.
    Marks,
    /// Prints the last move.
    Last,
    /// Prints the clocks.
    Clocks,
    /// Prints the name and the presence of the opponent.
    Opponent,
    /// Prints the command with which others can watch the game.
    Invite,
    /// Lists the commands.
    Help,
    Resign,
    /// Ends a game before both players have moved.
    Abort,
    Offer(Offer),
    /// Accepts this proposal, or the only one.
    Accept(Option<Offer>),
    /// Declines this proposal, or the only one.
    Decline(Option<Offer>),
    /// Claims the result of a game that the opponent has abandoned.
    Claim(Claim),
    /// Reports that the opponent's time is up.
    Flag,
    /// Invites a bot into the player's room.
    InviteBot(Option<Level>),
    /// Leaves the local game for the opponent who was found meanwhile.
    MeetOpponent,
    /// Says a phrase.
    Say(Phrase),
    /// Hides the phrases of the other players, or shows them again.
    Mute,
    /// Evaluates the free cells.
    Values,
    /// Evaluates each move of the finished game.
    Review,
    /// Sets how digits number the cells.
    DigitOrder(DigitOrder),
    /// Sets the language.
    Lang(Lang),
    /// Writes the record to this file.
    Save(String),
    Leave,
}

/// The part of the board to list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ScanTarget {
    /// Row index from 0, in the layer with these third and fourth coordinates.
    Row(u8, [u8; 2]),
    /// Column index from 0, in the layer with these third and fourth coordinates.
    Column(u8, [u8; 2]),
}

/// How digits number the cells of a small board.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DigitOrder {
    /// 1 2 3 in the top row.
    #[default]
    Reading,
    /// 7 8 9 in the top row, as on a numeric keypad.
    Numpad,
}

/// Reason why a text is not a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TextCommandError {
    Empty,
    UnknownCommand,
    /// The text looks like a cell, but is not one of this board.
    InvalidCell(CellError),
    /// The text is a cell, but there is no board.
    NoBoard,
    /// The argument of this command is invalid.
    InvalidArgument(&'static CommandEntry),
    /// The JSON object is not a command; the text is that of the JSON parser.
    InvalidJson(String),
}

/// Parses a command. `rules` are those of the board on the screen, if there is one, and `notation` names its cells.
///
/// # Errors
/// Returns the reason why the text is not a command.
pub(crate) fn parse(
    text: &str,
    rules: Option<&Rules>,
    order: DigitOrder,
    notation: CellNotation,
) -> Result<TextCommand, TextCommandError> {
    let text = text.trim();
    // Texts name commands as they are typed on the full screen.
    let text = text.strip_prefix([':', '：']).unwrap_or(text);
    if text.len() > MAX_COMMAND_BYTES {
        return Err(TextCommandError::UnknownCommand);
    }
    parse_latin(text, rules, order, notation).or_else(|error| {
        // The text may have been typed with another keyboard layout.
        let latin: String = text
            .chars()
            .map(|letter| keyboard_layout::latin_key(letter).unwrap_or(letter))
            .collect();
        if latin == text {
            Err(error)
        } else {
            parse_latin(&latin, rules, order, notation).map_err(|_| error)
        }
    })
}

fn parse_latin(
    text: &str,
    rules: Option<&Rules>,
    order: DigitOrder,
    notation: CellNotation,
) -> Result<TextCommand, TextCommandError> {
    let (name, argument) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    let (lower, argument) = (name.to_lowercase(), argument.trim());
    if lower.is_empty() {
        return Err(TextCommandError::Empty);
    }
    if let Some(entry) = COMMANDS.iter().find(|entry| entry.has_name(&lower)) {
        return parse_command(entry.word, argument, rules, notation)
            .ok_or(TextCommandError::InvalidArgument(entry));
    }
    let starts_like_a_cell = |first: char| first.is_ascii_digit() || first == '-';
    let looks_like_a_cell = text.starts_with(starts_like_a_cell) || is_letter_and_number(text);
    match rules {
        Some(rules) => match parse_digit(text).and_then(|digit| digit_cell(rules, order, digit)) {
            Some(cell) => Ok(TextCommand::Move(cell)),
            None if looks_like_a_cell => notation
                .parse_cell(rules, text)
                .map(TextCommand::Move)
                .map_err(TextCommandError::InvalidCell),
            None => Err(TextCommandError::UnknownCommand),
        },
        None if looks_like_a_cell => Err(TextCommandError::NoBoard),
        None => Err(TextCommandError::UnknownCommand),
    }
}

/// Parses the argument of a command word; `None` if it is invalid.
fn parse_command(
    word: CommandWord,
    argument: &str,
    rules: Option<&Rules>,
    notation: CellNotation,
) -> Option<TextCommand> {
    let without_argument = |typed: TextCommand| argument.is_empty().then_some(typed);
    match word {
        CommandWord::Board => match argument {
            "" => Some(TextCommand::Board),
            "always" | "всегда" | "总是" | "總是" => Some(TextCommand::PrintBoard(true)),
            "never" | "никогда" | "从不" | "從不" => {
                Some(TextCommand::PrintBoard(false))
            }
            _ => None,
        },
        CommandWord::Scan => parse_scan(argument, rules?, notation).map(TextCommand::Scan),
        CommandWord::Marks => without_argument(TextCommand::Marks),
        CommandWord::Last => without_argument(TextCommand::Last),
        CommandWord::Clocks => without_argument(TextCommand::Clocks),
        CommandWord::Opponent => without_argument(TextCommand::Opponent),
        CommandWord::Invite => without_argument(TextCommand::Invite),
        CommandWord::Resign => without_argument(TextCommand::Resign),
        CommandWord::Draw => without_argument(TextCommand::Offer(Offer::Draw)),
        CommandWord::Undo => without_argument(TextCommand::Offer(Offer::Takeback)),
        CommandWord::Rematch => without_argument(TextCommand::Offer(Offer::Rematch)),
        CommandWord::Accept => parse_offer(argument).map(TextCommand::Accept),
        CommandWord::Decline => parse_offer(argument).map(TextCommand::Decline),
        CommandWord::Claim => match argument {
            "win" | "победу" | "胜" | "勝" => Some(TextCommand::Claim(Claim::Win)),
            "draw" | "ничью" | "和" => Some(TextCommand::Claim(Claim::Draw)),
            _ => None,
        },
        CommandWord::Flag => without_argument(TextCommand::Flag),
        CommandWord::InviteBot if argument.is_empty() => Some(TextCommand::InviteBot(None)),
        CommandWord::InviteBot => argument
            .parse()
            .ok()
            .map(|level| TextCommand::InviteBot(Some(level))),
        CommandWord::MeetOpponent => without_argument(TextCommand::MeetOpponent),
        CommandWord::Say => parse_phrase(argument).map(TextCommand::Say),
        CommandWord::Mute => without_argument(TextCommand::Mute),
        CommandWord::DigitOrder => argument.parse().ok().map(TextCommand::DigitOrder),
        CommandWord::Lang => argument.parse().ok().map(TextCommand::Lang),
        CommandWord::Save => (!argument.is_empty()).then(|| TextCommand::Save(argument.to_owned())),
        CommandWord::Values => without_argument(TextCommand::Values),
        CommandWord::Review => without_argument(TextCommand::Review),
        CommandWord::Help => without_argument(TextCommand::Help),
        CommandWord::Leave => without_argument(TextCommand::Leave),
    }
}

/// Parses a phrase: its number in the menu, or its word on the wire.
fn parse_phrase(argument: &str) -> Option<Phrase> {
    match argument.parse::<usize>() {
        Ok(number) => Phrase::ALL.get(number.checked_sub(1)?).copied(),
        Err(_) => serde_json::from_value(argument.into()).ok(),
    }
}

fn parse_offer(argument: &str) -> Option<Option<Offer>> {
    match argument {
        "" => Some(None),
        argument => match COMMANDS.iter().find(|entry| entry.has_name(argument))?.word {
            CommandWord::Draw => Some(Some(Offer::Draw)),
            CommandWord::Undo => Some(Some(Offer::Takeback)),
            CommandWord::Rematch => Some(Some(Offer::Rematch)),
            CommandWord::Board
            | CommandWord::Scan
            | CommandWord::Marks
            | CommandWord::Last
            | CommandWord::Clocks
            | CommandWord::Opponent
            | CommandWord::Invite
            | CommandWord::Resign
            | CommandWord::Accept
            | CommandWord::Decline
            | CommandWord::Claim
            | CommandWord::Flag
            | CommandWord::InviteBot
            | CommandWord::MeetOpponent
            | CommandWord::Say
            | CommandWord::Mute
            | CommandWord::Values
            | CommandWord::Review
            | CommandWord::DigitOrder
            | CommandWord::Lang
            | CommandWord::Save
            | CommandWord::Help
            | CommandWord::Leave => None,
        },
    }
}

/// Parses a row or column: `8` is row 8, `h` is column h; with layers, `2,1` is row 2 of layer 1.
pub(super) fn parse_scan(
    argument: &str,
    rules: &Rules,
    notation: CellNotation,
) -> Option<ScanTarget> {
    let mut numbers = Vec::with_capacity(3);
    let mut parts = argument.split([',', ' ']).filter(|part| !part.is_empty());
    let first = parts.next()?;
    for part in parts.take(3) {
        numbers.push(part.parse::<u8>().ok()?.checked_sub(1)?);
    }
    let sides = rules.sides();
    // Missing layer coordinates are those of the first layer.
    if numbers.len() > sides.len().saturating_sub(2) {
        return None;
    }
    let mut layer = [0; 2];
    for (axis, number) in numbers.into_iter().enumerate() {
        if number >= sides[axis + 2] {
            return None;
        }
        layer[axis] = number;
    }
    if let Ok(row) = first.parse::<u8>() {
        return Some(ScanTarget::Row(notation.row_index(rules, row)?, layer));
    }
    let mut letters = first.chars();
    let letter = letters
        .next()
        .filter(char::is_ascii_alphabetic)?
        .to_ascii_lowercase();
    let column = (letter as u8) - b'a';
    (letters.next().is_none() && column < rules.width())
        .then_some(ScanTarget::Column(column, layer))
}

/// Whether a text looks like `b2`, `b2-3` or `b2-2.3`.
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

/// Returns the cell of a digit: with gravity, in the column with this number; otherwise on a board of at most nine cells.
/// `None` on larger boards.
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

/// Returns the digit of a free cell, the inverse of [`digit_cell`]. With gravity it is the number of the column.
pub(crate) fn cell_digit(rules: &Rules, order: DigitOrder, cell: Cell) -> Option<u8> {
    let cell = if rules.gravity() {
        Cell::new(u16::from(rules.coordinates(cell)?[0]))
    } else {
        cell
    };
    (1..=9).find(|&digit| digit_cell(rules, order, digit) == Some(cell))
}

impl std::str::FromStr for DigitOrder {
    type Err = TextCommandError;

    fn from_str(text: &str) -> Result<DigitOrder, TextCommandError> {
        match text.to_ascii_lowercase().as_str() {
            "reading" => Ok(DigitOrder::Reading),
            "numpad" => Ok(DigitOrder::Numpad),
            _ => Err(TextCommandError::UnknownCommand),
        }
    }
}

impl DigitOrder {
    /// The name as the player types it.
    pub fn as_str(self) -> &'static str {
        match self {
            DigitOrder::Reading => "reading",
            DigitOrder::Numpad => "numpad",
        }
    }
}

#[cfg(test)]
mod tests;
