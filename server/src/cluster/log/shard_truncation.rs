//! Deletes the messages of a shard that no room needs. The shard keeps appending meanwhile, so a slow deletion delays
//! no move.

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

/// Minimum interval between the starts of two attempts.
const MIN_INTERVAL: Duration = Duration::from_secs(1);

pub(crate) struct ShardTruncation {
    shard: Shard,
    log: Arc<dyn ShardLog>,
    started_at: Instant,
    /// The messages before this position are deleted.
    deleted_before: LogPosition,
    /// The running attempt, which deletes the messages before this position.
    running: Option<(LogPosition, BoxFuture<'static, Result<(), ShardLogError>>)>,
}

impl fmt::Debug for ShardTruncation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ShardTruncation")
            .field("deleted_before", &self.deleted_before)
            .finish_non_exhaustive()
    }
}

impl ShardTruncation {
    /// Creates a truncation for a shard that has no messages before `deleted_before`.
    pub(crate) fn new(
        shard: Shard,
        log: Arc<dyn ShardLog>,
        deleted_before: LogPosition,
    ) -> ShardTruncation {
        ShardTruncation {
            shard,
            log,
            started_at: Instant::now(),
            deleted_before,
            running: None,
        }
    }

    /// Begins to delete the messages before `floor`, unless an attempt is running. No room may need these messages.
    pub(crate) fn start(&mut self, floor: LogPosition) {
        if self.running.is_some() || floor <= self.deleted_before {
            return;
        }
        self.started_at = Instant::now();
        let (log, shard) = (Arc::clone(&self.log), self.shard);
        let attempt = async move { log.truncate_before(shard, floor).await };
        self.running = Some((floor, attempt.boxed()));
        // The first poll sends the request.
        self.poll_ended();
    }

    /// Like [`Self::start`], if the last attempt started at least [`MIN_INTERVAL`] ago.
    pub(crate) fn start_if_due(&mut self, floor: LogPosition) {
        self.poll_ended();
        if self.started_at.elapsed() >= MIN_INTERVAL {
            self.start(floor);
        }
    }

    /// Waits until the running attempt has ended. Never completes if no attempt is running. Cancel safe.
    pub(crate) async fn next(&mut self) {
        let Some((floor, running)) = &mut self.running else {
            return pending().await;
        };
        match running.await {
            Ok(()) => self.deleted_before = *floor,
            Err(error) => {
                debug!(shard = %self.shard, %error, "cannot truncate shard log; will retry");
            }
        }
        self.running = None;
    }

    /// Handles an attempt that has ended, without waiting.
    fn poll_ended(&mut self) {
        // If the attempt has not ended, the next call of `next` waits for it.
        let (Some(()) | None) = self.next().now_or_never();
    }
}
