//! Compaction of a shard log: writes the needed entries of the oldest messages again, so that these messages can be
//! deleted.

use noughts_protocol::{RoomId, Seq};

use super::ShardState;
use super::room_entries::{Ordinal, ShardRoom, StoredEvents};
use crate::cluster::log::game_message::encode_entry;
use crate::cluster::log::message::{EntryKind, MessageBuilder, MessageEntry};
use crate::cluster::shard::LogPosition;
use crate::store::{Checkpoint, encode_secrets};

/// A shard log is compacted when it exceeds twice its needed bytes by more than this number of bytes.
const MAX_DEAD_BYTES: u64 = 256 << 10;

/// Minimum number of bytes of old messages that one message frees.
const MIN_STEP_BYTES: u64 = 1 << 16;

/// Bytes of old messages that a message frees per byte of its own, if that is more than [`MIN_STEP_BYTES`].
const FREED_PER_WRITTEN: u64 = 4;

impl ShardState {
    /// Writes needed entries of the oldest messages into the message under construction, if many bytes of the log are
    /// not needed. Returns the new floor, given the position of the last message of the log.
    pub(crate) fn compact(
        &mut self,
        builder: &mut MessageBuilder,
        after: LogPosition,
    ) -> LogPosition {
        if self.stored_bytes.saturating_sub(2 * self.live_bytes) <= MAX_DEAD_BYTES
            || builder.is_full()
        {
            return self.floor;
        }
        let budget = MIN_STEP_BYTES.max(FREED_PER_WRITTEN * builder.size());
        let (mut end, mut scanned) = (self.truncated, 0);
        for (_, bytes) in &self.messages {
            if scanned >= budget {
                break;
            }
            scanned += bytes;
            end += 1;
        }
        self.rewrite_before(builder, end);
        let needed = self.rooms.values().filter_map(ShardRoom::oldest);
        let needed = needed.chain(self.games.oldest());
        let index = needed
            .min()
            .unwrap_or(Ordinal::MAX)
            .saturating_sub(self.truncated);
        let first_needed = usize::try_from(index)
            .ok()
            .and_then(|index| self.messages.get(index));
        // If no message is needed, the last message remains, because the next message refers to it.
        first_needed.map_or(after, |(at, _)| *at).max(self.floor)
    }

    /// Writes the entries of the messages before `end` again, until the message is full.
    fn rewrite_before(&mut self, builder: &mut MessageBuilder, end: Ordinal) {
        let current = self.next_ordinal();
        for (id, room) in &mut self.rooms {
            if let Some(secrets) = &mut room.secrets
                && secrets.ordinal < end
                && !builder.is_full()
            {
                let body = encode_secrets(&secrets.value);
                push_entry(builder, EntryKind::Secrets, *id, Seq::ZERO, 0, &body);
                secrets.ordinal = current;
            }
            if let Some(checkpoint) = &mut room.checkpoint
                && checkpoint.ordinal < end
                && !builder.is_full()
            {
                let Checkpoint { seq, body } = &checkpoint.value;
                push_entry(builder, EntryKind::Checkpoint, *id, *seq, 0, body);
                checkpoint.ordinal = current;
            }
            for events in room.events.iter_mut().filter(|events| events.ordinal < end) {
                if builder.is_full() {
                    return;
                }
                let StoredEvents { first, count, text } = &events.value;
                push_entry(builder, EntryKind::Events, *id, *first, *count, text);
                events.ordinal = current;
            }
        }
        for (key, game) in self.games.iter_mut().filter(|(_, game)| game.ordinal < end) {
            if builder.is_full() {
                return;
            }
            let body = encode_entry(&game.value);
            push_entry(
                builder,
                EntryKind::Finished,
                key.room,
                Seq::ZERO,
                key.number,
                &body,
            );
            game.ordinal = current;
        }
    }
}

/// Adds an entry to a message.
fn push_entry(
    builder: &mut MessageBuilder,
    kind: EntryKind,
    room: RoomId,
    first: Seq,
    count: u32,
    body: &[u8],
) {
    builder.push(MessageEntry {
        kind,
        room,
        first,
        count,
        body,
    });
}
