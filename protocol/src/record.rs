//! A game as text in the style of PGN: tags, a blank line, numbered moves.
//!
//! The reader plays every move on a board, so a parsed record is a possible game.

use std::fmt::{self, Write as _};
use std::str::FromStr;

use crate::cell::{CellError, push_number};
use crate::clock::TimeControlError;
use crate::outcome::{Verdict, VerdictError};
use crate::rules::RulesError;
use crate::{Cell, Identity, MoveError, Outcome, Position, Rules, Status, TimeControl};

/// Maximum width of a line of moves in the written text.
const MAX_COLUMNS: usize = 78;

/// A game: its rules, players, moves and outcome.
///
/// The tags are `Rules`, `X`, `O`, `XIdentity` and `OIdentity` (absent for guests), `Clock` (absent without a clock)
/// and `Result`: the text of a [`Verdict`], or `*` for an unfinished game. [`Rules::cell_text`] writes the cells. The
/// text omits the cells of a winning line, which follow from the moves.
///
/// The reader skips other tags, reads a missing name as `?`, an identity of another form as none and a missing result
/// as `*`, and accepts moves without numbers. Under gravity a move may name any cell of its column, see
/// [`Position::landing_cell`].
///
/// ```
/// use noughts_protocol::Record;
/// let text = "\
/// [Rules \"3x3:3\"]
/// [X \"Ann\"]
/// [O \"Bob\"]
/// [Clock \"5+3\"]
/// [Result \"X line\"]
///
/// 1. b2 a1 2. c1 b1 3. a3
/// ";
/// let record: Record = text.parse().unwrap();
/// assert_eq!(record.moves.len(), 5);
/// assert_eq!(record.to_string(), text);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// The rules of the game.
    pub rules: Rules,
    /// The time control; `None` for a game without a clock.
    pub control: Option<TimeControl>,
    /// The names of X and O.
    pub players: [String; 2],
    /// The identities of X and O.
    pub identities: [Option<Identity>; 2],
    /// The cells of the stones, in the order of play.
    pub moves: Vec<Cell>,
    /// How the game ended; `None` for an unfinished game.
    pub outcome: Option<Outcome>,
}

/// Error of reading a [`Record`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordError {
    /// The number of the text line, from 1.
    pub line: usize,
    /// The kind of error.
    pub kind: RecordErrorKind,
}

/// The kinds of [`RecordError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordErrorKind {
    /// The text has more than [`Record::MAX_TEXT`] bytes.
    TooLong,
    /// A line before the moves is not of the form `[Name "value"]`.
    Tag,
    /// A tag occurs twice.
    RepeatedTag,
    /// The `Rules` tag is missing.
    NoRules,
    /// The `Rules` tag is invalid.
    Rules(RulesError),
    /// The `Clock` tag is invalid.
    Clock(TimeControlError),
    /// The `Result` tag is neither a [`Verdict`] nor `*`.
    Result(VerdictError),
    /// The number of a move is wrong.
    Number,
    /// A move is not a cell of the board.
    Cell(CellError),
    /// A move is illegal.
    Move(MoveError),
    /// The `Result` tag contradicts the position after the last move.
    Mismatch,
}

impl Record {
    /// Maximum length of a text in bytes: enough for a full board of 1024 cells and long names.
    pub const MAX_TEXT: usize = 32 * 1024;

    /// Returns the position after the last move.
    ///
    /// # Errors
    /// The number of legal moves before the first illegal move, and the error of that move. A parsed record has only
    /// legal moves.
    pub fn replay(&self) -> Result<Position, (usize, MoveError)> {
        let mut position = Position::new(self.rules);
        for (ply, &cell) in self.moves.iter().enumerate() {
            position.play(cell).map_err(|error| (ply, error))?;
        }
        Ok(position)
    }
}

impl fmt::Display for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [x, o] = &self.players;
        writeln!(
            f,
            "[Rules \"{}\"]\n[X \"{}\"]\n[O \"{}\"]",
            self.rules,
            Escaped(x),
            Escaped(o)
        )?;
        for (seat, identity) in ["X", "O"].into_iter().zip(self.identities) {
            if let Some(identity) = identity {
                writeln!(f, "[{seat}Identity \"{identity}\"]")?;
            }
        }
        if let Some(control) = self.control {
            writeln!(f, "[Clock \"{control}\"]")?;
        }
        match &self.outcome {
            Some(outcome) => writeln!(f, "[Result \"{outcome}\"]\n")?,
            None => writeln!(f, "[Result \"*\"]\n")?,
        }
        let (mut column, mut word) = (0, String::new());
        for (ply, &cell) in self.moves.iter().enumerate() {
            word.clear();
            // A move number must stand on the same line as its move.
            if ply.is_multiple_of(2) {
                push_number(ply / 2 + 1, &mut word);
                word.push_str(". ");
            }
            self.rules.push_cell(cell, &mut word);
            if column > 0 && column + 1 + word.len() <= MAX_COLUMNS {
                f.write_char(' ')?;
                column += 1;
            } else if column > 0 {
                f.write_char('\n')?;
                column = 0;
            }
            f.write_str(&word)?;
            column += word.len();
        }
        if column > 0 { writeln!(f) } else { Ok(()) }
    }
}

/// Writes a name for use between quotes: with a backslash before each quote and backslash, and with control characters
/// as `\\u{..}`. A name can end neither its tag nor its line.
struct Escaped<'a>(&'a str);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for letter in self.0.chars() {
            match letter {
                '"' | '\\' => write!(f, "\\{letter}")?,
                letter if letter.is_control() => write!(f, "\\u{{{:x}}}", u32::from(letter))?,
                letter => f.write_char(letter)?,
            }
        }
        Ok(())
    }
}

/// Reverses [`Escaped`]. Returns `None` for an invalid escape or an unescaped quote.
fn unescape(text: &str) -> Option<String> {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(index) = rest.find(['"', '\\']) {
        plain.push_str(&rest[..index]);
        rest = rest[index..].strip_prefix('\\')?;
        if let Some(code) = rest.strip_prefix("u{") {
            let (digits, after) = code.split_once('}')?;
            let number = u32::from_str_radix(digits, 16)
                .ok()
                .filter(|_| !digits.starts_with('+'))?;
            plain.push(char::from_u32(number)?);
            rest = after;
        } else {
            let letter = rest
                .chars()
                .next()
                .filter(|letter| matches!(letter, '"' | '\\'))?;
            plain.push(letter);
            rest = &rest[1..];
        }
    }
    plain.push_str(rest);
    Some(plain)
}

/// The values of the known tags, each with its line number.
#[derive(Default)]
struct Tags {
    rules: Option<(usize, String)>,
    x: Option<(usize, String)>,
    o: Option<(usize, String)>,
    x_identity: Option<(usize, String)>,
    o_identity: Option<(usize, String)>,
    clock: Option<(usize, String)>,
    result: Option<(usize, String)>,
}

impl Tags {
    /// Reads a line `[Name "value"]` and stores the value of a known tag.
    fn parse_line(&mut self, number: usize, line: &str) -> Result<(), RecordErrorKind> {
        let inner = line
            .strip_prefix('[')
            .and_then(|line| line.strip_suffix("\"]"));
        let (name, value) = inner
            .and_then(|line| line.split_once(" \""))
            .ok_or(RecordErrorKind::Tag)?;
        let value = unescape(value).ok_or(RecordErrorKind::Tag)?;
        let slot = match name {
            "Rules" => &mut self.rules,
            "X" => &mut self.x,
            "O" => &mut self.o,
            "XIdentity" => &mut self.x_identity,
            "OIdentity" => &mut self.o_identity,
            "Clock" => &mut self.clock,
            "Result" => &mut self.result,
            // As in PGN, unknown tags are skipped, so later versions of the format may add tags.
            _ => return Ok(()),
        };
        match slot.replace((number, value)) {
            Some(_) => Err(RecordErrorKind::RepeatedTag),
            None => Ok(()),
        }
    }
}

impl FromStr for Record {
    type Err = RecordError;

    fn from_str(text: &str) -> Result<Record, RecordError> {
        let error_at = |line: usize| move |kind| RecordError { line, kind };
        if text.len() > Record::MAX_TEXT {
            return Err(error_at(1)(RecordErrorKind::TooLong));
        }
        let mut lines = text
            .lines()
            .map(str::trim)
            .enumerate()
            .map(|(index, line)| (index + 1, line))
            .peekable();
        let mut tags = Tags::default();
        while let Some((number, line)) =
            lines.next_if(|(_, line)| line.is_empty() || line.starts_with('['))
        {
            if !line.is_empty() {
                tags.parse_line(number, line).map_err(error_at(number))?;
            }
        }
        let (line, rules) = tags.rules.ok_or(error_at(1)(RecordErrorKind::NoRules))?;
        let rules: Rules = rules
            .parse()
            .map_err(RecordErrorKind::Rules)
            .map_err(error_at(line))?;
        let control = match tags.clock {
            Some((line, clock)) => Some(
                clock
                    .parse()
                    .map_err(RecordErrorKind::Clock)
                    .map_err(error_at(line))?,
            ),
            None => None,
        };

        let mut position = Position::new(rules);
        for (number, line) in lines {
            for word in line.split_whitespace() {
                play_word(&mut position, word).map_err(error_at(number))?;
            }
        }

        let (line, result) = tags.result.unwrap_or((1, "*".to_owned()));
        let outcome = match result.as_str() {
            "*" => None,
            result => Some(
                result
                    .parse()
                    .map_err(RecordErrorKind::Result)
                    .map_err(error_at(line))?,
            ),
        };
        let outcome = check_result(&position, outcome).map_err(error_at(line))?;
        let name =
            |tag: Option<(usize, String)>| tag.map_or_else(|| "?".to_owned(), |(_, name)| name);
        let players = [name(tags.x), name(tags.o)];
        // An operator may have replaced an identity by another word.
        let identities = [tags.x_identity, tags.o_identity]
            .map(|tag| tag.and_then(|(_, identity)| identity.parse().ok()));
        Ok(Record {
            rules,
            control,
            players,
            identities,
            moves: position.moves().to_vec(),
            outcome,
        })
    }
}

/// Plays one word of the move text, or checks it if it is a move number.
fn play_word(position: &mut Position, word: &str) -> Result<(), RecordErrorKind> {
    if let Some(number) = word.strip_suffix('.') {
        let is_due =
            position.ply().is_multiple_of(2) && number == (position.ply() / 2 + 1).to_string();
        return if is_due {
            Ok(())
        } else {
            Err(RecordErrorKind::Number)
        };
    }
    let cell = position
        .rules()
        .parse_cell(word)
        .map_err(RecordErrorKind::Cell)?;
    position.play(cell).map_err(RecordErrorKind::Move)?;
    Ok(())
}

/// Returns the outcome for a verdict and the final position. A line or a full board must be visible on the board. Every
/// other verdict, and a game without a verdict, needs an unfinished board.
fn check_result(
    position: &Position,
    verdict: Option<Verdict>,
) -> Result<Option<Outcome>, RecordErrorKind> {
    let agrees = match (position.status(), verdict) {
        (Status::Won(seat), Some(Verdict::Line(winner))) => seat == winner,
        (Status::Drawn, Some(Verdict::Full)) => true,
        (Status::Won(_) | Status::Drawn, _)
        | (Status::Ongoing, Some(Verdict::Line(_) | Verdict::Full)) => false,
        (Status::Ongoing, _) => true,
    };
    if agrees {
        Ok(position
            .outcome()
            .or_else(|| verdict.and_then(Verdict::outcome)))
    } else {
        Err(RecordErrorKind::Mismatch)
    }
}

impl RecordError {
    /// Returns a stable name for programs, in snake case; for an error in a part, the name of that error.
    pub fn code(self) -> &'static str {
        match self.kind {
            RecordErrorKind::TooLong => "record_too_long",
            RecordErrorKind::Tag => "record_tag",
            RecordErrorKind::RepeatedTag => "record_repeated_tag",
            RecordErrorKind::NoRules => "record_no_rules",
            RecordErrorKind::Rules(error) => error.code(),
            RecordErrorKind::Clock(_) => "record_clock",
            RecordErrorKind::Result(_) => "record_result",
            RecordErrorKind::Number => "record_number",
            RecordErrorKind::Cell(error) => error.code(),
            RecordErrorKind::Move(error) => error.code(),
            RecordErrorKind::Mismatch => "record_mismatch",
        }
    }
}

impl fmt::Display for RecordError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.code())
    }
}

impl std::error::Error for RecordError {}
