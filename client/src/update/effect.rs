//! Effects: requests of an update to the event loop.

use std::num::NonZeroU16;

use noughts_protocol::wire::RequestBody;
use noughts_protocol::{Name, Position, RoomRef};

use super::message::Msg;
use crate::connection::server_url::ServerUrl;
use crate::engine::Level;
use crate::engines::analysis::AnalysisRequest;
use crate::engines::player_engine::EngineSpec;
use crate::facts::{Exit, Notification, PendingRequest};
use crate::io::saved_games::SavedGame;
use crate::model::local_game::SearchId;
use crate::model::{BellMode, Model};
use crate::settings::Setting;

/// An action for the loop. Effects run in the order in which they were returned.
#[derive(Debug)]
pub(crate) enum Effect {
    /// Reports to the player; the full screen shows most notifications by itself.
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
    /// Stops the server that runs on this computer for the player.
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
    /// Changes values in the settings file; `None` removes a value.
    ChangeSettings(Vec<(Setting, Option<String>)>),
    /// Signals the player's turn.
    RingBell(BellMode),
    /// Copies a text to the clipboard, if the terminal allows it.
    Copy(String),
    /// Reads the resumable games.
    ListSavedGames,
    /// Locks a resumable game, so that no other process resumes it.
    LockSavedGame(Box<SavedGame>),
    /// Saves the game in progress.
    SaveGame(Box<SavedGame>),
    /// Deletes the resumable game of the game in progress.
    DeleteSavedGame,
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
        }
        self.list.push(Effect::Notify(notification));
    }

    pub(super) fn send(&mut self, body: RequestBody, request: Option<PendingRequest>) {
        self.list.push(Effect::Send { body, request });
    }
}
