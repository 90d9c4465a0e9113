//! How long a start takes: until a server with many events is ready, and until its players are back.
//!
//! `NOUGHTS_EVENTS=n` and `NOUGHTS_CLIENTS=n` set how many; the figures are printed. What is promised is asserted
//! of the optimised server, with a million events or a thousand clients; else only a start of another order fails.

use std::path::Path;
use std::time::Duration;

use noughts_protocol::{
    Cell, Event, Kind, Offer, Player, ResumeToken, RoomId, Seat, Seq, Stamped, TimeControl,
};
use noughts_server::log::sqlite::{Durability, Options, SqliteLog};
use noughts_server::log::{EventLog, Founding};
use noughts_server::time::Time;
use noughts_tests::chance::number;
use noughts_tests::peer::Peer;
use noughts_tests::program::{self, Folder, ServerProcess};
use noughts_tests::server::get;
use noughts_tests::wait::until;
use tokio::time::Instant;

/// How long it may take: what is promised where that can be judged, and far more on a machine that does much else.
fn bound(many: u64, of: u64) -> Duration {
    let in_earnest = cfg!(not(debug_assertions)) && many >= of;
    Duration::from_secs(if in_earnest { 3 } else { 60 })
}

/// The history of a room: a game that has come this far, or in which the players talk for ever.
fn history(length: u64, talk: bool) -> Vec<Stamped> {
    let player = |name: &str| Player { name: name.parse().expect("a name"), kind: Kind::Human };
    let clock: Option<TimeControl> = Some("60+5".parse().expect("a control"));
    let mut events = vec![
        Event::Opened { rules: "20x20:20".parse().expect("rules"), clock, public: true },
        Event::Seated { seat: Seat::X, player: player("Ann") },
        Event::Seated { seat: Seat::O, player: player("Bob") },
        Event::Started { game: 1 },
    ];
    for step in 0..length.saturating_sub(events.len() as u64) {
        let seat = if step % 2 == 0 { Seat::X } else { Seat::O };
        events.push(match (talk, seat) {
            (false, seat) => {
                let cell = Cell::new(u16::try_from(step).expect("fewer than there are cells"));
                Event::Moved { seat, cell, left: Some([3_600_000; 2]) }
            }
            (true, Seat::X) => Event::Offered { seat, offer: Offer::Draw },
            (true, Seat::O) => Event::Declined { seat, offer: Offer::Draw },
        });
    }
    let stamped = |(at, event)| Stamped { seq: Seq::new(at as u64 + 1), at: at as u64, by: None, event };
    events.into_iter().enumerate().map(stamped).collect()
}

/// A data directory with so many events, in rooms of so many each.
async fn write(data: &Path, events: u64, each: u64) {
    let options = Options::new(Durability::Process, Time::start());
    let log = SqliteLog::open(data, options).expect("a directory of the test's own");
    let history = history(each, each > 400);
    let (first, rest) = history.split_at(4);
    for room in 0..events / each {
        let tokens = [ResumeToken::from_bits(u128::from(room)), ResumeToken::from_bits(1)];
        let founding = Founding { room: RoomId::from_bits(room + 1), code: None, tokens, parties: [None; 2] };
        log.create(founding, first.to_vec()).await.expect("stored");
        for some in rest.chunks(20_000) {
            log.append(founding.room, some.to_vec(), None).await.expect("stored");
        }
    }
    tokio::task::spawn_blocking(|| drop(log)).await.expect("the log closes");
}

async fn until_ready(data: &Path, port: &str) -> (ServerProcess, Duration) {
    let data = data.to_str().expect("a path in UTF-8");
    let wide = ["--burst", "1000000", "--per-second", "1000000", "--max-per-address", "100000"];
    let rooms = ["--max-rooms", "100000", "--max-rooms-per-address", "100000", "--grace", "1h"];
    let listen = format!("127.0.0.1:{port}");
    // Built before the time runs.
    program::path("noughts-server");
    let started = Instant::now();
    let server =
        ServerProcess::start_with(&[&["--listen", &listen, "--data", data][..], &wide, &rooms].concat());
    let address = server.url.trim_start_matches("ws://").trim_end_matches("/ws");
    let address = address.parse().expect("an address");
    until("readiness", async || (get(address, "/ready").await.0 == 200).then_some(())).await;
    (server, started.elapsed())
}

#[tokio::test]
async fn a_server_with_many_events_is_soon_ready() {
    let events = number("NOUGHTS_EVENTS", 20_000);
    for (what, each) in [("rooms of 100 events", 100), ("one room", events)] {
        let data = Folder::default();
        write(data.path(), events, each).await;
        let (server, took) = until_ready(data.path(), "0").await;
        eprintln!("{events} events in {what}: ready after {} ms", took.as_millis());
        assert!(took < bound(events, 1_000_000), "{what}: {took:?}");
        server.kill();
        // The same after a kill: nothing of the work is in doubt.
        let (_server, took) = until_ready(data.path(), "0").await;
        eprintln!("{events} events in {what}, after a kill: ready after {} ms", took.as_millis());
        assert!(took < bound(events, 1_000_000), "{what}, after a kill: {took:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_was_there_before_a_kill_is_soon_back() {
    let pairs = number("NOUGHTS_CLIENTS", 100) / 2;
    let data = Folder::default();
    let (server, _) = until_ready(data.path(), "0").await;
    let mut places = Vec::new();
    for _ in 0..pairs {
        let mut x = Peer::hello(&server.url, "Ann").await;
        let code = x.create("3x3:3", Some("60+0"), Some(Seat::X), false).await;
        let mut o = Peer::hello(&server.url, "Bob").await;
        o.join(code).await.expect("a free seat");
        x.caught_up(o.game().seq()).await;
        x.play(4).await.expect("X is to move");
        places.extend([x.place().clone(), o.place().clone()]);
    }
    let url = server.url.clone();
    let port = url.trim_end_matches("/ws").rsplit(':').next().expect("a port").to_owned();
    server.kill();
    let (server, ready) = until_ready(data.path(), &port).await;
    // All at once, as nobody was told when to come back.
    let from = Instant::now();
    let back = places.into_iter().map(|place| {
        let url = server.url.clone();
        tokio::spawn(async move {
            let mut peer = Peer::hello(&url, "Back").await;
            peer.resume(&place, Some(place.game.seq())).await.expect("its seat");
            assert_eq!(peer.game().position().moves(), [Cell::new(4)]);
            (from.elapsed(), peer)
        })
    });
    let mut took = Vec::new();
    let mut peers = Vec::new();
    for back in futures::future::join_all(back).await {
        let (after, peer) = back.expect("resumed");
        took.push(after);
        peers.push(peer);
    }
    took.sort();
    let most = took[(took.len() * 99).div_ceil(100) - 1];
    eprintln!(
        "{} clients: server ready after {} ms, 99 % resumed {} ms later, all {} ms later",
        took.len(),
        ready.as_millis(),
        most.as_millis(),
        took.last().expect("somebody").as_millis()
    );
    assert!(most < bound(2 * pairs, 1_000), "{most:?}");
}
