//! The state of a cluster as `cluster status` reports it, and leaders that `cluster balance` spreads.

use std::collections::BTreeSet;
use std::process::{Command, Output};

use noughts_tests::client::test_client::TestClient;
use noughts_tests::program::output_within;
use noughts_tests::server::{NatsServers, skips_nats};
use noughts_tests::wait::wait_until_timeout;
use serde_json::Value;

use crate::archive::text;
use crate::node::{NODE, RECOVERY_TIMEOUT, REFUSAL_TIMEOUT, SHARDS, start_node};

/// Maximum number of restarts of a server until one of the servers leads no stream.
const MAX_ATTEMPTS: usize = 6;

const LOG_STREAMS: [&str; 3] = ["NOUGHTS_LOG_0", "NOUGHTS_LOG_1", "NOUGHTS_LOG_2"];

async fn run_command(name: &str, servers: &str, flags: &[&str]) -> Output {
    let mut command = Command::new(NODE);
    command
        .args(["cluster", name, "--cluster", servers])
        .args(flags)
        .env_remove("NOUGHTS_DATA");
    output_within(REFUSAL_TIMEOUT, command).await
}

/// Repeats `cluster status` until its exit code is `code` and its text contains `expected`.
pub(super) async fn wait_for_status(nats: &NatsServers, code: i32, expected: &str) -> String {
    let replicas = nats.count().to_string();
    wait_until_timeout(RECOVERY_TIMEOUT, ("status", expected), async || {
        let flags = ["--cluster-replicas", &replicas];
        let output = run_command("status", &nats.urls(), &flags).await;
        let status = text(&output.stdout);
        (output.status.code() == Some(code) && status.contains(expected)).then_some(status)
    })
    .await
}

/// Returns the number of servers that lead a stream of the log.
async fn count_leaders(nats: &NatsServers) -> usize {
    let mut leaders = BTreeSet::new();
    for stream in LOG_STREAMS {
        leaders.insert(nats.leader(stream).await);
    }
    leaders.len()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_status_of_a_cluster_names_missing_owners() {
    if skips_nats() {
        return;
    }
    let nats = NatsServers::start(1).await;
    let absent = run_command("status", &nats.urls(), &[]).await;
    assert_eq!(absent.status.code(), Some(1));
    assert!(
        text(&absent.stderr).contains("no node has been started"),
        "{}",
        text(&absent.stderr)
    );

    // The node creates the streams.
    start_node(&nats, &[]).kill();
    let urls = nats.urls();
    let unowned = format!("{SHARDS} without an owner: 0 1 2 3");
    let (status, report) = tokio::join!(
        wait_for_status(&nats, 1, &unowned),
        run_command("status", &urls, &["--json", "--cluster-replicas", "1"]),
    );
    assert!(status.contains("nodes: none"), "{status}");
    for stream in LOG_STREAMS.into_iter().chain(["NOUGHTS_GAMES"]) {
        assert!(
            status.contains(&format!("stream {stream}: leader n")),
            "{status}"
        );
    }
    let report: Value = serde_json::from_slice(&report.stdout).expect("JSON");
    assert_eq!(report["nodes"], Value::Array(Vec::new()));
    assert_eq!(
        report["unowned_shards"].as_array().map(Vec::len),
        Some(SHARDS as usize)
    );
    assert_eq!(report["streams"].as_array().map(Vec::len), Some(4));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn leaders_are_spread_evenly_after_restarts_of_nats_servers() {
    if skips_nats() {
        return;
    }
    let mut nats = NatsServers::start(3).await;
    let node = start_node(&nats, &[]);
    // A server that has handed its streams over leads none until a later election.
    for attempt in 0.. {
        assert!(
            attempt < MAX_ATTEMPTS,
            "the leaders are spread evenly after each restart"
        );
        let index = attempt % nats.count();
        nats.drain(index);
        for stream in LOG_STREAMS {
            let waited = wait_until_timeout(
                RECOVERY_TIMEOUT,
                ("another leader of", stream),
                async || (nats.leader(stream).await != index).then_some(()),
            );
            waited.await;
        }
        nats.restart(index).await;
        for stream in LOG_STREAMS {
            nats.wait_until_current(stream).await;
        }
        if count_leaders(&nats).await < 3 {
            break;
        }
    }
    let mut printed = String::new();
    wait_until_timeout(RECOVERY_TIMEOUT, "three leaders", async || {
        let balanced = run_command("balance", &nats.urls(), &[]).await;
        assert_eq!(
            balanced.status.code(),
            Some(0),
            "{}",
            text(&balanced.stderr)
        );
        printed += &text(&balanced.stdout);
        (count_leaders(&nats).await == 3).then_some(())
    })
    .await;
    assert!(printed.contains("leader moved from"), "{printed}");
    wait_until_timeout(RECOVERY_TIMEOUT, "nothing to balance", async || {
        let again = run_command("balance", &nats.urls(), &[]).await;
        (text(&again.stdout) == "leaders moved: 0\n").then_some(())
    })
    .await;
    // The node keeps serving.
    let mut ann = TestClient::connect_as(&node.url, "Ann").await;
    ann.create("3x3:3", None, None, true).await;
}
