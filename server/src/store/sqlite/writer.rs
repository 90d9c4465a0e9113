//! The one thread that touches the file: takes whatever waits, commits it as one group, answers.

mod execute;
mod group_commit;
pub(super) mod health;
pub(super) mod job;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use noughts_protocol::Seq;
use rusqlite::config::DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE as NO_CHECKPOINT_ON_CLOSE;
use rusqlite::{Connection, ffi};
use tokio::sync::mpsc;
use tokio::time::{Instant, timeout};
use tracing::{error, info, warn};

use crate::fault_injection::InjectedFaults;
use crate::store::sqlite::SqliteOptions;
use crate::store::sqlite::format::commit_row::CommitRowBuilder;
use crate::store::sqlite::format::room_index::{OpenRoom, RoomIndex};
use crate::store::sqlite::maintenance::compaction::Compactor;
use crate::store::sqlite::maintenance::retention::Retention;
use crate::store::sqlite::startup::data_dir::{DataDir, DataDirError};
use crate::store::sqlite::startup::recovery::{self, RecoveredRoom};
use crate::store::sqlite::writer::group_commit::{FULL_BATCH, GroupCommitDelay};
use crate::store::sqlite::writer::health::WriterHealth;
use crate::store::sqlite::writer::job::WriterJob;
use crate::store::{LogError, RoomSecrets, StoredRoom};
use crate::sync::wake_chain::WakeChain;
use crate::time::uptime::UptimeHistory;
use execute::{DeferredReply, GroupTransaction};

/// Without work for this long the writer tidies up.
const IDLE_BEFORE_MAINTENANCE: Duration = Duration::from_millis(500);

/// And at least this often, however busy.
const MAINTENANCE_INTERVAL: Duration = Duration::from_secs(5);

/// Games too many that are dropped for each that comes.
const EVICTIONS_PER_GAME: i64 = 4;

pub(super) struct SqliteWriter {
    data_dir: DataDir,
    index: RoomIndex,
    /// What the open rooms were at the start, until somebody asks.
    recovered: Vec<(RoomSecrets, StoredRoom)>,
    health: Arc<WriterHealth>,
    wake_chain: Arc<WakeChain>,
    /// What is written next; its memory, between two commits.
    commit_row: CommitRowBuilder,
    compactor: Compactor,
    retention: Retention,
    needs_wal_checkpoint: bool,
}

impl SqliteWriter {
    /// Reads the open rooms.
    pub(super) fn new(
        mut data_dir: DataDir,
        options: SqliteOptions,
        faults: InjectedFaults,
        health: Arc<WriterHealth>,
        wake_chain: Arc<WakeChain>,
    ) -> Result<SqliteWriter, DataDirError> {
        let mut rooms = HashMap::new();
        let mut recovered = Vec::new();
        let (recovered_rooms, extent) = recovery::load_open_rooms(&data_dir.connection, faults)?;
        for RecoveredRoom { secrets: founding, created_row: founded, bytes, stored } in recovered_rooms {
            let checkpoint_seq = stored.checkpoint.as_ref().map_or(Seq::ZERO, |checkpoint| checkpoint.seq);
            let open = OpenRoom {
                last_seq: stored.last_seq(),
                checkpoint_seq,
                created_row: founded,
                last_row: founded,
                bytes,
            };
            rooms.insert(founding.room, open);
            recovered.push((founding, stored));
        }
        let next_game_id =
            data_dir
                .connection
                .query_row("SELECT coalesce(max(id), 0) + 1 FROM games", [], |row| row.get(0))?;
        let index = RoomIndex::new(rooms, extent, next_game_id);
        let retention = Retention::new(&data_dir.connection, options)?;
        retention.store_observed_time(&data_dir.connection)?;
        data_dir.mark_in_use()?;
        let (commit_row, compactor) = (CommitRowBuilder::default(), Compactor::default());
        Ok(SqliteWriter {
            data_dir,
            index,
            recovered,
            health,
            wake_chain,
            commit_row,
            compactor,
            retention,
            needs_wal_checkpoint: true,
        })
    }

    pub(super) fn run(mut self, mut jobs: mpsc::Receiver<WriterJob>) {
        let runtime = match tokio::runtime::Builder::new_current_thread().enable_time().build() {
            Ok(runtime) => runtime,
            Err(failed) => {
                self.health.fail_permanently();
                return error!(error = %failed, "the log's writer cannot start");
            }
        };
        let health = Arc::clone(&self.health);
        let _panic_guard = PanicGuard(&health);
        runtime.block_on(async {
            let mut batch = Vec::new();
            let mut last_maintenance = Instant::now();
            let mut commit_delay = GroupCommitDelay::new(last_maintenance);
            loop {
                let idle =
                    match timeout(IDLE_BEFORE_MAINTENANCE, jobs.recv_many(&mut batch, super::MAX_BATCH_JOBS))
                        .await
                    {
                        Ok(0) => return,
                        Ok(_) => {
                            let busy_guard = health.mark_busy();
                            // The last says all.
                            let uptime_job =
                                batch.extract_if(.., |job| matches!(job, WriterJob::RecordUptime(_))).last();
                            let committed = !batch.is_empty();
                            if committed {
                                commit_delay.on_begin(Instant::now(), &batch, &self.index);
                                self.commit(batch.drain(..));
                            }
                            if let Some(WriterJob::RecordUptime(uptime)) = uptime_job {
                                self.record_uptime(&uptime);
                            }
                            drop(busy_guard);
                            let delay =
                                if committed { commit_delay.on_end(Instant::now()) } else { Duration::ZERO };
                            if !jobs.is_closed() && jobs.len() < FULL_BATCH as usize {
                                sleep(delay);
                            }
                            !committed && commit_delay.idle_for() >= IDLE_BEFORE_MAINTENANCE
                        }
                        Err(_) => true,
                    };
                if idle {
                    self.wake_chain.wake_all();
                }
                // Also in between, for a log that never rests.
                if !health.failure_token().is_cancelled()
                    && (idle || last_maintenance.elapsed() >= MAINTENANCE_INTERVAL)
                {
                    let _busy_guard = health.mark_busy();
                    self.run_maintenance();
                    last_maintenance = Instant::now();
                }
                if health.failure_token().is_cancelled() {
                    return;
                }
            }
        });
        self.wake_chain.wake_all();
        self.close();
    }

    fn close(mut self) {
        if self.health.failure_token().is_cancelled() {
            // Nobody knows what the disk holds: nothing is moved into the file any more.
            if let Err(failed) = self.data_dir.connection.set_db_config(NO_CHECKPOINT_ON_CLOSE, true) {
                error!(error = %failed, "the file is closed as usual");
            }
            return;
        }
        if let Err(failed) = self.retention.store_observed_time(&self.data_dir.connection) {
            warn!(error = %failed, "old games will be kept for a little longer");
        }
        match self.data_dir.mark_closed() {
            Ok(()) => {
                self.wal_checkpoint("TRUNCATE");
            }
            Err(failed) => warn!(error = %failed, "the lock file cannot be written"),
        }
    }

    /// Notes until when the server was there. As long as nothing can be stored, no time counts.
    fn record_uptime(&self, uptime: &UptimeHistory) {
        if self.health.time_counted_until(uptime.last_seen())
            && let Err(failed) = self.data_dir.write_uptime(uptime)
        {
            warn!(error = %failed, "after a kill, clocks would be given back too much");
        }
    }

    /// Does all of a group in one transaction, or none of it, and answers after that.
    fn commit(&mut self, jobs: impl Iterator<Item = WriterJob>) {
        let mut replies: Vec<DeferredReply> = Vec::new();
        let result = self.try_commit(jobs, &mut replies);
        let failed = self.handle_commit_result(result);
        if let Some(last) = replies.pop() {
            let others = replies.into_iter().map(|reply| reply(failed.clone()));
            self.wake_chain.wake_chained(others, || last(failed.clone()));
        }
    }

    /// What became of a transaction.
    fn handle_commit_result(&mut self, result: rusqlite::Result<()>) -> Option<LogError> {
        match result {
            Ok(()) => {
                if self.index.on_commit() {
                    // Only what was written shows that it can be.
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
        jobs: impl Iterator<Item = WriterJob>,
        replies: &mut Vec<DeferredReply>,
    ) -> rusqlite::Result<()> {
        let SqliteWriter {
            data_dir,
            index,
            recovered,
            commit_row,
            compactor,
            retention,
            needs_wal_checkpoint,
            ..
        } = self;
        let connection = &data_dir.connection;
        let first_game_id = index.next_game_id;
        let (mut reads, mut deleted) = (Vec::new(), Vec::new());
        in_transaction(connection, || {
            let mut failed = None;
            commit_row.reset(index.extent.next_row);
            // After a storm most of what waits is waited for by nobody.
            for job in jobs.filter(|work| !work.is_abandoned()) {
                let (deleted, reads) = (&mut deleted, &mut reads);
                let mut transaction =
                    GroupTransaction { connection, index, recovered, commit_row, deleted, reads };
                // After a failure the rest of the group is answered without being tried.
                let (reply, outcome) = transaction.execute(job, failed.is_none());
                replies.extend(reply);
                failed = failed.or(outcome.err());
            }
            if let Some(error) = failed {
                return Err(error);
            }
            // A log that never rests is swept as fast as it is written.
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
        })
    }

    /// What a failure means: a full disk may be emptied; after a failed fsync nobody knows what the
    /// disk has, and asking again would be told a lie.
    fn on_write_error(&self, failed: &rusqlite::Error) -> LogError {
        let was_healthy = self.health.set_writable(false);
        let fsync = failed.sqlite_error().is_some_and(|error| {
            error.extended_code == ffi::SQLITE_IOERR_FSYNC
                || error.extended_code == ffi::SQLITE_IOERR_DIR_FSYNC
        });
        if fsync {
            error!(error = %failed, "fsync failed; the server stops");
            self.health.fail_permanently();
            return LogError::Unknown;
        }
        // Said once: a full disk refuses every try until it is emptied.
        if was_healthy {
            warn!(error = %failed, "the log cannot be written");
        }
        LogError::Unavailable(failed.to_string())
    }

    /// When there is nothing else to do: tries again what failed, drops what nobody needs, and moves
    /// the write-ahead log into the file.
    fn run_maintenance(&mut self) {
        if !self.health.is_writable() {
            match self.retention.store_observed_time(&self.data_dir.connection) {
                Ok(()) => {
                    info!("the log can be written again");
                    self.health.set_writable(true);
                }
                Err(failed) => {
                    self.on_write_error(&failed);
                    return;
                }
            }
        }
        let result = self.delete_expired();
        self.handle_commit_result(result);
        if self.needs_wal_checkpoint && !self.health.failure_token().is_cancelled() {
            self.needs_wal_checkpoint = !self.wal_checkpoint("PASSIVE");
        }
    }

    fn delete_expired(&mut self) -> rusqlite::Result<()> {
        let SqliteWriter { data_dir, index, commit_row, compactor, retention, needs_wal_checkpoint, .. } =
            self;
        let connection = &data_dir.connection;
        in_transaction(connection, || {
            commit_row.reset(index.extent.next_row);
            let wrote = retention.run_batch(connection, index.next_game_id)?
                | compactor.run_idle(connection, index, commit_row)?;
            *needs_wal_checkpoint |= wrote;
            index.insert_row(commit_row, connection)
        })
    }

    /// Moves the write-ahead log into the file, and says whether all of it is there. Not all is done
    /// while a reader, a backup for instance, is in the way.
    fn wal_checkpoint(&self, kind: &str) -> bool {
        let sql = format!("PRAGMA wal_checkpoint({kind})");
        let result = self.data_dir.connection.query_row(&sql, [], |row| {
            Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?, row.get::<_, i64>(2)?))
        });
        match result {
            Ok((busy, log, moved)) => busy == 0 && log == moved,
            Err(failed) => {
                self.on_write_error(&failed);
                false
            }
        }
    }
}

/// Does it in a transaction. Its statements are prepared once, as all are.
fn in_transaction(
    connection: &Connection,
    perform: impl FnOnce() -> rusqlite::Result<()>,
) -> rusqlite::Result<()> {
    let run = |sql| connection.prepare_cached(sql)?.execute([]).map(|_| ());
    run("BEGIN")?;
    let result = perform().and_then(|()| run("COMMIT"));
    // A commit that failed may have ended it or not.
    if result.is_err()
        && !connection.is_autocommit()
        && let Err(failed) = run("ROLLBACK")
    {
        error!(error = %failed, "what was not committed is still there");
    }
    result
}

/// Looks at nothing for so long, whoever asks.
#[expect(
    clippy::disallowed_methods,
    reason = "no timer of the runtime is so short, and it has this thread alone"
)]
fn sleep(time: Duration) {
    if !time.is_zero() {
        std::thread::sleep(time);
    }
}

/// A writer that ends in a panic is a log that has failed for good.
struct PanicGuard<'a>(&'a WriterHealth);

impl Drop for PanicGuard<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.fail_permanently();
        }
    }
}
