//! The loop: signals, input, network and time in; `update`; effects and a picture out.
//!
//! The only place of the client that does IO around a game. Everything that it waits for has a limit or
//! can be called off, and everything that it starts it ends.

mod commands;
mod config;
mod doctor;
mod engines;
mod failure;
mod help;
mod keeping;
mod lines;
mod record;
mod studying;
mod thinking;
mod view;

use std::path::PathBuf;
use std::time::Duration;

use anyhow::Context;
use futures::StreamExt;
use futures::stream::BoxStream;
use tokio::task::JoinSet;
use tokio::time::Instant;

use crate::bot::{self, BotHandle};
use crate::connection::Link;
use crate::input::Input;
use crate::model::{Exit, MAX_TYPED, Mode, Model, Note};
use crate::terminal::{self, Signal, Signals};
use crate::unfinished::Store;
use crate::update::{self, Effect, Errand, Msg, Start};
use crate::words::Cannot;

pub use commands::run;
pub use failure::told;
pub use help::help;
use keeping::Keeping;
use lines::{Lines, line, next_news, request};
use studying::Studying;
use thinking::Thinking;
use view::View;

/// Bots that may be in one's own rooms at once. One more pushes the oldest out.
const MAX_BOTS: usize = 4;
/// How a program ends that nobody reads any more: as by SIGPIPE.
const CLOSED_PIPE: Exit = Exit::Signal(13);
/// How long bots and lines may take to say goodbye at the end.
const FAREWELL: Duration = Duration::from_secs(3);

/// Everything that lives as long as the loop.
struct App {
    model: Model,
    view: View,
    signals: Signals,
    began: Instant,
    link: Option<Link>,
    /// Those of games that are watched side by side.
    watched: Lines,
    /// Lines that are being closed.
    closing: JoinSet<()>,
    bots: Vec<BotHandle>,
    thinking: Thinking,
    studying: Studying,
    keeping: Keeping,
    /// The settings file, where there may be one.
    config: Option<PathBuf>,
    /// How the loop ends, once it is to.
    exit: Option<Exit>,
}

/// Where files of the player lie.
#[derive(Debug, Default)]
struct Places {
    /// Games to continue.
    store: Option<Store>,
    /// The settings.
    config: Option<PathBuf>,
}

/// Runs a game, or whatever else there is to see, to its end.
async fn play(
    model: Model,
    view: View,
    inputs: BoxStream<'static, Input>,
    start: Start,
    places: Places,
) -> anyhow::Result<Exit> {
    let mut app = App {
        signals: Signals::listen().context(model.words.cannot(Cannot::Listen))?,
        model,
        view,
        began: Instant::now(),
        link: None,
        watched: Lines::default(),
        closing: JoinSet::new(),
        bots: Vec::new(),
        thinking: Thinking::default(),
        studying: Studying::default(),
        keeping: Keeping::new(places.store),
        config: places.config,
        exit: None,
    };
    let effects = update::begin(&mut app.model, start);
    app.carry_out(effects).await;
    let exit = app.turn(inputs).await;
    app.farewell().await;
    Ok(exit)
}

/// What has happened, as the loop hears of it.
enum Event {
    Signal(Signal),
    Msg(Msg),
    /// No more input comes.
    Deaf,
    /// The link has nothing more to say.
    LinkDone,
}

impl App {
    /// The loop itself. Draws after each turn; the view writes only what has changed.
    async fn turn(&mut self, mut inputs: BoxStream<'static, Input>) -> Exit {
        let mut hears = true;
        loop {
            if let Some(exit) = self.exit {
                return exit;
            }
            if self.view.draw(&self.model).is_err() {
                if self.model.mode != Mode::Full {
                    return CLOSED_PIPE;
                }
                // The screen is gone: the same as a hang-up.
                self.send(Msg::Input(Input::Gone)).await;
                return self.exit.unwrap_or(Exit::Signal(1));
            }
            let room_for_lines = self.model.typed.len() < MAX_TYPED;
            let deadline = self.model.deadline().map(|at| self.began + Duration::from_millis(at));
            let event = tokio::select! {
                biased;
                signal = self.signals.next() => Event::Signal(signal),
                input = inputs.next(), if hears && room_for_lines => {
                    input.map_or(Event::Deaf, |input| Event::Msg(Msg::Input(input)))
                }
                news = next_news(&mut self.link) => news.map_or(Event::LinkDone, |news| Event::Msg(Msg::News(Box::new(news)))),
                (place, news) = self.watched.next() => {
                    Event::Msg(Msg::Of { place, msg: Box::new(Msg::News(Box::new(news))) })
                }
                (ticket, answer) = self.thinking.next() => Event::Msg(Msg::Thought { ticket, answer }),
                failed = next_gone(&mut self.bots) => Event::Msg(Msg::BotGone { failed }),
                findings = self.studying.next() => Event::Msg(Msg::Found(findings)),
                () = sleep_until(deadline) => Event::Msg(Msg::Tick),
            };
            match event {
                Event::Signal(Signal::End(number)) => self.send(Msg::Signal(number)).await,
                Event::Signal(Signal::Continued) => self.continued(),
                Event::Msg(msg) => self.send(msg).await,
                Event::Deaf => hears = false,
                Event::LinkDone => self.link = None,
            }
        }
    }

    /// Folds a message in and carries out what comes of it, and of that.
    async fn send(&mut self, msg: Msg) {
        self.model.now = u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX);
        let effects = update::update(&mut self.model, msg);
        self.carry_out(effects).await;
    }

    async fn carry_out(&mut self, effects: Vec<Effect>) {
        for effect in effects {
            if let Some(answer) = self.effect(effect).await {
                // An answer brings little more: a note to tell, or the line to a game that was taken up.
                let more = update::update(&mut self.model, answer);
                Box::pin(self.carry_out(more)).await;
            }
        }
    }

    /// One arm an effect. What there is to report at once comes back.
    async fn effect(&mut self, effect: Effect) -> Option<Msg> {
        match effect {
            Effect::Tell(note) => {
                self.tell(None, &note);
                None
            }
            Effect::Connect => {
                if let Some(session) = &self.model.session {
                    self.link = Some(line(session.server.clone(), session.name.clone()));
                }
                None
            }
            Effect::Send { body, ask } => request(self.link.as_mut(), body, ask),
            Effect::Of { place, errand } => {
                self.errand(place, errand).map(|msg| Msg::Of { place, msg: Box::new(msg) })
            }
            // Where there are no others there is nothing to go back to.
            Effect::Back => None,
            Effect::Disconnect => {
                if let Some(link) = self.link.take() {
                    self.closing.spawn(link.close());
                }
                for bot in self.bots.drain(..) {
                    self.closing.spawn(bot.stop());
                }
                self.keeping.let_go();
                None
            }
            Effect::InviteBot { server, room, level } => {
                if self.bots.len() >= MAX_BOTS {
                    self.bots.remove(0);
                }
                self.bots.push(bot::spawn_into(server, room, level));
                None
            }
            Effect::Think { ticket, position, thinks, seed } => {
                self.thinking.begin(ticket, position, thinks, seed);
                None
            }
            Effect::StopThinking => {
                self.thinking.stop();
                None
            }
            Effect::Study(study) => {
                self.studying.begin(study);
                None
            }
            Effect::Save { path, text } => {
                let result = record::save(&path, text).await;
                Some(Msg::Saved { path, result })
            }
            Effect::ChangeSettings(changes) => {
                Some(Msg::SettingsChanged(config::change(self.config.clone(), changes).await))
            }
            Effect::Ring(bell) => {
                self.view.ring(bell, &self.model);
                None
            }
            Effect::FindUnfinished => Some(Msg::Unfinished(self.keeping.find().await)),
            Effect::TakeUp(game) => Some(Msg::TakenUp(self.keeping.take(*game).await.map(Box::new))),
            Effect::Keep(game) => self.keeping.keep(*game).await.err().map(Msg::NotKept),
            Effect::Forget => {
                self.keeping.forget().await;
                None
            }
            Effect::Suspend => {
                if let Err(error) = self.suspend().await {
                    tracing::warn!(%error, "the terminal is not to be had again");
                    self.exit = Some(Exit::Signal(1));
                }
                None
            }
            Effect::Redraw => {
                self.view.redraw();
                None
            }
            Effect::Quit(exit) => {
                self.exit = Some(exit);
                None
            }
        }
    }

    /// Does something for one of several games.
    fn errand(&mut self, place: usize, errand: Errand) -> Option<Msg> {
        match errand {
            Errand::Tell { room, note } => {
                self.tell(Some(&room), &note);
                None
            }
            Errand::Connect { server, name } => {
                self.watched.put(place, line(server, name));
                None
            }
            Errand::Send { body, ask } => request(self.watched.get(place), body, ask),
            Errand::Disconnect => {
                if let Some(link) = self.watched.take(place) {
                    self.closing.spawn(link.close());
                }
                None
            }
        }
    }

    /// Tells the player something, of one room where there are several.
    fn tell(&mut self, room: Option<&str>, note: &Note) {
        tracing::info!(room, note = %self.model.words.note(note), "told");
        if self.view.tell(self.model.words, room, note).is_err() && self.exit.is_none() {
            // Nobody reads us any more, as with `| head`.
            self.exit = Some(CLOSED_PIPE);
        }
    }

    /// The program was stopped from outside and goes on: who was in front meanwhile has left the terminal
    /// in a state of its own.
    fn continued(&mut self) {
        self.view.let_go();
        if let Err(error) = self.view.take_again() {
            tracing::warn!(%error, "the terminal is not to be had again");
            self.exit = Some(Exit::Signal(1));
        }
    }

    /// Ctrl-Z: the shell has the terminal until it lets us go on.
    async fn suspend(&mut self) -> std::io::Result<()> {
        self.view.let_go();
        terminal::stop_here(&mut self.signals).await;
        self.view.take_again()
    }

    /// Ends what was started, in order and within a limit.
    async fn farewell(mut self) {
        for thinker in self.thinking.farewell() {
            self.closing.spawn(thinker.end());
        }
        self.studying.stop();
        for link in self.link.take().into_iter().chain(self.watched.take_all()) {
            self.closing.spawn(link.close());
        }
        for bot in self.bots.drain(..) {
            self.closing.spawn(bot.stop());
        }
        // The terminal is the shell's again before anything is waited for.
        self.view.finish(&self.model, self.exit.unwrap_or(Exit::Done));
        let all = async { while self.closing.join_next().await.is_some() {} };
        if tokio::time::timeout(FAREWELL, all).await.is_err() {
            tracing::warn!("some line did not close in time");
        }
    }
}

/// Waits until a bot has gone by itself, and tells whether it failed; for ever when there is none.
async fn next_gone(bots: &mut Vec<BotHandle>) -> bool {
    if bots.is_empty() {
        return std::future::pending().await;
    }
    let gone = bots.iter_mut().map(|bot| Box::pin(bot.gone()));
    let (ended, place, _) = futures::future::select_all(gone).await;
    bots.remove(place);
    if let Err(error) = &ended {
        tracing::warn!(%error, "a bot has failed");
    }
    ended.is_err()
}

async fn sleep_until(deadline: Option<Instant>) {
    match deadline {
        Some(deadline) => tokio::time::sleep_until(deadline).await,
        None => std::future::pending().await,
    }
}
