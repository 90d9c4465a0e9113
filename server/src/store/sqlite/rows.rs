//! The format of the database file: its tables, and the encoding of their rows.
//!
//! A checksum covers each row of a room or a finished game and its key, so that a corrupt row is reported, never
//! skipped.
//!
//! A row of the table `commits` contains the events of one commit: the number of entries, then the entries. An entry
//! contains the events of one append: a header and a JSON array. Its checksum covers the entry and the number of the
//! row, so that corruption is reported with row and room.

use noughts_protocol::{EventRecord, RoomId, Seq};
use rusqlite::types::FromSql;
use rusqlite::{Connection, Row, params};

use crate::store::sqlite::data_files::{DataDirError, RowError};
use crate::store::{Checkpoint, FinishedGame, RoomSecrets, decode_secrets};

/// The only format that this program reads and writes.
pub(crate) const FORMAT: i64 = 5;

/// Tables of open rooms. A row of `commits` contains the events of one commit, because a statement and a row for each
/// event took most of the time of a commit. Rows are only appended. If the key were (room, seq), each event would
/// change a page of its own, which costs five to ten times as much. Every checksum covers its whole row or entry.
/// SQLite stores this text, so a change of a single character is a new format.
///
/// In `rooms`, `founded` is the row of `commits` that created the room, `founding` contains the secrets of the room,
/// and `image` is its checkpoint.
const ROOM_TABLES_SQL: &str = "
    CREATE TABLE commits (id INTEGER PRIMARY KEY, body BLOB NOT NULL);
    CREATE TABLE rooms (
        room INTEGER PRIMARY KEY,
        founded INTEGER NOT NULL,
        founding BLOB NOT NULL,
        founding_crc INTEGER NOT NULL,
        image_seq INTEGER NOT NULL DEFAULT 0,
        image BLOB,
        image_crc INTEGER NOT NULL
    );
";

/// Tables of finished games. `witness` holds the time that servers have observed; it decides when games expire.
///
/// The table `game_index` has a row for each identity in a game; see the module `game_index`. The rows are written with
/// the game, and a trigger deletes them with the game.
const GAME_TABLES_SQL: &str = "
    CREATE TABLE games (
        id INTEGER PRIMARY KEY,
        room INTEGER NOT NULL,
        number INTEGER NOT NULL,
        ended INTEGER NOT NULL,
        record TEXT NOT NULL,
        crc INTEGER NOT NULL
    );
    CREATE TABLE witness (at INTEGER NOT NULL);
    CREATE TABLE game_index (
        player BLOB NOT NULL,
        game INTEGER NOT NULL,
        ended INTEGER NOT NULL,
        rules TEXT NOT NULL,
        opponent BLOB,
        result INTEGER NOT NULL,
        public INTEGER NOT NULL,
        PRIMARY KEY (player, game)
    ) WITHOUT ROWID;
    CREATE INDEX game_index_by_game ON game_index (game);
    CREATE TRIGGER game_index_deletion AFTER DELETE ON games
        BEGIN DELETE FROM game_index WHERE game = old.id; END;
";

/// Creates the tables of an empty file in one transaction, or checks the tables of existing data.
///
/// # Errors
/// [`DataDirError::OtherFormat`], or corrupt tables.
pub(crate) fn prepare_tables(connection: &mut Connection) -> Result<(), DataDirError> {
    if format_version(connection)? != 0 {
        require_current_format(connection)?;
        return check_declarations(connection);
    }
    let transaction = connection.transaction()?;
    transaction.execute_batch(&[ROOM_TABLES_SQL, GAME_TABLES_SQL].concat())?;
    transaction.pragma_update(None, "user_version", FORMAT)?;
    transaction.commit()?;
    Ok(())
}

/// Accepts data of the current format.
///
/// # Errors
/// [`DataDirError::OtherFormat`].
pub(crate) fn require_current_format(connection: &Connection) -> Result<(), DataDirError> {
    match format_version(connection)? {
        FORMAT => Ok(()),
        found => Err(DataDirError::OtherFormat {
            found,
            supported: FORMAT,
        }),
    }
}

fn format_version(connection: &Connection) -> rusqlite::Result<i64> {
    connection.query_row("PRAGMA user_version", [], |row| row.get(0))
}

/// Checks that the stored declarations of the tables match this program. A corrupt declaration makes SQLite look for
/// rows in the wrong place.
pub(crate) fn check_declarations(connection: &Connection) -> Result<(), DataDirError> {
    let declarations = |connection: &Connection| -> rusqlite::Result<Vec<(String, String)>> {
        let mut tables = connection.prepare(
            "SELECT name, sql FROM sqlite_schema
                 WHERE name IN ('commits', 'rooms', 'games', 'witness') OR name GLOB 'game_index*'
                 ORDER BY name",
        )?;
        tables
            .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?
            .collect()
    };
    let ours = Connection::open_in_memory()?;
    ours.execute_batch(&[ROOM_TABLES_SQL, GAME_TABLES_SQL].concat())?;
    let (ours, theirs) = (declarations(&ours)?, declarations(connection)?);
    match ours.iter().find(|table| !theirs.contains(table)) {
        None => Ok(()),
        Some((name, _)) => Err(DataDirError::Corrupt(format!(
            "declaration of table {name}"
        ))),
    }
}

/// Computes the CRC-32 of the columns of a row. Only the last column may have a variable length.
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

/// Returns the id of a room as an SQLite integer. An id has 40 bits.
pub(crate) fn room_key(room: RoomId) -> i64 {
    room.bits() as i64
}

/// Returns the room with this key, if the key is a valid id.
fn room_from_key(value: i64) -> Option<RoomId> {
    let room = RoomId::from_bits(value as u64);
    (room_key(room) == value).then_some(room)
}

/// Reads a column that contains the id of a room.
fn room_column(
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

pub(crate) fn secrets_checksum(room: RoomId, created_row: i64, body: &[u8]) -> i64 {
    RowChecksum::new(room)
        .number(created_row)
        .bytes(body)
        .finish()
}

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

/// Reads an open room: its secrets, the row of `commits` that created it, and its checkpoint.
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

fn game_checksum(id: i64, room: RoomId, finished: &FinishedGame) -> i64 {
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

/// Writes a finished game without its entries in the index; see `game_index::write_game`.
pub(crate) fn write_game_row(
    connection: &Connection,
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

/// Length of the number of entries.
const COUNT_LEN: usize = 4;

/// Length of the header of an entry: checksum, room, number of the first event, number of events, length of the text.
const HEADER_LEN: usize = 4 + 8 + 8 + 4 + 4;

/// Maximum capacity of the buffer that is kept between commits.
const RETAINED_CAPACITY: usize = 1 << 20;

/// Builds the row of one commit. Reuses its buffer for the next row.
#[derive(Debug, Default)]
pub(crate) struct CommitRowBuilder {
    number: i64,
    entries: u32,
    body: Vec<u8>,
}

impl CommitRowBuilder {
    /// Starts an empty row with this number.
    pub(crate) fn reset(&mut self, number: i64) {
        self.number = number;
        self.entries = 0;
        self.body.clear();
        self.body.shrink_to(RETAINED_CAPACITY);
        self.body.extend_from_slice(&[0; COUNT_LEN]);
    }

    pub(crate) fn number(&self) -> i64 {
        self.number
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.entries == 0
    }

    /// Returns the size of the entries in bytes.
    pub(crate) fn size(&self) -> u64 {
        (self.body.len() - COUNT_LEN) as u64
    }

    /// Adds an entry; `write` appends its text to the buffer. Returns the size of the entry in bytes.
    pub(crate) fn push(
        &mut self,
        room: RoomId,
        first: Seq,
        count: u32,
        write: impl FnOnce(&mut Vec<u8>),
    ) -> u64 {
        let start = self.body.len();
        self.body.extend_from_slice(&[0; 4]);
        self.body.extend_from_slice(&room.bits().to_be_bytes());
        self.body.extend_from_slice(&first.get().to_be_bytes());
        self.body.extend_from_slice(&count.to_be_bytes());
        let text_start = self.body.len() + 4;
        self.body.extend_from_slice(&[0; 4]);
        write(&mut self.body);
        let length = u32::try_from(self.body.len() - text_start)
            .expect("a request has a few KiB, and a row of SQLite at most 1 GB");
        self.body[text_start - 4..text_start].copy_from_slice(&length.to_be_bytes());
        let sum = checksum(self.number, &self.body[start + 4..]);
        self.body[start..start + 4].copy_from_slice(&sum.to_be_bytes());
        self.entries += 1;
        (self.body.len() - start) as u64
    }

    /// Writes the number of entries, and returns the row.
    fn finish(&mut self) -> &[u8] {
        self.body[..COUNT_LEN].copy_from_slice(&self.entries.to_be_bytes());
        &self.body
    }

    /// Inserts the row into the table.
    pub(crate) fn insert(&mut self, connection: &Connection) -> rusqlite::Result<()> {
        let number = self.number;
        connection
            .prepare_cached("INSERT INTO commits (id, body) VALUES (?1, ?2)")?
            .execute(params![number, self.finish()])?;
        Ok(())
    }
}

fn checksum(number: i64, rest: &[u8]) -> u32 {
    let mut sum = crc32fast::Hasher::new();
    sum.update(&number.to_be_bytes());
    sum.update(rest);
    sum.finalize()
}

/// An entry of a row. Not trustworthy before [`CommitEntry::verify`] succeeds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CommitEntry<'a> {
    number: i64,
    pub(crate) room: RoomId,
    pub(crate) first: Seq,
    pub(crate) count: u32,
    pub(crate) text: &'a [u8],
    checksum: u32,
    /// Bytes that the checksum covers, in addition to the row number.
    checksummed: &'a [u8],
}

impl CommitEntry<'_> {
    pub(crate) fn size(&self) -> u64 {
        (HEADER_LEN + self.text.len()) as u64
    }

    /// Verifies the checksum.
    pub(crate) fn verify(&self) -> Result<(), RowError> {
        if checksum(self.number, self.checksummed) == self.checksum {
            Ok(())
        } else {
            Err(self.corrupt())
        }
    }

    /// Parses the events, and checks that they are numbered as the header says.
    pub(crate) fn events(&self) -> Result<Vec<EventRecord>, RowError> {
        let events: Vec<EventRecord> =
            serde_json::from_slice(self.text).map_err(|_| self.corrupt())?;
        let numbers = (self.first.get()..).take(self.count as usize);
        let in_sequence = events.iter().map(|event| event.seq.get()).eq(numbers);
        if in_sequence {
            Ok(events)
        } else {
            Err(self.corrupt())
        }
    }

    fn corrupt(&self) -> RowError {
        RowError::Corrupt(format!(
            "wrong checksum in row {} of commits, room {}",
            self.number, self.room
        ))
    }
}

/// Iterates over the entries of a row. If the boundaries of entries are corrupt, yields an error and ends.
#[derive(Debug)]
pub(crate) struct CommitEntries<'a> {
    number: i64,
    /// Number of entries according to the row; `None` after an error.
    count: Option<u32>,
    seen: u32,
    last: Option<RoomId>,
    rest: &'a [u8],
}

impl<'a> CommitEntries<'a> {
    pub(crate) fn parse(number: i64, body: &'a [u8]) -> CommitEntries<'a> {
        let (count, rest) = body
            .split_first_chunk()
            .map_or((None, body), |(count, rest)| (Some(*count), rest));
        // If the row is too short to contain the number, reading the first entry fails.
        let count = Some(count.map_or(u32::MAX, u32::from_be_bytes));
        CommitEntries {
            number,
            count,
            seen: 0,
            last: None,
            rest,
        }
    }

    fn corrupt(&mut self) -> RowError {
        self.count = None;
        let location = self.last.map_or_else(
            || "before any room".into(),
            |room| format!("at or after room {room}"),
        );
        RowError::Corrupt(format!(
            "entries in row {} of commits, {location}",
            self.number
        ))
    }
}

impl<'a> Iterator for CommitEntries<'a> {
    type Item = Result<CommitEntry<'a>, RowError>;

    fn next(&mut self) -> Option<Result<CommitEntry<'a>, RowError>> {
        let count = self.count?;
        if self.rest.is_empty() && self.seen == count {
            return None;
        }
        let Some((header, rest)) = self.rest.split_first_chunk::<HEADER_LEN>() else {
            return Some(Err(self.corrupt()));
        };
        let room = RoomId::from_bits(read_u64(header, 4));
        self.last = Some(room);
        let length = read_u32(header, 24) as usize;
        let Some((text, following)) = rest.split_at_checked(length) else {
            return Some(Err(self.corrupt()));
        };
        let checksummed = &self.rest[4..HEADER_LEN + length];
        self.rest = following;
        self.seen = self.seen.saturating_add(1);
        let (number, first) = (self.number, Seq::new(read_u64(header, 12)));
        Some(Ok(CommitEntry {
            number,
            room,
            first,
            count: read_u32(header, 20),
            text,
            checksum: read_u32(header, 0),
            checksummed,
        }))
    }
}

fn read_u32(header: &[u8; HEADER_LEN], at: usize) -> u32 {
    u32::from_be_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]])
}

fn read_u64(header: &[u8; HEADER_LEN], at: usize) -> u64 {
    u64::from(read_u32(header, at)) << 32 | u64::from(read_u32(header, at + 4))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::event;

    fn events(from: u64, to: u64) -> Vec<EventRecord> {
        (from..=to).map(|seq| event(seq, seq)).collect()
    }

    /// Returns the contents of a row, or the description of its damage.
    fn read(number: i64, body: &[u8]) -> Result<Vec<(RoomId, Vec<EventRecord>)>, String> {
        let read = CommitEntries::parse(number, body).map(|entry| {
            let entry = entry?;
            entry.verify()?;
            Ok((entry.room, entry.events()?))
        });
        read.collect::<Result<_, RowError>>()
            .map_err(|failed| format!("{failed:?}"))
    }

    #[test]
    fn a_corrupt_row_is_named_with_its_room() {
        let rooms = [7, 9, 7].map(RoomId::from_bits);
        let written = [events(1, 3), events(40, 40), events(4, 4)];
        let mut group = CommitRowBuilder::default();
        group.reset(17);
        let mut ends = vec![COUNT_LEN];
        for (room, events) in rooms.iter().zip(&written) {
            let text = serde_json::to_vec(events).unwrap();
            let size = group.push(
                *room,
                events[0].seq,
                u32::try_from(events.len()).unwrap(),
                |body| {
                    body.extend_from_slice(&text);
                },
            );
            ends.push(ends[ends.len() - 1] + size as usize);
        }
        let body = group.finish().to_vec();
        assert_eq!(
            read(17, &body).unwrap(),
            rooms.into_iter().zip(written).collect::<Vec<_>>()
        );
        let named = |refused: &str| refused.contains("row 17") && refused.contains("room");
        assert!(read(18, &body).is_err(), "it stands in its own row");
        for at in 0..body.len() {
            let mut flipped = body.clone();
            flipped[at] ^= 1 << (at % 8);
            let refused = read(17, &flipped).unwrap_err();
            assert!(named(&refused), "byte {at}: {refused}");
            // A row that was cut between two entries is refused as well.
            let refused = read(17, &body[..at]).unwrap_err();
            assert!(named(&refused), "{at} bytes: {refused}");
        }
        let twice = [&body[..], &body[ends[2]..]].concat();
        assert!(named(&read(17, &twice).unwrap_err()));
        group.reset(18);
        assert!(group.is_empty() && group.size() == 0);
        assert_eq!(read(18, group.finish()).unwrap(), []);
    }
}
