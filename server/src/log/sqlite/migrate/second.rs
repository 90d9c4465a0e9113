//! In format 1 the checksum of an event did not know its row, images and first events had none that
//! knew the other, finished games none at all; the time that has passed was not kept.

use noughts_protocol::Seq;
use rusqlite::{Transaction, params};

use super::super::row::{self, Failed, Sum};
use super::{KEPT, same, third};
use crate::log::{Finished, Image};

/// What format 2 had beside the kept games: a row for each event.
const OPEN: &str = "
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

pub(super) fn from_first(transaction: &Transaction<'_>) -> Result<(), Failed> {
    transaction.execute_batch(
        "ALTER TABLE rooms RENAME TO old_rooms;
         ALTER TABLE games RENAME TO old_games;
         ALTER TABLE events RENAME TO old_events;
         DROP INDEX games_by_end;
         DROP TABLE probe;",
    )?;
    transaction.execute_batch(&[OPEN, KEPT].concat())?;
    events(transaction)?;
    rooms(transaction)?;
    games(transaction)?;
    transaction.execute_batch(
        "INSERT INTO witness SELECT max(ended) FROM games WHERE ended IS NOT NULL HAVING count(*) > 0;
         DROP TABLE old_events; DROP TABLE old_rooms; DROP TABLE old_games;",
    )?;
    Ok(())
}

fn events(transaction: &Transaction<'_>) -> Result<(), Failed> {
    let mut old = transaction.prepare("SELECT id, room, body, crc FROM old_events ORDER BY id")?;
    let mut new = transaction.prepare("INSERT INTO events (id, room, body, crc) VALUES (?1, ?2, ?3, ?4)")?;
    let mut rows = old.query([])?;
    while let Some(row) = rows.next()? {
        let id: i64 = row.get(0)?;
        let damaged = || format!("row {id} of the events");
        let room = row::room_column(row, 1, damaged)?;
        let body: Vec<u8> = row::column(row, 2, damaged)?;
        same(Sum::of(room).bytes(&body).end(), row::column(row, 3, damaged)?, damaged)?;
        new.execute(params![id, row::key(room), body, third::event_sum(id, room, &body)])?;
    }
    Ok(())
}

fn rooms(transaction: &Transaction<'_>) -> Result<(), Failed> {
    let mut old = transaction
        .prepare("SELECT room, founding, crc, first_event, image_seq, image, image_crc FROM old_rooms")?;
    let mut new = transaction.prepare("INSERT INTO rooms VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)")?;
    let mut rows = old.query([])?;
    while let Some(row) = rows.next()? {
        let room = row::room_column(row, 0, || "the name of a room".into())?;
        let damaged = || format!("the founding of room {room}");
        let founding: Vec<u8> = row::column(row, 1, damaged)?;
        let sum = third::founding_sum(room, &founding);
        same(sum, row::column(row, 2, damaged)?, damaged)?;
        let damaged = || format!("the image of room {room}");
        let (first_event, seq): (i64, i64) = (row::column(row, 3, damaged)?, row::column(row, 4, damaged)?);
        let image = row::column::<Option<Vec<u8>>>(row, 5, damaged)?;
        if let Some(body) = &image {
            same(Sum::of(room).bytes(body).end(), row::column(row, 6, damaged)?, damaged)?;
        }
        let image = image.map(|body| Image { seq: Seq::new(seq.unsigned_abs()), body });
        let image_sum = third::image_sum(room, first_event, image.as_ref());
        let body = image.map(|image| image.body);
        new.execute(params![row::key(room), founding, sum, first_event, seq, body, image_sum])?;
    }
    Ok(())
}

fn games(transaction: &Transaction<'_>) -> Result<(), Failed> {
    let mut old = transaction.prepare("SELECT id, room, number, ended, record FROM old_games ORDER BY id")?;
    let mut rows = old.query([])?;
    while let Some(row) = rows.next()? {
        let id: i64 = row.get(0)?;
        let damaged = || format!("game {id}");
        let room = row::room_column(row, 1, damaged)?;
        let ended: i64 = row::column(row, 3, damaged)?;
        let finished = Finished {
            number: row::column(row, 2, damaged)?,
            ended: ended as u64,
            record: row::column(row, 4, damaged)?,
        };
        row::write_game(transaction, id, room, &finished)?;
    }
    Ok(())
}
