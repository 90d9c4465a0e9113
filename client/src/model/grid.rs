//! Several games of others at once. Each has a model of its own, as if it were the only one: so there is one way
//! to fold events, and one to show a game alone.

use noughts_protocol::{RoomRef, Rules};

use super::{Exit, Lobby, Model, Note, Screen, Stage, Table};
use crate::server_url::ServerUrl;

/// Games that are watched at once at most: a line and a place on the screen each.
pub const MAX_GAMES: usize = 6;

/// The games that are watched: one at least.
#[derive(Debug)]
pub struct Grid {
    /// In the order in which they were asked for.
    pub games: Vec<Watched>,
    /// The place of the one that keys and lines are about.
    pub at: usize,
    /// Whether that one is shown alone.
    pub open: bool,
    /// The list that they were chosen from, to go back to.
    pub behind: Option<Lobby>,
}

/// One of them.
#[derive(Debug)]
pub struct Watched {
    /// Everything about it. Never a grid itself.
    pub model: Model,
    /// Where it is played.
    pub server: ServerUrl,
    /// As it was asked for.
    pub room: RoomRef,
    /// How it would have ended the program, were it the only one.
    pub over: Option<Exit>,
    /// Why, where no board tells it.
    pub reason: Option<Note>,
}

impl Grid {
    /// The game that keys and lines are about.
    pub fn focused(&self) -> &Watched {
        &self.games[self.at]
    }

    /// The model of the game that is shown alone, if one is.
    pub fn opened(&self) -> Option<&Model> {
        self.open.then(|| &self.focused().model)
    }

    /// Shows the game under the focus alone, if there is anything to see of it.
    pub fn open(&mut self) {
        self.open = self.focused().model.table().is_some();
    }

    /// The next game or the one before, and round.
    pub fn turn(&mut self, forward: bool) {
        let count = self.games.len();
        self.at = (self.at + if forward { 1 } else { count - 1 }) % count;
    }

    /// When one of them changes by time alone.
    pub(super) fn deadline(&self) -> Option<u64> {
        self.games.iter().filter_map(|game| game.model.deadline()).min()
    }
}

impl Watched {
    /// One that nothing is known of yet.
    pub fn new(model: Model, server: ServerUrl, room: RoomRef) -> Watched {
        Watched { model, server, room, over: None, reason: None }
    }

    /// What it is called: the id of its room; before that is known, its number. A code is a secret.
    pub fn label(&self, place: usize) -> String {
        match (self.model.table().and_then(Table::room), self.room) {
            (Some(room), _) => room.id.to_string(),
            (None, RoomRef::Id(id)) => id.to_string(),
            (None, RoomRef::Code(_)) => (place + 1).to_string(),
        }
    }

    /// What is played, once that is known.
    pub fn rules(&self) -> Option<Rules> {
        self.model.table().map(|table| *table.game.rules())
    }

    /// Whether its line is gone for good.
    pub fn has_ended(&self) -> bool {
        let session = self.model.session.as_ref();
        self.over.is_some() || session.is_some_and(|session| matches!(session.stage, Stage::Ended(_)))
    }
}

impl Model {
    /// A model for one of several games that are watched.
    pub fn for_one_of_several(&mut self) -> Model {
        let chance = self.draw_lot();
        let mut model = Model::new(self.mode, self.look, self.words, self.settings.clone(), chance);
        model.keymap = self.keymap.clone();
        model.among = true;
        (model.now, model.size, model.focused) = (self.now, self.size, self.focused);
        model
    }

    /// Lets all games that are watched be shown at the time, in the size and in the language of the screen.
    pub fn align_games(&mut self) {
        let Screen::Grid(grid) = &mut self.screen else { return };
        for Watched { model, .. } in &mut grid.games {
            (model.now, model.size, model.focused) = (self.now, self.size, self.focused);
            (model.look, model.words, model.settings.lang) = (self.look, self.words, self.settings.lang);
        }
    }
}
