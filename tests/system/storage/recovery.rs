//! Duration of a restart: until a server with many events is ready, and until its players are back.
//!
//! `NOUGHTS_TEST_EVENTS=n` and `NOUGHTS_TEST_CLIENTS=n` set the scale; the durations are printed. The
//! guaranteed limits are asserted for an optimised server with a million events or a thousand clients;
//! otherwise the limits are generous.

use std::path::Path;
use std::time::Duration;

use noughts_protocol::{
    Cell, Event, EventRecord, Offer, Player, PlayerKind, ResumeToken, RoomId, Seat, Seq,
    TimeControl,
};
use noughts_server::testing::ServerClock;
use noughts_server::testing::{Durability, SqliteLog, SqliteOptions};
use noughts_server::testing::{EventLog, RoomSecrets};
use noughts_tests::client::game_setup::seat_players;
use noughts_tests::client::test_client::TestClient;
use noughts_tests::program::{self, TempDir};
use noughts_tests::rng::env_number;
use noughts_tests::server::ServerProcess;
use noughts_tests::server::get;
use noughts_tests::wait::wait_until;
use tokio::time::Instant;

/// Returns the limit: the guaranteed time for an optimised server at full scale, otherwise a generous time.
fn time_limit(count: u64, reference: u64) -> Duration {
    let in_earnest = cfg!(not(debug_assertions)) && count >= reference;
    Duration::from_secs(if in_earnest { 3 } else { 60 })
}

/// Generates a history: a game of this length, or a game with endless offers.
fn generate_history(length: u64, with_offers: bool) -> Vec<EventRecord> {
    let player = |name: &str| Player::guest(name.parse().expect("a name"), PlayerKind::Person);
    let clock: Option<TimeControl> = Some("60+5".parse().expect("a control"));
    let mut events = vec![
        Event::Opened {
            rules: "20x20:20".parse().expect("rules"),
            clock,
            public: true,
            free_first_moves: false,
        },
        Event::Seated {
            seat: Seat::X,
            player: player("Ann"),
        },
        Event::Seated {
            seat: Seat::O,
            player: player("Bob"),
        },
        Event::Started { game: 1 },
    ];
    for step in 0..length.saturating_sub(events.len() as u64) {
        let seat = if step % 2 == 0 { Seat::X } else { Seat::O };
        events.push(match (with_offers, seat) {
            (false, seat) => {
                let cell = Cell::new(u16::try_from(step).expect("fewer than there are cells"));
                Event::Moved {
                    seat,
                    cell,
                    left: Some([3_600_000; 2]),
                }
            }
            (true, Seat::X) => Event::Offered {
                seat,
                offer: Offer::Draw,
            },
            (true, Seat::O) => Event::Declined {
                seat,
                offer: Offer::Draw,
            },
        });
    }
    let to_record = |(at, event)| EventRecord {
        seq: Seq::new(at as u64 + 1),
        at: at as u64,
        by: None,
        event,
    };
    events.into_iter().enumerate().map(to_record).collect()
}

/// Writes a data directory with `events` events, `events_per_room` in each room.
async fn write_log(data: &Path, events: u64, events_per_room: u64) {
    let options = SqliteOptions::new(Durability::Process, ServerClock::start());
    let log = SqliteLog::open(data, options).expect("a directory of this test");
    let history = generate_history(events_per_room, events_per_room > 400);
    let (first, rest) = history.split_at(4);
    for room in 0..events / events_per_room {
        let tokens = [
            ResumeToken::from_bits(u128::from(room)),
            ResumeToken::from_bits(1),
        ];
        let secrets = RoomSecrets {
            room: RoomId::from_bits(room + 1),
            code: None,
            tokens,
            parties: [None; 2],
            left: [false; 2],
        };
        log.create(secrets, first.to_vec()).await.expect("stored");
        for chunk in rest.chunks(20_000) {
            log.append(secrets.room, chunk.to_vec(), None)
                .await
                .expect("stored");
        }
    }
    tokio::task::spawn_blocking(|| drop(log))
        .await
        .expect("the log can be closed");
}

async fn start_until_ready(data: &Path, port: &str) -> (ServerProcess, Duration) {
    let data = data.to_str().expect("a path in UTF-8");
    let unlimited_flags = [
        "--set",
        "rate-burst=1000000",
        "--set",
        "rate-per-second=1000000",
        "--max-per-address",
        "100000",
    ];
    let rooms = [
        "--max-rooms",
        "100000",
        "--set",
        "max-rooms-per-address=100000",
        "--set",
        "reconnect-grace=1h",
    ];
    let listen = format!("127.0.0.1:{port}");
    // The server is built before the measurement.
    program::binary_path("noughts-server");
    let started = Instant::now();
    let server = ServerProcess::start_with(
        &[
            &["--listen", &listen, "--data", data][..],
            &unlimited_flags,
            &rooms,
        ]
        .concat(),
    );
    wait_until("readiness", async || {
        (get(server.address(), "/ready").await.0 == 200).then_some(())
    })
    .await;
    (server, started.elapsed())
}

#[tokio::test]
async fn a_server_with_many_events_starts_quickly() {
    let events = env_number("NOUGHTS_TEST_EVENTS", 20_000);
    for (what, events_per_room) in [("rooms of 100 events", 100), ("one room", events)] {
        let data = TempDir::default();
        write_log(data.path(), events, events_per_room).await;
        let (server, durations) = start_until_ready(data.path(), "0").await;
        eprintln!(
            "{events} events in {what}: ready after {} ms",
            durations.as_millis()
        );
        assert!(
            durations < time_limit(events, 1_000_000),
            "{what}: {durations:?}"
        );
        server.kill();
        // A start after a kill has the same result, because no request is in doubt.
        let (_server, durations) = start_until_ready(data.path(), "0").await;
        eprintln!(
            "{events} events in {what}, after a kill: ready after {} ms",
            durations.as_millis()
        );
        assert!(
            durations < time_limit(events, 1_000_000),
            "{what}, after a kill: {durations:?}"
        );
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn clients_reconnect_quickly_after_a_kill() {
    let pairs = env_number("NOUGHTS_TEST_CLIENTS", 100) / 2;
    let data = TempDir::default();
    let (server, _) = start_until_ready(data.path(), "0").await;
    let mut seat_infos = Vec::new();
    for _ in 0..pairs {
        let [mut x, o] = seat_players(&server.url, ["Ann", "Bob"], "3x3:3", Some("60+0")).await;
        x.play(4).await.expect("X is to move");
        seat_infos.extend([x.seat_info().clone(), o.seat_info().clone()]);
    }
    let url = server.url.clone();
    let port = url
        .trim_end_matches("/ws")
        .rsplit(':')
        .next()
        .expect("a port")
        .to_owned();
    server.kill();
    let (server, ready) = start_until_ready(data.path(), &port).await;
    // All clients reconnect at the same time, because the server has announced no restart.
    let from = Instant::now();
    let reconnects = seat_infos.into_iter().map(|seat_info| {
        let url = server.url.clone();
        tokio::spawn(async move {
            let mut client = TestClient::connect_as(&url, "Back").await;
            client
                .resume(&seat_info, Some(seat_info.game.seq()))
                .await
                .expect("its seat");
            assert_eq!(client.game().position().moves(), [Cell::new(4)]);
            (from.elapsed(), client)
        })
    });
    let mut durations = Vec::new();
    let mut clients = Vec::new();
    for result in futures::future::join_all(reconnects).await {
        let (after, client) = result.expect("resumed");
        durations.push(after);
        clients.push(client);
    }
    durations.sort();
    let p99 = durations[(durations.len() * 99).div_ceil(100) - 1];
    eprintln!(
        "{} clients: server ready after {} ms, 99 % resumed {} ms later, all {} ms later",
        durations.len(),
        ready.as_millis(),
        p99.as_millis(),
        durations.last().expect("a client").as_millis()
    );
    assert!(p99 < time_limit(2 * pairs, 1_000), "{p99:?}");
}
