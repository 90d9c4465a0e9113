//! Why something was refused: by the server, by the board, by what was typed.

use noughts_protocol::wire::{CloseCode, Reject, RejectCode};

use super::{Words, is_plain};
use crate::connection::{Ended, Offline, SendError};
use crate::input::TypedError;
use crate::model::{FieldError, NotNow};
use crate::server_url::ServerUrl;

impl Words {
    /// A refusal by code. Free text that came with it is not shown.
    pub fn reject(self, reject: &Reject) -> String {
        let wait = reject.wait_ms.map(|ms| self.seconds(ms));
        let text = match reject.code {
            RejectCode::BadMessage
            | RejectCode::UnknownType
            | RejectCode::HelloFirst
            | RejectCode::HelloTwice => {
                "the server did not understand this program; it may be newer or older"
            }
            RejectCode::BadField => {
                return match reject.field.as_deref() {
                    Some("rules") => "the server does not play by these rules".to_owned(),
                    Some("clock") => "the server does not play with this clock".to_owned(),
                    Some("name") => "the server does not take this name".to_owned(),
                    Some("room") => "this is not the name of a room".to_owned(),
                    Some(_) | None => "the server did not take the request".to_owned(),
                };
            }
            RejectCode::Version => "this program and the server speak different versions",
            RejectCode::RateLimited => {
                return match wait {
                    Some(wait) => format!("too much at once; wait {wait}"),
                    None => "too much at once; wait a moment".to_owned(),
                };
            }
            RejectCode::Busy => "the server is busy; try again",
            RejectCode::Unavailable => "the server cannot store the game just now; try again",
            RejectCode::Draining => "the server is about to stop and begins nothing new",
            RejectCode::ServerFull => "the server is full; try again later",
            RejectCode::AlreadySeeking => "you wait for an opponent already",
            RejectCode::NotSeeking => "you do not wait for an opponent",
            RejectCode::AlreadyInRoom => "you are in a room already",
            RejectCode::NotInRoom => "you are in no room",
            RejectCode::UnknownRoom => "there is no such room, or the code is wrong",
            RejectCode::RoomFull => "both seats are taken; you may watch instead",
            RejectCode::NotAPlayer => "only players may do this; you watch",
            RejectCode::NotStarted => "the game has not begun",
            RejectCode::GameOver => "the game is over",
            RejectCode::GameOn => "the game is still on",
            RejectCode::Stale => "the board has changed in the meantime; look again",
            RejectCode::NotYourTurn => "it is not your turn",
            RejectCode::OffBoard => "the board has no such cell",
            RejectCode::CellTaken => "the cell is taken",
            RejectCode::ColumnFull => "the column is full",
            RejectCode::IdReused => "the request came twice with different contents",
            RejectCode::AlreadyOffered => "you have proposed this already",
            RejectCode::NoOffer => "nothing of the kind is proposed",
            RejectCode::NothingToTakeBack => "you have no move to take back",
            RejectCode::OpponentLeft => "the other player has left",
            RejectCode::NotClaimable => {
                return match wait {
                    Some(wait) => format!("the other still has {wait} to return"),
                    None => "the game cannot be claimed now".to_owned(),
                };
            }
            RejectCode::FlagNotFallen => "the other's time has not run out",
        };
        text.to_owned()
    }

    /// Why something makes no sense now.
    pub fn not_now(self, why: NotNow) -> &'static str {
        match why {
            NotNow::Pending => "Your move is still on its way.",
            NotNow::Watching => "You only watch this game.",
            NotNow::NoBoard => "There is no board yet.",
            NotNow::NoOffer => "Nothing is proposed.",
            NotNow::WhichOffer => "More than one thing is proposed: say which, as in accept draw.",
            NotNow::NoGame => "There is no game yet.",
            NotNow::GameOn => "The game is still on.",
            NotNow::BotMoves => "The bot is to move.",
            NotNow::BotPlaysOn => "The bot plays on.",
            NotNow::NotWaiting => "A bot can be called only into your own room, while you wait in it.",
            NotNow::Offline => "The connection has ended.",
            NotNow::NothingToTakeBack => "There is nothing to take back.",
            NotNow::LocalOnly => "Not in a game on this terminal.",
            NotNow::NotClaimable => "There is nobody to claim the game from.",
            NotNow::YesOrNo => "Please answer y or n.",
            NotNow::Number => "Please type one of the numbers.",
            NotNow::LeaveQuestion => "A game is on. Leave it? y or n.",
            NotNow::NoOpponent => "There is no one opponent here.",
        }
    }

    /// Why a typed text was not understood.
    pub fn typed(self, text: &str, error: &TypedError) -> String {
        match error {
            TypedError::Empty => "Nothing was typed.".to_owned(),
            TypedError::Unknown => format!("\"{}\" is no command; help lists them.", shown(text)),
            TypedError::Cell(error) => format!("{}: {error}.", shown(text)),
            TypedError::NoBoard => self.not_now(NotNow::NoBoard).to_owned(),
            TypedError::Argument(entry) if entry.argument.is_empty() => {
                format!("{} takes nothing after it.", entry.names[0])
            }
            TypedError::Argument(entry) => format!("Written as: {} {}", entry.names[0], entry.argument),
        }
    }

    /// Why a field will not do, as a sentence.
    pub fn field_error(self, error: FieldError) -> String {
        sentence(&self.field_fault(error))
    }

    /// The same as a part of a sentence.
    pub fn field_fault(self, error: FieldError) -> String {
        match error {
            FieldError::Server(error) => error.to_string(),
            FieldError::Name(error) => error.to_string(),
            FieldError::Rules(error) => error.to_string(),
            FieldError::Clock(error) => error.to_string(),
            FieldError::Invite(error) => error.to_string(),
            FieldError::Level => "a bot is bot, bot:easy, bot:medium, bot:hard or bot:perfect".to_owned(),
            FieldError::Option => "one of the choices is needed here".to_owned(),
        }
    }

    /// How a line was lost.
    pub fn offline(self, why: &Offline) -> String {
        match why {
            Offline::Io(error) => shown(error),
            Offline::Timeout => "no answer in time".to_owned(),
            Offline::Silent => "nothing heard from the server".to_owned(),
            Offline::Restarting => "the server restarts".to_owned(),
            Offline::Closed(Some(code)) => match CloseCode::from_code(*code) {
                Some(code) => self.close_code(code).to_owned(),
                None => format!("closed by the server ({code})"),
            },
            Offline::Closed(None) => "closed by the server".to_owned(),
            Offline::Http(status) => format!("the server answered HTTP {status}"),
            Offline::Garbled => "the server sent something else than this game's messages".to_owned(),
            Offline::NotReady(reject) => self.reject(reject),
        }
    }

    fn close_code(self, code: CloseCode) -> &'static str {
        match code {
            CloseCode::Normal => "closed",
            CloseCode::ProtocolError | CloseCode::Unsupported | CloseCode::NotUtf8 | CloseCode::Garbage => {
                "the server did not understand this program"
            }
            CloseCode::Policy => "the server was sent too much",
            CloseCode::TooBig => "the server was sent too long a message",
            CloseCode::Internal => "the server had a fault",
            CloseCode::Restarting => "the server restarts",
            CloseCode::HelloTimeout => "the server waited too long for this program",
            CloseCode::Version => "this program and the server speak different versions",
            CloseCode::Replaced => "a newer connection has taken this seat",
            CloseCode::SlowConsumer => "this line was too slow",
            CloseCode::Unresponsive => "this line did not answer",
        }
    }

    /// Why the line has ended.
    pub fn ended(self, ended: &Ended, server: &ServerUrl) -> String {
        match ended {
            Ended::Closed => "The connection is closed.".to_owned(),
            Ended::CannotConnect(why) => format!("Cannot connect to {server}: {}.", self.offline(why)),
            Ended::Refused(reject) => format!("Refused by {server}: {}.", self.reject(reject)),
            Ended::Http(status) => format!("Refused by {server}: HTTP {status}."),
            Ended::NotNoughts => format!("{server} is no noughts server."),
            Ended::Replaced => "A newer connection has taken your seat.".to_owned(),
            Ended::Final(code) => format!("The connection has ended: {}.", self.close_code(*code)),
            Ended::GaveUp(why) => format!("The connection is lost for good: {}.", self.offline(why)),
        }
    }

    /// Why a request did not leave.
    pub fn unsent(self, error: SendError) -> &'static str {
        match error {
            SendError::Full => "Too much waits to be sent already; wait for the connection.",
            SendError::Ended => "The connection has ended.",
        }
    }
}

/// What was typed or came from the system, without what could move a cursor or turn the reading, and not
/// too long.
pub(super) fn shown(text: &str) -> String {
    text.chars().filter(|&letter| is_plain(letter)).take(80).collect()
}

/// A sentence: with a capital and a stop.
pub(super) fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|first| first.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{}.", letters.as_str())
}
