//! A program at the board: an ordinary client that thinks for itself.
//!
//! It has no private door to the server. Each of its connections plays one game at a time; all of them
//! think on a few threads, which they share fairly.

mod allowance;
mod crew;
mod line;
mod manners;
pub mod policy;
mod quest;
mod table;
#[cfg(test)]
mod tests;
mod worker;

use std::sync::Arc;
use std::time::Duration;

use noughts_protocol::wire::{self, Hello, Reject};
use noughts_protocol::{Kind, Name, RoomRef};
use tokio::sync::mpsc;
use tokio::task::{JoinHandle, JoinSet};
use tokio_util::sync::CancellationToken;

use crate::connection::{self, Ended, Link, Retry};
use crate::engine::Level;
use crate::server_url::ServerUrl;
use crate::thinker::child::{self, Fault};
use crate::thinker::question::Think;
use crate::thinker::threads::Threads;
use crate::thinker::{Means, Spec};
use crew::Crew;
use manners::Manners;
use policy::Policy;
use quest::Aim;
use worker::Worker;

/// What a bot is to do.
#[derive(Clone, Debug)]
pub struct BotOptions {
    /// The server.
    pub url: ServerUrl,
    /// What it calls itself.
    pub name: Name,
    /// Who thinks for it.
    pub thinks: Spec,
    /// Who plays a game to its end when an engine fails in it; none: the game is given up.
    pub instead: Option<Level>,
    /// What an engine is given.
    pub limits: child::Limits,
    /// The most time for a move; less when the clock is short.
    pub budget: Duration,
    /// What it plays, and with whom.
    pub policy: Policy,
    /// The room to join, with one connection; none: it finds games by its policy.
    pub join: Option<RoomRef>,
    /// After so many finished games each connection leaves; none: plays on.
    pub games: Option<u32>,
    /// Whether those who watch its games are told what it thinks.
    pub tells_watchers: bool,
    /// Lets it finish its games and begin no other.
    pub retire: CancellationToken,
    /// Ends it: it leaves its rooms first.
    pub shutdown: CancellationToken,
    /// Where to tell what an engine did wrong; what finds no place there is in the log.
    pub faults: Option<mpsc::Sender<Fault>>,
}

impl BotOptions {
    /// A bot of our own that does as its policy says until it is told to stop.
    pub fn new(url: ServerUrl, name: Name, level: Level, policy: Policy) -> BotOptions {
        BotOptions {
            url,
            name,
            thinks: Spec::Level(level),
            instead: None,
            limits: child::Limits::default(),
            budget: CALLED_BUDGET,
            policy,
            join: None,
            games: None,
            tells_watchers: false,
            retire: CancellationToken::new(),
            shutdown: CancellationToken::new(),
            faults: None,
        }
    }
}

/// The most games at once: what a server admits from one address.
pub const MAX_COUNT: u32 = 64;

/// A bot waits for its server longer than a person would: it may be the one who makes the server worth
/// coming back to.
const PATIENCE: Duration = Duration::from_secs(30 * 60);
/// The time for a move of a bot that was called by one key.
const CALLED_BUDGET: Duration = Duration::from_secs(1);
/// How long it takes at least: who plays a person does not answer like an echo.
pub const PAUSE: Duration = Duration::from_millis(300);
/// How long [`BotHandle::stop`] waits: leaving and closing have their own limits within this.
const STOP_WAIT: Duration = Duration::from_secs(4);

/// Why a bot stopped before it was told to.
#[derive(Clone, Debug, thiserror::Error)]
pub enum BotError {
    /// The connection ended.
    #[error(transparent)]
    Ended(#[from] Ended),
    /// The server does not let it in: no such room, or no free seat.
    #[error("refused: {0}")]
    Refused(Reject),
    /// The engine failed in game after game.
    #[error("the engine: {0}")]
    Engine(Fault),
}

impl BotError {
    /// The exit code of a program that ends for this reason.
    pub fn exit_code(&self) -> u8 {
        match self {
            BotError::Ended(ended) => ended.exit_code(),
            BotError::Refused(_) => 4,
            BotError::Engine(_) => 1,
        }
    }
}

/// Plays until it is told to stop, has played its games, or has lost its server for good.
///
/// One failed connection does not end the others, unless none has ever come about.
///
/// # Errors
/// The first failure, when all connections have ended.
pub async fn run(options: BotOptions, threads: Threads) -> Result<(), BotError> {
    run_over(options, Link::open, Arc::new(threads)).await
}

/// The same over links of any kind and with any way to think, so that tests need no network and can do
/// the same again.
///
/// # Errors
/// The first failure, when all connections have ended.
pub async fn run_over(
    options: BotOptions,
    open: impl Fn(connection::Options) -> Link + Clone + Send + Sync + 'static,
    own: Arc<dyn Think>,
) -> Result<(), BotError> {
    let line = line(&options.url, &options.name, Retry::For(PATIENCE));
    let open = move || open(line.clone());
    let policy = Arc::new(options.policy);
    let (aim, manners, count) = match options.join {
        Some(room) => (Aim::Join(room), Manners::of_guest(options.games), 1),
        None => {
            let count = policy.count.clamp(1, MAX_COUNT);
            (Aim::Play(Arc::clone(&policy)), Manners::of_paired(options.games), count)
        }
    };
    let stop = options.shutdown.child_token();
    let crew = Crew::new();
    let mut workers = JoinSet::new();
    for _ in 0..count {
        let worker = Worker {
            open: Box::new(open.clone()),
            own: options.name.clone(),
            aim: aim.clone(),
            manners: manners
                .with_rematches(policy.rematches)
                .with_pause(policy.pause)
                .with_telling(options.tells_watchers),
            thinks: options.thinks.clone(),
            means: Means { own: Arc::clone(&own), limits: options.limits },
            instead: options.instead,
            budget: options.budget,
            retire: options.retire.clone(),
            shutdown: stop.clone(),
            crew: crew.clone(),
            faults: options.faults.clone(),
        };
        workers.spawn(worker.work());
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

fn line(url: &ServerUrl, name: &Name, retry: Retry) -> connection::Options {
    let hello = Hello {
        versions: [wire::VERSION; 2],
        name: name.clone(),
        kind: Kind::Bot,
        client: Some(concat!("noughts-bot/", env!("CARGO_PKG_VERSION")).to_owned()),
        party: None,
    };
    connection::Options { url: url.clone(), hello, retry }
}

/// A bot in the background. Dropping the handle stops it, unattended.
#[derive(Debug)]
pub struct BotHandle {
    shutdown: CancellationToken,
    task: JoinHandle<Result<(), BotError>>,
}

/// Sends a bot into a room of this server; it plays, accepts rematches, and leaves when the other leaves.
pub fn spawn_into(url: ServerUrl, room: RoomRef, level: Level) -> BotHandle {
    let shutdown = CancellationToken::new();
    let name: Name = crate::words::bot_name(level).parse().expect("a short name of plain letters");
    let line = line(&url, &name, Retry::default());
    let worker = Worker {
        open: Box::new(move || Link::open(line.clone())),
        own: name,
        aim: Aim::Join(room),
        manners: Manners::of_guest(None).with_pause(PAUSE),
        thinks: Spec::Level(level),
        means: Means { own: Arc::new(Threads::new(1)), limits: child::Limits::default() },
        instead: None,
        budget: CALLED_BUDGET,
        retire: CancellationToken::new(),
        shutdown: shutdown.clone(),
        crew: Crew::new(),
        faults: None,
    };
    BotHandle { shutdown, task: tokio::spawn(worker.work()) }
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
    pub async fn gone(&mut self) -> Result<(), BotError> {
        match (&mut self.task).await {
            Ok(ended) => ended,
            // A panic has ended the program already; nobody else aborts it.
            Err(_) => Ok(()),
        }
    }

    /// Tells it to leave and waits for that, within a few seconds at most.
    pub async fn stop(mut self) {
        self.shutdown.cancel();
        if tokio::time::timeout(STOP_WAIT, &mut self.task).await.is_err() {
            self.task.abort();
        }
    }
}

impl Drop for BotHandle {
    fn drop(&mut self) {
        self.shutdown.cancel();
    }
}
