//! The open rooms of the database file: an index in memory, and reading the histories of rooms.
//!
//! The index knows how many bytes of the stored events each open room needs. The writer thread owns the index. Changes
//! by a group of jobs are undone if the group is not committed. Every entry of a history is verified when it is read.

use std::collections::{HashMap, HashSet};
use std::ops::RangeInclusive;

use noughts_protocol::{EventRecord, RoomId, Seq};
use rusqlite::{Connection, Row, params};

use crate::store::sqlite::data_files::RowError;
use crate::store::sqlite::rows::{self, CommitEntries, CommitEntry, CommitRowBuilder, SELECT_ROOM};
use crate::store::{Checkpoint, RoomSecrets, StoredRoom};

/// Index entry of an open room.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OpenRoom {
    /// Last event of the room.
    pub(crate) last_seq: Seq,
    /// Last event that the checkpoint contains.
    pub(crate) checkpoint_seq: Seq,
    /// Row that created the room. Earlier rows with this id belong to an earlier room.
    pub(crate) created_row: i64,
    /// Row of the last append, unless it was compacted.
    pub(crate) last_row: i64,
    /// Size of the entries after the checkpoint.
    pub(crate) bytes: u64,
}

/// Extent of the table `commits`. Its rows are numbered without gaps.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LogExtent {
    /// The oldest row, if there is any.
    pub(crate) first_row: i64,
    pub(crate) next_row: i64,
    /// Size of all entries.
    pub(crate) stored_bytes: u64,
    /// Size of the entries that open rooms need.
    pub(crate) live_bytes: u64,
}

impl LogExtent {
    /// Returns the stored bytes beyond twice the live bytes.
    pub(crate) fn excess_bytes(&self) -> u64 {
        self.stored_bytes.saturating_sub(2 * self.live_bytes)
    }
}

#[derive(Debug)]
pub(crate) struct RoomIndex {
    rooms: HashMap<RoomId, OpenRoom>,
    pub(crate) extent: LogExtent,
    pub(crate) next_game_id: i64,
    /// Previous entries of the rooms that the current group changed, in order.
    undo_log: Vec<(RoomId, Option<OpenRoom>)>,
    /// Extent and next game id after the last commit.
    committed: (LogExtent, i64),
}

impl RoomIndex {
    pub(crate) fn new(
        rooms: HashMap<RoomId, OpenRoom>,
        extent: LogExtent,
        next_game_id: i64,
    ) -> RoomIndex {
        RoomIndex {
            rooms,
            extent,
            next_game_id,
            undo_log: Vec::new(),
            committed: (extent, next_game_id),
        }
    }

    pub(crate) fn get(&self, room: RoomId) -> Option<OpenRoom> {
        self.rooms.get(&room).copied()
    }

    /// Returns whether the room is open and its last append is in `row` or a later row.
    pub(crate) fn was_written_since(&self, room: RoomId, row: i64) -> bool {
        self.rooms
            .get(&room)
            .is_some_and(|open| open.last_row >= row)
    }

    /// Sets or removes the entry of a room.
    pub(crate) fn set(&mut self, room: RoomId, open: Option<OpenRoom>) {
        let before = match open {
            Some(open) => self.rooms.insert(room, open),
            None => self.rooms.remove(&room),
        };
        let bytes = |open: Option<OpenRoom>| open.map_or(0, |open| open.bytes);
        self.extent.live_bytes = self.extent.live_bytes + bytes(open) - bytes(before);
        self.undo_log.push((room, before));
    }

    /// Returns whether an open room needs this entry of `row`.
    pub(crate) fn is_live(&self, row: i64, entry: &CommitEntry<'_>) -> bool {
        self.rooms
            .get(&entry.room)
            .is_some_and(|open| row >= open.created_row && entry.first > open.checkpoint_seq)
    }

    /// Inserts the row of a group, unless it is empty.
    pub(crate) fn insert_row(
        &mut self,
        commit_row: &mut CommitRowBuilder,
        connection: &Connection,
    ) -> rusqlite::Result<()> {
        if !commit_row.is_empty() {
            commit_row.insert(connection)?;
            self.extent.next_row = commit_row.number() + 1;
        }
        Ok(())
    }

    /// Accepts the changes of the committed group. Returns whether the group inserted a row.
    pub(crate) fn on_commit(&mut self) -> bool {
        let wrote = self.extent.next_row != self.committed.0.next_row;
        self.undo_log.clear();
        self.committed = (self.extent, self.next_game_id);
        wrote
    }

    /// Undoes the changes of a group that was not committed.
    pub(crate) fn roll_back(&mut self) {
        for (room, before) in self.undo_log.drain(..).rev() {
            match before {
                Some(open) => self.rooms.insert(room, open),
                None => self.rooms.remove(&room),
            };
        }
        (self.extent, self.next_game_id) = self.committed;
    }
}

/// An open room that was read from the file.
#[derive(Clone, Debug)]
pub(crate) struct RecoveredRoom {
    pub(crate) secrets: RoomSecrets,
    /// Row that created the room.
    pub(crate) created_row: i64,
    /// Size of its entries.
    pub(crate) bytes: u64,
    pub(crate) stored: StoredRoom,
}

/// Reads all open rooms, and the extent of the log.
///
/// # Errors
/// If any row is corrupt.
pub(crate) fn load_open_rooms(
    connection: &Connection,
) -> Result<(Vec<RecoveredRoom>, LogExtent), RowError> {
    let mut recovered = Vec::new();
    let mut rooms = connection.prepare(&format!("{SELECT_ROOM} ORDER BY room"))?;
    let mut rows = rooms.query([])?;
    while let Some(row) = rows.next()? {
        recovered.push(RecoveredRoom::new(rows::read_room(row)?));
    }
    let positions: HashMap<RoomId, usize> = recovered
        .iter()
        .enumerate()
        .map(|(place, found)| (found.secrets.room, place))
        .collect();
    let mut size = 0;
    // Dead entries are verified as well, because a live entry with a corrupt room id would look like a dead entry.
    let numbers = for_each_entry(connection, i64::MIN, |number, entry| {
        size += entry.size();
        entry.verify()?;
        match positions.get(&entry.room) {
            Some(place) => recovered[*place].add_entry(number, entry),
            None => Ok(()),
        }
    })?;
    // Even if all rows were deleted, the next number must be greater than the numbers of the rows that created the
    // rooms.
    let last_created = recovered
        .iter()
        .map(|found| found.created_row)
        .max()
        .unwrap_or(1);
    let (first, next) = numbers.map_or((last_created, last_created), |numbers| {
        (*numbers.start(), numbers.end() + 1)
    });
    if let Some(beyond) = recovered.iter().find(|found| found.created_row > next) {
        let room = beyond.secrets.room;
        return Err(RowError::Corrupt(format!(
            "gap after row {} of commits, room {room}",
            next - 1
        )));
    }
    let found = recovered
        .into_iter()
        .map(RecoveredRoom::into_complete)
        .collect::<Result<Vec<_>, _>>()
        .map_err(RowError::Corrupt)?;
    let needed = found.iter().map(|found| found.bytes).sum();
    Ok((
        found,
        LogExtent {
            first_row: first,
            next_row: next,
            stored_bytes: size,
            live_bytes: needed,
        },
    ))
}

/// Reads the histories of some rooms. A corrupt row is an error of its room only.
pub(crate) fn load_histories(
    connection: &Connection,
    rooms: HashSet<RoomId>,
) -> rusqlite::Result<HashMap<RoomId, Result<StoredRoom, String>>> {
    let mut histories = HashMap::with_capacity(rooms.len());
    let mut one = connection.prepare_cached(&format!("{SELECT_ROOM} WHERE room = ?1"))?;
    for room in rooms {
        let mut rows = one.query(params![rows::room_key(room)])?;
        let read = match rows.next()? {
            Some(row) => rows::read_room(row),
            None => Err(RowError::Corrupt(format!("no row of room {room}"))),
        };
        histories.insert(room, separate_corruption(read.map(RecoveredRoom::new))?);
    }
    let Some(from) = histories
        .values()
        .flatten()
        .map(|found: &RecoveredRoom| found.created_row)
        .min()
    else {
        return Ok(histories
            .into_iter()
            .map(|(room, found)| (room, found.map(|found| found.stored)))
            .collect());
    };
    // Entries of other rooms are skipped by their headers.
    let passed = for_each_entry(connection, from, |number, entry| {
        if let Some(history) = histories.get_mut(&entry.room)
            && let Ok(found) = history
            && let Err(what) =
                separate_corruption(entry.verify().and_then(|()| found.add_entry(number, entry)))?
        {
            *history = Err(what);
        }
        Ok(())
    });
    // If the boundaries of entries are corrupt, entries of any room may be missing.
    let passed = separate_corruption(passed)?.map(|_| ());
    let whole = |found: RecoveredRoom| passed.clone().and_then(|()| found.into_complete());
    Ok(histories
        .into_iter()
        .map(|(room, found)| (room, found.and_then(whole).map(|found| found.stored)))
        .collect())
}

/// Reads the `wanted` events of a room if one row contains all of them.
pub(crate) fn load_events_from_row(
    connection: &Connection,
    number: i64,
    room: RoomId,
    wanted: RangeInclusive<Seq>,
) -> rusqlite::Result<Option<Vec<EventRecord>>> {
    let mut events = Vec::new();
    let mut one = connection.prepare_cached("SELECT id, body FROM commits WHERE id = ?1")?;
    let mut rows = one.query(params![number])?;
    while let Some(row) = rows.next()? {
        let read = for_each_entry_of_row(row, &mut |_, entry| {
            if entry.room == room {
                entry.verify()?;
                events.extend(entry.events()?);
            }
            Ok(())
        });
        // The corruption is not reported here, because the caller then reads the whole history, which reports it.
        if separate_corruption(read)?.is_err() {
            return Ok(None);
        }
    }
    events.retain(|event| wanted.contains(&event.seq));
    events.sort_by_key(|event| event.seq);
    let all = events
        .iter()
        .map(|event| event.seq.get())
        .eq(wanted.start().get()..=wanted.end().get());
    Ok(all.then_some(events))
}

/// Visits every entry of row `from` and of later rows, and returns the range of rows.
fn for_each_entry(
    connection: &Connection,
    from: i64,
    mut visit: impl FnMut(i64, &CommitEntry<'_>) -> Result<(), RowError>,
) -> Result<Option<RangeInclusive<i64>>, RowError> {
    let mut all =
        connection.prepare_cached("SELECT id, body FROM commits WHERE id >= ?1 ORDER BY id")?;
    let mut rows = all.query(params![from])?;
    let mut rows_seen: Option<RangeInclusive<i64>> = None;
    while let Some(row) = rows.next()? {
        let number = for_each_entry_of_row(row, &mut visit)?;
        let first = match rows_seen {
            Some(seen) if number != seen.end() + 1 => {
                return Err(RowError::Corrupt(format!(
                    "gap before row {number} of commits"
                )));
            }
            Some(seen) => *seen.start(),
            None => number,
        };
        rows_seen = Some(first..=number);
    }
    Ok(rows_seen)
}

/// Visits every entry of a row, and returns the number of the row.
fn for_each_entry_of_row(
    row: &Row<'_>,
    visit: &mut impl FnMut(i64, &CommitEntry<'_>) -> Result<(), RowError>,
) -> Result<i64, RowError> {
    let number = row.get(0)?;
    let to_row_error = |_| RowError::Corrupt(format!("row {number} of commits, any room"));
    for entry in CommitEntries::parse(number, row.get_ref(1)?.as_blob().map_err(to_row_error)?) {
        visit(number, &entry?)?;
    }
    Ok(number)
}

/// Separates corruption, which concerns one room, from errors of SQLite, which concern all rooms.
fn separate_corruption<T>(read: Result<T, RowError>) -> rusqlite::Result<Result<T, String>> {
    match read {
        Ok(read) => Ok(Ok(read)),
        Err(RowError::Corrupt(what)) => Ok(Err(what)),
        Err(RowError::Sqlite(error)) => Err(error),
    }
}

impl RecoveredRoom {
    pub(crate) fn new(
        (secrets, created_row, checkpoint): (RoomSecrets, i64, Option<Checkpoint>),
    ) -> RecoveredRoom {
        RecoveredRoom {
            secrets,
            created_row,
            bytes: 0,
            stored: StoredRoom {
                checkpoint,
                events: Vec::new(),
            },
        }
    }

    /// Adds an entry of this room if it is live.
    pub(crate) fn add_entry(
        &mut self,
        number: i64,
        entry: &CommitEntry<'_>,
    ) -> Result<(), RowError> {
        let checkpoint_seq = self
            .stored
            .checkpoint
            .as_ref()
            .map_or(Seq::ZERO, |checkpoint| checkpoint.seq);
        if number >= self.created_row && entry.first > checkpoint_seq {
            self.stored.events.extend(entry.events()?);
            self.bytes += entry.size();
        }
        Ok(())
    }

    /// Sorts the events, because compaction moves entries to later rows, and checks that none is missing.
    pub(crate) fn into_complete(mut self) -> Result<RecoveredRoom, String> {
        self.stored.events.sort_by_key(|event| event.seq);
        let mut last = self
            .stored
            .checkpoint
            .as_ref()
            .map_or(Seq::ZERO, |checkpoint| checkpoint.seq);
        for event in &self.stored.events {
            if event.seq != last.next() {
                let (seq, room) = (event.seq, self.secrets.room);
                return Err(format!(
                    "gap between the events {last} and {seq} of room {room}"
                ));
            }
            last = event.seq;
        }
        Ok(self)
    }
}
