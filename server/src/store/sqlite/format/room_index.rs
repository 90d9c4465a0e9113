//! In-memory index of the database file: the open rooms, and how many bytes of the stored events they need.
//!
//! The writer thread owns it. Changes by a group of jobs are undone if the group is not committed.

use std::collections::HashMap;

use noughts_protocol::{RoomId, Seq};
use rusqlite::Connection;

use crate::store::sqlite::format::commit_row::{CommitEntry, CommitRowBuilder};

/// Index entry of an open room.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OpenRoom {
    /// Last event of the room.
    pub(crate) last_seq: Seq,
    /// Last event that the checkpoint contains.
    pub(crate) checkpoint_seq: Seq,
    /// Row in which the room was created. Earlier rows with this id belong to an earlier room.
    pub(crate) created_row: i64,
    /// Row of the last append, unless it was compacted.
    pub(crate) last_row: i64,
    /// Size of the entries after the checkpoint.
    pub(crate) bytes: u64,
}

/// Extent of the table `commits`, whose rows are numbered without gaps.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LogExtent {
    /// The oldest row, if there is any.
    pub(crate) first_row: i64,
    /// Number of the next row.
    pub(crate) next_row: i64,
    /// Size of all entries.
    pub(crate) stored_bytes: u64,
    /// Size of the entries that open rooms need.
    pub(crate) live_bytes: u64,
}

impl LogExtent {
    /// Stored bytes beyond twice the live bytes.
    pub(crate) fn excess_bytes(&self) -> u64 {
        self.stored_bytes.saturating_sub(2 * self.live_bytes)
    }
}

#[derive(Debug)]
pub(crate) struct RoomIndex {
    rooms: HashMap<RoomId, OpenRoom>,
    pub(crate) extent: LogExtent,
    /// Id of the next finished game.
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

    /// Whether the room is open and its last append is in this row or a later one.
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

    /// Whether an open room needs this entry of `row`.
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
