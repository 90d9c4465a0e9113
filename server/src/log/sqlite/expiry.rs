//! Games that have been kept for long enough, or are too many.

use rusqlite::{Connection, params};
use tracing::{error, info};

use super::Options;
use super::row::{self, Failed, GAME};
use crate::config::millis;
use crate::time::Time;

/// How often to look through the games, in milliseconds.
const EVERY: u64 = 60 * 60 * 1000;

/// Games looked at in one go: a few milliseconds, so that a move does not wait long.
const SLICE: i64 = 1_000;

/// The longest time between two runs that counts: 30 days. A clock that is wrong by years then costs
/// no games, and a server that rested for longer keeps them for longer.
const REST: u64 = 30 * 24 * 60 * 60 * 1000;

/// What drops old games.
#[derive(Debug)]
pub(super) struct Expiry {
    keep: u64,
    most: i64,
    time: Time,
    /// What the time was at the start, and how much of it had been witnessed.
    start: u64,
    witnessed: u64,
    /// Where this round goes on; none between rounds.
    at: Option<i64>,
    next: u64,
}

impl Expiry {
    /// Goes on from what the last run had witnessed.
    pub(super) fn new(connection: &Connection, options: Options) -> Result<Expiry, Failed> {
        let Options { keep_games, max_games, time, .. } = options;
        let mut witness = connection.prepare("SELECT max(at) FROM witness")?;
        let stored = witness.query_row([], |row| {
            Ok(row::column::<Option<i64>>(row, 0, || "the time that has passed".into()))
        })??;
        let start = time.now();
        let witnessed = witnessed(stored.map(i64::unsigned_abs), start);
        let most = i64::try_from(max_games).unwrap_or(i64::MAX);
        Ok(Expiry { keep: millis(keep_games), most, time, start, witnessed, at: None, next: 0 })
    }

    /// How late it is, as far as the server has been there to see it.
    fn now(&self) -> u64 {
        self.witnessed.saturating_add(self.time.now().saturating_sub(self.start))
    }

    /// Writes down how late it is.
    pub(super) fn note(&self, connection: &Connection) -> rusqlite::Result<()> {
        connection.execute("DELETE FROM witness", [])?;
        connection.execute("INSERT INTO witness VALUES (?1)", params![self.now() as i64])?;
        Ok(())
    }

    /// Drops the oldest of the games beyond the most that are kept, and no more than so many at once, when
    /// `next` is the number that the next game will have. Returns how many were. Games are numbered in the
    /// order in which they ended and only the oldest are ever dropped: the numbers tell how many there are.
    pub(super) fn crowd_out(
        &self,
        connection: &Connection,
        next: i64,
        limit: i64,
    ) -> rusqlite::Result<usize> {
        let keep_from = next.saturating_sub(self.most);
        if limit <= 0 || keep_from <= 1 {
            return Ok(0);
        }
        connection
            .prepare_cached(
                "DELETE FROM games WHERE id IN (SELECT id FROM games WHERE id < ?1 ORDER BY id LIMIT ?2)",
            )?
            .execute(params![keep_from, limit])
    }

    /// Looks at some games if it is time to, and drops those that are too old or too many. Says whether it
    /// wrote.
    pub(super) fn slice(&mut self, connection: &Connection, next: i64) -> rusqlite::Result<bool> {
        let crowded_out = self.crowd_out(connection, next, SLICE)? > 0;
        Ok(self.drop_old(connection)? | crowded_out)
    }

    fn drop_old(&mut self, connection: &Connection) -> rusqlite::Result<bool> {
        let now = self.now();
        let Some(from) = self.at.or_else(|| (now >= self.next).then_some(i64::MIN)) else { return Ok(false) };
        let oldest = now.saturating_sub(self.keep);
        let mut games = connection.prepare_cached(&format!("{GAME} WHERE id > ?1 ORDER BY id LIMIT ?2"))?;
        let mut rows = games.query(params![from, SLICE])?;
        let (mut last, mut old) = (None, Vec::new());
        while let Some(row) = rows.next()? {
            last = Some(row.get(0)?);
            match row::read_game(row) {
                Ok((id, _, game)) if game.ended < oldest => old.push(id),
                Ok(_) => {}
                // Nobody knows how old it is; it stays.
                Err(Failed::Damaged(what)) => error!(damaged = what, "a kept game cannot be read"),
                Err(Failed::Sqlite(error)) => return Err(error),
            }
        }
        let mut delete = connection.prepare_cached("DELETE FROM games WHERE id = ?1")?;
        for id in &old {
            delete.execute(params![id])?;
        }
        if !old.is_empty() {
            info!(games = old.len(), "old games were dropped");
        }
        let begins = self.at.is_none();
        if begins {
            self.note(connection)?;
        }
        self.at = last;
        if last.is_none() {
            self.next = now.saturating_add(EVERY);
        }
        Ok(begins || !old.is_empty())
    }
}

/// How much time had been witnessed when a run begins at `now`.
fn witnessed(stored: Option<u64>, now: u64) -> u64 {
    match stored {
        Some(stored) if stored < now => stored + (now - stored).min(REST),
        Some(_) | None => now,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_that_jumps_is_not_believed_at_once() {
        let (now, year) = (1_700_000_000_000, 365 * 24 * 60 * 60 * 1000);
        assert_eq!(witnessed(None, now), now);
        assert_eq!(witnessed(Some(now - 5_000), now), now);
        assert_eq!(witnessed(Some(now), now + 20 * year), now + REST);
        assert_eq!(witnessed(Some(now + REST), now), now, "it is right again");
    }
}
