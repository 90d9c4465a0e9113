//! Everything that the program reports to the player: events of a game, answers to queries, reasons why a command is not
//! available, and the report of `noughts doctor`, which `app::doctor` collects.

use std::path::PathBuf;
use std::time::Duration;

use noughts_protocol::wire::{OpenSeek, Phrase, Presence, Reject, RoomListing};
use noughts_protocol::{
    Cell, MatchScore, Name, Offer, Outcome, Player, Position, RecordError, RoomCloseReason,
    RoomRef, Rules, Seat, TimeControl,
};
use serde::Serialize;

use crate::connection::server_url::ServerUrl;
use crate::connection::{DisconnectReason, SendError, TerminationReason};
use crate::engine::Level;
use crate::engines::analysis::{GameReview, MoveValues};
use crate::engines::player_engine::child_process::EngineError;
use crate::facts::{
    EngineEvaluation, Exit, FormField, FormFieldError, FormKind, HostError, LeaveEffect, NextMove,
    PendingRequest, PlayerRef,
};
use crate::i18n::lang::Lang;
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

/// Answer to a query of the player.
#[derive(Clone, Debug)]
pub enum QueryAnswer {
    Board {
        position: Position,
        digit_order: DigitOrder,
    },
    /// A row or column with the stones on it.
    Scan {
        name: ScanLabel,
        cells: Vec<(Cell, Option<Seat>)>,
        rules: Rules,
    },
    /// The stones of one seat.
    Marks {
        who: PlayerRef,
        cells: Vec<Cell>,
        rules: Rules,
    },
    /// The last move; `None` before the first.
    Last(Option<(PlayerRef, Cell, Rules)>),
    /// Milliseconds left on both clocks; `None` for a game without a clock.
    Clocks(Option<[(PlayerRef, u64); 2]>),
    /// The opponent, with the lag in milliseconds.
    Opponent {
        who: PlayerRef,
        bot: bool,
        presence: Presence,
        lag: Option<u32>,
    },
    /// The commands. `rules`: the rules of the board on the screen.
    Help { rules: Option<Rules> },
}

/// The part of the board that a scan covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScanLabel {
    /// Row index, from 0.
    Row(u8),
    /// Column index, from 0.
    Column(u8),
}

/// Reason why a command is not available.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Unavailable {
    /// The previous move is not confirmed yet.
    MovePending,
    /// Spectators cannot act.
    Watching,
    /// There is no board on the screen.
    NoBoard,
    /// There is no proposal.
    NoPendingOffer,
    /// There is more than one proposal.
    AmbiguousOffer,
    /// There is no game in progress.
    NoGame,
    /// The game is still in progress.
    GameInProgress,
    /// It is a bot's turn.
    BotToMove,
    /// The bot declines a draw.
    BotDeclinesDraw,
    /// Available only while the player waits in a room of their own.
    NotWaiting,
    /// There is no connection to the server.
    Offline,
    /// There is no move to take back.
    NothingToTakeBack,
    /// Available only in a local game.
    LocalOnly,
    /// Available only in a room of a server.
    NotOnServer,
    /// The opponent is not absent.
    NotClaimable,
    /// A yes or a no is expected.
    ConfirmationRequired,
    /// A number from the list is expected.
    NumberRequired,
    /// None of the watched games has this room.
    UnknownRoom,
    /// Leaving the game in progress needs a confirmation.
    LeaveConfirmation { effect: LeaveEffect },
    /// There is no single opponent.
    NoOpponent,
    /// A request to enter a room, or to answer a seek, waits for the server.
    RequestPending,
    /// The selected row of the lobby has vanished, and no other one was selected since.
    SelectionGone,
    /// No field, menu or list expects this input.
    NothingPrompted,
    /// The player of the chosen seek has found another opponent, or has left.
    SeekGone,
    /// The position has changed since the command was written.
    PositionChanged,
}

/// Results of all checks.
#[derive(Debug)]
pub struct DoctorReport {
    /// `None` unless stdin and stdout are a terminal.
    pub terminal: Option<TerminalCheck>,
    /// Value of `TERM`.
    pub term: Option<String>,
    pub colors: ColorCheck,
    pub glyphs: GlyphCheck,
    pub lang: Lang,
    /// Origin of the language: a flag, a variable or a file.
    pub lang_origin: String,
    /// Settings file and its error; `None` if the platform has no settings directory.
    pub settings: Option<(PathBuf, Option<SettingsFileError>)>,
    /// Directory of resumable games; `None` if the platform has no state directory.
    pub saved_games: Option<(PathBuf, SavedGamesCheck)>,
    /// Result for the named server.
    pub server: Option<(ServerUrl, Result<ServerPing, TerminationReason>)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TerminalCheck {
    /// Size in columns and rows.
    pub size: (u16, u16),
    /// Minimum size in columns and rows.
    pub min_size: (u16, u16),
}

/// Whether colours are used, and why not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ColorCheck {
    Yes,
    /// `NO_COLOR` is set.
    NoColor,
    /// `TERM` is `dumb` or not set.
    Dumb,
}

/// Characters of the grid, and the reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum GlyphCheck {
    /// Box-drawing characters: the terminal draws them one column wide.
    BoxDrawing,
    /// Chosen by `--glyphs`.
    Chosen { unicode: bool },
    /// ASCII: the locale is not UTF-8.
    NoUtf8,
    /// ASCII: the terminal draws box-drawing characters two columns wide.
    Wide,
    /// ASCII: the terminal does not report its cursor position.
    NoReply,
    /// ASCII: there is no terminal.
    NoTerminal,
}

/// State of the directory of resumable games.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SavedGamesCheck {
    /// Exists, and only its owner has access.
    Private,
    /// Does not exist yet.
    Missing,
    /// Other users have access: the permissions.
    Shared(u32),
    /// Cannot be read or written.
    Inaccessible(LocalizableIoError),
}

/// Response of a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerPing {
    /// Name of the server software.
    pub software: String,
    /// Protocol version in use.
    pub version: u16,
    /// Round-trip time in milliseconds.
    pub lag_ms: u64,
}

impl TerminalCheck {
    /// Returns whether screens fit.
    pub fn is_large_enough(self) -> bool {
        self.size.0 >= self.min_size.0 && self.size.1 >= self.min_size.1
    }
}

impl GlyphCheck {
    /// Returns whether box-drawing characters are used.
    pub fn has_box_drawing(self) -> bool {
        match self {
            GlyphCheck::BoxDrawing => true,
            GlyphCheck::Chosen { unicode } => unicode,
            GlyphCheck::NoUtf8
            | GlyphCheck::Wide
            | GlyphCheck::NoReply
            | GlyphCheck::NoTerminal => false,
        }
    }
}

impl DoctorReport {
    /// Returns whether there is no problem. A missing terminal or missing colours are not problems.
    pub fn is_healthy(&self) -> bool {
        let settings_ok = matches!(self.settings, None | Some((_, None)));
        let saved_games_ok = match &self.saved_games {
            None | Some((_, SavedGamesCheck::Private | SavedGamesCheck::Missing)) => true,
            Some((_, SavedGamesCheck::Shared(_) | SavedGamesCheck::Inaccessible(_))) => false,
        };
        let server_ok = !matches!(self.server, Some((_, Err(_))));
        self.terminal.is_none_or(TerminalCheck::is_large_enough)
            && settings_ok
            && saved_games_ok
            && server_ok
    }
}
