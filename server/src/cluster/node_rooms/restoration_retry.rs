//! Further attempts to restore rooms with an id or a code that was in use. This happens if the earlier task of a room
//! has not ended, or if another room has the same code.

use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use noughts_protocol::RoomId;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;
use tracing::{debug, error, info};

use crate::cluster::nodes::shard_table::ShardTable;
use crate::cluster::shard::Shard;
use crate::lobby::restoration::{ReopenError, restore_rooms};
use crate::runtime::context::ServerContext;
use crate::store::{LogOp, LogReply, RoomSecrets};

/// Delay before the first attempt. It is doubled after each attempt.
const FIRST_DELAY: Duration = Duration::from_millis(250);

const MAX_DELAY: Duration = Duration::from_secs(15);

#[derive(Debug)]
pub(super) struct RestorationRetry {
    ctx: ServerContext,
    table: Arc<ShardTable>,
    shard: Shard,
    /// The rooms that wait to be restored. They are unavailable meanwhile.
    waiting: Vec<RoomSecrets>,
    /// Cancelled when the rooms of the shard have to end.
    stop: CancellationToken,
}

impl RestorationRetry {
    pub(super) fn new(
        ctx: ServerContext,
        table: Arc<ShardTable>,
        shard: Shard,
        waiting: Vec<RoomSecrets>,
        stop: CancellationToken,
    ) -> RestorationRetry {
        RestorationRetry {
            ctx,
            table,
            shard,
            waiting,
            stop,
        }
    }

    /// Runs until no room waits any more, or the rooms of the shard have to end.
    pub(super) async fn run(mut self) {
        let stop = self.stop.clone();
        let attempts = async {
            let mut delay = FIRST_DELAY;
            while !self.waiting.is_empty() {
                sleep(delay).await;
                delay = (delay * 2).min(MAX_DELAY);
                self.try_restore().await;
            }
        };
        stop.run_until_cancelled(attempts).await;
    }

    /// Restores the rooms with a free id and a free code.
    async fn try_restore(&mut self) {
        let registry = &self.ctx.shared.registry;
        let (free, waiting): (Vec<_>, Vec<_>) = self
            .waiting
            .iter()
            .copied()
            .partition(|secrets| registry.can_restore(secrets));
        let Some(own) = self.table.own(self.shard).filter(|_| !free.is_empty()) else {
            return;
        };
        // The room is read again, because its earlier task may have changed it. All rooms of the shard are read,
        // because the log cannot read the secrets of a single room.
        let recovered = timeout(
            self.ctx.limits.append_timeout,
            own.queue.submit(LogOp::Recover).map(LogReply::rooms),
        )
        .await;
        let mut stored = match recovered {
            Ok(Ok(stored)) => stored,
            Ok(Err(error)) => return debug!(shard = %self.shard, %error, "cannot read rooms"),
            Err(_) => return debug!(shard = %self.shard, "rooms could not be read in time"),
        };
        stored.retain(|(secrets, _)| free.iter().any(|room| room.room == secrets.room));
        let is_stored = |room| stored.iter().any(|(secrets, _)| secrets.room == room);
        let closed: Vec<RoomId> = free
            .iter()
            .map(|room| room.room)
            .filter(|room| !is_stored(*room))
            .collect();
        let count = stored.len();
        let failed = restore_rooms(&self.ctx, stored);
        info!(shard = %self.shard, rooms = count - failed.len(), "unavailable rooms restored");
        registry.remove_unavailable(|room| closed.contains(&room));
        self.waiting = waiting;
        self.waiting
            .extend(mark_unavailable(&self.ctx, self.shard, failed));
    }
}

/// Registers the rooms that cannot be restored as unavailable, so that the node can serve the other rooms of the shard.
/// Returns the rooms that a later attempt may restore.
pub(super) fn mark_unavailable(
    ctx: &ServerContext,
    shard: Shard,
    failed: Vec<(RoomSecrets, ReopenError)>,
) -> Vec<RoomSecrets> {
    let skipped = failed.into_iter().filter_map(|(secrets, error)| {
        error!(%shard, room = %secrets.room, %error, "room cannot be restored");
        ctx.shared.registry.add_unavailable(&secrets);
        error.is_transient().then_some(secrets)
    });
    skipped.collect()
}
