//! The durable log: SQLite with one writer thread. Whatever waits is committed as one group; an
//! answer goes out only after its commit.

mod archive;
mod format;
mod maintenance;
mod startup;
#[cfg(test)]
mod tests;
mod writer;

use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use futures::FutureExt;
use futures::future::{BoxFuture, ready};
use noughts_protocol::{EventRecord, RoomId, Seq};
use tokio::sync::mpsc;
use tokio::sync::mpsc::error::TrySendError;

use super::{Checkpoint, EventLog, FinishedGame, LogError, RoomSecrets, StoredRoom};
use crate::fault_injection::InjectedFaults;
use crate::sync::wake_chain::{ReplySender, WakeChain, reply_channel};
use crate::time::server_clock::ServerClock;
use crate::time::uptime::UptimeHistory;
use startup::data_dir::DataDir;
use writer::SqliteWriter;
use writer::health::WriterHealth;
use writer::job::WriterJob;

pub use archive::{ArchivedGame, GameArchive};
pub use startup::data_dir::DataDirError;

/// The most jobs that wait for the writer, and the most that one commit takes.
const MAX_BATCH_JOBS: usize = 4096;

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
pub struct SqliteOptions {
    /// What an acknowledged event survives.
    pub durability: Durability,
    /// For how long finished games are kept.
    pub keep_games: Duration,
    /// How many of them; beyond, the oldest give way.
    pub max_games: u64,
    /// What one commit may take before the log says that it is not well, and what its end may take.
    pub write_timeout: Duration,
    /// The time.
    pub time: ServerClock,
}

impl SqliteOptions {
    /// All games are kept.
    pub fn new(durability: Durability, time: ServerClock) -> SqliteOptions {
        let write_timeout = Duration::from_secs(5);
        SqliteOptions {
            durability,
            keep_games: Duration::MAX,
            max_games: u64::MAX,
            write_timeout: write_timeout,
            time,
        }
    }
}

/// A log in a directory of its own.
#[derive(Debug)]
pub struct SqliteLog {
    /// None only while it is dropped.
    jobs: Option<mpsc::Sender<WriterJob>>,
    wake_chain: Arc<WakeChain>,
    health: Arc<WriterHealth>,
    thread: Option<thread::JoinHandle<()>>,
    /// Without its other end once the thread has ended.
    ended: Mutex<Receiver<()>>,
    write_timeout: Duration,
    /// What the runs before this one noted.
    uptime: UptimeHistory,
}

impl SqliteLog {
    /// Opens the log in `directory`, which this process has for itself until the log is dropped.
    ///
    /// # Errors
    /// When the directory is in use, damaged, of a later format, or cannot be read.
    pub fn open(directory: &Path, options: SqliteOptions) -> Result<SqliteLog, DataDirError> {
        SqliteLog::open_with_faults(directory, options, InjectedFaults::NONE)
    }

    /// The same with something done wrong on purpose.
    ///
    /// # Errors
    /// As [`SqliteLog::open`].
    pub fn open_with_faults(
        directory: &Path,
        options: SqliteOptions,
        faults: InjectedFaults,
    ) -> Result<SqliteLog, DataDirError> {
        let data_dir = DataDir::open(directory, options.durability)?;
        let (write_timeout, uptime) = (options.write_timeout, data_dir.uptime());
        let health = Arc::new(WriterHealth::new(options.time.clone(), write_timeout));
        let wake_chain = Arc::default();
        let writer =
            SqliteWriter::new(data_dir, options, faults, Arc::clone(&health), Arc::clone(&wake_chain))?;
        let (jobs, job_receiver) = mpsc::channel(MAX_BATCH_JOBS);
        let (running, ended) = sync_channel(0);
        let thread = thread::Builder::new()
            .name("log".into())
            .spawn(move || {
                // Dropped behind the writer, also when that panics.
                let _running = running;
                writer.run(job_receiver);
            })
            .map_err(|error| DataDirError::Directory { path: directory.to_owned(), error })?;
        let ended = Mutex::new(ended);
        Ok(SqliteLog {
            jobs: Some(jobs),
            wake_chain,
            health,
            thread: Some(thread),
            ended,
            write_timeout,
            uptime,
        })
    }

    /// Limits the file, for a test of a disk that is full.
    #[cfg(test)]
    async fn limit_pages(&self, pages: Option<u32>) -> Result<(), LogError> {
        self.submit(move |reply| WriterJob::LimitPages(pages, reply)).await
    }

    /// What comes back is to be polled or dropped before anything else is waited for: others may be woken by it.
    fn submit<T: Send + 'static>(
        &self,
        make_job: impl FnOnce(ReplySender<T>) -> WriterJob + Send + 'static,
    ) -> BoxFuture<'_, Result<T, LogError>> {
        let (reply_sender, reply_future) = reply_channel(&self.wake_chain);
        let writer_ended = || LogError::Unavailable("the log's writer has ended".into());
        let Some(jobs) = &self.jobs else { return ready(Err(writer_ended())).boxed() };
        // Nearly always there is a place, and nothing has to be held until there is.
        match jobs.try_send(make_job(reply_sender)) {
            Ok(()) => reply_future.boxed(),
            Err(TrySendError::Closed(_)) => ready(Err(writer_ended())).boxed(),
            Err(TrySendError::Full(job)) => async move {
                jobs.send(job).await.map_err(|_| writer_ended())?;
                reply_future.await
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
        match ended.recv_timeout(self.write_timeout) {
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
    fn create(&self, secrets: RoomSecrets, events: Vec<EventRecord>) -> BoxFuture<'_, Result<(), LogError>> {
        self.submit(move |reply| WriterJob::Create(Box::new(secrets), events, reply))
    }

    fn update_secrets(&self, secrets: RoomSecrets) -> BoxFuture<'_, Result<(), LogError>> {
        self.submit(move |reply| WriterJob::UpdateSecrets(Box::new(secrets), reply))
    }

    fn append(
        &self,
        room: RoomId,
        events: Vec<EventRecord>,
        finished: Option<FinishedGame>,
    ) -> BoxFuture<'_, Result<(), LogError>> {
        self.submit(move |reply| WriterJob::Append(room, events, finished, reply))
    }

    fn checkpoint(&self, room: RoomId, checkpoint: Checkpoint) -> BoxFuture<'_, Result<(), LogError>> {
        self.submit(move |reply| WriterJob::Checkpoint(room, checkpoint, reply))
    }

    fn load(&self, room: RoomId) -> BoxFuture<'_, Result<StoredRoom, LogError>> {
        self.submit(move |reply| WriterJob::Load(room, reply))
    }

    fn events_since(&self, room: RoomId, after: Seq) -> BoxFuture<'_, Result<Vec<EventRecord>, LogError>> {
        self.submit(move |reply| WriterJob::EventsSince(room, after, reply))
    }

    fn delete(&self, room: RoomId) -> BoxFuture<'_, Result<(), LogError>> {
        self.submit(move |reply| WriterJob::Delete(room, reply))
    }

    fn recover(&self) -> BoxFuture<'_, Result<Vec<(RoomSecrets, StoredRoom)>, LogError>> {
        self.submit(WriterJob::Recover)
    }

    fn record_uptime(&self, uptime: UptimeHistory) {
        // With so much before it, the next beat says more than this one.
        if let Some(jobs) = &self.jobs
            && jobs.try_send(WriterJob::RecordUptime(uptime)).is_err()
        {
            tracing::debug!("a beat is left out");
        }
    }

    fn uptime(&self) -> UptimeHistory {
        self.uptime.clone()
    }

    fn is_healthy(&self) -> bool {
        self.health.is_healthy()
    }

    fn failed(&self) -> BoxFuture<'_, ()> {
        self.health.failure_token().cancelled().boxed()
    }
}
