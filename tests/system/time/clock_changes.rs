//! Time that counts for a clock, and time that does not.

use std::fs;
use std::process::{Command as Process, Stdio};
use std::time::Duration;

use futures::future::join_all;
use noughts_protocol::wire::{
    Message, RejectCode, Request, RequestBody, RoomCommand, SessionRequest,
};
use noughts_protocol::{Cell, Event, EventRecord, Offer, Outcome, Seat};
use noughts_tests::client::game_setup::{pair_players, play_moves, request_id, seat_players};
use noughts_tests::client::test_client::TestClient;
use noughts_tests::faults::failing_store::{
    AppendFailure, start_with_blocking_store, start_with_failing_store,
};
use noughts_tests::faults::preload::build_library;
use noughts_tests::program::{TempDir, binary_path};
use noughts_tests::server::ServerProcess;
use noughts_tests::wait::wait_until;
use tokio::time::Instant;

const HOUR_MS: u64 = 3_600_000;

/// Times are rounded to milliseconds, so the difference of two times may be off by less than a millisecond.
const ROUNDING_TOLERANCE: Duration = Duration::from_millis(1);

/// Waits for the event of a flag fall.
async fn wait_for_flag(client: &mut TestClient) -> EventRecord {
    let is = |record: &EventRecord| matches!(record.event, Event::Ended { .. });
    let has = |message: &Message| matches!(message, Message::Events { events, .. } if events.iter().any(is));
    let Message::Events { events, .. } = client.wait_for("a flag", has).await else {
        unreachable!()
    };
    events
        .into_iter()
        .find(is)
        .expect("wait_for checks the event")
}

fn move_command(cell: u16, client: &TestClient) -> RoomCommand {
    RoomCommand::Move {
        cell: Cell::new(cell),
        seq: client.game().seq(),
    }
}

#[tokio::test]
async fn a_clock_set_while_running_does_not_affect_game_clocks() {
    let folder = TempDir::default();
    let (shim, offset_file) = (
        build_library(folder.path(), "system/time/clock_changes/clock.c"),
        folder.path().join("off"),
    );
    let set = |hours: i64| {
        fs::write(&offset_file, (hours * 3600).to_string()).expect("a path of this test");
    };
    let start = || {
        let mut command = Process::new(binary_path("noughts-server"));
        command
            .env("LD_PRELOAD", &shim)
            .env("NOUGHTS_TEST_CLOCK", &offset_file)
            .stderr(Stdio::null());
        command
            .args([
                "--listen",
                "127.0.0.1:0",
                "--set",
                "reconnect-grace=1h",
                "--data",
            ])
            .arg(folder.path().join("data"));
        ServerProcess::start_command(command)
    };
    let pair = async |server: &ServerProcess| {
        seat_players(&server.url, ["Ann", "Bob"], "5x5:5", Some("10+0")).await
    };
    // The clock is already wrong when the server starts.
    set(1000);
    let server = start();
    let began = Instant::now();
    let [mut x, mut o] = pair(&server).await;
    let first = x.game().last_event_at();
    let today = fs::metadata(&offset_file)
        .and_then(|file| file.modified())
        .expect("a time");
    let today = today
        .duration_since(std::time::UNIX_EPOCH)
        .expect("later")
        .as_millis() as u64;
    assert!(
        first >= today + 1000 * HOUR_MS,
        "the server does not use the clock that was set"
    );
    // The clock changes by hours between the moves of games with ten minutes a side.
    for (hours, cell) in (0..)
        .zip([1, -1, 9_000, -9_000, 0])
        .map(|(cell, hours)| (hours, 2 * cell))
    {
        set(1000 + hours);
        x.play(cell).await.expect("its flag has not fallen");
        o.wait_until_seq(x.game().seq()).await;
        o.play(cell + 1).await.expect("its flag has not fallen");
        x.wait_until_seq(o.game().seq()).await;
    }
    let elapsed_ms = began.elapsed().as_millis() as u64;
    let (at, left) = (
        x.game().last_event_at(),
        x.game().clock().expect("a clock").left_at_last_stop(),
    );
    assert!(
        at - first <= elapsed_ms,
        "{} ms in {elapsed_ms}",
        at - first
    );
    assert!(
        left.iter().all(|left| left + elapsed_ms >= 600_000),
        "{left:?} after {elapsed_ms} ms"
    );
    // A server that starts with a clock set back by years continues from the time of its rooms.
    set(-9_000);
    let seat_info = x.seat_info().clone();
    server.kill();
    let server = start();
    let mut x = TestClient::connect_as(&server.url, "Ann").await;
    x.resume(&seat_info, None).await.expect("its seat");
    assert_eq!(
        x.game().clock().expect("a clock").left_at_last_stop()[1],
        left[1]
    );
    x.play(24).await.expect("its flag has not fallen");
    assert!(
        x.game().last_event_at() >= at,
        "time went back within the room"
    );
    let [new, _o] = pair(&server).await;
    assert!(
        new.game().last_event_at() < today,
        "a new game does not have the current time"
    );
}

#[tokio::test]
async fn a_stalling_store_costs_no_player_time() {
    const BASE_TIME: Duration = Duration::from_secs(3);
    let (server, log) = start_with_blocking_store().await;
    let began = Instant::now();
    let mut players = pair_players(&server, "3x3:3", Some("3s+0")).await;
    // The first moves cost no time.
    play_moves(&mut players, &[7, 8]).await;
    let [mut x, mut o] = players;
    let before = log.append_count();
    log.block_appends();
    // One request waits for the log and a second request waits behind it: both arrived in time, and wait for longer
    // than the clock has.
    o.send(&Request::command(
        request_id(500),
        RoomCommand::Offer { offer: Offer::Draw },
    ))
    .await;
    wait_until("the append", async || {
        (log.append_count() > before).then_some(())
    })
    .await;
    x.send(&Request::command(request_id(500), move_command(4, &x)))
        .await;
    // A later request on the same connection is answered, so both have arrived.
    assert_eq!(
        x.expect_reject(RequestBody::Session(SessionRequest::Cancel))
            .await,
        RejectCode::NotSeeking
    );
    let used = began.elapsed();
    tokio::time::sleep(BASE_TIME + Duration::from_millis(500)).await;
    let opened = Instant::now();
    log.unblock_appends();
    x.wait_until_seq(x.game().seq().next().next()).await;
    let left = x.game().clock().expect("a clock").left_at_last_stop();
    assert!(
        Duration::from_millis(left[0]) + used + ROUNDING_TOLERANCE >= BASE_TIME,
        "{left:?} after {used:?}"
    );
    assert_eq!(Duration::from_millis(left[1]), BASE_TIME);
    // O's clock starts when O could see the move, also in O's snapshot.
    o.next_snapshot().await;
    o.wait_until_seq(x.game().seq()).await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    o.play(0).await.expect("in time");
    let (left, used) = (
        o.game().clock().expect("a clock").left_at_last_stop(),
        opened.elapsed(),
    );
    assert!(
        Duration::from_millis(left[1]) + used + ROUNDING_TOLERANCE >= BASE_TIME,
        "{left:?} after {used:?}"
    );
    assert!(
        Duration::from_millis(left[1] + 1000) <= BASE_TIME,
        "{left:?}"
    );
}

#[tokio::test]
async fn a_failing_store_changes_no_player_time() {
    join_all(
        [
            AppendFailure::Unavailable,
            AppendFailure::LostWithoutReply,
            AppendFailure::StoredWithoutReply,
        ]
        .map(async |fault| {
            const BASE_TIME: Duration = Duration::from_secs(2);
            let (server, log) = start_with_failing_store().await;
            let began = Instant::now();
            let [mut x, mut o] = pair_players(&server, "3x3:3", Some("2s+0")).await;
            log.set_healthy(false);
            log.fail_next_appends(&[fault]);
            let mut still = Duration::ZERO;
            if fault == AppendFailure::Unavailable {
                // The clocks of games stop while the log cannot store events, whether players send requests or not.
                let reject = x
                    .request_with_id(request_id(500), RequestBody::Command(move_command(4, &x)))
                    .await
                    .unwrap_err();
                assert_eq!(reject.code, RejectCode::Unavailable);
                still = BASE_TIME + Duration::from_millis(500);
                tokio::time::sleep(still).await;
                log.set_healthy(true);
                x.next_snapshot().await;
            } else {
                // The outcome is unknown at first. After some time, the room knows whether the move was stored.
                x.send(&Request::command(request_id(500), move_command(4, &x)))
                    .await;
                o.next_snapshot().await;
                log.set_healthy(true);
            }
            if o.game().position().ply() == 0 {
                x.play(4).await.expect("in time");
            }
            let used = began.elapsed() - still;
            let end = wait_for_flag(&mut o).await;
            let Event::Ended {
                outcome: Outcome::Flag { winner },
                left: Some(left),
            } = end.event
            else {
                panic!("{fault:?}: {end:?}")
            };
            assert_eq!((winner, left[1]), (Seat::X, 0), "{fault:?}");
            assert!(
                Duration::from_millis(left[0]) + used + ROUNDING_TOLERANCE >= BASE_TIME,
                "{fault:?}: {left:?} after {used:?}"
            );
        }),
    )
    .await;
}

#[tokio::test]
async fn a_suspended_server_charges_no_time() {
    // Every timeout is shorter than the time that the server is stopped.
    let limits = [
        "--set",
        "reconnect-grace=3s",
        "--set",
        "abandon-after=4s",
        "--set",
        "leave-grace=3s",
        "--set",
        "ping-interval=1s",
        "--set",
        "hello-timeout=3s",
    ];
    let server = ServerProcess::start(&limits);
    let [mut a, mut b] = [
        TestClient::connect_as(&server.url, "Ann").await,
        TestClient::connect_as(&server.url, "Bob").await,
    ];
    let began = Instant::now();
    for client in [&mut a, &mut b] {
        client.seek("3x3:3", Some("4s+0"), None).await;
    }
    let (a_seat, b_seat) = {
        a.next_snapshot().await;
        b.next_snapshot().await;
        (a.seat(), b.seat())
    };
    let (mut x, o) = if a_seat == Seat::X { (a, b) } else { (b, a) };
    assert_ne!(a_seat, b_seat);
    // One of the two players is absent.
    let disconnected = o.disconnect();
    x.wait_for_notice("absence", |notice| {
        matches!(notice, noughts_protocol::wire::Notice::Presence { .. })
    })
    .await;
    let mut silent = TestClient::connect(&server.url).await;
    let used = began.elapsed();
    server.send_signal("STOP");
    tokio::time::sleep(Duration::from_millis(4500)).await;
    server.send_signal("CONT");
    let continued_at = Instant::now();
    x.next_snapshot().await;
    let (left, used) = (
        x.game().left(x.game().last_event_at()).expect("a clock"),
        used + continued_at.elapsed(),
    );
    assert!(
        Duration::from_millis(left[0]) + used + ROUNDING_TOLERANCE >= Duration::from_secs(4),
        "what X sees is what X has: {left:?} after {used:?}"
    );
    x.play(4).await.expect("its flag has not fallen");
    let mut o = TestClient::connect_as(&server.url, "Bob").await;
    o.resume(&disconnected, None)
        .await
        .expect("its seat was kept");
    o.play(0).await.expect("a game is running");
    x.wait_until_seq(o.game().seq()).await;
    assert!(x.game().outcome().is_none());
    silent.greet("Late").await;
}
