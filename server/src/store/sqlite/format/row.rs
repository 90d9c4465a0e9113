//! What a row holds, with a checksum over all of it, its own number included: damage is named, never
//! skipped.

use noughts_protocol::{PartyKey, ResumeToken, RoomCode, RoomId, Seq};
use rusqlite::types::FromSql;
use rusqlite::{Row, params};
use serde::{Deserialize, Serialize};

use crate::store::{Checkpoint, FinishedGame, RoomSecrets};

/// Why rows could not be read.
#[derive(Debug)]
pub(crate) enum RowError {
    Sqlite(rusqlite::Error),
    /// Which row is not what was written.
    Corrupt(String),
}

impl From<rusqlite::Error> for RowError {
    fn from(error: rusqlite::Error) -> RowError {
        RowError::Sqlite(error)
    }
}

/// A checksum over parts of a row. Of the parts with no length of their own only the last may vary.
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

/// A room's id as SQLite's integer: 40 bits fit.
pub(crate) fn room_key(room: RoomId) -> i64 {
    room.bits() as i64
}

/// The room of a key; none when no room has such a key.
fn room_from_key(value: i64) -> Option<RoomId> {
    let room = RoomId::from_bits(value as u64);
    (room_key(room) == value).then_some(room)
}

pub(crate) fn room_column(
    row: &Row<'_>,
    index: usize,
    describe: impl Fn() -> String,
) -> Result<RoomId, RowError> {
    room_from_key(column(row, index, &describe)?).ok_or_else(|| RowError::Corrupt(describe()))
}

/// A column of the type that was written there; any other is damage to `what`.
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
        if content { RowError::Corrupt(describe()) } else { RowError::Sqlite(error) }
    })
}

/// The secrets of a room as they are stored.
#[derive(Serialize, Deserialize)]
struct StoredSecrets {
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<RoomCode>,
    tokens: [ResumeToken; 2],
    /// Not in what earlier versions wrote.
    #[serde(default, skip_serializing_if = "nobody")]
    parties: [Option<PartyKey>; 2],
}

fn nobody(parties: &[Option<PartyKey>; 2]) -> bool {
    parties.iter().all(Option::is_none)
}

pub(crate) fn encode_secrets(secrets: &RoomSecrets) -> Vec<u8> {
    let stored = StoredSecrets { code: secrets.code, tokens: secrets.tokens, parties: secrets.parties };
    serde_json::to_vec(&stored).expect("secrets are strings")
}

/// The checksum over what a room was founded with.
pub(crate) fn secrets_checksum(room: RoomId, created_row: i64, body: &[u8]) -> i64 {
    RowChecksum::new(room).number(created_row).bytes(body).finish()
}

/// The checksum over where its history begins.
pub(crate) fn checkpoint_checksum(room: RoomId, checkpoint: Option<&Checkpoint>) -> i64 {
    let sum = RowChecksum::new(room);
    match checkpoint {
        None => sum.finish(),
        Some(checkpoint) => sum.number(checkpoint.seq.get() as i64).bytes(&checkpoint.body).finish(),
    }
}

/// The columns of a room, in the order in which [`read_room`] takes them.
pub(crate) const SELECT_ROOM: &str =
    "SELECT room, founded, founding, founding_crc, image_seq, image, image_crc FROM rooms";

/// An open room, the first row that may be about it, and the image that its history begins with.
pub(crate) fn read_room(row: &Row<'_>) -> Result<(RoomSecrets, i64, Option<Checkpoint>), RowError> {
    let room = room_column(row, 0, || "the name of a room".into())?;
    let describe = || format!("the founding of room {room}");
    let created_row = column(row, 1, describe)?;
    let body = row.get_ref(2)?.as_blob().map_err(|_| RowError::Corrupt(describe()))?;
    if secrets_checksum(room, created_row, body) != column::<i64>(row, 3, describe)? {
        return Err(RowError::Corrupt(describe()));
    }
    let stored: StoredSecrets = serde_json::from_slice(body).map_err(|_| RowError::Corrupt(describe()))?;
    let secrets = RoomSecrets { room, code: stored.code, tokens: stored.tokens, parties: stored.parties };

    let describe = || format!("the image of room {room}");
    let seq: i64 = column(row, 4, describe)?;
    let body: Option<Vec<u8>> = column(row, 5, describe)?;
    let checkpoint = body.map(|body| Checkpoint { seq: Seq::new(seq.unsigned_abs()), body });
    let is_inconsistent = checkpoint.is_none() && seq != 0;
    if is_inconsistent || checkpoint_checksum(room, checkpoint.as_ref()) != column::<i64>(row, 6, describe)? {
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

/// The columns of a game, in the order in which [`read_game`] takes them.
pub(crate) const SELECT_GAME: &str = "SELECT id, room, number, ended, record, crc FROM games";

/// A finished game: its number in the archive, its room, and what was kept.
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

/// Writes a finished game.
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
