//! The file under the log: opened by one process at a time, checked, and of a known format.

use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};

use super::Durability;

/// The format that this program writes. A newer file is refused, an older one is brought up to date.
pub(super) const FORMAT: i64 = 1;

/// For the moment in which another process opens the file.
const BUSY: Duration = Duration::from_millis(100);

const FILE: &str = "noughts.db";
const LOCK: &str = "noughts.lock";

/// Why a data directory cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// A directory or a file cannot be made.
    #[error("cannot use {path}: {error}")]
    Directory {
        /// Which.
        path: PathBuf,
        /// Why.
        error: std::io::Error,
    },
    /// Another server has it.
    #[error("the data directory {0} is in use by another server")]
    InUse(PathBuf),
    /// A later version wrote it.
    #[error("the data is of format {found}, and this server knows formats up to {FORMAT}")]
    Newer {
        /// The format of the file.
        found: i64,
    },
    /// SQLite found damage, or we did.
    #[error("the data is damaged: {0}")]
    Damaged(String),
    /// SQLite failed.
    #[error("cannot read the data: {0}")]
    Sqlite(#[from] rusqlite::Error),
}

/// A data directory that is ours while this lives.
#[derive(Debug)]
pub(super) struct Store {
    pub(super) connection: Connection,
    /// Unlocked when dropped, also by a kill: the lock is the process's.
    _lock: File,
}

impl Store {
    /// Locks, opens, checks and migrates.
    pub(super) fn open(directory: &Path, durability: Durability) -> Result<Store, OpenError> {
        let failed = |error| OpenError::Directory { path: directory.to_owned(), error };
        fs::create_dir_all(directory).map_err(failed)?;
        let lock = File::create(directory.join(LOCK)).map_err(failed)?;
        lock.try_lock().map_err(|error| match error {
            TryLockError::WouldBlock => OpenError::InUse(directory.to_owned()),
            TryLockError::Error(error) => failed(error),
        })?;
        let mut connection = Connection::open(directory.join(FILE))?;
        restrict(&directory.join(FILE)).map_err(failed)?;
        // The writer waits for nobody: a commit needs no reader to go, and a checkpoint can come later.
        connection.busy_timeout(BUSY)?;
        connection.pragma_update(None, "journal_mode", "wal")?;
        connection.pragma_update(None, "synchronous", durability.synchronous())?;
        // Checkpoints are taken when nothing else is to do; the limit is for a log that never rests.
        connection.pragma_update(None, "wal_autocheckpoint", 20_000)?;
        check(&connection)?;
        migrate(&mut connection)?;
        Ok(Store { connection, _lock: lock })
    }
}

/// Opens the file to read beside a running server, or without one.
pub(super) fn open_to_read(directory: &Path) -> Result<Connection, OpenError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(directory.join(FILE), flags)?;
    connection.pragma_update(None, "query_only", true)?;
    let found = format(&connection)?;
    if found > FORMAT {
        return Err(OpenError::Newer { found });
    }
    Ok(connection)
}

/// The file holds tokens: it is its owner's alone.
pub(super) fn restrict(file: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(file, fs::Permissions::from_mode(0o600))
}

fn check(connection: &Connection) -> Result<(), OpenError> {
    let verdict: String = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
    if verdict == "ok" { Ok(()) } else { Err(OpenError::Damaged(verdict)) }
}

fn format(connection: &Connection) -> rusqlite::Result<i64> {
    connection.query_row("PRAGMA user_version", [], |row| row.get(0))
}

fn migrate(connection: &mut Connection) -> Result<(), OpenError> {
    let found = format(connection)?;
    if found > FORMAT {
        return Err(OpenError::Newer { found });
    }
    if found == 0 {
        let transaction = connection.transaction()?;
        transaction.execute_batch(TABLES)?;
        transaction.pragma_update(None, "user_version", FORMAT)?;
        transaction.commit()?;
    }
    Ok(())
}

/// Events are appended by row: with a key on (room, seq) every event would dirty a page of its own,
/// which was measured to cost five to ten times as much.
const TABLES: &str = "
    CREATE TABLE events (
        id INTEGER PRIMARY KEY,
        room INTEGER NOT NULL,
        body BLOB NOT NULL,
        crc INTEGER NOT NULL
    );
    CREATE TABLE rooms (
        room INTEGER PRIMARY KEY,
        founding BLOB NOT NULL,
        crc INTEGER NOT NULL,
        first_event INTEGER NOT NULL,
        image_seq INTEGER NOT NULL DEFAULT 0,
        image BLOB,
        image_crc INTEGER
    );
    CREATE TABLE games (
        id INTEGER PRIMARY KEY,
        room INTEGER NOT NULL,
        number INTEGER NOT NULL,
        ended INTEGER NOT NULL,
        record TEXT NOT NULL,
        UNIQUE (room, number, ended)
    );
    CREATE INDEX games_by_end ON games (ended);
    CREATE TABLE probe (at INTEGER NOT NULL);
    INSERT INTO probe VALUES (0);
";
