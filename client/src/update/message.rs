//! Everything that can happen ([`Msg`]), and everything that the program can do ([`Effect`]).

use std::num::NonZeroU16;
use std::path::PathBuf;

use noughts_protocol::wire::RequestBody;
use noughts_protocol::{Name, Position, Record, RequestId, RoomRef};

use crate::connection::server_url::ServerUrl;
use crate::connection::{ConnectionEvent, SendError};
use crate::engine::Level;
use crate::engines::analysis::{AnalysisRequest, AnalysisResult};
use crate::engines::player_engine::child_process::EngineError;
use crate::engines::player_engine::{BestMove, EngineSpec};
use crate::facts::archive::{ArchiveAnswer, ArchiveFailure, ArchiveQuestion};
use crate::facts::{Exit, Failure, HostError, Notification, PendingRequest};
use crate::input::Input;
use crate::io::io_error::LocalizableIoError;
use crate::io::last_choices::LastGame;
use crate::io::own_games::{FinishedOwnGame, OwnGame, OwnGameList};
use crate::io::saved_games::{SavedGame, SavedGameError, SavedGameList};
use crate::model::local_game::SearchId;
use crate::model::{Form, FormResult, Model};
use crate::puzzle::PuzzleProgress;
use crate::settings::file::SettingsFileError;
use crate::settings::{BellMode, Setting};

/// Something that happened.
#[derive(Debug)]
pub(crate) enum Msg {
    Input(Input),
    Connection(Box<ConnectionEvent>),
    /// An event on the home screen's connection.
    HomeConnection(Box<ConnectionEvent>),
    /// A request was queued under this id.
    Sent {
        request: PendingRequest,
        id: RequestId,
    },
    /// A request could not be queued.
    SendFailed {
        request: Option<PendingRequest>,
        error: SendError,
    },
    /// An engine search has ended. A stopped search sends no message.
    SearchDone {
        search_id: SearchId,
        result: Result<BestMove, EngineError>,
    },
    AnalysisDone(AnalysisResult),
    /// The player's own server runs at this address, or could not be started.
    ServerStarted(Result<ServerUrl, HostError>),
    /// An invited bot has ended.
    BotExited {
        failed: bool,
    },
    /// A file was written, or could not be written.
    FileSaved {
        path: String,
        result: Result<(), LocalizableIoError>,
    },
    SavedGamesListed(SavedGameList),
    /// A resumable game was locked, or could not be locked.
    SavedGameLocked(Result<Box<SavedGame>, SavedGameError>),
    /// The settings file with this path was changed, or could not be changed.
    SettingsChanged(Result<String, SettingsFileError>),
    SaveGameFailed(SavedGameError),
    /// A finished game was stored among the player's own games, or could not be stored.
    GameKept(Result<Box<OwnGame>, LocalizableIoError>),
    /// The player's own games were read, or could not be read or changed.
    OwnGamesListed(Result<OwnGameList, LocalizableIoError>),
    /// A server has responded to a question about finished games, or has not.
    ArchiveAnswered {
        server: ServerUrl,
        question: ArchiveQuestion,
        answer: Result<ArchiveAnswer, ArchiveFailure>,
    },
    /// The identity of the player could not be read or kept.
    IdentityFailed(Failure),
    /// The player has one identity at `server`, and another identity at an `address` that seems to belong to the same
    /// server.
    OtherAddress {
        address: ServerUrl,
        server: ServerUrl,
    },
    /// A message for the watched game with this index.
    ForGame {
        index: usize,
        msg: Box<Msg>,
    },
    /// The deadline of the model has passed.
    Tick,
    /// The process received this signal and must end.
    Signal(u8),
}

/// Action at the start of the program.
#[derive(Debug)]
pub(crate) enum InitialAction {
    /// Opens the home menu.
    Home,
    Form(Form),
    /// Applies a submitted form or a complete command line.
    Apply(FormResult),
    Analysis(Record),
    /// Opens the analysis of a record, and evaluates its moves.
    Review(Record),
    /// Resumes the game that the player chose.
    Continue(SavedGame),
    /// Watches games, and then the running games of a server.
    Tv(ServerUrl, Vec<(ServerUrl, RoomRef)>),
    /// The puzzle of the day.
    Puzzle,
    /// Watches several games; never empty.
    Watch(Vec<(ServerUrl, RoomRef)>),
}

/// An action for the loop. The loop runs the effects in the returned order.
#[derive(Debug)]
pub(crate) enum Effect {
    /// Reports to the player. On the full screen, most notifications are drawn from the model instead.
    Notify(Notification),
    /// Connects to the server of the session.
    Connect,
    /// Sends a request, and reports its id for `request`.
    Send {
        body: RequestBody,
        request: Option<PendingRequest>,
    },
    /// Closes the connection after the queued requests have been sent.
    Disconnect,
    /// Starts a server on this computer, and stops an earlier server.
    StartServer(NonZeroU16),
    /// Stops the player's own server.
    StopServer,
    /// Starts a bot that joins a room.
    InviteBot {
        server: ServerUrl,
        room: RoomRef,
        level: Level,
    },
    /// Starts an engine search, and stops an earlier search.
    Search {
        search_id: SearchId,
        position: Position,
        engine: EngineSpec,
        seed: u64,
    },
    StopSearch,
    /// Starts an analysis, and stops an earlier analysis.
    Analyze(AnalysisRequest),
    /// Writes a new file.
    SaveFile {
        path: String,
        text: String,
    },
    /// Changes values in the settings file.
    ChangeSettings(Vec<(Setting, String)>),
    /// Signals the player's turn.
    RingBell(BellMode),
    /// Copies a text to the clipboard, if the terminal allows it.
    Copy(String),
    /// Reads the resumable games.
    ListSavedGames,
    /// Stores the game that the home menu offers again.
    SaveLastGame(Box<LastGame>),
    SavePuzzleProgress(PuzzleProgress),
    /// Locks a resumable game, so that no other process resumes it.
    LockSavedGame(Box<SavedGame>),
    /// Saves the game in progress.
    SaveGame(Box<SavedGame>),
    /// Deletes the resumable game of the game in progress.
    DeleteSavedGame,
    /// Stores a finished game among the player's own games.
    KeepGame(Box<FinishedOwnGame>),
    /// Reads the player's own games.
    ListOwnGames,
    /// Asks a server about finished games, on a connection of its own.
    AskArchive {
        server: ServerUrl,
        question: ArchiveQuestion,
    },
    /// Deletes the player's own game in this file, and reads the others.
    DeleteOwnGame(PathBuf),
    /// Suspends the process (Ctrl-Z).
    Suspend,
    /// Redraws the whole screen.
    Redraw,
    /// Ends the program.
    Quit(Exit),
    /// Returns from one watched game to all watched games. Only the model of a watched game returns this effect.
    ReturnToMultiWatch,
    /// An effect of the watched game with this index.
    ForGame {
        index: usize,
        effect: GameEffect,
    },
}

/// An action for one of several watched games. Each game has its own connection.
#[derive(Debug)]
pub(crate) enum GameEffect {
    /// Reports to the player under the label of this room.
    Notify {
        room: String,
        notification: Notification,
    },
    Connect {
        server: ServerUrl,
        name: Name,
    },
    /// Sends a request, and reports its id for `request`.
    Send {
        body: RequestBody,
        request: Option<PendingRequest>,
    },
    /// Closes the connection after the queued requests have been sent.
    Disconnect,
}

/// The effects of one update, in order.
#[derive(Debug)]
pub(super) struct Effects {
    pub(super) list: Vec<Effect>,
    /// The update function itself, for the messages of watched games, because their models are updated in the same way.
    pub(super) update_game: fn(&mut Model, Msg) -> Vec<Effect>,
}

/// Time that the status line shows a temporary report, in milliseconds.
pub(super) const NOTIFICATION_DISPLAY_MS: u64 = 6_000;

impl Effects {
    pub(super) fn new(update_game: fn(&mut Model, Msg) -> Vec<Effect>) -> Effects {
        Effects {
            list: Vec::new(),
            update_game,
        }
    }

    pub(super) fn push(&mut self, effect: Effect) {
        self.list.push(effect);
    }

    /// Reports to the player. If the full screen shows the report nowhere else, shows it in the status line.
    pub(super) fn notify(&mut self, model: &mut Model, notification: Notification) {
        if notification.is_status_only() {
            model.notification = Some(notification.clone());
            let is_of_moment = !notification.is_lasting();
            model.notification_until = is_of_moment.then(|| model.now + NOTIFICATION_DISPLAY_MS);
        }
        self.list.push(Effect::Notify(notification));
    }

    pub(super) fn send(&mut self, body: RequestBody, request: Option<PendingRequest>) {
        self.list.push(Effect::Send { body, request });
    }
}
