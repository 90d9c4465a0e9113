//! The parts of a server that is a node of a cluster: rooms, lobby, and relays to other nodes.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use futures::future::BoxFuture;
use futures::stream::FuturesUnordered;
use futures::{FutureExt, StreamExt};
use tokio::sync::mpsc::Receiver;
use tokio_util::sync::CancellationToken;

use crate::cluster::cluster_log::ClusterLog;
use crate::cluster::lobby::node_lobby::NodeLobby;
use crate::cluster::lobby::node_messages::{ConnectedBus, NodeMessages, node_messages};
use crate::cluster::lobby::seek_router::SeekRouter;
use crate::cluster::node_rooms::NodeRooms;
use crate::cluster::nodes::own_node_task::{ReleaseGuard, ShardEvent};
use crate::cluster::relay::node_relays::{NodeRelays, RelayConnections};
use crate::cluster::relay::transport::RelayAccess;
use crate::cluster::shard::{NodeId, Shard};
use crate::lobby::handle::{LobbyInbox, LobbyPlacement, lobby_channel};
use crate::room::registry::RoomPlacement;
use crate::runtime::context::ServerContext;

/// Maximum number of changes, over all shards, that wait until the rooms of their shard have ended.
const MAX_WAITING_CHANGES: usize = 4096;

/// Parts of a server that is a node of a cluster.
#[derive(Debug)]
pub(crate) struct ClusterNode {
    rooms: Arc<NodeRooms>,
    lobby: Arc<NodeLobby>,
    relays: Arc<NodeRelays>,
    events: Receiver<ShardEvent>,
    /// `None` after the node has begun to serve other nodes.
    connections: Option<(RelayConnections, NodeMessages)>,
}

impl Drop for ClusterNode {
    fn drop(&mut self) {
        // Breaks the reference cycle of the server and its rooms.
        self.rooms.set_context(None);
    }
}

impl ClusterNode {
    /// Creates the parts of the node with this id.
    pub(crate) fn new(
        id: NodeId,
        log: &ClusterLog,
        events: Receiver<ShardEvent>,
        bus: ConnectedBus,
        access: RelayAccess,
    ) -> ClusterNode {
        let table = Arc::clone(log.table());
        let (relays, connections) =
            NodeRelays::new(id, Arc::clone(&table), access, log.metrics().clone());
        let relays = Arc::new(relays);
        let rooms = Arc::new(NodeRooms::new(Arc::clone(&table), Arc::clone(&relays)));
        let (sender, messages) = node_messages(id, bus);
        let lobby = NodeLobby::new(id, table, Arc::clone(&rooms), Arc::clone(&relays), sender);
        ClusterNode {
            rooms,
            lobby: Arc::new(lobby),
            relays,
            events,
            connections: Some((connections, messages)),
        }
    }

    /// Assigns the rooms of a server to the node, and opens the rooms of the shards that the node has claimed so far.
    /// Returns the number of open rooms.
    pub(crate) async fn start(&mut self, ctx: &ServerContext) -> usize {
        self.rooms.set_context(Some(ctx.clone()));
        ctx.set_placement(Arc::clone(&self.rooms) as Arc<dyn RoomPlacement>);
        while let Ok(event) = self.events.try_recv() {
            match event {
                ShardEvent::Claimed(claimed) => self.rooms.open(ctx, claimed),
                ShardEvent::Releasing(shard, _) | ShardEvent::Lost(shard) => {
                    self.rooms.end(ctx, shard).await;
                }
            }
        }
        ctx.shared.registry.len()
    }

    /// Routes the seeks that arrive in `inbox` to the lobby of the cluster. Returns the inbox of this node's lobby.
    pub(crate) fn join_lobby(&mut self, ctx: &ServerContext, inbox: LobbyInbox) -> LobbyInbox {
        let (own_lobby, own_inbox) = lobby_channel(ctx.limits.lobby_inbox);
        self.relays.set_lobby(own_lobby.clone());
        ctx.set_lobby_placement(Arc::clone(&self.lobby) as Arc<dyn LobbyPlacement>);
        let router = SeekRouter::new(ctx.clone(), Arc::clone(&self.lobby), own_lobby);
        ctx.actors.spawn(router.run(inbox));
        ctx.actors
            .spawn(Arc::clone(&self.lobby).report(ctx.clone()));
        own_inbox
    }

    /// Serves the clients of other nodes, and opens and ends rooms as the node claims and loses their shards. Ends when
    /// the server stops and the rooms have ended.
    pub(crate) async fn run(mut self, ctx: ServerContext) {
        let rooms_ended = CancellationToken::new();
        if let Some((connections, messages)) = self.connections.take() {
            let relays = Arc::clone(&self.relays);
            ctx.actors
                .spawn(relays.run(connections, ctx.clone(), rooms_ended.clone()));
            let lobby = Arc::clone(&self.lobby);
            ctx.actors
                .spawn(lobby.exchange(messages, ctx.clone(), rooms_ended.clone()));
        }
        ctx.stopping
            .clone()
            .run_until_cancelled(self.follow_shards(&ctx))
            .await;
        self.rooms.wait_for_end(&ctx).await;
        rooms_ended.cancel();
    }

    /// Handles the changes of shards. The changes of one shard are handled in order, and do not wait for the rooms of
    /// other shards.
    async fn follow_shards(&mut self, ctx: &ServerContext) {
        let mut changes = ShardChanges {
            rooms: &self.rooms,
            ctx,
            ending: FuturesUnordered::new(),
            waiting: HashMap::new(),
        };
        loop {
            tokio::select! {
                biased;
                Some(shard) = changes.ending.next() => changes.on_end(shard),
                event = self.events.recv(), if changes.waiting_count() < MAX_WAITING_CHANGES => match event {
                    Some(event) => changes.on_event(event),
                    None => return,
                },
            }
        }
    }
}

/// Changes of shards in progress.
struct ShardChanges<'a> {
    rooms: &'a NodeRooms,
    ctx: &'a ServerContext,
    /// Futures that wait until the rooms of a shard have ended.
    ending: FuturesUnordered<BoxFuture<'a, Shard>>,
    /// Later events of the shards that are ending their rooms.
    waiting: HashMap<Shard, VecDeque<ShardEvent>>,
}

impl ShardChanges<'_> {
    fn waiting_count(&self) -> usize {
        self.waiting.values().map(VecDeque::len).sum()
    }

    fn on_event(&mut self, event: ShardEvent) {
        if let Some(waiting) = self.waiting.get_mut(&event.shard()) {
            return waiting.push_back(event);
        }
        match event {
            ShardEvent::Claimed(claimed) => self.rooms.open(self.ctx, claimed),
            ShardEvent::Lost(shard) => self.end(shard, None),
            ShardEvent::Releasing(shard, guard) => self.end(shard, Some(guard)),
        }
    }

    /// Makes the rooms of a shard end. The guard is dropped afterwards.
    fn end(&mut self, shard: Shard, guard: Option<ReleaseGuard>) {
        self.rooms.request_end(shard);
        // If the lobby is in this shard, its seeks have to move.
        self.ctx.lobby.notify();
        self.waiting.insert(shard, VecDeque::new());
        let (rooms, ctx) = (self.rooms, self.ctx);
        let end = async move {
            rooms.end(ctx, shard).await;
            drop(guard);
            shard
        };
        self.ending.push(end.boxed());
    }

    fn on_end(&mut self, shard: Shard) {
        for event in self.waiting.remove(&shard).unwrap_or_default() {
            self.on_event(event);
        }
    }
}
