//! The durable log: an SQLite database with one writer thread.
//!
//! [`SqliteLog`] sends jobs to the writer, which commits all waiting jobs as one group and replies after the commit.
//! The rows are described in `rows`, the checks before the first job in `data_dir`.

mod archive;
mod archive_queries;
mod archive_reader;
mod check;
mod data_dir;
#[cfg(feature = "cluster")]
mod data_dir_writer;
mod data_files;
mod game_index;
mod maintenance;
mod room_index;
mod rows;
#[cfg(test)]
mod tests;
mod writer;

use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread;
use std::time::Duration;

use futures::FutureExt;
use futures::future::{BoxFuture, ready};
use prometheus_client::registry::Registry;

#[cfg(test)]
use super::LogError;
use super::{EventLog, LogOp, LogResult, StoreStats};
use crate::runtime::sync::lock;
use crate::store::writer::{JobQueue, WriterHealth, writer_ended};
use data_dir::DataDir;
use writer::SqliteWriter;
use writer::group_commit::CommitHistograms;

pub(crate) use archive::{ArchivedGame, DamagedGames, GameArchive};
pub(crate) use archive_queries::{ArchiveQuery, ArchiveResponse};
pub(crate) use archive_reader::ArchiveQueryError;
pub use archive_reader::ArchiveReader;
pub(crate) use check::BackupFile;
pub(crate) use check::{CheckHooks, DataSummary, check_data};
#[cfg(feature = "cluster")]
pub(crate) use data_dir_writer::{DataDirWriter, StreamPosition};
pub use data_files::DataDirError;
pub(crate) use data_files::ImportMark;
pub use data_files::{Durability, SqliteOptions};

/// A log in a data directory.
#[derive(Debug)]
pub struct SqliteLog {
    /// `None` only during drop.
    archive_reader: Option<ArchiveReader>,
    /// `None` only during drop.
    jobs: Option<JobQueue>,
    health: Arc<WriterHealth>,
    thread: Option<thread::JoinHandle<()>>,
    /// Disconnected when the thread has ended.
    ended: Mutex<Receiver<()>>,
    write_timeout: Duration,
    /// Written by the writer once per second.
    stats: Arc<Mutex<StoreStats>>,
    histograms: CommitHistograms,
    previous_stop: Option<u64>,
    /// Time when this run began to stop, for the writer. Set at most once.
    stop: Arc<OnceLock<u64>>,
}

impl SqliteLog {
    /// Opens the log in `directory`, and locks the directory until the log is dropped.
    ///
    /// # Errors
    /// If the directory is in use or cannot be read, or if the data is corrupt or of another format.
    pub fn open(directory: &Path, options: SqliteOptions) -> Result<SqliteLog, DataDirError> {
        let data_dir = DataDir::open(directory, &options)?;
        let (write_timeout, previous_stop) = (options.write_timeout, data_dir.previous_stop());
        let stop = Arc::default();
        let health = Arc::new(WriterHealth::new(options.time.clone(), write_timeout));
        let (jobs, job_receiver) = JobQueue::new();
        let histograms = CommitHistograms::default();
        let writer_health = Arc::clone(&health);
        let writer = SqliteWriter::new(
            data_dir,
            options,
            writer_health,
            Arc::clone(&stop),
            histograms.clone(),
        )?;
        let stats = writer.stats();
        let (running, ended) = sync_channel(0);
        let thread = thread::Builder::new()
            .name("log".into())
            .spawn(move || {
                // The value is dropped after the writer, even if the writer panics.
                let _running = running;
                writer.run(job_receiver);
            })
            .map_err(|error| DataDirError::Directory {
                path: directory.to_owned(),
                error,
            })?;
        let ended = Mutex::new(ended);
        let archive_reader =
            ArchiveReader::start(directory.to_owned(), write_timeout).map_err(|error| {
                DataDirError::Directory {
                    path: directory.to_owned(),
                    error,
                }
            })?;
        Ok(SqliteLog {
            archive_reader: Some(archive_reader),
            jobs: Some(jobs),
            health,
            thread: Some(thread),
            ended,
            write_timeout,
            stats,
            histograms,
            previous_stop,
            stop,
        })
    }

    /// Limits the size of the file, to simulate a full disk.
    #[cfg(test)]
    async fn limit_pages(&self, pages: Option<u32>) -> Result<(), LogError> {
        self.submit(LogOp::LimitPages(pages)).await.map(|_| ())
    }
}

impl Drop for SqliteLog {
    /// Waits until the writer has executed its jobs and closed the file. Waits at most the write timeout for the reader
    /// of finished games and again for the writer, because a disk may hang. Acknowledged events are in the file in any
    /// case.
    fn drop(&mut self) {
        // The reader ends first, because the writer can close the file cleanly only as its last user.
        self.archive_reader = None;
        // The writer ends when the last sender is dropped.
        self.jobs = None;
        let Some(thread) = self.thread.take() else {
            return;
        };
        let ended = self.ended.get_mut().unwrap_or_else(PoisonError::into_inner);
        match ended.recv_timeout(self.write_timeout) {
            Ok(()) | Err(RecvTimeoutError::Disconnected) => {
                if thread.join().is_err() {
                    tracing::error!("log writer panicked");
                }
            }
            Err(RecvTimeoutError::Timeout) => {
                tracing::error!("writer did not stop in time; skipping clean shutdown");
            }
        }
    }
}

impl EventLog for SqliteLog {
    fn submit(&self, op: LogOp) -> BoxFuture<'_, LogResult> {
        match &self.jobs {
            Some(jobs) => jobs.submit(op),
            None => ready(Err(writer_ended())).boxed(),
        }
    }

    fn archive_reader(&self) -> Option<&ArchiveReader> {
        self.archive_reader.as_ref()
    }

    fn register_histograms(&self, registry: &mut Registry) {
        self.histograms.register(registry);
    }

    fn record_stop(&self, at: u64) {
        self.stop.get_or_init(|| at);
    }

    fn previous_stop(&self) -> Option<u64> {
        self.previous_stop
    }

    fn writer_steps(&self) -> Option<u64> {
        Some(self.health.step_count())
    }

    fn is_healthy(&self) -> bool {
        self.health.is_healthy()
    }

    fn stats(&self) -> StoreStats {
        *lock(&self.stats)
    }

    fn failed(&self) -> BoxFuture<'_, ()> {
        self.health.failure_token().cancelled().boxed()
    }
}
