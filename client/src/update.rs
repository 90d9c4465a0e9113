//! What happens, folded into the model: the only place that changes it. No IO and no clock: what is to
//! be done in the world comes back as effects, and the time is in the model.

mod act;
mod answer;
mod attention;
mod desk;
mod grid;
mod here;
mod keep;
mod keys;
mod leave;
mod lines;
mod news;
mod orders;
mod room;
mod study;
#[cfg(test)]
pub(crate) mod tests;

use noughts_protocol::wire::Body;
use noughts_protocol::{Name, Position, Record, RequestId, RoomRef};

use crate::connection::{News, SendError};
use crate::engine::Level;
use crate::input::Input;
use crate::local::Ticket;
use crate::model::{Ask, Bell, Exit, Form, Goal, Mode, Model, Note, Plan, Purpose, Replay, Screen, Session};
use crate::preferences::Setting;
use crate::preferences::file::ReadError;
use crate::server_url::ServerUrl;
use crate::study::{Findings, Study};
use crate::system::SystemError;
use crate::thinker::child::Fault;
use crate::thinker::{Choice, Spec};
use crate::unfinished::{Found, TakeError, Unfinished};

/// Something that happened.
#[derive(Debug)]
pub enum Msg {
    /// The player did something.
    Input(Input),
    /// The line to the server has news.
    News(Box<News>),
    /// A request was handed on under this id.
    Sent { ask: Ask, id: RequestId },
    /// A request could not be handed on.
    Unsent { ask: Option<Ask>, error: SendError },
    /// A bot on this terminal has thought; none when it was stopped.
    Thought { ticket: Ticket, answer: Result<Choice, Fault> },
    /// Something was found out about a game.
    Found(Findings),
    /// A bot of ours has gone by itself.
    BotGone { failed: bool },
    /// A file was written, or not.
    Saved { path: String, result: Result<(), SystemError> },
    /// What there is to continue.
    Unfinished(Found),
    /// A game to be continued was taken up, or not.
    TakenUp(Result<Box<Unfinished>, TakeError>),
    /// Settings were written to this file, or not.
    SettingsChanged(Result<String, ReadError>),
    /// The game that is played could not be kept.
    NotKept(TakeError),
    /// Something happened to one of several games: what would be told of the only one.
    Of { place: usize, msg: Box<Msg> },
    /// The deadline of the model has come.
    Tick,
    /// The system wants the program to end, by this signal.
    Signal(u8),
}

/// Something to do in the world.
#[derive(Debug)]
pub enum Effect {
    /// Tell the player, where the view does not show it by itself.
    Tell(Note),
    /// Open a line to the session's server.
    Connect,
    /// Send a request; its id is to be reported for `ask`.
    Send { body: Body, ask: Option<Ask> },
    /// Close the line, after what was sent.
    Disconnect,
    /// Send a bot into a room.
    InviteBot { server: ServerUrl, room: RoomRef, level: Level },
    /// Let a bot think about a position.
    Think { ticket: Ticket, position: Position, thinks: Spec, seed: u64 },
    /// Let it stop.
    StopThinking,
    /// Find something out about a game.
    Study(Study),
    /// Write a file.
    Save { path: String, text: String },
    /// Write settings into their file.
    ChangeSettings(Vec<(Setting, Option<String>)>),
    /// Call the player, who looks elsewhere.
    Ring(Bell),
    /// Look for games to continue.
    FindUnfinished,
    /// Take one up, so that no other program does.
    TakeUp(Box<Unfinished>),
    /// Keep the game that is played, as one to continue.
    Keep(Box<Unfinished>),
    /// Forget it.
    Forget,
    /// Stop the program until the shell lets it go on.
    Suspend,
    /// Draw the whole screen again.
    Redraw,
    /// End the program.
    Quit(Exit),
    /// Go back to the other games that are watched. Only one of several wants that.
    Back,
    /// Do something for one of several games.
    Of { place: usize, errand: Errand },
}

/// Something to do for one of several games.
#[derive(Debug)]
pub enum Errand {
    /// Tell the player, as of this room.
    Tell { room: String, note: Note },
    /// Open its line.
    Connect { server: ServerUrl, name: Name },
    /// Send a request on its line.
    Send { body: Body, ask: Option<Ask> },
    /// Close its line, after what was sent.
    Disconnect,
}

/// What the program begins with.
#[derive(Debug)]
pub enum Start {
    /// The choice of what to do.
    Home,
    /// A form.
    Form(Form),
    /// A plan that is complete.
    Plan(Plan),
    /// A record to look at.
    Replay(Record),
    /// A record to judge.
    Review(Record),
    /// A game to play on.
    Continue(Unfinished),
    /// Several games to watch: one at least.
    Watch(Vec<(ServerUrl, RoomRef)>),
}

/// The effects of one update, in order.
#[derive(Debug, Default)]
struct Out(Vec<Effect>);

impl Out {
    fn push(&mut self, effect: Effect) {
        self.0.push(effect);
    }

    /// Tells the player. What the full screen does not show by itself stays there as the notice.
    fn tell(&mut self, model: &mut Model, note: Note) {
        if note.is_notice() {
            model.notice = Some(note.clone());
        }
        self.0.push(Effect::Tell(note));
    }

    fn send(&mut self, body: Body, ask: Option<Ask>) {
        self.0.push(Effect::Send { body, ask });
    }
}

/// The first effects, before anything has happened.
pub fn begin(model: &mut Model, start: Start) -> Vec<Effect> {
    let mut out = Out::default();
    match start {
        Start::Home => desk::go_home(model, &mut out),
        Start::Form(form) => desk::open_form(model, form, &mut out),
        Start::Plan(plan) => {
            let may_continue =
                !matches!(plan, Plan::Here(_) | Plan::Settings(_) | Plan::Online(_, _, Goal::List));
            carry_out(model, plan, &mut out);
            if may_continue {
                out.push(Effect::FindUnfinished);
            }
        }
        Start::Replay(record) => {
            replay(model, record, &mut out);
            if model.mode != Mode::Full {
                out.push(Effect::Quit(Exit::Done));
            }
        }
        Start::Review(record) => {
            replay(model, record.clone(), &mut out);
            study::review(model, record, &mut out);
        }
        Start::Continue(game) => keep::take_up(game, &mut out),
        Start::Watch(games) => grid::open(model, games, &mut out),
    }
    out.0
}

/// Folds one thing that happened into the model, and says what to do about it.
pub fn update(model: &mut Model, msg: Msg) -> Vec<Effect> {
    let mut out = Out::default();
    let was_called = attention::is_called(model);
    if let Some(msg) = grid::take(model, msg, &mut out) {
        fold(model, msg, &mut out);
    }
    keep::follow(model, &mut out);
    lines::carry_on(model, &mut out);
    model.align_games();
    if !was_called {
        attention::call(model, &mut out);
    }
    out.0
}

/// What concerns no single one of several games.
fn fold(model: &mut Model, msg: Msg, out: &mut Out) {
    match msg {
        Msg::Input(input) => keys::input(model, input, out),
        Msg::News(news) => news::news(model, *news, out),
        Msg::Sent { ask, id } => {
            if let Some(session) = &mut model.session {
                session.asked(id, ask);
            }
        }
        Msg::Unsent { ask, error } => {
            if let (Some(Ask::Move(_)), Some(table)) = (ask, model.table_mut()) {
                table.pending = None;
            }
            out.tell(model, Note::Unsent(error));
        }
        Msg::Thought { ticket, answer } => here::thought(model, ticket, answer, out),
        Msg::Found(findings) => study::found(model, findings, out),
        Msg::BotGone { failed } => room::bot_gone(model, failed, out),
        Msg::Saved { path, result } => {
            let note = match result {
                Ok(()) => Note::Saved(path),
                Err(error) => Note::NotSaved { path, error },
            };
            out.tell(model, note);
        }
        Msg::Unfinished(found) => keep::found(model, found, out),
        Msg::TakenUp(taken) => keep::taken_up(model, taken, out),
        Msg::SettingsChanged(result) => {
            let note = match result {
                Ok(path) => Note::SettingsSaved(path),
                Err(error) => Note::SettingsNotSaved(error),
            };
            out.tell(model, note);
        }
        Msg::NotKept(error) => out.tell(model, Note::NotKept(error)),
        Msg::Tick => {
            here::play_due(model, out);
            desk::look_again(model, out);
        }
        // Taken for its game.
        Msg::Of { .. } => {}
        Msg::Signal(number) => leave::quit(model, Exit::Signal(number), out),
    }
}

/// Begins what a form or the command line came to.
fn carry_out(model: &mut Model, plan: Plan, out: &mut Out) {
    match plan {
        Plan::Online(server, name, goal) => {
            model.screen = Screen::Waiting;
            model.session = Some(Session::new(server.clone(), name, goal));
            out.push(Effect::Connect);
            out.tell(model, Note::Connecting(server));
        }
        Plan::Here(setup) => here::open(model, &setup, out),
        Plan::Settings(changes) => desk::change_settings(model, changes, out),
    }
}

fn replay(model: &mut Model, record: Record, out: &mut Out) {
    let mut position = Position::new(record.rules);
    if model.mode != Mode::Full {
        for &cell in &record.moves {
            if position.play(cell).is_err() {
                break;
            }
        }
        let Record { players, outcome, .. } = record.clone();
        out.tell(model, Note::Record { players, position: position.clone(), outcome });
    }
    // The full screen begins with the first position: one steps through it.
    model.screen = Screen::Replay(Box::new(Replay { record, position }));
}

/// The form for a purpose, with what the player has chosen so far.
pub fn form(model: &Model, purpose: Purpose) -> Form {
    Form::new(purpose, &model.settings)
}
