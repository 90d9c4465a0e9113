//! Migration from format 2 to 3: the events of many appends share a row. In format 2 each event had a row of its
//! own, and each room stored the row of its first live event.

use std::collections::HashMap;

use noughts_protocol::{EventRecord, RoomId, Seq};
use rusqlite::{Row, Transaction, params};

use crate::store::Checkpoint;
use crate::store::sqlite::error::RowError;
use crate::store::sqlite::format::commit_row::CommitRowBuilder;
use crate::store::sqlite::format::row::{self, RowChecksum, verify_checksum};
use crate::store::sqlite::format::schema::ROOM_TABLES_SQL;

/// Size at which a new row is started.
const TARGET_ROW_BYTES: u64 = 1 << 16;

/// Number of the first row. All rooms refer to it as the row in which they were created.
const FIRST_ROW: i64 = 1;

pub(crate) fn migrate(transaction: &Transaction<'_>) -> Result<(), RowError> {
    transaction.execute_batch("ALTER TABLE rooms RENAME TO old_rooms")?;
    transaction.execute_batch(ROOM_TABLES_SQL)?;
    let needed = migrate_rooms(transaction)?;
    migrate_events(transaction, &needed)?;
    transaction.execute_batch("DROP TABLE events; DROP TABLE old_rooms;")?;
    Ok(())
}

/// Copies the rooms, and returns the row of the first live event of each.
fn migrate_rooms(transaction: &Transaction<'_>) -> Result<HashMap<RoomId, i64>, RowError> {
    let mut old = transaction.prepare(
        "SELECT room, founding, founding_crc, first_event, image_seq, image, image_crc FROM old_rooms",
    )?;
    let mut new = transaction.prepare("INSERT INTO rooms VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)")?;
    let mut rows = old.query([])?;
    let mut needed = HashMap::new();
    while let Some(row) = rows.next()? {
        let room = row::room_column(row, 0, || "id of a room".into())?;
        let describe = || format!("secrets of room {room}");
        let secrets: Vec<u8> = row::column(row, 1, describe)?;
        verify_checksum(
            secrets_checksum(room, &secrets),
            row::column(row, 2, describe)?,
            describe,
        )?;
        let describe = || format!("checkpoint of room {room}");
        let (first_event, seq): (i64, i64) = (
            row::column(row, 3, describe)?,
            row::column(row, 4, describe)?,
        );
        let body = row::column::<Option<Vec<u8>>>(row, 5, describe)?;
        let checkpoint = body.map(|body| Checkpoint {
            seq: Seq::new(seq.unsigned_abs()),
            body,
        });
        let sum = checkpoint_checksum(room, first_event, checkpoint.as_ref());
        verify_checksum(sum, row::column(row, 6, describe)?, describe)?;
        if checkpoint.is_none() && seq != 0 {
            return Err(RowError::Corrupt(describe()));
        }
        let sums = (
            row::secrets_checksum(room, FIRST_ROW, &secrets),
            row::checkpoint_checksum(room, checkpoint.as_ref()),
        );
        let body = checkpoint.map(|checkpoint| checkpoint.body);
        new.execute(params![
            row::room_key(room),
            FIRST_ROW,
            secrets,
            sums.0,
            seq,
            body,
            sums.1
        ])?;
        needed.insert(room, first_event);
    }
    Ok(needed)
}

fn migrate_events(
    transaction: &Transaction<'_>,
    needed: &HashMap<RoomId, i64>,
) -> Result<(), RowError> {
    let mut old = transaction.prepare("SELECT id, room, body, crc FROM events ORDER BY id")?;
    let mut rows = old.query([])?;
    let mut commit_row = CommitRowBuilder::default();
    commit_row.reset(FIRST_ROW);
    while let Some(row) = rows.next()? {
        let (id, room, seq, body) = read_event(row)?;
        if needed.get(&room).is_some_and(|first| id >= *first) {
            commit_row.push(room, seq, 1, |out| {
                out.extend([b"[", body, b"]"].into_iter().flatten())
            });
        }
        if commit_row.size() >= TARGET_ROW_BYTES {
            commit_row.insert(transaction)?;
            commit_row.reset(commit_row.number() + 1);
        }
    }
    if !commit_row.is_empty() {
        commit_row.insert(transaction)?;
    }
    Ok(())
}

fn read_event<'a>(row: &'a Row<'_>) -> Result<(i64, RoomId, Seq, &'a [u8]), RowError> {
    let id: i64 = row.get(0)?;
    let room = row::room_column(row, 1, || format!("row {id} of events"))?;
    let describe = || format!("row {id} of events, room {room}");
    let body = row
        .get_ref(2)?
        .as_blob()
        .map_err(|_| RowError::Corrupt(describe()))?;
    verify_checksum(
        event_checksum(id, room, body),
        row::column(row, 3, describe)?,
        describe,
    )?;
    let event: EventRecord =
        serde_json::from_slice(body).map_err(|_| RowError::Corrupt(describe()))?;
    Ok((id, room, event.seq, body))
}

pub(crate) fn event_checksum(id: i64, room: RoomId, body: &[u8]) -> i64 {
    RowChecksum::new(room).number(id).bytes(body).finish()
}

pub(crate) fn secrets_checksum(room: RoomId, body: &[u8]) -> i64 {
    RowChecksum::new(room).bytes(body).finish()
}

pub(crate) fn checkpoint_checksum(
    room: RoomId,
    first_event: i64,
    checkpoint: Option<&Checkpoint>,
) -> i64 {
    let sum = RowChecksum::new(room).number(first_event);
    match checkpoint {
        None => sum.finish(),
        Some(checkpoint) => sum
            .number(checkpoint.seq.get() as i64)
            .bytes(&checkpoint.body)
            .finish(),
    }
}
