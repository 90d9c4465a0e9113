//! What happens, folded into the model: the only place that changes it. No IO and no clock: what is to
//! be done in the world comes back as effects, and the time is in the model.

mod analysis;
mod bell;
mod event_notes;
mod game_commands;
mod json_commands;
mod keys;
mod line_mode;
mod local_game;
mod menus;
mod multi_watch;
mod queries;
mod quit;
mod saved_game;
mod server;
#[cfg(test)]
pub(crate) mod tests;

use noughts_protocol::wire::RequestBody;
use noughts_protocol::{Name, Position, Record, RequestId, RoomRef};

use crate::connection::{ConnectionEvent, SendError};
use crate::engine::Level;
use crate::engines::analysis::{AnalysisRequest, AnalysisResult};
use crate::engines::player_engine::child_process::EngineError;
use crate::engines::player_engine::{BestMove, EngineSpec};
use crate::facts::{Exit, FormKind, Notification, PendingRequest};
use crate::input::Input;
use crate::io::io_error::LocalizableIoError;
use crate::local::SearchId;
use crate::model::{BellMode, Form, FormResult, Mode, Model, Replay, Screen, Session, SessionGoal};
use crate::saved_games::{SavedGame, SavedGameError, SavedGameList};
use crate::server_url::ServerUrl;
use crate::settings::Setting;
use crate::settings::file::SettingsFileError;

/// Something that happened.
#[derive(Debug)]
pub enum Msg {
    /// The player did something.
    Input(Input),
    /// The line to the server has news.
    Connection(Box<ConnectionEvent>),
    /// A request was handed on under this id.
    Sent { request: PendingRequest, id: RequestId },
    /// A request could not be handed on.
    SendFailed { request: Option<PendingRequest>, error: SendError },
    /// A bot on this terminal has thought; none when it was stopped.
    SearchDone { search_id: SearchId, result: Result<BestMove, EngineError> },
    /// Something was found out about a game.
    AnalysisDone(AnalysisResult),
    /// A bot of ours has gone by itself.
    BotExited { failed: bool },
    /// A file was written, or not.
    FileSaved { path: String, result: Result<(), LocalizableIoError> },
    /// What there is to continue.
    SavedGamesListed(SavedGameList),
    /// A game to be continued was taken up, or not.
    SavedGameLocked(Result<Box<SavedGame>, SavedGameError>),
    /// Settings were written to this file, or not.
    SettingsChanged(Result<String, SettingsFileError>),
    /// The game that is played could not be kept.
    SaveGameFailed(SavedGameError),
    /// Something happened to one of several games: what would be told of the only one.
    ForGame { index: usize, msg: Box<Msg> },
    /// The deadline of the model has come.
    Tick,
    /// The system wants the program to end, by this signal.
    Signal(u8),
}

/// Something to do in the world.
#[derive(Debug)]
pub enum Effect {
    /// Tell the player, where the view does not show it by itself.
    Notify(Notification),
    /// Open a line to the session's server.
    Connect,
    /// Send a request; its id is to be reported for `ask`.
    Send { body: RequestBody, request: Option<PendingRequest> },
    /// Close the line, after what was sent.
    Disconnect,
    /// Send a bot into a room.
    InviteBot { server: ServerUrl, room: RoomRef, level: Level },
    /// Let a bot think about a position.
    Search { search_id: SearchId, position: Position, engine: EngineSpec, seed: u64 },
    /// Let it stop.
    StopSearch,
    /// Find something out about a game.
    Analyze(AnalysisRequest),
    /// Write a file.
    SaveFile { path: String, text: String },
    /// Write settings into their file.
    ChangeSettings(Vec<(Setting, Option<String>)>),
    /// Call the player, who looks elsewhere.
    RingBell(BellMode),
    /// Look for games to continue.
    ListSavedGames,
    /// Take one up, so that no other program does.
    LockSavedGame(Box<SavedGame>),
    /// Keep the game that is played, as one to continue.
    SaveGame(Box<SavedGame>),
    /// Forget it.
    DeleteSavedGame,
    /// Stop the program until the shell lets it go on.
    Suspend,
    /// Draw the whole screen again.
    Redraw,
    /// End the program.
    Quit(Exit),
    /// Go back to the other games that are watched. Only one of several wants that.
    ReturnToMultiWatch,
    /// Do something for one of several games.
    ForGame { index: usize, effect: GameEffect },
}

/// Something to do for one of several games.
#[derive(Debug)]
pub enum GameEffect {
    /// Tell the player, as of this room.
    Notify { room: String, notification: Notification },
    /// Open its line.
    Connect { server: ServerUrl, name: Name },
    /// Send a request on its line.
    Send { body: RequestBody, request: Option<PendingRequest> },
    /// Close its line, after what was sent.
    Disconnect,
}

/// What the program begins with.
#[derive(Debug)]
pub enum InitialAction {
    /// The choice of what to do.
    Home,
    /// A form.
    Form(Form),
    /// A plan that is complete.
    Apply(FormResult),
    /// A record to look at.
    Replay(Record),
    /// A record to judge.
    Review(Record),
    /// A game to play on.
    Continue(SavedGame),
    /// Several games to watch: one at least.
    Watch(Vec<(ServerUrl, RoomRef)>),
}

/// The effects of one update, in order.
#[derive(Debug, Default)]
struct Effects(Vec<Effect>);

impl Effects {
    fn push(&mut self, effect: Effect) {
        self.0.push(effect);
    }

    /// Tells the player. What the full screen does not show by itself stays there as the notice.
    fn notify(&mut self, model: &mut Model, notification: Notification) {
        if notification.is_status_only() {
            model.notification = Some(notification.clone());
        }
        self.0.push(Effect::Notify(notification));
    }

    fn send(&mut self, body: RequestBody, request: Option<PendingRequest>) {
        self.0.push(Effect::Send { body, request });
    }
}

/// The first effects, before anything has happened.
pub fn initial_effects(model: &mut Model, action: InitialAction) -> Vec<Effect> {
    let mut out = Effects::default();
    match action {
        InitialAction::Home => menus::go_home(model, &mut out),
        InitialAction::Form(form) => menus::open_form(model, form, &mut out),
        InitialAction::Apply(form_result) => {
            let lists_saved_games = !matches!(
                form_result,
                FormResult::Local(_) | FormResult::Settings(_) | FormResult::Server(_, _, SessionGoal::List)
            );
            apply_form_result(model, form_result, &mut out);
            if lists_saved_games {
                out.push(Effect::ListSavedGames);
            }
        }
        InitialAction::Replay(record) => {
            open_replay(model, record, &mut out);
            if model.mode != Mode::Full {
                out.push(Effect::Quit(Exit::Done));
            }
        }
        InitialAction::Review(record) => {
            open_replay(model, record.clone(), &mut out);
            analysis::start_review(model, record, &mut out);
        }
        InitialAction::Continue(game) => saved_game::resume(game, &mut out),
        InitialAction::Watch(games) => multi_watch::open(model, games, &mut out),
    }
    out.0
}

/// Folds one thing that happened into the model, and says what to do about it.
pub fn update(model: &mut Model, msg: Msg) -> Vec<Effect> {
    let mut out = Effects::default();
    let was_own_turn = bell::is_own_turn(model);
    if let Some(msg) = multi_watch::route(model, msg, &mut out) {
        dispatch(model, msg, &mut out);
    }
    saved_game::sync_saved_game(model, &mut out);
    line_mode::process_queued_lines(model, &mut out);
    model.sync_watched_games();
    if !was_own_turn {
        bell::ring_if_unfocused(model, &mut out);
    }
    out.0
}

/// What concerns no single one of several games.
fn dispatch(model: &mut Model, msg: Msg, out: &mut Effects) {
    match msg {
        Msg::Input(input) => keys::on_input(model, input, out),
        Msg::Connection(event) => server::on_connection_event(model, *event, out),
        Msg::Sent { request, id } => {
            if let Some(session) = &mut model.session {
                session.track(id, request);
            }
        }
        Msg::SendFailed { request, error } => {
            if let (Some(PendingRequest::Move(_)), Some(view)) = (request, model.game_view_mut()) {
                view.pending_move = None;
            }
            out.notify(model, Notification::SendFailed(error));
        }
        Msg::SearchDone { search_id, result } => local_game::on_search_done(model, search_id, result, out),
        Msg::AnalysisDone(result) => analysis::on_analysis_done(model, result, out),
        Msg::BotExited { failed } => event_notes::on_bot_exited(model, failed, out),
        Msg::FileSaved { path, result } => {
            let notification = match result {
                Ok(()) => Notification::FileSaved(path),
                Err(error) => Notification::FileSaveFailed { path, error },
            };
            out.notify(model, notification);
        }
        Msg::SavedGamesListed(list) => saved_game::on_list_loaded(model, list, out),
        Msg::SavedGameLocked(result) => saved_game::on_resumed(model, result, out),
        Msg::SettingsChanged(result) => {
            let notification = match result {
                Ok(path) => Notification::SettingsSaved(path),
                Err(error) => Notification::SettingsSaveFailed(error),
            };
            out.notify(model, notification);
        }
        Msg::SaveGameFailed(error) => out.notify(model, Notification::SaveGameFailed(error)),
        Msg::Tick => {
            local_game::play_scheduled_move(model, out);
            menus::refresh_list_if_due(model, out);
        }
        // Taken for its game.
        Msg::ForGame { .. } => {}
        Msg::Signal(number) => quit::quit(model, Exit::Signal(number), out),
    }
}

/// Begins what a form or the command line came to.
fn apply_form_result(model: &mut Model, form_result: FormResult, out: &mut Effects) {
    match form_result {
        FormResult::Server(server, name, goal) => {
            model.screen = Screen::Waiting;
            model.session = Some(Session::new(server.clone(), name, goal));
            out.push(Effect::Connect);
            out.notify(model, Notification::Connecting(server));
        }
        FormResult::Local(setup) => local_game::open(model, &setup, out),
        FormResult::Settings(changes) => menus::apply_settings(model, changes, out),
    }
}

fn open_replay(model: &mut Model, record: Record, out: &mut Effects) {
    let mut position = Position::new(record.rules);
    if model.mode != Mode::Full {
        for &cell in &record.moves {
            if position.play(cell).is_err() {
                break;
            }
        }
        let Record { players, outcome, .. } = record.clone();
        out.notify(model, Notification::Record { players, position: position.clone(), outcome });
    }
    // The full screen begins with the first position: one steps through it.
    model.screen = Screen::Replay(Box::new(Replay { record, position }));
}

/// The form for a purpose, with what the player has chosen so far.
pub fn new_form(model: &Model, kind: FormKind) -> Form {
    Form::new(kind, &model.settings)
}
