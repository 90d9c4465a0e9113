//! The store of a node of a cluster.

use std::time::Duration;

use anyhow::Context;

use crate::cluster::cluster_log::{ClusterLog, StartedNode};
use crate::cluster::lobby::node_messages::ConnectedBus;
use crate::cluster::nats::{self, NatsOptions};
use crate::cluster::nodes::node_options::NodeOptions;
use crate::cluster::relay::relay_address::RelayAddress;
use crate::cluster::relay::transport::RelayAccess;
use crate::cluster::shard::NodeId;
use crate::config::{ClusterAccess, DisabledCheck, ServerConfig};
use crate::runtime::clock::ServerClock;
use crate::runtime::rng::ServerRng;
#[cfg(feature = "faults")]
use crate::{
    cluster::nats::{CommandConnection, connect_command},
    cluster::transfer::room_export::read_rooms,
    store::{RoomSecrets, StoredRoom},
};

/// Maximum time that a starting node spends on claiming shards before it serves. Other nodes that start at the same
/// time may need longer to claim their shards.
const SETTLE_TIMEOUT: Duration = Duration::from_secs(3);

/// Error of a node without an address for other nodes.
pub(super) const NO_ADDRESS: &str = "--cluster needs --cluster-listen with an address of this machine that the other nodes reach, such as 10.0.0.1:7880";

/// Reads all rooms of the cluster that the flags name. Its nodes must have ended.
///
/// # Errors
/// If the NATS servers or their streams cannot be used, or a shard is corrupt.
#[cfg(feature = "faults")]
pub async fn read_cluster(
    config: &ServerConfig,
    clock: &ServerClock,
) -> anyhow::Result<Vec<(RoomSecrets, StoredRoom)>> {
    let CommandConnection { log, map, .. } = connect_command(&nats_options(config)).await?;
    let exported = read_rooms(&*log, map, new_node_id(), clock).await?;
    Ok(exported.rooms)
}

/// Draws a random id for a node, or for a command that owns shards as a node does.
pub(super) fn new_node_id() -> NodeId {
    NodeId(ServerRng::default().new_node_id())
}

/// A new node, and its connections to other nodes.
pub(super) struct NodeConnections {
    pub(super) node: NodeId,
    pub(super) bus: ConnectedBus,
    pub(super) relays: RelayAccess,
}

/// Connects a new node to the other nodes, if the flags name a cluster.
///
/// # Errors
/// If no NATS server is reachable, or the address for other nodes is missing or cannot be used.
pub(super) async fn connect_node(config: &ServerConfig) -> anyhow::Result<Option<NodeConnections>> {
    if config.cluster.cluster.is_empty() {
        return Ok(None);
    }
    let address = config.cluster.cluster_listen.context(NO_ADDRESS)?;
    let node = new_node_id();
    let relays = RelayAccess::listen(address, &ServerRng::default()).with_context(|| {
        format!("cannot listen on {address}; choose another address with --cluster-listen")
    })?;
    let bus = nats::connect_bus(&nats_options(config), node)
        .await
        .context("cannot open cluster")?;
    Ok(Some(NodeConnections { node, bus, relays }))
}

/// Returns the options of a node that serves.
pub(super) fn node_options(
    config: &ServerConfig,
    clock: &ServerClock,
    node: NodeId,
    relay: RelayAddress,
) -> NodeOptions {
    NodeOptions {
        node,
        relay,
        time: clock.clone(),
        write_timeout: config.limits.append_timeout,
        settle_timeout: SETTLE_TIMEOUT,
    }
}

/// Starts a node of a cluster. Waits until it has claimed its first shards.
///
/// # Errors
/// If the NATS servers or their streams cannot be used, or a shard is corrupt.
pub(super) fn open_node(
    config: &ServerConfig,
    options: NodeOptions,
) -> anyhow::Result<StartedNode> {
    ClusterLog::open(nats::connect(nats_options(config)), options).context("cannot open cluster")
}

/// Returns the NATS options of a server that is a node.
pub(crate) fn nats_options(config: &ServerConfig) -> NatsOptions {
    new_nats_options(&config.cluster.cluster, &config.cluster.access)
}

/// Returns the NATS options that flags describe.
pub(super) fn new_nats_options(servers: &[String], access: &ClusterAccess) -> NatsOptions {
    NatsOptions {
        servers: servers.to_vec(),
        name: access.cluster_name.clone(),
        shards: access.cluster_shards,
        replicas: usize::from(access.cluster_replicas),
        credentials: access.cluster_creds.clone(),
        authorities: access.cluster_ca.clone(),
        skips_expectation: access.is_disabled(DisabledCheck::Expectation),
        accepts_any_version: access.is_disabled(DisabledCheck::ServerVersion),
    }
}
