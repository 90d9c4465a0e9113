//! The subcommand `cluster status`. Changes nothing.

use std::io::Write;
use std::process::ExitCode;

use anyhow::Context;
use serde::Serialize;

use crate::cli::cluster_store::new_nats_options;
use crate::cluster::nats::cluster_view::ClusterView;
use crate::cluster::nats::stream_report::StreamReport;
use crate::cluster::nodes::node_heartbeat::NodeHeartbeat;
use crate::cluster::shard::{Shard, ShardSet};
use crate::config::ClusterServers;

/// A node whose heartbeats arrive.
#[derive(Debug, Serialize)]
struct NodeStatus {
    node: String,
    activity: &'static str,
    shards: usize,
}

impl NodeStatus {
    fn new(heartbeat: &NodeHeartbeat) -> NodeStatus {
        NodeStatus {
            node: heartbeat.node.to_string(),
            activity: heartbeat.activity.word(),
            shards: heartbeat.owned_shards().count(),
        }
    }
}

/// State of a cluster.
#[derive(Debug, Serialize)]
struct ClusterStatus {
    nodes: Vec<NodeStatus>,
    shards: u16,
    /// The shards that no node serves and whose log no node has found damaged.
    unowned_shards: Vec<u16>,
    /// The shards whose log a node has found damaged.
    corrupt_shards: Vec<u16>,
    /// Heartbeats of nodes of another version.
    unknown_heartbeats: usize,
    streams: Vec<StreamReport>,
}

impl ClusterStatus {
    fn is_healthy(&self) -> bool {
        self.unowned_shards.is_empty()
            && self.corrupt_shards.is_empty()
            && self.streams.iter().all(StreamReport::is_healthy)
    }

    fn write(&self, out: &mut impl Write) -> std::io::Result<()> {
        for NodeStatus {
            node,
            activity,
            shards,
        } in &self.nodes
        {
            writeln!(out, "node {node}: {activity}, {shards} shards")?;
        }
        if self.nodes.is_empty() {
            writeln!(out, "nodes: none")?;
        }
        let unowned: Vec<String> = self.unowned_shards.iter().map(u16::to_string).collect();
        match unowned.len() {
            0 => writeln!(out, "shards: {}, each with an owner", self.shards)?,
            count => {
                writeln!(
                    out,
                    "shards: {}, {count} without an owner: {}",
                    self.shards,
                    unowned.join(" ")
                )?;
            }
        }
        if !self.corrupt_shards.is_empty() {
            let corrupt: Vec<String> = self.corrupt_shards.iter().map(u16::to_string).collect();
            writeln!(out, "corrupt shards: {}", corrupt.join(" "))?;
        }
        if self.unknown_heartbeats > 0 {
            writeln!(
                out,
                "heartbeats of nodes of another version: {}",
                self.unknown_heartbeats
            )?;
        }
        self.streams
            .iter()
            .try_for_each(|stream| write_stream(stream, out))
    }
}

fn write_stream(stream: &StreamReport, out: &mut impl Write) -> std::io::Result<()> {
    let Some(leader) = &stream.leader else {
        return writeln!(out, "stream {}: no leader", stream.name);
    };
    let replicas = stream
        .replicas
        .iter()
        .map(|replica| match replica.is_current {
            true => format!(", replica {}", replica.server),
            false => format!(", replica {} not current", replica.server),
        });
    let replicas: String = replicas.collect();
    let missing = stream.copies.saturating_sub(stream.replicas.len() + 1);
    let missing = if missing > 0 {
        format!(", missing replicas: {missing}")
    } else {
        String::new()
    };
    let StreamReport {
        name,
        messages,
        bytes,
        ..
    } = stream;
    writeln!(
        out,
        "stream {name}: leader {leader}{replicas}{missing}; {messages} messages, {bytes} bytes"
    )
}

/// Prints the nodes, shards and streams of a cluster. The exit code is 1 if a shard has no owner or is corrupt, or a stream
/// has no leader or a replica that is missing or not current.
///
/// # Errors
/// If the cluster does not exist, or no NATS server is reachable.
pub(super) async fn run(
    servers: &ClusterServers,
    prints_json: bool,
    out: &mut impl Write,
) -> anyhow::Result<ExitCode> {
    let options = new_nats_options(&servers.cluster, &servers.access);
    let mut cluster = ClusterView::connect(&options)
        .await
        .context("cannot read the cluster")?;
    let (nodes, unknown_heartbeats) = cluster
        .listen()
        .await
        .context("cannot receive heartbeats")?;
    let owned: ShardSet = nodes.iter().flat_map(NodeHeartbeat::owned_shards).collect();
    let corrupt: ShardSet = nodes
        .iter()
        .flat_map(NodeHeartbeat::corrupt_shards)
        .collect();
    let select = |is_selected: &dyn Fn(Shard) -> bool| -> Vec<u16> {
        cluster
            .map()
            .shards()
            .filter(|shard| is_selected(*shard))
            .map(|shard| shard.0)
            .collect()
    };
    let status = ClusterStatus {
        nodes: nodes.iter().map(NodeStatus::new).collect(),
        shards: cluster.map().count(),
        unowned_shards: select(&|shard| !owned.contains(shard) && !corrupt.contains(shard)),
        corrupt_shards: select(&|shard| !owned.contains(shard) && corrupt.contains(shard)),
        unknown_heartbeats,
        streams: cluster
            .read_streams()
            .await
            .context("cannot read the streams")?,
    };
    if prints_json {
        serde_json::to_writer_pretty(&mut *out, &status)?;
        writeln!(out)?;
    } else {
        status.write(out)?;
    }
    Ok(if status.is_healthy() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::nats::stream_report::StreamReplica;

    #[test]
    fn the_text_names_missing_owners_and_replicas() {
        let replica = |server: &str, is_current| StreamReplica {
            server: server.to_owned(),
            is_current,
        };
        let stream = StreamReport {
            name: "LOG".to_owned(),
            leader: Some("n1".to_owned()),
            replicas: vec![replica("n0", false), replica("n2", true)],
            copies: 4,
            messages: 7,
            bytes: 90,
        };
        let status = ClusterStatus {
            nodes: vec![NodeStatus {
                node: "a".to_owned(),
                activity: "active",
                shards: 1,
            }],
            shards: 4,
            unowned_shards: vec![0, 1],
            corrupt_shards: vec![3],
            unknown_heartbeats: 0,
            streams: vec![stream],
        };
        let mut text = Vec::new();
        status.write(&mut text).unwrap();
        let expected = "node a: active, 1 shards\nshards: 4, 2 without an owner: 0 1\ncorrupt shards: 3\n\
            stream LOG: leader n1, replica n0 not current, replica n2, missing replicas: 1; 7 messages, 90 bytes\n";
        assert_eq!(String::from_utf8(text).unwrap(), expected);
        let report = serde_json::to_value(&status).unwrap();
        assert_eq!(report["nodes"][0]["shards"], 1);
    }
}
