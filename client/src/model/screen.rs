//! What there may be on the screen.

use noughts_protocol::wire::{OpenSeek, RoomListing};
use noughts_protocol::{Position, Record};

use super::{Form, GameView, MultiWatch};

/// What is on the screen.
#[derive(Debug)]
pub enum Screen {
    /// The choice of what to do.
    Home {
        /// The entry that is selected.
        selected: usize,
    },
    /// Fields to fill in.
    Form(Form),
    /// Waiting for a server or an opponent; the session says which.
    Waiting,
    /// The public rooms.
    Lobby(LobbyScreen),
    /// A room, or a game on this terminal.
    Game(Box<GameView>),
    /// A record.
    Replay(Box<Replay>),
    /// Several games that others play.
    MultiWatch(Box<MultiWatch>),
}

/// The entries of the home screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MenuItem {
    /// To play on the game in this place of [`Model::unfinished`](super::Model::unfinished).
    Continue(usize),
    Quick,
    Private,
    Join,
    Watch,
    Local,
    Bot,
    Settings,
    Quit,
}

impl MenuItem {
    /// Those that are always there.
    pub const ALWAYS_SHOWN: [MenuItem; 8] = [
        MenuItem::Quick,
        MenuItem::Private,
        MenuItem::Join,
        MenuItem::Watch,
        MenuItem::Local,
        MenuItem::Bot,
        MenuItem::Settings,
        MenuItem::Quit,
    ];

    /// All, from the top, when there are so many games to continue.
    pub fn all(saved_game_count: usize) -> Vec<MenuItem> {
        (0..saved_game_count).map(MenuItem::Continue).chain(MenuItem::ALWAYS_SHOWN).collect()
    }
}

/// The list of public rooms, and of those who wait.
#[derive(Debug, Default)]
pub struct LobbyScreen {
    /// The rooms; none before the first answer.
    pub rooms: Option<Vec<RoomListing>>,
    /// Who waits.
    pub seeks: Vec<OpenSeek>,
    /// The room that is selected.
    pub selected: usize,
    /// When to fetch the list again, on the scale of the model's `now`.
    pub refresh_at: u64,
}

/// A record, at one of its moves.
#[derive(Debug)]
pub struct Replay {
    /// The game.
    pub record: Record,
    /// The board after `position.ply()` moves.
    pub position: Position,
}

/// What lies over the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overlay {
    /// The keys and commands; so many lines are scrolled past.
    Help(usize),
    /// A question to answer with yes or no.
    Confirmation(Confirmation),
}

/// A question to answer with yes or no.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Confirmation {
    /// To leave a game that is on.
    Leave,
    /// To give up.
    Resign,
}
