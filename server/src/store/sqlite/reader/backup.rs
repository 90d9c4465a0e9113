//! Backups: a consistent copy of the data in one file, written beside the server.
//!
//! The copy is written under the name of the backup with the suffix `.partial`, synced, verified by the caller, and
//! renamed. A file with the name of a backup is therefore complete, also after a kill or a power failure.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use crate::store::sqlite::error::DataDirError;
use crate::store::sqlite::startup::{data_dir, data_files, database_copy};

/// Suffix of a backup that is not complete.
const PARTIAL_SUFFIX: &str = ".partial";

/// A written and synced copy that does not have its name yet. Dropped without [`BackupFile::publish`], it is deleted.
#[derive(Debug)]
pub(crate) struct BackupFile {
    /// Locked, so that two backups to one name do not write the same file.
    file: File,
    partial_path: PathBuf,
    path: PathBuf,
    published: bool,
}

impl BackupFile {
    /// Copies the current data of a directory, without stopping its server.
    ///
    /// # Errors
    /// If the file exists or cannot be written, if another backup writes it, or if the server blocks the copy at this
    /// moment.
    pub(crate) fn create(directory: &Path, path: &Path) -> Result<BackupFile, DataDirError> {
        let from = data_dir::open_read_only(directory)?;
        let partial_path = data_files::with_suffix(path, PARTIAL_SUFFIX);
        let io_error = |error| DataDirError::Directory {
            path: partial_path.clone(),
            error,
        };
        require_absent(path)?;
        let file = open_locked(&partial_path).map_err(io_error)?;
        let (partial_path, path) = (partial_path.clone(), path.to_owned());
        let backup = BackupFile {
            file,
            partial_path,
            path,
            published: false,
        };
        database_copy::write_copy(&from, &backup.file, &backup.partial_path)?;
        Ok(backup)
    }

    /// The file with the copy.
    pub(crate) fn partial_path(&self) -> &Path {
        &self.partial_path
    }

    /// Gives the copy its name.
    ///
    /// # Errors
    /// If a file with this name has appeared, or the directory cannot be written.
    pub(crate) fn publish(mut self) -> Result<(), DataDirError> {
        require_absent(&self.path)?;
        let io_error = |error| DataDirError::Directory {
            path: self.path.clone(),
            error,
        };
        fs::rename(&self.partial_path, &self.path).map_err(io_error)?;
        self.published = true;
        data_files::sync_parent(&self.path).map_err(io_error)
    }
}

impl Drop for BackupFile {
    fn drop(&mut self) {
        if !self.published
            && let Err(error) = fs::remove_file(&self.partial_path)
        {
            tracing::warn!(path = %self.partial_path.display(), %error, "cannot delete incomplete backup");
        }
    }
}

fn require_absent(path: &Path) -> Result<(), DataDirError> {
    match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Ok(_) => Err(DataDirError::Directory {
            path: path.to_owned(),
            error: io::ErrorKind::AlreadyExists.into(),
        }),
        Err(error) => Err(DataDirError::Directory {
            path: path.to_owned(),
            error,
        }),
    }
}

/// Opens or creates a file that only its owner may read, because it will contain tokens, and locks it.
fn open_locked(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
    let in_use = || {
        io::Error::new(
            io::ErrorKind::ResourceBusy,
            "another backup writes this file",
        )
    };
    let mut options = OpenOptions::new();
    let file = options
        .create(true)
        .truncate(false)
        .read(true)
        .write(true)
        .mode(0o600)
        .open(path)?;
    file.try_lock().map_err(|error| match error {
        TryLockError::WouldBlock => in_use(),
        TryLockError::Error(error) => error,
    })?;
    // Another backup may have renamed the file between opening and locking it.
    let [opened, named] = [file.metadata()?, fs::metadata(path)?];
    if (opened.dev(), opened.ino()) != (named.dev(), named.ino()) {
        return Err(in_use());
    }
    Ok(file)
}
