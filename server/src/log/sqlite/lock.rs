//! One server a directory; and a note, for the next one, of how the last one went.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::{Path, PathBuf};

use super::schema::OpenError;

const LOCK: &str = "noughts.lock";
const IN_USE: &[u8] = b"in use\n";
const CLOSED: &[u8] = b"closed\n";

/// The lock of a directory: unlocked when dropped, also by a kill, since it is the process's.
#[derive(Debug)]
pub(super) struct Lock {
    file: File,
    path: PathBuf,
    was_in_use: bool,
}

impl Lock {
    pub(super) fn take(directory: &Path) -> Result<Lock, OpenError> {
        let path = directory.join(LOCK);
        let failed = |error| OpenError::Directory { path: path.clone(), error };
        // What another server has noted stays until the lock is ours.
        let mut options = OpenOptions::new();
        let mut file =
            options.create(true).truncate(false).read(true).write(true).open(&path).map_err(failed)?;
        file.try_lock().map_err(|error| match error {
            TryLockError::WouldBlock => OpenError::InUse(directory.to_owned()),
            TryLockError::Error(error) => failed(error),
        })?;
        let mut note = Vec::new();
        file.read_to_end(&mut note).map_err(failed)?;
        Ok(Lock { file, was_in_use: note == IN_USE, path })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Whether the last server had no time to close the file.
    pub(super) fn was_in_use(&self) -> bool {
        self.was_in_use
    }

    pub(super) fn mark(&mut self, in_use: bool) -> std::io::Result<()> {
        self.file.rewind()?;
        self.file.write_all(if in_use { IN_USE } else { CLOSED })?;
        // The notes are of one length: nothing of the other is left.
        self.file.sync_data()
    }
}
