//! An event log that never confirms, so that a replaced node shows an old state: a control of the checks.

use std::sync::Arc;

use futures::future::BoxFuture;
use noughts_protocol::{EventRecord, RoomId, Seq};
use noughts_server::testing::{
    Checkpoint, EventLog, FinishedGame, LogError, RoomSecrets, StoredRoom,
};

#[derive(Debug)]
pub(crate) struct UnconfirmedLog(pub(crate) Arc<dyn EventLog>);

impl EventLog for UnconfirmedLog {
    fn create(
        &self,
        secrets: RoomSecrets,
        events: Vec<EventRecord>,
    ) -> BoxFuture<'_, Result<(), LogError>> {
        self.0.create(secrets, events)
    }

    fn update_secrets(&self, secrets: RoomSecrets) -> BoxFuture<'_, Result<(), LogError>> {
        self.0.update_secrets(secrets)
    }

    fn append(
        &self,
        room: RoomId,
        events: Vec<EventRecord>,
        finished: Option<FinishedGame>,
    ) -> BoxFuture<'_, Result<(), LogError>> {
        self.0.append(room, events, finished)
    }

    fn load(&self, room: RoomId) -> BoxFuture<'_, Result<StoredRoom, LogError>> {
        self.0.load(room)
    }

    fn events_since(
        &self,
        room: RoomId,
        after: Seq,
    ) -> BoxFuture<'_, Result<Vec<EventRecord>, LogError>> {
        self.0.events_since(room, after)
    }

    fn checkpoint(
        &self,
        room: RoomId,
        checkpoint: Checkpoint,
    ) -> BoxFuture<'_, Result<(), LogError>> {
        self.0.checkpoint(room, checkpoint)
    }

    fn recover(&self) -> BoxFuture<'_, Result<Vec<(RoomSecrets, StoredRoom)>, LogError>> {
        self.0.recover()
    }

    fn delete(&self, room: RoomId) -> BoxFuture<'_, Result<(), LogError>> {
        self.0.delete(room)
    }

    fn archives_games(&self) -> bool {
        self.0.archives_games()
    }

    fn is_healthy(&self) -> bool {
        self.0.is_healthy()
    }

    fn failed(&self) -> BoxFuture<'_, ()> {
        self.0.failed()
    }
}
