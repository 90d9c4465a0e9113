//! Everything that can happen, [`Msg`], and everything that the program can do, [`Effect`].

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
use crate::facts::{Exit, HostError, Notification, PendingRequest};
use crate::input::Input;
use crate::io::io_error::LocalizableIoError;
use crate::io::last_choices::LastChoices;
use crate::io::own_games::{FinishedOwnGame, OwnGame, OwnGameList};
use crate::io::saved_games::{SavedGame, SavedGameError, SavedGameList};
use crate::model::local_game::SearchId;
use crate::model::{Form, FormResult, Model};
use crate::settings::file::SettingsFileError;
use crate::settings::{BellMode, Setting};

/// Something that happened.
#[derive(Debug)]
pub(crate) enum Msg {
    Input(Input),
    Connection(Box<ConnectionEvent>),
    /// An event of the connection of the home screen.
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
    /// An engine search ended; a stopped search sends no message.
    SearchDone {
        search_id: SearchId,
        result: Result<BestMove, EngineError>,
    },
    AnalysisDone(AnalysisResult),
    /// A server of the player runs at this address, or could not be started.
    ServerStarted(Result<ServerUrl, HostError>),
    /// An invited bot ended.
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
    /// A finished game was kept among the own games, or could not be kept.
    GameKept(Result<Box<OwnGame>, LocalizableIoError>),
    /// The own games were read, or could not be read or changed.
    OwnGamesListed(Result<OwnGameList, LocalizableIoError>),
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
    /// The home menu.
    Home,
    Form(Form),
    /// A submitted form, or a complete command line.
    Apply(FormResult),
    Analysis(Record),
    /// The analysis of a record, with an evaluation of its moves.
    Review(Record),
    /// The resumable game that the player chose.
    Continue(SavedGame),
    /// Games to watch, and a server with running games that follow them.
    Tv(ServerUrl, Vec<(ServerUrl, RoomRef)>),
    /// Several games to watch; never empty.
    Watch(Vec<(ServerUrl, RoomRef)>),
}

/// An action for the loop. Effects run in the order of their return.
#[derive(Debug)]
pub(crate) enum Effect {
    /// Reports to the player; the full screen shows most notifications from the model.
    Notify(Notification),
    /// Connects to the server of the session.
    Connect,
    /// Sends a request, and reports its id for `request`.
    Send {
        body: RequestBody,
        request: Option<PendingRequest>,
    },
    /// Closes the connection after the queued requests.
    Disconnect,
    /// Starts a server on this computer; an earlier one is stopped.
    StartServer(NonZeroU16),
    /// Stops the player's own server on this computer.
    StopServer,
    /// Starts a bot that joins a room.
    InviteBot {
        server: ServerUrl,
        room: RoomRef,
        level: Level,
    },
    /// Starts an engine search; an earlier search is stopped.
    Search {
        search_id: SearchId,
        position: Position,
        engine: EngineSpec,
        seed: u64,
    },
    StopSearch,
    /// Starts an analysis; an earlier analysis is stopped.
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
    /// Keep the last choices of the player.
    SaveLastChoices(Box<LastChoices>),
    /// Locks a resumable game, so that no other process resumes it.
    LockSavedGame(Box<SavedGame>),
    /// Saves the game in progress.
    SaveGame(Box<SavedGame>),
    /// Deletes the resumable game of the game in progress.
    DeleteSavedGame,
    /// Keeps a finished game among the own games.
    KeepGame(Box<FinishedOwnGame>),
    /// Reads the own games.
    ListOwnGames,
    /// Deletes the own game in this file, and reads the others.
    DeleteOwnGame(PathBuf),
    /// Suspends the process (Ctrl-Z).
    Suspend,
    /// Redraws the whole screen.
    Redraw,
    /// Ends the program.
    Quit(Exit),
    /// Returns from one watched game to all of them. Only the model of a game slot returns this effect.
    ReturnToMultiWatch,
    /// An effect of the watched game with this index.
    ForGame {
        index: usize,
        effect: GameEffect,
    },
}

/// An action for one of several watched games. Each has a connection of its own.
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
    /// Closes the connection after the queued requests.
    Disconnect,
}

/// The effects of one update, in order.
#[derive(Debug)]
pub(super) struct Effects {
    pub(super) list: Vec<Effect>,
    /// The update itself, for the messages of watched games: their models are updated in the same way.
    pub(super) update_game: fn(&mut Model, Msg) -> Vec<Effect>,
}

/// How long the status line shows a report about a moment, in milliseconds.
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

    /// Reports to the player, and on the status line if the full screen shows the report nowhere else.
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
