//! Event log of one server; each call is a job for the disk.

use std::sync::Arc;

use futures::FutureExt;
use futures::future::{BoxFuture, pending};
use noughts_protocol::{EventRecord, RoomId, Seq};
use noughts_server::testing::{
    Checkpoint, EventLog, FinishedGame, LogError, RoomSecrets, StoredRoom,
};
use noughts_tests::lock::lock;

use super::{SimDisk, poll_ready};
use crate::checks::room_log_model::RoomLogModel;
use crate::plan::{DiskConditions, LogMutation};

/// Event log of one server.
#[derive(Debug)]
pub(crate) struct DiskLog(pub(crate) Arc<SimDisk>);

impl EventLog for DiskLog {
    fn create(
        &self,
        secrets: RoomSecrets,
        events: Vec<EventRecord>,
    ) -> BoxFuture<'_, Result<(), LogError>> {
        self.0.submit("create", move |store, _| {
            poll_ready(store.log.create(secrets, events.clone()))?;
            let mut rooms = lock(&store.room_models);
            rooms.insert(secrets.room, RoomLogModel::new(secrets, events));
            Ok(())
        })
    }

    fn update_secrets(&self, secrets: RoomSecrets) -> BoxFuture<'_, Result<(), LogError>> {
        self.0.submit("update_secrets", move |store, _| {
            poll_ready(store.log.update_secrets(secrets))
        })
    }

    fn append(
        &self,
        room: RoomId,
        events: Vec<EventRecord>,
        finished: Option<FinishedGame>,
    ) -> BoxFuture<'_, Result<(), LogError>> {
        let submitted = self.0.submit("append", move |store, outcome| {
            store.append(room, &events, finished, outcome)
        });
        if self.0.store.mutation == Some(LogMutation::AckUnsynced) {
            return async { Ok(()) }.boxed();
        }
        submitted
    }

    fn load(&self, room: RoomId) -> BoxFuture<'_, Result<StoredRoom, LogError>> {
        self.0
            .submit("load", move |store, _| poll_ready(store.log.load(room)))
    }

    fn events_since(
        &self,
        room: RoomId,
        after: Seq,
    ) -> BoxFuture<'_, Result<Vec<EventRecord>, LogError>> {
        self.0.submit("events_since", move |store, _| {
            poll_ready(store.log.events_since(room, after))
        })
    }

    fn checkpoint(
        &self,
        room: RoomId,
        checkpoint: Checkpoint,
    ) -> BoxFuture<'_, Result<(), LogError>> {
        self.0.submit("checkpoint", move |store, _| {
            poll_ready(store.log.checkpoint(room, checkpoint))
        })
    }

    fn recover(&self) -> BoxFuture<'_, Result<Vec<(RoomSecrets, StoredRoom)>, LogError>> {
        async { Ok(self.0.open_rooms()) }.boxed()
    }

    fn delete(&self, room: RoomId) -> BoxFuture<'_, Result<(), LogError>> {
        self.0
            .submit("delete", move |store, _| poll_ready(store.log.delete(room)))
    }

    fn is_healthy(&self) -> bool {
        self.0.state().conditions != DiskConditions::Refusing
    }

    fn failed(&self) -> BoxFuture<'_, ()> {
        pending().boxed()
    }
}
