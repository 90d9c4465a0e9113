//! Deletion of the messages of one shard that no room needs, beside its appends: a NATS server that fails while it deletes
//! delays no move.

use std::fmt;
use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use tokio::time::Instant;
use tracing::debug;

use crate::cluster::log::shard_log::{ShardLog, ShardLogError};
use crate::cluster::shard::{LogPosition, Shard};

/// Minimum time between the begins of two attempts while the shard is busy.
const MIN_INTERVAL: Duration = Duration::from_secs(1);

pub(crate) struct ShardTruncation {
    shard: Shard,
    log: Arc<dyn ShardLog>,
    started_at: Instant,
    /// The messages before it are deleted.
    done_before: LogPosition,
    /// An attempt, and the position before which it deletes.
    running: Option<(LogPosition, BoxFuture<'static, Result<(), ShardLogError>>)>,
}

impl fmt::Debug for ShardTruncation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ShardTruncation").field("done_before", &self.done_before).finish_non_exhaustive()
    }
}

impl ShardTruncation {
    /// The messages before `done_before` are deleted already.
    pub(crate) fn new(shard: Shard, log: Arc<dyn ShardLog>, done_before: LogPosition) -> ShardTruncation {
        ShardTruncation { shard, log, started_at: Instant::now(), done_before, running: None }
    }

    /// Begins to delete the messages before `floor`, none of which a room needs, unless an attempt is running.
    pub(crate) fn start(&mut self, floor: LogPosition) {
        if self.running.is_some() || floor <= self.done_before {
            return;
        }
        self.started_at = Instant::now();
        let (log, shard) = (Arc::clone(&self.log), self.shard);
        let attempt = async move { log.truncate_before(shard, floor).await };
        self.running = Some((floor, attempt.boxed()));
        // Sends the request.
        self.poll_ended();
    }

    /// As [`Self::start`], unless the last attempt began a moment ago.
    pub(crate) fn start_sometimes(&mut self, floor: LogPosition) {
        self.poll_ended();
        if self.started_at.elapsed() >= MIN_INTERVAL {
            self.start(floor);
        }
    }

    /// Waits until an attempt has ended; for ever if none has begun. Cancel safe.
    pub(crate) async fn next(&mut self) {
        let Some((floor, running)) = &mut self.running else { return pending().await };
        match running.await {
            Ok(()) => self.done_before = *floor,
            Err(error) => debug!(shard = %self.shard, %error, "cannot truncate shard log; will retry"),
        }
        self.running = None;
    }

    /// Handles an attempt that has ended, without waiting.
    fn poll_ended(&mut self) {
        // Without a result, the next call waits for it.
        let (Some(()) | None) = self.next().now_or_never();
    }
}
