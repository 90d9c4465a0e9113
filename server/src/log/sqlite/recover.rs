//! Reading histories back, checked row by row.

use std::collections::HashMap;

use noughts_protocol::{RoomId, Seq, Stamped};
use rusqlite::{Connection, Row, params};

use super::row;
use super::schema::OpenError;
use crate::log::{Founding, Image, Stored};

/// An open room as the file has it.
pub(super) struct Found {
    pub(super) founding: Founding,
    pub(super) stored: Stored,
    pub(super) first_event: i64,
}

/// Why a room could not be read.
#[derive(Debug)]
pub(super) enum Failed {
    Sqlite(rusqlite::Error),
    Damaged(String),
}

impl From<rusqlite::Error> for Failed {
    fn from(error: rusqlite::Error) -> Failed {
        Failed::Sqlite(error)
    }
}

impl From<Failed> for OpenError {
    fn from(failed: Failed) -> OpenError {
        match failed {
            Failed::Sqlite(error) => OpenError::Sqlite(error),
            Failed::Damaged(what) => OpenError::Damaged(what),
        }
    }
}

const ROOM: &str = "SELECT room, founding, crc, first_event, image_seq, image, image_crc FROM rooms";

/// Every open room, by one pass over the events.
pub(super) fn open_rooms(connection: &Connection) -> Result<Vec<Found>, Failed> {
    let mut found = Vec::new();
    let mut places = HashMap::new();
    let mut rooms = connection.prepare(&format!("{ROOM} ORDER BY room"))?;
    let mut rows = rooms.query([])?;
    while let Some(row) = rows.next()? {
        let room = read_room(row)?;
        places.insert(room.founding.room, found.len());
        found.push(room);
    }
    let first = found.iter().map(|room| room.first_event).min().unwrap_or(i64::MAX);
    let mut events =
        connection.prepare("SELECT id, room, body, crc FROM events WHERE id >= ?1 ORDER BY id")?;
    let mut rows = events.query(params![first])?;
    while let Some(row) = rows.next()? {
        let room = row::room(row.get(1)?);
        if let Some(place) = places.get(&room) {
            take(&mut found[*place], row)?;
        }
    }
    Ok(found)
}

/// One room, by a pass over the events since its first.
pub(super) fn one_room(connection: &Connection, room: RoomId, first_event: i64) -> Result<Stored, Failed> {
    let mut rooms = connection.prepare_cached(&format!("{ROOM} WHERE room = ?1"))?;
    let mut found = rooms.query_row(params![row::key(room)], |row| Ok(read_room(row)))??;
    let mut events = connection
        .prepare_cached("SELECT id, room, body, crc FROM events WHERE id >= ?1 AND room = ?2 ORDER BY id")?;
    let mut rows = events.query(params![first_event, row::key(room)])?;
    while let Some(row) = rows.next()? {
        take(&mut found, row)?;
    }
    Ok(found.stored)
}

fn read_room(row: &Row<'_>) -> Result<Found, Failed> {
    let room = row::room(row.get(0)?);
    let damaged = || Failed::Damaged(format!("the founding of room {room}"));
    let founding = row::read_founding(room, row.get_ref(1)?.as_blob().map_err(|_| damaged())?, row.get(2)?)
        .map_err(|row::Damaged| damaged())?;
    let image = match row.get::<_, Option<Vec<u8>>>(5)? {
        None => None,
        Some(body) => {
            if row.get::<_, Option<i64>>(6)? != Some(row::checksum(room, &body)) {
                return Err(Failed::Damaged(format!("the image of room {room}")));
            }
            Some(Image { seq: Seq::new(row.get::<_, i64>(4)?.unsigned_abs()), body })
        }
    };
    Ok(Found { founding, stored: Stored { image, events: Vec::new() }, first_event: row.get(3)? })
}

/// Adds an event to its room, if it is the next.
fn take(found: &mut Found, row: &Row<'_>) -> Result<(), Failed> {
    let room = found.founding.room;
    let id: i64 = row.get(0)?;
    let damaged = |what: &str| Failed::Damaged(format!("{what} in row {id}, of room {room}"));
    let body = row.get_ref(2)?.as_blob().map_err(|_| damaged("no event"))?;
    let event: Stamped =
        row::read_event(room, body, row.get(3)?).map_err(|row::Damaged| damaged("a wrong checksum"))?;
    if id < found.first_event {
        // Already in the image.
        return Ok(());
    }
    if event.seq != found.stored.last_seq().next() {
        return Err(damaged("a gap before the event"));
    }
    found.stored.events.push(event);
    Ok(())
}
