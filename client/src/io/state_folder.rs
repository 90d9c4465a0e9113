//! A folder with the player's state that only its owner can access: its lock, its files, and atomic writes.
//!
//! Several processes share a folder. Each change is short and holds the lock of the folder. The system releases the
//! lock when the process ends.

use std::fs::{DirBuilder, File, OpenOptions, Permissions, TryLockError};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Maximum number of attempts to lock the folder. With [`LOCK_RETRY_DELAY`], they take one second in total.
const MAX_LOCK_ATTEMPTS: u32 = 50;
const LOCK_RETRY_DELAY: Duration = Duration::from_millis(20);
pub(super) const LOCK_EXTENSION: &str = "lock";

/// A state folder. The first write creates it.
#[derive(Clone, Debug)]
pub(crate) struct StateFolder(PathBuf);

/// Exclusive lock on a folder. Released when dropped or when the process ends.
#[derive(Debug)]
pub(crate) struct FolderLock {
    _file: File,
}

impl StateFolder {
    pub(crate) fn new(path: PathBuf) -> StateFolder {
        StateFolder(path)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    /// Creates the folder and locks it.
    ///
    /// # Errors
    /// Returns an error if a file operation fails, or a timeout as [`StateFolder::lock`] does.
    pub(crate) fn create_and_lock(&self) -> io::Result<FolderLock> {
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(&self.0)?;
        // An existing folder may have other permissions.
        std::fs::set_permissions(&self.0, Permissions::from_mode(0o700))?;
        self.lock()
    }

    /// Locks the folder. Other processes hold this lock only briefly. If a process is suspended while it holds the
    /// lock, the call fails after a second, because a user is waiting.
    ///
    /// # Errors
    /// Returns an error if a file operation fails, or a timeout.
    pub(crate) fn lock(&self) -> io::Result<FolderLock> {
        let file = lock_file(&self.0.join(LOCK_EXTENSION))?;
        for _ in 0..MAX_LOCK_ATTEMPTS {
            match file.try_lock() {
                Ok(()) => return Ok(FolderLock { _file: file }),
                Err(TryLockError::WouldBlock) => wait_for_lock(),
                Err(TryLockError::Error(error)) => return Err(error),
            }
        }
        Err(io::Error::new(
            io::ErrorKind::TimedOut,
            "folder is locked by another program",
        ))
    }

    /// Locks the folder. Returns `None` if it does not exist.
    ///
    /// # Errors
    /// Returns an error if a file operation fails, or a timeout as [`StateFolder::lock`] does.
    pub(crate) fn lock_if_exists(&self) -> io::Result<Option<FolderLock>> {
        match self.lock() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            lock => lock.map(Some),
        }
    }

    /// Returns the files with this extension among the first `limit` entries of the folder. Skips links, and special
    /// files that could block a read.
    ///
    /// # Errors
    /// Returns an error if a file operation fails.
    pub(crate) fn files(
        &self,
        extension: &str,
        limit: usize,
    ) -> io::Result<Vec<std::fs::DirEntry>> {
        let mut files = Vec::new();
        for entry in std::fs::read_dir(&self.0)?.take(limit) {
            let entry = entry?;
            let has_extension = entry.path().extension().is_some_and(|is| is == extension);
            if has_extension && entry.file_type()?.is_file() {
                files.push(entry);
            }
        }
        Ok(files)
    }

    /// Writes a file that only the owner can read. Writes either the whole text or nothing. Requires the lock of the
    /// folder.
    ///
    /// # Errors
    /// Returns an error if a file operation fails. An existing file with this name is then unchanged, unless only the
    /// folder could not be synced.
    pub(crate) fn write(&self, _lock: &FolderLock, path: &Path, text: &str) -> io::Result<()> {
        let new = path.with_extension("new");
        // A process that was killed while writing may have left this file.
        ignore_not_found(std::fs::remove_file(&new))?;
        let written = OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(&new)
            .and_then(|mut file| {
                file.write_all(text.as_bytes())?;
                file.sync_all()
            })
            .and_then(|()| std::fs::rename(&new, path))
            // The name of the file is durable only after the folder is synced.
            .and_then(|()| File::open(&self.0)?.sync_all());
        if written.is_err() {
            // On a full disk, the part that was written still takes up space.
            ignore_not_found(std::fs::remove_file(&new))?;
        }
        written
    }
}

/// Opens a lock file, and creates it if needed.
pub(super) fn lock_file(path: &Path) -> io::Result<File> {
    OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600)
        .open(path)
}

pub(super) fn ignore_not_found(done: io::Result<()>) -> io::Result<()> {
    match done {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        done => done,
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "file operations run on blocking threads, outside the runtime"
)]
fn wait_for_lock() {
    std::thread::sleep(LOCK_RETRY_DELAY);
}
