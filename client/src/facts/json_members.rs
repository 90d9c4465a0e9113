//! The fields of JSON mode that differ from the fields of a fact: cell names, evaluations and rejections.

use std::borrow::Cow;
use std::fmt::Display;

use noughts_protocol::outcome::LineName;
use noughts_protocol::wire::Reject;
use noughts_protocol::{Cell, Name, Outcome, Position, RecordError, Rules, Seat, TimeControl};
use serde::ser::Error;
use serde::{Serialize, Serializer};

use crate::connection::server_url::ServerUrl;
use crate::engine::{Evaluation, SearchScore};
use crate::facts::{EngineEvaluation, PendingRequest, PlayerRef};
use crate::game_link::GameLinkError;
use crate::input::commands::COMMANDS;
use crate::input::text_input::is_printable;
use crate::input::{DigitOrder, TextCommandError};
use crate::io::io_error::LocalizableIoError;
use crate::io::own_games::{OwnGame, OwnGameResult};
use crate::settings::file::SettingsFileError;

/// Maximum length of echoed input in characters.
const MAX_ECHOED_CHARS: usize = 120;

/// How a game ended. The cells of its winning line are named as on the board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ending {
    pub outcome: Outcome,
    pub rules: Rules,
}

impl Serialize for Ending {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Members {
            reason: serde_json::Value,
            winner: Option<Seat>,
            #[serde(skip_serializing_if = "Option::is_none")]
            line: Option<Line>,
        }
        #[derive(Serialize)]
        struct Line {
            name: LineName,
            cells: Vec<String>,
        }
        Members {
            reason: serde_json::to_value(&self.outcome).map_err(S::Error::custom)?["reason"].take(),
            winner: self.outcome.winner(),
            line: self.outcome.line().map(|line| Line {
                name: line.name,
                cells: cell_texts(&line.cells, &self.rules),
            }),
        }
        .serialize(serializer)
    }
}

/// Evaluation of a position or a move.
#[derive(Debug, Serialize)]
#[serde(tag = "evaluation", rename_all = "snake_case")]
pub(crate) enum JsonEvaluation {
    /// Forced win in this number of plies.
    Win {
        plies: u32,
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        at_most: bool,
    },
    /// Forced loss in this number of plies.
    Loss {
        plies: u32,
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        at_most: bool,
    },
    /// Proven draw.
    Draw,
    /// An unproven value. Higher is better, and 0 is even.
    Estimate { points: i32 },
}

impl From<SearchScore> for JsonEvaluation {
    fn from(score: SearchScore) -> JsonEvaluation {
        let at_most = !score.exact;
        match score.evaluation {
            Evaluation::Win(plies) => JsonEvaluation::Win { plies, at_most },
            Evaluation::Loss(plies) => JsonEvaluation::Loss { plies, at_most },
            Evaluation::Draw => JsonEvaluation::Draw,
            Evaluation::Estimate(points) => JsonEvaluation::Estimate { points },
        }
    }
}

impl Serialize for OwnGame {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Members<'a> {
            ended: String,
            server: &'a Option<ServerUrl>,
            rules: Rules,
            clock: Option<TimeControl>,
            players: [Name; 2],
            seat: Option<Seat>,
            result: OwnGameResult,
            ending: Ending,
            moves: usize,
            path: Cow<'a, str>,
        }
        let record = &self.record;
        Members {
            ended: self.time(),
            server: &self.server,
            rules: record.rules,
            clock: record.control,
            players: self.names(),
            seat: self.seat,
            result: self.result(),
            ending: Ending {
                outcome: self.outcome.clone(),
                rules: record.rules,
            },
            moves: record.moves.len(),
            path: self.path.to_string_lossy(),
        }
        .serialize(serializer)
    }
}

impl Serialize for SettingsFileError {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Members<'a> {
            status: &'static str,
            #[serde(skip_serializing_if = "Option::is_none")]
            line: Option<usize>,
            #[serde(flatten)]
            error: Option<&'a LocalizableIoError>,
        }
        let (status, line, error) = match self {
            SettingsFileError::NoConfigDir => ("no_place", None, None),
            SettingsFileError::Read(_, error) => ("not_read", None, Some(error)),
            SettingsFileError::Write(_, error) => ("not_saved", None, Some(error)),
            SettingsFileError::Invalid(_, error) => ("mistake", Some(error.line), None),
        };
        Members {
            status,
            line,
            error,
        }
        .serialize(serializer)
    }
}

/// A rejection: a code of the protocol or of this program, with its fields.
#[derive(Serialize)]
struct Rejection<'a, T: Serialize> {
    by: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    asked: &'a Option<PendingRequest>,
    #[serde(flatten)]
    reason: T,
}

/// A code of this program, with the input that caused it.
#[derive(Serialize)]
struct Code<T: Serialize> {
    code: T,
    #[serde(skip_serializing_if = "Option::is_none")]
    detail: Option<String>,
}

fn write_rejection<S: Serializer>(
    reason: impl Serialize,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    Rejection {
        by: "program",
        asked: &None,
        reason,
    }
    .serialize(serializer)
}

pub(super) fn rejected<S: Serializer>(code: impl Serialize, to: S) -> Result<S::Ok, S::Error> {
    write_rejection(Code { code, detail: None }, to)
}

pub(super) fn illegal<S: Serializer>(reject: &Reject, _: &str, to: S) -> Result<S::Ok, S::Error> {
    write_rejection(reject, to)
}

/// Removes unprintable characters from the input, because a terminal may show these lines.
pub(super) fn invalid_command<S: Serializer>(
    text: &str,
    code: &TextCommandError,
    to: S,
) -> Result<S::Ok, S::Error> {
    let detail = match code {
        TextCommandError::BadObject(detail) => detail,
        TextCommandError::Empty
        | TextCommandError::UnknownCommand
        | TextCommandError::BadCell(_)
        | TextCommandError::NoBoard
        | TextCommandError::BadArgument(_) => text,
    };
    let printable = detail.chars().filter(|&letter| is_printable(letter));
    let detail = Some(printable.take(MAX_ECHOED_CHARS).collect());
    write_rejection(Code { code, detail }, to)
}

pub(super) fn rejected_by_server<S: Serializer>(
    asked: &Option<PendingRequest>,
    reason: &Reject,
    to: S,
) -> Result<S::Ok, S::Error> {
    Rejection {
        by: "server",
        asked,
        reason,
    }
    .serialize(to)
}

pub(super) fn remark<S: Serializer>(
    who: &PlayerRef,
    evaluation: &EngineEvaluation,
    rules: &Rules,
    to: S,
) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct Members<'a> {
        #[serde(flatten)]
        who: &'a PlayerRef,
        #[serde(flatten)]
        evaluation: JsonEvaluation,
        pv: Vec<String>,
    }
    // A message from a player's engine does not say whether a distance is exact.
    let score = SearchScore {
        evaluation: evaluation.score,
        exact: false,
    };
    Members {
        who,
        evaluation: score.into(),
        pv: cell_texts(&evaluation.pv, rules),
    }
    .serialize(to)
}

/// The names come from a file. An invalid name becomes null.
pub(super) fn record<S: Serializer>(
    players: &[String; 2],
    position: &Position,
    outcome: &Option<Outcome>,
    to: S,
) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct Members {
        rules: Rules,
        players: [Option<Name>; 2],
        moves: Vec<String>,
        board: Vec<String>,
        #[serde(flatten)]
        ending: Option<Ending>,
    }
    let rules = *position.rules();
    let ending = outcome.clone().map(|outcome| Ending { outcome, rules });
    Members {
        rules,
        players: players.each_ref().map(|name| name.parse().ok()),
        moves: cell_texts(position.moves(), &rules),
        board: board_rows(position),
        ending,
    }
    .serialize(to)
}

/// Writes the kind of the error, and its line.
pub(super) fn record_error<S: Serializer>(error: &RecordError, to: S) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct Members {
        detail: &'static str,
        line: usize,
    }
    Members {
        detail: error.code(),
        line: error.line,
    }
    .serialize(to)
}

/// Writes the kind of the error, and for a record also its line.
pub(super) fn game_link_error<S: Serializer>(
    error: &GameLinkError,
    to: S,
) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct Members {
        detail: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        line: Option<usize>,
    }
    let line = match error {
        GameLinkError::Record(error) => Some(error.line),
        GameLinkError::TooLong
        | GameLinkError::Encoding
        | GameLinkError::Deflate
        | GameLinkError::TooLarge
        | GameLinkError::NotText => None,
    };
    let detail = error.to_string();
    Members { detail, line }.serialize(to)
}

pub(super) fn board<S: Serializer>(
    position: &Position,
    _: &DigitOrder,
    to: S,
) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct Members {
        rules: Rules,
        board: Vec<String>,
    }
    Members {
        rules: *position.rules(),
        board: board_rows(position),
    }
    .serialize(to)
}

pub(super) fn clocks<S: Serializer>(
    clocks: &Option<[(PlayerRef, u64); 2]>,
    to: S,
) -> Result<S::Ok, S::Error> {
    let left_ms = clocks.as_ref().map(|[(_, x), (_, o)]| [*x, *o]);
    to.collect_map([("left_ms", left_ms)])
}

/// Writes the first name of each command.
pub(super) fn help<S: Serializer>(_: &Option<Rules>, to: S) -> Result<S::Ok, S::Error> {
    let names = COMMANDS.iter().filter_map(|entry| entry.names.first());
    to.collect_map([("words", names.collect::<Vec<_>>())])
}

pub(super) fn permissions<S: Serializer>(mode: &u32, to: S) -> Result<S::Ok, S::Error> {
    to.collect_map([("detail", format!("{mode:o}"))])
}

pub(super) fn seat<S: Serializer>(who: &Option<PlayerRef>, to: S) -> Result<S::Ok, S::Error> {
    who.as_ref().map(|who| who.seat).serialize(to)
}

pub(super) fn text<S: Serializer>(value: impl Display, to: S) -> Result<S::Ok, S::Error> {
    to.collect_str(&value)
}

pub(crate) fn cell_texts(cells: &[Cell], rules: &Rules) -> Vec<String> {
    cells.iter().map(|&cell| rules.cell_text(cell)).collect()
}

/// Returns the rows of the board from the top, layer by layer. A cell is `X`, `O`, or `.` if it is free.
pub(crate) fn board_rows(position: &Position) -> Vec<String> {
    let width = usize::from(position.rules().width());
    let marks: Vec<char> = (0..position.rules().cells() as u16)
        .map(|index| match position.stone_at(Cell::new(index)) {
            Some(Seat::X) => 'X',
            Some(Seat::O) => 'O',
            None => '.',
        })
        .collect();
    marks
        .chunks(width)
        .map(|row| row.iter().collect())
        .collect()
}
