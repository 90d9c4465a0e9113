//! The entries that one open room needs. Pure.

use noughts_protocol::{EventRecord, Seq};

use crate::store::{Checkpoint, LogError, RoomSecrets, StoredRoom};

/// Number of a message in the log. Unlike the position of the message, its number is known before the message is
/// stored.
pub(super) type Ordinal = u64;

/// An entry that an open room needs.
#[derive(Debug)]
pub(super) struct Located<T> {
    /// Message that contains the entry.
    pub(super) ordinal: Ordinal,
    /// Size of the entry.
    pub(super) bytes: u64,
    pub(super) value: T,
}

/// The events of one append.
#[derive(Debug)]
pub(super) struct StoredEvents {
    pub(super) first: Seq,
    pub(super) count: u32,
    pub(super) text: Box<[u8]>,
}

#[derive(Debug, Default)]
pub(super) struct ShardRoom {
    /// `None` only while the log is being read, because compaction may have moved the secrets after other entries of
    /// the room.
    pub(super) secrets: Option<Located<RoomSecrets>>,
    pub(super) checkpoint: Option<Located<Checkpoint>>,
    /// The events after the checkpoint, in order.
    pub(super) events: Vec<Located<StoredEvents>>,
}

impl ShardRoom {
    pub(super) fn checkpoint_seq(&self) -> Seq {
        self.checkpoint
            .as_ref()
            .map_or(Seq::ZERO, |checkpoint| checkpoint.value.seq)
    }

    pub(super) fn last_seq(&self) -> Seq {
        self.events.last().map_or(self.checkpoint_seq(), |last| {
            Seq::new(last.value.first.get() + u64::from(last.value.count) - 1)
        })
    }

    pub(super) fn bytes(&self) -> u64 {
        let secrets = self.secrets.as_ref().map_or(0, |secrets| secrets.bytes);
        let checkpoint = self
            .checkpoint
            .as_ref()
            .map_or(0, |checkpoint| checkpoint.bytes);
        secrets + checkpoint + self.events.iter().map(|events| events.bytes).sum::<u64>()
    }

    /// Returns the oldest message that the room needs.
    pub(super) fn oldest(&self) -> Option<Ordinal> {
        let secrets = self.secrets.as_ref().map(|secrets| secrets.ordinal);
        let checkpoint = self
            .checkpoint
            .as_ref()
            .map(|checkpoint| checkpoint.ordinal);
        let events = self.events.iter().map(|events| events.ordinal).min();
        [secrets, checkpoint, events].into_iter().flatten().min()
    }

    pub(super) fn stored_events(&self, after: Seq) -> Result<Vec<EventRecord>, LogError> {
        let mut events = Vec::new();
        for stored in &self.events {
            let parsed: Vec<EventRecord> = serde_json::from_slice(&stored.value.text)
                .map_err(|error| LogError::Corrupt(error.to_string()))?;
            let numbers = (stored.value.first.get()..).take(stored.value.count as usize);
            if !parsed.iter().map(|event| event.seq.get()).eq(numbers) {
                return Err(LogError::Corrupt(format!(
                    "wrong numbers of events from {} on",
                    stored.value.first
                )));
            }
            events.extend(parsed.into_iter().filter(|event| event.seq > after));
        }
        Ok(events)
    }

    pub(super) fn to_stored_room(&self) -> Result<StoredRoom, LogError> {
        let checkpoint = self
            .checkpoint
            .as_ref()
            .map(|checkpoint| checkpoint.value.clone());
        Ok(StoredRoom {
            checkpoint,
            events: self.stored_events(Seq::ZERO)?,
        })
    }
}
