//! The data directory: locks it, checks its files, and opens the database file in the current format.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::config::DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE as NO_CHECKPOINT_ON_CLOSE;
use rusqlite::{Connection, OpenFlags};
use tracing::warn;

use crate::store::sqlite::error::DataDirError;
use crate::store::sqlite::format::schema::{prepare_tables, require_current_format};
use crate::store::sqlite::options::SqliteOptions;
use crate::store::sqlite::startup::file_watch::DataFileWatch;
use crate::store::sqlite::startup::lock_file::{self, DirLock};
use crate::store::sqlite::startup::{data_files, wal_check};

/// Covers the moment in which another process opens the file.
const BUSY_TIMEOUT: Duration = Duration::from_millis(100);

/// More than the number of different statements.
const STATEMENT_CACHE_CAPACITY: usize = 32;

/// A locked and opened data directory.
#[derive(Debug)]
pub(crate) struct DataDir {
    pub(crate) connection: Connection,
    /// Declared after the connection, so that it is dropped after it.
    lock: DirLock,
    directory: PathBuf,
}

/// Page cache of SQLite, whose default is 2 MiB.
const PAGE_CACHE_KIB: i64 = 128;

impl DataDir {
    /// Locks the directory, which is created if necessary, checks its files, and creates the tables of new
    /// data.
    pub(crate) fn open(directory: &Path, options: &SqliteOptions) -> Result<DataDir, DataDirError> {
        let durability = options.durability;
        let directory_error = |error| DataDirError::Directory {
            path: directory.to_owned(),
            error,
        };
        let is_new_directory = data_files::create_directory(directory).map_err(directory_error)?;
        let lock = DirLock::acquire(directory)?;
        require_complete_files(directory, lock.was_in_use())?;
        let data = data_files::database_in(directory);
        let wal = data_files::wal_of(&data);
        if is_new_directory || !data.try_exists().map_err(directory_error)? {
            warn!(directory = %directory.display(), is_new_directory, "data not found; starting without data");
        }
        wal_check::check(&data, &wal, durability).map_err(directory_error)??;
        let mut connection = match open_connection(&data, options, WalIndexPlace::File) {
            Err(DataDirError::DiskFull(error)) => {
                warn!(%error, "disk is full: other programs cannot read the data until the next start");
                open_connection(&data, options, WalIndexPlace::Memory)?
            }
            opened => opened?,
        };
        quick_check(&connection)?;
        prepare_tables(&mut connection)?;
        Ok(DataDir {
            connection,
            lock,
            directory: directory.to_owned(),
        })
    }

    /// Time at which the last server began to stop, if it closed the data.
    pub(crate) fn previous_stop(&self) -> Option<u64> {
        self.lock.previous_stop()
    }

    /// Whether the write-ahead log is recorded as required, by this server or by one that was killed.
    pub(crate) fn is_in_use(&self) -> bool {
        self.lock.is_in_use()
    }

    /// Records that the write-ahead log is required from now on.
    pub(crate) fn mark_in_use(&mut self) -> std::io::Result<()> {
        self.lock.set_in_use()
    }

    /// Sizes of the database file and of the write-ahead log; 0 for one that cannot be read.
    pub(crate) fn file_sizes(&self) -> [u64; 2] {
        let database = data_files::database_in(&self.directory);
        let wal = data_files::wal_of(&database);
        [database, wal].map(|file| fs::metadata(file).map_or(0, |file| file.len()))
    }

    /// Free space of the disk that this process may use.
    pub(crate) fn disk_free_bytes(&self) -> Option<u64> {
        let disk = rustix::fs::statvfs(&self.directory).ok()?;
        Some(disk.f_bavail.saturating_mul(disk.f_frsize))
    }

    /// Watches the directory and the files that contain the data. Complete after the first commit of this server.
    pub(crate) fn watch_files(&self) -> Result<DataFileWatch, DataDirError> {
        let data = data_files::database_in(&self.directory);
        let (wal, index) = (data_files::wal_of(&data), data_files::wal_index_of(&data));
        DataFileWatch::new([self.directory.clone(), data, wal, index]).map_err(|error| {
            DataDirError::Directory {
                path: self.directory.clone(),
                error,
            }
        })
    }

    /// Creates the lock file again if it has been deleted. Returns whether that was necessary.
    pub(crate) fn restore_lock_file(&mut self) -> std::io::Result<bool> {
        self.lock.restore_file()
    }

    /// Records that the write-ahead log is no longer required, before the final checkpoint. `stop`: time at which the
    /// server began to stop.
    pub(crate) fn mark_closed(&mut self, stop: Option<u64>) -> std::io::Result<()> {
        self.lock.set_closed(stop)?;
        self.connection
            .set_db_config(NO_CHECKPOINT_ON_CLOSE, false)
            .map(|_| ())
            .map_err(std::io::Error::other)
    }
}

/// Place of the index of the write-ahead log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum WalIndexPlace {
    /// A file, through which other programs can read beside the server. It needs 32 KiB.
    File,
    /// The memory of this process, which then locks the database file for all others.
    Memory,
}

/// Opens the database file for reading and writing. Until [`DataDir::mark_closed`], the end of the connection leaves the
/// write-ahead log as it is: the lock file requires it, and a directory that is refused stays unchanged.
fn open_connection(
    data: &Path,
    options: &SqliteOptions,
    wal_index: WalIndexPlace,
) -> Result<Connection, DataDirError> {
    let connection = Connection::open(data)?;
    connection.set_db_config(NO_CHECKPOINT_ON_CLOSE, true)?;
    connection.set_prepared_statement_cache_capacity(STATEMENT_CACHE_CAPACITY);
    data_files::restrict_permissions(data).map_err(|error| DataDirError::Directory {
        path: data.to_owned(),
        error,
    })?;
    // The writer does not wait for readers: a commit succeeds beside them, and a checkpoint can be delayed.
    connection.busy_timeout(BUSY_TIMEOUT)?;
    if wal_index == WalIndexPlace::Memory {
        // SQLite creates no index file if this precedes the first access: https://www.sqlite.org/wal.html#noshm
        connection.pragma_update(None, "locking_mode", "exclusive")?;
    }
    connection.pragma_update(None, "journal_mode", "wal")?;
    connection.pragma_update(None, "synchronous", options.durability.synchronous())?;
    // The writer runs checkpoints while it is idle; the limit is for one that is never idle.
    connection.pragma_update(None, "wal_autocheckpoint", 20_000)?;
    connection.pragma_update(None, "journal_size_limit", options.wal_kept_bytes as i64)?;
    // Appended pages are not read before the next start, and the cache of the system has the others.
    connection.pragma_update(None, "cache_size", -PAGE_CACHE_KIB)?;
    Ok(connection)
}

/// Checks that no file of a data directory is missing: SQLite would create a new one, and discard a write-ahead log that
/// does not belong to it. `in_use`: the last server has not closed the data.
///
/// # Errors
/// [`DataDirError::MissingData`] or [`DataDirError::MissingWal`].
pub(crate) fn require_complete_files(directory: &Path, in_use: bool) -> Result<(), DataDirError> {
    let data = data_files::database_in(directory);
    let wal = data_files::wal_of(&data);
    let is_empty = |file: &Path| fs::metadata(file).map_or(0, |file| file.len()) == 0;
    if is_empty(&data) && (in_use || !is_empty(&wal)) {
        return Err(DataDirError::MissingData { data });
    }
    if in_use && is_empty(&wal) {
        return Err(DataDirError::MissingWal {
            wal,
            lock: lock_file::path_in(directory),
        });
    }
    Ok(())
}

/// Opens the database file of a directory for reading. A server may run at the same time.
///
/// # Errors
/// If there is no such file, or its format is not the current one.
pub(crate) fn open_read_only(directory: &Path) -> Result<Connection, DataDirError> {
    open_file_read_only(&data_files::database_in(directory))
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
    require_current_format(&connection)?;
    Ok(connection)
}

fn quick_check(connection: &Connection) -> Result<(), DataDirError> {
    let verdict: String = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
    if verdict == "ok" {
        Ok(())
    } else {
        Err(DataDirError::Corrupt(verdict))
    }
}
