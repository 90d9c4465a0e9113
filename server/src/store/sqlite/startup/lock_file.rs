//! The lock of a data directory, and the lock file. The lock admits one server at a time; the contents of the file tell
//! the next one whether the last one closed the data, and when servers were up.
//!
//! The directory itself is locked as well, so that a deleted lock file admits no second server.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{ErrorKind, Read, Seek, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use tracing::debug;

use crate::runtime::time::uptime::UptimeHistory;
use crate::store::sqlite::error::DataDirError;
use crate::store::sqlite::startup::data_files;

const LOCK_FILE: &str = "noughts.lock";
const IN_USE: &[u8] = b"in use\n";
const CLOSED: &[u8] = b"closed\n";

/// Lock of a data directory. The system releases it with the file, even when the process is killed.
#[derive(Debug)]
pub(crate) struct DirLock {
    file: File,
    path: PathBuf,
    /// The locked directory. Some network file systems lock no directories; the file alone is locked there.
    _directory: File,
    was_in_use: bool,
    /// The file says that the data is in use.
    in_use: bool,
    uptime: UptimeHistory,
}

impl DirLock {
    pub(crate) fn acquire(directory: &Path) -> Result<DirLock, DataDirError> {
        let path = path_in(directory);
        let directory_error = |error| DataDirError::Directory {
            path: path.clone(),
            error,
        };
        // Before the file, which is created if a running server's one was deleted.
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
        // Not truncated: the contents belong to another server until the lock is acquired.
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
        // A torn line is ignored: a power failure may leave one.
        let uptime = contents
            .get(IN_USE.len()..)
            .and_then(parse_uptime)
            .unwrap_or_default();
        if contents.is_empty() {
            data_files::sync_directory(directory).map_err(directory_error)?;
        }
        Ok(DirLock {
            file,
            path,
            _directory: locked_directory,
            was_in_use,
            in_use: was_in_use,
            uptime,
        })
    }

    /// Whether the last server was killed before it closed the data.
    pub(crate) fn was_in_use(&self) -> bool {
        self.was_in_use
    }

    /// Whether the file says that the data is in use.
    pub(crate) fn is_in_use(&self) -> bool {
        self.in_use
    }

    /// Uptime history that the last server recorded.
    pub(crate) fn uptime(&self) -> UptimeHistory {
        self.uptime.clone()
    }

    /// Records the uptime history. Not synced: a killed process leaves what it wrote, and after a power failure an
    /// older record is valid, too.
    pub(crate) fn write_uptime(&self, uptime: &UptimeHistory) -> std::io::Result<()> {
        self.file
            .write_all_at(uptime_line(uptime).as_bytes(), IN_USE.len() as u64)
    }

    /// Creates the file again, for data in use, if it has been deleted. Returns whether that was necessary.
    pub(crate) fn restore_file(&mut self, uptime: &UptimeHistory) -> std::io::Result<bool> {
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
        self.set_in_use(true)?;
        self.write_uptime(uptime)?;
        Ok(true)
    }

    pub(crate) fn set_in_use(&mut self, in_use: bool) -> std::io::Result<()> {
        self.file.rewind()?;
        self.file.write_all(if in_use { IN_USE } else { CLOSED })?;
        // Both texts have the same length: one overwrites the other.
        self.file.sync_data()?;
        self.in_use = in_use;
        Ok(())
    }
}

/// Path of the lock file of a data directory.
pub(crate) fn path_in(directory: &Path) -> PathBuf {
    directory.join(LOCK_FILE)
}

/// Whether a server uses the data, or was killed before it closed them. Acquires no lock.
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

/// Unknown contents are treated like those of a killed server, whose write-ahead log is required.
fn says_in_use(contents: &[u8]) -> bool {
    !contents.is_empty() && !contents.starts_with(CLOSED)
}

/// Second line of the file, with a checksum. The rest of a longer earlier line may follow.
fn uptime_line(uptime: &UptimeHistory) -> String {
    let text = uptime.to_string();
    format!("{:08x} {text}\n", crc32fast::hash(text.as_bytes()))
}

fn parse_uptime(bytes: &[u8]) -> Option<UptimeHistory> {
    let line = bytes.split(|byte| *byte == b'\n').next()?;
    let (sum, text) = std::str::from_utf8(line).ok()?.split_once(' ')?;
    let is_intact = u32::from_str_radix(sum, 16).ok()? == crc32fast::hash(text.as_bytes());
    text.parse().ok().filter(|_| is_intact)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_corrupt_uptime_line_is_ignored() {
        let [long, short]: [UptimeHistory; 2] =
            ["100-200 300-400", "500-600"].map(|text| text.parse().unwrap());
        let mut note = uptime_line(&long).into_bytes();
        assert_eq!(parse_uptime(&note), Some(long.clone()));
        for at in 0..note.len() {
            note[at] ^= 1;
            // Upper-case digits of the checksum are equivalent.
            assert!(
                parse_uptime(&note).is_none_or(|uptime| uptime == long),
                "byte {at}"
            );
            note[at] ^= 1;
            assert_eq!(
                parse_uptime(&note[..at]).filter(|_| at + 1 < note.len()),
                None,
                "{at} bytes"
            );
        }
        let over = uptime_line(&short);
        note[..over.len()].copy_from_slice(over.as_bytes());
        assert_eq!(parse_uptime(&note), Some(short));
        assert_eq!(
            parse_uptime(uptime_line(&UptimeHistory::default()).as_bytes()),
            Some(UptimeHistory::default())
        );
    }
}
