//! The writer thread: executes all waiting jobs in one transaction, commits it, and replies.
//!
//! Owns the connection to the database file. Replies only after the commit. Runs maintenance while it is idle.

pub(super) mod commit_histograms;
mod execute;
mod group_commit;
mod transaction;
mod upkeep;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;
use std::vec::Drain;

use noughts_protocol::Seq;
use rusqlite::ffi;
use tokio::sync::mpsc;
use tokio::time::{Instant, timeout};
use tracing::{error, warn};

use crate::runtime::time::server_clock::ServerClock;
use crate::store::sqlite::error::{DataDirError, is_disk_full};
use crate::store::sqlite::format::commit_row::CommitRowBuilder;
use crate::store::sqlite::format::room_index::{OpenRoom, RoomIndex};
use crate::store::sqlite::maintenance::compaction::Compactor;
use crate::store::sqlite::maintenance::retention::Retention;
use crate::store::sqlite::maintenance::wal_monitor::WalMonitor;
use crate::store::sqlite::options::SqliteOptions;
use crate::store::sqlite::startup::data_dir::DataDir;
use crate::store::sqlite::startup::file_watch::DataFileWatch;
use crate::store::sqlite::startup::recovery::{self, RecoveredRoom};
use crate::store::sqlite::writer::commit_histograms::{CommitHistograms, CommitSample};
use crate::store::sqlite::writer::group_commit::{FULL_BATCH, GroupCommitDelay};
use crate::store::writer::health::WriterHealth;
use crate::store::writer::job::{DeferredReply, MAX_BATCH_JOBS, WriterJob};
use crate::store::{LogError, RoomSecrets, StoreStats, StoredRoom};
use execute::GroupTransaction;
use transaction::in_transaction;

/// Idle time after which maintenance runs.
const IDLE_BEFORE_MAINTENANCE: Duration = Duration::from_millis(500);

/// Time between two runs of maintenance while the writer is busy.
const MAINTENANCE_INTERVAL: Duration = Duration::from_secs(5);

/// Time between two checks of whether the files of the data are at their paths.
const FILE_CHECK_INTERVAL: Duration = Duration::from_secs(1);

/// Excess games that are deleted for each new one.
const EVICTIONS_PER_GAME: i64 = 4;

pub(super) struct SqliteWriter {
    data_dir: DataDir,
    index: RoomIndex,
    /// The open rooms at the start, until they are requested.
    recovered: Vec<(RoomSecrets, StoredRoom)>,
    health: Arc<WriterHealth>,
    /// Row of the current group. Its buffer is reused.
    commit_row: CommitRowBuilder,
    compactor: Compactor,
    retention: Retention,
    needs_wal_checkpoint: bool,
    wal_monitor: WalMonitor,
    time: ServerClock,
    file_watch: DataFileWatch,
    stats: Arc<Mutex<StoreStats>>,
    histograms: CommitHistograms,
    /// Time at which the server began to stop.
    stop: Arc<OnceLock<u64>>,
}

impl SqliteWriter {
    /// Reads the open rooms, and records that the data is in use.
    pub(super) fn new(
        data_dir: DataDir,
        options: SqliteOptions,
        health: Arc<WriterHealth>,
        stop: Arc<OnceLock<u64>>,
        histograms: CommitHistograms,
    ) -> Result<SqliteWriter, DataDirError> {
        let mut rooms = HashMap::new();
        let mut recovered = Vec::new();
        let (recovered_rooms, extent) = recovery::load_open_rooms(&data_dir.connection)?;
        for RecoveredRoom {
            secrets,
            created_row,
            bytes,
            stored,
        } in recovered_rooms
        {
            let checkpoint_seq = stored
                .checkpoint
                .as_ref()
                .map_or(Seq::ZERO, |checkpoint| checkpoint.seq);
            let open = OpenRoom {
                last_seq: stored.last_seq(),
                checkpoint_seq,
                created_row,
                last_row: created_row,
                bytes,
            };
            rooms.insert(secrets.room, open);
            recovered.push((secrets, stored));
        }
        let next_game_id = data_dir.connection.query_row(
            "SELECT coalesce(max(id), 0) + 1 FROM games",
            [],
            |row| row.get(0),
        )?;
        let index = RoomIndex::new(rooms, extent, next_game_id);
        let (time, wal_monitor) = (
            options.time.clone(),
            WalMonitor::new(options.wal_warning_bytes),
        );
        let retention = Retention::new(&data_dir.connection, options)?;
        let (commit_row, compactor) = (CommitRowBuilder::default(), Compactor::default());
        let file_watch = DataFileWatch::default();
        let mut writer = SqliteWriter {
            data_dir,
            index,
            recovered,
            health,
            commit_row,
            compactor,
            retention,
            needs_wal_checkpoint: true,
            wal_monitor,
            time,
            file_watch,
            stats: Arc::default(),
            histograms,
            stop,
        };
        match writer.begin_use() {
            Ok(()) => {}
            Err(failed) if is_disk_full(&failed) => {
                warn!(
                    "disk is full: rooms can be watched, and moves are rejected until there is space"
                );
                writer.health.set_writable(false);
            }
            Err(failed) => return Err(failed.into()),
        }
        // The write-ahead log and its index exist as soon as the file has been read.
        writer.file_watch = writer.data_dir.watch_files()?;
        Ok(writer)
    }

    /// State for metrics, which the writer keeps up to date.
    pub(super) fn stats(&self) -> Arc<Mutex<StoreStats>> {
        Arc::clone(&self.stats)
    }

    pub(super) fn run(mut self, mut jobs: mpsc::Receiver<WriterJob>) {
        let runtime = match tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build()
        {
            Ok(runtime) => runtime,
            Err(failed) => {
                self.health.fail_permanently();
                return error!(error = %failed, "cannot start log writer");
            }
        };
        let health = Arc::clone(&self.health);
        let _panic_guard = health.fail_on_panic();
        runtime.block_on(async {
            let mut batch = Vec::new();
            let mut last_maintenance = Instant::now();
            let mut last_file_check = last_maintenance;
            let mut commit_delay = GroupCommitDelay::new(last_maintenance);
            // Time at which the writer was last known to have executed all jobs.
            let mut was_idle_at = last_maintenance;
            loop {
                let queued_since = (!jobs.is_empty()).then_some(was_idle_at);
                health.count_step();
                let idle = match timeout(
                    IDLE_BEFORE_MAINTENANCE,
                    jobs.recv_many(&mut batch, MAX_BATCH_JOBS),
                )
                .await
                {
                    Ok(0) => return,
                    Ok(_) => {
                        let busy_guard = health.mark_busy();
                        let (began, job_count) = (Instant::now(), batch.len());
                        was_idle_at = began;
                        commit_delay.on_begin(began, &batch, &self.index);
                        self.commit(batch.drain(..));
                        drop(busy_guard);
                        let ended = Instant::now();
                        let delay = commit_delay.on_end(ended);
                        self.histograms.record_commit(CommitSample {
                            job_count,
                            queue_wait: queued_since.map_or(Duration::ZERO, |since| began - since),
                            elapsed: ended - began,
                        });
                        if !jobs.is_closed() && jobs.len() < FULL_BATCH as usize {
                            sleep(delay);
                        }
                        false
                    }
                    Err(_) => true,
                };
                if last_file_check.elapsed() >= FILE_CHECK_INTERVAL {
                    self.check_files();
                    self.update_stats();
                    last_file_check = Instant::now();
                }
                // Also at intervals, for a writer that is never idle.
                if !health.failure_token().is_cancelled()
                    && (idle || last_maintenance.elapsed() >= MAINTENANCE_INTERVAL)
                {
                    if idle {
                        was_idle_at = Instant::now();
                    }
                    // While the writer is idle, deletions go on until the next job arrives.
                    loop {
                        health.count_step();
                        let busy_guard = health.mark_busy();
                        let has_more_work = self.run_maintenance();
                        drop(busy_guard);
                        if !has_more_work || !idle || !jobs.is_empty() || jobs.is_closed() {
                            break;
                        }
                    }
                    last_maintenance = Instant::now();
                }
                if health.failure_token().is_cancelled() {
                    return;
                }
            }
        });
        self.close();
    }

    fn close(mut self) {
        if self.health.failure_token().is_cancelled() {
            // The contents of the disk are unknown: the write-ahead log is not moved into the file.
            return;
        }
        if let Err(failed) = self
            .retention
            .store_observed_time(&self.data_dir.connection)
        {
            warn!(error = %failed, "cannot store observed time");
        }
        match self.data_dir.mark_closed(self.stop.get().copied()) {
            Ok(()) => {
                self.wal_checkpoint("TRUNCATE");
            }
            Err(failed) => warn!(error = %failed, "cannot write lock file"),
        }
    }

    /// Executes a group of jobs in one transaction, and replies to all of them.
    fn commit(&mut self, jobs: Drain<'_, WriterJob>) {
        let mut replies: Vec<DeferredReply> = Vec::new();
        let result = self.try_commit(jobs, &mut replies);
        let failed = self.handle_commit_result(result);
        for reply in replies {
            reply(failed.clone());
        }
    }

    /// Updates index and health after a transaction. Returns the error for the replies.
    fn handle_commit_result(&mut self, result: rusqlite::Result<()>) -> Option<LogError> {
        match result {
            Ok(()) => {
                if self.index.on_commit() {
                    // A commit that wrote nothing does not prove that the disk accepts writes.
                    self.health.set_writable(true);
                }
                None
            }
            Err(failed) => {
                self.index.roll_back();
                Some(self.on_write_error(&failed))
            }
        }
    }

    fn try_commit(
        &mut self,
        jobs: Drain<'_, WriterJob>,
        replies: &mut Vec<DeferredReply>,
    ) -> rusqlite::Result<()> {
        // Reading is possible on a full disk.
        let writes = jobs.as_slice().iter().any(|job| !job.is_read());
        let mut failed = if writes { self.begin_use().err() } else { None };
        let SqliteWriter {
            data_dir,
            index,
            recovered,
            commit_row,
            compactor,
            retention,
            needs_wal_checkpoint,
            histograms,
            ..
        } = self;
        let connection = &data_dir.connection;
        let first_game_id = index.next_game_id;
        let (mut reads, mut deleted) = (Vec::new(), Vec::new());
        let commit_time = in_transaction(connection, || {
            commit_row.reset(index.extent.next_row);
            // After a stall most senders have stopped waiting.
            for job in jobs.filter(|job| !job.is_abandoned()) {
                let (deleted, reads) = (&mut deleted, &mut reads);
                let mut transaction = GroupTransaction {
                    connection,
                    index,
                    recovered,
                    commit_row,
                    retention,
                    deleted,
                    reads,
                };
                // After a failure the remaining jobs are answered without being executed.
                let (reply, outcome) = transaction.execute(job, failed.is_none());
                replies.extend(reply);
                failed = failed.or(outcome.err());
            }
            if let Some(error) = failed {
                return Err(error);
            }
            // Keeps up with the writes if the writer is never idle.
            compactor.run_with_commit(connection, index, commit_row)?;
            index.insert_row(commit_row, connection)?;
            if !reads.is_empty() {
                replies.extend(execute::read_histories(connection, index, reads)?);
            }
            retention.enforce_max_games(
                connection,
                index.next_game_id,
                (index.next_game_id - first_game_id) * EVICTIONS_PER_GAME,
            )?;
            *needs_wal_checkpoint = true;
            Ok(())
        })?;
        histograms.record_sqlite_commit(commit_time);
        Ok(())
    }

    /// Records a failed write. A full disk may recover; a failed fsync is permanent, because the state of the disk is
    /// unknown and a second fsync may report success without writing the data.
    fn on_write_error(&self, failed: &rusqlite::Error) -> LogError {
        let was_healthy = self.health.set_writable(false);
        let fsync = failed.sqlite_error().is_some_and(|error| {
            error.extended_code == ffi::SQLITE_IOERR_FSYNC
                || error.extended_code == ffi::SQLITE_IOERR_DIR_FSYNC
        });
        if fsync {
            error!(error = %failed, "fsync failed; stopping server");
            self.health.fail_permanently();
            return LogError::Unknown;
        }
        // Logged once: a full disk fails every write.
        if was_healthy {
            warn!(error = %failed, "cannot write log");
        }
        LogError::Unavailable(failed.to_string())
    }
}

/// Blocks the thread for `time`.
#[expect(
    clippy::disallowed_methods,
    reason = "shorter than a timer of the runtime, which has this thread for itself"
)]
fn sleep(time: Duration) {
    if !time.is_zero() {
        std::thread::sleep(time);
    }
}
