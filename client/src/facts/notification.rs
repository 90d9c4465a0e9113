//! Everything that the program reports to the player.

use std::time::Duration;

use noughts_protocol::wire::{OpenSeek, Phrase, Presence, Reject, RoomListing};
use noughts_protocol::{
    Cell, MatchScore, Name, Offer, Outcome, Player, Position, RecordError, RoomCloseReason,
    RoomRef, Rules, Seat, TimeControl,
};

use super::{
    EngineEvaluation, Exit, FormField, FormFieldError, FormKind, HostError, NextMove,
    PendingRequest, PlayerRef, QueryAnswer, Unavailable,
};
use crate::connection::server_url::ServerUrl;
use crate::connection::{DisconnectReason, SendError, TerminationReason};
use crate::engine::Level;
use crate::engines::analysis::{GameReview, MoveValues};
use crate::engines::player_engine::child_process::EngineError;
use crate::input::{DigitOrder, TextCommandError};
use crate::io::io_error::LocalizableIoError;
use crate::io::saved_games::{SavedGame, SavedGameError};
use crate::settings::file::SettingsFileError;

/// A report to the player. Each output words it in its own way.
#[derive(Clone, Debug)]
pub enum Notification {
    Connecting(ServerUrl),
    Connected {
        server: ServerUrl,
        name: Name,
    },
    /// The connection is lost and will be retried.
    Disconnected {
        reason: DisconnectReason,
        retry_in: Duration,
    },
    Reconnected,
    /// The connection has ended and will not be retried.
    Terminated {
        reason: TerminationReason,
        server: ServerUrl,
    },
    /// The room closed while the client was disconnected.
    RoomUnavailable,
    Restarting {
        back_in: Duration,
    },
    /// The client waits to be paired.
    Seeking {
        rules: Rules,
        clock: Option<TimeControl>,
    },
    /// The client waits in its own room; a friend needs these data to join.
    Invite {
        server: ServerUrl,
        room: RoomRef,
        rules: Rules,
        clock: Option<TimeControl>,
    },
    /// The player asked how others can watch the game.
    RoomAddress {
        server: ServerUrl,
        room: RoomRef,
        rules: Rules,
        clock: Option<TimeControl>,
    },
    BotInvited(Level),
    /// The seat of the absent opponent is open to the bots of the server.
    SubstituteCalled,
    /// The invited bot ended before it joined.
    BotFailed,
    /// The client entered a room with a game in progress.
    Joined {
        rules: Rules,
        clock: Option<TimeControl>,
        players: [Option<Player>; 2],
        you: Option<Seat>,
        next: NextMove,
    },
    /// The public rooms and the open seeks.
    Rooms {
        rooms: Vec<RoomListing>,
        seeks: Vec<OpenSeek>,
        is_selectable: bool,
    },
    /// A player took a seat.
    Seated(PlayerRef),
    Started {
        number: u32,
        rules: Rules,
        players: [PlayerRef; 2],
        next: NextMove,
    },
    /// This number of games is watched side by side.
    WatchingSeveral(usize),
    /// The first instructions for a person in line mode.
    Hint,
    Moved {
        who: PlayerRef,
        cell: Cell,
        rules: Rules,
        next: NextMove,
    },
    Offered {
        who: PlayerRef,
        offer: Offer,
    },
    Declined {
        who: PlayerRef,
        offer: Offer,
    },
    TakenBack {
        plies: u8,
        next: NextMove,
    },
    GameOver {
        outcome: Outcome,
        rules: Rules,
        players: [PlayerRef; 2],
        score: MatchScore,
    },
    /// An external engine that plays on this terminal failed.
    EngineFailed(EngineError),
    AnalysisStarted,
    /// The evaluation of each free cell.
    Values(MoveValues),
    /// The evaluation of each move of a finished game.
    Review(GameReview),
    /// The game is over; a rematch is possible.
    PlayAgain,
    /// The room has closed.
    Closed(RoomCloseReason),
    /// A player disconnected, left or returned.
    Presence {
        who: PlayerRef,
        presence: Presence,
        claim_in: Option<Duration>,
    },
    /// The absent player's grace period is over: the game can be claimed.
    Claimable(PlayerRef),
    SpectatorCount(u32),
    /// A player said something.
    Phrase {
        who: PlayerRef,
        phrase: Phrase,
    },
    /// The player's own server does not run.
    HostFailed(HostError),
    /// An opponent was found while the player is in a local game.
    OpponentFound(Name),
    /// A text was sent to the clipboard of the terminal.
    Copied,
    /// The phrases of other players are hidden, or shown again.
    Muted(bool),
    /// An evaluation from a player's engine.
    Evaluation {
        who: PlayerRef,
        evaluation: EngineEvaluation,
        rules: Rules,
    },
    /// The server rejected a request.
    Rejected {
        request: Option<PendingRequest>,
        reject: Reject,
    },
    /// The request could not be queued.
    SendFailed(SendError),
    /// The client rejected an illegal move before sending it.
    Illegal {
        reject: Reject,
        cell: String,
    },
    /// The command is not available.
    Unavailable(Unavailable),
    /// The command could not be parsed.
    InvalidCommand {
        text: String,
        error: TextCommandError,
    },
    /// Line mode asks for the text of a field.
    FieldPrompt {
        kind: FormKind,
        field: FormField,
    },
    FieldInvalid(FormFieldError),
    /// The input has ended, so the program leaves the game.
    InputEnded,
    DigitOrderChanged(DigitOrder),
    /// Whether line mode prints the board at each turn.
    BoardPrintingChanged {
        is_printed: bool,
    },
    /// The language has changed; the text appears in the new language.
    LanguageChanged,
    /// The record was written to this file.
    FileSaved(String),
    FileSaveFailed {
        path: String,
        error: LocalizableIoError,
    },
    /// The settings were written to this file.
    SettingsSaved(String),
    SettingsSaveFailed(SettingsFileError),
    RecordInvalid {
        path: String,
        error: RecordError,
    },
    FileReadFailed {
        path: String,
        error: LocalizableIoError,
    },
    /// A complete record, move by move.
    Record {
        players: [String; 2],
        position: Position,
        outcome: Option<Outcome>,
    },
    /// The program ends with this status.
    Exiting(Exit),
    QueryAnswer(QueryAnswer),
    /// The home menu, with the saved games at its top.
    Menu {
        saved_games: Vec<SavedGame>,
    },
    /// This saved game can be resumed.
    SavedGameAvailable(Box<SavedGame>),
    /// There is no saved game, or its server does not know the room.
    NoSavedGame,
    /// The saved game could not be resumed.
    ResumeFailed(SavedGameError),
    /// The game in progress could not be saved, so it cannot be resumed after a crash.
    SaveGameFailed(SavedGameError),
    /// This number of corrupt files was deleted.
    CorruptFilesDeleted(usize),
}

impl Notification {
    /// Whether the report is about the program or its connection, not about the game. Line mode prints it on
    /// stderr, so that stdout carries only the game.
    pub fn is_diagnostic(&self) -> bool {
        matches!(
            self,
            Notification::Connecting(_)
                | Notification::Connected { .. }
                | Notification::Disconnected { .. }
                | Notification::Reconnected
                | Notification::Terminated { .. }
                | Notification::RoomUnavailable
                | Notification::Restarting { .. }
                | Notification::Rejected {
                    request: Some(PendingRequest::Goal),
                    ..
                }
                | Notification::InputEnded
                | Notification::SavedGameAvailable(_)
                | Notification::NoSavedGame
                | Notification::ResumeFailed(_)
                | Notification::SaveGameFailed(_)
                | Notification::CorruptFilesDeleted(_)
                | Notification::Exiting(_)
        )
    }

    /// Whether the full screen shows this report only in the status line.
    pub fn is_status_only(&self) -> bool {
        match self {
            Notification::Connecting(_)
            | Notification::Connected { .. }
            | Notification::Seeking { .. }
            | Notification::Invite { .. }
            | Notification::Rooms { .. }
            | Notification::Started { .. }
            | Notification::Seated(_)
            | Notification::Moved { .. }
            | Notification::GameOver { .. }
            | Notification::WatchingSeveral(_)
            | Notification::Hint
            | Notification::PlayAgain
            | Notification::Offered { .. }
            | Notification::Presence { .. }
            | Notification::Claimable(_)
            | Notification::SpectatorCount(_)
            | Notification::Evaluation { .. }
            | Notification::FieldInvalid(_)
            | Notification::FieldPrompt { .. }
            | Notification::Record { .. }
            | Notification::Menu { .. }
            | Notification::Joined { .. }
            | Notification::Disconnected { .. }
            | Notification::RoomUnavailable
            | Notification::Closed(_)
            | Notification::Exiting(_) => false,
            Notification::Terminated { .. }
            | Notification::Reconnected
            | Notification::RoomAddress { .. }
            | Notification::Phrase { .. }
            | Notification::HostFailed(_)
            | Notification::OpponentFound(_)
            | Notification::Copied
            | Notification::Muted(_)
            | Notification::Restarting { .. }
            | Notification::BotInvited(_)
            | Notification::SubstituteCalled
            | Notification::BotFailed
            | Notification::Declined { .. }
            | Notification::TakenBack { .. }
            | Notification::Rejected { .. }
            | Notification::SendFailed(_)
            | Notification::Illegal { .. }
            | Notification::Unavailable(_)
            | Notification::InvalidCommand { .. }
            | Notification::InputEnded
            | Notification::DigitOrderChanged(_)
            | Notification::BoardPrintingChanged { .. }
            | Notification::LanguageChanged
            | Notification::FileSaved(_)
            | Notification::FileSaveFailed { .. }
            | Notification::SettingsSaved(_)
            | Notification::SettingsSaveFailed(_)
            | Notification::RecordInvalid { .. }
            | Notification::FileReadFailed { .. }
            | Notification::SavedGameAvailable(_)
            | Notification::NoSavedGame
            | Notification::ResumeFailed(_)
            | Notification::SaveGameFailed(_)
            | Notification::CorruptFilesDeleted(_)
            | Notification::EngineFailed(_)
            | Notification::AnalysisStarted
            | Notification::Values(_)
            | Notification::Review(_)
            | Notification::QueryAnswer(_) => true,
        }
    }
}
