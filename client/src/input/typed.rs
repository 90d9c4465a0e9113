//! Typed commands: what stands after `:` on the full screen, and every line in line mode.

mod entries;

use noughts_protocol::wire::Claim;
use noughts_protocol::{Cell, CellError, Offer, Rules};

use super::layout;
use crate::engine::Level;
use crate::lang::Lang;

pub use entries::{ENTRIES, Entry, Word};

/// The longest command that is read, in bytes.
pub const MAX_TEXT: usize = 200;

/// A command, understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Typed {
    /// To mark a cell.
    Move(Cell),
    /// To see the board.
    Board,
    /// To hear a row or a column.
    Scan(Scan),
    /// To hear where one's own marks are.
    Mine,
    /// To hear the last move.
    Last,
    /// To hear the clocks.
    Clocks,
    /// To hear about the opponent.
    Opponent,
    /// To know what can be typed.
    Help,
    /// To give up.
    Resign,
    /// To propose.
    Offer(Offer),
    /// To say yes to a proposal: to this one, or to the only one.
    Accept(Option<Offer>),
    /// To say no.
    Decline(Option<Offer>),
    /// To end the game of an absent player.
    Claim(Claim),
    /// To point out that the other's time is over.
    Flag,
    /// To bring a bot into one's own room.
    Bot(Option<Level>),
    /// To know what each free cell is worth.
    Values,
    /// To know what each move of the game was worth.
    Review,
    /// To number the cells in this order.
    Keys(DigitOrder),
    /// To speak this language.
    Lang(Lang),
    /// To write the game to a file.
    Save(String),
    /// To go.
    Leave,
}

/// What is to be read out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scan {
    /// The row with this number, from 0, in this layer (third and fourth coordinate, from 0).
    Row(u8, [u8; 2]),
    /// The column with this number.
    Column(u8, [u8; 2]),
}

/// How digits are laid over a small board.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DigitOrder {
    /// 1 2 3 on top, as one reads.
    #[default]
    Reading,
    /// 7 8 9 on top, as on a numeric keypad.
    Numpad,
}

/// Why a typed text is no command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TypedError {
    /// Nothing was typed.
    Empty,
    /// Neither a command nor a cell.
    Unknown,
    /// It looks like a cell, but is none of this board.
    Cell(CellError),
    /// There is no board to mark.
    NoBoard,
    /// The command is known, what follows it is not.
    Argument(&'static Entry),
    /// An object that is no command; why, in the words of the parser.
    Object(String),
}

/// Reads a command. `rules` are those of the board in front of the player, if there is one.
///
/// # Errors
/// What is wrong with it.
pub fn parse(text: &str, rules: Option<&Rules>, order: DigitOrder) -> Result<Typed, TypedError> {
    let text = text.trim();
    if text.len() > MAX_TEXT {
        return Err(TypedError::Unknown);
    }
    parse_latin(text, rules, order).or_else(|error| {
        // Typed in another layout: the same keys, read as a Latin keyboard.
        let latin: String = text.chars().map(|letter| layout::positional(letter).unwrap_or(letter)).collect();
        if latin == text { Err(error) } else { parse_latin(&latin, rules, order).map_err(|_| error) }
    })
}

fn parse_latin(text: &str, rules: Option<&Rules>, order: DigitOrder) -> Result<Typed, TypedError> {
    let (name, argument) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    let (lower, argument) = (name.to_lowercase(), argument.trim());
    if lower.is_empty() {
        return Err(TypedError::Empty);
    }
    if let Some(entry) = ENTRIES.iter().find(|entry| entry.is_called(&lower)) {
        return command(entry.word, argument, rules).ok_or(TypedError::Argument(entry));
    }
    let starts_like_a_cell = |first: char| first.is_ascii_digit() || first == '-';
    let looks_like_a_cell = text.starts_with(starts_like_a_cell) || is_letter_and_number(text);
    match rules {
        Some(rules) => match digit(text).and_then(|digit| digit_cell(rules, order, digit)) {
            Some(cell) => Ok(Typed::Move(cell)),
            None if looks_like_a_cell => rules.parse_cell(text).map(Typed::Move).map_err(TypedError::Cell),
            None => Err(TypedError::Unknown),
        },
        None if looks_like_a_cell => Err(TypedError::NoBoard),
        None => Err(TypedError::Unknown),
    }
}

/// One arm a command; none when what follows it makes no sense.
fn command(word: Word, argument: &str, rules: Option<&Rules>) -> Option<Typed> {
    let alone = |typed: Typed| argument.is_empty().then_some(typed);
    match word {
        Word::Board => alone(Typed::Board),
        Word::Scan => scan(argument, rules?).map(Typed::Scan),
        Word::Mine => alone(Typed::Mine),
        Word::Last => alone(Typed::Last),
        Word::Clocks => alone(Typed::Clocks),
        Word::Opponent => alone(Typed::Opponent),
        Word::Resign => alone(Typed::Resign),
        Word::Draw => alone(Typed::Offer(Offer::Draw)),
        Word::Undo => alone(Typed::Offer(Offer::Takeback)),
        Word::Rematch => alone(Typed::Offer(Offer::Rematch)),
        Word::Accept => offer(argument).map(Typed::Accept),
        Word::Decline => offer(argument).map(Typed::Decline),
        Word::Claim => match argument {
            "win" | "победу" | "胜" | "勝" => Some(Typed::Claim(Claim::Win)),
            "draw" | "ничью" | "和" => Some(Typed::Claim(Claim::Draw)),
            _ => None,
        },
        Word::Flag => alone(Typed::Flag),
        Word::Bot if argument.is_empty() => Some(Typed::Bot(None)),
        Word::Bot => argument.parse().ok().map(|level| Typed::Bot(Some(level))),
        Word::Keys => argument.parse().ok().map(Typed::Keys),
        Word::Lang => argument.parse().ok().map(Typed::Lang),
        Word::Save => (!argument.is_empty()).then(|| Typed::Save(argument.to_owned())),
        Word::Values => alone(Typed::Values),
        Word::Review => alone(Typed::Review),
        Word::Help => alone(Typed::Help),
        Word::Quit => alone(Typed::Leave),
    }
}

fn offer(argument: &str) -> Option<Option<Offer>> {
    match argument {
        "" => Some(None),
        argument => match ENTRIES.iter().find(|entry| entry.is_called(argument))?.word {
            Word::Draw => Some(Some(Offer::Draw)),
            Word::Undo => Some(Some(Offer::Takeback)),
            Word::Rematch => Some(Some(Offer::Rematch)),
            Word::Board
            | Word::Scan
            | Word::Mine
            | Word::Last
            | Word::Clocks
            | Word::Opponent
            | Word::Resign
            | Word::Accept
            | Word::Decline
            | Word::Claim
            | Word::Flag
            | Word::Bot
            | Word::Values
            | Word::Review
            | Word::Keys
            | Word::Lang
            | Word::Save
            | Word::Help
            | Word::Quit => None,
        },
    }
}

/// `8` is row 8, `h` column h; on a board of layers `2,1` is row 2 of layer 1.
pub(super) fn scan(argument: &str, rules: &Rules) -> Option<Scan> {
    let mut numbers = Vec::with_capacity(3);
    let mut parts = argument.split([',', ' ']).filter(|part| !part.is_empty());
    let first = parts.next()?;
    for part in parts.take(3) {
        numbers.push(part.parse::<u8>().ok()?.checked_sub(1)?);
    }
    let sides = rules.sides();
    // Layers that are not named are the first ones.
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
        let row = row.checked_sub(1).filter(|&row| row < rules.height())?;
        return Some(Scan::Row(row, layer));
    }
    let mut letters = first.chars();
    let letter = letters.next().filter(char::is_ascii_alphabetic)?.to_ascii_lowercase();
    let column = (letter as u8) - b'a';
    (letters.next().is_none() && column < rules.width()).then_some(Scan::Column(column, layer))
}

fn is_letter_and_number(text: &str) -> bool {
    let mut letters = text.chars();
    letters.next().is_some_and(|first| first.is_ascii_alphabetic())
        && !letters.as_str().is_empty()
        && letters.as_str().bytes().all(|byte| byte.is_ascii_digit())
}

fn digit(text: &str) -> Option<u8> {
    match text.as_bytes() {
        [digit @ b'1'..=b'9'] => Some(digit - b'0'),
        _ => None,
    }
}

/// The cell that a digit stands for: the column of a board with gravity, else the cell of a board that
/// has no more than nine. None on larger boards.
pub fn digit_cell(rules: &Rules, order: DigitOrder, digit: u8) -> Option<Cell> {
    let place = digit.checked_sub(1)?;
    if rules.gravity() {
        return (rules.dimensions() == 2 && place < rules.width().min(9))
            .then(|| Cell::new(u16::from(place)));
    }
    if rules.cells() > 9 || usize::from(place) >= rules.cells() {
        return None;
    }
    let numpad = order == DigitOrder::Numpad && rules.sides() == [3, 3];
    Some(Cell::new(u16::from(if numpad { 3 * (2 - place / 3) + place % 3 } else { place })))
}

/// The digit to print in a free cell, the other way round. Under gravity it is that of the column.
pub fn cell_digit(rules: &Rules, order: DigitOrder, cell: Cell) -> Option<u8> {
    let cell = if rules.gravity() { Cell::new(u16::from(rules.coordinates(cell)?[0])) } else { cell };
    (1..=9).find(|&digit| digit_cell(rules, order, digit) == Some(cell))
}

impl std::str::FromStr for DigitOrder {
    type Err = TypedError;

    fn from_str(text: &str) -> Result<DigitOrder, TypedError> {
        match text.to_ascii_lowercase().as_str() {
            "reading" => Ok(DigitOrder::Reading),
            "numpad" => Ok(DigitOrder::Numpad),
            _ => Err(TypedError::Unknown),
        }
    }
}

impl DigitOrder {
    /// The name, as typed.
    pub fn as_str(self) -> &'static str {
        match self {
            DigitOrder::Reading => "reading",
            DigitOrder::Numpad => "numpad",
        }
    }
}

#[cfg(test)]
mod tests;
