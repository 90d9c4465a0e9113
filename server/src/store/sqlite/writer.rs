//! The writer thread: executes all waiting jobs in one transaction, commits it, and replies.
//!
//! The writer owns the connection to the database file. It replies only after the commit. While it is idle, it runs
//! maintenance: retries, deletions, compaction, checkpoints of the write-ahead log, and checks of its files.

mod execute;
pub(super) mod group_commit;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;
use std::vec::Drain;

use noughts_protocol::Seq;
use rusqlite::{Connection, ffi};
use tokio::sync::mpsc;
use tokio::time::{Instant, timeout};
use tracing::{debug, error, info, warn};

use crate::runtime::clock::ServerClock;
use crate::runtime::sync::lock;
use crate::store::sqlite::data_dir::DataDir;
use crate::store::sqlite::data_files::{DataDirError, DataFileWatch, SqliteOptions, is_disk_full};
use crate::store::sqlite::maintenance::{
    Compactor, Retention, RetentionBatch, WalCheckpoint, WalMonitor,
};
use crate::store::sqlite::room_index::{self, OpenRoom, RecoveredRoom, RoomIndex};
use crate::store::sqlite::rows::CommitRowBuilder;
use crate::store::writer::{DeferredReply, MAX_BATCH_JOBS, WriterHealth, WriterJob};
use crate::store::{LogError, RoomSecrets, StoreStats, StoredRoom};
use execute::GroupTransaction;
use group_commit::{CommitHistograms, CommitSample, FULL_BATCH, GroupCommitDelay};

/// Time that the writer is idle before it runs maintenance.
const IDLE_BEFORE_MAINTENANCE: Duration = Duration::from_millis(500);

/// Interval between two runs of maintenance while the writer is busy.
const MAINTENANCE_INTERVAL: Duration = Duration::from_secs(5);

/// Interval between two checks that the files of the data are at their paths.
const FILE_CHECK_INTERVAL: Duration = Duration::from_secs(1);

/// Excess games that are deleted for each new game.
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
    /// Time when the server began to stop.
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
        let (recovered_rooms, extent) = room_index::load_open_rooms(&data_dir.connection)?;
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
                    "disk is full: rooms can be watched, but moves are rejected until there is space"
                );
                writer.health.set_writable(false);
            }
            Err(failed) => return Err(failed.into()),
        }
        // The write-ahead log and its index exist as soon as the file has been read.
        writer.file_watch = writer.data_dir.watch_files()?;
        Ok(writer)
    }

    /// Returns the state for metrics, which the writer keeps up to date.
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
            // The last time when the writer is known to have had no jobs left.
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
                // Maintenance also runs at intervals, because a writer may never be idle.
                if !health.failure_token().is_cancelled()
                    && (idle || last_maintenance.elapsed() >= MAINTENANCE_INTERVAL)
                {
                    if idle {
                        was_idle_at = Instant::now();
                    }
                    // While the writer is idle, deletions continue until the next job arrives.
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
            // The contents of the disk are unknown, so the write-ahead log is not moved into the database file.
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
            reply.send(failed.clone());
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
        // A group of reads does not begin the use, because reading must be possible on a full disk.
        let writes = jobs.as_slice().iter().any(|job| !job.op.is_read());
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
            // Abandoned jobs are skipped: after a stall, most senders have stopped waiting.
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
                // After a failure, the remaining jobs get a reply without being executed.
                let (reply, outcome) = transaction.execute(job, failed.is_none());
                replies.extend(reply);
                failed = failed.or(outcome.err());
            }
            if let Some(error) = failed {
                return Err(error);
            }
            // Compaction is part of the commit, so that it keeps up with the writes even if the writer is never idle.
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
        // Only the first failure is logged, because on a full disk every write fails.
        if was_healthy {
            warn!(error = %failed, "cannot write to the event log");
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

/// Runs a function in a transaction, which is rolled back after an error. Returns the duration of its `COMMIT`.
fn in_transaction(
    connection: &Connection,
    perform: impl FnOnce() -> rusqlite::Result<()>,
) -> rusqlite::Result<Duration> {
    let run = |sql| connection.prepare_cached(sql)?.execute([]).map(|_| ());
    run("BEGIN")?;
    let result = perform().and_then(|()| {
        let began = Instant::now();
        run("COMMIT").map(|()| began.elapsed())
    });
    // A failed COMMIT may have ended the transaction.
    if result.is_err()
        && !connection.is_autocommit()
        && let Err(failed) = run("ROLLBACK")
    {
        error!(error = %failed, "rollback failed");
    }
    result
}

impl SqliteWriter {
    /// Retries after a failure, deletes old games, compacts the log, and runs a checkpoint of the write-ahead log. Returns
    /// whether more games are due for deletion.
    fn run_maintenance(&mut self) -> bool {
        if !self.health.is_writable() {
            match self.begin_use().and_then(|()| {
                self.retention
                    .store_observed_time(&self.data_dir.connection)
            }) {
                Ok(()) => {
                    info!("log writable again");
                    self.health.set_writable(true);
                }
                Err(failed) => {
                    self.on_write_error(&failed);
                    return false;
                }
            }
        }
        let (mut batch, result) = (RetentionBatch::default(), self.delete_games());
        let result = result.map(|deleted| batch = deleted);
        self.handle_commit_result(result);
        if self.needs_wal_checkpoint && !self.health.failure_token().is_cancelled() {
            self.needs_wal_checkpoint = !self.wal_checkpoint("PASSIVE");
        }
        self.observe_wal_size();
        batch.is_full
    }

    /// Records that the data is in use, before the first commit of this server. Usually this was done at the start, but
    /// a server that started on a full disk does it here.
    fn begin_use(&mut self) -> rusqlite::Result<()> {
        if self.data_dir.is_in_use() {
            return Ok(());
        }
        // The time is stored first, because from now on the write-ahead log is required and must not be empty.
        self.retention
            .store_observed_time(&self.data_dir.connection)?;
        self.data_dir.mark_in_use().map_err(|error| {
            let code = ffi::Error::new(ffi::SQLITE_IOERR);
            rusqlite::Error::SqliteFailure(code, Some(format!("cannot write lock file: {error}")))
        })
    }

    fn delete_games(&mut self) -> rusqlite::Result<RetentionBatch> {
        let SqliteWriter {
            data_dir,
            index,
            commit_row,
            compactor,
            retention,
            needs_wal_checkpoint,
            ..
        } = self;
        let connection = &data_dir.connection;
        let mut batch = RetentionBatch::default();
        in_transaction(connection, || {
            commit_row.reset(index.extent.next_row);
            batch = retention.run_batch(connection, index.next_game_id)?;
            let wrote = batch.wrote | compactor.run_idle(connection, index, commit_row)?;
            *needs_wal_checkpoint |= wrote;
            index.insert_row(commit_row, connection)
        })?;
        Ok(batch)
    }

    /// Moves the write-ahead log into the file. Returns whether all of it was moved; a reader, for example a backup,
    /// can prevent that.
    fn wal_checkpoint(&mut self, kind: &str) -> bool {
        let sql = format!("PRAGMA wal_checkpoint({kind})");
        let result = self.data_dir.connection.query_row(&sql, [], |row| {
            let checkpoint = WalCheckpoint {
                log_frames: row.get(1)?,
                moved_frames: row.get(2)?,
            };
            Ok((row.get::<_, i64>(0)? != 0, checkpoint))
        });
        match result {
            Ok((busy, checkpoint)) => {
                // If another process runs a checkpoint, the result is unknown.
                if !busy {
                    self.wal_monitor.on_checkpoint(checkpoint, self.time.now());
                }
                !busy && checkpoint.is_complete()
            }
            Err(failed) => {
                self.on_write_error(&failed);
                false
            }
        }
    }

    /// Warns about a write-ahead log that readers keep from being emptied.
    fn observe_wal_size(&mut self) {
        let [_, wal_bytes] = self.data_dir.file_sizes();
        if self.wal_monitor.should_warn(wal_bytes) {
            let oldest_reader_s = self.wal_monitor.oldest_reader_ms(self.time.now()) / 1000;
            warn!(
                wal_bytes,
                oldest_reader_s,
                "write-ahead log is large: a reader, for example a backup, keeps it from being emptied"
            );
        }
    }

    /// Publishes the state for metrics.
    fn update_stats(&self) {
        let [database_bytes, wal_bytes] = self.data_dir.file_sizes();
        *lock(&self.stats) = StoreStats {
            database_bytes,
            wal_bytes,
            disk_free_bytes: self.data_dir.disk_free_bytes(),
            oldest_reader_ms: self.wal_monitor.oldest_reader_ms(self.time.now()),
            damaged_games: self.retention.damaged_count(),
            rejected_games: self.retention.rejected_count(),
        };
    }

    /// Fails permanently if the data was removed or replaced: later writes would be gone after the next start. A
    /// deleted lock file is created again, because it contains nothing else.
    fn check_files(&mut self) {
        match self.file_watch.find_lost() {
            Ok(None) => {}
            Ok(Some(lost)) => {
                error!(%lost, "data was removed or replaced while the server was running; stopping");
                self.health.fail_permanently();
                return;
            }
            Err(failed) => debug!(error = %failed, "cannot check the files of the data"),
        }
        match self.data_dir.restore_lock_file() {
            Ok(false) => {}
            Ok(true) => warn!("lock file was deleted; created again"),
            Err(failed) => debug!(error = %failed, "cannot create deleted lock file"),
        }
    }
}
