//! Event log of one server; each call is a job for the disk.

use std::sync::Arc;

use futures::FutureExt;
use futures::future::{BoxFuture, pending};
use noughts_server::testing::{EventLog, LogOp, LogReply, LogResult};

use super::SimDisk;
use crate::plan::{DiskConditions, LogMutation};

/// Event log of one server.
#[derive(Debug)]
pub(crate) struct DiskLog(pub(crate) Arc<SimDisk>);

impl EventLog for DiskLog {
    fn submit(&self, op: LogOp) -> BoxFuture<'_, LogResult> {
        if matches!(op, LogOp::Recover) {
            return async { Ok(LogReply::Rooms(self.0.open_rooms())) }.boxed();
        }
        let acknowledges_at_once = matches!(op, LogOp::Append { .. })
            && self.0.store.mutation == Some(LogMutation::AckUnsynced);
        let submitted = self.0.submit(op);
        if acknowledges_at_once {
            return async { Ok(LogReply::Done) }.boxed();
        }
        submitted
    }

    fn is_healthy(&self) -> bool {
        self.0.state().conditions != DiskConditions::Refusing
    }

    fn failed(&self) -> BoxFuture<'_, ()> {
        pending().boxed()
    }
}
