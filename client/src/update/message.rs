//! Messages: everything that can change the model.

use noughts_protocol::{Record, RequestId, RoomRef};

use crate::connection::server_url::ServerUrl;
use crate::connection::{ConnectionEvent, SendError};
use crate::engines::analysis::AnalysisResult;
use crate::engines::player_engine::BestMove;
use crate::engines::player_engine::child_process::EngineError;
use crate::facts::{HostError, PendingRequest};
use crate::input::Input;
use crate::io::io_error::LocalizableIoError;
use crate::io::saved_games::{SavedGame, SavedGameError, SavedGameList};
use crate::model::local_game::SearchId;
use crate::model::{Form, FormResult};
use crate::settings::file::SettingsFileError;

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
    Replay(Record),
    /// A replay with an analysis of its moves.
    Review(Record),
    /// The resumable game that the player chose.
    Continue(SavedGame),
    /// Games to watch, and a server whose running games follow them.
    Tv(ServerUrl, Vec<(ServerUrl, RoomRef)>),
    /// Several games to watch; never empty.
    Watch(Vec<(ServerUrl, RoomRef)>),
}
