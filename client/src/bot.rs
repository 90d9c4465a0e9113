//! A program at the board: an ordinary client that thinks for itself.
//!
//! It has no private door to the server. Each of its connections plays one game at a time; all of them
//! think on a few threads, which they share fairly.

mod behaviour;
mod error;
mod game;
mod link;
mod matchmaking;
pub mod policy;
mod shared;
#[cfg(test)]
mod tests;
mod worker;

use std::sync::Arc;
use std::time::Duration;

use noughts_protocol::wire::{self, Hello};
use noughts_protocol::{Name, PlayerKind, RoomRef};
use tokio::sync::mpsc;
use tokio::task::{JoinHandle, JoinSet};
use tokio_util::sync::CancellationToken;

use crate::connection::{self, ConnectionHandle, RetryPolicy};
use crate::engine::Level;
use crate::engines::player_engine::child_process::{self, EngineError};
use crate::engines::player_engine::search_pool::SearchPool;
use crate::engines::player_engine::search_request::Searcher;
use crate::engines::player_engine::{EngineResources, EngineSpec};
use crate::server_url::ServerUrl;
use behaviour::Behaviour;
use matchmaking::BotTarget;
use policy::Policy;
use shared::BotShared;
use worker::Worker;

pub use error::BotError;

/// What a bot is to do.
#[derive(Clone, Debug)]
pub struct BotOptions {
    /// The server.
    pub url: ServerUrl,
    /// What it calls itself.
    pub name: Name,
    /// Who thinks for it.
    pub engine_spec: EngineSpec,
    /// Who plays a game to its end when an engine fails in it; none: the game is given up.
    pub fallback_level: Option<Level>,
    /// What an engine is given.
    pub process_limits: child_process::ProcessLimits,
    /// The most time for a move; less when the clock is short.
    pub move_time: Duration,
    /// What it plays, and with whom.
    pub policy: Policy,
    /// The room to join, with one connection; none: it finds games by its policy.
    pub join: Option<RoomRef>,
    /// After so many finished games each connection leaves; none: plays on.
    pub max_games: Option<u32>,
    /// Whether those who watch its games are told what it thinks.
    pub send_remarks: bool,
    /// Lets it finish its games and begin no other.
    pub retire: CancellationToken,
    /// Ends it: it leaves its rooms first.
    pub shutdown: CancellationToken,
    /// Where to tell what an engine did wrong; what finds no place there is in the log.
    pub engine_errors: Option<mpsc::Sender<EngineError>>,
}

impl BotOptions {
    /// A bot of our own that does as its policy says until it is told to stop.
    pub fn new(url: ServerUrl, name: Name, level: Level, policy: Policy) -> BotOptions {
        BotOptions {
            url,
            name,
            engine_spec: EngineSpec::Level(level),
            fallback_level: None,
            process_limits: child_process::ProcessLimits::default(),
            move_time: DEFAULT_MOVE_TIME,
            policy,
            join: None,
            max_games: None,
            send_remarks: false,
            retire: CancellationToken::new(),
            shutdown: CancellationToken::new(),
            engine_errors: None,
        }
    }
}

/// The most games at once: what a server admits from one address.
pub const MAX_COUNT: u32 = 64;

/// A bot waits for its server longer than a person would: it may be the one who makes the server worth
/// coming back to.
const RECONNECT_TIMEOUT: Duration = Duration::from_secs(30 * 60);
/// The time for a move of a bot that was called by one key.
const DEFAULT_MOVE_TIME: Duration = Duration::from_secs(1);
/// How long it takes at least: who plays a person does not answer like an echo.
pub const DEFAULT_MIN_MOVE_TIME: Duration = Duration::from_millis(300);
/// How long [`BotHandle::stop`] waits: leaving and closing have their own limits within this.
const STOP_TIMEOUT: Duration = Duration::from_secs(4);

/// Plays until it is told to stop, has played its games, or has lost its server for good.
///
/// One failed connection does not end the others, unless none has ever come about.
///
/// # Errors
/// The first failure, when all connections have ended.
pub async fn run(options: BotOptions, threads: SearchPool) -> Result<(), BotError> {
    run_with(options, ConnectionHandle::open, Arc::new(threads)).await
}

/// The same over links of any kind and with any way to think, so that tests need no network and can do
/// the same again.
///
/// # Errors
/// The first failure, when all connections have ended.
pub async fn run_with(
    options: BotOptions,
    open: impl Fn(connection::ConnectionOptions) -> ConnectionHandle + Clone + Send + Sync + 'static,
    searcher: Arc<dyn Searcher>,
) -> Result<(), BotError> {
    let connection_options =
        connection_options(&options.url, &options.name, RetryPolicy::For(RECONNECT_TIMEOUT));
    let open = move || open(connection_options.clone());
    let policy = Arc::new(options.policy);
    let (target, behaviour, count) = match options.join {
        Some(room) => (BotTarget::Join(room), Behaviour::for_invited_bot(options.max_games), 1),
        None => {
            let count = policy.concurrent_games.clamp(1, MAX_COUNT);
            (BotTarget::Play(Arc::clone(&policy)), Behaviour::for_paired_game(options.max_games), count)
        }
    };
    let stop = options.shutdown.child_token();
    let shared = BotShared::new();
    let mut workers = JoinSet::new();
    for _ in 0..count {
        let worker = Worker {
            open: Box::new(open.clone()),
            own_name: options.name.clone(),
            target: target.clone(),
            behaviour: behaviour
                .with_max_rematches(policy.max_rematches)
                .with_min_move_time(policy.min_move_time)
                .with_remarks(options.send_remarks),
            engine_spec: options.engine_spec.clone(),
            resources: EngineResources {
                searcher: Arc::clone(&searcher),
                process_limits: options.process_limits,
            },
            fallback_level: options.fallback_level,
            move_time: options.move_time,
            retire: options.retire.clone(),
            shutdown: stop.clone(),
            shared: shared.clone(),
            engine_errors: options.engine_errors.clone(),
        };
        workers.spawn(worker.run());
    }
    let mut failure = None;
    while let Some(ended) = workers.join_next().await {
        match ended {
            Ok(Ok(())) => {}
            Ok(Err(error)) => {
                tracing::warn!(%error, "a connection ended");
                failure.get_or_insert(error);
            }
            Err(panic) => std::panic::resume_unwind(panic.into_panic()),
        }
    }
    failure.map_or(Ok(()), Err)
}

fn connection_options(url: &ServerUrl, name: &Name, retry: RetryPolicy) -> connection::ConnectionOptions {
    let hello = Hello {
        versions: [wire::VERSION; 2],
        name: name.clone(),
        kind: PlayerKind::Bot,
        client: Some(concat!("noughts-bot/", env!("CARGO_PKG_VERSION")).to_owned()),
        party: None,
    };
    connection::ConnectionOptions { url: url.clone(), hello, retry }
}

/// A bot in the background. Dropping the handle stops it, unattended.
#[derive(Debug)]
pub struct BotHandle {
    shutdown: CancellationToken,
    task: JoinHandle<Result<(), BotError>>,
}

/// Sends a bot into a room of this server; it plays, accepts rematches, and leaves when the other leaves.
pub fn spawn_in_room(url: ServerUrl, room: RoomRef, level: Level) -> BotHandle {
    let shutdown = CancellationToken::new();
    let name: Name = crate::i18n::bot_name(level).parse().expect("a short name of plain letters");
    let connection_options = connection_options(&url, &name, RetryPolicy::default());
    let worker = Worker {
        open: Box::new(move || ConnectionHandle::open(connection_options.clone())),
        own_name: name,
        target: BotTarget::Join(room),
        behaviour: Behaviour::for_invited_bot(None).with_min_move_time(DEFAULT_MIN_MOVE_TIME),
        engine_spec: EngineSpec::Level(level),
        resources: EngineResources {
            searcher: Arc::new(SearchPool::new(1)),
            process_limits: child_process::ProcessLimits::default(),
        },
        fallback_level: None,
        move_time: DEFAULT_MOVE_TIME,
        retire: CancellationToken::new(),
        shutdown: shutdown.clone(),
        shared: BotShared::new(),
        engine_errors: None,
    };
    BotHandle { shutdown, task: tokio::spawn(worker.run()) }
}

impl BotHandle {
    /// Whether it has gone by itself.
    pub fn is_finished(&self) -> bool {
        self.task.is_finished()
    }

    /// Waits until it has gone by itself, and tells why if that was not in order. May be dropped and called again.
    ///
    /// # Errors
    /// Why it could not play.
    pub async fn wait(&mut self) -> Result<(), BotError> {
        match (&mut self.task).await {
            Ok(ended) => ended,
            // A panic has ended the program already; nobody else aborts it.
            Err(_) => Ok(()),
        }
    }

    /// Tells it to leave and waits for that, within a few seconds at most.
    pub async fn stop(mut self) {
        self.shutdown.cancel();
        if tokio::time::timeout(STOP_TIMEOUT, &mut self.task).await.is_err() {
            self.task.abort();
        }
    }
}

impl Drop for BotHandle {
    fn drop(&mut self) {
        self.shutdown.cancel();
    }
}
