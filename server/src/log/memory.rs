//! A log that lasts as long as its process: for tests, and for an operator who keeps nothing.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::{Mutex, MutexGuard, PoisonError};

use futures::FutureExt;
use futures::future::{BoxFuture, pending, ready};
use noughts_protocol::{RoomId, Seq, Stamped};

use super::{self as log, EventLog, Finished, Founding, Image, LogError, Stored};
use crate::lived::Lived;

/// The histories of the open rooms, in memory. Finished games are not kept.
#[derive(Debug, Default)]
pub struct MemoryLog {
    /// Boxed, since a third of the places of such a map are empty.
    rooms: Mutex<BTreeMap<RoomId, Box<History>>>,
    lived: Mutex<Lived>,
}

/// What a room has been through.
#[derive(Debug)]
struct History {
    founding: Founding,
    image: Option<Box<Image>>,
    /// The events since, a few together: one long vector would be copied from place to place as it grows. The first of
    /// them grow as they come, since many rooms have no others.
    events: Vec<Vec<Stamped>>,
}

/// Events that lie together.
const TOGETHER: usize = 16;

impl History {
    fn extend(&mut self, events: Vec<Stamped>) {
        for event in events {
            match self.events.last_mut().filter(|last| last.len() < TOGETHER) {
                Some(last) => last.push(event),
                None => {
                    let mut next = Vec::with_capacity(if self.events.is_empty() { 0 } else { TOGETHER });
                    next.push(event);
                    self.events.push(next);
                }
            }
        }
    }

    fn last_seq(&self) -> Seq {
        let image = self.image.as_deref().map_or(Seq::ZERO, |image| image.seq);
        self.events.last().and_then(|last| last.last()).map_or(image, |event| event.seq)
    }

    /// What follows `after`.
    fn since(&self, after: Seq) -> Result<Vec<Stamped>, LogError> {
        log::since(self.image.as_deref(), self.events.iter().flatten(), after)
    }

    fn stored(&self) -> Stored {
        Stored { image: self.image.as_deref().cloned(), events: self.events.concat() }
    }
}

impl MemoryLog {
    /// A panic while the lock is held leaves whole vectors behind: events are moved there one by one.
    fn rooms(&self) -> MutexGuard<'_, BTreeMap<RoomId, Box<History>>> {
        self.rooms.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does something to a room that is at `seq`.
    fn at(&self, room: RoomId, seq: Seq, change: impl FnOnce(&mut History)) -> Result<(), LogError> {
        let mut rooms = self.rooms();
        let history = rooms.get_mut(&room).ok_or_else(LogError::no_room)?;
        let found = history.last_seq();
        if seq != found {
            return Err(LogError::Conflict { expected: seq, found });
        }
        change(history);
        Ok(())
    }

    fn store(&self, room: RoomId, events: Vec<Stamped>) -> Result<(), LogError> {
        let Some(first) = events.first() else { return Ok(()) };
        let before = Seq::new(first.seq.get().saturating_sub(1));
        self.at(room, before, |history| history.extend(events))
    }
}

impl EventLog for MemoryLog {
    fn create(&self, founding: Founding, events: Vec<Stamped>) -> BoxFuture<'_, Result<(), LogError>> {
        let done = match self.rooms().entry(founding.room) {
            Entry::Occupied(_) => Err(LogError::Unavailable("a room of this name exists".into())),
            Entry::Vacant(vacant) => {
                vacant.insert(Box::new(History { founding, image: None, events: vec![events] }));
                Ok(())
            }
        };
        ready(done).boxed()
    }

    fn hold(&self, founding: Founding) -> BoxFuture<'_, Result<(), LogError>> {
        let mut rooms = self.rooms();
        let held = rooms.get_mut(&founding.room).map(|history| history.founding = founding);
        ready(held.ok_or_else(LogError::no_room)).boxed()
    }

    fn append(
        &self,
        room: RoomId,
        events: Vec<Stamped>,
        _: Option<Finished>,
    ) -> BoxFuture<'_, Result<(), LogError>> {
        ready(self.store(room, events)).boxed()
    }

    fn load(&self, room: RoomId) -> BoxFuture<'_, Result<Stored, LogError>> {
        let found = self.rooms().get(&room).map(|history| history.stored());
        ready(found.ok_or_else(LogError::no_room)).boxed()
    }

    fn since(&self, room: RoomId, after: Seq) -> BoxFuture<'_, Result<Vec<Stamped>, LogError>> {
        let found = self.rooms().get(&room).map(|history| history.since(after));
        ready(found.unwrap_or_else(|| Err(LogError::no_room()))).boxed()
    }

    fn keep(&self, room: RoomId, image: Image) -> BoxFuture<'_, Result<(), LogError>> {
        let kept = self.at(room, image.seq, |history| {
            history.image = Some(Box::new(image));
            history.events = Vec::new();
        });
        ready(kept).boxed()
    }

    fn recover(&self) -> BoxFuture<'_, Result<Vec<(Founding, Stored)>, LogError>> {
        let rooms = self.rooms();
        ready(Ok(rooms.values().map(|history| (history.founding, history.stored())).collect())).boxed()
    }

    fn retire(&self, room: RoomId) -> BoxFuture<'_, Result<(), LogError>> {
        self.rooms().remove(&room);
        ready(Ok(())).boxed()
    }

    fn broken(&self) -> BoxFuture<'_, ()> {
        pending().boxed()
    }

    fn beat(&self, lived: Lived) {
        *self.lived.lock().unwrap_or_else(PoisonError::into_inner) = lived;
    }

    fn lived(&self) -> Lived {
        self.lived.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn keeps_games(&self) -> bool {
        false
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
        Founding {
            room: RoomId::from_bits(1),
            code: None,
            tokens: [ResumeToken::from_bits(1); 2],
            parties: [None; 2],
        }
    }

    fn event(seq: u64) -> Stamped {
        Stamped { seq: Seq::new(seq), at: 0, by: None, event: Event::Started { game: 1 } }
    }

    #[tokio::test]
    async fn events_follow_each_other_or_are_refused() {
        let log = MemoryLog::default();
        let room = founding().room;
        assert!(matches!(log.append(room, vec![event(1)], None).await, Err(LogError::Unavailable(_))));
        log.create(founding(), vec![event(1), event(2)]).await.unwrap();
        let conflict = LogError::Conflict { expected: Seq::new(3), found: Seq::new(2) };
        assert_eq!(log.append(room, vec![event(4)], None).await, Err(conflict));
        log.append(room, vec![event(3)], None).await.unwrap();
        assert_eq!(log.load(room).await.unwrap().events, [event(1), event(2), event(3)]);
        assert_eq!(log.since(room, Seq::new(1)).await.unwrap(), [event(2), event(3)]);
        log.keep(room, Image { seq: Seq::new(3), body: vec![] }).await.unwrap();
        assert_eq!(log.since(room, Seq::new(3)).await.unwrap(), []);
        assert!(matches!(log.since(room, Seq::new(2)).await, Err(LogError::Conflict { .. })));
        assert!(matches!(log.create(founding(), vec![]).await, Err(LogError::Unavailable(_))));
    }

    #[tokio::test]
    async fn nothing_is_left_of_a_retired_room() {
        let log = MemoryLog::default();
        log.create(founding(), vec![event(1)]).await.unwrap();
        log.retire(founding().room).await.unwrap();
        assert!(log.rooms().is_empty());
        assert!(log.append(founding().room, vec![event(2)], None).await.is_err());
    }
}
