//! Reading histories back, checked row by row.

use std::collections::HashMap;
use std::ops::RangeInclusive;

use noughts_protocol::{RoomId, Stamped};
use rusqlite::{Connection, params};

use super::row::{self, EVENT, Failed, ROOM};
use crate::fault::{Fault, Faults};
use crate::log::{Founding, Image, Stored};

/// An open room as the file has it.
#[derive(Clone, Debug)]
pub(super) struct Found {
    pub(super) founding: Founding,
    /// The row of the first event that is still needed.
    pub(super) first_event: i64,
    pub(super) stored: Stored,
}

/// Every open room.
pub(super) fn open_rooms(connection: &Connection, faults: Faults) -> Result<Vec<Found>, Failed> {
    let mut found = Vec::new();
    let mut rooms = connection.prepare(&format!("{ROOM} ORDER BY room"))?;
    let mut rows = rooms.query([])?;
    while let Some(row) = rows.next()? {
        found.push(Found::new(row::read_room(row)?));
    }
    // Whoever they are of, and whether they are needed: a row whose room or number was changed is seen as well.
    read_events(connection, found, i64::MIN, faults)
}

/// These rooms, as many as there are of them.
pub(super) fn some_rooms(
    connection: &Connection,
    rooms: impl IntoIterator<Item = RoomId>,
) -> Result<Vec<Found>, Failed> {
    let mut one = connection.prepare_cached(&format!("{ROOM} WHERE room = ?1"))?;
    let mut found = Vec::new();
    for room in rooms {
        let mut rows = one.query(params![row::key(room)])?;
        let missing = || Failed::Damaged(format!("no row for room {room}"));
        found.push(Found::new(row::read_room(rows.next()?.ok_or_else(missing)?)?));
    }
    let Some(from) = found.iter().map(|found| found.first_event).min() else { return Ok(found) };
    read_events(connection, found, from, Faults::NONE)
}

/// The events of one append: rows that follow each other.
pub(super) fn rows(
    connection: &Connection,
    room: RoomId,
    ids: RangeInclusive<i64>,
) -> Result<Vec<Stamped>, Failed> {
    let mut events = connection.prepare_cached(&format!("{EVENT} WHERE id BETWEEN ?1 AND ?2 ORDER BY id"))?;
    let mut rows = events.query(params![ids.start(), ids.end()])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        let (id, of, event) = row::read_event(row)?;
        if of != room {
            return Err(Failed::Damaged(format!("row {id} of the events is of room {of}, not {room}")));
        }
        found.push(event);
    }
    Ok(found)
}

/// One pass over all events from row `from` on.
fn read_events(
    connection: &Connection,
    mut found: Vec<Found>,
    from: i64,
    faults: Faults,
) -> Result<Vec<Found>, Failed> {
    let places: HashMap<RoomId, usize> =
        found.iter().enumerate().map(|(place, found)| (found.founding.room, place)).collect();
    let mut events = connection.prepare_cached(&format!("{EVENT} WHERE id >= ?1 ORDER BY id"))?;
    let mut rows = events.query(params![from])?;
    while let Some(row) = rows.next()? {
        let read = row::read_event(row);
        if faults.has(Fault::SkipDamage) && matches!(read, Err(Failed::Damaged(_))) {
            continue;
        }
        let (id, room, event) = read?;
        if let Some(place) = places.get(&room) {
            found[*place].take(id, event)?;
        }
    }
    Ok(found)
}

impl Found {
    fn new((founding, first_event, image): (Founding, i64, Option<Image>)) -> Found {
        Found { founding, first_event, stored: Stored { image, events: Vec::new() } }
    }

    /// Adds an event, if it is the next.
    fn take(&mut self, id: i64, event: Stamped) -> Result<(), Failed> {
        if id < self.first_event {
            // Already in the image.
            return Ok(());
        }
        if event.seq != self.stored.last_seq().next() {
            let room = self.founding.room;
            return Err(Failed::Damaged(format!("a gap before row {id} of the events, of room {room}")));
        }
        self.stored.events.push(event);
        Ok(())
    }
}
