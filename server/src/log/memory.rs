//! A log that lasts as long as its process: for tests, and for an operator who keeps nothing.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Mutex, MutexGuard, PoisonError};

use futures::FutureExt;
use futures::future::{BoxFuture, ready};
use noughts_protocol::{RoomId, Seq, Stamped};

use super::{EventLog, Founding, LogError};

/// The events of the open rooms, in memory.
#[derive(Debug, Default)]
pub struct MemoryLog {
    rooms: Mutex<HashMap<RoomId, Vec<Stamped>>>,
}

impl MemoryLog {
    /// A panic while the lock is held leaves whole vectors behind: an extend of moved events.
    fn rooms(&self) -> MutexGuard<'_, HashMap<RoomId, Vec<Stamped>>> {
        self.rooms.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn store(&self, room: RoomId, events: Vec<Stamped>) -> Result<(), LogError> {
        let mut rooms = self.rooms();
        let stored = rooms
            .get_mut(&room)
            .ok_or_else(|| LogError::Unavailable("the room was never founded or has closed".into()))?;
        let found = stored.last().map_or(Seq::ZERO, |last| last.seq);
        if let Some(first) = events.first()
            && first.seq != found.next()
        {
            return Err(LogError::Conflict { expected: Seq::new(first.seq.get().saturating_sub(1)), found });
        }
        stored.extend(events);
        Ok(())
    }
}

impl EventLog for MemoryLog {
    fn create(&self, founding: Founding, events: Vec<Stamped>) -> BoxFuture<'_, Result<(), LogError>> {
        let done = match self.rooms().entry(founding.room) {
            Entry::Occupied(_) => Err(LogError::Unavailable("a room of this name exists".into())),
            Entry::Vacant(vacant) => {
                vacant.insert(events);
                Ok(())
            }
        };
        ready(done).boxed()
    }

    fn append(&self, room: RoomId, events: Vec<Stamped>) -> BoxFuture<'_, Result<(), LogError>> {
        ready(self.store(room, events)).boxed()
    }

    fn load(&self, room: RoomId, after: Seq) -> BoxFuture<'_, Result<Vec<Stamped>, LogError>> {
        let rooms = self.rooms();
        let events = rooms.get(&room).map(Vec::as_slice).unwrap_or_default();
        ready(Ok(events.iter().filter(|event| event.seq > after).cloned().collect())).boxed()
    }

    fn retire(&self, room: RoomId) -> BoxFuture<'_, Result<(), LogError>> {
        self.rooms().remove(&room);
        ready(Ok(())).boxed()
    }

    fn healthy(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use noughts_protocol::{Event, ResumeToken};

    use super::*;

    fn founding() -> Founding {
        Founding { room: RoomId::from_bits(1), code: None, tokens: [ResumeToken::from_bits(1); 2] }
    }

    fn event(seq: u64) -> Stamped {
        Stamped { seq: Seq::new(seq), at: 0, by: None, event: Event::Started { game: 1 } }
    }

    #[tokio::test]
    async fn events_follow_each_other_or_are_refused() {
        let log = MemoryLog::default();
        let room = founding().room;
        assert!(matches!(log.append(room, vec![event(1)]).await, Err(LogError::Unavailable(_))));
        log.create(founding(), vec![event(1), event(2)]).await.unwrap();
        let conflict = LogError::Conflict { expected: Seq::new(3), found: Seq::new(2) };
        assert_eq!(log.append(room, vec![event(4)]).await, Err(conflict));
        log.append(room, vec![event(3)]).await.unwrap();
        assert_eq!(log.load(room, Seq::new(1)).await.unwrap(), [event(2), event(3)]);
        assert!(matches!(log.create(founding(), vec![]).await, Err(LogError::Unavailable(_))));
    }

    #[tokio::test]
    async fn nothing_is_left_of_a_retired_room() {
        let log = MemoryLog::default();
        log.create(founding(), vec![event(1)]).await.unwrap();
        log.retire(founding().room).await.unwrap();
        assert!(log.rooms().is_empty());
        assert!(log.append(founding().room, vec![event(2)]).await.is_err());
    }
}
