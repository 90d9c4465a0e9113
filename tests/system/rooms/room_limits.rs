//! Limits of rooms and of request values, and the behaviour beyond each.

use std::net::Ipv4Addr;
use std::time::Duration;

use noughts_protocol::wire::{
    Message, Notice, Presence, RejectCode, RequestBody, RoomCommand, SessionRequest,
};
use noughts_protocol::{Cell, Event, Outcome, RequestId, RoomCloseReason, RoomRef, Seat, Seq};
use noughts_tests::client::game_setup::{
    create_request, pair_players, play_moves, room_ref, seek_request,
};
use noughts_tests::client::test_client::TestClient;
use noughts_tests::faults::failing_store::{AppendFailure, FailingStore};
use noughts_tests::server::{ServerProcess, TestServer, TestServerOptions};
use noughts_tests::wait::wait_until;
use tokio::net::TcpSocket;

const MILLISECOND: Duration = Duration::from_millis(1);

#[tokio::test]
async fn rooms_are_limited_in_total() {
    let server = TestServer::start_with_limits(|limits| limits.max_rooms = 1).await;
    let [mut a, mut b, mut c] = [
        server.connect_client("A").await,
        server.connect_client("B").await,
        server.connect_client("C").await,
    ];
    a.create("3x3:3", None, None, false).await;
    assert_eq!(
        b.expect_reject(create_request("3x3:3", None, None, true))
            .await,
        RejectCode::ServerFull
    );
    // Paired clients get a reject for their own seek and leave the queue.
    let ids = [RequestId::new(50).unwrap(), RequestId::new(60).unwrap()];
    for (test_client, id) in [&mut b, &mut c].into_iter().zip(ids) {
        let response = test_client
            .request_with_id(id, seek_request("3x3:3", None, None))
            .await;
        assert!(matches!(response, Ok(Message::Done { .. })), "{response:?}");
    }
    for (test_client, id) in [&mut b, &mut c].into_iter().zip(ids) {
        let full = test_client
            .wait_for_response(id, None)
            .await
            .expect_err("no room is free");
        assert_eq!(full.code, RejectCode::ServerFull);
        assert_eq!(
            test_client
                .expect_reject(RequestBody::Session(SessionRequest::Cancel))
                .await,
            RejectCode::NotSeeking
        );
    }
    a.request(RequestBody::Session(SessionRequest::Leave))
        .await
        .expect("the client has left");
    wait_until("the room is closed", async || {
        (server.metric("noughts_rooms").await == 0).then_some(())
    })
    .await;
    b.create("3x3:3", None, None, true).await;
}

#[tokio::test]
async fn spectators_are_limited_per_room() {
    let server = TestServer::start_with_limits(|limits| limits.max_spectators = 1).await;
    let mut players = pair_players(&server, "3x3:3", None).await;
    let room = room_ref(&players[0]);
    let [mut one, mut two] = [
        server.connect_client("One").await,
        server.connect_client("Two").await,
    ];
    assert!(one.watch(room).await.is_ok());
    assert_eq!(
        two.watch(room).await.expect_err("full").code,
        RejectCode::RoomFull
    );
    one.request(RequestBody::Session(SessionRequest::Leave))
        .await
        .expect("the client has left");
    assert!(two.watch(room).await.is_ok());
    play_moves(&mut players, &[4]).await;
    two.wait_for_event("the move", |event| matches!(event, Event::Moved { .. }))
        .await;
}

#[tokio::test]
async fn a_full_room_inbox_rejects_as_busy() {
    let log = FailingStore::new();
    let mut setup = TestServerOptions {
        log: log.clone(),
        ..TestServerOptions::default()
    };
    (setup.limits.room_inbox, setup.limits.append_timeout) = (4, Duration::from_secs(600));
    let server = TestServer::start_with(setup).await;
    let [mut x, mut o] = pair_players(&server, "3x3:3", None).await;
    let seq = x.game().seq();
    log.block_appends();
    let before = log.append_count();
    // The room has finished its start when the append is requested.
    x.send_text(&format!(
        r#"{{"type":"move","id":100,"cell":4,"seq":{seq}}}"#
    ))
    .await;
    wait_until("the append", async || {
        (log.append_count() > before).then_some(())
    })
    .await;
    for id in 101..110 {
        x.send_text(&format!(
            r#"{{"type":"move","id":{id},"cell":{},"seq":{seq}}}"#,
            id - 101
        ))
        .await;
    }
    let mut busy = vec![];
    for id in 105..110 {
        let id = RequestId::new(id).unwrap();
        busy.push(
            x.wait_for_response(id, Some(Seat::X))
                .await
                .expect_err("busy")
                .code,
        );
    }
    assert_eq!(busy, [RejectCode::Busy; 5]);
    log.unblock_appends();
    o.wait_for_event("the move", |event| matches!(event, Event::Moved { .. }))
        .await;
    for id in 101..105 {
        let response = x
            .wait_for_response(RequestId::new(id).unwrap(), Some(Seat::X))
            .await;
        assert!(
            response.is_err_and(|reject| reject.code == RejectCode::Stale),
            "{id} was sent too early"
        );
    }
    assert_eq!(x.game().seq().get(), seq.get() + 1);
}

/// Starts a room with a blocked log, an inbox of four, two players and a spectator.
async fn start_stalled_room() -> (
    TestServer,
    std::sync::Arc<FailingStore>,
    [noughts_tests::client::test_client::TestClient; 3],
) {
    let log = FailingStore::new();
    let mut setup = TestServerOptions {
        log: log.clone(),
        ..TestServerOptions::default()
    };
    (setup.limits.room_inbox, setup.limits.append_timeout) = (4, Duration::from_secs(600));
    let server = TestServer::start_with(setup).await;
    let [mut x, o] = pair_players(&server, "3x3:3", None).await;
    let mut spectator = server.connect_client("Fan").await;
    spectator.watch(room_ref(&x)).await.expect("public");
    log.block_appends();
    let before = log.append_count();
    x.send_text(&format!(
        r#"{{"type":"move","id":100,"cell":4,"seq":{}}}"#,
        x.game().seq()
    ))
    .await;
    wait_until("the append", async || {
        (log.append_count() > before).then_some(())
    })
    .await;
    (server, log, [x, o, spectator])
}

#[tokio::test]
async fn spectators_cannot_fill_the_inbox_of_players() {
    let (_server, log, [_x, mut o, mut spectator]) = start_stalled_room().await;
    let seq = RequestId::MAX;
    for id in 200..206 {
        spectator
            .send_text(&format!(r#"{{"type":"sync","id":{id},"seq":{seq}}}"#))
            .await;
    }
    for id in 202..206 {
        let busy = spectator
            .wait_for_response(RequestId::new(id).unwrap(), None)
            .await
            .expect_err("the spectators' share is full");
        assert_eq!(busy.code, RejectCode::Busy, "{id}");
    }
    // Half of the inbox is reserved for the players: their requests wait.
    o.send_text(r#"{"type":"offer","id":300,"offer":"draw"}"#)
        .await;
    o.send_text(r#"{"type":"list","id":301}"#).await;
    o.wait_for_response(RequestId::new(301).unwrap(), None)
        .await
        .expect("the lobby is not affected");
    log.unblock_appends();
    let response = o
        .wait_for_response(RequestId::new(300).unwrap(), Some(Seat::O))
        .await;
    assert!(
        matches!(response, Ok(Message::Events { .. })),
        "{response:?}"
    );
    spectator
        .wait_for_response(RequestId::new(200).unwrap(), None)
        .await
        .expect("the request was in time");
}

#[tokio::test]
async fn a_connection_can_close_while_its_room_is_busy() {
    let (server, log, [mut x, o, spectator]) = start_stalled_room().await;
    for id in 101..110 {
        x.send_text(&format!(r#"{{"type":"resign","id":{id}}}"#))
            .await;
    }
    // The inbox is full, and the room does not read it.
    let busy = x
        .wait_for_response(RequestId::new(109).unwrap(), Some(Seat::X))
        .await
        .expect_err("full");
    assert_eq!(busy.code, RejectCode::Busy);
    drop((o, spectator));
    wait_until("the other clients to leave", async || {
        (server.metric("noughts_connections").await == 1).then_some(())
    })
    .await;
    log.unblock_appends();
    // The notice is delivered nevertheless.
    x.wait_for_notice("absence", |notice| {
        matches!(
            notice,
            Notice::Presence {
                seat: Seat::O,
                presence: Presence::Disconnected,
                ..
            }
        )
    })
    .await;
}

#[tokio::test]
async fn appends_have_a_timeout() {
    let log = FailingStore::new();
    let mut setup = TestServerOptions {
        log: log.clone(),
        ..TestServerOptions::default()
    };
    setup.limits.append_timeout = 200 * MILLISECOND;
    let server = TestServer::start_with(setup).await;
    let [mut x, _o] = pair_players(&server, "3x3:3", None).await;
    log.fail_next_appends(&[AppendFailure::LostWithoutReply]);
    assert_eq!(
        x.play(4).await.expect_err("no answer").code,
        RejectCode::Unavailable
    );
    assert_eq!(server.metric("noughts_append_failures_total").await, 1);
    wait_until("the append is repeated", async || x.play(4).await.ok()).await;
}

#[tokio::test]
async fn an_idle_room_closes() {
    let server =
        TestServer::start_with_limits(|limits| limits.room_idle_timeout = 300 * MILLISECOND).await;
    let mut alone = server.connect_client("Ann").await;
    alone.create("3x3:3", None, None, true).await;
    let closed = alone
        .wait_for_event("the end of the room", |event| {
            matches!(event, Event::Closed { .. })
        })
        .await;
    assert_eq!(
        closed,
        Event::Closed {
            reason: RoomCloseReason::Idle
        }
    );
    // The same after a game; the clients are free for other rooms.
    let mut players = pair_players(&server, "3x3:3", None).await;
    play_moves(&mut players, &[4, 0, 2, 1, 6]).await;
    for test_client in &mut players {
        let closed = test_client
            .wait_for_event("the end of the room", |event| {
                matches!(event, Event::Closed { .. })
            })
            .await;
        assert_eq!(
            closed,
            Event::Closed {
                reason: RoomCloseReason::Idle
            }
        );
        assert_eq!(
            test_client
                .expect_reject(RequestBody::Command(RoomCommand::Resign))
                .await,
            RejectCode::NotInRoom
        );
    }
    alone.create("3x3:3", None, None, true).await;
    drop((alone, players));
    server.wait_until_idle().await;
}

#[tokio::test]
async fn an_idle_game_is_drawn() {
    let server =
        TestServer::start_with_limits(|limits| limits.game_idle_timeout = 300 * MILLISECOND).await;
    let mut players = pair_players(&server, "3x3:3", None).await;
    play_moves(&mut players, &[4]).await;
    for test_client in &mut players {
        let ended = test_client
            .wait_for_event("the end of the game", |event| {
                matches!(event, Event::Ended { .. })
            })
            .await;
        let Event::Ended { outcome, .. } = ended else {
            unreachable!()
        };
        assert_eq!(outcome, Outcome::Abandoned { winner: None });
        assert_eq!(
            test_client.game().close_reason(),
            Some(RoomCloseReason::Idle)
        );
    }
}

#[tokio::test]
async fn invalid_values_are_rejected_by_field() {
    let server = TestServer::start().await;
    let mut test_client = server.connect_client("Ann").await;
    let create = |rules: &str| format!(r#""type":"create","rules":"{rules}""#);
    let name =
        |name: &str| format!(r#""type":"hello","versions":[1,1],"kind":"bot","name":"{name}""#);
    let cases = [
        (name(&"x".repeat(25)), "name"),
        (name(&"界".repeat(13)), "name"),
        (name(""), "name"),
        (name("   "), "name"),
        (name("a\\u001bb"), "name"),
        (name("a\\u0000b"), "name"),
        (name("a\\u202eb"), "name"),
        (name("a\\u2066b"), "name"),
        (name("a\\nb"), "name"),
        (
            format!(r#"{},"client":"{}""#, name("Ann"), "x".repeat(65)),
            "client",
        ),
        (create("26x5:5"), "rules"),
        (create("25x25x2:5"), "rules"),
        (create("3x3:4"), "rules"),
        (create("0x3:3"), "rules"),
        (create("2x2x2x2x2:2"), "rules"),
        (create("99999999999x3:3"), "rules"),
        (format!(r#"{},"clock":"forever""#, create("3x3:3")), "clock"),
        (format!(r#"{},"seat":"z""#, create("3x3:3")), "seat"),
        (r#""type":"move","cell":65536,"seq":1"#.into(), "cell"),
        (r#""type":"move","cell":1.0,"seq":1"#.into(), "cell"),
        (r#""type":"move","cell":-1,"seq":1"#.into(), "cell"),
        (
            r#""type":"move","cell":1,"seq":9007199254740992"#.into(),
            "seq",
        ),
        (r#""type":"join","room":"../../../x""#.into(), "room"),
        (r#""type":"watch","room":"*""#.into(), "room"),
        (
            r#""type":"resume","room":"k7qf3mzx","token":"short""#.into(),
            "token",
        ),
    ];
    for (at, (fields, field)) in cases.into_iter().enumerate() {
        let id = RequestId::new(1000 + at as u64).unwrap();
        test_client
            .send_text(&format!(r#"{{"id":{id},{fields}}}"#))
            .await;
        let reject = test_client
            .wait_for_response(id, None)
            .await
            .expect_err(&fields);
        assert_eq!(
            (reject.code, reject.field.as_deref()),
            (RejectCode::BadField, Some(field)),
            "{fields}"
        );
    }
    let seq = Seq::new(1);
    let response = test_client
        .send_command(RoomCommand::Move {
            cell: Cell::new(4),
            seq,
        })
        .await;
    assert_eq!(
        response.expect_err("in no room").code,
        RejectCode::NotInRoom
    );
    let nowhere: RoomRef = "k7qf3mzx".parse().unwrap();
    assert_eq!(
        test_client.join(nowhere).await.expect_err("no room").code,
        RejectCode::UnknownRoom
    );
}

/// Connects a client of a process from a loopback address.
async fn connect_from(server: &ServerProcess, from: [u8; 4], name: &str) -> TestClient {
    let socket = TcpSocket::new_v4().expect("a socket");
    socket
        .bind((Ipv4Addr::from(from), 0).into())
        .expect("an address of loopback");
    let stream = socket
        .connect(server.address())
        .await
        .expect("the server listens");
    let mut client = TestClient::with_stream(stream, &server.url).await;
    client.greet(name).await;
    client
}

/// A few addresses fill the server with rooms and disconnect.
#[tokio::test]
async fn rooms_without_members_give_way_when_the_server_is_full() {
    let server = ServerProcess::start(&[
        "--max-rooms",
        "6",
        "--reconnect-grace",
        "1h",
        "--leave-grace",
        "1h",
    ]);
    // A game between two connected players, and a room with one waiting player.
    let [mut x, mut o] = [
        connect_from(&server, [127, 0, 4, 1], "Ann").await,
        connect_from(&server, [127, 0, 4, 2], "Bob").await,
    ];
    x.create("5x5:4", None, Some(Seat::X), true).await;
    o.join(room_ref(&x)).await.expect("a free seat");
    x.wait_until_seq(o.game().seq()).await;
    let mut waiting = connect_from(&server, [127, 0, 4, 3], "Carl").await;
    let code = waiting.create("3x3:3", None, None, false).await;
    // A game with some moves whose players have lost their connections.
    let [mut lost_x, mut lost_o] = [
        connect_from(&server, [127, 0, 4, 4], "Dan").await,
        connect_from(&server, [127, 0, 4, 5], "Eva").await,
    ];
    lost_x.create("5x5:4", None, Some(Seat::X), true).await;
    lost_o.join(room_ref(&lost_x)).await.expect("a free seat");
    lost_x.wait_until_seq(lost_o.game().seq()).await;
    let mut lost = [lost_x, lost_o];
    play_moves(&mut lost, &[0, 1, 2, 3, 10]).await;
    let [lost_x, lost_o] = lost;
    let lost_seat = lost_x.disconnect();
    lost_o.disconnect();
    for last in 1..=3 {
        let mut eve = connect_from(&server, [127, 0, 5, last], "Eve").await;
        eve.create("3x3:3", None, None, true).await;
        eve.disconnect();
    }
    assert_eq!(server.metric("noughts_rooms").await, 6);
    // New rooms replace those without moves.
    let mut new_rooms = vec![];
    for last in 1..=3 {
        let mut new = connect_from(&server, [127, 0, 6, last], "Fay").await;
        wait_until(("a room for new client", last), async || {
            match new.request(create_request("3x3:3", None, None, true)).await {
                Ok(_) => Some(()),
                Err(reject) => {
                    assert_eq!(reject.code, RejectCode::ServerFull);
                    // At the permitted rate.
                    tokio::time::sleep(200 * MILLISECOND).await;
                    None
                }
            }
        })
        .await;
        new_rooms.push(new);
    }
    wait_until("six rooms", async || {
        (server.metric("noughts_rooms").await == 6).then_some(())
    })
    .await;
    // Rooms with members do not give way, and a game with moves is the last that does.
    let mut late = connect_from(&server, [127, 0, 6, 9], "Gus").await;
    assert_eq!(
        late.expect_reject(create_request("3x3:3", None, None, true))
            .await,
        RejectCode::ServerFull
    );
    x.play(0).await.expect("X moves first");
    o.wait_until_seq(x.game().seq()).await;
    o.play(1).await.expect("O is to move");
    late.join(code).await.expect("a free seat");
    let mut returned = connect_from(&server, [127, 0, 4, 4], "Dan").await;
    returned
        .resume(&lost_seat, None)
        .await
        .expect("the game is still there");
    assert_eq!(returned.game().position().ply(), 5);
}
