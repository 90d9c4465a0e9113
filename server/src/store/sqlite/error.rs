//! Errors of the data directory and of its rows.

use std::path::PathBuf;

/// Reason for which a data directory cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum DataDirError {
    /// A directory or file cannot be created, opened or written.
    #[error("cannot use {path}: {error}")]
    Directory {
        /// The directory or file.
        path: PathBuf,
        /// The cause.
        error: std::io::Error,
    },
    /// Another server has locked the directory.
    #[error("the data directory {0} is in use by another server")]
    InUse(PathBuf),
    /// Another version wrote the data.
    #[error(
        "the data has format {found}, written by another version of the server; this version reads only format {supported}: \
         use the version that wrote the data, or start with an empty directory"
    )]
    OtherFormat {
        /// Format of the file.
        found: i64,
        /// Format of this version.
        supported: i64,
    },
    /// The last server was killed, and the write-ahead log with its last commits is missing.
    #[error(
        "the last server was killed, and {wal}, which contains the last moves that it stored, is missing: \
         restore the file; or, to continue without these moves, delete {lock} while no server runs"
    )]
    MissingWal {
        /// The write-ahead log.
        wal: PathBuf,
        /// The lock file, which records that the server was killed.
        lock: PathBuf,
    },
    /// The database file is missing, but the files of its last commits are present.
    #[error(
        "{data} is missing or empty, but the files beside it contain its last commits: restore the file; or, to \
         start without data, delete the other files"
    )]
    MissingData {
        /// The database file.
        data: PathBuf,
    },
    /// The rooms are in a cluster, which serves them.
    #[error(
        "the rooms of this directory were imported into a cluster: to serve them here again, with the moves up to the import, \
         delete {mark}"
    )]
    Imported {
        /// The file that records the import.
        mark: PathBuf,
    },
    /// The data is not what was written.
    #[error("data is corrupt: {0}")]
    Corrupt(String),
    /// The data cannot be opened without some free space.
    #[error("the disk is full: the data is intact; free some space and try again ({0})")]
    DiskFull(#[source] rusqlite::Error),
    /// SQLite failed.
    #[error("cannot read data: {0}")]
    Sqlite(#[source] rusqlite::Error),
}

impl From<rusqlite::Error> for DataDirError {
    fn from(error: rusqlite::Error) -> DataDirError {
        if is_disk_full(&error) {
            DataDirError::DiskFull(error)
        } else {
            DataDirError::Sqlite(error)
        }
    }
}

/// Whether an access failed because the disk is full. SQLite reports a separate code where it cannot extend the index of
/// the write-ahead log.
pub(crate) fn is_disk_full(error: &rusqlite::Error) -> bool {
    error.sqlite_error().is_some_and(|error| {
        error.code == rusqlite::ErrorCode::DiskFull
            || error.extended_code == rusqlite::ffi::SQLITE_IOERR_SHMSIZE
    })
}

impl From<RowError> for DataDirError {
    fn from(error: RowError) -> DataDirError {
        match error {
            RowError::Sqlite(error) => error.into(),
            RowError::Corrupt(what) => DataDirError::Corrupt(what),
        }
    }
}

/// Reason for which a row cannot be read.
#[derive(Debug)]
pub(crate) enum RowError {
    Sqlite(rusqlite::Error),
    /// The row is not what was written. Contains a description of the row.
    Corrupt(String),
}

impl From<rusqlite::Error> for RowError {
    fn from(error: rusqlite::Error) -> RowError {
        RowError::Sqlite(error)
    }
}
