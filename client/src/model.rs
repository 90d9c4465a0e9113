//! All that the program knows. `update` is the only one to change it; views only read it.

mod edit;
mod exit;
mod form;
mod grid;
pub mod look;
mod note;
mod screen;
mod session;
mod table;

use std::collections::VecDeque;

use noughts_protocol::{Cell, Name, Rules, Seat, TimeControl};

use crate::engine::Level;
use crate::input::{Context, DigitOrder, Keymap};
use crate::lang::Lang;
use crate::server_url::ServerUrl;
use crate::study::Values;
use crate::unfinished::Unfinished;
use crate::words::Words;

pub use edit::Edit;
pub use exit::Exit;
pub use form::{Field, FieldError, FieldId, Form, Plan, Purpose};
pub use grid::{Grid, MAX_GAMES, Watched};
pub use look::{Bell, Glyphs, Look, Theme};
pub use note::{Answer, Next, NotNow, Note, ScanName, Who};
pub use screen::{Entry, Lobby, Overlay, Question, Replay, Screen};
pub use session::{Ask, Goal, Session, Stage};
pub use table::{Attendance, Pending, Place, Room, Table, Thinks};

/// Lines that may wait to be carried out: when there are more, none is read.
pub const MAX_TYPED: usize = 64;

/// The whole state.
#[derive(Debug)]
pub struct Model {
    /// Milliseconds since the program began: set by the loop before each update.
    pub now: u64,
    /// Columns and rows of the screen; of no meaning in line mode.
    pub size: (u16, u16),
    /// Which view there is.
    pub mode: Mode,
    /// How things are drawn.
    pub look: Look,
    /// The words for everything.
    pub words: Words,
    /// What the player has chosen, by flags, environment and forms.
    pub settings: Settings,
    /// What each key does.
    pub keymap: Keymap,
    /// Whether the terminal is looked at, as far as it tells: at first it is, since somebody has just typed
    /// the command there.
    pub focused: bool,
    /// What is on the screen.
    pub screen: Screen,
    /// What lies over it.
    pub overlay: Option<Overlay>,
    /// The command line, while one is typed.
    pub prompt: Option<Edit>,
    /// The last thing worth telling that is not to be seen elsewhere.
    pub notice: Option<Note>,
    /// The dealings with a server, if there are any.
    pub session: Option<Session>,
    /// Games to continue, as the home screen shows them.
    pub unfinished: Vec<Unfinished>,
    /// What was found out last about free cells; see [`Model::values`].
    pub values: Option<Values>,
    /// Something is being found out.
    pub studies: bool,
    /// Lines that wait to be carried out.
    pub typed: VecDeque<String>,
    /// No more lines will come.
    pub input_ended: bool,
    /// Whether leaving goes back to the home screen rather than out of the program.
    pub home: bool,
    /// Whether this is one of several games that are watched: leaving goes back to them, and the line stays.
    pub among: bool,
    /// What the program will end with when the player leaves.
    pub exit: Exit,
    /// Chance, passed in at the start and stepped by [`Model::draw_lot`].
    pub chance: u64,
}

/// Which view there is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// The whole screen.
    Full,
    /// One event, one line.
    Line {
        /// A person types, and is answered at once. Otherwise a move waits for its turn, so that a
        /// script may write all its moves ahead.
        person: bool,
    },
    /// One object a line, for programs.
    Json,
}

impl Mode {
    /// Whether lines are taken in order, and a move waits for its turn.
    pub fn is_script(self) -> bool {
        match self {
            Mode::Full | Mode::Line { person: true } => false,
            Mode::Line { person: false } | Mode::Json => true,
        }
    }
}

/// What the player has chosen.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The server.
    pub server: ServerUrl,
    /// What the player calls itself.
    pub name: Name,
    /// What to play.
    pub rules: Rules,
    /// The time for each side.
    pub clock: Option<TimeControl>,
    /// The seat to have; none: drawn by lot.
    pub seat: Option<Seat>,
    /// How strong a bot to invite.
    pub level: Level,
    /// How cells are numbered.
    pub keys: DigitOrder,
    /// Which language; see [`Model::speak`].
    pub lang: Lang,
    /// Which colours.
    pub theme: Theme,
    /// Which characters for the grid.
    pub glyphs: Glyphs,
    /// How one is called when it is one's turn.
    pub bell: Bell,
}

impl Model {
    /// A model that shows the home screen and leads nowhere yet.
    pub fn new(mode: Mode, look: Look, words: Words, settings: Settings, chance: u64) -> Model {
        Model {
            now: 0,
            size: (80, 24),
            mode,
            look,
            words,
            settings,
            keymap: Keymap::default(),
            focused: true,
            screen: Screen::Home { at: 0 },
            overlay: None,
            prompt: None,
            notice: None,
            session: None,
            values: None,
            studies: false,
            unfinished: Vec::new(),
            typed: VecDeque::new(),
            input_ended: false,
            home: false,
            among: false,
            exit: Exit::Done,
            chance,
        }
    }

    /// Speaks another language from now on.
    pub fn speak(&mut self, lang: Lang) {
        let before = std::mem::replace(&mut self.words, Words::new(lang));
        self.settings.lang = lang;
        if self.settings.name == before.first_player() {
            self.settings.name = self.words.first_player();
        }
    }

    /// The entries of the home screen, from the top.
    pub fn entries(&self) -> Vec<Entry> {
        Entry::all(self.unfinished.len())
    }

    /// The table, if one is on the screen.
    pub fn table(&self) -> Option<&Table> {
        match &self.screen {
            Screen::Table(table) => Some(table),
            Screen::Home { .. }
            | Screen::Form(_)
            | Screen::Waiting
            | Screen::Lobby(_)
            | Screen::Replay(_)
            | Screen::Grid(_) => None,
        }
    }

    /// The same, to be changed.
    pub fn table_mut(&mut self) -> Option<&mut Table> {
        match &mut self.screen {
            Screen::Table(table) => Some(table),
            Screen::Home { .. }
            | Screen::Form(_)
            | Screen::Waiting
            | Screen::Lobby(_)
            | Screen::Replay(_)
            | Screen::Grid(_) => None,
        }
    }

    /// What keys are about just now.
    pub fn context(&self) -> Context {
        match self.overlay {
            Some(Overlay::Help(_)) => return Context::Help,
            Some(Overlay::Question(_)) => return Context::Question,
            None => {}
        }
        self.screen_context()
    }

    /// What keys are about on the screen itself, whatever lies over it.
    pub fn screen_context(&self) -> Context {
        match &self.screen {
            Screen::Home { .. } => Context::Home,
            Screen::Form(_) => Context::Form,
            Screen::Waiting => Context::Waiting,
            Screen::Lobby(_) => Context::Lobby,
            Screen::Table(table) => table.context(),
            Screen::Replay(_) => Context::Replay,
            Screen::Grid(grid) => grid.opened().map_or(Context::Grid, Model::context),
        }
    }

    /// Whether clicks mean something here. Elsewhere the mouse is the terminal's, to select text with.
    pub fn wants_mouse(&self) -> bool {
        matches!(self.context(), Context::Playing | Context::Watching | Context::Over | Context::Grid)
    }

    /// The cell under the cursor of the board on the screen.
    pub fn cursor(&self) -> Cell {
        match &self.screen {
            Screen::Table(table) => table.cursor,
            Screen::Replay(replay) => replay.position.moves().last().copied().unwrap_or(Cell::new(0)),
            Screen::Home { .. } | Screen::Form(_) | Screen::Waiting | Screen::Lobby(_) | Screen::Grid(_) => {
                Cell::new(0)
            }
        }
    }

    /// The values of the free cells of the board on the screen, if they were asked for.
    pub fn values(&self) -> Option<&Values> {
        let position = match &self.screen {
            Screen::Table(table) => table.game.position(),
            Screen::Replay(replay) => &replay.position,
            Screen::Home { .. } | Screen::Form(_) | Screen::Waiting | Screen::Lobby(_) | Screen::Grid(_) => {
                return None;
            }
        };
        self.values.as_ref().filter(|values| values.position == *position)
    }

    /// When the picture changes by time alone, on the scale of `now`.
    pub fn deadline(&self) -> Option<u64> {
        let link = self.session.as_ref().and_then(|session| session.next_second(self.now));
        let table = self.table().and_then(|table| table.deadline(self.now));
        let lobby = match (&self.screen, self.mode) {
            (Screen::Lobby(lobby), Mode::Full) if self.is_there() => Some(lobby.due),
            (
                Screen::Home { .. }
                | Screen::Form(_)
                | Screen::Waiting
                | Screen::Lobby(_)
                | Screen::Table(_)
                | Screen::Replay(_)
                | Screen::Grid(_),
                _,
            ) => None,
        };
        let grid = match &self.screen {
            Screen::Grid(grid) => grid.deadline(),
            Screen::Home { .. }
            | Screen::Form(_)
            | Screen::Waiting
            | Screen::Lobby(_)
            | Screen::Table(_)
            | Screen::Replay(_) => None,
        };
        link.into_iter().chain(table).chain(lobby).chain(grid).min()
    }

    /// Whether the server is there, with nothing to wait for.
    pub fn is_there(&self) -> bool {
        self.session.as_ref().is_some_and(|session| session.stage == Stage::There)
    }

    /// A number by chance (splitmix64).
    pub fn draw_lot(&mut self) -> u64 {
        self.chance = self.chance.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.chance;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }
}

/// The next instant after `now` at which a countdown to `end` shows another whole second.
pub(crate) fn next_second(now: u64, end: u64) -> Option<u64> {
    let left = end.checked_sub(now).filter(|&left| left > 0)?;
    Some(now + if left.is_multiple_of(1000) { 1000 } else { left % 1000 })
}
