//! Copies of a database in one file, without its write-ahead log.

use std::fs::File;
use std::io;
use std::path::Path;

use rusqlite::Connection;
use rusqlite::backup::{Backup, StepResult};

use crate::store::sqlite::error::DataDirError;

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
    // Without a journal, which a kill would leave behind: an incomplete copy is never read.
    copy.pragma_update(None, "journal_mode", "off")?;
    copy.pragma_update(None, "synchronous", "off")?;
    // In one step: every commit of a server would restart a copy in several steps.
    if Backup::new(from, &mut copy)?.step(-1)? != StepResult::Done {
        // The server is running a checkpoint, or another program has locked the file.
        return Err(io_error(io::ErrorKind::ResourceBusy.into()));
    }
    drop(copy);
    file.sync_all().map_err(io_error)
}
