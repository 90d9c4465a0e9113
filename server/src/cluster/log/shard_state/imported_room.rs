//! Rooms that a command of the operator imports as a whole.

use noughts_protocol::Seq;

use super::{ShardState, check_size, encode_events, event_count};
use crate::cluster::log::message::{EntryKind, MessageBuilder};
use crate::store::{LogError, RoomSecrets, StoredRoom, encode_secrets};

/// Maximum size of a room, which must fit into one message of NATS.
const MAX_ROOM_BYTES: usize = 700 << 10;

/// Maximum number of events of one entry.
const MAX_EVENTS_PER_ENTRY: usize = 64;

/// Result of comparing an imported room with the room of a shard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RoomComparison {
    /// The shard has no room with this id.
    Missing,
    /// The shard has the same room.
    Same,
    /// The room of the shard has other secrets or another history.
    Different,
}

impl ShardState {
    /// Compares an imported room with the room of this shard that has the same id.
    ///
    /// # Errors
    /// If the events of the shard are corrupt.
    pub(crate) fn compare_room(
        &self,
        secrets: &RoomSecrets,
        stored: &StoredRoom,
    ) -> Result<RoomComparison, LogError> {
        let Some(room) = self.rooms.get(&secrets.room) else {
            return Ok(RoomComparison::Missing);
        };
        let found = room
            .secrets
            .as_ref()
            .map(|found| encode_secrets(&found.value));
        let is_same = found == Some(encode_secrets(secrets)) && room.to_stored_room()? == *stored;
        Ok(if is_same {
            RoomComparison::Same
        } else {
            RoomComparison::Different
        })
    }

    /// Writes a room that the shard does not have into the message under construction. Returns `false`, and writes
    /// nothing, if it belongs in the next message.
    ///
    /// # Errors
    /// If the room is too large for a message.
    pub(crate) fn import_room(
        &mut self,
        builder: &mut MessageBuilder,
        secrets: &RoomSecrets,
        stored: &StoredRoom,
    ) -> Result<bool, LogError> {
        let body = encode_secrets(secrets);
        let events: Vec<_> = stored
            .events
            .chunks(MAX_EVENTS_PER_ENTRY)
            .map(|chunk| (chunk, encode_events(chunk)))
            .collect();
        let checkpoint = stored.checkpoint.as_ref();
        let mut size = body.len() + events.iter().map(|(_, text)| text.len()).sum::<usize>();
        size += checkpoint.map_or(0, |checkpoint| checkpoint.body.len());
        if size > MAX_ROOM_BYTES {
            return Err(LogError::Unavailable(format!(
                "the room has {size} bytes, more than {MAX_ROOM_BYTES}"
            )));
        }
        for text in events
            .iter()
            .map(|(_, text)| text)
            .chain(checkpoint.map(|checkpoint| &checkpoint.body))
        {
            check_size(text)?;
        }
        if builder.size() + size as u64 > MAX_ROOM_BYTES as u64 {
            return Ok(false);
        }
        let room = secrets.room;
        self.push(builder, EntryKind::Secrets, room, Seq::ZERO, 0, &body);
        if let Some(checkpoint) = checkpoint {
            self.push(
                builder,
                EntryKind::Checkpoint,
                room,
                checkpoint.seq,
                0,
                &checkpoint.body,
            );
        }
        for (chunk, text) in &events {
            if let Some(first) = chunk.first() {
                self.push(
                    builder,
                    EntryKind::Events,
                    room,
                    first.seq,
                    event_count(chunk),
                    text,
                );
            }
        }
        Ok(true)
    }
}
