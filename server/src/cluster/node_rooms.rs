//! The rooms of this node: opened again when the node claims their shard, and ended when it gives the shard up.

mod restoration_retry;
#[cfg(test)]
mod tests;

use std::sync::{Arc, Mutex, MutexGuard};

use futures::future::join_all;
use noughts_protocol::wire::RejectCode;
use noughts_protocol::{RoomCode, RoomId, RoomRef};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tracing::{debug, warn};

use crate::cluster::nodes::own_node_task::ClaimedShard;
use crate::cluster::nodes::shard_owners::ShardLocation;
use crate::cluster::nodes::shard_table::ShardTable;
use crate::cluster::relay::node_relays::NodeRelays;
use crate::cluster::shard::{Epoch, Shard, ShardSet};
use crate::limits::client_prefix::ClientPrefix;
use crate::lobby::restoration::restore_rooms;
use crate::room::handle::RoomHandle;
use crate::room::registry::{RoomHold, RoomPlacement};
use crate::runtime::context::ServerContext;
use crate::runtime::rng::ServerRng;
use crate::runtime::sync::lock;
use restoration_retry::{RestorationRetry, mark_unavailable};

/// Maximum number of attempts to draw the id or the code of a room. A node that has only one of 1 024 shards needs a
/// thousand attempts on average.
const MAX_DRAWS: usize = 20_000;

/// The rooms of a shard on this node.
#[derive(Debug)]
struct ShardRooms {
    epoch: Epoch,
    /// Cancelled to end the rooms.
    stop: CancellationToken,
    running: TaskTracker,
    /// Every room of the shard is registered or known to be unavailable.
    are_registered: bool,
}

impl ShardRooms {
    /// Returns whether the lack of a registration proves that a room does not exist. Returns `false` while the server
    /// stops, because it then ends rooms that still exist.
    fn is_serving(&self) -> bool {
        self.are_registered && !self.stop.is_cancelled()
    }
}

/// The rooms of the shards that this node owns.
#[derive(Debug)]
pub(crate) struct NodeRooms {
    table: Arc<ShardTable>,
    relays: Arc<NodeRelays>,
    /// Set while the server runs. The context contains these rooms, so the two form a reference cycle.
    ctx: Mutex<Option<ServerContext>>,
    /// By shard.
    shards: Mutex<Vec<Option<ShardRooms>>>,
}

impl NodeRooms {
    /// Returns the rooms of a node that serves no shard yet.
    pub(super) fn new(table: Arc<ShardTable>, relays: Arc<NodeRelays>) -> NodeRooms {
        let shards = (0..table.map().count()).map(|_| None).collect();
        NodeRooms {
            table,
            relays,
            ctx: Mutex::default(),
            shards: Mutex::new(shards),
        }
    }

    /// Sets or removes the context of the server that runs the rooms.
    pub(super) fn set_context(&self, ctx: Option<ServerContext>) {
        *lock(&self.ctx) = ctx;
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Option<ShardRooms>>> {
        lock(&self.shards)
    }

    /// Opens the rooms of a shard. A room that cannot be restored is unavailable.
    pub(super) fn open(&self, ctx: &ServerContext, claimed: ClaimedShard) {
        let ClaimedShard {
            shard,
            epoch,
            rooms,
        } = claimed;
        let (stop, running, count) = (ctx.stopping.child_token(), TaskTracker::new(), rooms.len());
        let shard_rooms = ShardRooms {
            epoch,
            stop: stop.clone(),
            running: running.clone(),
            are_registered: false,
        };
        self.lock()[shard.index()] = Some(shard_rooms);
        let failed = restore_rooms(ctx, rooms);
        let failed_count = failed.len();
        let waiting = mark_unavailable(ctx, shard, failed);
        if let Some(rooms) = &mut self.lock()[shard.index()] {
            rooms.are_registered = true;
        }
        if !waiting.is_empty() {
            let table = Arc::clone(&self.table);
            let retry = RestorationRetry::new(ctx.clone(), table, shard, waiting, stop);
            ctx.actors.spawn(running.track_future(retry.run()));
        }
        debug!(%shard, rooms = count - failed_count, "rooms of the shard opened");
    }

    /// Accepts no further requests for the rooms of a shard, and makes them end.
    pub(super) fn request_end(&self, shard: Shard) {
        if let Some(rooms) = &self.lock()[shard.index()] {
            rooms.stop.cancel();
        }
    }

    /// Waits for a bounded time until the rooms of a shard have ended. Their members connect again.
    pub(super) async fn end(&self, ctx: &ServerContext, shard: Shard) {
        self.request_end(shard);
        let running = self.lock()[shard.index()]
            .as_ref()
            .map(|rooms| rooms.running.clone());
        let Some(running) = running else { return };
        running.close();
        if timeout(ctx.limits.drain_timeout, running.wait())
            .await
            .is_err()
        {
            warn!(%shard, remaining = running.len(), "rooms of the shard did not end in time");
        }
        let map = self.table.map();
        ctx.shared
            .registry
            .remove_unavailable(|room| map.of_room(room) == shard);
        self.lock()[shard.index()] = None;
    }

    /// Waits until the rooms of a stopping server have ended, for a bounded time.
    pub(super) async fn wait_for_end(&self, ctx: &ServerContext) {
        let running: Vec<TaskTracker> = self
            .lock()
            .iter()
            .flatten()
            .map(|rooms| rooms.running.clone())
            .collect();
        let ended = join_all(running.iter().map(|running| {
            running.close();
            running.wait()
        }));
        if timeout(ctx.limits.drain_timeout, ended).await.is_err() {
            warn!("rooms did not end in time");
        }
    }

    fn shard_of(&self, room: RoomRef) -> Shard {
        match room {
            RoomRef::Id(id) => self.table.map().of_room(id),
            RoomRef::Code(code) => self.table.shard_of_code(code),
        }
    }

    /// Returns the shards that have their rooms open on this node.
    pub(crate) fn serving_shards(&self) -> ShardSet {
        let shards = self.lock();
        let is_serving = |shard: &Shard| {
            shards[shard.index()]
                .as_ref()
                .is_some_and(ShardRooms::is_serving)
        };
        self.table.map().shards().filter(is_serving).collect()
    }

    /// Returns whether the rooms of a shard are open on this node.
    pub(crate) fn is_serving(&self, shard: Shard) -> bool {
        self.lock()[shard.index()]
            .as_ref()
            .is_some_and(ShardRooms::is_serving)
    }
}

impl RoomPlacement for NodeRooms {
    fn draw_room(
        &self,
        rng: &ServerRng,
        is_private: bool,
    ) -> Result<(RoomId, Option<RoomCode>), RejectCode> {
        let map = self.table.map();
        let serving = self.serving_shards();
        let mut ids = (0..MAX_DRAWS).map(|_| rng.new_room_id());
        let id = ids
            .find(|id| serving.contains(map.of_room(*id)))
            .ok_or(RejectCode::Unavailable)?;
        if !is_private {
            return Ok((id, None));
        }
        // The code must belong to the same shard as the id, so that every node can find the room by its code.
        let mut codes = (0..MAX_DRAWS).map(|_| rng.new_room_code());
        let code = codes.find(|code| map.of_code(*code) == map.of_room(id));
        code.map(|code| (id, Some(code)))
            .ok_or(RejectCode::Unavailable)
    }

    fn hold(&self, room: RoomId) -> Option<RoomHold> {
        let shards = self.lock();
        let rooms = shards[self.table.map().of_room(room).index()].as_ref()?;
        let running = rooms.running.token();
        (!rooms.stop.is_cancelled()).then(|| RoomHold::new(rooms.stop.clone(), running))
    }

    fn claim(&self, room: RoomRef) -> Option<u64> {
        let shard = self.shard_of(room);
        let shards = self.lock();
        let rooms = shards[shard.index()].as_ref();
        let epoch = rooms.filter(|rooms| rooms.is_serving())?.epoch;
        // The log may already have lost the shard, or have claimed it again, while the rooms still belong to the
        // earlier claim.
        let own = self.table.own(shard)?;
        (own.epoch == epoch).then_some(epoch.0)
    }

    fn find_elsewhere(
        &self,
        room: RoomRef,
        client: ClientPrefix,
    ) -> Result<Option<RoomHandle>, RejectCode> {
        let shard = self.shard_of(room);
        if self.is_serving(shard) {
            return Ok(None);
        }
        match self.table.location(shard) {
            ShardLocation::Own | ShardLocation::Unowned => Err(RejectCode::Unavailable),
            ShardLocation::Remote(node) => {
                let ctx = lock(&self.ctx).clone().ok_or(RejectCode::Unavailable)?;
                Ok(Some(self.relays.open_room(&ctx, node, room, client)))
            }
        }
    }
}
