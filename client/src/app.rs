//! The loop: signals, input, network and time in; `update`; effects and a picture out.
//!
//! The only place of the client that does IO around a game. Everything that it waits for has a limit or
//! can be called off, and everything that it starts it ends.

mod commands;
mod doctor;
mod engines;
mod failure;
mod help;
mod links;
mod output;
mod record;
mod tasks;

use std::path::PathBuf;
use std::time::Duration;

use anyhow::Context;
use futures::StreamExt;
use futures::stream::BoxStream;
use tokio::task::JoinSet;
use tokio::time::Instant;

use crate::bot::{self, BotHandle};
use crate::connection::ConnectionHandle;
use crate::facts::{Exit, Notification};
use crate::i18n::FatalError;
use crate::input::Input;
use crate::model::{MAX_QUEUED_LINES, Mode, Model};
use crate::saved_games::SavedGameStore;
use crate::terminal::{self, Signal, Signals};
use crate::update::{self, Effect, GameEffect, InitialAction, Msg};

pub use commands::run;
pub use failure::format_error;
pub use help::help_page;
use links::{WatchLinks, connect, next_news, send_request};
use output::Output;
use tasks::analysis::AnalysisTask;
use tasks::engine::EngineTask;
use tasks::save::SaveTask;

/// Bots that may be in one's own rooms at once. One more pushes the oldest out.
const MAX_BOTS: usize = 4;
/// How a program ends that nobody reads any more: as by SIGPIPE.
const CLOSED_PIPE: Exit = Exit::Signal(13);
/// How long bots and lines may take to say goodbye at the end.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(3);

/// Everything that lives as long as the loop.
struct App {
    model: Model,
    output: Output,
    signals: Signals,
    started_at: Instant,
    link: Option<ConnectionHandle>,
    /// Those of games that are watched side by side.
    watched: WatchLinks,
    /// Lines that are being closed.
    closing: JoinSet<()>,
    bots: Vec<BotHandle>,
    thinking: EngineTask,
    studying: AnalysisTask,
    save_task: SaveTask,
    /// The settings file, where there may be one.
    settings_path: Option<PathBuf>,
    /// How the loop ends, once it is to.
    exit: Option<Exit>,
}

/// Where files of the player lie.
#[derive(Debug, Default)]
struct AppPaths {
    /// Games to continue.
    store: Option<SavedGameStore>,
    /// The settings.
    settings_path: Option<PathBuf>,
}

/// Runs a game, or whatever else there is to see, to its end.
async fn play(
    model: Model,
    output: Output,
    inputs: BoxStream<'static, Input>,
    start: InitialAction,
    paths: AppPaths,
) -> anyhow::Result<Exit> {
    let mut app = App {
        signals: Signals::listen().context(model.texts.fatal_error(FatalError::InstallSignals))?,
        model,
        output,
        started_at: Instant::now(),
        link: None,
        watched: WatchLinks::default(),
        closing: JoinSet::new(),
        bots: Vec::new(),
        thinking: EngineTask::default(),
        studying: AnalysisTask::default(),
        save_task: SaveTask::new(paths.store),
        settings_path: paths.settings_path,
        exit: None,
    };
    let effects = update::initial_effects(&mut app.model, start);
    app.run_effects(effects).await;
    let exit = app.run_loop(inputs).await;
    app.shutdown().await;
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
    async fn run_loop(&mut self, mut inputs: BoxStream<'static, Input>) -> Exit {
        let mut hears = true;
        loop {
            if let Some(exit) = self.exit {
                return exit;
            }
            if self.output.draw(&self.model).is_err() {
                if self.model.mode != Mode::Full {
                    return CLOSED_PIPE;
                }
                // The screen is gone: the same as a hang-up.
                self.handle_msg(Msg::Input(Input::Hangup)).await;
                return self.exit.unwrap_or(Exit::Signal(1));
            }
            let room_for_lines = self.model.queued_lines.len() < MAX_QUEUED_LINES;
            let deadline = self.model.deadline().map(|at| self.started_at + Duration::from_millis(at));
            let event = tokio::select! {
                biased;
                signal = self.signals.next() => Event::Signal(signal),
                input = inputs.next(), if hears && room_for_lines => {
                    input.map_or(Event::Deaf, |input| Event::Msg(Msg::Input(input)))
                }
                news = next_news(&mut self.link) => news.map_or(Event::LinkDone, |news| Event::Msg(Msg::Connection(Box::new(news)))),
                (index, news) = self.watched.next() => {
                    Event::Msg(Msg::ForGame { index, msg: Box::new(Msg::Connection(Box::new(news))) })
                }
                (search_id, result) = self.thinking.next() => Event::Msg(Msg::SearchDone { search_id, result }),
                failed = next_gone(&mut self.bots) => Event::Msg(Msg::BotExited { failed }),
                findings = self.studying.next() => Event::Msg(Msg::AnalysisDone(findings)),
                () = sleep_until(deadline) => Event::Msg(Msg::Tick),
            };
            match event {
                Event::Signal(Signal::End(number)) => self.handle_msg(Msg::Signal(number)).await,
                Event::Signal(Signal::Continued) => self.on_continued(),
                Event::Msg(msg) => self.handle_msg(msg).await,
                Event::Deaf => hears = false,
                Event::LinkDone => self.link = None,
            }
        }
    }

    /// Folds a message in and carries out what comes of it, and of that.
    async fn handle_msg(&mut self, msg: Msg) {
        self.model.now = u64::try_from(self.started_at.elapsed().as_millis()).unwrap_or(u64::MAX);
        let effects = update::update(&mut self.model, msg);
        self.run_effects(effects).await;
    }

    async fn run_effects(&mut self, effects: Vec<Effect>) {
        for effect in effects {
            if let Some(reply) = self.run_effect(effect).await {
                // An answer brings little more: a note to tell, or the line to a game that was taken up.
                let effects = update::update(&mut self.model, reply);
                Box::pin(self.run_effects(effects)).await;
            }
        }
    }

    /// One arm an effect. What there is to report at once comes back.
    async fn run_effect(&mut self, effect: Effect) -> Option<Msg> {
        match effect {
            Effect::Notify(note) => {
                self.notify(None, &note);
                None
            }
            Effect::Connect => {
                if let Some(session) = &self.model.session {
                    self.link = Some(connect(session.server.clone(), session.name.clone()));
                }
                None
            }
            Effect::Send { body, request: ask } => send_request(self.link.as_mut(), body, ask),
            Effect::ForGame { index: place, effect: errand } => self
                .run_game_effect(place, errand)
                .map(|msg| Msg::ForGame { index: place, msg: Box::new(msg) }),
            // Where there are no others there is nothing to go back to.
            Effect::ReturnToMultiWatch => None,
            Effect::Disconnect => {
                if let Some(link) = self.link.take() {
                    self.closing.spawn(link.close());
                }
                for bot in self.bots.drain(..) {
                    self.closing.spawn(bot.stop());
                }
                self.save_task.release();
                None
            }
            Effect::InviteBot { server, room, level } => {
                if self.bots.len() >= MAX_BOTS {
                    self.bots.remove(0);
                }
                self.bots.push(bot::spawn_in_room(server, room, level));
                None
            }
            Effect::Search { search_id: ticket, position, engine: thinks, seed } => {
                self.thinking.start(ticket, position, thinks, seed);
                None
            }
            Effect::StopSearch => {
                self.thinking.stop();
                None
            }
            Effect::Analyze(study) => {
                self.studying.start(study);
                None
            }
            Effect::SaveFile { path, text } => {
                let result = record::save(&path, text).await;
                Some(Msg::FileSaved { path, result })
            }
            Effect::ChangeSettings(changes) => Some(Msg::SettingsChanged(
                crate::settings::effective::save_changes(self.settings_path.clone(), changes).await,
            )),
            Effect::RingBell(bell) => {
                self.output.ring(bell, &self.model);
                None
            }
            Effect::ListSavedGames => Some(Msg::SavedGamesListed(self.save_task.list().await)),
            Effect::LockSavedGame(game) => {
                Some(Msg::SavedGameLocked(self.save_task.lock_game(*game).await.map(Box::new)))
            }
            Effect::SaveGame(game) => self.save_task.save(*game).await.err().map(Msg::SaveGameFailed),
            Effect::DeleteSavedGame => {
                self.save_task.delete().await;
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
                self.output.redraw();
                None
            }
            Effect::Quit(exit) => {
                self.exit = Some(exit);
                None
            }
        }
    }

    /// Does something for one of several games.
    fn run_game_effect(&mut self, index: usize, effect: GameEffect) -> Option<Msg> {
        match effect {
            GameEffect::Notify { room, notification: note } => {
                self.notify(Some(&room), &note);
                None
            }
            GameEffect::Connect { server, name } => {
                self.watched.insert(index, connect(server, name));
                None
            }
            GameEffect::Send { body, request: ask } => send_request(self.watched.get(index), body, ask),
            GameEffect::Disconnect => {
                if let Some(link) = self.watched.take(index) {
                    self.closing.spawn(link.close());
                }
                None
            }
        }
    }

    /// Tells the player something, of one room where there are several.
    fn notify(&mut self, room: Option<&str>, note: &Notification) {
        tracing::info!(room, note = %self.model.texts.notification(note), "told");
        if self.output.print_note(self.model.texts, room, note).is_err() && self.exit.is_none() {
            // Nobody reads us any more, as with `| head`.
            self.exit = Some(CLOSED_PIPE);
        }
    }

    /// The program was stopped from outside and goes on: who was in front meanwhile has left the terminal
    /// in a state of its own.
    fn on_continued(&mut self) {
        self.output.suspend();
        if let Err(error) = self.output.resume() {
            tracing::warn!(%error, "the terminal is not to be had again");
            self.exit = Some(Exit::Signal(1));
        }
    }

    /// Ctrl-Z: the shell has the terminal until it lets us go on.
    async fn suspend(&mut self) -> std::io::Result<()> {
        self.output.suspend();
        terminal::suspend_process(&mut self.signals).await;
        self.output.resume()
    }

    /// Ends what was started, in order and within a limit.
    async fn shutdown(mut self) {
        for thinker in self.thinking.take_idle_engines() {
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
        self.output.finish(&self.model, self.exit.unwrap_or(Exit::Done));
        let all_closed = async { while self.closing.join_next().await.is_some() {} };
        if tokio::time::timeout(SHUTDOWN_TIMEOUT, all_closed).await.is_err() {
            tracing::warn!("some line did not close in time");
        }
    }
}

/// Waits until a bot has gone by itself, and tells whether it failed; for ever when there is none.
async fn next_gone(bots: &mut Vec<BotHandle>) -> bool {
    if bots.is_empty() {
        return std::future::pending().await;
    }
    let finished = bots.iter_mut().map(|bot| Box::pin(bot.wait()));
    let (result, index, _) = futures::future::select_all(finished).await;
    bots.remove(index);
    if let Err(error) = &result {
        tracing::warn!(%error, "a bot has failed");
    }
    result.is_err()
}

async fn sleep_until(deadline: Option<Instant>) {
    match deadline {
        Some(deadline) => tokio::time::sleep_until(deadline).await,
        None => std::future::pending().await,
    }
}
