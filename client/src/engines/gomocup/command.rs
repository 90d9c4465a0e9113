//! Commands of a manager to an engine.

use std::fmt;
use std::str::FromStr;

use super::{MAX_LINE_BYTES, ParseGomocupError, Point, parse_number};

/// One command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum GomocupCommand {
    /// `START`: empty square board of this side length.
    Start(u8),
    /// `RECTSTART`: empty board of this width and height.
    RectStart(u8, u8),
    /// `RESTART`: the same board, cleared.
    Restart,
    /// `BEGIN`: the engine makes the first move.
    Begin,
    /// `TURN`: the opponent moved here; the engine moves.
    Turn(Point),
    /// `BOARD`: a position follows, one stone per line.
    Board,
    /// A stone of a position.
    Stone(Point, StoneOwner),
    /// `SWAP2BOARD`: the stones of a swap2 opening follow, one per line.
    SwapBoard,
    /// A stone of a swap2 opening.
    OpeningStone(Point),
    /// `DONE`: the position is complete; the engine moves.
    Done,
    /// `TAKEBACK`: removes the last stone, which is here.
    TakeBack(Point),
    /// `INFO`: a setting. Has no response.
    Info(GomocupInfo),
    /// `ABOUT`: asks for the name of the engine.
    About,
    /// `END`: the engine exits.
    End,
}

/// Owner of a stone in a position, from the point of view of the engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StoneOwner {
    /// The engine.
    Own,
    /// The opponent.
    Other,
    /// Part of an earlier winning line, in continuous games.
    Line,
}

/// Setting of an `INFO` command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GomocupInfo {
    /// Maximum time for a move in milliseconds; 0 for as fast as possible.
    TimeoutTurn(u64),
    /// Time for a game in milliseconds; 0 for no limit.
    TimeoutMatch(u64),
    /// Remaining time of the game in milliseconds; negative after a time overrun.
    TimeLeft(i64),
    /// Memory in bytes; 0 for no limit.
    MaxMemory(u64),
    /// Rules, as a combination of the bits below.
    Rule(u8),
    /// Any other key; engines may ignore it.
    Other,
}

impl GomocupInfo {
    /// Only a line of exactly five wins.
    pub(crate) const EXACT: u8 = 1;
    /// Renju rules. Not supported.
    pub(crate) const RENJU: u8 = 4;
    /// Caro rules: five with both ends blocked do not win. Not supported.
    pub(crate) const CARO: u8 = 8;
}

impl fmt::Display for GomocupCommand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GomocupCommand::Start(side) => write!(f, "START {side}"),
            GomocupCommand::RectStart(width, height) => write!(f, "RECTSTART {width},{height}"),
            GomocupCommand::Restart => f.write_str("RESTART"),
            GomocupCommand::Begin => f.write_str("BEGIN"),
            GomocupCommand::Turn(point) => write!(f, "TURN {point}"),
            GomocupCommand::Board => f.write_str("BOARD"),
            GomocupCommand::SwapBoard => f.write_str("SWAP2BOARD"),
            GomocupCommand::OpeningStone(point) => point.fmt(f),
            GomocupCommand::Stone(point, StoneOwner::Own) => write!(f, "{point},1"),
            GomocupCommand::Stone(point, StoneOwner::Other) => write!(f, "{point},2"),
            GomocupCommand::Stone(point, StoneOwner::Line) => write!(f, "{point},3"),
            GomocupCommand::Done => f.write_str("DONE"),
            GomocupCommand::TakeBack(point) => write!(f, "TAKEBACK {point}"),
            GomocupCommand::Info(GomocupInfo::TimeoutTurn(ms)) => {
                write!(f, "INFO timeout_turn {ms}")
            }
            GomocupCommand::Info(GomocupInfo::TimeoutMatch(ms)) => {
                write!(f, "INFO timeout_match {ms}")
            }
            GomocupCommand::Info(GomocupInfo::TimeLeft(ms)) => write!(f, "INFO time_left {ms}"),
            GomocupCommand::Info(GomocupInfo::MaxMemory(bytes)) => {
                write!(f, "INFO max_memory {bytes}")
            }
            GomocupCommand::Info(GomocupInfo::Rule(bits)) => write!(f, "INFO rule {bits}"),
            GomocupCommand::Info(GomocupInfo::Other) => f.write_str("INFO other"),
            GomocupCommand::About => f.write_str("ABOUT"),
            GomocupCommand::End => f.write_str("END"),
        }
    }
}

impl FromStr for GomocupCommand {
    type Err = ParseGomocupError;

    /// Parses a line. Commands are case-insensitive; surrounding blanks are ignored.
    fn from_str(line: &str) -> Result<GomocupCommand, ParseGomocupError> {
        if line.len() > MAX_LINE_BYTES {
            return Err(ParseGomocupError::TooLong);
        }
        let line = line.trim();
        if line.starts_with(|first: char| first.is_ascii_digit()) {
            return parse_stone(line);
        }
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        let without_argument = |command: GomocupCommand| {
            if rest.is_empty() {
                Ok(command)
            } else {
                Err(ParseGomocupError::Argument)
            }
        };
        match word.to_ascii_uppercase().as_str() {
            "START" => Ok(GomocupCommand::Start(parse_number(rest)?)),
            "RECTSTART" => {
                let (width, height) = rest.split_once(',').ok_or(ParseGomocupError::Argument)?;
                Ok(GomocupCommand::RectStart(
                    parse_number(width)?,
                    parse_number(height)?,
                ))
            }
            "RESTART" => without_argument(GomocupCommand::Restart),
            "BEGIN" => without_argument(GomocupCommand::Begin),
            "TURN" => Ok(GomocupCommand::Turn(rest.parse()?)),
            "BOARD" => without_argument(GomocupCommand::Board),
            "SWAP2BOARD" => without_argument(GomocupCommand::SwapBoard),
            "DONE" => without_argument(GomocupCommand::Done),
            "TAKEBACK" => Ok(GomocupCommand::TakeBack(rest.parse()?)),
            "INFO" => Ok(GomocupCommand::Info(parse_info(rest)?)),
            "ABOUT" => without_argument(GomocupCommand::About),
            "END" => without_argument(GomocupCommand::End),
            _ => Err(ParseGomocupError::Unknown),
        }
    }
}

/// Parses `x,y,owner`, or `x,y` in a swap2 opening.
fn parse_stone(line: &str) -> Result<GomocupCommand, ParseGomocupError> {
    if line.split(',').count() == 2 {
        return line.parse().map(GomocupCommand::OpeningStone);
    }
    let (point, owner) = line.rsplit_once(',').ok_or(ParseGomocupError::Argument)?;
    let owner = match owner.trim() {
        "1" => StoneOwner::Own,
        "2" => StoneOwner::Other,
        "3" => StoneOwner::Line,
        _ => return Err(ParseGomocupError::Argument),
    };
    Ok(GomocupCommand::Stone(point.parse()?, owner))
}

fn parse_info(rest: &str) -> Result<GomocupInfo, ParseGomocupError> {
    let (key, value) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    match key.to_ascii_lowercase().as_str() {
        "timeout_turn" => Ok(GomocupInfo::TimeoutTurn(parse_number(value)?)),
        "timeout_match" => Ok(GomocupInfo::TimeoutMatch(parse_number(value)?)),
        "time_left" => value
            .trim()
            .parse()
            .map(GomocupInfo::TimeLeft)
            .map_err(|_| ParseGomocupError::Argument),
        "max_memory" => Ok(GomocupInfo::MaxMemory(parse_number(value)?)),
        "rule" => Ok(GomocupInfo::Rule(parse_number(value)?)),
        "" => Err(ParseGomocupError::Argument),
        _ => Ok(GomocupInfo::Other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_round_trip() {
        let point = Point { x: 7, y: 8 };
        for (text, command) in [
            ("START 15", GomocupCommand::Start(15)),
            ("RECTSTART 20,15", GomocupCommand::RectStart(20, 15)),
            ("RESTART", GomocupCommand::Restart),
            ("BEGIN", GomocupCommand::Begin),
            ("TURN 7,8", GomocupCommand::Turn(point)),
            ("BOARD", GomocupCommand::Board),
            ("7,8,1", GomocupCommand::Stone(point, StoneOwner::Own)),
            ("7,8,2", GomocupCommand::Stone(point, StoneOwner::Other)),
            ("7,8,3", GomocupCommand::Stone(point, StoneOwner::Line)),
            ("SWAP2BOARD", GomocupCommand::SwapBoard),
            ("7,8", GomocupCommand::OpeningStone(point)),
            ("DONE", GomocupCommand::Done),
            ("TAKEBACK 7,8", GomocupCommand::TakeBack(point)),
            (
                "INFO timeout_turn 5000",
                GomocupCommand::Info(GomocupInfo::TimeoutTurn(5_000)),
            ),
            (
                "INFO timeout_match 100000",
                GomocupCommand::Info(GomocupInfo::TimeoutMatch(100_000)),
            ),
            (
                "INFO time_left -20",
                GomocupCommand::Info(GomocupInfo::TimeLeft(-20)),
            ),
            (
                "INFO max_memory 83886080",
                GomocupCommand::Info(GomocupInfo::MaxMemory(83_886_080)),
            ),
            ("INFO rule 1", GomocupCommand::Info(GomocupInfo::Rule(1))),
            ("ABOUT", GomocupCommand::About),
            ("END", GomocupCommand::End),
        ] {
            assert_eq!(
                (text.parse(), command.to_string().as_str()),
                (Ok(command.clone()), text)
            );
            assert_eq!(
                format!("  {}\r", text.to_lowercase()).parse(),
                Ok(command),
                "{text}"
            );
        }
    }

    #[test]
    fn invalid_commands_are_rejected() {
        for (text, error) in [
            ("", ParseGomocupError::Unknown),
            ("PLAY 1,2", ParseGomocupError::Unknown),
            ("SWAP2BOARD 3", ParseGomocupError::Argument),
            ("START", ParseGomocupError::Argument),
            ("START 300", ParseGomocupError::Argument),
            ("START -5", ParseGomocupError::Argument),
            ("TURN 7", ParseGomocupError::Argument),
            ("BEGIN now", ParseGomocupError::Argument),
            ("7,", ParseGomocupError::Argument),
            ("7,8,9", ParseGomocupError::Argument),
            ("INFO", ParseGomocupError::Argument),
            ("INFO timeout_turn soon", ParseGomocupError::Argument),
        ] {
            assert_eq!(text.parse::<GomocupCommand>(), Err(error), "{text}");
        }
        assert_eq!(
            "INFO folder /tmp/x y".parse(),
            Ok(GomocupCommand::Info(GomocupInfo::Other))
        );
        assert_eq!(
            format!("TURN {}", " ".repeat(MAX_LINE_BYTES)).parse::<GomocupCommand>(),
            Err(ParseGomocupError::TooLong)
        );
    }
}
