//! The program's main loop: receives signals, input, connection events and timeouts, folds them into the model with
//! [`update`](crate::update), runs the effects and draws the model.
//!
//! All I/O around a game happens here and in the submodules. Every wait has a limit or can be cancelled, and everything
//! that the loop starts ends with it.

mod doctor;
mod effects;
mod engines;
mod identity;
#[cfg(feature = "mcp")]
mod mcp;
mod output;
mod program;
mod subcommands;
mod tasks;

use std::iter;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::Context;
use futures::future::BoxFuture;
use futures::stream::BoxStream;
use futures::{FutureExt, StreamExt};
use noughts_protocol::PlayerKind;
use noughts_protocol::wire::{RequestBody, SessionRequest};
use tokio::task::JoinSet;
use tokio::time::Instant;

use crate::bot::BotHandle;
use crate::connection::{ConnectionEvent, ConnectionHandle};
use crate::facts::{Exit, Failure, Notification};
use crate::input::Input;
use crate::io::identity_store::IdentityStore;
use crate::io::io_error::LocalizableIoError;
use crate::io::own_games::OwnGameStore;
use crate::io::sleep_until;
use crate::io::terminal::{self, Signal, Signals};
use crate::model::{HomeServer, MAX_QUEUED_LINES, Mode, Model};
use crate::puzzle;
use crate::update::{self, InitialAction, Msg};

use output::CLOSED_PIPE;
use output::Output;
pub use program::run_program;
pub use subcommands::run;
use tasks::AnalysisTask;
use tasks::EngineTask;
use tasks::OwnGamesTask;
use tasks::SaveTask;
use tasks::archive::ArchiveTask;
use tasks::host::HostTask;
use tasks::identity::IdentityTask;
use tasks::{WatchLinks, connect_once, next_event};

/// Maximum number of bots that the player has invited. A further invitation replaces the oldest bot.
const MAX_BOTS: usize = 4;
/// Timeout for closing all connections and bots when the loop ends.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(3);

struct App {
    model: Model,
    output: Output,
    signals: Signals,
    started_at: Instant,
    connection: Option<ConnectionHandle>,
    /// Connection of the home screen, with the server and the name that it was opened with.
    home_connection: Option<ConnectionHandle>,
    watch_links: WatchLinks,
    /// Connections and bots that are being closed.
    closing: JoinSet<()>,
    bots: Vec<BotHandle>,
    engine_task: EngineTask,
    analysis_task: AnalysisTask,
    save_task: SaveTask,
    own_games: OwnGamesTask,
    archive_task: ArchiveTask,
    identity: IdentityTask,
    host_task: HostTask,
    /// The settings file; `None` if the platform has no place for it.
    settings_path: Option<PathBuf>,
    /// Whether a person or a program chooses the player's moves.
    player_kind: PlayerKind,
    /// Exit status, once the loop has to end.
    exit: Option<Exit>,
}

/// Paths of the player's files, and how servers label the player.
#[derive(Debug, Default)]
struct AppOptions {
    /// Folder of the resumable games, own games and last choices.
    state: Option<PathBuf>,
    settings_path: Option<PathBuf>,
    /// Whether a program plays, so that servers label it as a bot.
    is_bot: bool,
    /// The file of the identity; `None` for a guest.
    identity: Option<IdentityStore>,
}

/// Runs the loop from an initial action to its end. Boxed, because the futures of all commands contain it.
fn play(
    model: Model,
    output: Output,
    inputs: BoxStream<'static, Input>,
    start: InitialAction,
    options: AppOptions,
) -> BoxFuture<'static, anyhow::Result<Exit>> {
    run_app(model, output, inputs, start, options).boxed()
}

async fn run_app(
    model: Model,
    output: Output,
    inputs: BoxStream<'static, Input>,
    start: InitialAction,
    options: AppOptions,
) -> anyhow::Result<Exit> {
    let identity = match options.identity {
        Some(store) => IdentityTask::load(store).await,
        None => Ok(IdentityTask::default()),
    };
    let mut app = App {
        signals: Signals::listen().context(model.lang().texts().cannot_install_signals())?,
        model,
        output,
        started_at: Instant::now(),
        connection: None,
        home_connection: None,
        watch_links: WatchLinks::default(),
        closing: JoinSet::new(),
        bots: Vec::new(),
        engine_task: EngineTask::default(),
        analysis_task: AnalysisTask::default(),
        save_task: SaveTask::new(options.state.clone()),
        own_games: OwnGamesTask::new(options.state.as_deref().map(OwnGameStore::new)),
        archive_task: ArchiveTask::default(),
        identity: IdentityTask::default(),
        host_task: HostTask::default(),
        settings_path: options.settings_path,
        player_kind: if options.is_bot {
            PlayerKind::Bot
        } else {
            PlayerKind::Person
        },
        exit: None,
    };
    match identity {
        Ok(identity) => app.identity = identity,
        Err(error) => {
            let error = LocalizableIoError::from(error);
            let failure = Failure::IdentityNotRead { error };
            app.handle_msg(Msg::IdentityFailed(failure)).await;
        }
    }
    let effects = update::initial_effects(&mut app.model, start);
    app.run_effects(effects).await;
    let exit = app.run_loop(inputs).await;
    app.shutdown().await;
    Ok(exit)
}

/// Event that ends a wait of the loop.
enum LoopEvent {
    Signal(Signal),
    Msg(Msg),
    InputClosed,
    ConnectionClosed,
    HomeClosed,
}

impl App {
    /// Runs until an effect or a failure sets the exit status. Draws the model before every wait; the output writes
    /// only changes.
    async fn run_loop(&mut self, mut inputs: BoxStream<'static, Input>) -> Exit {
        let mut input_open = true;
        loop {
            if let Some(exit) = self.exit {
                return exit;
            }
            if self.output.draw(&self.model).is_err() {
                if self.model.mode != Mode::Full {
                    return CLOSED_PIPE;
                }
                // A failed write to the terminal counts as a hang-up.
                self.handle_msg(Msg::Input(Input::Hangup)).await;
                return self.exit.unwrap_or(Exit::Signal(1));
            }
            self.sync_home_link();
            let can_queue_input = self.model.queued_lines.len() < MAX_QUEUED_LINES;
            let deadline = self
                .model
                .deadline()
                .map(|at| self.started_at + Duration::from_millis(at));
            let event = tokio::select! {
                biased;
                signal = self.signals.next() => LoopEvent::Signal(signal),
                input = inputs.next(), if input_open && can_queue_input => {
                    input.map_or(LoopEvent::InputClosed, |input| LoopEvent::Msg(Msg::Input(input)))
                }
                event = next_event(&mut self.connection) => {
                    event.map_or(LoopEvent::ConnectionClosed, |event| LoopEvent::Msg(Msg::Connection(Box::new(event))))
                }
                event = next_event(&mut self.home_connection) => self.on_home_event(event),
                (index, event) = self.watch_links.next() => {
                    LoopEvent::Msg(Msg::ForGame { index, msg: Box::new(Msg::Connection(Box::new(event))) })
                }
                (search_id, result) = self.engine_task.next() => {
                    LoopEvent::Msg(Msg::SearchDone { search_id, result })
                }
                failed = next_finished_bot(&mut self.bots) => LoopEvent::Msg(Msg::BotExited { failed }),
                result = self.host_task.next() => LoopEvent::Msg(Msg::ServerStarted(result)),
                answered = self.archive_task.next() => LoopEvent::Msg(answered),
                result = self.analysis_task.next() => LoopEvent::Msg(Msg::AnalysisDone(result)),
                () = sleep_until(deadline) => LoopEvent::Msg(Msg::Tick),
            };
            match event {
                LoopEvent::Signal(Signal::End(number)) => {
                    self.handle_msg(Msg::Signal(number)).await;
                }
                LoopEvent::Signal(Signal::Continued) => self.on_continued(),
                LoopEvent::Msg(msg) => self.handle_msg(msg).await,
                LoopEvent::InputClosed => input_open = false,
                LoopEvent::ConnectionClosed => self.connection = None,
                LoopEvent::HomeClosed => self.home_connection = None,
            }
        }
    }

    /// Opens the connection of the home screen, or closes it when the program has left that screen.
    fn sync_home_link(&mut self) {
        let is_shown = self.model.shows_home_server();
        match self.home_connection.take_if(|_| !is_shown) {
            Some(connection) => {
                self.model.home_server = HomeServer::Unknown;
                // The next welcome lists the rooms again, because they may have ended or belong to another server.
                self.model.own_rooms.clear();
                self.closing.spawn(connection.close());
            }
            None if is_shown
                && self.home_connection.is_none()
                && self.model.home_server.can_connect(self.model.now) =>
            {
                let settings = &self.model.settings;
                let (server, name) = (settings.server.clone(), settings.name.clone());
                let player = (name, self.identity.secret_for(&server));
                self.home_connection = Some(connect_once(server, player));
            }
            None => {}
        }
    }

    /// Subscribes to the lobby once the server has accepted the connection of the home screen.
    fn on_home_event(&mut self, event: Option<ConnectionEvent>) -> LoopEvent {
        let Some(event) = event else {
            return LoopEvent::HomeClosed;
        };
        if let (ConnectionEvent::Connected { .. }, Some(connection)) =
            (&event, &mut self.home_connection)
            && let Err(error) =
                connection.send(RequestBody::Session(SessionRequest::Lobby { end: false }))
        {
            tracing::debug!(%error, "cannot request lobby");
        }
        LoopEvent::Msg(Msg::HomeConnection(Box::new(event)))
    }

    /// Remembers the server of a welcome. Returns a message if another address seems to belong to the same server, so
    /// that the player can use one identity for both.
    async fn on_welcome(&mut self, msg: &Msg) -> Option<Msg> {
        let (event, server) = if let Msg::Connection(event) = msg {
            (event, &self.model.session.as_ref()?.server)
        } else if let Msg::HomeConnection(event) = msg {
            (event, &self.model.settings.server)
        } else {
            return None;
        };
        let ConnectionEvent::Connected { welcome } = &**event else {
            return None;
        };
        welcome.identity?;
        let (named, server) = (welcome.address.as_ref(), server.clone());
        let address = self.identity.on_welcome(&server, named).await?;
        Some(Msg::OtherAddress { address, server })
    }

    /// Folds a message into the model and runs the effects.
    async fn handle_msg(&mut self, msg: Msg) {
        let next = self.on_welcome(&msg).await;
        for msg in iter::once(msg).chain(next) {
            self.fold(msg).await;
        }
    }

    async fn fold(&mut self, msg: Msg) {
        self.model.now = u64::try_from(self.started_at.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.model.today = puzzle::day_of(tasks::wall_clock());
        let effects = update::update(&mut self.model, msg);
        self.run_effects(effects).await;
    }

    /// Reports to the player. Among several games, `room` labels the report.
    fn notify(&mut self, room: Option<&str>, notification: &Notification) {
        tracing::info!(room, notification = %self.model.lang().texts().notification(notification), "player notified");
        if self
            .output
            .print_notification(self.model.lang().texts(), room, notification)
            .is_err()
            && self.exit.is_none()
        {
            // The program that reads stdout has closed the pipe, as `head` does.
            self.exit = Some(CLOSED_PIPE);
        }
    }

    /// Re-enters raw mode after `SIGCONT`, because the shell has changed the state of the terminal.
    fn on_continued(&mut self) {
        self.output.suspend();
        if let Err(error) = self.output.resume() {
            tracing::warn!(%error, "cannot restore raw mode after SIGCONT");
            self.exit = Some(Exit::Signal(1));
        }
    }

    /// Suspends the process until the shell continues it.
    async fn suspend(&mut self) -> std::io::Result<()> {
        self.output.suspend();
        terminal::suspend_process(&mut self.signals).await;
        self.output.resume()
    }

    /// Ends everything that was started. Waits at most 3 s.
    async fn shutdown(mut self) {
        for engine in self.engine_task.take_idle_engines() {
            self.closing.spawn(engine.end());
        }
        self.analysis_task.stop();
        for connection in self
            .connection
            .take()
            .into_iter()
            .chain(self.watch_links.take_all())
        {
            self.closing.spawn(connection.close());
        }
        for bot in self.bots.drain(..) {
            self.closing.spawn(bot.stop());
        }
        // The terminal is restored before any wait.
        self.output
            .finish(&self.model, self.exit.unwrap_or(Exit::Done));
        let all_closed = async { while self.closing.join_next().await.is_some() {} };
        let close = tokio::time::timeout(SHUTDOWN_TIMEOUT, all_closed);
        let (closed, ()) = tokio::join!(close, self.host_task.shutdown());
        if closed.is_err() {
            tracing::warn!("connection close timed out");
        }
    }
}

/// Waits until an invited bot ends, and returns whether it failed; without bots, waits forever.
async fn next_finished_bot(bots: &mut Vec<BotHandle>) -> bool {
    if bots.is_empty() {
        return std::future::pending().await;
    }
    let finished = bots.iter_mut().map(|bot| Box::pin(bot.wait()));
    let (result, index, _) = futures::future::select_all(finished).await;
    bots.remove(index);
    if let Err(error) = &result {
        tracing::warn!(%error, "invited bot failed");
    }
    result.is_err()
}
