//! Work of the writer thread in the background: reclaiming space, deleting old games, and watching the size of the
//! write-ahead log.
//!
//! Compaction frees the space of events that no open room needs, because the room has closed or has a later checkpoint.
//! The oldest rows are deleted; their live entries are appended to the newest row, so that an inactive room keeps no
//! other entries in the file. Guarded by the property test `live_entries_stay_and_the_file_size_is_bounded`.
//!
//! Retention deletes finished games that are too old or too many. The age of a game takes precedence over the number of
//! games: a game younger than the protected age is not deleted to make room for a new game. While all kept games are
//! younger, new games are not kept. A client that ends many games therefore cannot displace recent games of other
//! clients. Age is measured in time that running servers observed, so that a wrong clock of the machine deletes no
//! games.
//!
//! While a reader stays, the write-ahead log grows with every move, because it cannot be emptied until the reader ends.
//! Such a reader may be a backup to a slow disk, or an `sqlite3` that was left open. [`WalMonitor`] is pure: times and
//! sizes are arguments.

#[cfg(test)]
mod tests;

use rusqlite::{Connection, Row, params};
use tracing::{error, info, warn};

use crate::runtime::clock::{ServerClock, millis};
use crate::store::sqlite::data_files::{RowError, SqliteOptions};
use crate::store::sqlite::room_index::RoomIndex;
use crate::store::sqlite::rows::{self, CommitEntries, CommitEntry, CommitRowBuilder, SELECT_GAME};

/// Maximum excess of the dead bytes of the file over its live bytes.
///
/// Above this maximum, at least half of the stored bytes are dead. Compaction never appends more than it deletes, so
/// the file grows only by new events, and only until one pass over the file is complete. During a pass the file grows
/// by 1 / [`SCAN_PER_WRITTEN`]. The size of the file is therefore bounded by about 5/2 of the maximum of the live bytes
/// plus this value.
pub(crate) const MAX_DEAD_BYTES: u64 = 1 << 20;

/// Minimum number of bytes that one step scans; the last row is always completed. Deleting a single row costs as much
/// as inserting one.
const MIN_STEP_BYTES: u64 = 1 << 16;

/// Bytes that a step scans per byte that its commit writes, if that is more than [`MIN_STEP_BYTES`].
const SCAN_PER_WRITTEN: u64 = 4;

/// Bytes that a step scans while the writer is idle: a few milliseconds of work.
const IDLE_STEP_BYTES: u64 = 1 << 19;

/// Compacts the log step by step. A corrupt row ends the compaction of this run; the next start reports the row.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Compactor {
    disabled: bool,
}

impl Compactor {
    /// Compacts as part of a commit, in proportion to its size.
    pub(crate) fn run_with_commit(
        &mut self,
        connection: &Connection,
        index: &mut RoomIndex,
        commit_row: &mut CommitRowBuilder,
    ) -> rusqlite::Result<()> {
        if index.extent.excess_bytes() < MAX_DEAD_BYTES {
            return Ok(());
        }
        self.compact(
            connection,
            index,
            commit_row,
            MAX_DEAD_BYTES - MIN_STEP_BYTES,
            MIN_STEP_BYTES.max(SCAN_PER_WRITTEN * commit_row.size()),
        )
    }

    /// Compacts while the writer is idle, until the dead bytes are at most as many as the live bytes. Returns whether
    /// it deleted a row.
    pub(crate) fn run_idle(
        &mut self,
        connection: &Connection,
        index: &mut RoomIndex,
        commit_row: &mut CommitRowBuilder,
    ) -> rusqlite::Result<bool> {
        let first = index.extent.first_row;
        self.compact(connection, index, commit_row, 0, IDLE_STEP_BYTES)?;
        Ok(index.extent.first_row != first)
    }

    /// Deletes about `bytes` bytes of the oldest rows, until at most `max_dead` excess bytes are left. Appends live
    /// entries to `commit_row`.
    fn compact(
        &mut self,
        connection: &Connection,
        index: &mut RoomIndex,
        commit_row: &mut CommitRowBuilder,
        max_dead: u64,
        bytes: u64,
    ) -> rusqlite::Result<()> {
        if self.disabled || index.extent.excess_bytes() <= max_dead {
            return Ok(());
        }
        let mut oldest =
            connection.prepare_cached("SELECT id, body FROM commits WHERE id >= ?1 ORDER BY id")?;
        let mut rows = oldest.query(params![index.extent.first_row])?;
        let (first, mut scanned) = (index.extent.first_row, 0);
        while scanned < bytes && index.extent.excess_bytes() > max_dead {
            let Some(row) = rows.next()? else { break };
            let number = row.get(0)?;
            // The whole row is verified first: corruption must not get a valid checksum.
            match read_entries(number, row.get_ref(1)?.as_blob().unwrap_or_default()) {
                Ok(entries) => scanned += rewrite_live(index, number, &entries, commit_row),
                Err(error) => {
                    self.disabled = true;
                    error!(
                        ?error,
                        "corruption found; compaction disabled, next start will fail"
                    );
                    break;
                }
            }
            index.extent.first_row = number + 1;
        }
        drop(rows);
        if index.extent.first_row > first {
            connection
                .prepare_cached("DELETE FROM commits WHERE id < ?1")?
                .execute(params![index.extent.first_row])?;
        }
        Ok(())
    }
}

fn read_entries(number: i64, body: &[u8]) -> Result<Vec<CommitEntry<'_>>, RowError> {
    CommitEntries::parse(number, body)
        .map(|entry| {
            let entry = entry?;
            entry.verify()?;
            Ok(entry)
        })
        .collect()
}

/// Appends the live entries of a row, and returns the size of the row.
fn rewrite_live(
    index: &mut RoomIndex,
    number: i64,
    entries: &[CommitEntry<'_>],
    commit_row: &mut CommitRowBuilder,
) -> u64 {
    let mut size = 0;
    for entry in entries {
        size += entry.size();
        if index.is_live(number, entry) {
            index.extent.stored_bytes +=
                commit_row.push(entry.room, entry.first, entry.count, |body| {
                    body.extend_from_slice(entry.text);
                });
        }
    }
    index.extent.stored_bytes -= size;
    size
}

/// Interval between two scans of the games.
const SCAN_INTERVAL_MS: u64 = 60 * 60 * 1000;

/// Number of games per step. A step takes a few milliseconds, and moves wait meanwhile.
const BATCH_GAMES: i64 = 100;

/// Maximum time between two runs of the server that counts: 30 days. A clock that is wrong by years then deletes no
/// games; after a longer downtime, games are kept for longer.
const MAX_COUNTED_GAP_MS: u64 = 30 * 24 * 60 * 60 * 1000;

/// Interval between two warnings that new games are not kept.
const FULL_WARNING_INTERVAL_MS: u64 = 60 * 60 * 1000;

/// Result of a batch of deletions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct RetentionBatch {
    /// The batch changed the file.
    pub wrote: bool,
    /// The batch was full, so more games are probably due for deletion.
    pub is_full: bool,
}

/// Deletes old games step by step.
#[derive(Debug)]
pub(crate) struct Retention {
    max_age: u64,
    max_games: i64,
    /// Minimum age of a game that may be deleted because there are too many.
    protected_age: u64,
    /// Number of games that were not kept.
    rejected_count: u64,
    /// Number of damaged games that the running scan has found so far.
    damaged_in_scan: u64,
    damaged_count: u64,
    warned_at: Option<u64>,
    time: ServerClock,
    /// Server time of the start.
    start: u64,
    /// Observed time of the start.
    observed_time: u64,
    /// Last game of the running scan; `None` between scans.
    cursor: Option<i64>,
    next_scan_at: u64,
}

impl Retention {
    /// Continues from the observed time that the last run stored.
    pub(crate) fn new(
        connection: &Connection,
        options: SqliteOptions,
    ) -> Result<Retention, RowError> {
        let SqliteOptions {
            keep_games,
            max_games,
            protect_games,
            time,
            ..
        } = options;
        let mut witness = connection.prepare("SELECT max(at) FROM witness")?;
        let stored = witness.query_row([], |row| {
            Ok(rows::column::<Option<i64>>(row, 0, || {
                "observed time".into()
            }))
        })??;
        let start = time.now();
        let observed_time = observed_time(stored.map(i64::unsigned_abs), start);
        let limit = i64::try_from(max_games).unwrap_or(i64::MAX);
        Ok(Retention {
            max_age: millis(keep_games),
            max_games: limit,
            protected_age: millis(protect_games),
            rejected_count: 0,
            damaged_in_scan: 0,
            damaged_count: 0,
            warned_at: None,
            time,
            start,
            observed_time,
            cursor: None,
            next_scan_at: 0,
        })
    }

    /// Returns the current observed time.
    fn observed_now(&self) -> u64 {
        self.observed_time
            .saturating_add(self.time.now().saturating_sub(self.start))
    }

    /// Stores the current observed time.
    pub(crate) fn store_observed_time(&self, connection: &Connection) -> rusqlite::Result<()> {
        connection.execute("DELETE FROM witness", [])?;
        connection.execute(
            "INSERT INTO witness VALUES (?1)",
            params![self.observed_now() as i64],
        )?;
        Ok(())
    }

    /// Returns whether a game that has just ended is kept: the archive has fewer games than the maximum, or the oldest
    /// game may be deleted. Games are numbered in the order of their end, and the oldest are deleted first, so the
    /// first and the last number yield the number of games.
    pub(crate) fn accept_game(
        &mut self,
        connection: &Connection,
        next_game_id: i64,
    ) -> rusqlite::Result<bool> {
        if next_game_id <= self.max_games {
            return Ok(true);
        }
        let mut oldest =
            connection.prepare_cached(&format!("{SELECT_GAME} ORDER BY id LIMIT 1"))?;
        let mut rows = oldest.query([])?;
        let accepted = match rows.next()? {
            Some(row) => {
                let first_id: i64 = row.get(0)?;
                next_game_id - first_id < self.max_games || self.allows_eviction(row)?
            }
            None => self.max_games > 0,
        };
        if !accepted {
            self.on_game_rejected();
        }
        Ok(accepted)
    }

    fn on_game_rejected(&mut self) {
        self.rejected_count += 1;
        let now = self.time.now();
        if self
            .warned_at
            .is_none_or(|at| now.saturating_sub(at) >= FULL_WARNING_INTERVAL_MS)
        {
            self.warned_at = Some(now);
            let (max_games, rejected) = (self.max_games, self.rejected_count);
            warn!(
                max_games,
                rejected, "archive is full of recent games; further finished games are dropped"
            );
        }
    }

    /// Returns the number of damaged games that the last complete scan found.
    pub(crate) fn damaged_count(&self) -> u64 {
        self.damaged_count
    }

    /// Returns the number of games that were not kept since the start.
    pub(crate) fn rejected_count(&self) -> u64 {
        self.rejected_count
    }

    /// Returns whether the game of a row may be deleted because there are too many. A damaged game may always be
    /// deleted, because it is of no use.
    fn allows_eviction(&self, row: &Row<'_>) -> rusqlite::Result<bool> {
        match rows::read_game(row) {
            Ok((_, _, game)) => {
                Ok(self.observed_now().saturating_sub(game.ended_at) >= self.protected_age)
            }
            Err(RowError::Corrupt(_)) => Ok(true),
            Err(RowError::Sqlite(error)) => Err(error),
        }
    }

    /// Deletes at most `limit` of the games beyond the maximum, oldest first, and returns their number. Keeps protected
    /// games.
    pub(crate) fn enforce_max_games(
        &self,
        connection: &Connection,
        next_game_id: i64,
        limit: i64,
    ) -> rusqlite::Result<i64> {
        let keep_from = next_game_id.saturating_sub(self.max_games);
        if limit <= 0 || keep_from <= 1 {
            return Ok(0);
        }
        let mut oldest = connection
            .prepare_cached(&format!("{SELECT_GAME} WHERE id < ?1 ORDER BY id LIMIT ?2"))?;
        let mut rows = oldest.query(params![keep_from, limit])?;
        let (mut count, mut last_id) = (0, None);
        while let Some(row) = rows.next()? {
            if !self.allows_eviction(row)? {
                break;
            }
            (count, last_id) = (count + 1, Some(row.get::<_, i64>(0)?));
        }
        drop(rows);
        if let Some(last_id) = last_id {
            connection
                .prepare_cached("DELETE FROM games WHERE id <= ?1")?
                .execute(params![last_id])?;
        }
        Ok(count)
    }

    /// Deletes a batch of excess or expired games, if a scan is due.
    pub(crate) fn run_batch(
        &mut self,
        connection: &Connection,
        next_game_id: i64,
    ) -> rusqlite::Result<RetentionBatch> {
        let evicted = self.enforce_max_games(connection, next_game_id, BATCH_GAMES)?;
        let (wrote, expired) = self.delete_expired(connection)?;
        Ok(RetentionBatch {
            wrote: wrote || evicted > 0,
            is_full: evicted == BATCH_GAMES || expired as i64 == BATCH_GAMES,
        })
    }

    /// Deletes a batch of expired games. Returns whether it wrote, and the number of deleted games.
    fn delete_expired(&mut self, connection: &Connection) -> rusqlite::Result<(bool, usize)> {
        let now = self.observed_now();
        let Some(from) = self
            .cursor
            .or_else(|| (now >= self.next_scan_at).then_some(i64::MIN))
        else {
            return Ok((false, 0));
        };
        let oldest = now.saturating_sub(self.max_age);
        let mut games = connection
            .prepare_cached(&format!("{SELECT_GAME} WHERE id > ?1 ORDER BY id LIMIT ?2"))?;
        let mut rows = games.query(params![from, BATCH_GAMES])?;
        let (mut last, mut old) = (None, Vec::new());
        while let Some(row) = rows.next()? {
            last = Some(row.get(0)?);
            match rows::read_game(row) {
                Ok((id, _, game)) if game.ended_at < oldest => old.push(id),
                Ok(_) => {}
                // A damaged game is kept here, because its age is unknown.
                Err(RowError::Corrupt(what)) => {
                    error!(what, "cannot read finished game");
                    self.damaged_in_scan += 1;
                }
                Err(RowError::Sqlite(error)) => return Err(error),
            }
        }
        let mut delete = connection.prepare_cached("DELETE FROM games WHERE id = ?1")?;
        for id in &old {
            delete.execute(params![id])?;
        }
        if !old.is_empty() {
            info!(games = old.len(), "old games deleted");
        }
        let starts_scan = self.cursor.is_none();
        if starts_scan {
            self.store_observed_time(connection)?;
        }
        self.cursor = last;
        if last.is_none() {
            self.damaged_count = std::mem::take(&mut self.damaged_in_scan);
            self.next_scan_at = now.saturating_add(SCAN_INTERVAL_MS);
        }
        Ok((starts_scan || !old.is_empty(), old.len()))
    }
}

/// Returns the observed time at the start of a run at server time `now`.
fn observed_time(stored: Option<u64>, now: u64) -> u64 {
    match stored {
        Some(stored) if stored < now => stored + (now - stored).min(MAX_COUNTED_GAP_MS),
        Some(_) | None => now,
    }
}

/// Result of a checkpoint, in frames of the write-ahead log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WalCheckpoint {
    /// Frames in the log.
    pub log_frames: i64,
    /// Frames of the log that are in the database file.
    pub moved_frames: i64,
}

impl WalCheckpoint {
    /// Returns whether the whole log is in the database file.
    pub(crate) fn is_complete(self) -> bool {
        self.log_frames == self.moved_frames
    }
}

/// Observes the checkpoints of the writer.
#[derive(Debug)]
pub(crate) struct WalMonitor {
    /// Frame where the last checkpoints stopped, and the time of the first checkpoint that stopped there.
    blocked: Option<(i64, u64)>,
    warning_bytes: u64,
    /// Size that makes the next warning due.
    next_warning_bytes: u64,
}

impl WalMonitor {
    /// Creates a monitor. `warning_bytes`: minimum size of a large log.
    pub(crate) fn new(warning_bytes: u64) -> WalMonitor {
        let warning_bytes = warning_bytes.max(1);
        WalMonitor {
            blocked: None,
            warning_bytes,
            next_warning_bytes: warning_bytes,
        }
    }

    /// Records the end of a checkpoint. The same reader blocks successive checkpoints that stop at the same frame.
    pub(crate) fn on_checkpoint(&mut self, checkpoint: WalCheckpoint, now: u64) {
        self.blocked = if checkpoint.is_complete() {
            None
        } else {
            let same = self
                .blocked
                .filter(|(frame, _)| *frame == checkpoint.moved_frames);
            same.or(Some((checkpoint.moved_frames, now)))
        };
    }

    /// Returns how long the oldest reader has blocked the checkpoints, in milliseconds; 0 without such a reader.
    pub(crate) fn oldest_reader_ms(&self, now: u64) -> u64 {
        self.blocked
            .map_or(0, |(_, since)| now.saturating_sub(since))
    }

    /// Returns whether a warning about this size is due: at the limit, and whenever the size has doubled since the last
    /// warning.
    pub(crate) fn should_warn(&mut self, wal_bytes: u64) -> bool {
        if wal_bytes < self.warning_bytes {
            self.next_warning_bytes = self.warning_bytes;
            return false;
        }
        let is_due = wal_bytes >= self.next_warning_bytes;
        if is_due {
            self.next_warning_bytes = wal_bytes.saturating_mul(2);
        }
        is_due
    }
}
