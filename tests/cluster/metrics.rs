//! Metrics and readiness of a node.

use std::process::Stdio;

use noughts_protocol::Seat;
use noughts_tests::client::test_client::TestClient;
use noughts_tests::server::{
    NatsServers, ServerProcess, get, named_metrics, sample_names, skips_nats,
};
use noughts_tests::wait::wait_until;

use crate::node::node_command;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_node_measures_its_shards_and_reports_a_lost_log() {
    if skips_nats() {
        return;
    }
    let mut nats = NatsServers::start(1).await;
    let flags = [
        "--admin-listener",
        "127.0.0.1:0",
        "--cluster-replicas",
        "1",
        "--cluster-shards",
        "4",
    ];
    let mut command = node_command(&nats.urls(), &flags);
    command.stderr(Stdio::null());
    let node = ServerProcess::start_command(command);
    wait_until("the node is ready", async || {
        (get(node.admin_address(), "/ready").await.0 == 200).then_some(())
    })
    .await;
    let mut ann = TestClient::connect_as(&node.url, "Ann").await;
    ann.create("3x3:3", None, Some(Seat::X), false).await;

    let samples = [
        "noughts_shards 4",
        "noughts_shards_owned 4",
        "noughts_shards_corrupt 0",
        "noughts_rooms_unavailable 0",
        "noughts_nodes_live 1",
        "noughts_claims_total 4",
    ];
    let text = wait_until(samples, async || {
        let (_, text) = get(node.admin_address(), "/metrics").await;
        samples
            .iter()
            .all(|sample| text.lines().any(|line| line == *sample))
            .then_some(text)
    })
    .await;
    let exported = sample_names(&text);
    let page = include_str!("../../server/CLUSTER.md");
    let alerts = include_str!("../../server/deploy/prometheus-alerts-cluster.yml");
    for name in named_metrics(page).union(&named_metrics(alerts)) {
        let histogram = format!("{name}_count");
        let base = name.trim_end_matches("_bucket");
        let is_exported = exported.contains(name)
            || exported.contains(histogram.as_str())
            || exported.contains(format!("{base}_bucket").as_str());
        assert!(is_exported, "{name}");
    }

    nats.kill(0);
    // The node notices the loss, because its own heartbeats do not return to it.
    wait_until("the loss of the log", async || {
        let (status, reason) = get(node.admin_address(), "/ready").await;
        (status == 503 && reason.contains("events cannot be stored")).then_some(())
    })
    .await;
    nats.restart(0).await;
    wait_until("the return of the log", async || {
        (get(node.admin_address(), "/ready").await.0 == 200).then_some(())
    })
    .await;
}
