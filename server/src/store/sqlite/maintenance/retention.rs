//! Retention of finished games: deletes those that are too old or too many.
//!
//! Age is measured in time that running servers observed, so that a wrong clock of the machine deletes no games.

use rusqlite::{Connection, params};
use tracing::{error, info};

use crate::runtime::time::server_clock::{ServerClock, millis};
use crate::store::sqlite::error::RowError;
use crate::store::sqlite::format::row::{self, SELECT_GAME};
use crate::store::sqlite::options::SqliteOptions;

/// Time between two scans of the games.
const SCAN_INTERVAL_MS: u64 = 60 * 60 * 1000;

/// Games per step: a few milliseconds of work, during which moves wait.
const BATCH_GAMES: i64 = 1_000;

/// Maximum time between two runs of the server that counts: 30 days. A clock that is wrong by years then deletes no
/// games; after a longer downtime, games are kept for longer.
const MAX_COUNTED_GAP_MS: u64 = 30 * 24 * 60 * 60 * 1000;

/// Deletes old games step by step.
#[derive(Debug)]
pub(crate) struct Retention {
    max_age: u64,
    max_games: i64,
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
    pub(crate) fn new(connection: &Connection, options: SqliteOptions) -> Result<Retention, RowError> {
        let SqliteOptions { keep_games, max_games, time, .. } = options;
        let mut witness = connection.prepare("SELECT max(at) FROM witness")?;
        let stored = witness
            .query_row([], |row| Ok(row::column::<Option<i64>>(row, 0, || "observed time".into())))??;
        let start = time.now();
        let observed_time = observed_time(stored.map(i64::unsigned_abs), start);
        let limit = i64::try_from(max_games).unwrap_or(i64::MAX);
        Ok(Retention {
            max_age: millis(keep_games),
            max_games: limit,
            time,
            start,
            observed_time,
            cursor: None,
            next_scan_at: 0,
        })
    }

    /// Current observed time.
    fn observed_now(&self) -> u64 {
        self.observed_time.saturating_add(self.time.now().saturating_sub(self.start))
    }

    /// Stores the current observed time.
    pub(crate) fn store_observed_time(&self, connection: &Connection) -> rusqlite::Result<()> {
        connection.execute("DELETE FROM witness", [])?;
        connection.execute("INSERT INTO witness VALUES (?1)", params![self.observed_now() as i64])?;
        Ok(())
    }

    /// Deletes at most `limit` of the games beyond the maximum, oldest first, and returns their number. Games are
    /// numbered in the order of their end, and only the oldest are ever deleted, so that `next_game_id` yields the
    /// number of games.
    pub(crate) fn enforce_max_games(
        &self,
        connection: &Connection,
        next_game_id: i64,
        limit: i64,
    ) -> rusqlite::Result<usize> {
        let keep_from = next_game_id.saturating_sub(self.max_games);
        if limit <= 0 || keep_from <= 1 {
            return Ok(0);
        }
        connection
            .prepare_cached(
                "DELETE FROM games WHERE id IN (SELECT id FROM games WHERE id < ?1 ORDER BY id LIMIT ?2)",
            )?
            .execute(params![keep_from, limit])
    }

    /// Deletes a batch of games that are too many or too old, if a scan is due. Returns whether it wrote.
    pub(crate) fn run_batch(&mut self, connection: &Connection, next_game_id: i64) -> rusqlite::Result<bool> {
        let evicted = self.enforce_max_games(connection, next_game_id, BATCH_GAMES)? > 0;
        Ok(self.delete_expired(connection)? | evicted)
    }

    fn delete_expired(&mut self, connection: &Connection) -> rusqlite::Result<bool> {
        let now = self.observed_now();
        let Some(from) = self.cursor.or_else(|| (now >= self.next_scan_at).then_some(i64::MIN)) else {
            return Ok(false);
        };
        let oldest = now.saturating_sub(self.max_age);
        let mut games =
            connection.prepare_cached(&format!("{SELECT_GAME} WHERE id > ?1 ORDER BY id LIMIT ?2"))?;
        let mut rows = games.query(params![from, BATCH_GAMES])?;
        let (mut last, mut old) = (None, Vec::new());
        while let Some(row) = rows.next()? {
            last = Some(row.get(0)?);
            match row::read_game(row) {
                Ok((id, _, game)) if game.ended_at < oldest => old.push(id),
                Ok(_) => {}
                // Kept, because its age is unknown.
                Err(RowError::Corrupt(what)) => error!(what, "cannot read finished game"),
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
            self.next_scan_at = now.saturating_add(SCAN_INTERVAL_MS);
        }
        Ok(starts_scan || !old.is_empty())
    }
}

/// Observed time at the start of a run at server time `now`.
fn observed_time(stored: Option<u64>, now: u64) -> u64 {
    match stored {
        Some(stored) if stored < now => stored + (now - stored).min(MAX_COUNTED_GAP_MS),
        Some(_) | None => now,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_jump_counts_as_at_most_the_maximum_gap() {
        let (now, year) = (1_700_000_000_000, 365 * 24 * 60 * 60 * 1000);
        assert_eq!(observed_time(None, now), now);
        assert_eq!(observed_time(Some(now - 5_000), now), now);
        assert_eq!(observed_time(Some(now), now + 20 * year), now + MAX_COUNTED_GAP_MS);
        assert_eq!(observed_time(Some(now + MAX_COUNTED_GAP_MS), now), now, "the clock was corrected");
    }
}
