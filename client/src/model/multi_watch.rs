//! Watching several games side by side. Each game has its own model, so that the same fold and the same screens serve a
//! single game and several games.

use noughts_protocol::wire::RoomListing;
use noughts_protocol::{Phase, RoomId, RoomRef, Rules};

use super::{GameSlot, GameView, Model, MultiWatch, Screen, Stage};
use crate::connection::server_url::ServerUrl;

/// Maximum number of watched games. Each game has a connection, and a tile on the screen.
pub(crate) const MAX_GAMES: usize = 6;
/// Time that a finished game stays before the next game replaces it, in milliseconds.
pub(crate) const RESULT_DISPLAY_MS: u64 = 8000;

impl MultiWatch {
    pub(crate) fn focused(&self) -> &GameSlot {
        &self.games[self.focus]
    }

    /// Returns the game that has the whole screen, because it is the only watched game and has two players.
    pub(crate) fn only_game(&self) -> Option<&GameView> {
        let [game] = &self.games[..] else {
            return None;
        };
        game.model
            .game_view()
            .filter(|view| view.game.phase() != Phase::Waiting)
    }

    /// Returns the model of the game that covers the screen, if any.
    pub(crate) fn open_model(&self) -> Option<&Model> {
        self.is_open.then(|| &self.focused().model)
    }

    /// Lets the focused game cover the screen if its board has arrived.
    pub(crate) fn open_focused(&mut self) {
        self.is_open = self.focused().model.game_view().is_some();
    }

    /// Returns the next time when a game changes without input.
    pub(super) fn deadline(&self, now: u64) -> Option<u64> {
        // A time in the past means that the game waits for a successor. The successor arrives as a message.
        let results = self
            .games
            .iter()
            .filter_map(|game| game.result_until)
            .filter(|until| *until > now);
        self.games
            .iter()
            .filter_map(|game| game.model.deadline())
            .chain(results)
            .min()
    }
}

impl GameSlot {
    /// Creates a game before its board arrives.
    pub(crate) fn new(model: Model, server: ServerUrl, room: RoomRef) -> GameSlot {
        GameSlot {
            model,
            server,
            room,
            exit: None,
            exit_reason: None,
            result_until: None,
        }
    }

    /// Returns the id of the room, or the number of the game before the id is known. Never returns the room code, which
    /// is secret.
    pub(crate) fn label(&self, index: usize) -> String {
        match (self.model.game_view().and_then(GameView::room), self.room) {
            (Some(room), _) => room.id.to_string(),
            (None, RoomRef::Id(id)) => id.to_string(),
            (None, RoomRef::Code(_)) => (index + 1).to_string(),
        }
    }

    /// Returns the rules once the board has arrived.
    pub(crate) fn rules(&self) -> Option<Rules> {
        self.model.game_view().map(|view| *view.game.rules())
    }

    /// Returns whether the game in the room is over.
    pub(crate) fn has_result(&self) -> bool {
        let phase = self.model.game_view().map(|view| view.game.phase());
        matches!(phase, Some(Phase::Over | Phase::Closed))
    }

    /// Returns whether this game is in the room with this id.
    pub(crate) fn is_in_room(&self, id: RoomId) -> bool {
        let shown = self
            .model
            .game_view()
            .and_then(GameView::room)
            .map(|room| room.id);
        shown == Some(id) || self.room == RoomRef::Id(id)
    }

    /// Returns whether the connection of this game has ended and will not be retried.
    pub(crate) fn has_ended(&self) -> bool {
        let session = self.model.session.as_ref();
        self.exit.is_some()
            || session.is_some_and(|session| matches!(session.stage, Stage::Terminated(_)))
    }
}

impl Model {
    /// Returns the running games in the lobby that are not watched.
    pub(crate) fn unwatched_games(&self) -> impl Iterator<Item = &RoomListing> {
        let watched = self
            .screen
            .as_multi_watch()
            .map_or(&[][..], |grid| &grid.games);
        let lobby = self.session.iter().flat_map(|session| &session.lobby);
        lobby
            .flat_map(|lobby| &lobby.view.rooms)
            .filter(|listing| listing.phase == Phase::Playing)
            .filter(|listing| !watched.iter().any(|game| game.is_in_room(listing.room)))
    }

    /// Creates a model for a [`GameSlot`] with the settings of this model.
    pub(crate) fn new_watched_model(&mut self) -> Model {
        let rng_state = self.next_random();
        let mut model = Model::new(self.mode, self.appearance, self.settings.clone(), rng_state);
        model.keymap = self.keymap.clone();
        model.in_multi_watch = true;
        (model.now, model.size, model.focused) = (self.now, self.size, self.focused);
        model
    }

    /// Copies time, size, focus, appearance and language into the models of all watched games.
    pub(crate) fn sync_watched_games(&mut self) {
        let grid = match &mut self.screen {
            Screen::MultiWatch(grid) => &mut grid.games[..],
            Screen::Home { .. }
            | Screen::Form(_)
            | Screen::Waiting
            | Screen::Lobby(_)
            | Screen::OwnGames(_)
            | Screen::Game(_)
            | Screen::Analysis(_) => &mut [],
        };
        for GameSlot { model, .. } in grid.iter_mut().chain(self.preview.game.as_deref_mut()) {
            (model.now, model.size, model.focused) = (self.now, self.size, self.focused);
            (model.appearance, model.settings.lang) = (self.appearance, self.settings.lang);
        }
    }
}
