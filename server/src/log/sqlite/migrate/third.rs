//! In format 2 each event had a row of its own, and each room knew the row of the first that was needed.

use std::collections::HashMap;

use noughts_protocol::{RoomId, Seq, Stamped};
use rusqlite::{Row, Transaction, params};

use super::super::group::Group;
use super::super::row::{self, Failed, Sum};
use super::{OPEN, same};
use crate::log::Image;

/// So many bytes of events go into one row, or a little more.
const ROW: u64 = 1 << 16;

/// The number of the first row: what all rooms are founded with.
const FIRST: i64 = 1;

pub(super) fn from_second(transaction: &Transaction<'_>) -> Result<(), Failed> {
    transaction.execute_batch("ALTER TABLE rooms RENAME TO old_rooms")?;
    transaction.execute_batch(OPEN)?;
    let needed = rooms(transaction)?;
    events(transaction, &needed)?;
    transaction.execute_batch("DROP TABLE events; DROP TABLE old_rooms;")?;
    Ok(())
}

/// Brings over the rooms, and says which row of the events each needs first.
fn rooms(transaction: &Transaction<'_>) -> Result<HashMap<RoomId, i64>, Failed> {
    let mut old = transaction.prepare(
        "SELECT room, founding, founding_crc, first_event, image_seq, image, image_crc FROM old_rooms",
    )?;
    let mut new = transaction.prepare("INSERT INTO rooms VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)")?;
    let mut rows = old.query([])?;
    let mut needed = HashMap::new();
    while let Some(row) = rows.next()? {
        let room = row::room_column(row, 0, || "the name of a room".into())?;
        let damaged = || format!("the founding of room {room}");
        let founding: Vec<u8> = row::column(row, 1, damaged)?;
        same(founding_sum(room, &founding), row::column(row, 2, damaged)?, damaged)?;
        let damaged = || format!("the image of room {room}");
        let (first_event, seq): (i64, i64) = (row::column(row, 3, damaged)?, row::column(row, 4, damaged)?);
        let body = row::column::<Option<Vec<u8>>>(row, 5, damaged)?;
        let image = body.map(|body| Image { seq: Seq::new(seq.unsigned_abs()), body });
        let sum = image_sum(room, first_event, image.as_ref());
        same(sum, row::column(row, 6, damaged)?, damaged)?;
        if image.is_none() && seq != 0 {
            return Err(Failed::Damaged(damaged()));
        }
        let sums = (row::founding_sum(room, FIRST, &founding), row::image_sum(room, image.as_ref()));
        let body = image.map(|image| image.body);
        new.execute(params![row::key(room), FIRST, founding, sums.0, seq, body, sums.1])?;
        needed.insert(room, first_event);
    }
    Ok(needed)
}

fn events(transaction: &Transaction<'_>, needed: &HashMap<RoomId, i64>) -> Result<(), Failed> {
    let mut old = transaction.prepare("SELECT id, room, body, crc FROM events ORDER BY id")?;
    let mut rows = old.query([])?;
    let mut group = Group::default();
    group.begin(FIRST);
    while let Some(row) = rows.next()? {
        let (id, room, seq, body) = event(row)?;
        if needed.get(&room).is_some_and(|first| id >= *first) {
            group.push(room, seq, 1, |out| out.extend([b"[", body, b"]"].into_iter().flatten()));
        }
        if group.size() >= ROW {
            group.insert(transaction)?;
            group.begin(group.number() + 1);
        }
    }
    if !group.is_empty() {
        group.insert(transaction)?;
    }
    Ok(())
}

fn event<'a>(row: &'a Row<'_>) -> Result<(i64, RoomId, Seq, &'a [u8]), Failed> {
    let id: i64 = row.get(0)?;
    let room = row::room_column(row, 1, || format!("row {id} of the events"))?;
    let damaged = || format!("row {id} of the events, of room {room}");
    let body = row.get_ref(2)?.as_blob().map_err(|_| Failed::Damaged(damaged()))?;
    same(event_sum(id, room, body), row::column(row, 3, damaged)?, damaged)?;
    let event: Stamped = serde_json::from_slice(body).map_err(|_| Failed::Damaged(damaged()))?;
    Ok((id, room, event.seq, body))
}

pub(super) fn event_sum(id: i64, room: RoomId, body: &[u8]) -> i64 {
    Sum::of(room).number(id).bytes(body).end()
}

pub(super) fn founding_sum(room: RoomId, body: &[u8]) -> i64 {
    Sum::of(room).bytes(body).end()
}

pub(super) fn image_sum(room: RoomId, first_event: i64, image: Option<&Image>) -> i64 {
    let sum = Sum::of(room).number(first_event);
    match image {
        None => sum.end(),
        Some(image) => sum.number(image.seq.get() as i64).bytes(&image.body).end(),
    }
}
