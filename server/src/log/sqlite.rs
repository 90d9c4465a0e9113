//! The durable log: SQLite with one writer thread. Whatever waits is committed as one group; an
//! answer goes out only after its commit.

mod answer;
mod archive;
mod expiry;
mod group;
mod health;
mod ledger;
mod lock;
mod migrate;
mod pace;
mod recover;
mod row;
mod schema;
mod step;
mod sweep;
#[cfg(test)]
mod tests;
mod wal;
mod work;
mod writer;

use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use futures::FutureExt;
use futures::future::{BoxFuture, ready};
use noughts_protocol::{RoomId, Seq, Stamped};
use tokio::sync::mpsc;
use tokio::sync::mpsc::error::TrySendError;

use super::{EventLog, Finished, Founding, Image, LogError, Stored};
use crate::fault::Faults;
use crate::lived::Lived;
use crate::time::Time;
use answer::{Answer, Sleepers};
use health::Health;
use schema::Store;
use work::Work;
use writer::Writer;

pub use archive::{Archive, Kept};
pub use schema::OpenError;

/// The most jobs that wait for the writer, and the most that one commit takes.
const GROUP: usize = 4096;

/// What an acknowledged event survives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Durability {
    /// A power cut, as far as the disk honours fsync: every commit waits for it.
    Power,
    /// The end of the process, also by kill -9; a power cut may cost the last seconds.
    Process,
}

impl Durability {
    fn synchronous(self) -> &'static str {
        match self {
            Durability::Power => "full",
            Durability::Process => "normal",
        }
    }
}

/// How a log is kept.
#[derive(Clone, Debug)]
pub struct Options {
    /// What an acknowledged event survives.
    pub durability: Durability,
    /// For how long finished games are kept.
    pub keep_games: Duration,
    /// How many of them; beyond, the oldest give way.
    pub max_games: u64,
    /// What one commit may take before the log says that it is not well, and what its end may take.
    pub patience: Duration,
    /// The time.
    pub time: Time,
}

impl Options {
    /// All games are kept.
    pub fn new(durability: Durability, time: Time) -> Options {
        let patience = Duration::from_secs(5);
        Options { durability, keep_games: Duration::MAX, max_games: u64::MAX, patience, time }
    }
}

/// A log in a directory of its own.
#[derive(Debug)]
pub struct SqliteLog {
    /// None only while it is dropped.
    jobs: Option<mpsc::Sender<Work>>,
    sleepers: Arc<Sleepers>,
    health: Arc<Health>,
    thread: Option<thread::JoinHandle<()>>,
    /// Without its other end once the thread has ended.
    ended: Mutex<Receiver<()>>,
    patience: Duration,
    /// What the runs before this one noted.
    lived: Lived,
}

impl SqliteLog {
    /// Opens the log in `directory`, which this process has for itself until the log is dropped.
    ///
    /// # Errors
    /// When the directory is in use, damaged, of a later format, or cannot be read.
    pub fn open(directory: &Path, options: Options) -> Result<SqliteLog, OpenError> {
        SqliteLog::open_with(directory, options, Faults::NONE)
    }

    /// The same with something done wrong on purpose.
    ///
    /// # Errors
    /// As [`SqliteLog::open`].
    pub fn open_with(directory: &Path, options: Options, faults: Faults) -> Result<SqliteLog, OpenError> {
        let store = Store::open(directory, options.durability)?;
        let (patience, lived) = (options.patience, store.lived());
        let health = Arc::new(Health::new(options.time.clone(), patience));
        let sleepers = Arc::default();
        let writer = Writer::new(store, options, faults, Arc::clone(&health), Arc::clone(&sleepers))?;
        let (jobs, waiting) = mpsc::channel(GROUP);
        let (runs, ended) = sync_channel(0);
        let thread = thread::Builder::new()
            .name("log".into())
            .spawn(move || {
                // Dropped behind the writer, also when that panics.
                let _runs = runs;
                writer.run(waiting);
            })
            .map_err(|error| OpenError::Directory { path: directory.to_owned(), error })?;
        let ended = Mutex::new(ended);
        Ok(SqliteLog { jobs: Some(jobs), sleepers, health, thread: Some(thread), ended, patience, lived })
    }

    /// Limits the file, for a test of a disk that is full.
    #[cfg(test)]
    async fn limit_pages(&self, pages: Option<u32>) -> Result<(), LogError> {
        self.ask(move |answer| Work::LimitPages(pages, answer)).await
    }

    /// What comes back is to be polled or dropped before anything else is waited for: others may be woken by it.
    fn ask<T: Send + 'static>(
        &self,
        work: impl FnOnce(Answer<T>) -> Work + Send + 'static,
    ) -> BoxFuture<'_, Result<T, LogError>> {
        let (answer, answered) = answer::answer(&self.sleepers);
        let gone = || LogError::Unavailable("the log's writer has ended".into());
        let Some(jobs) = &self.jobs else { return ready(Err(gone())).boxed() };
        // Nearly always there is a place, and nothing has to be held until there is.
        match jobs.try_send(work(answer)) {
            Ok(()) => answered.boxed(),
            Err(TrySendError::Closed(_)) => ready(Err(gone())).boxed(),
            Err(TrySendError::Full(work)) => async move {
                jobs.send(work).await.map_err(|_| gone())?;
                answered.await
            }
            .boxed(),
        }
    }
}

impl Drop for SqliteLog {
    /// Waits for the writer to finish what it has, and to close the file; not for ever, since a disk that
    /// hangs would keep the process. What was acknowledged is in the file, closed or not.
    fn drop(&mut self) {
        // With the last sender gone the writer ends by itself.
        self.jobs = None;
        let Some(thread) = self.thread.take() else { return };
        let ended = self.ended.get_mut().unwrap_or_else(PoisonError::into_inner);
        match ended.recv_timeout(self.patience) {
            Ok(()) | Err(RecvTimeoutError::Disconnected) => {
                if thread.join().is_err() {
                    tracing::error!("the log's writer ended in a panic");
                }
            }
            Err(RecvTimeoutError::Timeout) => {
                tracing::error!("the disk hangs; the log is left as after a kill");
            }
        }
    }
}

impl EventLog for SqliteLog {
    fn create(&self, founding: Founding, events: Vec<Stamped>) -> BoxFuture<'_, Result<(), LogError>> {
        self.ask(move |answer| Work::Create(Box::new(founding), events, answer))
    }

    fn hold(&self, founding: Founding) -> BoxFuture<'_, Result<(), LogError>> {
        self.ask(move |answer| Work::Hold(Box::new(founding), answer))
    }

    fn append(
        &self,
        room: RoomId,
        events: Vec<Stamped>,
        finished: Option<Finished>,
    ) -> BoxFuture<'_, Result<(), LogError>> {
        self.ask(move |answer| Work::Append(room, events, finished, answer))
    }

    fn keep(&self, room: RoomId, image: Image) -> BoxFuture<'_, Result<(), LogError>> {
        self.ask(move |answer| Work::Keep(room, image, answer))
    }

    fn load(&self, room: RoomId) -> BoxFuture<'_, Result<Stored, LogError>> {
        self.ask(move |answer| Work::Load(room, answer))
    }

    fn since(&self, room: RoomId, after: Seq) -> BoxFuture<'_, Result<Vec<Stamped>, LogError>> {
        self.ask(move |answer| Work::Since(room, after, answer))
    }

    fn retire(&self, room: RoomId) -> BoxFuture<'_, Result<(), LogError>> {
        self.ask(move |answer| Work::Retire(room, answer))
    }

    fn recover(&self) -> BoxFuture<'_, Result<Vec<(Founding, Stored)>, LogError>> {
        self.ask(Work::Recover)
    }

    fn beat(&self, lived: Lived) {
        // With so much before it, the next beat says more than this one.
        if let Some(jobs) = &self.jobs
            && jobs.try_send(Work::Beat(lived)).is_err()
        {
            tracing::debug!("a beat is left out");
        }
    }

    fn lived(&self) -> Lived {
        self.lived.clone()
    }

    fn healthy(&self) -> bool {
        self.health.is_good()
    }

    fn broken(&self) -> BoxFuture<'_, ()> {
        self.health.broken().cancelled().boxed()
    }
}
