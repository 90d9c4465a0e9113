//! A program at the board: an ordinary client that thinks for itself.
//!
//! It has no private door to the server. Each of its connections plays one game at a time, and thinks on a
//! thread of its own, so that the games do not wait for each other.

mod allowance;
mod line;
mod manners;
mod mind;
mod table;
#[cfg(test)]
mod tests;
mod worker;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use noughts_protocol::wire::{self, Hello, Reject};
use noughts_protocol::{Kind, Name, RoomRef, Rules, TimeControl};
use tokio::sync::Semaphore;
use tokio::task::{JoinHandle, JoinSet};
use tokio_util::sync::CancellationToken;

use crate::connection::{self, Ended, Link, Retry};
use crate::engine::Level;
use crate::server_url::ServerUrl;
use manners::Manners;
pub use mind::{OnThread, Question, Think};
use worker::{Aim, Worker};

/// What a bot is to do.
#[derive(Clone, Debug)]
pub struct BotOptions {
    /// The server.
    pub url: ServerUrl,
    /// What it calls itself.
    pub name: Name,
    /// How strong it plays.
    pub level: Level,
    /// The most time for a move; less when the clock is short.
    pub budget: Duration,
    /// How many games at once, each on its own connection: 1 to [`MAX_COUNT`]. A room to join takes one.
    pub count: u32,
    /// The room to join; none: to be paired with whoever wants the same game.
    pub join: Option<RoomRef>,
    /// What to play when paired.
    pub rules: Rules,
    /// The time control to be paired with.
    pub clock: Option<TimeControl>,
    /// After so many finished games each connection leaves; none: plays on.
    pub games: Option<u32>,
    /// Ends it: it leaves its rooms first.
    pub shutdown: CancellationToken,
}

/// The most games at once: what a server admits from one address.
pub const MAX_COUNT: u32 = 64;

/// A bot waits for its server longer than a person would: it may be the one who makes the server worth
/// coming back to.
const PATIENCE: Duration = Duration::from_secs(30 * 60);
/// The time for a move of a bot that was called by one key.
const CALLED_BUDGET: Duration = Duration::from_secs(1);
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
}

impl BotError {
    /// The exit code of a program that ends for this reason.
    pub fn exit_code(&self) -> u8 {
        match self {
            BotError::Ended(ended) => ended.exit_code(),
            BotError::Refused(_) => 4,
        }
    }
}

/// Plays until it is told to stop, has played its games, or has lost its server for good.
///
/// One failed connection does not end the others, unless none has ever come about.
///
/// # Errors
/// The first failure, when all connections have ended.
pub async fn run(options: BotOptions) -> Result<(), BotError> {
    run_over(options, Link::open, Arc::new(OnThread)).await
}

/// The same over links of any kind and with any way to think, so that tests need no network and can do
/// the same again.
///
/// # Errors
/// The first failure, when all connections have ended.
pub async fn run_over(
    options: BotOptions,
    open: impl Fn(connection::Options) -> Link + Clone + Send + Sync + 'static,
    mind: Arc<dyn Think>,
) -> Result<(), BotError> {
    let line = line(&options.url, &options.name, Retry::For(PATIENCE));
    let open = move || open(line.clone());
    let (aim, manners, count) = match options.join {
        Some(room) => (Aim::Join(room), Manners::of_guest(options.games), 1),
        None => {
            let aim = Aim::Seek { rules: options.rules, clock: options.clock };
            (aim, Manners::of_paired(options.games), options.count.clamp(1, MAX_COUNT))
        }
    };
    let stop = options.shutdown.child_token();
    let turn_to_seek = Arc::new(Semaphore::new(1));
    let welcomed = Arc::new(AtomicBool::new(false));
    let mut workers = JoinSet::new();
    for _ in 0..count {
        let worker = Worker {
            open: Box::new(open.clone()),
            aim,
            manners,
            mind: Arc::clone(&mind),
            level: options.level,
            budget: options.budget,
            shutdown: stop.clone(),
            turn_to_seek: Arc::clone(&turn_to_seek),
            welcomed: Arc::clone(&welcomed),
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
    let name = crate::words::bot_name(level).parse().expect("a short name of plain letters");
    let line = line(&url, &name, Retry::default());
    let worker = Worker {
        open: Box::new(move || Link::open(line.clone())),
        aim: Aim::Join(room),
        manners: Manners::of_guest(None),
        mind: Arc::new(OnThread),
        level,
        budget: CALLED_BUDGET,
        shutdown: shutdown.clone(),
        turn_to_seek: Arc::new(Semaphore::new(1)),
        welcomed: Arc::default(),
    };
    BotHandle { shutdown, task: tokio::spawn(worker.work()) }
}

impl BotHandle {
    /// Whether it has gone by itself.
    pub fn is_finished(&self) -> bool {
        self.task.is_finished()
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
