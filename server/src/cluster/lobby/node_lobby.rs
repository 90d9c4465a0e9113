//! The lobby as a node sees it: its location, the lists of the other nodes, and the seats of parties.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use noughts_protocol::RoomId;
use noughts_protocol::wire::{LobbyView, Message};
use tokio::time::{Instant, MissedTickBehavior, interval};
use tokio_util::sync::CancellationToken;
use tracing::debug;

use super::lobby_views::{LobbyViews, REPORT_INTERVAL};
use super::node_messages::{NodeMessage, NodeMessageSender, NodeMessages};
use super::party_queries::{PartyQueries, PartyReport};
use crate::cluster::node_rooms::NodeRooms;
use crate::cluster::nodes::shard_owners::ShardLocation;
use crate::cluster::nodes::shard_table::ShardTable;
use crate::cluster::relay::node_relays::NodeRelays;
use crate::cluster::shard::{NodeId, Shard};
use crate::lobby::feed::read_own_view;
use crate::lobby::handle::LobbyPlacement;
use crate::room::handle::SeatHolder;
use crate::room::registry::KnownSeats;
use crate::room::task::RoomContext;
use crate::runtime::context::ServerContext;
use crate::runtime::sync::lock;

/// The owner of this shard has the lobby. All versions must agree on it while they serve one cluster.
const LOBBY_SHARD: Shard = Shard(0);

/// Exclusive upper bound of the offset where a node's seek numbers start.
const SEEK_OFFSET_END: u64 = 1 << 50;

/// A shard that has had no owner for this time is out of service. Nodes usually claim a shard in less time.
const OUT_OF_SERVICE_AFTER: Duration = Duration::from_secs(10);

/// At least one of this many successive reports is complete, even if nothing has changed, because a report may be lost.
const REPORTS_PER_WHOLE_ONE: u32 = 3;

/// The part of a node in the lobby.
#[derive(Debug)]
pub(crate) struct NodeLobby {
    node: NodeId,
    table: Arc<ShardTable>,
    rooms: Arc<NodeRooms>,
    relays: Arc<NodeRelays>,
    messages: NodeMessageSender,
    queries: PartyQueries,
    /// Lobbies of the other nodes.
    views: Mutex<LobbyViews>,
}

impl NodeLobby {
    pub(crate) fn new(
        node: NodeId,
        table: Arc<ShardTable>,
        rooms: Arc<NodeRooms>,
        relays: Arc<NodeRelays>,
        messages: NodeMessageSender,
    ) -> NodeLobby {
        NodeLobby {
            node,
            table,
            rooms,
            relays,
            messages,
            queries: PartyQueries::default(),
            views: Mutex::default(),
        }
    }

    pub(super) fn relays(&self) -> &Arc<NodeRelays> {
        &self.relays
    }

    pub(super) fn node(&self) -> NodeId {
        self.node
    }

    /// Finds the lobby.
    pub(super) fn locate(&self) -> ShardLocation {
        if self.rooms.is_serving(LOBBY_SHARD) {
            return ShardLocation::Own;
        }
        match self.table.location(LOBBY_SHARD) {
            ShardLocation::Remote(node) => ShardLocation::Remote(node),
            ShardLocation::Own | ShardLocation::Unowned => ShardLocation::Unowned,
        }
    }

    /// Queries all nodes, including this one, for the seats of a client. The wait is bounded.
    pub(super) async fn query_client(&self, ctx: &RoomContext, client: SeatHolder) -> PartyReport {
        let nodes = self.table.other_nodes();
        let send = |node, number| {
            self.messages
                .send(node, NodeMessage::PartyQuery(number, client));
        };
        let others = self.queries.query(&nodes, send).await;
        // This node is searched after the wait, so that a seat that was taken during the wait is found.
        others.and(search_rooms(&self.rooms, ctx, client))
    }

    /// Returns whether the report covers all shards, except those that are out of service.
    pub(super) fn is_complete(&self, report: &PartyReport) -> bool {
        let now = Instant::now();
        let is_out_of_service = |shard| {
            let (location, since) = self.table.location_since(shard);
            location == ShardLocation::Unowned && now - since >= OUT_OF_SERVICE_AFTER
        };
        self.table
            .map()
            .shards()
            .all(|shard| report.searched.contains(shard) || is_out_of_service(shard))
    }

    /// Returns whether the report covers the shard of a room.
    pub(super) fn is_searched(&self, room: RoomId, report: &PartyReport) -> bool {
        report.searched.contains(self.table.map().of_room(room))
    }

    /// Reports the lobby of this node to all other nodes until the server drains. Then reports that the lobby is empty.
    pub(crate) async fn report(self: Arc<Self>, ctx: ServerContext) {
        let mut ticks = interval(REPORT_INTERVAL);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut sent = LobbyView::default();
        let mut sent_to = Vec::new();
        let mut whole_in = 0;
        loop {
            let draining = ctx.shared.draining.run_until_cancelled(ticks.tick()).await;
            let is_last = draining.is_none();
            let nodes = self.table.other_nodes();
            let view = if is_last {
                LobbyView::default()
            } else if nodes.is_empty() {
                continue;
            } else {
                read_own_view(&ctx, &sent.seeks).await
            };
            let is_whole = whole_in == 0 || view != sent || nodes != sent_to;
            let report = if is_whole {
                whole_in = REPORTS_PER_WHOLE_ONE;
                Message::Lobby {
                    re: None,
                    at: ctx.shared.time.now(),
                    view: view.clone(),
                }
                .to_json()
            } else {
                String::new()
            };
            whole_in -= 1;
            for node in &nodes {
                self.messages
                    .send(*node, NodeMessage::Lobby(report.clone()));
            }
            if is_last {
                return;
            }
            (sent, sent_to) = (view, nodes);
        }
    }

    fn on_report(&self, peer: NodeId, report: &str) {
        let mut views = lock(&self.views);
        match report {
            "" => views.on_unchanged(peer, Instant::now()),
            report => match Message::parse(report) {
                Ok(Message::Lobby { view, .. }) => views.on_report(peer, view, Instant::now()),
                Ok(_) | Err(_) => debug!(node = %peer, "lobby report of another format ignored"),
            },
        }
    }

    /// Sends and receives messages of nodes until `stop` is cancelled.
    pub(crate) async fn exchange(
        self: Arc<Self>,
        messages: NodeMessages,
        ctx: ServerContext,
        stop: CancellationToken,
    ) {
        let on_message = |from, message| self.on_message(from, message, &ctx);
        messages.run(on_message, stop).await;
    }

    /// Handles a message from another node without waiting.
    fn on_message(&self, peer: NodeId, message: NodeMessage, ctx: &ServerContext) {
        match message {
            NodeMessage::Lobby(report) => self.on_report(peer, &report),
            NodeMessage::PartyQuery(number, client) => {
                let report = search_rooms(&self.rooms, &ctx.shared, client);
                self.messages
                    .send(peer, NodeMessage::PartyReport(number, report));
            }
            NodeMessage::PartyReport(number, report) => {
                self.queries.on_report(peer, number, report);
            }
        }
    }
}

/// Looks for the seats of a client in the rooms of this node.
fn search_rooms(rooms: &NodeRooms, ctx: &RoomContext, client: SeatHolder) -> PartyReport {
    // A shard that is opened or closed during the search does not count.
    let serving = rooms.serving_shards();
    let seat = client
        .party
        .and_then(|party| ctx.registry.party_seat(party));
    let own_rooms = ctx.registry.known_seats(client).own_rooms;
    let searched = serving.intersection(&rooms.serving_shards());
    PartyReport {
        searched,
        seat,
        own_rooms,
    }
}

impl LobbyPlacement for NodeLobby {
    fn is_here(&self) -> bool {
        self.rooms.is_serving(LOBBY_SHARD)
    }

    fn opens_rooms_of(&self, node: [u8; 16]) -> bool {
        let node = NodeId(node);
        node == self.node || !self.table.has_shard(node)
    }

    fn seek_number_offset(&self) -> u64 {
        u128::from_be_bytes(self.node.0) as u64 % SEEK_OFFSET_END
    }

    fn with_others(&self, own: LobbyView) -> LobbyView {
        let nodes = self.table.other_nodes();
        let is_serving = |node| nodes.contains(&node);
        lock(&self.views).merge(own, is_serving, Instant::now())
    }

    fn find_seats<'a>(
        &'a self,
        ctx: &'a RoomContext,
        client: SeatHolder,
    ) -> BoxFuture<'a, KnownSeats> {
        async move {
            let report = self.query_client(ctx, client).await;
            KnownSeats {
                grant: report.seat.map(|seat| seat.grant),
                own_rooms: report.own_rooms,
            }
        }
        .boxed()
    }
}
