//! A log with one of the faults that violate a guarantee.

use std::path::Path;
use std::sync::Arc;

use futures::FutureExt;
use futures::future::{BoxFuture, ready};
use noughts_protocol::Event;
use noughts_server::testing::{
    DataDirError, EventLog, LogOp, LogReply, LogResult, MemoryLog, SqliteLog, SqliteOptions,
    StoredRoom,
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
    /// Returns the errors of [`SqliteLog::open`].
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
}

/// Returns a reply with clocks that have run during the outage.
fn charge_outage(reply: LogReply) -> LogReply {
    match reply {
        LogReply::Room(stored) => LogReply::Room(charge_room(stored)),
        LogReply::Rooms(rooms) => {
            let charge = |(secrets, stored)| (secrets, charge_room(stored));
            LogReply::Rooms(rooms.into_iter().map(charge).collect())
        }
        reply @ (LogReply::Done | LogReply::Events(_)) => reply,
    }
}

fn charge_room(mut stored: StoredRoom) -> StoredRoom {
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
    stored
}

impl EventLog for FaultyLog {
    fn submit(&self, op: LogOp) -> BoxFuture<'_, LogResult> {
        match (self.fault, op) {
            (LogFault::BroadcastBeforeCommit, op @ LogOp::Append { .. }) => {
                let log = Arc::clone(&self.log);
                let mut write = async move { log.submit(op).await }.boxed();
                match (&mut write).now_or_never() {
                    Some(result) => ready(result).boxed(),
                    None => {
                        tokio::spawn(write);
                        ready(Ok(LogReply::Done)).boxed()
                    }
                }
            }
            (
                LogFault::PersistFirstEventOnly,
                LogOp::Append {
                    room,
                    mut events,
                    finished,
                },
            ) => {
                events.truncate(1);
                self.log.submit(LogOp::Append {
                    room,
                    events,
                    finished,
                })
            }
            (LogFault::ShowUncommitted, op @ LogOp::Append { .. }) => self
                .log
                .submit(op)
                .map(|(Ok(_) | Err(_))| Ok(LogReply::Done))
                .boxed(),
            (LogFault::NeverCheckpoint, LogOp::Checkpoint { .. }) => {
                ready(Ok(LogReply::Done)).boxed()
            }
            (LogFault::ChargeOutageOnReplay, op) => {
                let read = self.log.submit(op);
                read.map(|reply| reply.map(charge_outage)).boxed()
            }
            (_, op) => self.log.submit(op),
        }
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
