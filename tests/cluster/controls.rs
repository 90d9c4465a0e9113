//! Controls of the fault tests. Each test removes a property that the nodes rely on; the checks of the fault tests must
//! then find a violation.

use std::io::Write;
use std::panic::AssertUnwindSafe;
use std::time::Duration;

use clap::Parser;
use futures::FutureExt;
use noughts_server::ServerConfig;
use noughts_server::testing::{ContentionReport, DisabledCheck, compete_for_shards};
use noughts_tests::rng::env_number;
use noughts_tests::server::{NatsServers, old_nats_server_path, skips_nats};

use crate::fault_run::{COUNT, ClusterFault, FaultRun};

const MAX_REPLACED_NODES: u64 = 6;

const CONTENTION_OWNERS: u8 = 3;

const CONTENTION_SHARDS: u16 = 16;

/// Maximum duration of the contention on NATS 2.9.10, which usually violates the expectation within a second. The
/// contention ends at the first violation.
const OLD_CONTENTION_TIME: Duration = Duration::from_secs(120);

/// Replaces one node after another until a check finds a violation. Returns the text of the violation.
async fn find_violation(control: DisabledCheck) -> Option<String> {
    let checked = async {
        let nats = NatsServers::start(1).await;
        let mut run = FaultRun::start_on(nats, None, Some(control), 1).await;
        run.wait_for_play("the start").await;
        for _ in 0..MAX_REPLACED_NODES {
            let report = run.cause(ClusterFault::ReplaceNode).await;
            eprintln!("{report:.1?}");
        }
        run.finish(MAX_REPLACED_NODES).await;
    };
    let panic = AssertUnwindSafe(checked).catch_unwind().await.err()?;
    let text = panic.downcast_ref::<String>().cloned();
    Some(
        text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()))
            .unwrap_or_default(),
    )
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn appends_without_an_expectation_are_found() {
    if skips_nats() {
        return;
    }
    let violation = find_violation(DisabledCheck::Expectation).await;
    eprintln!("{violation:?}");
    let violation = violation.expect("two owners wrote to one shard, and no check found it");
    assert!(
        ["a player failed", "a player saw no violation", "is corrupt"]
            .iter()
            .any(|text| violation.contains(text)),
        "{violation}"
    );
}

/// Lets owners compete for shards on three NATS servers.
async fn test_contention_on(nats: &NatsServers, duration: Duration) -> ContentionReport {
    let (urls, shards) = (nats.urls(), CONTENTION_SHARDS.to_string());
    let flags = [
        "noughts-server",
        "--cluster",
        &urls,
        "--cluster-shards",
        &shards,
    ];
    let mut config = ServerConfig::parse_from(flags);
    config.cluster.access.disabled_check = Some(DisabledCheck::ServerVersion);
    compete_for_shards(&config, CONTENTION_OWNERS, duration)
        .await
        .expect("the servers can be used")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn owners_that_compete_store_nothing_at_the_same_place() {
    if skips_nats() {
        return;
    }
    let seconds = env_number("NOUGHTS_TEST_CONTENTION_SECONDS", 2);
    let nats = NatsServers::start(COUNT).await;
    let report = test_contention_on(&nats, Duration::from_secs(seconds)).await;
    eprintln!("current NATS: {report:?}");
    assert_eq!((report.violation, report.conflicts), (None, 0));
    assert!(
        report.claims >= 20 && report.refused >= 50,
        "the owners hardly compete"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_old_nats_server_is_found() {
    if skips_nats() {
        return;
    }
    let Some(program) = old_nats_server_path() else {
        let written = writeln!(
            std::io::stderr(),
            "\nold NATS server: NOT RUN, cannot be downloaded"
        );
        return written.expect("stderr is open");
    };
    let old = NatsServers::start_program(program, COUNT, "").await;
    let report = test_contention_on(&old, OLD_CONTENTION_TIME).await;
    eprintln!("NATS 2.9.10: {report:?}");
    let violation = report
        .violation
        .expect("NATS 2.9.10 stored messages of two owners, and no check found it");
    assert!(violation.contains("is corrupt"), "{violation}");
}
