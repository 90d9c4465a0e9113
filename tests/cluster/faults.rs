//! Kills, stops and partitions of nodes and NATS servers, one fault after another, while players play through a load
//! balancer. At the end, the events that the players have seen are compared with the log.
//!
//! `NOUGHTS_TEST_CLUSTER_KILLS`, `NOUGHTS_TEST_CLUSTER_STOPS`, `NOUGHTS_TEST_CLUSTER_RESTARTS` and
//! `NOUGHTS_TEST_PARTITIONS` set the number of faults.

use std::io::Write;
use std::time::Duration;

use noughts_server::testing::ShardHandover;
use noughts_tests::cluster::MachineNetwork;
use noughts_tests::rng::env_number;
use noughts_tests::server::skips_nats;

use crate::fault_run::{COUNT, ClusterFault, FaultRun};

/// With this seed, the first stop or partition lasts longer than a node may be silent before it counts as dead.
const LONG_FAULT_SEED: u64 = 20;

/// Returns the number, median, 99th percentile and maximum of the times as text.
fn format_times(times: impl IntoIterator<Item = Duration>) -> String {
    let mut times: Vec<Duration> = times.into_iter().collect();
    times.sort_unstable();
    let count = times.len();
    match (
        times.get(count / 2),
        times.get(count * 99 / 100),
        times.last(),
    ) {
        (Some(median), Some(high), Some(last)) => {
            format!("{count}, median {median:.1?}, p99 {high:.1?}, maximum {last:.1?}")
        }
        (None, _, _) | (_, None, _) | (_, _, None) => "none".into(),
    }
}

/// Prints the durations of the handovers.
fn report_handovers(name: &str, handovers: &[ShardHandover]) {
    let times = |time: fn(&ShardHandover) -> Duration| format_times(handovers.iter().map(time));
    eprintln!(
        "{name}: shards, last event until first event: {}",
        times(ShardHandover::total)
    );
    eprintln!(
        "{name}: shards, last event until release: {}",
        times(|shard| shard.until_release)
    );
    eprintln!(
        "{name}: shards, release until claim: {}",
        times(|shard| shard.until_claim)
    );
    eprintln!(
        "{name}: shards, claim until first event: {}",
        times(|shard| shard.until_event)
    );
    if let Some(longest) = handovers.iter().max_by_key(|shard| shard.total()) {
        eprintln!("{name}: longest: {longest:.1?}");
    }
}

async fn run_faults(
    network: Option<MachineNetwork>,
    seed: u64,
    faults: &[(&str, &[ClusterFault], u64)],
) {
    let mut run = FaultRun::start(network, seed).await;
    run.wait_for_play("the start").await;
    for (name, kinds, count) in faults {
        let (mut times, mut pauses, mut other_pauses) = (Vec::new(), Vec::new(), Vec::new());
        for number in 0..*count {
            let fault = kinds[number as usize % kinds.len()];
            let report = run.cause(fault).await;
            eprintln!("{name} {}: {fault:?}, {report:.1?}", number + 1);
            times.push(report.recovered);
            pauses.push(report.longest_pause);
            other_pauses.push(report.longest_other_pause);
        }
        eprintln!("{name}: all rooms play: {}", format_times(times));
        eprintln!("{name}: longest pause of a room: {}", format_times(pauses));
        eprintln!(
            "{name}: longest pause of the other rooms: {}",
            format_times(other_pauses)
        );
        let handovers = run.take_handovers();
        if !handovers.is_empty() {
            report_handovers(name, &handovers);
        }
    }
    run.finish(faults.iter().map(|(_, _, count)| count).sum())
        .await;
}

/// Returns the number of faults of a kind.
fn fault_count(name: &str, default: u64) -> u64 {
    env_number(&format!("NOUGHTS_TEST_CLUSTER_{name}"), default)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn kills_lose_double_and_reorder_nothing() {
    if skips_nats() {
        return;
    }
    let kills = fault_count("KILLS", 2);
    let faults = [
        (
            "kill of a NATS server",
            &[ClusterFault::KillNatsServer][..],
            kills.div_ceil(3),
        ),
        (
            "kill of a node",
            &[ClusterFault::KillNode][..],
            (kills + 1) / 3,
        ),
        (
            "kill of all nodes",
            &[ClusterFault::KillAllNodes][..],
            kills / 3,
        ),
    ];
    run_faults(None, env_number("NOUGHTS_TEST_SEED", 1), &faults).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn stops_and_restarts_lose_double_and_reorder_nothing() {
    if skips_nats() {
        return;
    }
    let stops = [ClusterFault::StopNode, ClusterFault::StopNatsServer];
    let restarts = fault_count("RESTARTS", 2);
    let faults = [
        ("stop", &stops[..], fault_count("STOPS", 1)),
        (
            "restart of a node",
            &[ClusterFault::RestartNode][..],
            restarts.div_ceil(2),
        ),
        (
            "restart of a NATS server",
            &[ClusterFault::RestartNatsServer][..],
            restarts / 2,
        ),
    ];
    run_faults(
        None,
        env_number("NOUGHTS_TEST_SEED", LONG_FAULT_SEED),
        &faults,
    )
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn partitions_lose_double_and_reorder_nothing() {
    if skips_nats() {
        return;
    }
    let network = match MachineNetwork::new(2 * COUNT) {
        Ok(network) => network,
        Err(error) => {
            // Written past the test runner's capture, so that a skipped test is visible.
            let written = writeln!(
                std::io::stderr(),
                "\npartitions: NOT RUN, cannot create networks: {error}"
            );
            return written.expect("stderr is open");
        }
    };
    let kinds = [
        ClusterFault::CutNodeFromLog,
        ClusterFault::CutNode,
        ClusterFault::CutNatsServer,
    ];
    let partitions = env_number("NOUGHTS_TEST_PARTITIONS", 1);
    let faults = [("partition", &kinds[..], partitions)];
    run_faults(
        Some(network),
        env_number("NOUGHTS_TEST_SEED", LONG_FAULT_SEED),
        &faults,
    )
    .await;
}
