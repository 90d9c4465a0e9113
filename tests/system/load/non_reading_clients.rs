//! Clients that never read. They watch a room, request long responses without reading them, and reconnect when the
//! server disconnects them. `NOUGHTS_TEST_NON_READING_CLIENTS=n` sets their number. The test measures the response
//! times of players and the memory of the server, in turn with and without these clients.
//!
//! With at least 200 clients, the test runs for a minute at the server's default limits and asserts the response times.
//! With fewer clients it runs for a second, and checks only that no player is disconnected and that memory is bounded.

mod client_group;

use std::pin::pin;
use std::task::Poll;
use std::time::Duration;

use futures::poll;
use noughts_protocol::Offer;
use noughts_protocol::wire::RoomCommand;
use noughts_tests::client::game_setup::{room_ref, seat_players};
use noughts_tests::client::test_client::TestClient;
use noughts_tests::rng::env_number;
use noughts_tests::server::ServerProcess;
use noughts_tests::wait::wait_until;
use tokio::time::Instant;

use client_group::{ClientGroup, MemoryWatch, ReadBehaviour};

const PAIR_COUNT: usize = 4;
/// Minimum number of clients for the assertions about response times.
const FULL_SCALE_MIN_CLIENTS: usize = 200;

/// Parameters of a measurement.
struct MeasurePlan {
    flags: &'static [&'static str],
    behaviour: ReadBehaviour,
    /// Number of rounds. Each round has a phase without the clients and a phase with them.
    rounds: usize,
    phase_time: Duration,
}

impl MeasurePlan {
    fn for_count(count: usize) -> MeasurePlan {
        if count >= FULL_SCALE_MIN_CLIENTS {
            // Each client writes as often as the default rate limit allows.
            let behaviour = ReadBehaviour {
                count,
                write_interval: Duration::from_millis(100),
            };
            MeasurePlan {
                flags: &["--set", "offer-burst=1000000"],
                behaviour,
                rounds: 10,
                phase_time: Duration::from_secs(3),
            }
        } else {
            let behaviour = ReadBehaviour {
                count,
                write_interval: Duration::from_millis(10),
            };
            MeasurePlan {
                flags: &[
                    "--set",
                    "write-timeout=500ms",
                    "--set",
                    "offer-burst=1000000",
                ],
                behaviour,
                rounds: 1,
                phase_time: Duration::from_millis(700),
            }
        }
    }
}

/// Plays for a duration; returns the sorted response times.
async fn measure_response_times(
    pairs: &mut [[TestClient; 2]],
    duration: Duration,
) -> Vec<Duration> {
    let (began, mut response_times) = (Instant::now(), Vec::new());
    while began.elapsed() < duration {
        for [x, o] in &mut *pairs {
            let sent_at = Instant::now();
            x.offer(Offer::Draw).await.expect("no offer is pending");
            response_times.push(sent_at.elapsed());
            x.send_command(RoomCommand::Decline { offer: Offer::Draw })
                .await
                .expect("an own offer can be withdrawn");
            let seq = x.game().seq();
            o.wait_until_seq(seq).await;
            for client in [&mut *x, o] {
                while client.take_buffered(|_| true).is_some() {}
            }
        }
        // The pause leaves processor time for the clients on a small machine.
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    response_times.sort_unstable();
    response_times
}

/// Runs a task while the players play, because they answer pings only then.
async fn run_during_load<T>(pairs: &mut [[TestClient; 2]], task: impl Future<Output = T>) -> T {
    let mut task = pin!(task);
    loop {
        if let Poll::Ready(result) = poll!(&mut task) {
            return result;
        }
        measure_response_times(pairs, Duration::from_millis(1)).await;
    }
}

fn permille_ms(response_times: &[Duration], permille: usize) -> f64 {
    response_times[(response_times.len() - 1) * permille / 1000].as_secs_f64() * 1000.0
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    values[values.len() / 2]
}

#[tokio::test]
async fn non_reading_clients_barely_slow_the_players() {
    let plan = MeasurePlan::for_count(env_number("NOUGHTS_TEST_NON_READING_CLIENTS", 20) as usize);
    let count = plan.behaviour.count;
    let unlimited_flags = [
        "--set",
        "rate-burst=1000000",
        "--set",
        "rate-per-second=1000000",
        "--max-per-address",
        "10000",
    ];
    let server = ServerProcess::start(&[&unlimited_flags, plan.flags].concat());
    let (mut pairs, mut rooms) = (Vec::new(), Vec::new());
    for _ in 0..PAIR_COUNT {
        let pair = seat_players(&server.url, ["Ann", "Bob"], "5x5:5", None).await;
        rooms.push(room_ref(&pair[0]));
        pairs.push(pair);
    }
    // A first run fills buffers and caches.
    measure_response_times(&mut pairs, plan.phase_time / 2).await;
    let memory = MemoryWatch::start(server.pid());
    let (mut baseline, mut loaded, mut disconnects) = (Vec::new(), Vec::new(), 0);
    for _ in 0..plan.rounds {
        baseline.push(measure_response_times(&mut pairs, plan.phase_time).await);
        let group = run_during_load(
            &mut pairs,
            ClientGroup::connect_all(server.address(), &rooms, plan.behaviour),
        )
        .await;
        loaded.push(measure_response_times(&mut pairs, plan.phase_time).await);
        disconnects += run_during_load(&mut pairs, group.stop()).await;
        let players = 2 * PAIR_COUNT as i64;
        wait_until("a message of the game", async || {
            (server.metric("noughts_connections").await == players).then_some(())
        })
        .await;
    }
    let growth_kib = memory.growth_kib();
    let ratio = |permille| {
        let rounds = baseline.iter().zip(&loaded);
        median(
            rounds
                .map(|(a, b)| permille_ms(b, permille) / permille_ms(a, permille))
                .collect(),
        )
    };
    let time = |rounds: &[Vec<Duration>], permille| {
        median(
            rounds
                .iter()
                .map(|response_times| permille_ms(response_times, permille))
                .collect(),
        )
    };
    eprintln!(
        "{count} non-reading clients, {disconnects} disconnects; memory +{:.1} MiB; medians of {} rounds: p50 {:.3} → {:.3} ms \
         ({:.2} times), p99 {:.3} → {:.3} ms ({:.2} times)",
        growth_kib as f64 / 1024.0,
        plan.rounds,
        time(&baseline, 500),
        time(&loaded, 500),
        ratio(500),
        time(&baseline, 990),
        time(&loaded, 990),
        ratio(990),
    );
    assert!(growth_kib < 32 * 1024, "memory grew by {growth_kib} KiB");
    assert!(
        disconnects >= (count * plan.rounds) as u64,
        "{disconnects} disconnects"
    );
    for code in ["4200", "4201", "1008"] {
        let closes = server
            .metric(&format!(r#"noughts_closes_total{{code="{code}"}}"#))
            .await;
        assert_eq!(closes, 0, "closed with {code}");
    }
    if count >= FULL_SCALE_MIN_CLIENTS {
        assert!(
            ratio(990) <= 1.5,
            "p99 with them is {:.2} times the one without",
            ratio(990)
        );
    }
}
