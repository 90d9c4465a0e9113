//! Work of the writer in addition to its jobs: retries, deletions, compaction, checkpoints, and checks of its files.

use rusqlite::ffi;
use tracing::{debug, error, info, warn};

use super::SqliteWriter;
use super::transaction::in_transaction;
use crate::runtime::sync::lock::lock;
use crate::store::StoreStats;
use crate::store::sqlite::maintenance::retention::RetentionBatch;
use crate::store::sqlite::maintenance::wal_monitor::WalCheckpoint;

impl SqliteWriter {
    /// Retries after a failure, deletes old games, compacts the log, and runs a checkpoint of the write-ahead log. Returns
    /// whether more games are due for deletion.
    pub(super) fn run_maintenance(&mut self) -> bool {
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

    /// Records that the data is in use, before the first commit of this server. A server that starts on a full disk has
    /// not done so.
    pub(super) fn begin_use(&mut self) -> rusqlite::Result<()> {
        if self.data_dir.is_in_use() {
            return Ok(());
        }
        // First, so that the write-ahead log, which is required from then on, is not empty.
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
    pub(super) fn wal_checkpoint(&mut self, kind: &str) -> bool {
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
                // Another process may run a checkpoint; its result is unknown.
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
    pub(super) fn update_stats(&self) {
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

    /// Fails permanently if the data was removed or replaced: what is written would be gone after the next start. A
    /// deleted lock file is created again, because it contains nothing else.
    pub(super) fn check_files(&mut self) {
        match self.file_watch.find_lost() {
            Ok(None) => {}
            Ok(Some(lost)) => {
                error!(%lost, "data removed under the running server; stopping");
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
