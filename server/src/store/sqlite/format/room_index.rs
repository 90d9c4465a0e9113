//! What the writer knows without looking into the file: the open rooms, and how much is stored of which how much is
//! needed. What a group changed of it is undone when the group is not committed.

use std::collections::HashMap;

use noughts_protocol::{RoomId, Seq};
use rusqlite::Connection;

use crate::store::sqlite::format::commit_row::{CommitEntry, CommitRowBuilder};

/// An open room.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OpenRoom {
    /// Where its history ends.
    pub(crate) last_seq: Seq,
    /// Up to where its image tells it.
    pub(crate) checkpoint_seq: Seq,
    /// The first row that may be about it: what stands before is of an earlier room of this name.
    pub(crate) created_row: i64,
    /// The row of its last append, if that is not long ago.
    pub(crate) last_row: i64,
    /// How many bytes its entries have that follow the image.
    pub(crate) bytes: u64,
}

/// The rows of the table `commits`, numbered without a gap, and what they hold.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LogExtent {
    /// The oldest row, if there is one.
    pub(crate) first_row: i64,
    /// The row that comes next.
    pub(crate) next_row: i64,
    /// The bytes of all entries.
    pub(crate) stored_bytes: u64,
    /// Of those, what open rooms need.
    pub(crate) live_bytes: u64,
}

impl LogExtent {
    /// By how much more is stored than twice what is needed.
    pub(crate) fn excess_bytes(&self) -> u64 {
        self.stored_bytes.saturating_sub(2 * self.live_bytes)
    }
}

#[derive(Debug)]
pub(crate) struct RoomIndex {
    rooms: HashMap<RoomId, OpenRoom>,
    pub(crate) extent: LogExtent,
    /// The number that the next finished game has.
    pub(crate) next_game_id: i64,
    /// What the rooms were before this group, in order, and the rest.
    undo_log: Vec<(RoomId, Option<OpenRoom>)>,
    committed: (LogExtent, i64),
}

impl RoomIndex {
    pub(crate) fn new(rooms: HashMap<RoomId, OpenRoom>, extent: LogExtent, next_game_id: i64) -> RoomIndex {
        RoomIndex {
            rooms,
            extent: extent,
            next_game_id: next_game_id,
            undo_log: Vec::new(),
            committed: (extent, next_game_id),
        }
    }

    pub(crate) fn get(&self, room: RoomId) -> Option<OpenRoom> {
        self.rooms.get(&room).copied()
    }

    /// Whether this is an open room whose last append is in this row or a later one.
    pub(crate) fn was_written_since(&self, room: RoomId, row: i64) -> bool {
        self.rooms.get(&room).is_some_and(|open| open.last_row >= row)
    }

    /// The room is this from now on, or no more.
    pub(crate) fn set(&mut self, room: RoomId, open: Option<OpenRoom>) {
        let before = match open {
            Some(open) => self.rooms.insert(room, open),
            None => self.rooms.remove(&room),
        };
        let bytes = |open: Option<OpenRoom>| open.map_or(0, |open| open.bytes);
        self.extent.live_bytes = self.extent.live_bytes + bytes(open) - bytes(before);
        self.undo_log.push((room, before));
    }

    /// Whether an open room needs this entry of row `number` to be what it is.
    pub(crate) fn is_live(&self, row: i64, entry: &CommitEntry<'_>) -> bool {
        self.rooms
            .get(&entry.room)
            .is_some_and(|open| row >= open.created_row && entry.first > open.checkpoint_seq)
    }

    /// Writes what came of a group, if anything did.
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

    /// All this is in the file. Says whether any of it is a row of events.
    pub(crate) fn on_commit(&mut self) -> bool {
        let wrote = self.extent.next_row != self.committed.0.next_row;
        self.undo_log.clear();
        self.committed = (self.extent, self.next_game_id);
        wrote
    }

    /// Nothing of this is in the file.
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
