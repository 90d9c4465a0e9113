//! Failing log: requests are rejected, clients see only stored events, and games continue when the log works
//! again.

use noughts_protocol::wire::{
    Message, RejectCode, Request, RequestBody, RoomCommand, SessionRequest,
};
use noughts_protocol::{
    Cell, Event, EventRecord, Offer, Phase, ResumeToken, RoomCloseReason, RoomId, Seat, Seq,
};
use noughts_server::testing::{EventLog, RoomSecrets};
use noughts_tests::client::game_setup::{
    create_request, pair_players, request_id, room_ref, seek_request, untimed_view,
};
use noughts_tests::client::test_client::TestClient;
use noughts_tests::faults::failing_store::{
    AppendFailure, FailingStore, start_with_blocking_store, start_with_failing_store,
};
use noughts_tests::server::{TestServer, TestServerOptions};
use noughts_tests::wait::wait_until;

async fn check_against_log(log: &FailingStore, clients: &mut [&mut TestClient]) {
    let room = clients[0].seat_info().id;
    let events = log.events(room).await;
    let last = events.last().expect("a room has events").seq;
    for client in clients {
        client.wait_until_seq(last).await;
        assert_eq!(
            client.game().seq(),
            last,
            "clients received more than is stored"
        );
        let mut game = noughts_protocol::Game::open(&events[0]).expect("a history");
        events[1..]
            .iter()
            .for_each(|event| game.apply(event).expect("a history"));
        assert_eq!(untimed_view(&game), untimed_view(client.game()));
    }
}

#[tokio::test]
async fn duplicates_are_answered_during_a_store_outage() {
    let (server, log) = start_with_failing_store().await;
    let [mut x, mut o] = pair_players(&server, "3x3:3", None).await;
    let seq = x.game().seq();
    let move_request = RequestBody::Command(RoomCommand::Move {
        cell: Cell::new(0),
        seq,
    });
    x.request_with_id(request_id(500), move_request.clone())
        .await
        .expect("legal");
    o.wait_until_seq(seq.next()).await;
    log.fail_next_appends(&[AppendFailure::LostWithoutReply]);
    log.fail_loads(true);
    let command = RoomCommand::Move {
        cell: Cell::new(1),
        seq: seq.next(),
    };
    o.send(&Request::command(request_id(501), command)).await;
    wait_until("an unanswered append", async || {
        (server.metric("noughts_append_failures_total").await > 0).then_some(())
    })
    .await;
    let repeated = x
        .request_with_id(request_id(500), move_request)
        .await
        .expect("the same request");
    assert!(
        matches!(repeated, Message::Done { seq: Some(by), .. } if by == seq.next()),
        "{repeated:?}"
    );
    // A repeated request with an unknown outcome is answered when the outcome is known.
    o.send(&Request::command(request_id(501), command)).await;
    log.fail_loads(false);
    assert_eq!(
        o.wait_for_response(request_id(501), None)
            .await
            .unwrap_err()
            .code,
        RejectCode::Unavailable
    );
    o.request_with_id(request_id(501), RequestBody::Command(command))
        .await
        .expect("nothing was changed");
    check_against_log(&log, &mut [&mut x, &mut o]).await;
}

#[tokio::test]
async fn a_stalled_append_blocks_only_its_room() {
    let (server, log) = start_with_blocking_store().await;
    let [mut x, o] = pair_players(&server, "3x3:3", None).await;
    let before = log.append_count();
    log.block_appends();
    let seq = x.game().seq();
    x.send(&Request::command(request_id(1), RoomCommand::Resign))
        .await;
    wait_until("the append", async || {
        (log.append_count() > before).then_some(())
    })
    .await;
    // The lobby answers and new connections are accepted; the pair waits for its room.
    let mut others = [
        server.connect_client("a").await,
        server.connect_client("b").await,
    ];
    for client in &mut others {
        client.seek("4x4:4", None, None).await;
    }
    assert_eq!(server.get("/health").await.0, 200);
    // The list contains only stored rooms.
    let listed = others[0]
        .request(RequestBody::Session(SessionRequest::List))
        .await;
    let Ok(Message::Rooms { rooms, .. }) = &listed else {
        panic!("{listed:?}")
    };
    assert_eq!(rooms[0].phase, Phase::Playing);
    log.unblock_appends();
    for client in &mut others {
        client.next_snapshot().await;
    }
    x.wait_until_seq(seq.next()).await;
    drop(o);
}

#[tokio::test]
async fn a_full_inbox_is_rejected_as_busy() {
    let (server, log) = start_with_blocking_store().await;
    let [mut x, mut o] = pair_players(&server, "3x3:3", None).await;
    let before = log.append_count();
    log.block_appends();
    x.send(&Request::command(
        request_id(499),
        RoomCommand::Offer { offer: Offer::Draw },
    ))
    .await;
    wait_until("the append", async || {
        (log.append_count() > before).then_some(())
    })
    .await;
    for number in 0..60 {
        o.send(&Request::command(
            request_id(500 + number),
            RoomCommand::Decline { offer: Offer::Draw },
        ))
        .await;
    }
    let busy = |message: &Message| matches!(message, Message::Reject { reject, .. } if reject.code == RejectCode::Busy);
    for _ in 0..60 - 32 {
        o.wait_for("busy", busy).await;
    }
    // A connection with a busy room still answers.
    o.drain_messages().await;
    log.unblock_appends();
    // One request withdrew the offer; 31 came too late.
    o.wait_for_event("answer", |event| matches!(event, Event::Declined { .. }))
        .await;
    for _ in 0..31 {
        let none = |message: &Message| matches!(message, Message::Reject { reject, .. } if reject.code == RejectCode::NoOffer);
        o.wait_for("answer", none).await;
    }
    assert!(
        o.take_buffered(|message| matches!(message, Message::Reject { .. }))
            .is_none()
    );
}

#[tokio::test]
async fn a_room_that_cannot_be_stored_is_rejected() {
    let (server, log) = start_with_failing_store().await;
    log.fail_creates(true);
    let mut host = server.connect_client("Host").await;
    for public in [true, false] {
        assert_eq!(
            host.expect_reject(create_request("3x3:3", None, None, public))
                .await,
            RejectCode::Unavailable
        );
    }
    // The rejects of paired clients have the ids of their seeks.
    let [mut a, mut b] = [
        server.connect_client("a").await,
        server.connect_client("b").await,
    ];
    for (client, number) in [(&mut a, 70), (&mut b, 80)] {
        client
            .request_with_id(request_id(number), seek_request("3x3:3", None, None))
            .await
            .expect("waits");
    }
    for (client, number) in [(&mut a, 70), (&mut b, 80)] {
        let rejection = client
            .wait_for_response(request_id(number), None)
            .await
            .unwrap_err();
        assert_eq!(rejection.code, RejectCode::Unavailable);
    }
    wait_until_empty(&server).await;
    log.fail_creates(false);
    // All clients are free for other rooms.
    host.create("3x3:3", None, None, false).await;
    a.seek("3x3:3", None, None).await;
    b.seek("3x3:3", None, None).await;
    a.next_snapshot().await;
    b.next_snapshot().await;
}

async fn wait_until_empty(server: &TestServer) {
    wait_until("no room", async || {
        (server.metric("noughts_rooms").await == 0).then_some(())
    })
    .await;
    assert_eq!(server.metric("noughts_room_tasks").await, 0);
}

#[tokio::test]
async fn leaving_works_during_a_store_outage() {
    let (server, log) = start_with_failing_store().await;
    let [mut x, mut o] = pair_players(&server, "3x3:3", None).await;
    log.fail_loads(true);
    log.fail_next_appends(&[AppendFailure::StoredOutcomeUnknown]);
    let seq = x.game().seq();
    let move_request = RequestBody::Command(RoomCommand::Move {
        cell: Cell::new(0),
        seq,
    });
    x.send(&Request {
        id: request_id(500),
        body: move_request,
    })
    .await;
    wait_until("the append", async || {
        (log.append_count() > 0).then_some(())
    })
    .await;
    // The room has no valid state, so it sends no snapshot and accepts no move, but clients can leave.
    let mut late_client = server.connect_client("Late").await;
    assert_eq!(
        late_client.watch(room_ref(&x)).await.unwrap_err().code,
        RejectCode::Unavailable
    );
    let sync = RequestBody::Session(SessionRequest::Sync {
        seq: o.game().seq(),
    });
    assert_eq!(o.expect_reject(sync).await, RejectCode::Unavailable);
    assert_eq!(
        o.expect_reject(RequestBody::Command(RoomCommand::Resign))
            .await,
        RejectCode::Unavailable
    );
    let leave_response = x.request(RequestBody::Session(SessionRequest::Leave)).await;
    assert!(
        matches!(leave_response, Ok(Message::Done { .. })),
        "{leave_response:?}"
    );
    let move_response = x.wait_for_response(request_id(500), Some(Seat::X)).await;
    assert_eq!(
        move_response.unwrap_err().code,
        RejectCode::Unavailable,
        "the leave has no response"
    );
    x.create("3x3:3", None, None, false).await;
    log.fail_loads(false);
    wait_until("the room", async || {
        late_client.watch(room_ref(&o)).await.ok()
    })
    .await;
    assert_eq!(
        late_client.game().position().moves(),
        [Cell::new(0)],
        "it was stored"
    );
    o.wait_until_seq(late_client.game().seq()).await;
    o.play(1).await.expect("the game continues");
}

#[tokio::test]
async fn a_hanging_delete_does_not_keep_members_in_the_room() {
    let (server, log) = start_with_failing_store().await;
    log.hang_deletes(true);
    let mut host = server.connect_client("Host").await;
    let code = host.create("3x3:3", None, None, false).await;
    let mut spectator = server.connect_client("Fan").await;
    spectator.watch(code).await.expect("its code");
    host.request(RequestBody::Session(SessionRequest::Leave))
        .await
        .expect("in a room");
    spectator
        .wait_for_event("end", |event| matches!(event, Event::Closed { .. }))
        .await;
    wait_until("the leave", async || {
        spectator
            .request(create_request("3x3:3", None, None, false))
            .await
            .ok()
    })
    .await;
    wait_until("the old room to close", async || {
        (server.metric("noughts_rooms").await == 1).then_some(())
    })
    .await;
}

#[tokio::test]
async fn requests_to_a_closing_room_are_rejected() {
    let (server, log) = start_with_blocking_store().await;
    let mut host = server.connect_client("Host").await;
    let code = host.create("3x3:3", None, None, false).await;
    let mut spectator = server.connect_client("Fan").await;
    spectator.watch(code).await.expect("its code");
    let before = log.append_count();
    log.block_appends();
    host.request(RequestBody::Session(SessionRequest::Leave))
        .await
        .expect("in a room");
    wait_until("the end of the room", async || {
        (log.append_count() > before).then_some(())
    })
    .await;
    spectator
        .send(&Request::lobby(
            request_id(500),
            SessionRequest::Sync {
                seq: spectator.game().seq(),
            },
        ))
        .await;
    spectator
        .send(&Request::command(request_id(501), RoomCommand::Resign))
        .await;
    let mut late_client = server.connect_client("Late").await;
    late_client
        .send(&Request::lobby(
            request_id(1),
            SessionRequest::Join { room: code },
        ))
        .await;
    spectator.drain_messages().await;
    late_client.drain_messages().await;
    log.unblock_appends();
    assert_eq!(
        late_client
            .wait_for_response(request_id(1), None)
            .await
            .unwrap_err()
            .code,
        RejectCode::UnknownRoom
    );
    // The messages of the room no longer reach its former member.
    for number in [500, 501] {
        assert_eq!(
            spectator
                .wait_for_response(request_id(number), None)
                .await
                .unwrap_err()
                .code,
            RejectCode::NotInRoom
        );
    }
}

#[tokio::test]
async fn readiness_follows_store_health() {
    let (server, log) = start_with_failing_store().await;
    assert_eq!(server.get("/ready").await.0, 200);
    log.set_healthy(false);
    let (status, reason) = server.get("/ready").await;
    assert_eq!(status, 503);
    assert!(reason.contains("events cannot be stored"), "{reason}");
    assert_eq!(server.get("/health").await.0, 200);
    log.set_healthy(true);
    assert_eq!(server.get("/ready").await.0, 200);
}

#[tokio::test]
async fn a_hanging_delete_does_not_block_startup() {
    let log = FailingStore::new();
    let room = RoomId::from_bits(1);
    let opened = Event::Opened {
        rules: "3x3:3".parse().expect("rules"),
        clock: None,
        public: true,
        free_first_moves: false,
    };
    let closed = Event::Closed {
        reason: RoomCloseReason::Idle,
    };
    let events = [opened, closed].into_iter().zip(1..);
    let events = events
        .map(|(event, seq)| EventRecord {
            seq: Seq::new(seq),
            at: 1,
            by: None,
            event,
        })
        .collect();
    let secrets = RoomSecrets {
        room,
        code: None,
        tokens: [ResumeToken::from_bits(1); 2],
        parties: [None; 2],
        left: [false; 2],
    };
    log.create(secrets, events).await.expect("the log works");
    log.hang_deletes(true);
    let server = TestServer::start_with(TestServerOptions {
        log,
        ..TestServerOptions::default()
    })
    .await;
    assert_eq!(server.get("/ready").await.0, 200);
}
