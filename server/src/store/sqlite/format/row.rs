//! Encoding of the rows of rooms and finished games. A checksum covers each row and its key: a corrupt row is
//! reported, never skipped.

use noughts_protocol::{RoomId, Seq};
use rusqlite::types::FromSql;
use rusqlite::{Row, params};

use crate::store::sqlite::error::RowError;
use crate::store::stored_secrets::decode_secrets;
use crate::store::{Checkpoint, FinishedGame, RoomSecrets};

/// CRC-32 over the columns of a row. Only the last column may have a variable length.
pub(crate) struct RowChecksum(crc32fast::Hasher);

impl RowChecksum {
    pub(crate) fn new(room: RoomId) -> RowChecksum {
        RowChecksum(crc32fast::Hasher::new()).bytes(&room.bits().to_be_bytes())
    }

    pub(crate) fn number(self, number: i64) -> RowChecksum {
        self.bytes(&number.to_be_bytes())
    }

    pub(crate) fn bytes(mut self, bytes: &[u8]) -> RowChecksum {
        self.0.update(bytes);
        self
    }

    pub(crate) fn finish(self) -> i64 {
        i64::from(self.0.finalize())
    }
}

/// Id of a room as an SQLite integer. An id has 40 bits.
pub(crate) fn room_key(room: RoomId) -> i64 {
    room.bits() as i64
}

/// The room with this key, if the key is a valid id.
fn room_from_key(value: i64) -> Option<RoomId> {
    let room = RoomId::from_bits(value as u64);
    (room_key(room) == value).then_some(room)
}

/// Reads a column that contains the id of a room.
pub(crate) fn room_column(
    row: &Row<'_>,
    index: usize,
    describe: impl Fn() -> String,
) -> Result<RoomId, RowError> {
    room_from_key(column(row, index, &describe)?).ok_or_else(|| RowError::Corrupt(describe()))
}

/// Reads a column.
///
/// # Errors
/// [`RowError::Corrupt`] with the description of the row if the column has another type than was written.
pub(crate) fn column<T: FromSql>(
    row: &Row<'_>,
    index: usize,
    describe: impl Fn() -> String,
) -> Result<T, RowError> {
    row.get(index).map_err(|error| {
        use rusqlite::Error::{
            FromSqlConversionFailure, IntegralValueOutOfRange, InvalidColumnType, Utf8Error,
        };
        let content = matches!(
            error,
            InvalidColumnType(..)
                | IntegralValueOutOfRange(..)
                | FromSqlConversionFailure(..)
                | Utf8Error(..)
        );
        if content {
            RowError::Corrupt(describe())
        } else {
            RowError::Sqlite(error)
        }
    })
}

/// Checksum of the secrets of a room.
pub(crate) fn secrets_checksum(room: RoomId, created_row: i64, body: &[u8]) -> i64 {
    RowChecksum::new(room)
        .number(created_row)
        .bytes(body)
        .finish()
}

/// Checksum of the checkpoint of a room.
pub(crate) fn checkpoint_checksum(room: RoomId, checkpoint: Option<&Checkpoint>) -> i64 {
    let sum = RowChecksum::new(room);
    match checkpoint {
        None => sum.finish(),
        Some(checkpoint) => sum
            .number(checkpoint.seq.get() as i64)
            .bytes(&checkpoint.body)
            .finish(),
    }
}

/// Selects the columns of rooms that [`read_room`] reads.
pub(crate) const SELECT_ROOM: &str =
    "SELECT room, founded, founding, founding_crc, image_seq, image, image_crc FROM rooms";

/// Reads an open room: its secrets, the row of `commits` in which it was created, and its checkpoint.
pub(crate) fn read_room(row: &Row<'_>) -> Result<(RoomSecrets, i64, Option<Checkpoint>), RowError> {
    let room = room_column(row, 0, || "id of a room".into())?;
    let describe = || format!("secrets of room {room}");
    let created_row = column(row, 1, describe)?;
    let body = row
        .get_ref(2)?
        .as_blob()
        .map_err(|_| RowError::Corrupt(describe()))?;
    if secrets_checksum(room, created_row, body) != column::<i64>(row, 3, describe)? {
        return Err(RowError::Corrupt(describe()));
    }
    let secrets = decode_secrets(room, body).ok_or_else(|| RowError::Corrupt(describe()))?;

    let describe = || format!("checkpoint of room {room}");
    let seq: i64 = column(row, 4, describe)?;
    let body: Option<Vec<u8>> = column(row, 5, describe)?;
    let checkpoint = body.map(|body| Checkpoint {
        seq: Seq::new(seq.unsigned_abs()),
        body,
    });
    let is_inconsistent = checkpoint.is_none() && seq != 0;
    if is_inconsistent
        || checkpoint_checksum(room, checkpoint.as_ref()) != column::<i64>(row, 6, describe)?
    {
        return Err(RowError::Corrupt(describe()));
    }
    Ok((secrets, created_row, checkpoint))
}

pub(crate) fn game_checksum(id: i64, room: RoomId, finished: &FinishedGame) -> i64 {
    RowChecksum::new(room)
        .number(id)
        .number(i64::from(finished.number))
        .number(finished.ended_at as i64)
        .bytes(finished.record.as_bytes())
        .finish()
}

/// Selects the columns of finished games that [`read_game`] reads.
pub(crate) const SELECT_GAME: &str = "SELECT id, room, number, ended, record, crc FROM games";

/// Reads a finished game: its id in the archive, its room, and the game.
pub(crate) fn read_game(row: &Row<'_>) -> Result<(i64, RoomId, FinishedGame), RowError> {
    let id: i64 = row.get(0)?;
    let describe = || format!("game {id}");
    let room = room_column(row, 1, describe)?;
    let ended: i64 = column(row, 3, describe)?;
    let finished = FinishedGame {
        number: column(row, 2, describe)?,
        ended_at: ended as u64,
        record: column(row, 4, describe)?,
    };
    if game_checksum(id, room, &finished) != column::<i64>(row, 5, describe)? {
        return Err(RowError::Corrupt(describe()));
    }
    Ok((id, room, finished))
}

pub(crate) fn write_game(
    connection: &rusqlite::Connection,
    id: i64,
    room: RoomId,
    finished: &FinishedGame,
) -> rusqlite::Result<()> {
    let checksum = game_checksum(id, room, finished);
    connection
        .prepare_cached(
            "INSERT INTO games (id, room, number, ended, record, crc) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        )?
        .execute(params![
            id,
            room_key(room),
            finished.number,
            finished.ended_at as i64,
            finished.record,
            checksum
        ])?;
    Ok(())
}
