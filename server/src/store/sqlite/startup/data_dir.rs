//! The file under the log: opened by one process at a time, checked, and of a known format.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::config::DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE as NO_CHECKPOINT_ON_CLOSE;
use rusqlite::{Connection, OpenFlags};

use crate::store::sqlite::Durability;
use crate::store::sqlite::format::migrate;
use crate::store::sqlite::format::row::RowError;
use crate::store::sqlite::startup::lock_file::DirLock;
use crate::store::sqlite::startup::wal_check;
use crate::time::uptime::UptimeHistory;

/// The format that this program writes. A newer file is refused, an older one is brought up to date.
pub(crate) const FORMAT: i64 = 3;

/// For the moment in which another process opens the file.
const BUSY_TIMEOUT: Duration = Duration::from_millis(100);

/// More than there are different ones.
const STATEMENT_CACHE_CAPACITY: usize = 32;

const DATABASE_FILE: &str = "noughts.db";
const WAL_FILE: &str = "noughts.db-wal";

/// Why a data directory cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum DataDirError {
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
    /// The last server was killed, and what it wrote last is not there.
    #[error(
        "the last server was killed, and the last moves that it stored are in {wal}, which is missing: \
         put it back beside the data; or, to go on without them, delete {lock}"
    )]
    MissingWal {
        /// What is missing.
        wal: PathBuf,
        /// What says so.
        lock: PathBuf,
    },
    /// What was written last is there, and what it continues is not.
    #[error(
        "{data} is missing or empty, and what was stored last is in the files beside it: \
         bring it back, or take those away to begin anew"
    )]
    MissingData {
        /// What is missing.
        data: PathBuf,
    },
    /// SQLite found damage, or we did.
    #[error("the data is damaged: {0}")]
    Corrupt(String),
    /// SQLite failed.
    #[error("cannot read the data: {0}")]
    Sqlite(#[from] rusqlite::Error),
}

impl From<RowError> for DataDirError {
    fn from(failed: RowError) -> DataDirError {
        match failed {
            RowError::Sqlite(error) => DataDirError::Sqlite(error),
            RowError::Corrupt(what) => DataDirError::Corrupt(what),
        }
    }
}

/// A data directory that is ours while this lives.
#[derive(Debug)]
pub(crate) struct DataDir {
    pub(crate) connection: Connection,
    /// Dropped after the connection.
    lock: DirLock,
}

/// What SQLite keeps of the file in memory; it would be 2 MiB if nobody said.
const PAGE_CACHE_KIB: i64 = 128;

impl DataDir {
    /// Locks, opens, checks and migrates.
    pub(crate) fn open(directory: &Path, durability: Durability) -> Result<DataDir, DataDirError> {
        let directory_error = |error| DataDirError::Directory { path: directory.to_owned(), error };
        fs::create_dir_all(directory).map_err(directory_error)?;
        let lock = DirLock::acquire(directory)?;
        let (data, wal) = (directory.join(DATABASE_FILE), directory.join(WAL_FILE));
        let is_empty = |file: &Path| fs::metadata(file).map_or(0, |file| file.len()) == 0;
        // SQLite would make a new file, and throw away a write-ahead log that does not belong to it.
        if is_empty(&data) && (lock.was_in_use() || !is_empty(&wal)) {
            return Err(DataDirError::MissingData { data });
        }
        if lock.was_in_use() && is_empty(&wal) {
            return Err(DataDirError::MissingWal { wal, lock: lock.path().to_owned() });
        }
        wal_check::check(&data, &wal, durability).map_err(directory_error)??;
        let mut connection = Connection::open(&data)?;
        connection.set_prepared_statement_cache_capacity(STATEMENT_CACHE_CAPACITY);
        restrict_permissions(&data).map_err(directory_error)?;
        // The writer waits for nobody: a commit needs no reader to go, and a checkpoint can come later.
        connection.busy_timeout(BUSY_TIMEOUT)?;
        connection.pragma_update(None, "journal_mode", "wal")?;
        connection.pragma_update(None, "synchronous", durability.synchronous())?;
        // Checkpoints are taken when nothing else is to do; the limit is for a log that never rests.
        connection.pragma_update(None, "wal_autocheckpoint", 20_000)?;
        // What is appended is not read again before a start, and a page that is missed is in the system's cache.
        connection.pragma_update(None, "cache_size", -PAGE_CACHE_KIB)?;
        quick_check(&connection)?;
        migrate::migrate(&mut connection)?;
        Ok(DataDir { connection, lock })
    }

    /// When servers were there, as far as the last one noted it.
    pub(crate) fn uptime(&self) -> UptimeHistory {
        self.lock.uptime()
    }

    /// Notes that.
    pub(crate) fn write_uptime(&self, uptime: &UptimeHistory) -> std::io::Result<()> {
        self.lock.write_uptime(uptime)
    }

    /// From the first commit on there is a write-ahead log that must not be lost.
    pub(crate) fn mark_in_use(&mut self) -> Result<(), DataDirError> {
        let path = self.lock.path().to_owned();
        self.lock.set_in_use(true).map_err(|error| DataDirError::Directory { path, error })
    }

    /// The write-ahead log is about to be moved into the file for good.
    pub(crate) fn mark_closed(&mut self) -> std::io::Result<()> {
        self.lock.set_in_use(false)
    }
}

/// Opens the file to read beside a running server, or without one.
pub(crate) fn open_read_only(directory: &Path) -> Result<Connection, DataDirError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(directory.join(DATABASE_FILE), flags)?;
    connection.pragma_update(None, "query_only", true)?;
    // After a kill the write-ahead log is for the next server to find.
    connection.set_db_config(NO_CHECKPOINT_ON_CLOSE, true)?;
    match format_version(&connection)? {
        FORMAT => Ok(connection),
        found if found > FORMAT => Err(DataDirError::Newer { found }),
        found => Err(DataDirError::Corrupt(format!(
            "it is of format {found}: a server of this version brings it up to date when it starts"
        ))),
    }
}

/// The file holds tokens: it is its owner's alone.
pub(crate) fn restrict_permissions(file: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(file, fs::Permissions::from_mode(0o600))
}

fn quick_check(connection: &Connection) -> Result<(), DataDirError> {
    let verdict: String = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
    if verdict == "ok" { Ok(()) } else { Err(DataDirError::Corrupt(verdict)) }
}

pub(crate) fn format_version(connection: &Connection) -> rusqlite::Result<i64> {
    connection.query_row("PRAGMA user_version", [], |row| row.get(0))
}
