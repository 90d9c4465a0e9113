//! The log of one server on the disk: every call is a job for it.

use std::sync::{Arc, PoisonError};

use futures::FutureExt;
use futures::future::{BoxFuture, pending};
use noughts_protocol::{RoomId, Seq, Stamped};
use noughts_server::lived::Lived;
use noughts_server::log::{EventLog, Finished, Founding, Image, LogError, Stored};

use super::{Disk, Lie, Weather, now};
use crate::chronicle::Chronicle;

/// The log of one server on this disk.
#[derive(Debug)]
pub(crate) struct DiskLog(pub(crate) Arc<Disk>);

impl EventLog for DiskLog {
    fn create(&self, founding: Founding, events: Vec<Stamped>) -> BoxFuture<'_, Result<(), LogError>> {
        self.0.ask("create", move |store, _| {
            now(store.log.create(founding, events.clone()))?;
            let mut rooms = store.rooms.lock().unwrap_or_else(PoisonError::into_inner);
            rooms.insert(founding.room, Chronicle::new(founding, events));
            Ok(())
        })
    }

    fn hold(&self, founding: Founding) -> BoxFuture<'_, Result<(), LogError>> {
        self.0.ask("hold", move |store, _| now(store.log.hold(founding)))
    }

    fn append(
        &self,
        room: RoomId,
        events: Vec<Stamped>,
        finished: Option<Finished>,
    ) -> BoxFuture<'_, Result<(), LogError>> {
        let asked = self.0.ask("append", move |store, fate| store.append(room, &events, finished, fate));
        if self.0.store.lie == Some(Lie::AckUnsynced) {
            return async { Ok(()) }.boxed();
        }
        asked
    }

    fn load(&self, room: RoomId) -> BoxFuture<'_, Result<Stored, LogError>> {
        self.0.ask("load", move |store, _| now(store.log.load(room)))
    }

    fn since(&self, room: RoomId, after: Seq) -> BoxFuture<'_, Result<Vec<Stamped>, LogError>> {
        self.0.ask("since", move |store, _| now(store.log.since(room, after)))
    }

    fn keep(&self, room: RoomId, image: Image) -> BoxFuture<'_, Result<(), LogError>> {
        self.0.ask("keep", move |store, _| now(store.log.keep(room, image)))
    }

    fn recover(&self) -> BoxFuture<'_, Result<Vec<(Founding, Stored)>, LogError>> {
        async { Ok(self.0.open_rooms()) }.boxed()
    }

    fn retire(&self, room: RoomId) -> BoxFuture<'_, Result<(), LogError>> {
        self.0.ask("retire", move |store, _| now(store.log.retire(room)))
    }

    fn beat(&self, lived: Lived) {
        // Nobody waits for it; what a crash drops of it is dropped like any other job.
        drop(self.0.ask("beat", move |store, _| {
            store.log.beat(lived);
            Ok(())
        }));
    }

    fn lived(&self) -> Lived {
        self.0.store.log.lived()
    }

    fn healthy(&self) -> bool {
        self.0.state().weather != Weather::Refusing
    }

    fn broken(&self) -> BoxFuture<'_, ()> {
        pending().boxed()
    }
}
