//! The lock of a data directory, and the lock file. The lock admits one server at a time; the contents of the file tell
//! the next one whether the last one closed the data, and when it began to stop.
//!
//! The directory itself is locked as well, so that a deleted lock file admits no second server.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{ErrorKind, Read};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use tracing::debug;

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
    previous_stop: Option<u64>,
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

    /// Whether the last server was killed before it closed the data.
    pub(crate) fn was_in_use(&self) -> bool {
        self.was_in_use
    }

    /// Whether the file says that the data is in use.
    pub(crate) fn is_in_use(&self) -> bool {
        self.in_use
    }

    /// Time at which the last server began to stop, if it closed the data.
    pub(crate) fn previous_stop(&self) -> Option<u64> {
        self.previous_stop
    }

    /// Creates the file again, for data in use, if it has been deleted. Returns whether that was necessary.
    pub(crate) fn restore_file(&mut self) -> std::io::Result<bool> {
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
    pub(crate) fn set_in_use(&mut self) -> std::io::Result<()> {
        self.write(IN_USE)?;
        self.in_use = true;
        Ok(())
    }

    /// Records that the data is closed, and the time at which the server began to stop.
    pub(crate) fn set_closed(&mut self, stop: Option<u64>) -> std::io::Result<()> {
        let stop = stop.map(|at| at.to_string()).unwrap_or_default();
        self.write(&[CLOSED, stop.as_bytes(), b"\n"].concat())?;
        self.in_use = false;
        Ok(())
    }

    /// Overwrites the file in one write, so that no crash leaves it empty. A rest of the earlier text may follow the
    /// last line.
    fn write(&self, text: &[u8]) -> std::io::Result<()> {
        self.file.write_all_at(text, 0)?;
        self.file.sync_data()
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

/// Reads the second line of the file of closed data.
fn parse_stop(contents: &[u8]) -> Option<u64> {
    let rest = contents.strip_prefix(CLOSED)?;
    let line = rest.split(|byte| *byte == b'\n').next()?;
    str::from_utf8(line).ok()?.parse().ok()
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
