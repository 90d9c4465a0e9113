//! Kills the server with SIGKILL repeatedly during games. Afterwards every received event is stored once
//! and in order, and every player resumes its seat.
//!
//! `NOUGHTS_TEST_KILLS=n` sets the number of kills, `NOUGHTS_TEST_STOPS=n` the number of stops under load and
//! of kills during a stop, `NOUGHTS_TEST_PAIRS=n` the number of pairs, `NOUGHTS_TEST_SEED=n` the random moves
//! and instants.

use std::os::unix::process::ExitStatusExt;
use std::sync::Arc;
use std::time::Duration;

use noughts_tests::oracle::observations::Observations;
use noughts_tests::program::TempDir;
use noughts_tests::rng::{SeededRng, env_number};
use noughts_tests::server::{ServerProcess, kill_during_start};
use noughts_tests::wait::wait_until_timeout;
use rustix::process::Signal;
use tokio::sync::watch;
use tokio::time::Instant;

use noughts_tests::client::crash_player::{CrashPlayer, LONG_TIMEOUT_FLAGS};

/// How the server is stopped in a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum StopKind {
    Kill,
    Term,
    /// The server is requested to stop, and killed before it has stopped.
    KillDuringStop,
}

/// Timeout for a stop under load on a busy machine.
const MAX_STOP_TIME: Duration = Duration::from_secs(5);

/// Timeout until hundreds of players have reconnected on a busy machine.
const RECONNECT_TIMEOUT: Duration = Duration::from_secs(180);

/// Runs rounds of load, each ended by a stop at a random instant.
async fn run_rounds(durability: &str, stop_kinds: &[StopKind], seed: u64) {
    let data = TempDir::default();
    let observations = Arc::new(Observations::default());
    let mut rng = SeededRng::new(seed);
    // Each pair has a room of its own.
    let pairs = env_number("NOUGHTS_TEST_PAIRS", 12) as usize;
    let began = Instant::now();
    let mut server = ServerProcess::start_durable(data.path(), durability, &LONG_TIMEOUT_FLAGS);
    let url = watch::Sender::new(Some(server.url.clone()));
    let players = CrashPlayer::start_pairs(pairs, seed, &observations, &url).await;
    let tasks: Vec<_> = players
        .into_iter()
        .map(|player| tokio::spawn(player.run(url.subscribe())))
        .collect();
    let mut slowest_stop = Duration::ZERO;
    let mut killed_during_stop = 0;
    for (round, stop_kind) in stop_kinds.iter().enumerate() {
        // Checks that there was load, and that all players returned after the last stop.
        let events_before = observations.event_count();
        wait_until_timeout(
            RECONNECT_TIMEOUT,
            (durability, "all players are back and play", round),
            async || {
                assert!(
                    !tasks.iter().any(|task| task.is_finished()),
                    "a player failed"
                );
                let all_reconnected = observations.seated_count() == 2 * pairs * (round + 1);
                (all_reconnected && observations.event_count() > events_before + 40).then_some(())
            },
        )
        .await;
        tokio::time::sleep(Duration::from_millis(rng.random_below(250))).await;
        url.send_replace(None);
        match stop_kind {
            StopKind::Kill => assert_eq!(server.kill().signal(), Some(Signal::KILL.as_raw())),
            StopKind::KillDuringStop => {
                server.send_signal("TERM");
                // The delay of the first stop is zero. Some servers end before they are killed.
                tokio::time::sleep(Duration::from_millis(
                    rng.random_below(1 + 2 * round as u64),
                ))
                .await;
                killed_during_stop += usize::from(server.kill().signal().is_some());
            }
            StopKind::Term => {
                let stop_sent_at = Instant::now();
                server.send_signal("TERM");
                assert_eq!(server.wait_for_exit().await.code(), Some(0));
                slowest_stop = stop_sent_at.elapsed().max(slowest_stop);
            }
        }
        observations.check_files(data.path()).await;
        // The kill often interrupts the recovery, which takes about 10 ms in this test.
        while *stop_kind != StopKind::Term && rng.random_below(2) == 0 {
            kill_during_start(
                data.path(),
                durability,
                Duration::from_micros(rng.random_below(40_000)),
            )
            .await;
            observations.check_files(data.path()).await;
        }
        server = ServerProcess::start_durable(data.path(), durability, &LONG_TIMEOUT_FLAGS);
        url.send_replace(Some(server.url.clone()));
    }
    wait_until_timeout(RECONNECT_TIMEOUT, "all players to return", async || {
        assert!(
            !tasks.iter().any(|task| task.is_finished()),
            "a player failed"
        );
        (observations.seated_count() == 2 * pairs * (stop_kinds.len() + 1)).then_some(())
    })
    .await;
    observations.finish();
    for task in tasks {
        noughts_tests::wait::with_timeout("a player's end", task)
            .await
            .expect("no player reported a violation");
    }
    server.send_signal("TERM");
    assert_eq!(server.wait_for_exit().await.code(), Some(0));
    observations.check_files(data.path()).await;
    let stops = stop_kinds
        .iter()
        .filter(|stop_kind| **stop_kind == StopKind::Term)
        .count();
    if stops > 0 {
        let notified = observations.restart_close_count();
        assert_eq!(
            notified,
            2 * pairs * stops,
            "a player received no restart notice"
        );
        assert!(slowest_stop < MAX_STOP_TIME, "a stop took {slowest_stop:?}");
        eprintln!(
            "SIGTERM under load: {stops} stops, {slowest_stop:?} at most, {notified} of {notified} players notified"
        );
    }
    let kills_during_stop = stop_kinds
        .iter()
        .filter(|stop_kind| **stop_kind == StopKind::KillDuringStop)
        .count();
    if kills_during_stop > 0 {
        assert!(
            killed_during_stop > 0,
            "every server stopped before the kill"
        );
        eprintln!(
            "SIGKILL after SIGTERM: {killed_during_stop} of {kills_during_stop} during the stop"
        );
    }
    let rate = observations.event_count() as f64 / began.elapsed().as_secs_f64();
    eprintln!(
        "{durability}, {} stops, {pairs} rooms, {rate:.0} events per second including pauses: {}",
        stop_kinds.len(),
        observations.summary()
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn acknowledged_events_survive_kills_with_power_durability() {
    let kills = env_number("NOUGHTS_TEST_KILLS", 5) as usize;
    run_rounds(
        "power",
        &vec![StopKind::Kill; kills],
        env_number("NOUGHTS_TEST_SEED", 1),
    )
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn acknowledged_events_survive_kills_with_process_durability() {
    let kills = env_number("NOUGHTS_TEST_KILLS", 5) as usize;
    run_rounds(
        "process",
        &vec![StopKind::Kill; kills],
        env_number("NOUGHTS_TEST_SEED", 2),
    )
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stop_under_load_loses_nothing() {
    let stops = env_number("NOUGHTS_TEST_STOPS", 2) as usize;
    run_rounds(
        "power",
        &vec![StopKind::Term; stops],
        env_number("NOUGHTS_TEST_SEED", 3),
    )
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_kill_during_a_stop_loses_nothing() {
    let stops = env_number("NOUGHTS_TEST_STOPS", 2) as usize;
    run_rounds(
        "process",
        &vec![StopKind::KillDuringStop; 2 * stops],
        env_number("NOUGHTS_TEST_SEED", 4),
    )
    .await;
}
