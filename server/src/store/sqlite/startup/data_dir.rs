//! The data directory: locks it, checks its files, and opens the database file in the current format.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::config::DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE as NO_CHECKPOINT_ON_CLOSE;
use rusqlite::{Connection, OpenFlags};

use crate::runtime::time::uptime::UptimeHistory;
use crate::store::sqlite::error::DataDirError;
use crate::store::sqlite::format::migrate;
use crate::store::sqlite::options::Durability;
use crate::store::sqlite::startup::lock_file::{self, DirLock};
use crate::store::sqlite::startup::wal_check;

/// Covers the moment in which another process opens the file.
const BUSY_TIMEOUT: Duration = Duration::from_millis(100);

/// More than the number of different statements.
const STATEMENT_CACHE_CAPACITY: usize = 32;

const DATABASE_FILE: &str = "noughts.db";

/// A locked and opened data directory.
#[derive(Debug)]
pub(crate) struct DataDir {
    pub(crate) connection: Connection,
    /// Declared after the connection, so that it is dropped after it.
    lock: DirLock,
}

/// Page cache of SQLite, whose default is 2 MiB.
const PAGE_CACHE_KIB: i64 = 128;

impl DataDir {
    /// Locks the directory, which is created if necessary, checks its files, and migrates the data to the current
    /// format.
    pub(crate) fn open(directory: &Path, durability: Durability) -> Result<DataDir, DataDirError> {
        let directory_error = |error| DataDirError::Directory { path: directory.to_owned(), error };
        fs::create_dir_all(directory).map_err(directory_error)?;
        let lock = DirLock::acquire(directory)?;
        require_complete_files(directory, lock.was_in_use())?;
        let (data, wal) = database_files(directory);
        wal_check::check(&data, &wal, durability).map_err(directory_error)??;
        let mut connection = Connection::open(&data)?;
        connection.set_prepared_statement_cache_capacity(STATEMENT_CACHE_CAPACITY);
        restrict_permissions(&data).map_err(directory_error)?;
        // The writer does not wait for readers: a commit succeeds beside them, and a checkpoint can be delayed.
        connection.busy_timeout(BUSY_TIMEOUT)?;
        connection.pragma_update(None, "journal_mode", "wal")?;
        connection.pragma_update(None, "synchronous", durability.synchronous())?;
        // The writer runs checkpoints while it is idle; the limit is for one that is never idle.
        connection.pragma_update(None, "wal_autocheckpoint", 20_000)?;
        // Appended pages are not read before the next start, and the cache of the system has the others.
        connection.pragma_update(None, "cache_size", -PAGE_CACHE_KIB)?;
        quick_check(&connection)?;
        migrate::migrate(&mut connection)?;
        Ok(DataDir { connection, lock })
    }

    /// Uptime history that the last server recorded.
    pub(crate) fn uptime(&self) -> UptimeHistory {
        self.lock.uptime()
    }

    /// Records the uptime history.
    pub(crate) fn write_uptime(&self, uptime: &UptimeHistory) -> std::io::Result<()> {
        self.lock.write_uptime(uptime)
    }

    /// Records that the write-ahead log is required from now on, before the first commit.
    pub(crate) fn mark_in_use(&mut self) -> Result<(), DataDirError> {
        let path = self.lock.path().to_owned();
        self.lock.set_in_use(true).map_err(|error| DataDirError::Directory { path, error })
    }

    /// Records that the write-ahead log is no longer required, before the final checkpoint.
    pub(crate) fn mark_closed(&mut self) -> std::io::Result<()> {
        self.lock.set_in_use(false)
    }
}

/// The database file and its write-ahead log.
pub(crate) fn database_files(directory: &Path) -> (PathBuf, PathBuf) {
    let file = directory.join(DATABASE_FILE);
    let wal = wal_of(&file);
    (file, wal)
}

/// The write-ahead log of a database file.
pub(crate) fn wal_of(file: &Path) -> PathBuf {
    with_suffix(file, "-wal")
}

/// The path with a longer name.
pub(crate) fn with_suffix(file: &Path, suffix: &str) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

/// Makes the creation, renaming or deletion of a file durable.
pub(crate) fn sync_parent(file: &Path) -> std::io::Result<()> {
    let parent = file.parent().filter(|parent| !parent.as_os_str().is_empty());
    File::open(parent.unwrap_or(Path::new(".")))?.sync_all()
}

/// Checks that no file of a data directory is missing: SQLite would create a new one, and discard a write-ahead log that
/// does not belong to it. `in_use`: the last server has not closed the data.
///
/// # Errors
/// [`DataDirError::MissingData`] or [`DataDirError::MissingWal`].
pub(crate) fn require_complete_files(directory: &Path, in_use: bool) -> Result<(), DataDirError> {
    let (data, wal) = database_files(directory);
    let is_empty = |file: &Path| fs::metadata(file).map_or(0, |file| file.len()) == 0;
    if is_empty(&data) && (in_use || !is_empty(&wal)) {
        return Err(DataDirError::MissingData { data });
    }
    if in_use && is_empty(&wal) {
        return Err(DataDirError::MissingWal { wal, lock: lock_file::path_in(directory) });
    }
    Ok(())
}

/// Opens the database file of a directory for reading. A server may run at the same time.
///
/// # Errors
/// If there is no such file, or its format is not the current one.
pub(crate) fn open_read_only(directory: &Path) -> Result<Connection, DataDirError> {
    open_file_read_only(&directory.join(DATABASE_FILE))
}

/// Opens a database file for reading. A server may run at the same time.
///
/// # Errors
/// If there is no such file, or its format is not the current one.
pub(crate) fn open_file_read_only(file: &Path) -> Result<Connection, DataDirError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(file, flags)?;
    connection.pragma_update(None, "query_only", true)?;
    // The write-ahead log of a killed server must stay for the next server.
    connection.set_db_config(NO_CHECKPOINT_ON_CLOSE, true)?;
    migrate::require_current_format(&connection)?;
    Ok(connection)
}

/// Makes a file accessible to its owner only, because it contains tokens.
pub(crate) fn restrict_permissions(file: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(file, fs::Permissions::from_mode(0o600))
}

fn quick_check(connection: &Connection) -> Result<(), DataDirError> {
    let verdict: String = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
    if verdict == "ok" { Ok(()) } else { Err(DataDirError::Corrupt(verdict)) }
}
