//! The games that were played to their end, for the operator: to list, to show, to export, to drop.

use std::fs::{self, File};
use std::io;
use std::path::Path;

use noughts_protocol::{Record, RoomId};
use rusqlite::backup::{Backup, StepResult};
use rusqlite::{Connection, params};

use super::row::{self, GAME};
use super::schema::{self, OpenError};
use crate::log::Finished;

/// The finished games of a data directory, read beside a running server or without one.
#[derive(Debug)]
pub struct Archive(Connection);

/// A finished game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    /// Its number in this archive.
    pub id: i64,
    /// The room that it was played in.
    pub room: RoomId,
    /// Which of that room's games.
    pub number: u32,
    /// When it ended: milliseconds since 1970-01-01 UTC.
    pub ended: u64,
    /// The game.
    pub record: Record,
}

impl Archive {
    /// Opens the archive of a data directory.
    ///
    /// # Errors
    /// When there is none, or it is of a later format.
    pub fn open(directory: &Path) -> Result<Archive, OpenError> {
        schema::open_to_read(directory).map(Archive)
    }

    /// The newest games, at most `limit`, newest first.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn newest(&self, limit: u32) -> Result<Vec<Kept>, OpenError> {
        self.select("ORDER BY id DESC LIMIT ?1", params![limit])
    }

    /// The games after the one numbered `after`, oldest first, at most `limit`.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn after(&self, after: i64, limit: u32) -> Result<Vec<Kept>, OpenError> {
        self.select("WHERE id > ?1 ORDER BY id LIMIT ?2", params![after, limit])
    }

    /// One game.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn game(&self, id: i64) -> Result<Option<Kept>, OpenError> {
        Ok(self.select("WHERE id = ?1", params![id])?.pop())
    }

    /// Copies the whole of the data, as of now, to a new file; the server goes on.
    ///
    /// # Errors
    /// When the file exists, or cannot be written.
    pub fn back_up(&self, to: &Path) -> Result<(), OpenError> {
        let failed = |error| OpenError::Directory { path: to.to_owned(), error };
        // SQLite would write over whatever is there.
        File::create_new(to).map_err(failed)?;
        let copied = schema::restrict(to).map_err(failed).and_then(|()| {
            let mut copy = Connection::open(to)?;
            // In one step: a copy in pieces begins anew with every commit of the server.
            let step = Backup::new(&self.0, &mut copy)?.step(-1)?;
            // The server moves its log into the file just then, or another program is at it.
            if step == StepResult::Done { Ok(()) } else { Err(failed(io::ErrorKind::ResourceBusy.into())) }
        });
        if copied.is_err() {
            // Part of a copy is none, and would be in the way of the next.
            fs::remove_file(to).map_err(failed)?;
        }
        copied
    }

    fn select(&self, rest: &str, given: impl rusqlite::Params) -> Result<Vec<Kept>, OpenError> {
        let mut games = self.0.prepare(&format!("{GAME} {rest}"))?;
        let mut rows = games.query(given)?;
        let mut kept = Vec::new();
        while let Some(row) = rows.next()? {
            let (id, room, Finished { number, ended, record }) = row::read_game(row)?;
            let record = record.parse().map_err(|error| OpenError::Damaged(format!("game {id}: {error}")))?;
            kept.push(Kept { id, room, number, ended, record });
        }
        Ok(kept)
    }
}
