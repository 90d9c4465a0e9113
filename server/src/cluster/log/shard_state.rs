//! The open rooms of a shard and its unpublished finished games: the fold of the messages of its log. Pure.
//!
//! The owner of a shard keeps all needed entries in memory. It answers reads from there, since a read of the log may be
//! stale. It also compacts the log without reading it: it writes the needed entries of the oldest messages again, and
//! then deletes these messages.

mod compaction;
mod imported_room;
mod room_entries;
#[cfg(test)]
mod tests;
mod waiting_games;

use std::collections::{BTreeMap, VecDeque};

use noughts_protocol::wire::write_json;
use noughts_protocol::{EventRecord, RoomId, Seq};

use crate::cluster::log::game_message::{GameKey, encode_entry};
use crate::cluster::log::message::{
    EntryKind, MAX_ENTRY_BYTES, MessageBuilder, MessageEntry, MessageHeader, ShardMessage,
};
use crate::cluster::shard::LogPosition;
use crate::store::{
    Checkpoint, FinishedGame, LogError, RoomSecrets, StoredRoom, decode_secrets, encode_secrets,
};
pub(crate) use imported_room::RoomComparison;
use room_entries::{Located, Ordinal, ShardRoom, StoredEvents};
use waiting_games::WaitingGames;

/// The open rooms of a shard, and its finished games that are not published.
#[derive(Debug, Default)]
pub(crate) struct ShardState {
    rooms: BTreeMap<RoomId, ShardRoom>,
    games: WaitingGames,
    /// Position and size of the messages that were not truncated.
    messages: VecDeque<(LogPosition, u64)>,
    /// Number of truncated messages.
    truncated: Ordinal,
    stored_bytes: u64,
    live_bytes: u64,
    floor: LogPosition,
}

impl ShardState {
    /// Adds a message of the log. The caller has checked the chain.
    ///
    /// # Errors
    /// If an entry contradicts earlier entries.
    pub(crate) fn read_message(
        &mut self,
        at: LogPosition,
        message: &ShardMessage,
    ) -> Result<(), String> {
        for entry in message.entries() {
            self.apply(entry)?;
        }
        self.floor = message.header.floor;
        self.add_message(at, message.size());
        Ok(())
    }

    /// Records that the message under construction was stored.
    pub(crate) fn on_stored(&mut self, at: LogPosition, bytes: u64, header: &MessageHeader) {
        self.floor = header.floor;
        self.add_message(at, bytes);
        while self.messages.len() > 1
            && self
                .messages
                .front()
                .is_some_and(|(at, _)| *at < self.floor)
        {
            let (_, bytes) = self.messages.pop_front().expect("not empty");
            self.stored_bytes -= bytes;
            self.truncated += 1;
        }
    }

    fn add_message(&mut self, at: LogPosition, bytes: u64) {
        self.messages.push_back((at, bytes));
        self.stored_bytes += bytes;
    }

    /// Checks the rooms after the whole log was read.
    ///
    /// # Errors
    /// If entries of an open room are missing.
    pub(crate) fn check_complete(&self) -> Result<(), String> {
        for (id, room) in &self.rooms {
            if room.secrets.is_none() {
                return Err(format!("room {id} was never created"));
            }
            let mut last = room.checkpoint_seq();
            for events in &room.events {
                if events.value.first != last.next() {
                    return Err(format!(
                        "gap between the events {last} and {} of room {id}",
                        events.value.first
                    ));
                }
                last = Seq::new(events.value.first.get() + u64::from(events.value.count) - 1);
            }
            room.stored_events(Seq::ZERO)
                .map_err(|error| format!("room {id}: {error}"))?;
        }
        Ok(())
    }

    /// Returns the position of the oldest message that was needed when the last message was stored.
    pub(crate) fn floor(&self) -> LogPosition {
        self.floor
    }

    /// Returns all open rooms.
    ///
    /// # Errors
    /// If the events of a room are corrupt.
    pub(crate) fn all_rooms(&self) -> Result<Vec<(RoomSecrets, StoredRoom)>, LogError> {
        let rooms = self.rooms.values();
        rooms
            .filter_map(|room| Some((room.secrets.as_ref()?.value, room)))
            .map(|(secrets, room)| Ok((secrets, room.to_stored_room()?)))
            .collect()
    }

    /// Returns the history of a room.
    ///
    /// # Errors
    /// If the room does not exist.
    pub(crate) fn load(&self, room: RoomId) -> Result<StoredRoom, LogError> {
        self.rooms
            .get(&room)
            .ok_or_else(LogError::unknown_room)?
            .to_stored_room()
    }

    /// Returns the events of a room after `after`.
    ///
    /// # Errors
    /// If the room does not exist, or a checkpoint has replaced some of them.
    pub(crate) fn events_since(
        &self,
        room: RoomId,
        after: Seq,
    ) -> Result<Vec<EventRecord>, LogError> {
        let room = self.rooms.get(&room).ok_or_else(LogError::unknown_room)?;
        let found = room.checkpoint_seq();
        if found > after {
            return Err(LogError::Conflict {
                expected: after,
                found,
            });
        }
        room.stored_events(after)
    }

    /// Creates a room in the message under construction.
    pub(crate) fn create(
        &mut self,
        builder: &mut MessageBuilder,
        secrets: &RoomSecrets,
        events: &[EventRecord],
    ) -> Result<(), LogError> {
        if self.rooms.contains_key(&secrets.room) {
            return Err(LogError::Unavailable("a room with this id exists".into()));
        }
        let text = encode_events(events);
        let body = encode_secrets(secrets);
        check_size(&text)?;
        self.push(
            builder,
            EntryKind::Secrets,
            secrets.room,
            Seq::ZERO,
            0,
            &body,
        );
        if let Some(first) = events.first() {
            self.push(
                builder,
                EntryKind::Events,
                secrets.room,
                first.seq,
                event_count(events),
                &text,
            );
        }
        Ok(())
    }

    /// Replaces the secrets of a room in the message under construction.
    pub(crate) fn update_secrets(
        &mut self,
        builder: &mut MessageBuilder,
        secrets: &RoomSecrets,
    ) -> Result<(), LogError> {
        if !self.rooms.contains_key(&secrets.room) {
            return Err(LogError::unknown_room());
        }
        self.push(
            builder,
            EntryKind::Secrets,
            secrets.room,
            Seq::ZERO,
            0,
            &encode_secrets(secrets),
        );
        Ok(())
    }

    /// Appends events to a room in the message under construction.
    pub(crate) fn append(
        &mut self,
        builder: &mut MessageBuilder,
        room: RoomId,
        events: &[EventRecord],
    ) -> Result<(), LogError> {
        let found = self
            .rooms
            .get(&room)
            .ok_or_else(LogError::unknown_room)?
            .last_seq();
        let Some(first) = events.first() else {
            return Ok(());
        };
        if first.seq != found.next() {
            let expected = Seq::new(first.seq.get().saturating_sub(1));
            return Err(LogError::Conflict { expected, found });
        }
        let text = encode_events(events);
        check_size(&text)?;
        self.push(
            builder,
            EntryKind::Events,
            room,
            first.seq,
            event_count(events),
            &text,
        );
        Ok(())
    }

    /// Replaces the events of a room in the message under construction.
    pub(crate) fn checkpoint(
        &mut self,
        builder: &mut MessageBuilder,
        room: RoomId,
        checkpoint: &Checkpoint,
    ) -> Result<(), LogError> {
        let found = self
            .rooms
            .get(&room)
            .ok_or_else(LogError::unknown_room)?
            .last_seq();
        if checkpoint.seq != found {
            return Err(LogError::Conflict {
                expected: checkpoint.seq,
                found,
            });
        }
        check_size(&checkpoint.body)?;
        self.push(
            builder,
            EntryKind::Checkpoint,
            room,
            checkpoint.seq,
            0,
            &checkpoint.body,
        );
        Ok(())
    }

    /// Deletes a room in the message under construction.
    pub(crate) fn delete(&mut self, builder: &mut MessageBuilder, room: RoomId) {
        if self.rooms.contains_key(&room) {
            self.push(builder, EntryKind::Deleted, room, Seq::ZERO, 0, &[]);
        }
    }

    /// Records a finished game in the message under construction; the shard keeps the game until it is published.
    /// Returns `false`, and keeps nothing, if too many games are waiting or the encoded game exceeds
    /// [`MAX_ENTRY_BYTES`].
    pub(crate) fn finish_game(
        &mut self,
        builder: &mut MessageBuilder,
        room: RoomId,
        game: &FinishedGame,
    ) -> bool {
        let body = encode_entry(game);
        if self.games.is_full() || body.len() > MAX_ENTRY_BYTES {
            return false;
        }
        self.push(
            builder,
            EntryKind::Finished,
            room,
            Seq::ZERO,
            game.number,
            &body,
        );
        true
    }

    /// Records in the message under construction that a game is published.
    pub(crate) fn record_published(&mut self, builder: &mut MessageBuilder, key: GameKey) {
        if self.games.contains(&key) {
            let ended_at = key.ended_at.to_be_bytes();
            self.push(
                builder,
                EntryKind::Published,
                key.room,
                Seq::ZERO,
                key.number,
                &ended_at,
            );
        }
    }

    pub(crate) fn has_waiting_games(&self) -> bool {
        !self.games.is_empty()
    }

    /// Returns the finished games that are not published.
    pub(crate) fn waiting_games(&self) -> impl Iterator<Item = (GameKey, &FinishedGame)> {
        self.games.iter()
    }

    /// Returns the number of the message under construction.
    fn next_ordinal(&self) -> Ordinal {
        self.truncated + self.messages.len() as u64
    }

    /// Adds an entry to the message under construction and to the state.
    fn push(
        &mut self,
        builder: &mut MessageBuilder,
        kind: EntryKind,
        room: RoomId,
        first: Seq,
        count: u32,
        body: &[u8],
    ) {
        let entry = MessageEntry {
            kind,
            room,
            first,
            count,
            body,
        };
        builder.push(entry);
        self.apply(entry).expect("an entry that was just encoded");
    }

    /// Applies an entry of the next message. An entry may occur more than once, because compaction writes entries
    /// again.
    fn apply(&mut self, entry: MessageEntry<'_>) -> Result<(), String> {
        let (ordinal, bytes) = (self.next_ordinal(), entry.size());
        if matches!(entry.kind, EntryKind::Finished | EntryKind::Published) {
            let before = self.games.bytes();
            self.games.apply(ordinal, entry)?;
            self.live_bytes = self.live_bytes + self.games.bytes() - before;
            return Ok(());
        }
        let before = self.rooms.get(&entry.room).map_or(0, ShardRoom::bytes);
        self.apply_to_room(ordinal, bytes, entry)?;
        let after = self.rooms.get(&entry.room).map_or(0, ShardRoom::bytes);
        self.live_bytes = self.live_bytes + after - before;
        Ok(())
    }

    fn apply_to_room(
        &mut self,
        ordinal: Ordinal,
        bytes: u64,
        entry: MessageEntry<'_>,
    ) -> Result<(), String> {
        let MessageEntry {
            kind,
            room: id,
            first,
            count,
            body,
        } = entry;
        if kind == EntryKind::Deleted {
            self.rooms.remove(&id);
            return Ok(());
        }
        let room = self.rooms.entry(id).or_default();
        match kind {
            EntryKind::Secrets => {
                let value = decode_secrets(id, body)
                    .ok_or_else(|| format!("secrets of room {id} are damaged"))?;
                room.secrets = Some(Located {
                    ordinal,
                    bytes,
                    value,
                });
            }
            EntryKind::Checkpoint => {
                let value = Checkpoint {
                    seq: first,
                    body: body.to_vec(),
                };
                room.checkpoint = Some(Located {
                    ordinal,
                    bytes,
                    value,
                });
                room.events.retain(|events| events.value.first > first);
            }
            EntryKind::Events => {
                if count == 0 || first == Seq::ZERO {
                    return Err(format!("events of room {id} are damaged"));
                }
                let is_needed = first > room.checkpoint_seq();
                let value = StoredEvents {
                    first,
                    count,
                    text: body.into(),
                };
                let located = Located {
                    ordinal,
                    bytes,
                    value,
                };
                match room
                    .events
                    .binary_search_by_key(&first, |events| events.value.first)
                {
                    Ok(index) => room.events[index] = located,
                    Err(index) if is_needed => room.events.insert(index, located),
                    Err(_) => {}
                }
            }
            EntryKind::Deleted | EntryKind::Finished | EntryKind::Published => {}
        }
        Ok(())
    }
}

fn encode_events(events: &[EventRecord]) -> Vec<u8> {
    let mut text = Vec::new();
    write_json(events, &mut text);
    text
}

fn event_count(events: &[EventRecord]) -> u32 {
    u32::try_from(events.len()).expect("a decision has a few events")
}

fn check_size(body: &[u8]) -> Result<(), LogError> {
    if body.len() <= MAX_ENTRY_BYTES {
        Ok(())
    } else {
        Err(LogError::Unavailable(format!(
            "an entry of {} bytes exceeds {MAX_ENTRY_BYTES}",
            body.len()
        )))
    }
}
