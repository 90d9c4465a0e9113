//! Copies the entries in the log of a cluster to the model of the rooms, which the modelled disk fills otherwise. Finds
//! entries that are lost, doubled or out of order.

use noughts_protocol::{EventRecord, RoomId, Seq};
use noughts_server::testing::{Checkpoint, EventLog, RoomSecrets, StoredChange};

use crate::checks::room_log_model::RoomLogModel;
use crate::disk::{SimDisk, poll_ready};

impl SimDisk {
    /// Applies an entry that the log of the cluster has stored.
    pub(crate) fn mirror(&self, change: StoredChange) {
        match change {
            StoredChange::Secrets(secrets) => self.mirror_secrets(secrets),
            StoredChange::Events(room, events) => self.mirror_events(room, &events),
            StoredChange::Checkpoint(room, checkpoint) => self.mirror_checkpoint(room, checkpoint),
            StoredChange::Deleted(room) => {
                let deleted = poll_ready(self.memory_log().delete(room));
                self.report_failed("deletion", deleted.map_err(|error| error.to_string()));
            }
        }
    }

    fn mirror_secrets(&self, secrets: RoomSecrets) {
        let mut rooms = self.room_models();
        let stored = match rooms.get_mut(&secrets.room) {
            Some(known) => {
                known.secrets = secrets;
                poll_ready(self.memory_log().update_secrets(secrets))
            }
            None => {
                rooms.insert(secrets.room, RoomLogModel::new(secrets, Vec::new()));
                poll_ready(self.memory_log().create(secrets, Vec::new()))
            }
        };
        self.report_failed("secrets", stored.map_err(|error| error.to_string()));
    }

    /// Applies events. Compaction stores events again, and these must equal the earlier events.
    fn mirror_events(&self, room: RoomId, events: &[EventRecord]) {
        let new = {
            let rooms = self.room_models();
            let Some(known) = rooms.get(&room) else {
                return self.report_failed("events", Err(format!("room {room} does not exist")));
            };
            let last = known.events.last().map_or(Seq::ZERO, |last| last.seq);
            if let Some(other) = events
                .iter()
                .find(|event| event.seq <= last && known.event(event.seq) != Some(*event))
            {
                let stored = known.event(other.seq);
                let what = format!("room {room} has two histories: {stored:?} and {other:?}");
                return self.report_failed("events", Err(what));
            }
            events
                .iter()
                .filter(|event| event.seq > last)
                .cloned()
                .collect::<Vec<_>>()
        };
        if !new.is_empty() {
            let stored = self.store_mirrored(room, new);
            self.report_failed(
                "events",
                stored.map_err(|error| format!("room {room}: {error}")),
            );
        }
    }

    fn mirror_checkpoint(&self, room: RoomId, checkpoint: Checkpoint) {
        let last = self
            .room_models()
            .get(&room)
            .and_then(|known| known.events.last().map(|last| last.seq));
        // Compaction may store an old checkpoint again after later events; such a checkpoint is skipped.
        if last == Some(checkpoint.seq) {
            let stored = poll_ready(self.memory_log().checkpoint(room, checkpoint));
            self.report_failed("checkpoint", stored.map_err(|error| error.to_string()));
        } else if last.is_none_or(|last| last < checkpoint.seq) {
            let what = format!(
                "checkpoint {} of room {room} after event {last:?}",
                checkpoint.seq
            );
            self.report_failed("checkpoint", Err(what));
        }
    }
}
