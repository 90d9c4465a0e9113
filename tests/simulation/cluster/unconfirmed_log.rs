//! An event log that never confirms, so that a replaced node shows an old state: a control of the checks.

use std::sync::Arc;

use futures::future::BoxFuture;
use noughts_server::testing::{EventLog, LogOp, LogResult};

#[derive(Debug)]
pub(crate) struct UnconfirmedLog(pub(crate) Arc<dyn EventLog>);

impl EventLog for UnconfirmedLog {
    fn submit(&self, op: LogOp) -> BoxFuture<'_, LogResult> {
        self.0.submit(op)
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
