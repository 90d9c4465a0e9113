//! The processes of a cluster under load, and their reports about themselves.

use std::ffi::OsString;
use std::net::SocketAddr;

use anyhow::{Context, bail};
use noughts_tests::cluster::NodeProcesses;
use noughts_tests::server::{LOAD_FLAGS, NatsServers, get};
use noughts_tests::wait::wait_until_timeout;

use super::START_TIMEOUT;
use crate::proc_stats::{CpuTime, anonymous_memory_bytes, written_bytes};
use crate::target::{pin_generator, pin_servers};

/// Number of nodes, and number of NATS servers.
pub(super) const COUNT: usize = 3;

/// Maximum number of attempts to start a cluster with a shard on each node.
const START_ATTEMPTS: usize = 5;

/// The processes of the cluster on one core, which the generator does not use. They are killed when dropped, nodes
/// first.
#[derive(Debug)]
pub(super) struct RunningCluster {
    nodes: NodeProcesses,
    nats: NatsServers,
}

/// Counters of all processes at one time.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ClusterUsage {
    pub(super) nodes: CpuTime,
    pub(super) nats: CpuTime,
    /// Appended messages and their bytes, without JetStream's own messages.
    pub(super) appends: f64,
    pub(super) append_bytes: f64,
    pub(super) append_seconds: f64,
    /// Bytes that the NATS servers have written to their disks.
    pub(super) disk_bytes: f64,
}

impl RunningCluster {
    /// Starts a cluster, and waits until each node serves its part of the shards. Starts it again if a node has no
    /// shard.
    pub(super) async fn start(node: &[OsString], shards: u16) -> anyhow::Result<RunningCluster> {
        for _ in 0..START_ATTEMPTS {
            let cluster = RunningCluster::spawn(node, shards).await?;
            if cluster.wait_until_settled(shards).await {
                return Ok(cluster);
            }
        }
        bail!("some node has no shard; use several times as many shards as nodes")
    }

    async fn spawn(node: &[OsString], shards: u16) -> anyhow::Result<RunningCluster> {
        pin_servers()?;
        let nats = NatsServers::start_synced(COUNT).await;
        let (urls, count) = (nats.urls(), shards.to_string());
        let flags = ["--cluster", &urls, "--cluster-shards", &count]
            .into_iter()
            .chain(LOAD_FLAGS);
        let command = ["env".into(), "RUST_LOG=warn".into()].into_iter();
        let command = command.chain(node.iter().cloned());
        let command: Vec<OsString> = command.chain(flags.map(OsString::from)).collect();
        let mut nodes = NodeProcesses::on_loopback(command, COUNT);
        for node in 0..COUNT {
            nodes.start(node);
        }
        pin_generator()?;
        Ok(RunningCluster { nodes, nats })
    }

    /// Waits until the nodes own all shards. Returns whether each node has shards.
    async fn wait_until_settled(&self, shards: u16) -> bool {
        let addresses = self.addresses();
        wait_until_timeout(START_TIMEOUT, "nodes that own all shards", async || {
            let mut owned = Vec::new();
            for address in &addresses {
                // A node does not listen while it starts.
                tokio::net::TcpStream::connect(address).await.ok()?;
                owned
                    .push(metric(&get(*address, "/metrics").await.1, "noughts_shards_owned").ok()?);
            }
            let are_owned = owned.iter().sum::<f64>() == f64::from(shards);
            are_owned.then(|| owned.iter().all(|own| *own > 0.0))
        })
        .await
    }

    /// Returns the address for players of each node.
    pub(super) fn addresses(&self) -> Vec<SocketAddr> {
        self.nodes.addresses()
    }

    fn node_pids(&self) -> anyhow::Result<Vec<u32>> {
        (0..COUNT)
            .map(|node| self.nodes.pid(node).context("the node runs"))
            .collect()
    }

    /// Returns the anonymous memory of a node.
    pub(super) fn node_bytes(&self, node: usize) -> anyhow::Result<f64> {
        Ok(anonymous_memory_bytes(self.node_pids()?[node])? as f64)
    }

    /// Returns the anonymous memory of all nodes.
    pub(super) fn all_nodes_bytes(&self) -> anyhow::Result<f64> {
        (0..COUNT).map(|node| self.node_bytes(node)).sum()
    }

    /// Returns the sum of a metric over all nodes.
    pub(super) async fn sum(&self, name: &str) -> anyhow::Result<f64> {
        let mut sum = 0.0;
        for address in self.addresses() {
            sum += metric(&get(address, "/metrics").await.1, name)?;
        }
        Ok(sum)
    }

    /// Reads all counters.
    pub(super) async fn usage(&self) -> anyhow::Result<ClusterUsage> {
        let mut usage = ClusterUsage {
            appends: self.sum("noughts_append_seconds_count").await?,
            append_bytes: self.sum("noughts_append_bytes_sum").await?,
            append_seconds: self.sum("noughts_append_seconds_sum").await?,
            ..ClusterUsage::default()
        };
        // Read last, so that the processor time of the requests above does not count in the next difference.
        for pid in self.node_pids()? {
            usage.nodes = usage.nodes + CpuTime::for_pid(pid)?;
        }
        for index in 0..COUNT {
            let pid = self.nats.pid(index).context("the NATS server runs")?;
            usage.nats = usage.nats + CpuTime::for_pid(pid)?;
            usage.disk_bytes += written_bytes(pid)? as f64;
        }
        Ok(usage)
    }
}

impl ClusterUsage {
    /// Returns the difference from an earlier value.
    pub(super) fn since(self, before: ClusterUsage) -> ClusterUsage {
        ClusterUsage {
            nodes: self.nodes.since(before.nodes),
            nats: self.nats.since(before.nats),
            appends: self.appends - before.appends,
            append_bytes: self.append_bytes - before.append_bytes,
            append_seconds: self.append_seconds - before.append_seconds,
            disk_bytes: self.disk_bytes - before.disk_bytes,
        }
    }
}

/// Returns the value of a metric without labels.
fn metric(text: &str, name: &str) -> anyhow::Result<f64> {
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    Ok(line
        .with_context(|| format!("the node has no {name}"))?
        .parse()?)
}
