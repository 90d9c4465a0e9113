//! The files of a data directory: the options of their use ([`SqliteOptions`]), their paths, permissions and
//! durability, copies of the database, the mark of an import, and the errors of the directory and of its rows.
//!
//! This module does not depend on the rest of the store, because the command line uses its types, too.
//!
//! [`DataFileWatch`] detects data that is removed or replaced while the server uses it. A process keeps writing to
//! files that have no name any more, and to files of a directory that was moved. Acknowledged moves would be gone after
//! the next start.

use std::fs::{self, File};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{fmt, io};

use rusqlite::Connection;
use rusqlite::backup::{Backup, StepResult};
use tracing::warn;

use crate::runtime::clock::ServerClock;

/// Failure that an acknowledged event survives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Durability {
    /// A power failure, provided that the disk honours fsync. Every commit is synced.
    Power,
    /// The end of the process, even by SIGKILL. A power failure may lose the last seconds.
    Process,
}

impl Durability {
    /// Returns the value of `PRAGMA synchronous`.
    pub(super) fn synchronous(self) -> &'static str {
        match self {
            Durability::Power => "full",
            Durability::Process => "normal",
        }
    }
}

/// Options of a log.
#[derive(Clone, Debug)]
pub struct SqliteOptions {
    /// Failure that an acknowledged event survives.
    pub durability: Durability,
    /// Finished games of this age are deleted.
    pub keep_games: Duration,
    /// Maximum number of finished games; the oldest are deleted first.
    pub max_games: u64,
    /// A finished game below this age is not deleted because of the maximum. While all games are younger, new games are
    /// not kept.
    pub protect_games: Duration,
    /// Time limit of one commit and of closing the file. During a longer commit, the log counts as unhealthy.
    pub write_timeout: Duration,
    /// Maximum size of the file of the write-ahead log that is kept when the log begins again. A longer file is
    /// truncated.
    pub wal_kept_bytes: u64,
    /// Minimum size of the write-ahead log that causes a warning.
    pub wal_warning_bytes: u64,
    pub time: ServerClock,
}

/// Default of [`SqliteOptions::wal_kept_bytes`]. The value is more than the log reaches under constant load, so that
/// the log is overwritten in place. If the file were truncated, it would have to grow again, which makes every commit
/// slower.
const WAL_KEPT_BYTES_DEFAULT: u64 = 96 << 20;

/// Default of [`SqliteOptions::wal_warning_bytes`].
const WAL_WARNING_BYTES_DEFAULT: u64 = 256 << 20;

impl SqliteOptions {
    /// Returns the options of a log that keeps all games.
    pub fn new(durability: Durability, time: ServerClock) -> SqliteOptions {
        SqliteOptions {
            durability,
            keep_games: Duration::MAX,
            max_games: u64::MAX,
            protect_games: Duration::ZERO,
            write_timeout: Duration::from_secs(5),
            wal_kept_bytes: WAL_KEPT_BYTES_DEFAULT,
            wal_warning_bytes: WAL_WARNING_BYTES_DEFAULT,
            time,
        }
    }
}

const DATABASE_FILE: &str = "noughts.db";

/// Returns the database file of a data directory.
pub(crate) fn database_in(directory: &Path) -> PathBuf {
    directory.join(DATABASE_FILE)
}

/// Returns the write-ahead log of a database file.
pub(crate) fn wal_of(database: &Path) -> PathBuf {
    with_suffix(database, "-wal")
}

/// Returns the index of the write-ahead log of a database file. All processes that read the log share it.
pub(crate) fn wal_index_of(database: &Path) -> PathBuf {
    with_suffix(database, "-shm")
}

/// Returns the path with a suffix appended to its name.
pub(crate) fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

/// Creates a directory with its parents, durably. Returns whether it did not exist.
pub(crate) fn create_directory(directory: &Path) -> io::Result<bool> {
    let missing: Vec<&Path> = directory
        .ancestors()
        .take_while(|path| !path.as_os_str().is_empty() && !path.exists())
        .collect();
    fs::create_dir_all(directory)?;
    missing
        .iter()
        .try_for_each(|created| sync_parent(created))?;
    Ok(!missing.is_empty())
}

/// Makes the creation, renaming or deletion of a file durable.
pub(crate) fn sync_parent(file: &Path) -> io::Result<()> {
    let parent = file
        .parent()
        .filter(|parent| !parent.as_os_str().is_empty());
    sync_directory(parent.unwrap_or(Path::new(".")))
}

/// Makes the creation, renaming and deletion of the files of a directory durable. A directory that cannot be synced is
/// not an error: some directories may be written but not read, and some file systems do not support it.
pub(crate) fn sync_directory(directory: &Path) -> io::Result<()> {
    use io::ErrorKind::{InvalidInput, PermissionDenied, Unsupported};
    match File::open(directory).and_then(|opened| opened.sync_all()) {
        Err(error) if matches!(error.kind(), PermissionDenied | InvalidInput | Unsupported) => {
            warn!(directory = %directory.display(), %error, "directory cannot be synced");
            Ok(())
        }
        synced => synced,
    }
}

/// Makes a file accessible to its owner only, because it contains tokens.
pub(crate) fn restrict_permissions(file: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(file, fs::Permissions::from_mode(0o600))
}

/// Overwrites a file with the current data of a connection, and syncs it. After a failure the file is not usable.
///
/// # Errors
/// If the file cannot be written, or if a server blocks the copy at this moment.
pub(crate) fn write_copy(from: &Connection, file: &File, path: &Path) -> Result<(), DataDirError> {
    let io_error = |error| DataDirError::Directory {
        path: path.to_owned(),
        error,
    };
    file.set_len(0).map_err(io_error)?;
    let mut copy = Connection::open(path)?;
    // The copy is written without a journal, because a killed process would leave the journal behind. An incomplete
    // copy is never read.
    copy.pragma_update(None, "journal_mode", "off")?;
    copy.pragma_update(None, "synchronous", "off")?;
    // The copy is made in one step, because every commit of a server would restart a copy in several steps.
    if Backup::new(from, &mut copy)?.step(-1)? != StepResult::Done {
        // The server is running a checkpoint, or another program has locked the file.
        return Err(io_error(io::ErrorKind::ResourceBusy.into()));
    }
    drop(copy);
    file.sync_all().map_err(io_error)
}

const MARK_FILE: &str = "noughts.imported";

/// A file that marks a data directory as imported.
#[derive(Clone, Debug)]
pub(crate) struct ImportMark(PathBuf);

impl ImportMark {
    /// Returns the mark of a directory, which need not exist.
    pub(crate) fn in_directory(directory: &Path) -> ImportMark {
        ImportMark(directory.join(MARK_FILE))
    }

    /// Returns whether the directory is marked. A mark that cannot be read counts as a mark.
    #[cfg(feature = "cluster")]
    pub(crate) fn exists(&self) -> bool {
        self.0.try_exists().unwrap_or(true)
    }

    /// Marks the directory durably.
    #[cfg(feature = "cluster")]
    pub(crate) fn create(&self) -> std::io::Result<()> {
        std::fs::File::create(&self.0)?.sync_all()
    }

    /// Refuses a directory that is marked.
    ///
    /// # Errors
    /// [`DataDirError::Imported`].
    pub(crate) fn refuse(self) -> Result<(), DataDirError> {
        match self.0.try_exists() {
            Ok(false) => Ok(()),
            Ok(true) => Err(DataDirError::Imported { mark: self.0 }),
            Err(error) => Err(DataDirError::Directory {
                path: self.0,
                error,
            }),
        }
    }
}

/// The files of a running server, as they were when it opened them. The process holds all files open, so no other file
/// can get the number of one of these files.
#[derive(Debug, Default)]
pub(crate) struct DataFileWatch(Vec<(PathBuf, FileIdentity)>);

/// Device and number of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct FileIdentity {
    device: u64,
    inode: u64,
}

/// A change of the files under the running server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LostFile {
    /// Path of the file when it was opened.
    pub path: PathBuf,
    /// Another file is at the path.
    pub replaced: bool,
}

impl fmt::Display for LostFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let change = if self.replaced {
            "replaced"
        } else {
            "removed or moved"
        };
        write!(f, "{} was {change}", self.path.display())
    }
}

impl DataFileWatch {
    /// Records the identities of files and directories. Files that do not exist are not watched.
    ///
    /// # Errors
    /// If a file cannot be accessed.
    pub(crate) fn new(paths: impl IntoIterator<Item = PathBuf>) -> io::Result<DataFileWatch> {
        let mut watched = Vec::new();
        for path in paths {
            if let Some(identity) = identity(&path)? {
                watched.push((path, identity));
            }
        }
        Ok(DataFileWatch(watched))
    }

    /// Returns the first file that has left its path.
    ///
    /// # Errors
    /// If a path cannot be accessed. Such an error does not prove that the file has left its path.
    pub(crate) fn find_lost(&self) -> io::Result<Option<LostFile>> {
        for (path, expected) in &self.0 {
            let found = identity(path)?;
            if found != Some(*expected) {
                return Ok(Some(LostFile {
                    path: path.clone(),
                    replaced: found.is_some(),
                }));
            }
        }
        Ok(None)
    }
}

/// Returns the identity of the file at a path, if there is one.
fn identity(path: &Path) -> io::Result<Option<FileIdentity>> {
    match fs::metadata(path) {
        Ok(file) => Ok(Some(FileIdentity {
            device: file.dev(),
            inode: file.ino(),
        })),
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
            ) =>
        {
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

/// Reason why a data directory cannot be used.
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
    /// The data is corrupt.
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

/// Returns whether an access failed because the disk is full. SQLite reports a separate code where it cannot extend the
/// index of the write-ahead log.
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

/// Reason why a row cannot be read.
#[derive(Debug)]
pub(crate) enum RowError {
    Sqlite(rusqlite::Error),
    /// The row is corrupt. Contains a description of the row.
    Corrupt(String),
}

impl From<rusqlite::Error> for RowError {
    fn from(error: rusqlite::Error) -> RowError {
        RowError::Sqlite(error)
    }
}
