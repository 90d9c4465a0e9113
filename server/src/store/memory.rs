//! A log in memory, for tests and for servers that store nothing.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::{Mutex, MutexGuard};

use futures::FutureExt;
use futures::future::{BoxFuture, pending, ready};
use noughts_protocol::{EventRecord, RoomId, Seq};

use super::{
    self as store, Checkpoint, EventLog, LogError, LogOp, LogReply, LogResult, RoomSecrets,
    StoredRoom,
};
use crate::runtime::sync::lock;

/// The histories of the open rooms. Finished games are not archived.
#[derive(Debug, Default)]
pub struct MemoryLog {
    /// The histories are boxed, because about a third of the slots of a B-tree map are empty.
    rooms: Mutex<BTreeMap<RoomId, Box<RoomHistory>>>,
}

#[derive(Debug)]
struct RoomHistory {
    secrets: RoomSecrets,
    checkpoint: Option<Box<Checkpoint>>,
    /// The events since the checkpoint, in chunks, because a single vector would be copied when it grows. The first
    /// chunk grows on demand, because many rooms need only one.
    events: Vec<Vec<EventRecord>>,
}

/// Number of events in a chunk.
const CHUNK_LEN: usize = 16;

impl RoomHistory {
    fn extend(&mut self, events: Vec<EventRecord>) {
        for event in events {
            match self.events.last_mut().filter(|last| last.len() < CHUNK_LEN) {
                Some(last) => last.push(event),
                None => {
                    let mut next =
                        Vec::with_capacity(if self.events.is_empty() { 0 } else { CHUNK_LEN });
                    next.push(event);
                    self.events.push(next);
                }
            }
        }
    }

    fn last_seq(&self) -> Seq {
        let checkpoint_seq = self
            .checkpoint
            .as_deref()
            .map_or(Seq::ZERO, |checkpoint| checkpoint.seq);
        self.events
            .last()
            .and_then(|last| last.last())
            .map_or(checkpoint_seq, |event| event.seq)
    }

    fn events_since(&self, after: Seq) -> Result<Vec<EventRecord>, LogError> {
        store::events_since(
            self.checkpoint.as_deref(),
            self.events.iter().flatten(),
            after,
        )
    }

    fn to_stored_room(&self) -> StoredRoom {
        StoredRoom {
            checkpoint: self.checkpoint.as_deref().cloned(),
            events: self.events.concat(),
        }
    }
}

impl MemoryLog {
    /// Locks the rooms. A panic while the lock is held leaves consistent vectors behind, because events are moved one
    /// by one.
    fn rooms(&self) -> MutexGuard<'_, BTreeMap<RoomId, Box<RoomHistory>>> {
        lock(&self.rooms)
    }

    /// Changes the history of a room if its last event is `seq`.
    fn update_at(
        &self,
        room: RoomId,
        seq: Seq,
        change: impl FnOnce(&mut RoomHistory),
    ) -> Result<(), LogError> {
        let mut rooms = self.rooms();
        let history = rooms.get_mut(&room).ok_or_else(LogError::unknown_room)?;
        let found = history.last_seq();
        if seq != found {
            return Err(LogError::Conflict {
                expected: seq,
                found,
            });
        }
        change(history);
        Ok(())
    }

    fn append_events(&self, room: RoomId, events: Vec<EventRecord>) -> Result<(), LogError> {
        let Some(first) = events.first() else {
            return Ok(());
        };
        let before = Seq::new(first.seq.get().saturating_sub(1));
        self.update_at(room, before, |history| history.extend(events))
    }

    fn execute(&self, op: LogOp) -> LogResult {
        match op {
            LogOp::Create { secrets, events } => self.create_room(*secrets, events)?,
            LogOp::UpdateSecrets(secrets) => {
                self.rooms()
                    .get_mut(&secrets.room)
                    .ok_or_else(LogError::unknown_room)?
                    .secrets = *secrets;
            }
            LogOp::Append { room, events, .. } => self.append_events(room, events)?,
            LogOp::Checkpoint { room, checkpoint } => {
                self.update_at(room, checkpoint.seq, |history| {
                    history.checkpoint = Some(Box::new(checkpoint));
                    history.events = Vec::new();
                })?;
            }
            LogOp::Delete(room) => {
                self.rooms().remove(&room);
            }
            LogOp::Load(room) => {
                let rooms = self.rooms();
                let history = rooms.get(&room).ok_or_else(LogError::unknown_room)?;
                return Ok(LogReply::Room(history.to_stored_room()));
            }
            LogOp::EventsSince { room, after } => {
                let rooms = self.rooms();
                let history = rooms.get(&room).ok_or_else(LogError::unknown_room)?;
                return history.events_since(after).map(LogReply::Events);
            }
            LogOp::Recover => {
                let rooms = self.rooms();
                let stored = |history: &RoomHistory| (history.secrets, history.to_stored_room());
                let rooms = rooms.values().map(|history| stored(history));
                return Ok(LogReply::Rooms(rooms.collect()));
            }
            LogOp::Confirm => {}
            #[cfg(test)]
            LogOp::LimitPages(_) => {}
        }
        Ok(LogReply::Done)
    }

    fn create_room(&self, secrets: RoomSecrets, events: Vec<EventRecord>) -> Result<(), LogError> {
        match self.rooms().entry(secrets.room) {
            Entry::Occupied(_) => Err(LogError::Unavailable("a room with this id exists".into())),
            Entry::Vacant(vacant) => {
                vacant.insert(Box::new(RoomHistory {
                    secrets,
                    checkpoint: None,
                    events: vec![events],
                }));
                Ok(())
            }
        }
    }
}

impl EventLog for MemoryLog {
    fn submit(&self, op: LogOp) -> BoxFuture<'_, LogResult> {
        ready(self.execute(op)).boxed()
    }

    fn failed(&self) -> BoxFuture<'_, ()> {
        pending().boxed()
    }

    fn archives_games(&self) -> bool {
        false
    }

    fn is_healthy(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{event, room_secrets};

    #[tokio::test]
    async fn out_of_order_events_are_rejected() {
        let log = MemoryLog::default();
        let room = room_secrets(1).room;
        assert!(matches!(
            log.append(room, vec![event(1, 0)], None).await,
            Err(LogError::Unavailable(_))
        ));
        log.create(room_secrets(1), vec![event(1, 0), event(2, 0)])
            .await
            .unwrap();
        let conflict = LogError::Conflict {
            expected: Seq::new(3),
            found: Seq::new(2),
        };
        assert_eq!(
            log.append(room, vec![event(4, 0)], None).await,
            Err(conflict)
        );
        log.append(room, vec![event(3, 0)], None).await.unwrap();
        assert_eq!(
            log.load(room).await.unwrap().events,
            [event(1, 0), event(2, 0), event(3, 0)]
        );
        assert_eq!(
            log.events_since(room, Seq::new(1)).await.unwrap(),
            [event(2, 0), event(3, 0)]
        );
        log.checkpoint(
            room,
            Checkpoint {
                seq: Seq::new(3),
                body: vec![],
            },
        )
        .await
        .unwrap();
        assert_eq!(log.events_since(room, Seq::new(3)).await.unwrap(), []);
        assert!(matches!(
            log.events_since(room, Seq::new(2)).await,
            Err(LogError::Conflict { .. })
        ));
        assert!(matches!(
            log.create(room_secrets(1), vec![]).await,
            Err(LogError::Unavailable(_))
        ));
    }

    #[tokio::test]
    async fn a_deleted_room_is_removed() {
        let log = MemoryLog::default();
        log.create(room_secrets(1), vec![event(1, 0)])
            .await
            .unwrap();
        log.delete(room_secrets(1).room).await.unwrap();
        assert!(log.rooms().is_empty());
        assert!(
            log.append(room_secrets(1).room, vec![event(2, 0)], None)
                .await
                .is_err()
        );
    }
}
