//! The relays of this node: opens relays for its clients, and serves relays from other nodes.

use std::fmt;
use std::sync::atomic::AtomicI64;
use std::sync::{Arc, OnceLock};

use futures::StreamExt;
use futures::stream::BoxStream;
use noughts_protocol::wire::CloseCode;
use prometheus_client::metrics::gauge::Gauge;
use tokio_util::sync::CancellationToken;
use tracing::debug;

use super::relay_address::RelayAddress;
use super::relay_message::RelayEntry;
use super::relay_socket::{OpenError, RelaySocket};
use super::relay_warnings::limited_warn;
use super::remote_member::{EntryFailure, RemoteMember};
use super::transport::{RelayAccess, RelayConnector};
use crate::cluster::metered_log::ClusterMetrics;
use crate::cluster::nodes::shard_table::ShardTable;
use crate::cluster::shard::NodeId;
use crate::limits::slots::Quota;
use crate::lobby::handle::LobbyHandle;
use crate::runtime::context::ServerContext;
use crate::send_queue::ByteStream;

/// Maximum number of relays in each direction.
const MAX_RELAYS: i64 = 100_000;

/// Counts one relay until it is dropped.
#[derive(Debug)]
pub(super) struct RelaySlot(Gauge<i64, AtomicI64>);

impl RelaySlot {
    fn take(gauge: &Gauge<i64, AtomicI64>) -> Option<RelaySlot> {
        let slot = RelaySlot(gauge.clone());
        (gauge.inc() < MAX_RELAYS).then_some(slot)
    }
}

impl Drop for RelaySlot {
    fn drop(&mut self) {
        self.0.dec();
    }
}

/// A relay to another node.
pub(super) struct OpenRelay {
    pub(super) socket: RelaySocket,
    /// Cancelled when the other node is not live any more.
    pub(super) gone: CancellationToken,
    pub(super) _slot: RelaySlot,
}

/// The relays of a node.
#[derive(Debug)]
pub(crate) struct NodeRelays {
    node: NodeId,
    own: RelayAddress,
    table: Arc<ShardTable>,
    connector: Box<dyn RelayConnector>,
    metrics: ClusterMetrics,
    /// Lobby of this node, for clients of other nodes.
    lobby: OnceLock<LobbyHandle>,
}

/// Incoming connections from other nodes, which [`NodeRelays::run`] serves.
pub(crate) struct RelayConnections(BoxStream<'static, Box<dyn ByteStream>>);

impl fmt::Debug for RelayConnections {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("RelayConnections").finish_non_exhaustive()
    }
}

impl NodeRelays {
    /// Creates the relays of a node that is connected to other nodes.
    pub(crate) fn new(
        node: NodeId,
        table: Arc<ShardTable>,
        access: RelayAccess,
        metrics: ClusterMetrics,
    ) -> (NodeRelays, RelayConnections) {
        let RelayAccess {
            address,
            connections,
            connector,
        } = access;
        let relays = NodeRelays {
            node,
            own: address,
            table,
            connector,
            metrics,
            lobby: OnceLock::new(),
        };
        (relays, RelayConnections(connections))
    }

    pub(super) fn node(&self) -> NodeId {
        self.node
    }

    pub(crate) fn set_lobby(&self, lobby: LobbyHandle) {
        if self.lobby.set(lobby).is_err() {
            debug!("lobby of the node was already set; ignored");
        }
    }

    /// Opens a relay to a node.
    ///
    /// # Errors
    /// If the node is not live, or does not accept the relay in time.
    pub(super) async fn open(&self, peer: NodeId) -> Result<OpenRelay, OpenError> {
        let slot = RelaySlot::take(&self.metrics.remote_clients).ok_or(OpenError::TooMany)?;
        let (address, gone) = self.table.other_node(peer).ok_or(OpenError::NotLive)?;
        Ok(OpenRelay {
            socket: RelaySocket::connect(&*self.connector, address).await?,
            gone,
            _slot: slot,
        })
    }

    /// Counts and logs a relay that could not be opened. Only failures to reach a live node count.
    pub(super) fn on_open_failed(&self, peer: NodeId, error: &OpenError) {
        match error {
            OpenError::Connect(..)
            | OpenError::WrongKey(_)
            | OpenError::Handshake(..)
            | OpenError::Timeout(_) => {
                self.metrics.relay_failures.inc();
            }
            OpenError::NotLive | OpenError::TooMany => {}
        }
        limited_warn!(node = %peer, %error, "relay to another node cannot be opened");
    }

    /// Counts and logs a relay that has ended although the client was in the room or lobby.
    pub(super) fn on_lost(&self, peer: NodeId) {
        self.metrics.lost_relays.inc();
        limited_warn!(node = %peer, "relay to another node lost");
    }

    /// Serves the clients of other nodes until `rooms_ended` is cancelled.
    pub(crate) async fn run(
        self: Arc<Self>,
        connections: RelayConnections,
        ctx: ServerContext,
        rooms_ended: CancellationToken,
    ) {
        let mut connections = connections.0;
        // The quota has no total limit, because MAX_RELAYS limits the total number.
        let quota = Quota::new(usize::MAX, ctx.limits.max_per_address);
        while let Some(Some(stream)) = rooms_ended.run_until_cancelled(connections.next()).await {
            match RelaySlot::take(&self.metrics.remote_members) {
                None => {
                    limited_warn!("relay refused: too many relays");
                }
                Some(slot) => {
                    let served = Arc::clone(&self).serve(
                        stream,
                        ctx.clone(),
                        Arc::clone(&quota),
                        rooms_ended.clone(),
                    );
                    ctx.actors.spawn(async move {
                        served.await;
                        drop(slot);
                    });
                }
            }
        }
    }

    /// Serves a client of another node.
    async fn serve(
        self: Arc<Self>,
        stream: Box<dyn ByteStream>,
        ctx: ServerContext,
        quota: Arc<Quota>,
        rooms_ended: CancellationToken,
    ) {
        // Boxed, because a relay is open for much longer than it takes to open.
        let accepted = Box::pin(RelaySocket::accept(stream, self.own.key)).await;
        let Some((socket, first)) = accepted else {
            return;
        };
        let Some(entry) = RelayEntry::parse(&first) else {
            limited_warn!("relay refused: request of another format");
            return;
        };
        let node = entry.node;
        let Some((_, gone)) = self.table.other_node(node) else {
            return debug!(%node, "relay refused: the node that opened it is not live");
        };
        drop(first);
        let _permit = match quota.try_acquire(entry.client) {
            Ok(permit) => permit,
            Err(error) => {
                ctx.count_refusal(entry.client, error);
                if entry.details.meeting.is_some() {
                    // This node does not open the room; the node that has the lobby will do so.
                    return Box::pin(EntryFailure::SeekMoved.send(socket, &ctx)).await;
                }
                return Box::pin(socket.close(CloseCode::TooManyConnections)).await;
            }
        };
        match Box::pin(RemoteMember::enter(entry, &ctx, self.lobby.get())).await {
            Ok(member) => member.run(socket, gone, rooms_ended).await,
            Err(failure) => Box::pin(failure.send(socket, &ctx)).await,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use noughts_protocol::wire::SessionRequest;
    use tokio::time::timeout;

    use super::*;
    use crate::cluster::model::{ModelFaults, ModelLog, ModelNetwork};
    use crate::cluster::relay::relay_message::{EntryDetails, RelayControl};
    use crate::cluster::relay::relay_socket::RelayEvent;
    use crate::cluster::shard::ShardMap;
    use crate::config::ServerLimits;
    use crate::lobby::handle::{SeekEnd, feed_channel, lobby_channel};
    use crate::runtime::clock::ServerClock;
    use crate::runtime::rng::ServerRng;
    use crate::store::MemoryLog;

    #[tokio::test(start_paused = true)]
    async fn an_address_has_as_many_relays_as_connections() {
        let model = Arc::new(ModelLog::new(1, ModelFaults::NONE));
        let network = Arc::new(ModelNetwork::new(model));
        let [near, far] = [1, 2].map(|id| network.connect(NodeId([id; 16]), Arc::default()));
        let table = Arc::new(ShardTable::new(ShardMap::new(1).unwrap()));
        table.set_other_nodes(&[(NodeId([2; 16]), far.relays.address)]);
        let limits = ServerLimits {
            max_per_address: 2,
            ..ServerLimits::default()
        };
        let ((lobby, _inbox), (feed, _)) = (lobby_channel(16), feed_channel(1));
        let ctx = ServerContext::new(
            Arc::new(limits),
            Arc::new(MemoryLog::default()),
            ServerRng::from_seed(1),
            ServerClock::from_unix_ms(1),
            lobby.clone(),
            feed,
        );
        let to = near.relays.address;
        let metrics = ClusterMetrics::default();
        let (relays, connections) = NodeRelays::new(NodeId([1; 16]), table, near.relays, metrics);
        relays.set_lobby(lobby);
        let relays = Arc::new(relays);
        tokio::spawn(relays.run(connections, ctx, CancellationToken::new()));

        let open = async |client: u8, meeting| {
            let (rules, clock, seat) = ("3x3:3".parse().unwrap(), None, None);
            let request = SessionRequest::Seek {
                rules,
                clock,
                seat,
                opponents: None,
            };
            let details = EntryDetails {
                meeting,
                ..EntryDetails::default()
            };
            let client = [192, 0, 2, client].into();
            let entry = RelayEntry::of_person(NodeId([2; 16]), client, request, details);
            let mut socket = RelaySocket::connect(&*far.relays.connector, to)
                .await
                .unwrap();
            assert!(socket.buffer_text(entry.to_json()).await && socket.flush().await);
            let event = timeout(Duration::from_secs(1), socket.next()).await.ok();
            (socket, event)
        };
        let (first, event) = open(1, None).await;
        assert!(event.is_none(), "{event:?}");
        let (_second, event) = open(1, None).await;
        assert!(event.is_none(), "{event:?}");
        let (_, event) = open(1, None).await;
        let Some(RelayEvent::Closed(CloseCode::TooManyConnections)) = event else {
            panic!("{event:?}")
        };
        let (_, event) = open(1, Some(5)).await;
        let Some(RelayEvent::Control(RelayControl::SeekEnded(SeekEnd::Moved))) = event else {
            panic!("{event:?}")
        };
        let (_other, event) = open(2, None).await;
        assert!(event.is_none(), "another address: {event:?}");
        drop(first);
        let (_, event) = open(1, None).await;
        assert!(event.is_none(), "one relay has ended: {event:?}");
    }
}
