//! The server's time: what counts as time for a clock, and what does not.

use std::fs;
use std::process::{Command as Process, Stdio};
use std::sync::Arc;
use std::time::Duration;

use futures::future::join_all;
use noughts_protocol::wire::{Body, Command, Lobby, Message, RejectCode, Request};
use noughts_protocol::{Cell, Event, Offer, Outcome, RequestId, Seat, Stamped};
use noughts_server::log::MemoryLog;
use noughts_server::time::Time;
use noughts_tests::faulty::{Fault, faulty, gated};
use noughts_tests::peer::Peer;
use noughts_tests::preload::library;
use noughts_tests::program::{Folder, ServerProcess, path};
use noughts_tests::server::{Server, Setup};
use noughts_tests::table::pair;
use noughts_tests::wait::until;
use tokio::time::Instant;

const NOON: u64 = 1_700_000_000_000;
const HOUR: u64 = 3_600_000;

/// Times are told in whole milliseconds: two of them may be further apart, by less than one, than the moments were.
const ROUNDING: Duration = Duration::from_millis(1);

/// Reads on until a flag has fallen, and gives that event.
async fn flagged(peer: &mut Peer) -> Stamped {
    let is = |stamped: &Stamped| matches!(stamped.event, Event::Ended { .. });
    let has = |message: &Message| matches!(message, Message::Events { events, .. } if events.iter().any(is));
    let Message::Events { events, .. } = peer.wait_for("a flag", has).await else { unreachable!() };
    events.into_iter().find(is).expect("just seen")
}

fn id(number: u64) -> RequestId {
    RequestId::new(number).expect("small")
}

fn place(cell: u16, peer: &Peer) -> Command {
    Command::Move { cell: Cell::new(cell), seq: peer.game().seq() }
}

#[tokio::test]
async fn a_machine_whose_clock_was_set_stops_no_clock_of_a_game() {
    // Back by an hour between two runs; and a clock that was wrong by years, and is right again.
    let runs = [(NOON, NOON - HOUR), (2 * NOON, NOON), (NOON, 2 * NOON)];
    join_all(runs.map(async |(first, second)| {
        let log = Arc::new(MemoryLog::default());
        let setup = |start| {
            let mut setup = Setup { log: log.clone(), time: Time::at(start), ..Setup::default() };
            setup.limits.drain = Duration::from_millis(100);
            setup
        };
        let server = Server::with(setup(first)).await;
        let [mut x, o] = pair(&server, "3x3:3", Some("6s+0")).await;
        x.play(4).await.expect("in time");
        let (x_place, o_place) = (x.place().clone(), o.place().clone());
        server.stop().await.expect("a stop in order");

        let server = Server::with(setup(second)).await;
        let (mut x, mut o) = (server.peer("Ann").await, server.peer("Bob").await);
        x.resume(&x_place, None).await.expect("its token");
        o.resume(&o_place, None).await.expect("its token");
        let end = flagged(&mut x).await;
        let Event::Ended { outcome: Outcome::Flag { winner: Seat::X }, .. } = end.event else {
            panic!("{end:?}")
        };
        assert!(end.at >= first, "time went back within the room: {end:?}");
        // What is new is of today.
        let [fresh, _o] = pair(&server, "3x3:3", Some("6s+0")).await;
        let begun = fresh.game().at();
        assert!((second..second + HOUR).contains(&begun), "{begun} on a machine at {second}");
    }))
    .await;
}

#[tokio::test]
async fn a_clock_that_is_set_while_the_server_runs_moves_nothing() {
    let folder = Folder::default();
    let (shim, off) = (library(folder.path(), "system/time/clock.c"), folder.path().join("off"));
    let set = |hours: i64| fs::write(&off, (hours * 3600).to_string()).expect("the test's own");
    let start = || {
        let mut command = Process::new(path("noughts-server"));
        command.env("LD_PRELOAD", &shim).env("NOUGHTS_TEST_CLOCK", &off).stderr(Stdio::null());
        command.args(["--listen", "127.0.0.1:0", "--grace", "1h", "--data"]).arg(folder.path().join("data"));
        ServerProcess::of(command)
    };
    let pair = async |server: &ServerProcess| {
        let mut x = Peer::hello(&server.url, "Ann").await;
        let code = x.create("5x5:5", Some("10+0"), Some(Seat::X), false).await;
        let mut o = Peer::hello(&server.url, "Bob").await;
        o.join(code).await.expect("a free seat");
        x.caught_up(o.game().seq()).await;
        [x, o]
    };
    // What the server takes for today: the clock that it started with is the one that is off.
    set(1000);
    let server = start();
    let began = Instant::now();
    let [mut x, mut o] = pair(&server).await;
    let first = x.game().at();
    let today = fs::metadata(&off).and_then(|file| file.modified()).expect("a time");
    let today = today.duration_since(std::time::UNIX_EPOCH).expect("later").as_millis() as u64;
    assert!(first >= today + 1000 * HOUR, "the clock is not the one that was set");
    // By hours, there and back, between moves, while games have ten minutes.
    for (hours, cell) in (0..).zip([1, -1, 9_000, -9_000, 0]).map(|(cell, hours)| (hours, 2 * cell)) {
        set(1000 + hours);
        x.play(cell).await.expect("its flag has not fallen");
        o.caught_up(x.game().seq()).await;
        o.play(cell + 1).await.expect("its flag has not fallen");
        x.caught_up(o.game().seq()).await;
    }
    let ran = began.elapsed().as_millis() as u64;
    let (at, left) = (x.game().at(), x.game().clock().expect("a clock").stored());
    assert!(at - first <= ran, "{} ms in {ran}", at - first);
    assert!(left.iter().all(|left| left + ran >= 600_000), "{left:?} after {ran} ms");
    // A server that starts under a clock set back by years goes on with the time that its rooms have had.
    set(-9_000);
    let place = x.place().clone();
    server.kill();
    let server = start();
    let mut x = Peer::hello(&server.url, "Ann").await;
    x.resume(&place, None).await.expect("its seat");
    assert_eq!(x.game().clock().expect("a clock").stored()[1], left[1]);
    x.play(24).await.expect("its flag has not fallen");
    assert!(x.game().at() >= at, "time went back within the room");
}

#[tokio::test]
async fn a_log_that_stalls_takes_nobodys_time() {
    const BASE: Duration = Duration::from_secs(6);
    let (server, log) = gated().await;
    let began = Instant::now();
    let [mut x, mut o] = pair(&server, "3x3:3", Some("6s+0")).await;
    let before = log.appends();
    log.shut();
    // One waits for the log, and the other's comes behind it: both in time, for longer than a clock has.
    o.send(&Request::command(id(500), Command::Offer { offer: Offer::Draw })).await;
    until("the append", async || (log.appends() > before).then_some(())).await;
    x.send(&Request::command(id(500), place(4, &x))).await;
    // What comes behind it on the line is answered: it has arrived.
    assert_eq!(x.refused(Body::Lobby(Lobby::Cancel)).await, RejectCode::NotSeeking);
    let used = began.elapsed();
    tokio::time::sleep(BASE + Duration::from_millis(500)).await;
    let opened = Instant::now();
    log.open();
    x.caught_up(x.game().seq().next().next()).await;
    let left = x.game().clock().expect("a clock").stored();
    assert!(Duration::from_millis(left[0]) + used + ROUNDING >= BASE, "{left:?} after {used:?}");
    assert_eq!(Duration::from_millis(left[1]), BASE);
    // O's clock runs from when O could know: what O sees says so as well.
    o.snapshot().await;
    o.caught_up(x.game().seq()).await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    o.play(0).await.expect("in time");
    let (left, used) = (o.game().clock().expect("a clock").stored(), opened.elapsed());
    assert!(Duration::from_millis(left[1]) + used + ROUNDING >= BASE, "{left:?} after {used:?}");
    assert!(Duration::from_millis(left[1] + 1000) <= BASE, "{left:?}");
}

#[tokio::test]
async fn a_log_that_fails_takes_nobodys_time_and_gives_none_away() {
    join_all([Fault::Fail, Fault::Lose, Fault::Hush].map(async |fault| {
        const BASE: Duration = Duration::from_secs(6);
        let (server, log) = faulty().await;
        let began = Instant::now();
        let [mut x, mut o] = pair(&server, "3x3:3", Some("6s+0")).await;
        log.set_healthy(false);
        log.next(&[fault]);
        let mut still = Duration::ZERO;
        if fault == Fault::Fail {
            // Time stands still as long as nothing can be stored, whoever tries or does not.
            let refused = x.ask_as(id(500), Body::Command(place(4, &x))).await.unwrap_err();
            assert_eq!(refused.code, RejectCode::Unavailable);
            still = BASE + Duration::from_millis(500);
            tokio::time::sleep(still).await;
            log.set_healthy(true);
            x.snapshot().await;
        } else {
            // It is known again after a while, whether it was stored or not.
            x.send(&Request::command(id(500), place(4, &x))).await;
            o.snapshot().await;
            log.set_healthy(true);
        }
        if o.game().position().ply() == 0 {
            x.play(4).await.expect("in time");
        }
        let used = began.elapsed() - still;
        let end = flagged(&mut o).await;
        let Event::Ended { outcome: Outcome::Flag { winner }, left: Some(left) } = end.event else {
            panic!("{fault:?}: {end:?}")
        };
        assert_eq!((winner, left[1]), (Seat::X, 0), "{fault:?}");
        assert!(
            Duration::from_millis(left[0]) + used + ROUNDING >= BASE,
            "{fault:?}: {left:?} after {used:?}"
        );
    }))
    .await;
}

#[tokio::test]
async fn time_that_stands_still_runs_again_without_being_asked() {
    let (server, log) = faulty().await;
    let [mut x, mut o] = pair(&server, "3x3:3", Some("6s+0")).await;
    log.set_healthy(false);
    log.next(&[Fault::Fail]);
    x.ask_as(id(500), Body::Command(place(4, &x))).await.unwrap_err();
    log.set_healthy(true);
    let Event::Ended { outcome, .. } = flagged(&mut o).await.event else { unreachable!() };
    assert_eq!(outcome, Outcome::Flag { winner: Seat::O });
}

#[tokio::test]
async fn a_server_that_was_stopped_has_no_time_to_hold_against_anybody() {
    // Everything that could run out would, within the stop.
    let limits = ["--grace", "7s", "--abandon", "8s", "--left-grace", "7s", "--ping", "3s", "--hello", "8s"];
    let server = ServerProcess::start(&limits);
    let [mut a, mut b] = [Peer::hello(&server.url, "Ann").await, Peer::hello(&server.url, "Bob").await];
    let mut silent = Peer::connect(&server.url).await;
    let began = Instant::now();
    for peer in [&mut a, &mut b] {
        peer.seek("3x3:3", Some("8s+0"), None).await;
    }
    let (a_seat, b_seat) = {
        a.snapshot().await;
        b.snapshot().await;
        (a.seat(), b.seat())
    };
    let (mut x, o) = if a_seat == Seat::X { (a, b) } else { (b, a) };
    assert_ne!(a_seat, b_seat);
    // One of both is away.
    let gone = o.cut();
    x.notice("absence", |notice| matches!(notice, noughts_protocol::wire::Notice::Presence { .. })).await;
    let used = began.elapsed();
    server.signal("STOP");
    tokio::time::sleep(Duration::from_secs(10)).await;
    server.signal("CONT");
    let went_on = Instant::now();
    x.snapshot().await;
    let (left, used) = (x.game().left(x.game().at()).expect("a clock"), used + went_on.elapsed());
    assert!(
        Duration::from_millis(left[0]) + used + ROUNDING >= Duration::from_secs(8),
        "what X sees is what X has: {left:?} after {used:?}"
    );
    x.play(4).await.expect("its flag has not fallen");
    let mut o = Peer::hello(&server.url, "Bob").await;
    o.resume(&gone, None).await.expect("its seat was kept");
    o.play(0).await.expect("the game is on");
    x.caught_up(o.game().seq()).await;
    assert!(x.game().outcome().is_none());
    silent.greet("Late").await;
}

#[tokio::test]
async fn of_a_kill_only_the_outage_counts_for_nobody() {
    let data = Folder::default();
    let start = || ServerProcess::durable(data.path(), "power", &["--drain", "100ms"]);
    let server = start();
    let mut x = Peer::hello(&server.url, "Ann").await;
    let room = x.create("3x3:3", Some("10+0"), Some(Seat::X), false).await;
    let began = Instant::now();
    Peer::hello(&server.url, "Bob").await.join(room).await.expect("a free seat");
    x.event("the beginning", |event| matches!(event, Event::Started { .. })).await;
    // X thinks for several beats.
    tokio::time::sleep(Duration::from_secs(6)).await;
    let place = x.cut();
    server.kill();
    let thought = began.elapsed();
    tokio::time::sleep(Duration::from_secs(2)).await;
    let again = Instant::now();
    let server = start();
    let mut x = Peer::hello(&server.url, "Ann").await;
    x.resume(&place, None).await.expect("its seat");
    let left = x.game().left(x.game().at()).expect("a clock")[0];
    let most = thought + again.elapsed();
    assert!(left < 600_000, "all of {thought:?} was given back");
    assert!(
        Duration::from_millis(left) + most >= Duration::from_secs(600),
        "{left} ms are left after {thought:?}"
    );
}
