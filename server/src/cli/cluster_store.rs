//! The store of a node of a cluster.

use std::sync::Arc;

use anyhow::Context;

use crate::cluster::cluster_log::ClusterLog;
use crate::cluster::nats::{self, NatsOptions};
use crate::cluster::shard::NodeId;
use crate::config::ServerConfig;
use crate::runtime::rng::ServerRng;
use crate::runtime::time::server_clock::ServerClock;
use crate::store::EventLog;

/// Opens the log of the cluster that the flags name, if they name one. Waits as long as another node serves the cluster.
///
/// # Errors
/// If the NATS servers or their streams cannot be used, or a shard is corrupt.
pub fn open_cluster(config: &ServerConfig, clock: &ServerClock) -> anyhow::Result<Option<Arc<dyn EventLog>>> {
    let cluster = &config.cluster;
    if cluster.cluster.is_empty() {
        return Ok(None);
    }
    let options = NatsOptions {
        servers: cluster.cluster.clone(),
        name: cluster.cluster_name.clone(),
        shards: cluster.cluster_shards,
        replicas: usize::from(cluster.cluster_replicas),
        credentials: cluster.cluster_creds.clone(),
        authorities: cluster.cluster_ca.clone(),
    };
    let node = NodeId(ServerRng::default().new_node_id());
    let connect = nats::connect(options, node);
    let log = ClusterLog::open(connect, node, clock.clone(), config.limits.append_timeout)
        .context("cannot open cluster")?;
    Ok(Some(Arc::new(log)))
}
