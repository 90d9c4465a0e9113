//! The state of the program. Only `update` changes it, and `ui` draws it. The model does no I/O, and the time is one of
//! its fields.
//!
//! This module defines the five types that contain each other. A [`Model`] has a [`Screen`] and a [`Preview`], and a
//! screen can be a [`MultiWatch`]. A preview and a `MultiWatch` contain [`GameSlot`]s, each with its own model. The
//! screen of a slot's model is never a `MultiWatch`.

mod analysis;
mod appearance;
mod form;
mod game_view;
pub(crate) mod layout;
mod lobby;
pub(crate) mod local_game;
mod motion;
mod multi_watch;
mod own_games;
mod preview;
mod screen;
mod session;

use std::collections::VecDeque;

use noughts_protocol::game::referee::Referee;
use noughts_protocol::rng::SeededRng;
use noughts_protocol::wire::{CloseCode, Presence, RequestBody, SeekId, SessionRequest};
use noughts_protocol::{Cell, Name, Offer, Phase, RoomId, RoomRef, Rules};

use crate::connection::TerminationReason;
use crate::connection::server_url::ServerUrl;
use crate::engines::analysis::{AnalysisRequest, MoveValues};
use crate::facts::archive::ProfileSubject;
use crate::facts::{Confirmation, Exit, MenuItem, Notification};
use crate::i18n::lang::Lang;
use crate::input::text_command::shown_name;
use crate::input::{Action, KeyContext, Keymap, TextInput};
use crate::io::last_choices::LastChoices;
use crate::io::own_games::OwnGame;
use crate::io::saved_games::SavedGame;
use crate::puzzle::{Puzzle, PuzzleGame, PuzzleProgress};
use crate::settings::{MotionMode, Settings};

pub(crate) use analysis::Analysis;
pub(crate) use appearance::{Appearance, Mode};
pub(crate) use form::{Form, FormResult, GameEntry, GamePicker, last_game};
pub(crate) use game_view::{
    GameHost, GameView, PendingMove, PlayerPresence, RoomView, SubstituteCall,
};
pub(crate) use lobby::{HomeServer, LobbyScreen, PushedLobby, listed_counts};
pub(crate) use motion::Motion;
pub(crate) use multi_watch::{MAX_GAMES, RESULT_DISPLAY_MS};
pub(crate) use own_games::OwnGamesScreen;
pub(crate) use preview::PREVIEW_INDEX;
pub(crate) use session::{ADVICE_AFTER_MS, Session, SessionGoal, Stage};

/// Maximum number of input lines that wait to be processed. When it is reached, the loop stops reading input.
pub(crate) const MAX_QUEUED_LINES: usize = 64;

/// Maximum number of rooms of other devices in the home menu.
const MAX_ROOMS_TO_RETURN: usize = 3;

#[derive(Debug)]
pub(crate) struct Model {
    /// Milliseconds since the start of the program. The loop sets it before each update.
    pub now: u64,
    /// Columns and rows of the screen; unused in line mode.
    pub size: (u16, u16),
    pub mode: Mode,
    pub appearance: Appearance,
    pub settings: Settings,
    pub keymap: Keymap,
    /// Whether the terminal has the focus; `None` until the terminal reports it.
    pub focused: Option<bool>,
    /// Time of the last key or click, on the scale of `now`.
    pub last_input_at: u64,
    pub screen: Screen,
    /// The screen of the session while the player plays a local game against the bot until an opponent comes.
    pub background: Option<Box<Screen>>,
    /// Overlay that covers the screen.
    pub overlay: Option<Overlay>,
    /// The command line, while it is open.
    pub prompt: Option<TextInput>,
    pub notification: Option<Notification>,
    /// Time until the status line hides a temporary report, on the scale of `now`.
    pub notification_until: Option<u64>,
    /// The session with a server.
    pub session: Option<Session>,
    /// The player's own seek of the last session. The lobby may still list it.
    pub ended_seek: Option<SeekId>,
    /// Whether finished games are replaced with running games of the session's server, in every mode.
    pub is_tv: bool,
    /// The invitation that a server has just rejected. The next form that asks for an invitation shows it.
    pub rejected_invite: Option<String>,
    /// The room to open on the player's own server, while the server starts or runs.
    pub hosting: Option<(Name, SessionGoal)>,
    /// State of the server while the home screen is open.
    pub home_server: HomeServer,
    /// The running game beside the displayed list.
    pub preview: Preview,
    /// Days from 1970-01-01 in UTC.
    pub today: u32,
    /// The last game that a form has started, which the home menu offers again, the drawn name, and the progress with
    /// the puzzle of the day.
    pub last_choices: LastChoices,
    /// The resumable games that the home menu lists.
    pub saved_games: Vec<SavedGame>,
    /// Rooms of the games that another program on this device plays.
    pub held_rooms: Vec<RoomId>,
    /// Rooms of the server with a seat of the player's identity.
    pub own_rooms: Vec<RoomId>,
    /// The latest evaluation of the free cells; see [`Model::values`].
    pub values: Option<MoveValues>,
    /// The analysis in progress.
    pub running_analysis: Option<AnalysisRequest>,
    /// Input lines that wait to be processed.
    pub queued_lines: VecDeque<String>,
    pub input_ended: bool,
    /// The lobby that the player returns to from this screen, and its server.
    pub lobby: Option<(ServerUrl, LobbyScreen)>,
    /// The list of own games that the player returns to from an analysis.
    pub own_games: Option<OwnGamesScreen>,
    /// The finished game that was kept last.
    pub kept_game: Option<Box<OwnGame>>,
    /// Whether leaving leads to the home menu. Otherwise it ends the program.
    pub return_home: bool,
    /// Whether this is the model of a [`GameSlot`]. Leaving then leads back to the other games and keeps the
    /// connection.
    pub in_multi_watch: bool,
    /// Exit status if the player leaves.
    pub exit: Exit,
    /// Random number generator, seeded by the caller of [`Model::new`].
    pub rng: SeededRng,
}

#[derive(Debug)]
pub(crate) enum Screen {
    /// The home menu.
    Home {
        /// Index of the selected item.
        selected: usize,
    },
    Form(Form),
    /// Waiting for a server or an opponent; the session has the details.
    Waiting,
    /// The public rooms.
    Lobby(LobbyScreen),
    /// The player's finished games.
    OwnGames(OwnGamesScreen),
    /// A room on a server, or a local game.
    Game(Box<GameView>),
    Analysis(Box<Analysis>),
    /// Several watched games.
    MultiWatch(Box<MultiWatch>),
}

/// Several watched games; never empty.
#[derive(Debug)]
pub(crate) struct MultiWatch {
    /// The games in the order of the request.
    pub games: Vec<GameSlot>,
    /// Index of the game that receives keys and lines.
    pub focus: usize,
    /// Whether finished games stay even if other games are running.
    pub is_held: bool,
    /// Whether the focused game covers the screen.
    pub is_open: bool,
}

/// The game beside a list, and the room to watch next.
#[derive(Debug, Default)]
pub(crate) struct Preview {
    pub game: Option<Box<GameSlot>>,
    /// The room to watch next, and when to connect to it. The delay avoids a connection to each room that the selection
    /// only passes.
    pub next: Option<(RoomId, u64)>,
}

/// One of several watched games. Its index in [`MultiWatch::games`] identifies it in messages and effects.
#[derive(Debug)]
pub(crate) struct GameSlot {
    /// The state of this game, as if it were the only game.
    pub model: Model,
    pub server: ServerUrl,
    /// The room as the player typed it.
    pub room: RoomRef,
    /// Exit status that this game would have given the program.
    pub exit: Option<Exit>,
    /// Reason for `exit`, for a game without a board.
    pub exit_reason: Option<Notification>,
    /// Time until a finished game keeps its place, on the scale of the model's `now`.
    pub result_until: Option<u64>,
}

impl Model {
    /// Creates a model that shows the home menu.
    pub(crate) fn new(
        mode: Mode,
        appearance: Appearance,
        settings: Settings,
        rng_state: u64,
    ) -> Model {
        Model {
            now: 0,
            size: (80, 24),
            mode,
            appearance,
            settings,
            keymap: Keymap::default(),
            focused: None,
            last_input_at: 0,
            screen: Screen::Home { selected: 0 },
            background: None,
            overlay: None,
            prompt: None,
            notification: None,
            notification_until: None,
            session: None,
            ended_seek: None,
            is_tv: false,
            rejected_invite: None,
            hosting: None,
            home_server: HomeServer::default(),
            preview: Preview::default(),
            today: 0,
            last_choices: LastChoices::default(),
            values: None,
            running_analysis: None,
            saved_games: Vec::new(),
            held_rooms: Vec::new(),
            own_rooms: Vec::new(),
            queued_lines: VecDeque::new(),
            input_ended: false,
            lobby: None,
            own_games: None,
            kept_game: None,
            return_home: false,
            in_multi_watch: false,
            exit: Exit::Done,
            rng: SeededRng::new(rng_state),
        }
    }

    pub(crate) fn lang(&self) -> Lang {
        self.settings.lang
    }

    /// Names a cell in a message: on the full screen as the board does, elsewhere as players type it.
    pub(crate) fn cell_name(&self, rules: &Rules, cell: Cell) -> String {
        match self.mode {
            Mode::Full => shown_name(rules, self.settings.digits, cell),
            Mode::Line { .. } | Mode::Json => rules.cell_text(cell),
        }
    }

    /// Returns the items of the home menu from the top.
    pub(crate) fn menu_items(&self) -> Vec<MenuItem> {
        let saved = self.saved_games.len();
        let mut items = MenuItem::all(saved);
        if self.last_choices.game.is_some() && self.mode == Mode::Full {
            items.insert(saved, MenuItem::Again);
        }
        let to_return = self.rooms_to_return().len();
        items.splice(saved..saved, (0..to_return).map(MenuItem::Return));
        items
    }

    /// Returns the rooms with a seat that the player has taken on another device. This device has no saved games of
    /// these rooms.
    pub(crate) fn rooms_to_return(&self) -> Vec<RoomId> {
        let is_saved = |room: RoomId| self.saved_games.iter().any(|game| game.room == room);
        let own_rooms = self.own_rooms.iter().copied();
        own_rooms
            .filter(|room| !is_saved(*room) && !self.held_rooms.contains(room))
            .take(MAX_ROOMS_TO_RETURN)
            .collect()
    }

    /// Adopts the player's last choices: the game, the level of the computer, and the name that was drawn for a player
    /// without a name. Draws a name if there is none.
    pub(crate) fn use_last_choices(&mut self, choices: LastChoices) {
        self.last_choices = choices;
        if let Some(FormResult::Local(setup)) = self.last_start() {
            let level = setup
                .players
                .iter()
                .find_map(local_game::LocalPlayerSpec::level);
            self.settings.level = level.unwrap_or(self.settings.level);
        }
        let texts = self.lang().texts();
        if self.settings.name == texts.first_player() {
            let random = self.next_random();
            let drawn = &mut self.last_choices.name;
            self.settings.name = drawn
                .get_or_insert_with(|| texts.random_name(random))
                .clone();
        }
    }

    /// Returns the game that the home menu offers again, with the current name and server.
    pub(crate) fn last_start(&self) -> Option<FormResult> {
        form::start_of(self.last_choices.game.as_ref()?, &self.settings)
    }

    /// Returns the digit that chooses an entry of the home menu, if any. The entries below the saved games and the last
    /// game have the digits from 1, so that these digits do not change. Above them, only the first entry has a digit,
    /// 0. The puzzle has a letter instead, and an entry after 9 has neither.
    pub(crate) fn menu_number(&self, index: usize) -> Option<usize> {
        let items = self.menu_items();
        let first = items.len() - MenuItem::ALWAYS_SHOWN.len();
        if index < first {
            return (index == 0).then_some(0);
        }
        let above = items[first..index].iter();
        let number = above.filter(|item| **item != MenuItem::Puzzle).count() + 1;
        (items[index] != MenuItem::Puzzle && number <= 9).then_some(number)
    }

    /// Returns the puzzle of today, and how far the player has come.
    pub(crate) fn puzzle_of_today(&self) -> PuzzleGame {
        PuzzleGame {
            puzzle: Puzzle::of_day(self.today),
            progress: PuzzleProgress::start(self.today, self.last_choices.puzzle),
        }
    }

    /// Returns whether changes of the board are animated in several frames.
    pub(crate) fn has_motion(&self) -> bool {
        self.mode == Mode::Full
            && self.appearance.has_surfaces()
            && self.settings.motion == MotionMode::On
    }

    /// Returns whether an entry of the home menu has no effect now, because no server answers.
    pub(crate) fn lacks_server(&self, item: MenuItem) -> bool {
        let needs_server = match item {
            MenuItem::Quick | MenuItem::Private | MenuItem::Watch => true,
            MenuItem::Again => matches!(self.last_start(), Some(FormResult::Server(..))),
            // A link names its own server.
            MenuItem::Join
            | MenuItem::Continue(_)
            | MenuItem::Return(_)
            | MenuItem::Local
            | MenuItem::Bot
            | MenuItem::Puzzle
            | MenuItem::OwnGames
            | MenuItem::Settings
            | MenuItem::Host
            | MenuItem::Quit => false,
        };
        needs_server && matches!(self.home_server, HomeServer::Offline { .. })
    }

    /// Returns the displayed game.
    pub(crate) fn game_view(&self) -> Option<&GameView> {
        self.screen.as_game()
    }

    pub(crate) fn game_view_mut(&mut self) -> Option<&mut GameView> {
        self.screen.as_game_mut()
    }

    /// Returns the opponent who waits in a room on the server while the player is in a local game.
    pub(crate) fn waiting_opponent(&self) -> Option<&Name> {
        // A list covers a game that has ended.
        let background = self.background.as_deref().filter(|_| !self.covers_game());
        let view = background?.as_game()?;
        view.game
            .player(view.opponent()?)
            .map(|player| &player.name)
    }

    /// Returns whether a list of games or a profile is on the screen, or an analysis that was opened from one.
    pub(crate) fn covers_game(&self) -> bool {
        self.screen.as_own_games().is_some() || self.own_games.is_some()
    }

    /// Returns the opponent with a profile: of the selected game in a list, or of the finished game on the screen. `None`
    /// for a guest.
    pub(crate) fn profile_subject(&self) -> Option<ProfileSubject> {
        if let Some(games) = self.screen.as_own_games() {
            return games.selected_opponent();
        }
        let view = self.game_view().filter(|view| view.has_ended())?;
        let player = view.game.player(view.opponent()?)?;
        Some(ProfileSubject {
            server: self.session.as_ref()?.server.clone(),
            identity: player.identity?,
            name: player.name.clone(),
        })
    }

    /// Returns the context that determines the meaning of keys. It includes the overlay.
    pub(crate) fn key_context(&self) -> KeyContext {
        match self.overlay {
            Some(Overlay::Help(_)) => KeyContext::Help,
            Some(Overlay::Confirmation(_)) => KeyContext::Confirmation,
            Some(Overlay::Menu(_)) => KeyContext::Menu,
            Some(Overlay::Say(_)) => KeyContext::Say,
            None => self.screen_key_context(),
        }
    }

    /// Returns the key context of the screen below any overlay.
    pub(crate) fn screen_key_context(&self) -> KeyContext {
        match &self.screen {
            Screen::Home { .. } => KeyContext::Home,
            Screen::Form(form) if form.picker.is_some() => KeyContext::GamePicker,
            Screen::Form(_) => KeyContext::Form,
            Screen::Waiting => KeyContext::Waiting,
            Screen::Lobby(_) => KeyContext::Lobby,
            Screen::OwnGames(_) => KeyContext::OwnGames,
            Screen::Game(view) => view.key_context(),
            Screen::Analysis(_) => KeyContext::Analysis,
            Screen::MultiWatch(grid) => grid
                .open_model()
                .map_or(KeyContext::MultiWatch, Model::key_context),
        }
    }

    /// Returns whether the program handles clicks. In the player's own room the terminal handles them, so that the
    /// player can select the text of the invitation.
    pub(crate) fn is_mouse_enabled(&self) -> bool {
        self.key_context() != KeyContext::OwnRoom
    }

    /// Returns the rules of the displayed board.
    pub(crate) fn board_rules(&self) -> Option<Rules> {
        let in_game = self.screen.as_game().map(|view| *view.game.rules());
        in_game.or_else(|| {
            self.screen
                .as_analysis()
                .map(|analysis| analysis.record.rules)
        })
    }

    /// Returns the cursor of the displayed board.
    pub(crate) fn cursor(&self) -> Cell {
        let analysis = self.screen.as_analysis().map(|analysis| analysis.cursor);
        analysis
            .or_else(|| self.screen.as_game().map(|view| view.cursor))
            .unwrap_or(Cell::new(0))
    }

    /// Returns the latest evaluation of the free cells, if it belongs to the displayed board.
    pub(crate) fn values(&self) -> Option<&MoveValues> {
        let values = self.values.as_ref()?;
        let is_current = match (self.screen.as_analysis(), self.screen.as_game()) {
            (Some(analysis), _) => values.position == *analysis.evaluated_position(),
            (None, Some(view)) => values.position == *view.game.position(),
            (None, None) => false,
        };
        is_current.then_some(values)
    }

    /// Returns the next time when the screen changes without input, on the scale of `now`.
    pub(crate) fn deadline(&self) -> Option<u64> {
        let retry = self
            .session
            .as_ref()
            .and_then(|session| session.next_countdown_change(self.now));
        let game = self.game_view().and_then(|view| view.deadline(self.now));
        let is_full = self.mode == Mode::Full;
        let lobby = self
            .screen
            .as_lobby()
            .filter(|_| is_full && (self.is_server_ready() || self.is_seeking()))
            .and_then(|lobby| lobby.deadline(self.now));
        let waiting = self
            .session
            .as_ref()
            .filter(|_| is_full && self.screen.is_waiting());
        let waiting = waiting.and_then(|session| session.next_waiting_change(self.now));
        let advice = self
            .session
            .as_ref()
            .filter(|session| session.stage == Stage::Seeking && self.screen.is_waiting())
            .and_then(|session| session.advice_at);
        let watched = self
            .screen
            .as_multi_watch()
            .and_then(|grid| grid.deadline(self.now));
        let home = self
            .home_server
            .deadline(self.now)
            .filter(|_| self.shows_home_server());
        let preview = self.preview.deadline(self.now);
        let notification = self.notification_until.filter(|_| is_full);
        [
            retry,
            game,
            lobby,
            waiting,
            advice,
            watched,
            home,
            preview,
            notification,
        ]
        .into_iter()
        .flatten()
        .min()
    }

    /// Returns the entries that have an effect in the menu after a game, the most useful first.
    pub(crate) fn after_game_actions(&self) -> Vec<Action> {
        let Some(view) = self.game_view() else {
            return Vec::new();
        };
        let is_online = view.room().is_some();
        let has_record = view.game.record().is_some() && !view.is_aborted_early();
        let can_rematch = !view.is_closed() && !view.has_opponent_left() && view.puzzle().is_none();
        // Leaving leads to the opponent who has come.
        let is_awaited = self.waiting_opponent().is_some();
        let entries = [
            (Action::Leave, is_awaited),
            (Action::Rematch, can_rematch),
            (Action::NextOpponent, is_online && !self.is_server_closed()),
            // The moves before the position of a puzzle were not the player's.
            (Action::Review, has_record && view.puzzle().is_none()),
            (Action::Save, has_record),
            (Action::CopyLink, has_record),
            (
                Action::ShowInvite,
                is_online && has_record && !view.is_closed(),
            ),
            (Action::Leave, !is_awaited),
        ];
        entries
            .into_iter()
            .filter(|(_, has_effect)| *has_effect)
            .map(|(action, _)| action)
            .collect()
    }

    /// Returns the entries that have an effect in the menu of a game in progress.
    pub(crate) fn game_menu_actions(&self) -> Vec<Action> {
        let is_playing = self.screen_key_context() == KeyContext::Playing;
        let Some(view) = self.game_view().filter(|_| is_playing) else {
            return Vec::new();
        };
        let is_online = view.room().is_some();
        let can_claim = view.can_claim(self.now);
        let is_asked = view.has_offer_to_answer();
        let entries = [
            (Action::Accept, is_asked),
            (Action::Decline, is_asked),
            (Action::Claim, can_claim),
            (Action::OfferDraw, view.can_offer(Offer::Draw) || can_claim),
            (Action::Takeback, view.can_offer(Offer::Takeback)),
            (Action::Decline, view.has_own_offer() && !is_asked),
            (Action::Say, self.can_say()),
            (Action::ShowInvite, is_online),
            (Action::CopyLink, is_online),
            (Action::Resign, true),
            (Action::Leave, true),
        ];
        entries
            .into_iter()
            .filter(|(_, has_effect)| *has_effect)
            .map(|(action, _)| action)
            .collect()
    }

    /// Returns the selected entry of the menu after a game. If the entry vanishes, the first entry is selected.
    pub(crate) fn selected_after_game_action(&self) -> Option<Action> {
        let (actions, selected) = (self.after_game_actions(), self.game_view()?.menu_selection);
        selected
            .filter(|selected| actions.contains(selected))
            .or(actions.first().copied())
    }

    /// Returns whether the session's server has ended for good.
    pub(crate) fn is_server_closed(&self) -> bool {
        self.session.as_ref().is_some_and(|session| {
            session.stage == Stage::Terminated(TerminationReason::Final(CloseCode::ServerClosed))
        })
    }

    /// Returns whether the client follows the lobby. The server then sends every change. In line mode, the client
    /// requests a list instead.
    pub(crate) fn follows_lobby(&self) -> bool {
        self.mode == Mode::Full || self.is_tv
    }

    /// Returns the request that leads to a goal.
    pub(crate) fn request_for(&self, goal: &SessionGoal) -> RequestBody {
        if *goal == SessionGoal::Browse && self.follows_lobby() {
            return RequestBody::Session(SessionRequest::Lobby { end: false });
        }
        goal.request()
    }

    /// Returns whether the opponent offers a rematch of the displayed game.
    pub(crate) fn is_rematch_offered(&self) -> bool {
        self.game_view().is_some_and(GameView::is_rematch_offered)
    }

    /// Returns whether the screen shows the state of the server. The program then keeps a connection to the server.
    pub(crate) fn shows_home_server(&self) -> bool {
        self.mode == Mode::Full && self.screen.is_home()
    }

    /// Returns whether a seat can be kept for later. The player's own server keeps no game when it stops, and a bot of
    /// this program ends with the program.
    pub(crate) fn can_keep_seat(&self) -> bool {
        let room = self.game_view().and_then(GameView::room);
        self.hosting.is_none() && !room.is_some_and(|room| room.has_own_bot)
    }

    /// Returns whether the player has a seat in a room with another player.
    pub(crate) fn can_say(&self) -> bool {
        self.session.is_some()
            && self.game_view().is_some_and(|view| {
                let is_seated = view.room().is_some_and(|room| room.seat.is_some());
                is_seated && !view.is_closed() && !view.has_opponent_left()
            })
    }

    /// Returns whether the player may end the game without a result: only online, and before both players have moved.
    pub(crate) fn can_abort(&self) -> bool {
        self.session.is_some()
            && !self.mode.is_script()
            && self.game_view().is_some_and(|view| {
                let is_seated = view.room().is_some_and(|room| room.seat.is_some());
                is_seated
                    && Referee::new(&view.game, view.game.last_event_at())
                        .abort()
                        .is_ok()
            })
    }

    /// Returns the opponent who is absent from a running game.
    pub(crate) fn absent_opponent(&self) -> Option<PlayerPresence> {
        let view = self
            .game_view()
            .filter(|view| view.game.phase() == Phase::Playing)?;
        let (room, opponent) = (view.room()?, view.opponent()?);
        let presence = room.presence[opponent.index()];
        let is_absent = presence.presence != Presence::Connected;
        is_absent.then_some(presence)
    }

    /// Returns whether the opponent's time to return is over, so that a bot may take the seat. The server decides.
    pub(crate) fn can_call_substitute(&self) -> bool {
        let claim_at = self
            .absent_opponent()
            .and_then(|presence| presence.claim_at);
        claim_at.is_some_and(|claim_at| claim_at <= self.now)
    }

    /// Closes the open question or menu when the game has changed.
    pub(crate) fn close_question(&mut self) {
        self.overlay
            .take_if(|overlay| matches!(overlay, Overlay::Confirmation(_) | Overlay::Menu(_)));
    }

    /// Moves an open lobby from the screen to `lobby`, and shows the waiting screen. From the next screen, the player
    /// returns to the lobby.
    pub(crate) fn keep_lobby(&mut self) {
        let Some(session) = self.session.as_ref() else {
            return;
        };
        if self.screen.as_lobby().is_some() {
            let lobby = std::mem::replace(&mut self.screen, Screen::Waiting).into_lobby();
            self.lobby = lobby.map(|lobby| (session.server.clone(), lobby));
        }
    }

    /// Returns whether the client waits to be paired.
    pub(crate) fn is_seeking(&self) -> bool {
        self.session
            .as_ref()
            .is_some_and(|session| session.stage == Stage::Seeking)
    }

    /// Returns whether the server is connected and no response is awaited.
    pub(crate) fn is_server_ready(&self) -> bool {
        self.session
            .as_ref()
            .is_some_and(|session| session.stage == Stage::Ready)
    }

    /// Returns the next random number (SplitMix64).
    pub(crate) fn next_random(&mut self) -> u64 {
        self.rng.next_u64()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Overlay {
    /// The keys and commands, scrolled down by this number of lines.
    Help(usize),
    Confirmation(Confirmation),
    /// The menu of a game in progress, with the selected entry. If the entry vanishes, no entry is selected.
    Menu(Option<Action>),
    /// The menu of phrases, with the index of the selected phrase.
    Say(usize),
}
