//! What there may be on the screen.

use noughts_protocol::wire::{Listing, OpenSeek};
use noughts_protocol::{Position, Record};

use super::{Form, Grid, Table};

/// What is on the screen.
#[derive(Debug)]
pub enum Screen {
    /// The choice of what to do.
    Home {
        /// The entry that is selected.
        at: usize,
    },
    /// Fields to fill in.
    Form(Form),
    /// Waiting for a server or an opponent; the session says which.
    Waiting,
    /// The public rooms.
    Lobby(Lobby),
    /// A room, or a game on this terminal.
    Table(Box<Table>),
    /// A record.
    Replay(Box<Replay>),
    /// Several games that others play.
    Grid(Box<Grid>),
}

/// The entries of the home screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry {
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

impl Entry {
    /// Those that are always there.
    pub const ALWAYS: [Entry; 8] = [
        Entry::Quick,
        Entry::Private,
        Entry::Join,
        Entry::Watch,
        Entry::Local,
        Entry::Bot,
        Entry::Settings,
        Entry::Quit,
    ];

    /// All, from the top, when there are so many games to continue.
    pub fn all(unfinished: usize) -> Vec<Entry> {
        (0..unfinished).map(Entry::Continue).chain(Entry::ALWAYS).collect()
    }
}

/// The list of public rooms, and of those who wait.
#[derive(Debug, Default)]
pub struct Lobby {
    /// The rooms; none before the first answer.
    pub rooms: Option<Vec<Listing>>,
    /// Who waits.
    pub seeks: Vec<OpenSeek>,
    /// The room that is selected.
    pub at: usize,
    /// When to fetch the list again, on the scale of the model's `now`.
    pub due: u64,
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
    Question(Question),
}

/// A question to answer with yes or no.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Question {
    /// To leave a game that is on.
    Leave,
    /// To give up.
    Resign,
}
