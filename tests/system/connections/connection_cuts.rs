//! Connections of the real client that break after the commit of a request and before its response, at any
//! byte. The client reconnects and repeats requests without a response; no request is lost or executed twice.
//!
//! `NOUGHTS_TEST_CUTS=n` sets the number of responses to cut off, `NOUGHTS_TEST_CONNECTION_LOSSES=n` the
//! number of connections to lose at random, `NOUGHTS_TEST_SEED=n` the seed.

mod player;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use noughts_tests::oracle::observations::Observations;
use noughts_tests::program::TempDir;
use noughts_tests::rng::env_number;
use noughts_tests::server::ServerProcess;
use noughts_tests::wait::with_timeout;

use player::{CutCounts, CutMode, CutPlayer};

/// Minimum and maximum number of pairs: many, because a client waits longer after each lost connection.
const PAIR_COUNT_RANGE: [u64; 2] = [16, 400];

/// Plays until `cuts` responses were cut off, or as many connections were lost, and checks the stored files.
async fn run_with_cuts(mode: CutMode, durability: &str, cuts: u64, seed: u64) {
    let data = TempDir::default();
    let mut server = ServerProcess::start_durable(data.path(), durability, mode.flags());
    let observations = Arc::new(Observations::default());
    let counts = Arc::new(CutCounts {
        target: cuts,
        ..CutCounts::default()
    });
    let pairs = (cuts / 8).clamp(PAIR_COUNT_RANGE[0], PAIR_COUNT_RANGE[1]);
    let mut tasks = Vec::new();
    for pair in 0..pairs {
        for player in CutPlayer::start_pair(&server, pair, mode, seed, &observations, &counts).await
        {
            tasks.push(tokio::spawn(player.run()));
        }
    }
    let mut accepted = Vec::new();
    for task in tasks {
        accepted.extend(task.await.expect("no player reported a violation"));
    }
    server.send_signal("TERM");
    assert_eq!(server.wait_for_exit().await.code(), Some(0));
    with_timeout("the files", observations.check_files(data.path())).await;
    for (room, id, seq) in &accepted {
        assert_eq!(
            observations.event_for_request(*room, *id),
            Some(*seq),
            "request {id} in room {room}"
        );
    }
    let [resends, _] = observations.resent_counts();
    assert!(resends > 0, "no connection was lost during a request");
    let load = |count: &AtomicU64| count.load(Ordering::Relaxed);
    eprintln!(
        "{mode:?}, {durability}: {} connections lost during a request, {} of them by a cut of the response, {} without \
         a request; rejected as not ready {} times; {} requests answered, each executed once; {}",
        load(&counts.during_request),
        load(&counts.downstream),
        load(&counts.without_request),
        load(&counts.not_ready),
        accepted.len(),
        observations.summary()
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn cuts_before_the_response_lose_and_repeat_nothing() {
    run_with_cuts(
        CutMode::DuringRequests,
        "process",
        env_number("NOUGHTS_TEST_CUTS", 60),
        env_number("NOUGHTS_TEST_SEED", 1),
    )
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn random_connection_faults_lose_and_repeat_nothing() {
    run_with_cuts(
        CutMode::Random,
        "process",
        env_number("NOUGHTS_TEST_CONNECTION_LOSSES", 40),
        env_number("NOUGHTS_TEST_SEED", 1),
    )
    .await;
}
