//! Reading histories back, checked entry by entry.

use std::collections::{HashMap, HashSet};
use std::ops::RangeInclusive;

use noughts_protocol::{RoomId, Seq, Stamped};
use rusqlite::{Connection, Row, params};

use super::group::{Entries, Entry};
use super::ledger::Stock;
use super::row::{self, Failed, ROOM};
use crate::fault::{Fault, Faults};
use crate::log::{Founding, Image, Stored};

/// An open room as the file has it.
#[derive(Clone, Debug)]
pub(super) struct Found {
    pub(super) founding: Founding,
    /// The first row that may be about it.
    pub(super) founded: i64,
    /// How many bytes its entries have.
    pub(super) bytes: u64,
    pub(super) stored: Stored,
}

/// Every open room, and what there is in all.
pub(super) fn open_rooms(connection: &Connection, faults: Faults) -> Result<(Vec<Found>, Stock), Failed> {
    let mut found = Vec::new();
    let mut rooms = connection.prepare(&format!("{ROOM} ORDER BY room"))?;
    let mut rows = rooms.query([])?;
    while let Some(row) = rows.next()? {
        found.push(Found::new(row::read_room(row)?));
    }
    let places: HashMap<RoomId, usize> =
        found.iter().enumerate().map(|(place, found)| (found.founding.room, place)).collect();
    let mut size = 0;
    // Whoever they are of, and whether they are needed: an entry that went to another room is seen as well.
    let numbers = every_entry(connection, i64::MIN, |number, entry| {
        let taken = entry.verify().and_then(|()| match places.get(&entry.room) {
            Some(place) => found[*place].take(number, entry),
            None => Ok(()),
        });
        size += entry.size();
        match taken {
            Err(Failed::Damaged(_)) if faults.has(Fault::SkipDamage) => Ok(()),
            taken => taken,
        }
    })?;
    // Rows may all have been dropped: what comes next still comes behind what founded the rooms.
    let founded = found.iter().map(|found| found.founded).max().unwrap_or(1);
    let (first, next) = numbers.map_or((founded, founded), |numbers| (*numbers.start(), numbers.end() + 1));
    if let Some(beyond) = found.iter().find(|found| found.founded > next) {
        let room = beyond.founding.room;
        return Err(Failed::Damaged(format!("a gap behind row {} of the commits, of room {room}", next - 1)));
    }
    let found =
        found.into_iter().map(Found::whole).collect::<Result<Vec<_>, _>>().map_err(Failed::Damaged)?;
    let needed = found.iter().map(|found| found.bytes).sum();
    Ok((found, Stock { first, next, stored: size, needed }))
}

/// The histories of these rooms, or what is damaged of each.
pub(super) fn histories(
    connection: &Connection,
    rooms: HashSet<RoomId>,
) -> rusqlite::Result<HashMap<RoomId, Result<Stored, String>>> {
    let mut found = HashMap::with_capacity(rooms.len());
    let mut one = connection.prepare_cached(&format!("{ROOM} WHERE room = ?1"))?;
    for room in rooms {
        let mut rows = one.query(params![row::key(room)])?;
        let read = match rows.next()? {
            Some(row) => row::read_room(row),
            None => Err(Failed::Damaged(format!("no row for room {room}"))),
        };
        found.insert(room, apart(read.map(Found::new))?);
    }
    let Some(from) = found.values().flatten().map(|found: &Found| found.founded).min() else {
        return Ok(found.into_iter().map(|(room, found)| (room, found.map(|found| found.stored))).collect());
    };
    // Of the other rooms' entries only the heads are looked at.
    let passed = every_entry(connection, from, |number, entry| {
        if let Some(history) = found.get_mut(&entry.room)
            && let Ok(found) = history
            && let Err(what) = apart(entry.verify().and_then(|()| found.take(number, entry)))?
        {
            *history = Err(what);
        }
        Ok(())
    });
    // Where entries cannot be told from each other, anybody's may be missing.
    let passed = apart(passed)?.map(|_| ());
    let whole = |found: Found| passed.clone().and_then(|()| found.whole());
    Ok(found
        .into_iter()
        .map(|(room, found)| (room, found.and_then(whole).map(|found| found.stored)))
        .collect())
}

/// The events of a room with these numbers, if all of them are in this row.
pub(super) fn row(
    connection: &Connection,
    number: i64,
    room: RoomId,
    wanted: RangeInclusive<Seq>,
) -> rusqlite::Result<Option<Vec<Stamped>>> {
    let mut events = Vec::new();
    let mut one = connection.prepare_cached("SELECT id, body FROM commits WHERE id = ?1")?;
    let mut rows = one.query(params![number])?;
    while let Some(row) = rows.next()? {
        let read = read_row(row, &mut |_, entry| {
            if entry.room == room {
                entry.verify()?;
                events.extend(entry.events()?);
            }
            Ok(())
        });
        // What is wrong with it is said by who reads all.
        if apart(read)?.is_err() {
            return Ok(None);
        }
    }
    events.retain(|event| wanted.contains(&event.seq));
    events.sort_by_key(|event| event.seq);
    let all = events.iter().map(|event| event.seq.get()).eq(wanted.start().get()..=wanted.end().get());
    Ok(all.then_some(events))
}

/// Shows every entry of the rows from this one on, and says which rows there are.
fn every_entry(
    connection: &Connection,
    from: i64,
    mut see: impl FnMut(i64, &Entry<'_>) -> Result<(), Failed>,
) -> Result<Option<RangeInclusive<i64>>, Failed> {
    let mut all = connection.prepare_cached("SELECT id, body FROM commits WHERE id >= ?1 ORDER BY id")?;
    let mut rows = all.query(params![from])?;
    let mut seen: Option<RangeInclusive<i64>> = None;
    while let Some(row) = rows.next()? {
        let number = read_row(row, &mut see)?;
        let first = match seen {
            Some(seen) if number != seen.end() + 1 => {
                return Err(Failed::Damaged(format!("a gap before row {number} of the commits")));
            }
            Some(seen) => *seen.start(),
            None => number,
        };
        seen = Some(first..=number);
    }
    Ok(seen)
}

/// Shows every entry of a row, and says which row it is.
fn read_row(
    row: &Row<'_>,
    see: &mut impl FnMut(i64, &Entry<'_>) -> Result<(), Failed>,
) -> Result<i64, Failed> {
    let number = row.get(0)?;
    let damaged = |_| Failed::Damaged(format!("row {number} of the commits, of any room"));
    for entry in Entries::of(number, row.get_ref(1)?.as_blob().map_err(damaged)?) {
        see(number, &entry?)?;
    }
    Ok(number)
}

/// Damage by itself: it is one room's, where an error of SQLite is everybody's.
fn apart<T>(read: Result<T, Failed>) -> rusqlite::Result<Result<T, String>> {
    match read {
        Ok(read) => Ok(Ok(read)),
        Err(Failed::Damaged(what)) => Ok(Err(what)),
        Err(Failed::Sqlite(error)) => Err(error),
    }
}

impl Found {
    fn new((founding, founded, image): (Founding, i64, Option<Image>)) -> Found {
        Found { founding, founded, bytes: 0, stored: Stored { image, events: Vec::new() } }
    }

    /// Adds an entry of this room, if it is needed.
    fn take(&mut self, number: i64, entry: &Entry<'_>) -> Result<(), Failed> {
        let imaged = self.stored.image.as_ref().map_or(Seq::ZERO, |image| image.seq);
        if number >= self.founded && entry.first > imaged {
            self.stored.events.extend(entry.events()?);
            self.bytes += entry.size();
        }
        Ok(())
    }

    /// The history in its order, if nothing is missing from it: what was written again came late.
    fn whole(mut self) -> Result<Found, String> {
        self.stored.events.sort_by_key(|event| event.seq);
        let mut last = self.stored.image.as_ref().map_or(Seq::ZERO, |image| image.seq);
        for event in &self.stored.events {
            if event.seq != last.next() {
                let (seq, room) = (event.seq, self.founding.room);
                return Err(format!("a gap in the events between {last} and {seq} of room {room}"));
            }
            last = event.seq;
        }
        Ok(self)
    }
}
