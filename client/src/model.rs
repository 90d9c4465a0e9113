//! All that the program knows. `update` is the only one to change it; views only read it.

pub mod appearance;
mod exit;
mod form;
mod game_view;
mod multi_watch;
mod notification;
mod screen;
mod session;
mod text_input;

use std::collections::VecDeque;

use noughts_protocol::{Cell, Name, Rules, Seat, TimeControl};

use crate::engine::Level;
use crate::engines::analysis::MoveValues;
use crate::i18n::Texts;
use crate::i18n::lang::Lang;
use crate::input::{DigitOrder, KeyContext, Keymap};
use crate::saved_games::SavedGame;
use crate::server_url::ServerUrl;

pub use appearance::{Appearance, BellMode, GlyphSet, Theme};
pub use exit::Exit;
pub use form::{FieldId, Form, FormField, FormFieldError, FormKind, FormResult};
pub use game_view::{EngineEvaluation, GameHost, GameView, PendingMove, PlayerPresence, RoomView};
pub use multi_watch::{MAX_GAMES, MultiWatch, WatchedGame};
pub use notification::{NextMove, Notification, PlayerRef, QueryAnswer, ScanLabel, Unavailable};
pub use screen::{Confirmation, LobbyScreen, MenuItem, Overlay, Replay, Screen};
pub use session::{PendingRequest, Session, SessionGoal, Stage};
pub use text_input::TextInput;

/// Lines that may wait to be carried out: when there are more, none is read.
pub const MAX_QUEUED_LINES: usize = 64;

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
    pub appearance: Appearance,
    /// The words for everything.
    pub texts: Texts,
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
    pub prompt: Option<TextInput>,
    /// The last thing worth telling that is not to be seen elsewhere.
    pub notification: Option<Notification>,
    /// The dealings with a server, if there are any.
    pub session: Option<Session>,
    /// Games to continue, as the home screen shows them.
    pub saved_games: Vec<SavedGame>,
    /// What was found out last about free cells; see [`Model::values`].
    pub values: Option<MoveValues>,
    /// Something is being found out.
    pub is_analyzing: bool,
    /// Lines that wait to be carried out.
    pub queued_lines: VecDeque<String>,
    /// No more lines will come.
    pub input_ended: bool,
    /// Whether leaving goes back to the home screen rather than out of the program.
    pub return_home: bool,
    /// Whether this is one of several games that are watched: leaving goes back to them, and the line stays.
    pub in_multi_watch: bool,
    /// What the program will end with when the player leaves.
    pub exit: Exit,
    /// Chance, passed in at the start and stepped by [`Model::next_random`].
    pub rng_state: u64,
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
        interactive: bool,
    },
    /// One object a line, for programs.
    Json,
}

impl Mode {
    /// Whether lines are taken in order, and a move waits for its turn.
    pub fn is_script(self) -> bool {
        match self {
            Mode::Full | Mode::Line { interactive: true } => false,
            Mode::Line { interactive: false } | Mode::Json => true,
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
    pub digit_order: DigitOrder,
    /// Which language; see [`Model::set_lang`].
    pub lang: Lang,
    /// Which colours.
    pub theme: Theme,
    /// Which characters for the grid.
    pub glyphs: GlyphSet,
    /// How one is called when it is one's turn.
    pub bell: BellMode,
}

impl Model {
    /// A model that shows the home screen and leads nowhere yet.
    pub fn new(
        mode: Mode,
        appearance: Appearance,
        texts: Texts,
        settings: Settings,
        rng_state: u64,
    ) -> Model {
        Model {
            now: 0,
            size: (80, 24),
            mode,
            appearance: appearance,
            texts: texts,
            settings,
            keymap: Keymap::default(),
            focused: true,
            screen: Screen::Home { selected: 0 },
            overlay: None,
            prompt: None,
            notification: None,
            session: None,
            values: None,
            is_analyzing: false,
            saved_games: Vec::new(),
            queued_lines: VecDeque::new(),
            input_ended: false,
            return_home: false,
            in_multi_watch: false,
            exit: Exit::Done,
            rng_state: rng_state,
        }
    }

    /// Speaks another language from now on.
    pub fn set_lang(&mut self, lang: Lang) {
        let before = std::mem::replace(&mut self.texts, Texts::new(lang));
        self.settings.lang = lang;
        if self.settings.name == before.first_player() {
            self.settings.name = self.texts.first_player();
        }
    }

    /// The entries of the home screen, from the top.
    pub fn menu_items(&self) -> Vec<MenuItem> {
        MenuItem::all(self.saved_games.len())
    }

    /// The table, if one is on the screen.
    pub fn game_view(&self) -> Option<&GameView> {
        match &self.screen {
            Screen::Game(view) => Some(view),
            Screen::Home { .. }
            | Screen::Form(_)
            | Screen::Waiting
            | Screen::Lobby(_)
            | Screen::Replay(_)
            | Screen::MultiWatch(_) => None,
        }
    }

    /// The same, to be changed.
    pub fn game_view_mut(&mut self) -> Option<&mut GameView> {
        match &mut self.screen {
            Screen::Game(view) => Some(view),
            Screen::Home { .. }
            | Screen::Form(_)
            | Screen::Waiting
            | Screen::Lobby(_)
            | Screen::Replay(_)
            | Screen::MultiWatch(_) => None,
        }
    }

    /// What keys are about just now.
    pub fn key_context(&self) -> KeyContext {
        match self.overlay {
            Some(Overlay::Help(_)) => return KeyContext::Help,
            Some(Overlay::Confirmation(_)) => return KeyContext::Confirmation,
            None => {}
        }
        self.screen_key_context()
    }

    /// What keys are about on the screen itself, whatever lies over it.
    pub fn screen_key_context(&self) -> KeyContext {
        match &self.screen {
            Screen::Home { .. } => KeyContext::Home,
            Screen::Form(_) => KeyContext::Form,
            Screen::Waiting => KeyContext::Waiting,
            Screen::Lobby(_) => KeyContext::Lobby,
            Screen::Game(view) => view.key_context(),
            Screen::Replay(_) => KeyContext::Replay,
            Screen::MultiWatch(grid) => grid.open_model().map_or(KeyContext::MultiWatch, Model::key_context),
        }
    }

    /// Whether clicks mean something here. Elsewhere the mouse is the terminal's, to select text with.
    pub fn is_mouse_enabled(&self) -> bool {
        matches!(
            self.key_context(),
            KeyContext::Playing | KeyContext::Watching | KeyContext::GameOver | KeyContext::MultiWatch
        )
    }

    /// The cell under the cursor of the board on the screen.
    pub fn cursor(&self) -> Cell {
        match &self.screen {
            Screen::Game(view) => view.cursor,
            Screen::Replay(replay) => replay.position.moves().last().copied().unwrap_or(Cell::new(0)),
            Screen::Home { .. }
            | Screen::Form(_)
            | Screen::Waiting
            | Screen::Lobby(_)
            | Screen::MultiWatch(_) => Cell::new(0),
        }
    }

    /// The values of the free cells of the board on the screen, if they were asked for.
    pub fn values(&self) -> Option<&MoveValues> {
        let position = match &self.screen {
            Screen::Game(view) => view.game.position(),
            Screen::Replay(replay) => &replay.position,
            Screen::Home { .. }
            | Screen::Form(_)
            | Screen::Waiting
            | Screen::Lobby(_)
            | Screen::MultiWatch(_) => {
                return None;
            }
        };
        self.values.as_ref().filter(|values| values.position == *position)
    }

    /// When the picture changes by time alone, on the scale of `now`.
    pub fn deadline(&self) -> Option<u64> {
        let link = self.session.as_ref().and_then(|session| session.next_countdown_change(self.now));
        let view = self.game_view().and_then(|table| table.deadline(self.now));
        let lobby = match (&self.screen, self.mode) {
            (Screen::Lobby(lobby), Mode::Full) if self.is_server_ready() => Some(lobby.refresh_at),
            (
                Screen::Home { .. }
                | Screen::Form(_)
                | Screen::Waiting
                | Screen::Lobby(_)
                | Screen::Game(_)
                | Screen::Replay(_)
                | Screen::MultiWatch(_),
                _,
            ) => None,
        };
        let grid = match &self.screen {
            Screen::MultiWatch(grid) => grid.deadline(),
            Screen::Home { .. }
            | Screen::Form(_)
            | Screen::Waiting
            | Screen::Lobby(_)
            | Screen::Game(_)
            | Screen::Replay(_) => None,
        };
        link.into_iter().chain(view).chain(lobby).chain(grid).min()
    }

    /// Whether the server is there, with nothing to wait for.
    pub fn is_server_ready(&self) -> bool {
        self.session.as_ref().is_some_and(|session| session.stage == Stage::Ready)
    }

    /// A number by chance (splitmix64).
    pub fn next_random(&mut self) -> u64 {
        self.rng_state = self.rng_state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.rng_state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }
}

/// The next instant after `now` at which a countdown to `end` shows another whole second.
pub(crate) fn next_countdown_change(now: u64, end: u64) -> Option<u64> {
    let left = end.checked_sub(now).filter(|&left| left > 0)?;
    Some(now + if left.is_multiple_of(1000) { 1000 } else { left % 1000 })
}
