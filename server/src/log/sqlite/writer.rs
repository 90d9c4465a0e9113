//! The one thread that touches the file: takes whatever waits, commits it as one group, answers.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use noughts_protocol::Seq;
use rusqlite::config::DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE as NO_CHECKPOINT_ON_CLOSE;
use rusqlite::{Connection, ffi};
use tokio::sync::mpsc;
use tokio::time::{Instant, timeout};
use tracing::{error, info, warn};

use super::Options;
use super::answer::Sleepers;
use super::expiry::Expiry;
use super::group::Group;
use super::health::Health;
use super::ledger::{Ledger, Open};
use super::pace::{ENOUGH, Pace};
use super::recover::{self, Found};
use super::schema::{OpenError, Store};
use super::step::{self, Reply, Step};
use super::sweep::Sweep;
use super::work::Work;
use crate::fault::Faults;
use crate::lived::Lived;
use crate::log::{Founding, LogError, Stored};

/// Without work for this long the writer tidies up.
const IDLE: Duration = Duration::from_millis(500);

/// And at least this often, however busy.
const TIDY_EVERY: Duration = Duration::from_secs(5);

/// Games too many that are dropped for each that comes.
const CROWDED_OUT: i64 = 4;

pub(super) struct Writer {
    store: Store,
    ledger: Ledger,
    /// What the open rooms were at the start, until somebody asks.
    recovered: Vec<(Founding, Stored)>,
    health: Arc<Health>,
    sleepers: Arc<Sleepers>,
    /// What is written next; its memory, between two commits.
    group: Group,
    sweep: Sweep,
    expiry: Expiry,
    written: bool,
}

impl Writer {
    /// Reads the open rooms.
    pub(super) fn new(
        mut store: Store,
        options: Options,
        faults: Faults,
        health: Arc<Health>,
        sleepers: Arc<Sleepers>,
    ) -> Result<Writer, OpenError> {
        let mut rooms = HashMap::new();
        let mut recovered = Vec::new();
        let (found, stock) = recover::open_rooms(&store.connection, faults)?;
        for Found { founding, founded, bytes, stored } in found {
            let imaged = stored.image.as_ref().map_or(Seq::ZERO, |image| image.seq);
            let open = Open { last: stored.last_seq(), imaged, founded, recent: founded, bytes };
            rooms.insert(founding.room, open);
            recovered.push((founding, stored));
        }
        let game =
            store.connection.query_row("SELECT coalesce(max(id), 0) + 1 FROM games", [], |row| row.get(0))?;
        let ledger = Ledger::new(rooms, stock, game);
        let expiry = Expiry::new(&store.connection, options)?;
        expiry.note(&store.connection)?;
        store.mark_in_use()?;
        let (group, sweep) = (Group::default(), Sweep::default());
        Ok(Writer { store, ledger, recovered, health, sleepers, group, sweep, expiry, written: true })
    }

    pub(super) fn run(mut self, mut jobs: mpsc::Receiver<Work>) {
        let runtime = match tokio::runtime::Builder::new_current_thread().enable_time().build() {
            Ok(runtime) => runtime,
            Err(failed) => {
                self.health.fail_for_good();
                return error!(error = %failed, "the log's writer cannot start");
            }
        };
        let health = Arc::clone(&self.health);
        let _alarm = Alarm(&health);
        runtime.block_on(async {
            let mut group = Vec::new();
            let mut tidied = Instant::now();
            let mut pace = Pace::new(tidied);
            loop {
                let idle = match timeout(IDLE, jobs.recv_many(&mut group, super::GROUP)).await {
                    Ok(0) => return,
                    Ok(_) => {
                        let busy = health.busy();
                        // The last says all.
                        let beat = group.extract_if(.., |work| matches!(work, Work::Beat(_))).last();
                        let committed = !group.is_empty();
                        if committed {
                            pace.begins(Instant::now(), &group, &self.ledger);
                            self.commit(group.drain(..));
                        }
                        if let Some(Work::Beat(lived)) = beat {
                            self.note(&lived);
                        }
                        drop(busy);
                        let rest = if committed { pace.ends(Instant::now()) } else { Duration::ZERO };
                        if !jobs.is_closed() && jobs.len() < ENOUGH as usize {
                            sleep(rest);
                        }
                        !committed && pace.idle() >= IDLE
                    }
                    Err(_) => true,
                };
                if idle {
                    self.sleepers.wake_all();
                }
                // Also in between, for a log that never rests.
                if !health.broken().is_cancelled() && (idle || tidied.elapsed() >= TIDY_EVERY) {
                    let _busy = health.busy();
                    self.tidy();
                    tidied = Instant::now();
                }
                if health.broken().is_cancelled() {
                    return;
                }
            }
        });
        self.sleepers.wake_all();
        self.close();
    }

    fn close(mut self) {
        if self.health.broken().is_cancelled() {
            // Nobody knows what the disk holds: nothing is moved into the file any more.
            if let Err(failed) = self.store.connection.set_db_config(NO_CHECKPOINT_ON_CLOSE, true) {
                error!(error = %failed, "the file is closed as usual");
            }
            return;
        }
        if let Err(failed) = self.expiry.note(&self.store.connection) {
            warn!(error = %failed, "old games will be kept for a little longer");
        }
        match self.store.mark_closed() {
            Ok(()) => {
                self.checkpoint("TRUNCATE");
            }
            Err(failed) => warn!(error = %failed, "the lock file cannot be written"),
        }
    }

    /// Notes until when the server was there. As long as nothing can be stored, no time counts.
    fn note(&self, lived: &Lived) {
        if self.health.counted(lived.until())
            && let Err(failed) = self.store.note(lived)
        {
            warn!(error = %failed, "after a kill, clocks would be given back too much");
        }
    }

    /// Does all of a group in one transaction, or none of it, and answers after that.
    fn commit(&mut self, group: impl Iterator<Item = Work>) {
        let mut replies: Vec<Reply> = Vec::new();
        let done = self.try_commit(group, &mut replies);
        let failed = self.settle(done);
        if let Some(last) = replies.pop() {
            let others = replies.into_iter().map(|reply| reply(failed.clone()));
            self.sleepers.wake_in_turn(others, || last(failed.clone()));
        }
    }

    /// What became of a transaction.
    fn settle(&mut self, done: rusqlite::Result<()>) -> Option<LogError> {
        match done {
            Ok(()) => {
                if self.ledger.committed() {
                    // Only what was written shows that it can be.
                    self.health.note(true);
                }
                None
            }
            Err(failed) => {
                self.ledger.undo();
                Some(self.fail(&failed))
            }
        }
    }

    fn try_commit(
        &mut self,
        jobs: impl Iterator<Item = Work>,
        replies: &mut Vec<Reply>,
    ) -> rusqlite::Result<()> {
        let Writer { store, ledger, recovered, group, sweep, expiry, written, .. } = self;
        let connection = &store.connection;
        let game = ledger.game;
        let (mut reads, mut gone) = (Vec::new(), Vec::new());
        all_or_nothing(connection, || {
            let mut failed = None;
            group.begin(ledger.stock.next);
            // After a storm most of what waits is waited for by nobody.
            for work in jobs.filter(|work| !work.is_abandoned()) {
                let (gone, reads) = (&mut gone, &mut reads);
                let mut step = Step { connection, ledger, recovered, group, gone, reads };
                // After a failure the rest of the group is answered without being tried.
                let (reply, done) = step.perform(work, failed.is_none());
                replies.extend(reply);
                failed = failed.or(done.err());
            }
            if let Some(error) = failed {
                return Err(error);
            }
            // A log that never rests is swept as fast as it is written.
            sweep.beside(connection, ledger, group)?;
            ledger.write(group, connection)?;
            if !reads.is_empty() {
                replies.extend(step::read(connection, ledger, reads)?);
            }
            expiry.crowd_out(connection, ledger.game, (ledger.game - game) * CROWDED_OUT)?;
            *written = true;
            Ok(())
        })
    }

    /// What a failure means: a full disk may be emptied; after a failed fsync nobody knows what the
    /// disk has, and asking again would be told a lie.
    fn fail(&self, failed: &rusqlite::Error) -> LogError {
        let was_healthy = self.health.note(false);
        let fsync = failed.sqlite_error().is_some_and(|error| {
            error.extended_code == ffi::SQLITE_IOERR_FSYNC
                || error.extended_code == ffi::SQLITE_IOERR_DIR_FSYNC
        });
        if fsync {
            error!(error = %failed, "fsync failed; the server stops");
            self.health.fail_for_good();
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
    fn tidy(&mut self) {
        if !self.health.writes() {
            match self.expiry.note(&self.store.connection) {
                Ok(()) => {
                    info!("the log can be written again");
                    self.health.note(true);
                }
                Err(failed) => {
                    self.fail(&failed);
                    return;
                }
            }
        }
        let done = self.drop_what_is_old();
        self.settle(done);
        if self.written && !self.health.broken().is_cancelled() {
            self.written = !self.checkpoint("PASSIVE");
        }
    }

    fn drop_what_is_old(&mut self) -> rusqlite::Result<()> {
        let Writer { store, ledger, group, sweep, expiry, written, .. } = self;
        let connection = &store.connection;
        all_or_nothing(connection, || {
            group.begin(ledger.stock.next);
            let wrote = expiry.slice(connection, ledger.game)? | sweep.pause(connection, ledger, group)?;
            *written |= wrote;
            ledger.write(group, connection)
        })
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

/// Does it in a transaction. Its statements are prepared once, as all are.
fn all_or_nothing(
    connection: &Connection,
    perform: impl FnOnce() -> rusqlite::Result<()>,
) -> rusqlite::Result<()> {
    let run = |sql| connection.prepare_cached(sql)?.execute([]).map(|_| ());
    run("BEGIN")?;
    let done = perform().and_then(|()| run("COMMIT"));
    // A commit that failed may have ended it or not.
    if done.is_err()
        && !connection.is_autocommit()
        && let Err(failed) = run("ROLLBACK")
    {
        error!(error = %failed, "what was not committed is still there");
    }
    done
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
struct Alarm<'a>(&'a Health);

impl Drop for Alarm<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.fail_for_good();
        }
    }
}
