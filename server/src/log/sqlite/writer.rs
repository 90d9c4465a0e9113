//! The one thread that touches the file: takes whatever waits, commits it as one group, answers.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use noughts_protocol::{RoomId, Stamped};
use rusqlite::config::DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE as NO_CHECKPOINT_ON_CLOSE;
use rusqlite::{ffi, params};
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, timeout};
use tokio_util::sync::CancellationToken;
use tracing::{error, info, warn};

use super::schema::{OpenError, Store};
use super::step::{Open, Reply, Step, Undo};
use super::{Options, recover};
use crate::log::{Finished, Founding, Image, LogError, Stored};

/// Without work for this long the writer tidies up.
const IDLE: Duration = Duration::from_millis(500);

/// And at least this often, however busy.
const TIDY_EVERY: Duration = Duration::from_secs(5);

/// Rows looked at in one go when tidying: a few milliseconds, so that a move does not wait long.
const SWEEP: i64 = 5_000;

type Answer<T> = oneshot::Sender<Result<T, LogError>>;

/// What the log is asked to do, and where the answer goes.
#[derive(Debug)]
pub(super) enum Work {
    Create(Founding, Vec<Stamped>, Answer<()>),
    Append(RoomId, Vec<Stamped>, Answer<()>),
    Keep(RoomId, Image, Answer<()>),
    Archive(RoomId, Finished, Answer<()>),
    Retire(RoomId, Answer<()>),
    Load(RoomId, Answer<Stored>),
    Recover(Answer<Vec<(Founding, Stored)>>),
    #[cfg(test)]
    LimitPages(Option<u32>, Answer<()>),
}

#[derive(Debug)]
pub(super) struct Job {
    pub(super) work: Work,
}

pub(super) struct Writer {
    store: Store,
    options: Options,
    rooms: HashMap<RoomId, Open>,
    /// What the open rooms were at the start, until somebody asks.
    recovered: Vec<(Founding, Stored)>,
    next_event: i64,
    healthy: Arc<AtomicBool>,
    broken: CancellationToken,
    /// How far the sweep for events of closed rooms has come; none when there is nothing to find.
    swept: Option<i64>,
    written: bool,
    /// When to look for games that have been kept for long enough.
    expire_at: u64,
}

/// How often that is, in milliseconds.
const EXPIRE_EVERY: u64 = 60 * 60 * 1000;

impl Writer {
    /// Reads the open rooms.
    pub(super) fn new(
        store: Store,
        options: Options,
        healthy: Arc<AtomicBool>,
        broken: CancellationToken,
    ) -> Result<Writer, OpenError> {
        let recovered = recover::open_rooms(&store.connection)?;
        let mut rooms = HashMap::new();
        let mut kept = Vec::with_capacity(recovered.len());
        for found in recovered {
            let last = found.stored.last_seq();
            rooms.insert(found.founding.room, Open { last, first_event: found.first_event });
            kept.push((found.founding, found.stored));
        }
        // Rows behind an image may all be swept: what comes next still comes after the image.
        let (next_event, swept) = store.connection.query_row(
            "SELECT max(coalesce((SELECT max(id) + 1 FROM events), 1),
                        coalesce((SELECT max(first_event) FROM rooms), 1)),
                    (SELECT min(id) FROM events)",
            [],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )?;
        Ok(Writer {
            store,
            options,
            rooms,
            recovered: kept,
            next_event,
            healthy,
            broken,
            swept,
            written: false,
            expire_at: 0,
        })
    }

    pub(super) fn run(mut self, mut jobs: mpsc::Receiver<Job>) {
        let runtime = match tokio::runtime::Builder::new_current_thread().enable_time().build() {
            Ok(runtime) => runtime,
            Err(failed) => {
                self.healthy.store(false, Ordering::Relaxed);
                self.broken.cancel();
                return error!(error = %failed, "the log's writer cannot start");
            }
        };
        let _alarm = Alarm { healthy: Arc::clone(&self.healthy), broken: self.broken.clone() };
        runtime.block_on(async {
            let mut group = Vec::new();
            let mut tidied = Instant::now();
            loop {
                let idle = match timeout(IDLE, jobs.recv_many(&mut group, super::GROUP)).await {
                    Ok(0) => return,
                    Ok(_) => {
                        self.commit(group.drain(..));
                        false
                    }
                    Err(_) => true,
                };
                // Also in between, for a log that never rests.
                if !self.broken.is_cancelled() && (idle || tidied.elapsed() >= TIDY_EVERY) {
                    self.tidy();
                    tidied = Instant::now();
                }
                if self.broken.is_cancelled() {
                    return;
                }
            }
        });
        if self.broken.is_cancelled() {
            // Nobody knows what the disk holds: nothing is moved into the file any more.
            if let Err(failed) = self.store.connection.set_db_config(NO_CHECKPOINT_ON_CLOSE, true) {
                error!(error = %failed, "the file is closed as usual");
            }
        } else {
            self.checkpoint("TRUNCATE");
        }
    }

    /// Does all of a group in one transaction, or none of it, and answers after that.
    fn commit(&mut self, group: impl Iterator<Item = Job>) {
        let mut replies: Vec<Reply> = Vec::new();
        let mut undo = Undo::new();
        let next_event = self.next_event;
        let done = self.try_commit(group, &mut replies, &mut undo);
        let failed = done.err().map(|failed| {
            for (room, before) in undo.into_iter().rev() {
                match before {
                    Some(open) => self.rooms.insert(room, open),
                    None => self.rooms.remove(&room),
                };
            }
            self.next_event = next_event;
            self.fail(&failed)
        });
        if failed.is_none() {
            self.written = true;
            if self.next_event != next_event {
                // Only what was written shows that it can be.
                self.healthy.store(true, Ordering::Relaxed);
            }
        }
        for reply in replies {
            reply(failed.clone());
        }
    }

    fn try_commit(
        &mut self,
        group: impl Iterator<Item = Job>,
        replies: &mut Vec<Reply>,
        undo: &mut Undo,
    ) -> rusqlite::Result<()> {
        let transaction = self.store.connection.transaction()?;
        let mut failed = None;
        for job in group {
            let mut step = Step {
                transaction: &transaction,
                rooms: &mut self.rooms,
                recovered: &mut self.recovered,
                next_event: &mut self.next_event,
                swept: &mut self.swept,
                undo,
            };
            // After a failure the rest of the group is answered without being tried.
            let (reply, done) = step.perform(job.work, failed.is_none());
            replies.push(reply);
            failed = failed.or(done.err());
        }
        match failed {
            Some(error) => Err(error),
            None => transaction.commit(),
        }
    }

    /// What a failure means: a full disk may be emptied; after a failed fsync nobody knows what the
    /// disk has, and asking again would be told a lie.
    fn fail(&self, failed: &rusqlite::Error) -> LogError {
        self.healthy.store(false, Ordering::Relaxed);
        let fsync = failed.sqlite_error().is_some_and(|error| {
            error.extended_code == ffi::SQLITE_IOERR_FSYNC
                || error.extended_code == ffi::SQLITE_IOERR_DIR_FSYNC
        });
        if fsync {
            error!(error = %failed, "fsync failed; the server stops");
            self.broken.cancel();
            return LogError::Unknown;
        }
        warn!(error = %failed, "a group of events was not stored");
        LogError::Unavailable(failed.to_string())
    }

    /// When there is nothing else to do: tries again what failed, drops what nobody needs, and moves
    /// the write-ahead log into the file.
    fn tidy(&mut self) {
        if !self.healthy.load(Ordering::Relaxed) {
            match self.store.connection.execute("UPDATE probe SET at = at + 1", []) {
                Ok(_) => {
                    info!("the log can be written again");
                    self.healthy.store(true, Ordering::Relaxed);
                }
                Err(failed) => {
                    self.fail(&failed);
                    return;
                }
            }
        }
        if let Err(failed) = self.expire() {
            self.fail(&failed);
        } else if let Some(from) = self.swept {
            match self.sweep(from) {
                Ok(next) => self.swept = next,
                Err(failed) => {
                    self.fail(&failed);
                }
            }
        }
        if self.written && !self.broken.is_cancelled() {
            self.written = !self.checkpoint("PASSIVE");
        }
    }

    /// Drops games that have been kept for long enough.
    fn expire(&mut self) -> rusqlite::Result<()> {
        let now = self.options.time.now();
        if now < self.expire_at {
            return Ok(());
        }
        let oldest = now.saturating_sub(crate::config::millis(self.options.keep_games));
        let dropped =
            self.store.connection.execute("DELETE FROM games WHERE ended < ?1", params![oldest as i64])?;
        if dropped > 0 {
            info!(games = dropped, "old games were dropped");
            self.written = true;
        }
        self.expire_at = now + EXPIRE_EVERY;
        Ok(())
    }

    /// Drops events of closed rooms, a few thousand rows at a time. Returns where to go on, or
    /// nothing at the end of the table.
    fn sweep(&mut self, from: i64) -> rusqlite::Result<Option<i64>> {
        let to = from + SWEEP;
        let dropped = self.store.connection.execute(
            "DELETE FROM events WHERE id >= ?1 AND id < ?2 AND NOT EXISTS
                 (SELECT 1 FROM rooms WHERE rooms.room = events.room AND events.id >= rooms.first_event)",
            params![from, to],
        )?;
        self.written |= dropped > 0;
        Ok((to < self.next_event).then_some(to))
    }

    /// Moves the write-ahead log into the file, and says whether all of it is there. Not all is done
    /// while a reader, a backup for instance, is in the way.
    fn checkpoint(&self, kind: &str) -> bool {
        let sql = format!("PRAGMA wal_checkpoint({kind})");
        let done = self.store.connection.query_row(&sql, [], |row| {
            Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?, row.get::<_, i64>(2)?))
        });
        match done {
            Ok((busy, log, moved)) => busy == 0 && log == moved,
            Err(failed) => {
                self.fail(&failed);
                false
            }
        }
    }
}

/// A writer that ends in a panic is a log that has failed for good.
struct Alarm {
    healthy: Arc<AtomicBool>,
    broken: CancellationToken,
}

impl Drop for Alarm {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.healthy.store(false, Ordering::Relaxed);
            self.broken.cancel();
        }
    }
}
