//! Read-only access to the finished games of a data directory, and backups of it.

use std::fs::{self, File};
use std::io;
use std::path::Path;

use noughts_protocol::{Record, RoomId};
use rusqlite::backup::{Backup, StepResult};
use rusqlite::{Connection, params};

use crate::store::FinishedGame;
use crate::store::sqlite::error::DataDirError;
use crate::store::sqlite::format::row::{self, SELECT_GAME};
use crate::store::sqlite::startup::data_dir;

/// The finished games of a data directory. A server may run at the same time.
#[derive(Debug)]
pub(crate) struct GameArchive(Connection);

/// A finished game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ArchivedGame {
    /// Id in this archive.
    pub id: i64,
    /// Room of the game.
    pub room: RoomId,
    /// Number of the game in its room.
    pub number: u32,
    /// End of the game, in milliseconds since 1970-01-01 UTC.
    pub ended_at: u64,
    /// Record of the game.
    pub record: Record,
}

impl GameArchive {
    /// Opens the archive of a data directory.
    ///
    /// # Errors
    /// If the directory contains no data, or data of another format.
    pub(crate) fn open(directory: &Path) -> Result<GameArchive, DataDirError> {
        data_dir::open_read_only(directory).map(GameArchive)
    }

    /// Returns the newest games, at most `limit`, newest first.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub(crate) fn newest_games(&self, limit: u32) -> Result<Vec<ArchivedGame>, DataDirError> {
        self.select("ORDER BY id DESC LIMIT ?1", params![limit])
    }

    /// Returns the games after the one with the id `after`, at most `limit`, oldest first.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub(crate) fn games_after(&self, after: i64, limit: u32) -> Result<Vec<ArchivedGame>, DataDirError> {
        self.select("WHERE id > ?1 ORDER BY id LIMIT ?2", params![after, limit])
    }

    /// Returns the game with this id, if it exists.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub(crate) fn game(&self, id: i64) -> Result<Option<ArchivedGame>, DataDirError> {
        Ok(self.select("WHERE id = ?1", params![id])?.pop())
    }

    /// Copies the current data to a new file, without stopping the server.
    ///
    /// # Errors
    /// If the file exists or cannot be written, or if the server blocks the copy at this moment.
    pub(crate) fn back_up(&self, to: &Path) -> Result<(), DataDirError> {
        let io_failure = |error| DataDirError::Directory { path: to.to_owned(), error };
        // SQLite would overwrite an existing file.
        File::create_new(to).map_err(io_failure)?;
        let copied = data_dir::restrict_permissions(to).map_err(io_failure).and_then(|()| {
            let mut copy = Connection::open(to)?;
            // In one step: every commit of the server would restart a copy in several steps.
            let step = Backup::new(&self.0, &mut copy)?.step(-1)?;
            // The server is running a checkpoint, or another program has locked the file.
            if step == StepResult::Done {
                Ok(())
            } else {
                Err(io_failure(io::ErrorKind::ResourceBusy.into()))
            }
        });
        if copied.is_err() {
            // An incomplete copy would block the next backup.
            fs::remove_file(to).map_err(io_failure)?;
        }
        copied
    }

    fn select(
        &self,
        clause: &str,
        parameters: impl rusqlite::Params,
    ) -> Result<Vec<ArchivedGame>, DataDirError> {
        let mut games = self.0.prepare(&format!("{SELECT_GAME} {clause}"))?;
        let mut rows = games.query(parameters)?;
        let mut archived = Vec::new();
        while let Some(row) = rows.next()? {
            let (id, room, FinishedGame { number, ended_at: ended, record }) = row::read_game(row)?;
            let record =
                record.parse().map_err(|error| DataDirError::Corrupt(format!("game {id}: {error}")))?;
            archived.push(ArchivedGame { id, room, number, ended_at: ended, record });
        }
        Ok(archived)
    }
}
