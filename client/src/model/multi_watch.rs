//! Several games of others at once. Each has a model of its own, as if it were the only one: so there is one way
//! to fold events, and one to show a game alone.

use noughts_protocol::{RoomRef, Rules};

use super::{Exit, GameView, LobbyScreen, Model, Notification, Screen, Stage};
use crate::server_url::ServerUrl;

/// Games that are watched at once at most: a line and a place on the screen each.
pub const MAX_GAMES: usize = 6;

/// The games that are watched: one at least.
#[derive(Debug)]
pub struct MultiWatch {
    /// In the order in which they were asked for.
    pub games: Vec<WatchedGame>,
    /// The place of the one that keys and lines are about.
    pub focus: usize,
    /// Whether that one is shown alone.
    pub is_open: bool,
    /// The list that they were chosen from, to go back to.
    pub lobby: Option<LobbyScreen>,
}

/// One of them.
#[derive(Debug)]
pub struct WatchedGame {
    /// Everything about it. Never a grid itself.
    pub model: Model,
    /// Where it is played.
    pub server: ServerUrl,
    /// As it was asked for.
    pub room: RoomRef,
    /// How it would have ended the program, were it the only one.
    pub exit: Option<Exit>,
    /// Why, where no board tells it.
    pub exit_reason: Option<Notification>,
}

impl MultiWatch {
    /// The game that keys and lines are about.
    pub fn focused(&self) -> &WatchedGame {
        &self.games[self.focus]
    }

    /// The model of the game that is shown alone, if one is.
    pub fn open_model(&self) -> Option<&Model> {
        self.is_open.then(|| &self.focused().model)
    }

    /// Shows the game under the focus alone, if there is anything to see of it.
    pub fn open_focused(&mut self) {
        self.is_open = self.focused().model.game_view().is_some();
    }

    /// The next game or the one before, and round.
    pub fn cycle_focus(&mut self, forward: bool) {
        let count = self.games.len();
        self.focus = (self.focus + if forward { 1 } else { count - 1 }) % count;
    }

    /// When one of them changes by time alone.
    pub(super) fn deadline(&self) -> Option<u64> {
        self.games.iter().filter_map(|game| game.model.deadline()).min()
    }
}

impl WatchedGame {
    /// One that nothing is known of yet.
    pub fn new(model: Model, server: ServerUrl, room: RoomRef) -> WatchedGame {
        WatchedGame { model, server, room, exit: None, exit_reason: None }
    }

    /// What it is called: the id of its room; before that is known, its number. A code is a secret.
    pub fn label(&self, index: usize) -> String {
        match (self.model.game_view().and_then(GameView::room), self.room) {
            (Some(room), _) => room.id.to_string(),
            (None, RoomRef::Id(id)) => id.to_string(),
            (None, RoomRef::Code(_)) => (index + 1).to_string(),
        }
    }

    /// What is played, once that is known.
    pub fn rules(&self) -> Option<Rules> {
        self.model.game_view().map(|view| *view.game.rules())
    }

    /// Whether its line is gone for good.
    pub fn has_ended(&self) -> bool {
        let session = self.model.session.as_ref();
        self.exit.is_some() || session.is_some_and(|session| matches!(session.stage, Stage::Terminated(_)))
    }
}

impl Model {
    /// A model for one of several games that are watched.
    pub fn new_watched_model(&mut self) -> Model {
        let rng_state = self.next_random();
        let mut model = Model::new(self.mode, self.appearance, self.texts, self.settings.clone(), rng_state);
        model.keymap = self.keymap.clone();
        model.in_multi_watch = true;
        (model.now, model.size, model.focused) = (self.now, self.size, self.focused);
        model
    }

    /// Lets all games that are watched be shown at the time, in the size and in the language of the screen.
    pub fn sync_watched_games(&mut self) {
        let Screen::MultiWatch(grid) = &mut self.screen else { return };
        for WatchedGame { model, .. } in &mut grid.games {
            (model.now, model.size, model.focused) = (self.now, self.size, self.focused);
            (model.appearance, model.texts, model.settings.lang) =
                (self.appearance, self.texts, self.settings.lang);
        }
    }
}
