//! What the writer knows without looking into the file: the open rooms, and how much is stored of which how much is
//! needed. What a group changed of it is undone when the group is not committed.

use std::collections::HashMap;

use noughts_protocol::{RoomId, Seq};
use rusqlite::Connection;

use super::group::{Entry, Group};

/// An open room.
#[derive(Clone, Copy, Debug)]
pub(super) struct Open {
    /// Where its history ends.
    pub(super) last: Seq,
    /// Up to where its image tells it.
    pub(super) imaged: Seq,
    /// The first row that may be about it: what stands before is of an earlier room of this name.
    pub(super) founded: i64,
    /// The row of its last append, if that is not long ago.
    pub(super) recent: i64,
    /// How many bytes its entries have that follow the image.
    pub(super) bytes: u64,
}

/// The rows of the table `commits`, numbered without a gap, and what they hold.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stock {
    /// The oldest row, if there is one.
    pub(super) first: i64,
    /// The row that comes next.
    pub(super) next: i64,
    /// The bytes of all entries.
    pub(super) stored: u64,
    /// Of those, what open rooms need.
    pub(super) needed: u64,
}

impl Stock {
    /// By how much more is stored than twice what is needed.
    pub(super) fn surplus(&self) -> u64 {
        self.stored.saturating_sub(2 * self.needed)
    }
}

#[derive(Debug)]
pub(super) struct Ledger {
    rooms: HashMap<RoomId, Open>,
    pub(super) stock: Stock,
    /// The number that the next finished game has.
    pub(super) game: i64,
    /// What the rooms were before this group, in order, and the rest.
    undo: Vec<(RoomId, Option<Open>)>,
    before: (Stock, i64),
}

impl Ledger {
    pub(super) fn new(rooms: HashMap<RoomId, Open>, stock: Stock, game: i64) -> Ledger {
        Ledger { rooms, stock, game, undo: Vec::new(), before: (stock, game) }
    }

    pub(super) fn get(&self, room: RoomId) -> Option<Open> {
        self.rooms.get(&room).copied()
    }

    /// Whether this is an open room whose last append is in this row or a later one.
    pub(super) fn was_written_since(&self, room: RoomId, row: i64) -> bool {
        self.rooms.get(&room).is_some_and(|open| open.recent >= row)
    }

    /// The room is this from now on, or no more.
    pub(super) fn set(&mut self, room: RoomId, open: Option<Open>) {
        let before = match open {
            Some(open) => self.rooms.insert(room, open),
            None => self.rooms.remove(&room),
        };
        let bytes = |open: Option<Open>| open.map_or(0, |open| open.bytes);
        self.stock.needed = self.stock.needed + bytes(open) - bytes(before);
        self.undo.push((room, before));
    }

    /// Whether an open room needs this entry of row `number` to be what it is.
    pub(super) fn needs(&self, number: i64, entry: &Entry<'_>) -> bool {
        self.rooms.get(&entry.room).is_some_and(|open| number >= open.founded && entry.first > open.imaged)
    }

    /// Writes what came of a group, if anything did.
    pub(super) fn write(&mut self, group: &mut Group, connection: &Connection) -> rusqlite::Result<()> {
        if !group.is_empty() {
            group.insert(connection)?;
            self.stock.next = group.number() + 1;
        }
        Ok(())
    }

    /// All this is in the file. Says whether any of it is a row of events.
    pub(super) fn committed(&mut self) -> bool {
        let wrote = self.stock.next != self.before.0.next;
        self.undo.clear();
        self.before = (self.stock, self.game);
        wrote
    }

    /// Nothing of this is in the file.
    pub(super) fn undo(&mut self) {
        for (room, before) in self.undo.drain(..).rev() {
            match before {
                Some(open) => self.rooms.insert(room, open),
                None => self.rooms.remove(&room),
            };
        }
        (self.stock, self.game) = self.before;
    }
}
