//! Nodes as processes of their own.

use std::process::{Command, Stdio};
use std::time::Duration;

use noughts_tests::client::crash_player::LONG_TIMEOUT_FLAGS;
use noughts_tests::program::output_within;
use noughts_tests::server::{LOAD_FLAGS, NatsServers, ServerProcess};
use noughts_tests::wait::wait_until_timeout;
use serde_json::Value;

pub(crate) const NODE: &str = env!("CARGO_BIN_EXE_cluster_node");

/// For an election of the NATS servers, a takeover, and players on a busy machine.
pub(crate) const RECOVERY_TIMEOUT: Duration = Duration::from_secs(120);

/// For a node that refuses to start, which it does at once, or after it has tried to reach the servers.
pub(crate) const REFUSAL_TIMEOUT: Duration = Duration::from_secs(60);

/// Number of equal reports in a row after which the shards stay at their nodes: together longer than the five seconds after
/// which a new node gets shards.
const SETTLED_REPORTS: usize = 4;

/// Command of a node whose limits no test reaches.
pub(crate) fn node_command(servers: &str, flags: &[&str]) -> Command {
    let mut command = Command::new(NODE);
    command
        .args(["--listen", "127.0.0.1:0", "--cluster", servers])
        .args(flags)
        .env_remove("NOUGHTS_DATA");
    command.args(LOAD_FLAGS).args(LONG_TIMEOUT_FLAGS);
    command
}

/// Starts a node of a cluster of eight shards; returns when it owns a shard.
pub(crate) fn start_node(nats: &NatsServers) -> ServerProcess {
    let mut command = node_command(&nats.urls(), &["--cluster-shards", "8"]);
    command.stderr(Stdio::null());
    ServerProcess::start_command(command)
}

/// Waits until `count` nodes own all shards and the shards stay at their nodes. A node that has started gets its share a few
/// seconds later.
pub(crate) async fn wait_until_settled(nats: &NatsServers, count: usize) {
    let mut seen = Vec::new();
    wait_until_timeout(
        RECOVERY_TIMEOUT,
        "the shards stay at their nodes",
        async || {
            let (servers, replicas) = (nats.urls(), nats.count().to_string());
            let mut command = Command::new(NODE);
            command.args([
                "cluster",
                "status",
                "--json",
                "--cluster",
                &servers,
                "--cluster-replicas",
                &replicas,
            ]);
            command.env_remove("NOUGHTS_DATA");
            let status = output_within(RECOVERY_TIMEOUT, command).await;
            // Shown if the test fails.
            eprint!("{}", String::from_utf8_lossy(&status.stderr));
            let Ok(status) = serde_json::from_slice::<Value>(&status.stdout) else {
                seen.clear();
                return None;
            };
            let nodes = status["nodes"].as_array().map_or(0, Vec::len);
            let is_owned = status["unowned_shards"]
                .as_array()
                .is_some_and(Vec::is_empty);
            if nodes != count || !is_owned || seen.last() != Some(&status["nodes"]) {
                seen.clear();
            }
            seen.push(status["nodes"].clone());
            (seen.len() >= SETTLED_REPORTS).then_some(())
        },
    )
    .await;
}
