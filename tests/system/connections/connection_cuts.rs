//! Lines that break in the worst of moments, under the client that people have: after the commit and before
//! its answer has come, at any byte of it. The client comes back by itself and sends again what has no
//! answer; nothing is lost by that, and nothing is done twice.
//!
//! `NOUGHTS_TEST_CUTS=n` sets how many answers are cut off, `NOUGHTS_TEST_CONNECTION_LOSSES=n` how many lines are lost that go as
//! chance has them from their first byte on, and `NOUGHTS_TEST_SEED=n` what chance is.

mod player;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use noughts_tests::oracle::observations::Observations;
use noughts_tests::program::TempDir;
use noughts_tests::rng::env_number;
use noughts_tests::server::ServerProcess;
use noughts_tests::wait::with_timeout;

use player::{CutCounts, CutMode, CutPlayer};

/// How many pairs play: many, since a client waits longer after each line that it loses.
const PAIR_COUNT_RANGE: [u64; 2] = [16, 400];

/// Plays until `cuts` answers have been cut off, or as many lines were lost by chance, and looks into the files
/// then.
async fn run_with_cuts(mode: CutMode, durability: &str, cuts: u64, seed: u64) {
    let data = TempDir::default();
    let mut server = ServerProcess::start_durable(data.path(), durability, mode.flags());
    let observations = Arc::new(Observations::default());
    let counts = Arc::new(CutCounts { target: cuts, ..CutCounts::default() });
    let pairs = (cuts / 8).clamp(PAIR_COUNT_RANGE[0], PAIR_COUNT_RANGE[1]);
    let mut tasks = Vec::new();
    for pair in 0..pairs {
        for player in CutPlayer::start_pair(&server, pair, mode, seed, &observations, &counts).await {
            tasks.push(tokio::spawn(player.run()));
        }
    }
    let mut accepted = Vec::new();
    for task in tasks {
        accepted.extend(task.await.expect("no player saw anything wrong"));
    }
    server.send_signal("TERM");
    assert_eq!(server.wait_for_exit().await.code(), Some(0));
    with_timeout("the files", observations.check_files(data.path())).await;
    for (room, id, seq) in &accepted {
        assert_eq!(observations.event_for_request(*room, *id), Some(*seq), "request {id} in room {room}");
    }
    let [resends, _] = observations.resent_counts();
    assert!(resends > 0, "no line was lost under a request");
    let load = |count: &AtomicU64| count.load(Ordering::Relaxed);
    eprintln!(
        "{mode:?}, {durability}: {} lines lost under a request, {} of them by a cut on the way down, {} lost under \
         none; told to wait {} times; {} requests were answered, each done once, {}",
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
    run_with_cuts(CutMode::Random, "process", env_number("NOUGHTS_TEST_CONNECTION_LOSSES", 40), env_number("NOUGHTS_TEST_SEED", 1))
        .await;
}
