//! Opening a data directory: locks it, checks its files, and opens the database file in the current format.
//!
//! The lock admits one server at a time. The lock file records whether the last server closed the data, and when that
//! server began to stop. The directory itself is locked as well, so that a deleted lock file admits no second server.
//!
//! The write-ahead log is checked before SQLite opens it. SQLite ends the log at the first frame with a wrong checksum.
//! This is right if a power failure tore the last commit. But if a byte in the middle is corrupt, SQLite silently drops
//! all later commits.

use std::fmt;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufReader, ErrorKind, Read};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::config::DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE as NO_CHECKPOINT_ON_CLOSE;
use rusqlite::{Connection, OpenFlags};
use tracing::{debug, warn};

use crate::store::sqlite::data_files::{
    self, DataDirError, DataFileWatch, Durability, SqliteOptions,
};
use crate::store::sqlite::rows::{prepare_tables, require_current_format};

/// Time that SQLite waits for a lock, which suffices while another process opens the file.
const BUSY_TIMEOUT: Duration = Duration::from_millis(100);

/// Capacity of the statement cache of SQLite: more than the number of different statements.
const STATEMENT_CACHE_CAPACITY: usize = 32;

/// A locked and opened data directory.
#[derive(Debug)]
pub(crate) struct DataDir {
    pub(crate) connection: Connection,
    /// Declared after the connection, so that the lock is dropped after the connection.
    lock: DirLock,
    directory: PathBuf,
}

/// Page cache of SQLite. SQLite's default is 2 MiB.
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
        check_wal(&data, &wal, durability).map_err(directory_error)??;
        let mut connection = match open_connection(&data, options, WalIndexPlace::File) {
            Err(DataDirError::DiskFull(error)) => {
                warn!(%error, "disk is full: other programs cannot read the data until the server is restarted");
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

    /// Returns the time when the last server began to stop, if it closed the data.
    pub(crate) fn previous_stop(&self) -> Option<u64> {
        self.lock.previous_stop()
    }

    /// Returns whether the lock file records that the write-ahead log is required. This server wrote the record, or a
    /// server that was killed.
    pub(crate) fn is_in_use(&self) -> bool {
        self.lock.is_in_use()
    }

    /// Records that the write-ahead log is required from now on.
    pub(crate) fn mark_in_use(&mut self) -> std::io::Result<()> {
        self.lock.set_in_use()
    }

    /// Returns the sizes of the database file and of the write-ahead log; 0 for a file that cannot be read.
    pub(crate) fn file_sizes(&self) -> [u64; 2] {
        let database = data_files::database_in(&self.directory);
        let wal = data_files::wal_of(&database);
        [database, wal].map(|file| fs::metadata(file).map_or(0, |file| file.len()))
    }

    /// Returns the free space of the disk that this process may use.
    pub(crate) fn disk_free_bytes(&self) -> Option<u64> {
        let disk = rustix::fs::statvfs(&self.directory).ok()?;
        Some(disk.f_bavail.saturating_mul(disk.f_frsize))
    }

    /// Watches the directory and the files that contain the data. All these files exist only after the first commit of
    /// this server.
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

    /// Records, before the final checkpoint, that the data is complete without the write-ahead log. `stop`: time when
    /// the server began to stop.
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
    /// A file that lets other programs read beside the server. It needs 32 KiB.
    File,
    /// The memory of this process, which then locks the database file for all others.
    Memory,
}

/// Opens the database file for reading and writing. Before [`DataDir::mark_closed`] is called, closing the connection
/// leaves the write-ahead log as it is: the lock file requires this, and a refused directory must stay unchanged.
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
    // The writer does not wait for readers, because a commit does not need their end and a checkpoint can be delayed.
    connection.busy_timeout(BUSY_TIMEOUT)?;
    if wal_index == WalIndexPlace::Memory {
        // SQLite creates no index file if this precedes the first access: https://www.sqlite.org/wal.html#noshm
        connection.pragma_update(None, "locking_mode", "exclusive")?;
    }
    connection.pragma_update(None, "journal_mode", "wal")?;
    connection.pragma_update(None, "synchronous", options.durability.synchronous())?;
    // The writer runs checkpoints while it is idle. This limit is for a writer that is never idle.
    connection.pragma_update(None, "wal_autocheckpoint", 20_000)?;
    connection.pragma_update(None, "journal_size_limit", options.wal_kept_bytes as i64)?;
    // A small cache suffices: appended pages are not read before the next start, and the other pages are in the cache
    // of the operating system.
    connection.pragma_update(None, "cache_size", -PAGE_CACHE_KIB)?;
    Ok(connection)
}

/// Checks that no file of a data directory is missing: SQLite would create a new file, and discard a write-ahead log
/// that does not belong to the new file. `in_use`: the last server has not closed the data.
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
            lock: path_in(directory),
        });
    }
    Ok(())
}

/// Opens the database file of a directory for reading. A server may run at the same time.
///
/// # Errors
/// If the file does not exist, or is not in the current format.
pub(crate) fn open_read_only(directory: &Path) -> Result<Connection, DataDirError> {
    open_file_read_only(&data_files::database_in(directory))
}

/// Opens a database file for reading. A server may run at the same time.
///
/// # Errors
/// If the file does not exist, or is not in the current format.
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

const LOCK_FILE: &str = "noughts.lock";
const IN_USE: &[u8] = b"in use\n";
const CLOSED: &[u8] = b"closed\n";

/// Lock of a data directory. The system releases it with the file, even when the process is killed.
#[derive(Debug)]
pub(crate) struct DirLock {
    file: File,
    path: PathBuf,
    /// The locked directory. Some network file systems cannot lock directories. There, only the file is locked.
    _directory: File,
    was_in_use: bool,
    /// The file says that the data is in use.
    in_use: bool,
    previous_stop: Option<u64>,
}

impl DirLock {
    pub(crate) fn acquire(directory: &Path) -> Result<DirLock, DataDirError> {
        let path = path_in(directory);
        let directory_error = |error| DataDirError::Directory {
            path: path.clone(),
            error,
        };
        // The directory is locked before the file, because the file of a running server may have been deleted, and the
        // next step would create it again.
        let locked_directory = File::open(directory).map_err(|error| DataDirError::Directory {
            path: directory.to_owned(),
            error,
        })?;
        match locked_directory.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(DataDirError::InUse(directory.to_owned())),
            Err(TryLockError::Error(error)) => {
                debug!(%error, "directory cannot be locked; locking its file only");
            }
        }
        // The file is not truncated, because its contents belong to another server until the lock is acquired.
        let mut options = OpenOptions::new();
        let mut file = options
            .create(true)
            .truncate(false)
            .read(true)
            .write(true)
            .open(&path)
            .map_err(directory_error)?;
        file.try_lock().map_err(|error| match error {
            TryLockError::WouldBlock => DataDirError::InUse(directory.to_owned()),
            TryLockError::Error(error) => directory_error(error),
        })?;
        let mut contents = Vec::new();
        file.read_to_end(&mut contents).map_err(directory_error)?;
        let was_in_use = says_in_use(&contents);
        let previous_stop = parse_stop(&contents);
        if contents.is_empty() {
            data_files::sync_directory(directory).map_err(directory_error)?;
        }
        Ok(DirLock {
            file,
            path,
            _directory: locked_directory,
            was_in_use,
            in_use: was_in_use,
            previous_stop,
        })
    }

    /// Returns whether the last server was killed before it closed the data.
    fn was_in_use(&self) -> bool {
        self.was_in_use
    }

    /// Returns whether the file says that the data is in use.
    pub(crate) fn is_in_use(&self) -> bool {
        self.in_use
    }

    /// Returns the time when the last server began to stop, if it closed the data.
    pub(crate) fn previous_stop(&self) -> Option<u64> {
        self.previous_stop
    }

    /// Creates the file again, for data in use, if it has been deleted. Returns whether that was necessary.
    fn restore_file(&mut self) -> std::io::Result<bool> {
        if self.path.try_exists()? {
            return Ok(false);
        }
        let file = OpenOptions::new()
            .create_new(true)
            .read(true)
            .write(true)
            .open(&self.path)?;
        file.try_lock()?;
        self.file = file;
        self.set_in_use()?;
        Ok(true)
    }

    /// Records that the data is in use.
    fn set_in_use(&mut self) -> std::io::Result<()> {
        self.write(IN_USE)?;
        self.in_use = true;
        Ok(())
    }

    /// Records that the data is closed, and the time when the server began to stop.
    fn set_closed(&mut self, stop: Option<u64>) -> std::io::Result<()> {
        let stop = stop.map(|at| at.to_string()).unwrap_or_default();
        self.write(&[CLOSED, stop.as_bytes(), b"\n"].concat())?;
        self.in_use = false;
        Ok(())
    }

    /// Overwrites the file in one write, so that a crash cannot leave it empty. A part of the earlier text may remain
    /// after the last line.
    fn write(&self, text: &[u8]) -> std::io::Result<()> {
        self.file.write_all_at(text, 0)?;
        self.file.sync_data()
    }
}

/// Returns the path of the lock file of a data directory.
fn path_in(directory: &Path) -> PathBuf {
    directory.join(LOCK_FILE)
}

/// Returns whether a server uses the data, or was killed before it closed the data. Acquires no lock.
///
/// # Errors
/// If the file exists and cannot be read.
pub(crate) fn read_in_use(directory: &Path) -> std::io::Result<bool> {
    match std::fs::read(path_in(directory)) {
        Ok(contents) => Ok(says_in_use(&contents)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// Returns whether the contents say that the data is in use. Unknown contents count as in use, so that the write-ahead
/// log is then required.
fn says_in_use(contents: &[u8]) -> bool {
    !contents.is_empty() && !contents.starts_with(CLOSED)
}

/// Reads the second line of the file of closed data.
fn parse_stop(contents: &[u8]) -> Option<u64> {
    let rest = contents.strip_prefix(CLOSED)?;
    let line = rest.split(|byte| *byte == b'\n').next()?;
    str::from_utf8(line).ok()?.parse().ok()
}

const WAL_HEADER_BYTES: usize = 32;
const WAL_FRAME_HEADER_BYTES: usize = 24;
const WAL_MAGIC: u32 = 0x377f_0682;

/// Rejects a write-ahead log with a commit after a corrupt place. With [`Durability::Power`] only the last commit can
/// be torn, by a power failure before it was acknowledged; later corruption of that commit looks the same. With
/// [`Durability::Process`] a power failure may tear more, which is only logged.
///
/// # Errors
/// The outer error if a file cannot be read, the inner error if the log is corrupt.
pub(crate) fn check_wal(
    data: &Path,
    wal: &Path,
    durability: Durability,
) -> io::Result<Result<(), DataDirError>> {
    let Some(corruption) = find_wal_corruption(data, wal)? else {
        return Ok(Ok(()));
    };
    let WalCorruption { offset, commits } = corruption;
    if corruption.is_torn_tail() {
        warn!(
            offset,
            "incomplete last commit of the write-ahead log discarded"
        );
        return Ok(Ok(()));
    }
    Ok(match durability {
        Durability::Power => Err(DataDirError::Corrupt(corruption.to_string())),
        Durability::Process => {
            warn!(
                offset,
                commits, "end of the write-ahead log lost, probably in a power failure"
            );
            Ok(())
        }
    })
}

/// Returns the first damage of the write-ahead log of a database file. Returns `None` if one of the files is missing.
///
/// # Errors
/// If a file cannot be read.
pub(crate) fn find_wal_corruption(data: &Path, wal: &Path) -> io::Result<Option<WalCorruption>> {
    let (Some(mut data), Some(wal)) = (open_if_exists(data)?, open_if_exists(wal)?) else {
        return Ok(None);
    };
    let mut start = [0; 18];
    let page = if read_full(&mut data, &mut start)? {
        page_size(&start)
    } else {
        None
    };
    find_corruption(BufReader::with_capacity(1 << 16, wal), page)
}

/// A corruption of a write-ahead log: its offset, and the number of commits of the same log there or later.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WalCorruption {
    offset: u64,
    commits: u32,
}

impl WalCorruption {
    /// Returns whether only the last commit is incomplete, as after a power failure before it was acknowledged.
    pub(crate) fn is_torn_tail(&self) -> bool {
        self.commits <= 1
    }
}

impl fmt::Display for WalCorruption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let WalCorruption { offset, commits } = self;
        write!(
            f,
            "write-ahead log at byte {offset}; {commits} commits are there or follow"
        )
    }
}

/// Finds the first corruption of a write-ahead log. `page` is the page size of the database file; with `None`, the page
/// size that the log states is used.
fn find_corruption(mut wal: impl Read, page: Option<usize>) -> io::Result<Option<WalCorruption>> {
    let mut header = [0; WAL_HEADER_BYTES];
    if !read_full(&mut wal, &mut header)? {
        return Ok(None);
    }
    let big_endian = read_u32_be(&header, 0) & 1 == 1;
    let mut sum = checksum(big_endian, [0; 2], &header[..24]);
    let header_valid = read_u32_be(&header, 0) & !1 == WAL_MAGIC
        && sum == [read_u32_be(&header, 24), read_u32_be(&header, 28)];
    let page = page
        .unwrap_or(read_u32_be(&header, 8) as usize)
        .clamp(512, 65_536);
    let mut salts = header_valid.then(|| [read_u32_be(&header, 16), read_u32_be(&header, 20)]);
    let mut corruption = (!header_valid).then_some(WalCorruption {
        offset: 0,
        commits: 0,
    });
    // Whether frames of this log follow the corruption, and not only remains of an earlier log.
    let mut has_successors = false;
    let (mut frame, mut offset) = (
        vec![0; WAL_FRAME_HEADER_BYTES + page],
        WAL_HEADER_BYTES as u64,
    );
    while read_full(&mut wal, &mut frame)? {
        sum = checksum(big_endian, sum, &frame[..8]);
        sum = checksum(big_endian, sum, &frame[WAL_FRAME_HEADER_BYTES..]);
        let frame_salts = [read_u32_be(&frame, 8), read_u32_be(&frame, 12)];
        // If the header is not valid, the first frame identifies the log.
        let same_log = frame_salts == *salts.get_or_insert(frame_salts);
        let frame_valid = same_log && sum == [read_u32_be(&frame, 16), read_u32_be(&frame, 20)];
        let commits = u32::from(read_u32_be(&frame, 4) != 0);
        match &mut corruption {
            None if frame_valid => {}
            // This is the first corrupt frame. The fields that identify its log may be corrupt, too.
            None => {
                (corruption, has_successors) = (Some(WalCorruption { offset, commits }), same_log);
            }
            Some(corruption) if same_log => {
                has_successors = true;
                corruption.commits += commits;
            }
            Some(_) => {}
        }
        offset += frame.len() as u64;
    }
    Ok(corruption.filter(|_| has_successors))
}

/// Returns the page size that the header of the database file states. SQLite stores the largest size as 1.
fn page_size(start: &[u8; 18]) -> Option<usize> {
    let size = match u16::from_be_bytes([start[16], start[17]]) {
        1 => 65_536,
        size => usize::from(size),
    };
    (size >= 512 && size.is_power_of_two()).then_some(size)
}

fn read_u32_be(bytes: &[u8], at: usize) -> u32 {
    u32::from_be_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

/// Returns the checksum of SQLite: two sums over pairs of words, in the byte order that the magic number of the log
/// selects. <https://www.sqlite.org/fileformat2.html#checksum_algorithm>
fn checksum(big_endian: bool, from: [u32; 2], bytes: &[u8]) -> [u32; 2] {
    let (pairs, _) = bytes.as_chunks::<8>();
    pairs.iter().fold(from, |[a, b], pair| {
        let x = read_u32_be(pair, 0);
        let y = read_u32_be(pair, 4);
        let (x, y) = if big_endian {
            (x, y)
        } else {
            (x.swap_bytes(), y.swap_bytes())
        };
        let a = a.wrapping_add(x).wrapping_add(b);
        [a, b.wrapping_add(y).wrapping_add(a)]
    })
}

fn open_if_exists(path: &Path) -> io::Result<Option<File>> {
    match File::open(path) {
        Ok(file) => Ok(Some(file)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Fills `bytes`, or returns `false` at the end of the file.
fn read_full(file: &mut impl Read, bytes: &mut [u8]) -> io::Result<bool> {
    match file.read_exact(bytes) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == ErrorKind::UnexpectedEof => Ok(false),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_closed_data_has_a_time_of_the_stop() {
        for (contents, stop) in [
            (&b""[..], None),
            (b"in use\n", None),
            (b"in use\n1700000000000\n", None),
            (b"closed\n\n700000000000\n", None),
            (b"closed\n1700000000000\n", Some(1_700_000_000_000)),
            (b"closed\n17\n0000000000\n", Some(17)),
            (b"closed\n17x\n", None),
        ] {
            assert_eq!(parse_stop(contents), stop, "{}", contents.escape_ascii());
        }
    }
}
