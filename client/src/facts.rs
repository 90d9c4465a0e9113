//! Facts that the program reports: plain data. `i18n` puts them into words, and JSON mode serialises them.
//!
//! A fact is complete in itself and holds no text in any language. This module depends neither on the model nor on the
//! texts, so both can use it. `archive` has questions to a server about finished games, `notification` the reports, `doctor` the report of `noughts doctor`, `form_fields`
//! the forms, and `json_members` the fields with a different form in JSON mode. This module itself has the exit status,
//! the entries of menus, players, and parts of reports.

pub(crate) mod archive;
pub(crate) mod doctor;
mod form_fields;
pub(crate) mod json_members;
pub(crate) mod notification;

use noughts_protocol::clock::TimeControlError;
use noughts_protocol::player::NameError;
use noughts_protocol::wire::Evaluation;
use noughts_protocol::{Cell, Identity, Name, Offer, RulesError, Seat};
use serde::Serialize;

use crate::connection::TerminationReason;
use crate::connection::server_url::{InviteError, ServerUrlError};
use crate::engine::Level;
use crate::io::own_games::OwnGame;

pub(crate) use form_fields::{FieldId, FormField, FormKind};
pub(crate) use json_members::Ending;
pub(crate) use notification::{
    Failure, Notification, QueryAnswer, ScanLabel, ScannedCell, Unavailable,
};

/// Reason why the program ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// The program has done its task. The result of the game does not matter.
    Done,
    /// The requested operation failed.
    Failed,
    /// The arguments are invalid, or the request is not possible.
    Usage,
    /// The server could not be reached.
    CannotConnect,
    /// The server rejected the client.
    Rejected,
    /// The connection was lost for good.
    ConnectionLost,
    /// The program received this signal.
    Signal(u8),
}

impl Exit {
    /// Returns the exit code for the shell. For a signal, it is the signal number plus 128.
    pub fn code(self) -> u8 {
        match self {
            Exit::Done => 0,
            Exit::Failed => 1,
            Exit::Usage => 2,
            Exit::CannotConnect => 3,
            Exit::Rejected => 4,
            Exit::ConnectionLost => 5,
            Exit::Signal(number) => number.saturating_add(128),
        }
    }
}

impl From<&TerminationReason> for Exit {
    fn from(reason: &TerminationReason) -> Exit {
        match reason {
            TerminationReason::Closed => Exit::Done,
            TerminationReason::CannotConnect(_) | TerminationReason::NotNoughts => {
                Exit::CannotConnect
            }
            TerminationReason::Rejected(_) | TerminationReason::Http(_) => Exit::Rejected,
            TerminationReason::Replaced
            | TerminationReason::Final(_)
            | TerminationReason::GaveUp(_) => Exit::ConnectionLost,
        }
    }
}

/// Reason why the text of a field is invalid. Its word is the key of its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FormFieldError {
    #[error(transparent)]
    BadServer(#[serde(skip)] ServerUrlError),
    #[error(transparent)]
    BadName(#[serde(skip)] NameError),
    #[error(transparent)]
    BadRules(#[serde(skip)] RulesError),
    #[error(transparent)]
    BadClock(#[serde(skip)] TimeControlError),
    #[error(transparent)]
    BadInvite(#[serde(skip)] InviteError),
    #[error("form_port")]
    BadPort,
    #[error("form_level")]
    BadLevel,
    #[error("form_engine")]
    BadEngine,
    #[error("form_unsupported_rules")]
    UnknownGame,
    #[error("form_unknown_option")]
    BadOption,
}

/// An item of the home menu.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum MenuItem {
    /// Resumes the saved game with this index.
    Continue(#[serde(skip)] usize),
    /// Takes the seat that the player's identity holds in the room with this index.
    Return(#[serde(skip)] usize),
    /// Starts the last game again.
    Again,
    Quick,
    Private,
    Join,
    Watch,
    Local,
    Bot,
    /// Starts the puzzle of the day.
    Puzzle,
    /// Lists the player's finished games.
    OwnGames,
    Settings,
    /// Starts a server on this computer for a friend.
    Host,
    Quit,
}

impl MenuItem {
    /// The items below the saved games.
    pub const ALWAYS_SHOWN: [MenuItem; 11] = [
        MenuItem::Quick,
        MenuItem::Private,
        MenuItem::Join,
        MenuItem::Watch,
        MenuItem::Local,
        MenuItem::Bot,
        MenuItem::Puzzle,
        MenuItem::OwnGames,
        MenuItem::Settings,
        MenuItem::Host,
        MenuItem::Quit,
    ];

    /// Returns all items from the top, for this number of saved games.
    pub fn all(saved_game_count: usize) -> Vec<MenuItem> {
        (0..saved_game_count)
            .map(MenuItem::Continue)
            .chain(MenuItem::ALWAYS_SHOWN)
            .collect()
    }
}

/// A yes/no question to the player.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Confirmation {
    /// Leave the game in progress.
    Leave {
        effect: LeaveEffect,
    },
    Resign,
    /// End the game without a result, before both players have moved.
    Abort,
    /// End a local game between two people as a draw.
    AgreeDraw,
    /// Stop looking for an opponent, and open a room for a friend.
    InviteFriend,
    /// Stop looking for an opponent, and watch the selected game.
    WatchInstead,
    /// Close the room where the player waits for a friend.
    CloseRoom,
    /// End the game of an absent opponent as a draw.
    ClaimDraw,
    /// Delete the selected game from the player's own games.
    DeleteGame,
}

/// Effect on a game in progress when the player leaves it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LeaveEffect {
    /// A local game ends without a result. Without a connection, a seat on a server stays taken.
    Nothing,
    /// The game ends without a result, because the players have not both moved yet.
    Aborts,
    Resigns,
}

impl LeaveEffect {
    /// Returns whether the player gives up a seat on a server for good.
    pub fn is_final(self) -> bool {
        match self {
            LeaveEffect::Nothing => false,
            LeaveEffect::Aborts | LeaveEffect::Resigns => true,
        }
    }
}

/// A player in a notification.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PlayerRef {
    pub seat: Seat,
    pub name: Name,
    /// Whether this is the only person at this terminal, so that texts can say "you".
    pub you: bool,
    /// The public id of a player with an identity; `None` for a guest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub identity: Option<Identity>,
}

impl PlayerRef {
    /// Returns the players of one of the player's own games.
    pub(crate) fn of_own_game(game: &OwnGame) -> [PlayerRef; 2] {
        let names = game.names();
        Seat::ALL.map(|seat| PlayerRef {
            seat,
            name: names[seat.index()].clone(),
            you: game.seat == Some(seat),
            identity: None,
        })
    }
}

/// The side to move, with the detail that notifications need.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NextMove {
    /// The only person at this terminal.
    You,
    /// One of two people at this terminal.
    Local(PlayerRef),
    /// Another player, or no player at all.
    Other,
}

/// Reason why the player's own server does not run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "reason", rename_all = "snake_case")]
pub enum HostError {
    /// The server program is neither beside this program nor on the path.
    NotInstalled,
    /// Another program listens on this port.
    PortTaken(#[serde(skip)] u16),
    /// The server has not printed its address in time.
    TimedOut,
    /// The first line that the server printed about its failure.
    Failed(#[serde(skip)] String),
}

/// The latest evaluation by a player's engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineEvaluation {
    /// Score of the position from the engine's point of view.
    pub score: Evaluation,
    /// Principal variation: the moves that the engine expects from both sides.
    pub pv: Vec<Cell>,
}

/// Purpose of a request that has no response yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PendingRequest {
    /// The goal of the session.
    Goal,
    Move(#[serde(skip)] Cell),
    Resign,
    Abort,
    Accept(#[serde(skip)] Offer),
    Decline(#[serde(skip)] Offer),
    /// Claims the game against an absent player.
    Claim,
    /// Reports that the opponent's time is up.
    Flag,
    /// Fetches missing events.
    Sync,
    /// Fetches the room list.
    Refresh,
    /// Ends the search for an opponent, before the player enters a room.
    Withdraw,
    /// Says a phrase.
    Say,
    /// Lets a bot of this level take the seat of the absent opponent.
    Bot(#[serde(skip)] Level),
    #[serde(untagged)]
    Offer(Offer),
}
