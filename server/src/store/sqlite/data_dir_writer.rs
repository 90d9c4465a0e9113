//! Writes rooms and finished games of a cluster into a data directory that no server uses.

use std::path::Path;

use noughts_protocol::wire::write_json;
use noughts_protocol::{RoomId, Seq};
use rusqlite::{OptionalExtension, params};
use tracing::warn;

use crate::runtime::clock::ServerClock;
use crate::store::sqlite::data_dir::DataDir;
use crate::store::sqlite::data_files::{DataDirError, Durability, SqliteOptions};
use crate::store::sqlite::game_index;
use crate::store::sqlite::rows;
use crate::store::sqlite::rows::CommitRowBuilder;
use crate::store::{FinishedGame, RoomSecrets, StoredRoom, encode_secrets};

/// Tables that only the archive of a cluster has: the position of the last archived game in the stream of finished
/// games, and an index that finds a game by its key.
const CLUSTER_TABLES_SQL: &str = "
    CREATE TABLE IF NOT EXISTS cluster_archive (stream TEXT PRIMARY KEY, sequence INTEGER NOT NULL);
    CREATE INDEX IF NOT EXISTS games_by_key ON games (room, number, ended);
";

/// Position in a stream of finished games.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct StreamPosition {
    /// Identity of the stream.
    pub(crate) stream: String,
    /// Sequence of the last game that was read.
    pub(crate) sequence: u64,
}

/// A data directory that a command of the operator writes.
#[derive(Debug)]
pub(crate) struct DataDirWriter {
    data_dir: DataDir,
    next_game_id: i64,
}

impl DataDirWriter {
    /// Opens and locks a directory, which is created if necessary.
    ///
    /// # Errors
    /// If the directory is in use or cannot be written, or the data is corrupt or of another format.
    pub(crate) fn open(directory: &Path) -> Result<DataDirWriter, DataDirError> {
        let options = SqliteOptions::new(Durability::Power, ServerClock::start());
        let mut data_dir = DataDir::open(directory, &options)?;
        // The tables are written first, because from now on the write-ahead log is required and must not be empty.
        data_dir.connection.execute_batch(CLUSTER_TABLES_SQL)?;
        data_dir
            .mark_in_use()
            .map_err(|error| DataDirError::Directory {
                path: directory.to_owned(),
                error,
            })?;
        let next_game_id = data_dir.connection.query_row(
            "SELECT coalesce(max(id), 0) + 1 FROM games",
            [],
            |row| row.get(0),
        )?;
        Ok(DataDirWriter {
            data_dir,
            next_game_id,
        })
    }

    /// Returns the sequence number of the last archived message of a stream of finished games.
    pub(crate) fn archived_sequence(&self, stream: &str) -> Result<u64, DataDirError> {
        let sql = "SELECT sequence FROM cluster_archive WHERE stream = ?1";
        let stored: Option<i64> = self
            .data_dir
            .connection
            .query_row(sql, [stream], |row| row.get(0))
            .optional()?;
        Ok(stored.map_or(0, i64::unsigned_abs))
    }

    /// Adds the games that the directory does not contain yet, and records the position of the last game, atomically.
    /// Returns the number of new games.
    pub(crate) fn add_games<'g>(
        &mut self,
        games: impl IntoIterator<Item = (RoomId, &'g FinishedGame)>,
        position: Option<&StreamPosition>,
    ) -> Result<usize, DataDirError> {
        let transaction = self.data_dir.connection.unchecked_transaction()?;
        let mut next_id = self.next_game_id;
        for (room, game) in games {
            let found = transaction
                .prepare_cached(
                    "SELECT 1 FROM games WHERE room = ?1 AND number = ?2 AND ended = ?3",
                )?
                .exists(params![
                    rows::room_key(room),
                    game.number,
                    game.ended_at as i64
                ])?;
            if !found {
                game_index::write_game(&transaction, next_id, room, game)?;
                next_id += 1;
            }
        }
        if let Some(StreamPosition { stream, sequence }) = position {
            transaction
                .prepare_cached(
                    "INSERT OR REPLACE INTO cluster_archive (stream, sequence) VALUES (?1, ?2)",
                )?
                .execute(params![stream, *sequence as i64])?;
        }
        transaction.commit()?;
        let count = usize::try_from(next_id - self.next_game_id).unwrap_or(0);
        self.next_game_id = next_id;
        Ok(count)
    }

    /// Adds open rooms atomically. The directory must not contain any of them.
    pub(crate) fn add_rooms(
        &mut self,
        rooms: &[(RoomSecrets, StoredRoom)],
    ) -> Result<(), DataDirError> {
        let transaction = self.data_dir.connection.unchecked_transaction()?;
        let mut row_number: i64 =
            transaction.query_row("SELECT coalesce(max(id), 0) + 1 FROM commits", [], |row| {
                row.get(0)
            })?;
        let mut commit_row = CommitRowBuilder::default();
        for (secrets, stored) in rooms {
            let room = secrets.room;
            let body = encode_secrets(secrets);
            let checkpoint = stored.checkpoint.as_ref();
            let seq = checkpoint.map_or(Seq::ZERO, |checkpoint| checkpoint.seq);
            transaction
                .prepare_cached(
                    "INSERT INTO rooms (room, founded, founding, founding_crc, image_seq, image, image_crc)
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
                )?
                .execute(params![
                    rows::room_key(room),
                    row_number,
                    body,
                    rows::secrets_checksum(room, row_number, &body),
                    seq.get() as i64,
                    checkpoint.map(|checkpoint| &checkpoint.body),
                    rows::checkpoint_checksum(room, checkpoint),
                ])?;
            commit_row.reset(row_number);
            if let Some(first) = stored.events.first() {
                let count = u32::try_from(stored.events.len()).unwrap_or(u32::MAX);
                commit_row.push(room, first.seq, count, |body| {
                    write_json(&stored.events, body);
                });
                commit_row.insert(&transaction)?;
                row_number += 1;
            }
        }
        transaction.commit()?;
        Ok(())
    }
}

impl Drop for DataDirWriter {
    /// Marks the data as closed, so that a server finds it complete. No change is lost, because every change is a
    /// transaction of its own.
    fn drop(&mut self) {
        if let Err(error) = self.data_dir.mark_closed(None) {
            warn!(%error, "cannot write lock file");
        }
    }
}
