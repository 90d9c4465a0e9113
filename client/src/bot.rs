//! Bot: a client that plays an engine's moves.
//!
//! A bot uses the same protocol as every other client and has no private access to the server. Each of its connections
//! is a `worker` that plays one game at a time; all workers share one search pool.

mod behaviour;
mod bot_connection;
mod error;
mod game;
mod matchmaking;
pub(crate) mod policy;
mod shared;
#[cfg(test)]
mod tests;
mod worker;

use std::sync::Arc;
use std::time::Duration;

use noughts_protocol::wire::{self, FeatureSet, Hello};
use noughts_protocol::{IdentitySecret, Name, PlayerKind, RoomRef};
use tokio::sync::mpsc;
use tokio::task::{JoinHandle, JoinSet};
use tokio_util::sync::CancellationToken;

use crate::connection::server_url::ServerUrl;
use crate::connection::{self, ConnectionHandle, RetryPolicy};
use crate::engine::Level;
use crate::engines::player_engine::SearchPool;
use crate::engines::player_engine::Searcher;
use crate::engines::player_engine::child_process;
use crate::engines::player_engine::{EngineResources, EngineSpec};
use behaviour::Behaviour;
use matchmaking::BotTarget;
use policy::Policy;
use shared::BotShared;
use worker::Worker;

pub use error::BotError;
pub(crate) use game::BotGameResult;
pub(crate) use worker::BotReport;

/// Options of a bot.
#[derive(Clone, Debug)]
pub struct BotOptions {
    pub url: ServerUrl,
    /// Name shown to other players.
    pub name: Name,
    /// The secret that shows the server who the bot is; `None` for a guest.
    pub identity_secret: Option<IdentitySecret>,
    /// Engine that chooses the moves.
    pub engine_spec: EngineSpec,
    /// Limits of an external engine.
    pub process_limits: child_process::ProcessLimits,
    /// Maximum time for a move; less when little time is left on the clock.
    pub move_time: Duration,
    /// Games and opponents that the bot accepts.
    pub policy: Policy,
    /// Room to join, with one connection. `None` finds games by the policy.
    pub join: Option<RoomRef>,
    /// Number of games that each connection finishes before it ends; `None` for no limit.
    pub max_games: Option<u32>,
    /// Whether to send evaluations to spectators.
    pub send_remarks: bool,
    /// When cancelled, the bot finishes the running games and starts no others.
    pub retire: CancellationToken,
    /// When cancelled, the bot leaves all rooms and ends.
    pub shutdown: CancellationToken,
    /// Receives results and failures. A report that does not fit into the channel is dropped.
    pub reports: Option<mpsc::Sender<BotReport>>,
}

impl BotOptions {
    /// Creates options for a bot that uses the built-in search and plays by `policy` until shut down.
    pub fn new(url: ServerUrl, name: Name, level: Level, policy: Policy) -> BotOptions {
        BotOptions {
            url,
            name,
            identity_secret: None,
            engine_spec: EngineSpec::Level(level),
            process_limits: child_process::ProcessLimits::default(),
            move_time: DEFAULT_MOVE_TIME,
            policy,
            join: None,
            max_games: None,
            send_remarks: false,
            retire: CancellationToken::new(),
            shutdown: CancellationToken::new(),
            reports: None,
        }
    }
}

/// Maximum number of concurrent games: the default number of connections that a server accepts from one address.
pub(crate) const MAX_CONCURRENT_GAMES: u32 = 64;

/// Timeout for reconnecting. It is longer than for a person, because a bot runs unattended and should survive a server
/// restart.
const RECONNECT_TIMEOUT: Duration = Duration::from_secs(30 * 60);
/// Time per move of a bot that a user has invited into a room.
const DEFAULT_MOVE_TIME: Duration = Duration::from_secs(1);
/// Default minimum time for a move against a person, so that the person can follow the moves.
pub(crate) const DEFAULT_MIN_MOVE_TIME: Duration = Duration::from_millis(300);
/// Timeout for [`BotHandle::stop`]. Covers the timeouts for leaving the room and closing the connection.
const STOP_TIMEOUT: Duration = Duration::from_secs(4);

/// Runs a bot until it is shut down, has played all its games, or has lost the server for good.
///
/// A failed connection ends the others only if no connection has ever succeeded.
///
/// # Errors
/// Returns the first failure after all connections have ended.
pub(crate) async fn run(options: BotOptions, threads: SearchPool) -> Result<(), BotError> {
    run_with(options, ConnectionHandle::open, Arc::new(threads)).await
}

/// Runs a bot with these connections and this search, so that tests are reproducible and need no network.
///
/// # Errors
/// Returns the first failure after all connections have ended.
pub async fn run_with(
    options: BotOptions,
    open: impl Fn(connection::ConnectionOptions) -> ConnectionHandle + Clone + Send + Sync + 'static,
    searcher: Arc<dyn Searcher>,
) -> Result<(), BotError> {
    let mut connection_options = connection_options(
        &options.url,
        &options.name,
        RetryPolicy::For(RECONNECT_TIMEOUT),
    );
    connection_options.hello.identity_secret = options.identity_secret;
    let open = move || open(connection_options.clone());
    let policy = Arc::new(options.policy);
    let (target, behaviour, count) = match options.join {
        Some(room) => (
            BotTarget::Join(room),
            Behaviour::for_invited_bot(options.max_games),
            1,
        ),
        None => {
            let count = policy.concurrent_games.clamp(1, MAX_CONCURRENT_GAMES);
            (
                BotTarget::Play(Arc::clone(&policy)),
                Behaviour::for_paired_game(options.max_games),
                count,
            )
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
                .with_min_move_time(policy.min_move_time)
                .with_remarks(options.send_remarks),
            engine_spec: options.engine_spec.clone(),
            resources: EngineResources {
                searcher: Arc::clone(&searcher),
                process_limits: options.process_limits,
            },
            move_time: options.move_time,
            retire: options.retire.clone(),
            shutdown: stop.clone(),
            shared: shared.clone(),
            reports: options.reports.clone(),
        };
        workers.spawn(worker.run());
    }
    let mut failure = None;
    while let Some(ended) = workers.join_next().await {
        match ended {
            Ok(Ok(())) => {}
            Ok(Err(error)) => {
                tracing::warn!(%error, "bot connection failed");
                failure.get_or_insert(error);
            }
            Err(panic) => std::panic::resume_unwind(panic.into_panic()),
        }
    }
    failure.map_or(Ok(()), Err)
}

fn connection_options(
    url: &ServerUrl,
    name: &Name,
    retry: RetryPolicy,
) -> connection::ConnectionOptions {
    let hello = Hello {
        versions: [wire::VERSION; 2],
        name: name.clone(),
        kind: PlayerKind::Bot,
        client: Some(concat!("noughts-bot/", env!("CARGO_PKG_VERSION")).to_owned()),
        party: None,
        identity_secret: None,
        wants: FeatureSet::default(),
    };
    connection::ConnectionOptions {
        url: url.clone(),
        hello,
        retry,
    }
}

/// Handle to a bot that runs in the background. Dropping the handle stops the bot without waiting for its end.
#[derive(Debug)]
pub(crate) struct BotHandle {
    shutdown: CancellationToken,
    task: JoinHandle<Result<(), BotError>>,
}

/// Spawns a bot that joins a room, plays, accepts rematches, and leaves when the opponent leaves.
pub(crate) fn spawn_in_room(url: ServerUrl, room: RoomRef, level: Level) -> BotHandle {
    let shutdown = CancellationToken::new();
    let name: Name = crate::i18n::bot_name(level)
        .parse()
        .expect("the names of all levels are valid");
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
        move_time: DEFAULT_MOVE_TIME,
        retire: CancellationToken::new(),
        shutdown: shutdown.clone(),
        shared: BotShared::new(),
        reports: None,
    };
    BotHandle {
        shutdown,
        task: tokio::spawn(worker.run()),
    }
}

impl BotHandle {
    /// Waits until the bot ends for a reason of its own. Cancel safe.
    ///
    /// # Errors
    /// Returns why the bot could not play.
    pub(crate) async fn wait(&mut self) -> Result<(), BotError> {
        match (&mut self.task).await {
            Ok(ended) => ended,
            // Only `stop` aborts the task, and a panic of the task ends the program.
            Err(_) => Ok(()),
        }
    }

    /// Makes the bot leave its room, and waits at most [`STOP_TIMEOUT`] for its end.
    pub(crate) async fn stop(mut self) {
        self.shutdown.cancel();
        if tokio::time::timeout(STOP_TIMEOUT, &mut self.task)
            .await
            .is_err()
        {
            self.task.abort();
        }
    }
}

impl Drop for BotHandle {
    fn drop(&mut self) {
        self.shutdown.cancel();
    }
}
