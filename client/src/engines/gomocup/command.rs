//! Commands that a manager sends in the Gomocup protocol, in particular those that request a move, and the responses to
//! them. Pure.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use noughts_protocol::{Cell, Position, Rules};

use crate::engines::gomocup::{MAX_LINE_BYTES, ParseGomocupError, Point, can_play, parse_number};

/// A command in one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum GomocupCommand {
    /// `START`: an empty square board with this side length.
    Start(u8),
    /// `RECTSTART`: an empty board with this width and height.
    RectStart(u8, u8),
    /// `RESTART`: clears the board.
    Restart,
    /// `BEGIN`: asks the engine to make the first move.
    Begin,
    /// `TURN`: the opponent has played here. Asks the engine to move.
    Turn(Point),
    /// `BOARD`: a position follows, one stone per line.
    Board,
    /// A stone of a position.
    Stone(Point, StoneOwner),
    /// `SWAP2BOARD`: the stones of a swap2 opening follow, one per line.
    SwapBoard,
    /// A stone of a swap2 opening.
    OpeningStone(Point),
    /// `DONE`: the position is complete. Asks the engine to move.
    Done,
    /// `TAKEBACK`: removes the last stone, at this point.
    TakeBack(Point),
    /// `INFO`: a setting. It has no response.
    Info(GomocupInfo),
    /// `ABOUT`: asks for the name of the engine.
    About,
    /// `END`: the engine exits.
    End,
}

/// Owner of a stone in a position, from the engine's point of view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StoneOwner {
    /// The engine.
    Own,
    /// The opponent.
    Other,
    /// Part of an earlier winning line, in continuous games.
    Line,
}

/// Setting in an `INFO` command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GomocupInfo {
    /// Maximum time for a move in milliseconds; 0 means as fast as possible.
    TimeoutTurn(u64),
    /// Time for a game in milliseconds; 0 means no limit.
    TimeoutMatch(u64),
    /// Remaining time in the game in milliseconds; negative after an overrun.
    TimeLeft(i64),
    /// Memory in bytes; 0 means no limit.
    MaxMemory(u64),
    /// Rules, as a combination of the bits in [`GomocupInfo`].
    Rule(u8),
    /// Any other key. Engines may ignore it.
    Other,
}

impl GomocupInfo {
    /// Only a line of exactly five wins.
    pub(crate) const EXACT: u8 = 1;
    /// Renju rules. Not supported.
    pub(crate) const RENJU: u8 = 4;
    /// Caro rules: a line of five with both ends blocked does not win. Not supported.
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

/// The game state that an engine knows, including its own moves.
#[derive(Clone, Debug, Default)]
pub(crate) struct KnownPosition {
    game: Option<(Rules, Vec<Cell>)>,
}

/// Commands that request one move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MoveCommands {
    /// Sets up an empty board. The engine answers `OK`. `None` if the engine already has the board.
    pub start: Option<GomocupCommand>,
    /// Commands that are sent together afterwards. The engine answers the last command with a move.
    pub search: Vec<GomocupCommand>,
}

impl KnownPosition {
    /// Returns the commands that request a move in `position`; `None` if the protocol does not support the rules.
    ///
    /// A known position plus one move is continued with `TURN`. Any other position is sent as a board, because few
    /// engines support `TAKEBACK`.
    pub(crate) fn move_commands(
        &self,
        position: &Position,
        move_time: Duration,
    ) -> Option<MoveCommands> {
        let (rules, moves) = (*position.rules(), position.moves());
        if !can_play(&rules) {
            return None;
        }
        let point = |cell: Cell| Point::from_cell(&rules, cell);
        let move_time_ms = u64::try_from(move_time.as_millis()).unwrap_or(u64::MAX);
        // The game has no time limit here, because the time limit for this move already accounts for the clock.
        let mut search = vec![
            GomocupCommand::Info(GomocupInfo::TimeoutTurn(move_time_ms.max(1))),
            GomocupCommand::Info(GomocupInfo::TimeoutMatch(0)),
        ];
        let continuation = match (&self.game, moves.split_last()) {
            (Some((known_rules, known_moves)), Some((last, before))) => {
                (*known_rules == rules && !known_moves.is_empty() && known_moves == before)
                    .then_some(*last)
            }
            (Some(_), None) | (None, Some(_)) | (None, None) => None,
        };
        if let Some(last) = continuation {
            search.push(GomocupCommand::Turn(point(last)?));
            return Some(MoveCommands {
                start: None,
                search,
            });
        }
        let (width, height) = (rules.width(), rules.height());
        let start = if width == height {
            GomocupCommand::Start(width)
        } else {
            GomocupCommand::RectStart(width, height)
        };
        search.insert(
            0,
            GomocupCommand::Info(GomocupInfo::Rule(if rules.exact() {
                GomocupInfo::EXACT
            } else {
                0
            })),
        );
        if moves.is_empty() {
            search.push(GomocupCommand::Begin);
        } else {
            search.push(GomocupCommand::Board);
            for (ply, &cell) in moves.iter().enumerate() {
                let own = (moves.len() - ply).is_multiple_of(2);
                search.push(GomocupCommand::Stone(
                    point(cell)?,
                    if own {
                        StoneOwner::Own
                    } else {
                        StoneOwner::Other
                    },
                ));
            }
            search.push(GomocupCommand::Done);
        }
        Some(MoveCommands {
            start: Some(start),
            search,
        })
    }

    /// Records that the engine received `position` and answered with the move `answer`.
    pub(crate) fn record_move(&mut self, position: &Position, answer: Cell) {
        let moves = position.moves().iter().copied().chain([answer]).collect();
        self.game = Some((*position.rules(), moves));
    }
}

/// A response in one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum GomocupResponse {
    /// A move.
    Move(Point),
    /// The three stones of a swap2 opening.
    Opening([Point; 3]),
    /// `SWAP`: the engine takes the side of the opponent in a swap2 opening.
    Swap,
    /// `OK`: the command succeeded.
    Ok,
    /// `ERROR` with a reason.
    Error(String),
    /// `UNKNOWN` with the command.
    Unknown(String),
    /// `MESSAGE`: a text for the user.
    Message(String),
    /// `DEBUG`: a text for the author of the engine.
    Debug(String),
    /// Response to `ABOUT`: `name="..."` and other fields.
    About(String),
}

impl GomocupResponse {
    /// Returns the name in a response to `ABOUT`.
    pub(crate) fn name(&self) -> Option<&str> {
        let GomocupResponse::About(text) = self else {
            return None;
        };
        let (_, rest) = text.split_once("name=\"")?;
        rest.split_once('"')
            .map(|(name, _)| name)
            .filter(|name| !name.is_empty())
    }
}

impl fmt::Display for GomocupResponse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GomocupResponse::Move(point) => point.fmt(f),
            GomocupResponse::Opening([first, second, third]) => {
                write!(f, "{first} {second} {third}")
            }
            GomocupResponse::Swap => f.write_str("SWAP"),
            GomocupResponse::Ok => f.write_str("OK"),
            GomocupResponse::Error(text) => write!(f, "ERROR {text}"),
            GomocupResponse::Unknown(text) => write!(f, "UNKNOWN {text}"),
            GomocupResponse::Message(text) => write!(f, "MESSAGE {text}"),
            GomocupResponse::Debug(text) => write!(f, "DEBUG {text}"),
            GomocupResponse::About(text) => f.write_str(text),
        }
    }
}

impl FromStr for GomocupResponse {
    type Err = ParseGomocupError;

    fn from_str(line: &str) -> Result<GomocupResponse, ParseGomocupError> {
        if line.len() > MAX_LINE_BYTES {
            return Err(ParseGomocupError::TooLong);
        }
        let line = line.trim();
        if line.starts_with(|first: char| first.is_ascii_digit()) {
            if let [first, second, third] = line.split_whitespace().collect::<Vec<_>>()[..] {
                let opening = [first.parse()?, second.parse()?, third.parse()?];
                return Ok(GomocupResponse::Opening(opening));
            }
            return line.parse().map(GomocupResponse::Move);
        }
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = || rest.trim().to_owned();
        match word.to_ascii_uppercase().as_str() {
            // Some engines append text, such as a version.
            "OK" => Ok(GomocupResponse::Ok),
            "SWAP" => Ok(GomocupResponse::Swap),
            "ERROR" => Ok(GomocupResponse::Error(rest())),
            "UNKNOWN" => Ok(GomocupResponse::Unknown(rest())),
            "MESSAGE" => Ok(GomocupResponse::Message(rest())),
            "DEBUG" => Ok(GomocupResponse::Debug(rest())),
            _ if line.contains("=\"") => Ok(GomocupResponse::About(line.to_owned())),
            _ => Err(ParseGomocupError::Unknown),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engines::tests::position;

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

    /// Checks the commands for a position, given the previous position and the engine's answer to it.
    fn check(previous: Option<(&str, &str, &str)>, rules: &str, moves: &str, expected: &[&str]) {
        let mut known = KnownPosition::default();
        if let Some((rules, moves, answer)) = previous {
            let before = position(rules, moves);
            known.record_move(&before, before.rules().parse_cell(answer).unwrap());
        }
        let commands = known
            .move_commands(&position(rules, moves), Duration::from_millis(800))
            .unwrap();
        let lines: Vec<String> = commands
            .start
            .iter()
            .chain(&commands.search)
            .map(GomocupCommand::to_string)
            .collect();
        assert_eq!(lines, expected, "{previous:?}, then {rules} {moves}");
    }

    const TIMES: [&str; 2] = ["INFO timeout_turn 800", "INFO timeout_match 0"];

    #[test]
    fn a_game_starts_with_a_board_and_continues_by_turns() {
        let [turn, game] = TIMES;
        check(
            None,
            "15x15:5",
            "",
            &["START 15", "INFO rule 0", turn, game, "BEGIN"],
        );
        check(
            None,
            "20x15:5+exact",
            "h8",
            &[
                "RECTSTART 20,15",
                "INFO rule 1",
                turn,
                game,
                "BOARD",
                "7,7,2",
                "DONE",
            ],
        );
        check(
            Some(("15x15:5", "", "h8")),
            "15x15:5",
            "h8 h7",
            &[turn, game, "TURN 7,8"],
        );
        check(
            Some(("15x15:5", "h8", "h7")),
            "15x15:5",
            "h8 h7 g15",
            &[turn, game, "TURN 6,0"],
        );
    }

    #[test]
    fn other_positions_are_sent_as_a_board() {
        let [turn, game] = TIMES;
        let board_commands = [
            "START 15",
            "INFO rule 0",
            turn,
            game,
            "BOARD",
            "7,7,1",
            "6,6,2",
            "DONE",
        ]
        .map(str::to_owned);
        let board_commands: Vec<&str> = board_commands.iter().map(String::as_str).collect();
        for previous in [
            None,
            // The engine answered with a different move.
            Some(("15x15:5", "", "a15")),
            // A move was taken back.
            Some(("15x15:5", "h8 h7", "a15")),
            Some(("15x15:5+exact", "", "h8")),
            Some(("16x16:5", "", "h8")),
        ] {
            check(previous, "15x15:5", "h8 g9", &board_commands);
        }
        check(
            Some(("15x15:5", "", "h8")),
            "15x15:5",
            "",
            &["START 15", "INFO rule 0", turn, game, "BEGIN"],
        );
    }

    #[test]
    fn unsupported_rules_have_no_commands() {
        assert_eq!(
            KnownPosition::default().move_commands(&position("3x3:3", ""), Duration::ZERO),
            None
        );
    }

    #[test]
    fn responses_round_trip() {
        for (text, response) in [
            ("7,8", GomocupResponse::Move(Point { x: 7, y: 8 })),
            (
                "7,8 6,6 9,9",
                GomocupResponse::Opening([
                    Point { x: 7, y: 8 },
                    Point { x: 6, y: 6 },
                    Point { x: 9, y: 9 },
                ]),
            ),
            ("SWAP", GomocupResponse::Swap),
            ("OK", GomocupResponse::Ok),
            (
                "ERROR board too large",
                GomocupResponse::Error("board too large".to_owned()),
            ),
            (
                "UNKNOWN SWAP2BOARD",
                GomocupResponse::Unknown("SWAP2BOARD".to_owned()),
            ),
            (
                "MESSAGE depth 9",
                GomocupResponse::Message("depth 9".to_owned()),
            ),
            (
                "DEBUG hash full",
                GomocupResponse::Debug("hash full".to_owned()),
            ),
            (
                "name=\"Rapfi\", version=\"1\"",
                GomocupResponse::About("name=\"Rapfi\", version=\"1\"".to_owned()),
            ),
        ] {
            assert_eq!(
                (text.parse(), response.to_string().as_str()),
                (Ok(response.clone()), text)
            );
        }
        for wrong in ["", "hello", "7;8", "7,8 9,9", "-1,3", "BEGIN"] {
            assert!(wrong.parse::<GomocupResponse>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_name_is_read_from_about() {
        let about = "name=\"Yixin\", version=\"2018\", author=\"Sun Kai\""
            .parse::<GomocupResponse>()
            .unwrap();
        assert_eq!(about.name(), Some("Yixin"));
        assert_eq!(
            GomocupResponse::About("version=\"2\"".to_owned()).name(),
            None
        );
        assert_eq!(GomocupResponse::Ok.name(), None);
    }
}
