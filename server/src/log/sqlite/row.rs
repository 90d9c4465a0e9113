//! What a row holds, with a checksum over all of it, its own number included: damage is named, never
//! skipped.

use noughts_protocol::{Code, Party, ResumeToken, RoomId, Seq};
use rusqlite::types::FromSql;
use rusqlite::{Row, params};
use serde::{Deserialize, Serialize};

use crate::log::{Finished, Founding, Image};

/// Why rows could not be read.
#[derive(Debug)]
pub(super) enum Failed {
    Sqlite(rusqlite::Error),
    /// Which row is not what was written.
    Damaged(String),
}

impl From<rusqlite::Error> for Failed {
    fn from(error: rusqlite::Error) -> Failed {
        Failed::Sqlite(error)
    }
}

/// A checksum over parts of a row. Of the parts with no length of their own only the last may vary.
pub(super) struct Sum(crc32fast::Hasher);

impl Sum {
    pub(super) fn of(room: RoomId) -> Sum {
        Sum(crc32fast::Hasher::new()).bytes(&room.bits().to_be_bytes())
    }

    pub(super) fn number(self, number: i64) -> Sum {
        self.bytes(&number.to_be_bytes())
    }

    pub(super) fn bytes(mut self, bytes: &[u8]) -> Sum {
        self.0.update(bytes);
        self
    }

    pub(super) fn end(self) -> i64 {
        i64::from(self.0.finalize())
    }
}

/// A room's id as SQLite's integer: 40 bits fit.
pub(super) fn key(room: RoomId) -> i64 {
    room.bits() as i64
}

/// The room of a key; none when no room has such a key.
fn room(of: i64) -> Option<RoomId> {
    let room = RoomId::from_bits(of as u64);
    (key(room) == of).then_some(room)
}

pub(super) fn room_column(row: &Row<'_>, index: usize, what: impl Fn() -> String) -> Result<RoomId, Failed> {
    room(column(row, index, &what)?).ok_or_else(|| Failed::Damaged(what()))
}

/// A column of the type that was written there; any other is damage to `what`.
pub(super) fn column<T: FromSql>(
    row: &Row<'_>,
    index: usize,
    what: impl Fn() -> String,
) -> Result<T, Failed> {
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
        if content { Failed::Damaged(what()) } else { Failed::Sqlite(error) }
    })
}

/// The secrets of a room as they are stored.
#[derive(Serialize, Deserialize)]
struct Secrets {
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<Code>,
    tokens: [ResumeToken; 2],
    /// Not in what earlier versions wrote.
    #[serde(default, skip_serializing_if = "nobody")]
    parties: [Option<Party>; 2],
}

fn nobody(parties: &[Option<Party>; 2]) -> bool {
    parties.iter().all(Option::is_none)
}

pub(super) fn founding_body(founding: &Founding) -> Vec<u8> {
    let secrets = Secrets { code: founding.code, tokens: founding.tokens, parties: founding.parties };
    serde_json::to_vec(&secrets).expect("secrets are strings")
}

/// The checksum over what a room was founded with.
pub(super) fn founding_sum(room: RoomId, founded: i64, body: &[u8]) -> i64 {
    Sum::of(room).number(founded).bytes(body).end()
}

/// The checksum over where its history begins.
pub(super) fn image_sum(room: RoomId, image: Option<&Image>) -> i64 {
    let sum = Sum::of(room);
    match image {
        None => sum.end(),
        Some(image) => sum.number(image.seq.get() as i64).bytes(&image.body).end(),
    }
}

/// The columns of a room, in the order in which [`read_room`] takes them.
pub(super) const ROOM: &str =
    "SELECT room, founded, founding, founding_crc, image_seq, image, image_crc FROM rooms";

/// An open room, the first row that may be about it, and the image that its history begins with.
pub(super) fn read_room(row: &Row<'_>) -> Result<(Founding, i64, Option<Image>), Failed> {
    let room = room_column(row, 0, || "the name of a room".into())?;
    let damaged = || format!("the founding of room {room}");
    let founded = column(row, 1, damaged)?;
    let body = row.get_ref(2)?.as_blob().map_err(|_| Failed::Damaged(damaged()))?;
    if founding_sum(room, founded, body) != column::<i64>(row, 3, damaged)? {
        return Err(Failed::Damaged(damaged()));
    }
    let secrets: Secrets = serde_json::from_slice(body).map_err(|_| Failed::Damaged(damaged()))?;
    let founding = Founding { room, code: secrets.code, tokens: secrets.tokens, parties: secrets.parties };

    let damaged = || format!("the image of room {room}");
    let seq: i64 = column(row, 4, damaged)?;
    let body: Option<Vec<u8>> = column(row, 5, damaged)?;
    let image = body.map(|body| Image { seq: Seq::new(seq.unsigned_abs()), body });
    let empty = image.is_none() && seq != 0;
    if empty || image_sum(room, image.as_ref()) != column::<i64>(row, 6, damaged)? {
        return Err(Failed::Damaged(damaged()));
    }
    Ok((founding, founded, image))
}

pub(super) fn game_sum(id: i64, room: RoomId, finished: &Finished) -> i64 {
    Sum::of(room)
        .number(id)
        .number(i64::from(finished.number))
        .number(finished.ended as i64)
        .bytes(finished.record.as_bytes())
        .end()
}

/// The columns of a game, in the order in which [`read_game`] takes them.
pub(super) const GAME: &str = "SELECT id, room, number, ended, record, crc FROM games";

/// A finished game: its number in the archive, its room, and what was kept.
pub(super) fn read_game(row: &Row<'_>) -> Result<(i64, RoomId, Finished), Failed> {
    let id: i64 = row.get(0)?;
    let damaged = || format!("game {id}");
    let room = room_column(row, 1, damaged)?;
    let ended: i64 = column(row, 3, damaged)?;
    let finished =
        Finished { number: column(row, 2, damaged)?, ended: ended as u64, record: column(row, 4, damaged)? };
    if game_sum(id, room, &finished) != column::<i64>(row, 5, damaged)? {
        return Err(Failed::Damaged(damaged()));
    }
    Ok((id, room, finished))
}

/// Writes a finished game.
pub(super) fn write_game(
    connection: &rusqlite::Connection,
    id: i64,
    room: RoomId,
    finished: &Finished,
) -> rusqlite::Result<()> {
    let sum = game_sum(id, room, finished);
    connection
        .prepare_cached(
            "INSERT INTO games (id, room, number, ended, record, crc) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        )?
        .execute(params![id, key(room), finished.number, finished.ended as i64, finished.record, sum])?;
    Ok(())
}
