//! Copies of data in an older format, kept until the new format has proved itself: the way back to the older program.
//!
//! A copy is made before a migration. The first start that finds the migrated data cleanly closed deletes it: the new
//! program has then written the data, closed it, and read all of it again.

use std::fs::{self, OpenOptions};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use rusqlite::Connection;
use tracing::{info, warn};

use crate::store::sqlite::error::DataDirError;
use crate::store::sqlite::format::schema::FORMAT;
use crate::store::sqlite::startup::{data_files, database_copy};

fn copy_path(database: &Path, format: i64) -> PathBuf {
    data_files::with_suffix(database, &format!(".format-{format}"))
}

/// Copies the data, which has an older format, to a file beside the database. Replaces the copy of an attempt that failed.
///
/// # Errors
/// If the copy cannot be written, for example because the disk is full.
pub(crate) fn keep_copy(
    connection: &Connection,
    database: &Path,
    format: i64,
) -> Result<(), DataDirError> {
    let path = copy_path(database, format);
    let partial = data_files::with_suffix(&path, ".partial");
    let io_error = |error| DataDirError::Directory {
        path: path.clone(),
        error,
    };
    let mut options = OpenOptions::new();
    let file = options
        .create(true)
        .truncate(true)
        .read(true)
        .write(true)
        .mode(0o600)
        .open(&partial);
    database_copy::write_copy(connection, &file.map_err(io_error)?, &partial)?;
    fs::rename(&partial, &path).map_err(io_error)?;
    data_files::sync_parent(&path).map_err(io_error)?;
    info!(format, copy = %path.display(), "copy of older data kept");
    Ok(())
}

/// Deletes all copies of older formats.
pub(crate) fn delete_copies(database: &Path) {
    for path in (1..FORMAT)
        .map(|format| copy_path(database, format))
        .filter(|path| path.exists())
    {
        match fs::remove_file(&path) {
            Ok(()) => info!(copy = %path.display(), "copy of older data deleted"),
            Err(error) => warn!(copy = %path.display(), %error, "cannot delete copy of older data"),
        }
    }
}
