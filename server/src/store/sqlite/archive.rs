//! The games that were played to their end, for the operator: to list, to show, to export, to drop.

use std::fs::{self, File};
use std::io;
use std::path::Path;

use noughts_protocol::{Record, RoomId};
use rusqlite::backup::{Backup, StepResult};
use rusqlite::{Connection, params};

use crate::store::FinishedGame;
use crate::store::sqlite::format::row::{self, SELECT_GAME};
use crate::store::sqlite::startup::data_dir::{self, DataDirError};

/// The finished games of a data directory, read beside a running server or without one.
#[derive(Debug)]
pub struct GameArchive(Connection);

/// A finished game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArchivedGame {
    /// Its number in this archive.
    pub id: i64,
    /// The room that it was played in.
    pub room: RoomId,
    /// Which of that room's games.
    pub number: u32,
    /// When it ended: milliseconds since 1970-01-01 UTC.
    pub ended_at: u64,
    /// The game.
    pub record: Record,
}

impl GameArchive {
    /// Opens the archive of a data directory.
    ///
    /// # Errors
    /// When there is none, or it is of a later format.
    pub fn open(directory: &Path) -> Result<GameArchive, DataDirError> {
        data_dir::open_read_only(directory).map(GameArchive)
    }

    /// The newest games, at most `limit`, newest first.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn newest_games(&self, limit: u32) -> Result<Vec<ArchivedGame>, DataDirError> {
        self.select("ORDER BY id DESC LIMIT ?1", params![limit])
    }

    /// The games after the one numbered `games_after`, oldest first, at most `limit`.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn games_after(&self, after: i64, limit: u32) -> Result<Vec<ArchivedGame>, DataDirError> {
        self.select("WHERE id > ?1 ORDER BY id LIMIT ?2", params![after, limit])
    }

    /// One game.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn game(&self, id: i64) -> Result<Option<ArchivedGame>, DataDirError> {
        Ok(self.select("WHERE id = ?1", params![id])?.pop())
    }

    /// Copies the whole of the data, as of now, to a new file; the server goes on.
    ///
    /// # Errors
    /// When the file exists, or cannot be written.
    pub fn back_up(&self, to: &Path) -> Result<(), DataDirError> {
        let io_failure = |error| DataDirError::Directory { path: to.to_owned(), error };
        // SQLite would write over whatever is there.
        File::create_new(to).map_err(io_failure)?;
        let copied = data_dir::restrict_permissions(to).map_err(io_failure).and_then(|()| {
            let mut copy = Connection::open(to)?;
            // In one step: a copy in pieces begins anew with every commit of the server.
            let step = Backup::new(&self.0, &mut copy)?.step(-1)?;
            // The server moves its log into the file just then, or another program is at it.
            if step == StepResult::Done {
                Ok(())
            } else {
                Err(io_failure(io::ErrorKind::ResourceBusy.into()))
            }
        });
        if copied.is_err() {
            // Part of a copy is none, and would be in the way of the next.
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
