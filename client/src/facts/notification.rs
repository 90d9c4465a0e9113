//! Everything that the program reports to the player: events of a game, answers to queries, and reasons why a command
//! is not available.

use noughts_protocol::wire::{
    Announcement, OpenSeek, Phrase, PlayerProfile, Presence, Reject, RoomListing,
};
use noughts_protocol::{
    MatchScore, Name, Offer, Outcome, Player, Position, RecordError, RoomCloseReason, RoomRef,
    Rules, Seat, TimeControl,
};
use serde::Serialize;

use crate::connection::server_url::ServerUrl;
use crate::connection::{DisconnectReason, SendError, TerminationReason};
use crate::engine::Level;
use crate::engines::analysis::{GameReview, MoveValues};
use crate::engines::player_engine::child_process::EngineError;
use crate::facts::archive::ServerGame;
use crate::facts::{
    Ending, EngineEvaluation, Exit, FormField, FormFieldError, FormKind, HostError, LeaveEffect,
    MenuItem, NextMove, PendingRequest, PlayerRef, json_members,
};
use crate::game_link::GameLinkError;
use crate::input::{DigitOrder, TextCommandError};
use crate::io::io_error::LocalizableIoError;
use crate::io::own_games::{OwnGame, OwnGameList};
use crate::io::saved_games::{SavedGame, SavedGameError};
use crate::puzzle::{PuzzleResult, PuzzleTask};
use crate::settings::file::SettingsFileError;

/// A report to the player. Each output puts it into words; JSON mode writes its fields.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Notification {
    Connecting {
        server: ServerUrl,
    },
    Connected {
        server: ServerUrl,
        name: Name,
    },
    /// The connection is lost and will be retried.
    Offline {
        #[serde(flatten)]
        reason: DisconnectReason,
        retry_in_ms: u64,
    },
    /// The connection is restored.
    Back,
    /// The connection has ended and will not be retried.
    Ended {
        server: ServerUrl,
        #[serde(flatten)]
        reason: TerminationReason,
    },
    /// The room closed while the client was disconnected.
    RoomGone,
    Restarting {
        retry_after_ms: u64,
    },
    /// The operator of the server says something to all clients.
    Announcement {
        text: Announcement,
    },
    /// The client waits to be paired.
    Seeking {
        rules: Rules,
        clock: Option<TimeControl>,
    },
    /// No opponent has come for a while; the player may play a bot meanwhile.
    NobodyCame,
    /// The client waits in its own room. A friend needs these data to join.
    Invite {
        server: ServerUrl,
        #[serde(serialize_with = "json_members::text")]
        room: RoomRef,
        rules: Rules,
        clock: Option<TimeControl>,
    },
    /// The player asked how others can watch the game.
    RoomAddress {
        server: ServerUrl,
        #[serde(serialize_with = "json_members::text")]
        room: RoomRef,
        rules: Rules,
        clock: Option<TimeControl>,
    },
    BotInvited {
        #[serde(serialize_with = "json_members::text")]
        level: Level,
    },
    /// The seat of the absent opponent is open to the server's bots.
    SubstituteCalled,
    /// The invited bot ended before it joined.
    BotFailed,
    /// The client has entered a room with a game in progress.
    Joined {
        rules: Rules,
        clock: Option<TimeControl>,
        players: [Option<Player>; 2],
        /// The client's seat.
        seat: Option<Seat>,
        #[serde(skip)]
        next: NextMove,
    },
    /// The public rooms and the open seeks.
    Rooms {
        rooms: Vec<RoomListing>,
        seeks: Vec<OpenSeek>,
        #[serde(skip)]
        is_selectable: bool,
    },
    /// A player took a seat.
    Seated(PlayerRef),
    Started {
        /// Number of the game in the series.
        game: u32,
        rules: Rules,
        players: [PlayerRef; 2],
        #[serde(skip)]
        next: NextMove,
    },
    /// This number of games is watched side by side.
    #[serde(skip)]
    WatchingSeveral(usize),
    /// The first instructions for a person in line mode.
    #[serde(skip)]
    Hint,
    Moved {
        #[serde(flatten)]
        who: PlayerRef,
        /// Name of the cell.
        cell: String,
        #[serde(skip)]
        next: NextMove,
    },
    Offered {
        #[serde(flatten)]
        who: PlayerRef,
        offer: Offer,
    },
    Declined {
        #[serde(flatten)]
        who: PlayerRef,
        offer: Offer,
    },
    TakenBack {
        plies: u8,
        #[serde(skip)]
        next: NextMove,
    },
    Over {
        #[serde(flatten)]
        ending: Ending,
        #[serde(skip)]
        players: [PlayerRef; 2],
        #[serde(skip)]
        score: MatchScore,
    },
    /// An analysis starts.
    Studying,
    /// The evaluation of each free cell.
    Values(MoveValues),
    /// The evaluation of each move of a finished game.
    Review(GameReview),
    /// The puzzle of the day starts.
    Puzzle(PuzzleTask),
    /// The move does not lead to a win in this number of moves, the move itself included.
    PuzzleMistake {
        moves: usize,
    },
    /// The puzzle is solved or given up.
    PuzzleOver(PuzzleResult),
    /// The game is over; a rematch is possible.
    #[serde(skip)]
    PlayAgain,
    /// The player has left a game in progress, which ended it.
    #[serde(skip)]
    GameLeft(LeaveEffect),
    /// The room has closed.
    Closed {
        reason: RoomCloseReason,
    },
    /// A player disconnected, left or returned.
    Presence {
        #[serde(flatten)]
        who: PlayerRef,
        presence: Presence,
        claim_in_ms: Option<u64>,
    },
    /// The absent player's grace period is over, so the game can be claimed.
    Claimable(PlayerRef),
    /// The number of spectators has changed.
    Spectators {
        count: u32,
    },
    /// A player said something.
    Phrase {
        #[serde(flatten)]
        who: PlayerRef,
        phrase: Phrase,
    },
    /// The player's own server does not run.
    HostFailed(HostError),
    /// An opponent was found while the player was in a local game.
    #[serde(skip)]
    OpponentFound(Name),
    /// A text was sent to the terminal's clipboard.
    Copied,
    /// The fragment of a link to a game without a server was sent to the terminal's clipboard.
    CopiedWithoutServer,
    /// The player asked for the link to the finished game. Without a server, the link is only the fragment.
    GameLink {
        link: String,
    },
    /// The phrases of other players are hidden, or shown again.
    Muted {
        on: bool,
    },
    /// An evaluation by a player's engine.
    #[serde(serialize_with = "json_members::remark")]
    Remark {
        who: PlayerRef,
        evaluation: EngineEvaluation,
        rules: Rules,
    },
    /// The server rejected a request.
    #[serde(serialize_with = "json_members::rejected_by_server")]
    Rejected {
        asked: Option<PendingRequest>,
        reject: Reject,
    },
    /// The client rejected an illegal move before sending it.
    #[serde(rename = "rejected", serialize_with = "json_members::illegal")]
    Illegal {
        reject: Reject,
        cell: String,
    },
    /// The command is not available.
    #[serde(rename = "rejected", serialize_with = "json_members::rejected")]
    Unavailable(Unavailable),
    /// The command could not be parsed.
    #[serde(rename = "rejected", serialize_with = "json_members::invalid_command")]
    InvalidCommand {
        text: String,
        error: TextCommandError,
    },
    #[serde(rename = "rejected", serialize_with = "json_members::rejected")]
    FieldInvalid(FormFieldError),
    /// Line mode asks for the text of a field.
    Asked {
        form: FormKind,
        #[serde(flatten)]
        field: FormField,
        /// Names of the options in the player's language.
        #[serde(skip)]
        choices: Vec<String>,
    },
    /// The input has ended, so the program leaves the game.
    InputEnded,
    /// The record was written to this file.
    Saved {
        path: String,
    },
    /// The settings were written to this file.
    #[serde(rename = "saved")]
    SettingsSaved {
        path: String,
    },
    Failed(Failure),
    /// A complete record, move by move.
    #[serde(serialize_with = "json_members::record")]
    Record {
        players: [String; 2],
        position: Position,
        outcome: Option<Outcome>,
    },
    /// The program ends with this status.
    #[serde(skip)]
    Exiting(Exit),
    /// The home menu, with the saved games at its top.
    Menu {
        entries: Vec<MenuItem>,
        /// The saved games.
        unfinished: Vec<SavedGame>,
    },
    /// This saved game can be resumed.
    MayContinue(Box<SavedGame>),
    /// No saved game exists, or the server does not know its room.
    NothingToContinue {
        /// The game that the server does not know.
        #[serde(skip)]
        game: Option<Box<SavedGame>>,
    },
    /// The player's finished games, newest first.
    OwnGames {
        games: Vec<OwnGame>,
        /// Whether line mode waits for a number.
        #[serde(skip)]
        is_selectable: bool,
    },
    /// The player's finished games that only a server has, newest first.
    ServerGames {
        games: Vec<ServerGame>,
        /// Number of the first game, if line mode waits for a number.
        #[serde(skip)]
        first_number: Option<usize>,
    },
    /// The profile of a player.
    Profile {
        server: ServerUrl,
        #[serde(flatten)]
        profile: Box<PlayerProfile>,
        /// Whether line mode waits for a number of a game.
        #[serde(skip)]
        is_selectable: bool,
    },
    /// This number of files in the folder of own games are not games. They stay in the folder.
    DamagedGames {
        files: usize,
        folder: String,
    },
    /// The player has one identity here and another identity at an address that seems to belong to the same server.
    OtherAddress {
        address: ServerUrl,
        server: ServerUrl,
    },
    /// This number of corrupt files was deleted.
    Damaged {
        files: usize,
    },
    #[serde(untagged)]
    QueryAnswer(QueryAnswer),
}

/// An operation that has failed.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "code", rename_all = "snake_case")]
pub enum Failure {
    /// An external engine in a local game failed.
    Engine {
        #[serde(serialize_with = "json_members::text")]
        detail: EngineError,
    },
    /// The record could not be written to this file.
    NotSaved {
        path: String,
        #[serde(flatten)]
        error: LocalizableIoError,
    },
    #[serde(rename = "not_saved")]
    SettingsNotSaved(SettingsFileError),
    /// The file is not a record.
    BadRecord {
        path: String,
        #[serde(flatten, serialize_with = "json_members::record_error")]
        error: RecordError,
    },
    /// The text is not a link to a game, or the game is too long for one.
    BadLink {
        #[serde(flatten, serialize_with = "json_members::game_link_error")]
        error: GameLinkError,
    },
    NotRead {
        path: String,
        #[serde(flatten)]
        error: LocalizableIoError,
    },
    /// The identity of the player could not be read or kept: the player is a guest.
    IdentityNotRead {
        #[serde(flatten)]
        error: LocalizableIoError,
    },
    /// The saved game could not be resumed.
    NotContinued { detail: SavedGameError },
    /// The game in progress could not be saved, so it cannot be resumed after a crash.
    NotKept { detail: SavedGameError },
    /// A finished game could not be stored among the player's own games.
    GameNotKept {
        #[serde(flatten)]
        error: LocalizableIoError,
    },
    /// A request for finished games has failed: no response, an unreadable response, or `unavailable`.
    NoAnswer { server: ServerUrl },
    /// The player's own games could not be read or changed.
    OwnGames {
        #[serde(flatten)]
        error: LocalizableIoError,
    },
}

impl Notification {
    /// Returns a report about damaged files among the player's own games, if there are any.
    pub(crate) fn damaged_games(list: &OwnGameList) -> Option<Notification> {
        let folder = list.damaged.first()?.parent()?;
        Some(Notification::DamagedGames {
            files: list.damaged.len(),
            folder: folder.display().to_string(),
        })
    }

    pub fn menu(saved_games: Vec<SavedGame>) -> Notification {
        Notification::Menu {
            entries: MenuItem::all(saved_games.len()),
            unfinished: saved_games,
        }
    }

    /// Returns whether the report is about the program or its connection rather than the game. Line mode prints it on
    /// stderr, so that stdout contains only the game.
    pub fn is_diagnostic(&self) -> bool {
        matches!(
            self,
            Notification::Connecting { .. }
                | Notification::Connected { .. }
                | Notification::Offline { .. }
                | Notification::Back
                | Notification::Ended { .. }
                | Notification::RoomGone
                | Notification::Restarting { .. }
                | Notification::Announcement { .. }
                | Notification::Rejected {
                    asked: Some(PendingRequest::Goal),
                    ..
                }
                | Notification::InputEnded
                | Notification::MayContinue(_)
                | Notification::NothingToContinue { .. }
                | Notification::Failed(
                    Failure::NotContinued { .. }
                        | Failure::NotKept { .. }
                        | Failure::GameNotKept { .. }
                        | Failure::OwnGames { .. }
                )
                | Notification::Damaged { .. }
                | Notification::DamagedGames { .. }
                | Notification::Exiting(_)
        )
    }

    /// Returns whether the full screen shows this report until a key is pressed or the report becomes false. All other
    /// reports disappear after some seconds.
    pub fn is_lasting(&self) -> bool {
        matches!(
            self,
            Notification::Ended { .. }
                | Notification::Restarting { .. }
                | Notification::Announcement { .. }
                | Notification::HostFailed(_)
                | Notification::BotFailed
                | Notification::Studying
                | Notification::Review(_)
                | Notification::Values(_)
                | Notification::QueryAnswer(_)
                | Notification::GameLeft(_)
                | Notification::PuzzleOver(_)
                | Notification::OpponentFound(_)
                | Notification::NothingToContinue { .. }
                | Notification::MayContinue(_)
                | Notification::Damaged { .. }
                | Notification::OtherAddress { .. }
                | Notification::Failed(_)
                | Notification::Rejected {
                    asked: Some(PendingRequest::Goal),
                    ..
                }
        )
    }

    /// Returns whether the full screen shows this report only in the status line. All other reports appear elsewhere
    /// too.
    pub fn is_status_only(&self) -> bool {
        !matches!(
            self,
            Notification::Connecting { .. }
                | Notification::Connected { .. }
                | Notification::Seeking { .. }
                | Notification::Invite { .. }
                | Notification::Rooms { .. }
                | Notification::OwnGames { .. }
                | Notification::ServerGames { .. }
                | Notification::Profile { .. }
                | Notification::Started { .. }
                | Notification::Seated(_)
                | Notification::Moved { .. }
                | Notification::Over { .. }
                | Notification::WatchingSeveral(_)
                | Notification::Hint
                | Notification::PlayAgain
                | Notification::Offered { .. }
                | Notification::Presence { .. }
                | Notification::Claimable(_)
                | Notification::Spectators { .. }
                | Notification::Remark { .. }
                | Notification::FieldInvalid(_)
                | Notification::Asked { .. }
                | Notification::Record { .. }
                | Notification::Menu { .. }
                | Notification::Joined { .. }
                | Notification::Offline { .. }
                | Notification::RoomGone
                | Notification::Closed { .. }
                | Notification::Exiting(_)
        )
    }
}

/// Answer to a query from the player.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum QueryAnswer {
    #[serde(serialize_with = "json_members::board")]
    Board {
        position: Position,
        digit_order: DigitOrder,
    },
    /// A row or column with the stones on it.
    Scan {
        #[serde(flatten)]
        name: ScanLabel,
        cells: Vec<ScannedCell>,
    },
    /// Names of the cells with stones of one seat.
    Marks {
        #[serde(flatten)]
        who: PlayerRef,
        cells: Vec<String>,
    },
    /// The last move and its cell; `None` before the first move.
    Last {
        #[serde(rename = "seat", serialize_with = "json_members::seat")]
        who: Option<PlayerRef>,
        cell: Option<String>,
    },
    /// Milliseconds left on both clocks; `None` for a game without a clock.
    #[serde(serialize_with = "json_members::clocks")]
    Clocks(Option<[(PlayerRef, u64); 2]>),
    Opponent {
        #[serde(flatten)]
        who: PlayerRef,
        bot: bool,
        presence: Presence,
        lag_ms: Option<u32>,
    },
    /// The commands. `rules` are the rules of the displayed board.
    #[serde(serialize_with = "json_members::help")]
    Help { rules: Option<Rules> },
}

/// The part of the board that a scan covers, with a one-based row or column number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ScanLabel {
    Row(u8),
    Column(u8),
}

/// The name of a cell, and the stone on it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ScannedCell {
    pub cell: String,
    pub mark: Option<Seat>,
}

/// Reason why a command is not available.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Unavailable {
    /// The previous move is not confirmed yet.
    Pending,
    /// Too many requests wait for the connection.
    Busy,
    /// Spectators cannot act.
    Watching,
    /// The screen has no board.
    NoBoard,
    /// No offer is open.
    NoOffer,
    /// Several offers are open, and the command does not say which it means.
    WhichOffer,
    /// No game is in progress.
    NoGame,
    /// The game is still in progress.
    GameOn,
    /// It is a bot's turn.
    BotMoves,
    /// The command is not available in a puzzle, because it would solve the puzzle or needs an opponent.
    InPuzzle,
    /// The bot declines a draw.
    BotPlaysOn,
    /// Available only while the player waits in the player's own room.
    NotWaiting,
    /// The client has no connection to the server.
    Offline,
    /// No move can be taken back.
    NothingToTakeBack,
    /// Available only in a local game.
    NotOnAServer,
    /// Available only in a room on a server.
    OnlyOnAServer,
    /// The opponent is not absent.
    NotClaimable,
    /// The answer must be yes or no.
    YesOrNo,
    /// The answer must be a number from the list.
    Number,
    /// None of the watched games has this room.
    NoRoom,
    /// Leaving the game in progress needs a confirmation.
    LeaveQuestion(#[serde(skip)] LeaveEffect),
    /// Deleting one of the player's own games needs a confirmation.
    DeleteQuestion,
    /// The game has no single opponent.
    NoOpponent,
    /// The game is not over, or the opponent has no identity.
    NoProfile,
    /// A request to enter a room or to accept a seek has no response yet.
    RequestPending,
    /// The selected row of the lobby has vanished, and no other row has been selected since.
    SelectionGone,
    /// No field, menu or list expects this input.
    NothingAsked,
    /// The player who opened the chosen seek has found another opponent, or has left.
    SeekGone,
    /// The entry needs a server, but no server answers.
    NoServer,
    /// The command is not available while the client looks for an opponent.
    Searching,
    /// The position has changed since the command was written.
    Stale,
}

impl From<SendError> for Unavailable {
    fn from(error: SendError) -> Unavailable {
        match error {
            SendError::Busy => Unavailable::Busy,
            SendError::Offline => Unavailable::Offline,
        }
    }
}
