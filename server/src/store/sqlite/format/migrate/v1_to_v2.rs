//! Migration from format 1 to 2: checksums cover the number of the row, checkpoints and the first event of a room
//! are checked together, finished games have checksums, and the observed time is stored.

use noughts_protocol::Seq;
use rusqlite::{Transaction, params};

use super::v2_to_v3;
use crate::store::sqlite::error::RowError;
use crate::store::sqlite::format::row::{self, RowChecksum, verify_checksum};
use crate::store::sqlite::format::schema::GAME_TABLES_SQL;
use crate::store::{Checkpoint, FinishedGame};

/// Tables of open rooms in format 2, with one row for each event.
const ROOM_TABLES_V2_SQL: &str = "
    CREATE TABLE events (
        id INTEGER PRIMARY KEY,
        room INTEGER NOT NULL,
        body BLOB NOT NULL,
        crc INTEGER NOT NULL
    );
    CREATE TABLE rooms (
        room INTEGER PRIMARY KEY,
        founding BLOB NOT NULL,
        founding_crc INTEGER NOT NULL,
        first_event INTEGER NOT NULL,
        image_seq INTEGER NOT NULL DEFAULT 0,
        image BLOB,
        image_crc INTEGER NOT NULL
    );
";

pub(crate) fn migrate(transaction: &Transaction<'_>) -> Result<(), RowError> {
    transaction.execute_batch(
        "ALTER TABLE rooms RENAME TO old_rooms;
         ALTER TABLE games RENAME TO old_games;
         ALTER TABLE events RENAME TO old_events;
         DROP INDEX games_by_end;
         DROP TABLE probe;",
    )?;
    transaction.execute_batch(&[ROOM_TABLES_V2_SQL, GAME_TABLES_SQL].concat())?;
    migrate_events(transaction)?;
    migrate_rooms(transaction)?;
    migrate_games(transaction)?;
    transaction.execute_batch(
        "INSERT INTO witness SELECT max(ended) FROM games WHERE ended IS NOT NULL HAVING count(*) > 0;
         DROP TABLE old_events; DROP TABLE old_rooms; DROP TABLE old_games;",
    )?;
    Ok(())
}

fn migrate_events(transaction: &Transaction<'_>) -> Result<(), RowError> {
    let mut old = transaction.prepare("SELECT id, room, body, crc FROM old_events ORDER BY id")?;
    let mut new =
        transaction.prepare("INSERT INTO events (id, room, body, crc) VALUES (?1, ?2, ?3, ?4)")?;
    let mut rows = old.query([])?;
    while let Some(row) = rows.next()? {
        let id: i64 = row.get(0)?;
        let describe = || format!("row {id} of events");
        let room = row::room_column(row, 1, describe)?;
        let body: Vec<u8> = row::column(row, 2, describe)?;
        verify_checksum(
            RowChecksum::new(room).bytes(&body).finish(),
            row::column(row, 3, describe)?,
            describe,
        )?;
        new.execute(params![
            id,
            row::room_key(room),
            body,
            v2_to_v3::event_checksum(id, room, &body)
        ])?;
    }
    Ok(())
}

fn migrate_rooms(transaction: &Transaction<'_>) -> Result<(), RowError> {
    let mut old = transaction.prepare(
        "SELECT room, founding, crc, first_event, image_seq, image, image_crc FROM old_rooms",
    )?;
    let mut new = transaction.prepare("INSERT INTO rooms VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)")?;
    let mut rows = old.query([])?;
    while let Some(row) = rows.next()? {
        let room = row::room_column(row, 0, || "id of a room".into())?;
        let describe = || format!("secrets of room {room}");
        let secrets: Vec<u8> = row::column(row, 1, describe)?;
        let secrets_checksum = v2_to_v3::secrets_checksum(room, &secrets);
        verify_checksum(secrets_checksum, row::column(row, 2, describe)?, describe)?;
        let describe = || format!("checkpoint of room {room}");
        let (first_event, seq): (i64, i64) = (
            row::column(row, 3, describe)?,
            row::column(row, 4, describe)?,
        );
        let checkpoint = row::column::<Option<Vec<u8>>>(row, 5, describe)?;
        if let Some(body) = &checkpoint {
            verify_checksum(
                RowChecksum::new(room).bytes(body).finish(),
                row::column(row, 6, describe)?,
                describe,
            )?;
        }
        let checkpoint = checkpoint.map(|body| Checkpoint {
            seq: Seq::new(seq.unsigned_abs()),
            body,
        });
        let checkpoint_checksum =
            v2_to_v3::checkpoint_checksum(room, first_event, checkpoint.as_ref());
        let body = checkpoint.map(|checkpoint| checkpoint.body);
        new.execute(params![
            row::room_key(room),
            secrets,
            secrets_checksum,
            first_event,
            seq,
            body,
            checkpoint_checksum
        ])?;
    }
    Ok(())
}

fn migrate_games(transaction: &Transaction<'_>) -> Result<(), RowError> {
    let mut old =
        transaction.prepare("SELECT id, room, number, ended, record FROM old_games ORDER BY id")?;
    let mut rows = old.query([])?;
    while let Some(row) = rows.next()? {
        let id: i64 = row.get(0)?;
        let describe = || format!("game {id}");
        let room = row::room_column(row, 1, describe)?;
        let ended: i64 = row::column(row, 3, describe)?;
        let finished = FinishedGame {
            number: row::column(row, 2, describe)?,
            ended_at: ended as u64,
            record: row::column(row, 4, describe)?,
        };
        row::write_game(transaction, id, room, &finished)?;
    }
    Ok(())
}
