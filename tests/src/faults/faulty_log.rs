//! A log with one of the faults that violate a guarantee.

use std::path::Path;
use std::sync::Arc;

use futures::FutureExt;
use futures::future::{BoxFuture, ready};
use noughts_protocol::{Event, EventRecord, RoomId, Seq};
use noughts_server::testing::{
    Checkpoint, DataDirError, EventLog, FinishedGame, LogError, MemoryLog, RoomSecrets, SqliteLog,
    SqliteOptions, StoredRoom,
};

/// A fault of a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogFault {
    /// P1: confirms events before they are stored, so that they are broadcast too early.
    BroadcastBeforeCommit,
    /// P4: stores only the first event of a request.
    PersistFirstEventOnly,
    /// P14: confirms events that could not be stored.
    ShowUncommitted,
    /// P15: opens a damaged log as if nothing had been stored. Only [`FaultyLog::open`] has this fault.
    IgnoreCorruption,
    /// P16: charges an outage to the running clock.
    ChargeOutageOnReplay,
    /// P17: stores no checkpoint, so that a start reads all events.
    NeverCheckpoint,
}

/// Length of the outage that [`LogFault::ChargeOutageOnReplay`] charges.
const OUTAGE_MS: u64 = 2_000;

/// A log with a fault.
#[derive(Debug)]
pub struct FaultyLog {
    log: Arc<dyn EventLog>,
    fault: LogFault,
}

impl FaultyLog {
    pub fn new(log: Arc<dyn EventLog>, fault: LogFault) -> FaultyLog {
        FaultyLog { log, fault }
    }

    /// Opens the log of a data directory, which may have a fault.
    ///
    /// # Errors
    /// As of [`SqliteLog::open`].
    pub fn open(
        directory: &Path,
        options: SqliteOptions,
        fault: Option<LogFault>,
    ) -> Result<Arc<dyn EventLog>, DataDirError> {
        match SqliteLog::open(directory, options) {
            Ok(log) => Ok(Arc::new(log)),
            Err(DataDirError::Corrupt(_)) if fault == Some(LogFault::IgnoreCorruption) => {
                Ok(Arc::new(MemoryLog::default()))
            }
            Err(error) => Err(error),
        }
    }

    /// Returns the stored room as a restart reads it.
    fn charge_outage(&self, mut stored: StoredRoom) -> StoredRoom {
        if self.fault == LogFault::ChargeOutageOnReplay {
            let last_move = stored.events.iter_mut().rev().find_map(|event| {
                if let Event::Moved {
                    seat,
                    left: Some(left),
                    ..
                } = &mut event.event
                {
                    Some((*seat, left))
                } else {
                    None
                }
            });
            if let Some((seat, left)) = last_move {
                let running = &mut left[seat.other().index()];
                *running = running.saturating_sub(OUTAGE_MS).max(1);
            }
        }
        stored
    }
}

impl EventLog for FaultyLog {
    fn create(
        &self,
        secrets: RoomSecrets,
        events: Vec<EventRecord>,
    ) -> BoxFuture<'_, Result<(), LogError>> {
        self.log.create(secrets, events)
    }

    fn update_secrets(&self, secrets: RoomSecrets) -> BoxFuture<'_, Result<(), LogError>> {
        self.log.update_secrets(secrets)
    }

    fn append(
        &self,
        room: RoomId,
        mut events: Vec<EventRecord>,
        finished: Option<FinishedGame>,
    ) -> BoxFuture<'_, Result<(), LogError>> {
        match self.fault {
            LogFault::BroadcastBeforeCommit => {
                let log = Arc::clone(&self.log);
                let mut write = async move { log.append(room, events, finished).await }.boxed();
                match (&mut write).now_or_never() {
                    Some(result) => ready(result).boxed(),
                    None => {
                        tokio::spawn(write);
                        ready(Ok(())).boxed()
                    }
                }
            }
            LogFault::PersistFirstEventOnly => {
                events.truncate(1);
                self.log.append(room, events, finished)
            }
            LogFault::ShowUncommitted => self
                .log
                .append(room, events, finished)
                .map(|(Ok(()) | Err(_))| Ok(()))
                .boxed(),
            LogFault::IgnoreCorruption
            | LogFault::ChargeOutageOnReplay
            | LogFault::NeverCheckpoint => self.log.append(room, events, finished),
        }
    }

    fn load(&self, room: RoomId) -> BoxFuture<'_, Result<StoredRoom, LogError>> {
        let loaded = self.log.load(room);
        loaded
            .map(|loaded| loaded.map(|stored| self.charge_outage(stored)))
            .boxed()
    }

    fn events_since(
        &self,
        room: RoomId,
        after: Seq,
    ) -> BoxFuture<'_, Result<Vec<EventRecord>, LogError>> {
        self.log.events_since(room, after)
    }

    fn checkpoint(
        &self,
        room: RoomId,
        checkpoint: Checkpoint,
    ) -> BoxFuture<'_, Result<(), LogError>> {
        if self.fault == LogFault::NeverCheckpoint {
            return ready(Ok(())).boxed();
        }
        self.log.checkpoint(room, checkpoint)
    }

    fn recover(&self) -> BoxFuture<'_, Result<Vec<(RoomSecrets, StoredRoom)>, LogError>> {
        let recovered = self.log.recover().map(|recovered| {
            let rooms = recovered?.into_iter();
            Ok(rooms
                .map(|(secrets, stored)| (secrets, self.charge_outage(stored)))
                .collect())
        });
        recovered.boxed()
    }

    fn delete(&self, room: RoomId) -> BoxFuture<'_, Result<(), LogError>> {
        self.log.delete(room)
    }

    fn record_stop(&self, at: u64) {
        self.log.record_stop(at);
    }

    fn previous_stop(&self) -> Option<u64> {
        self.log.previous_stop()
    }

    fn archives_games(&self) -> bool {
        self.log.archives_games()
    }

    fn is_healthy(&self) -> bool {
        self.log.is_healthy()
    }

    fn failed(&self) -> BoxFuture<'_, ()> {
        self.log.failed()
    }
}
