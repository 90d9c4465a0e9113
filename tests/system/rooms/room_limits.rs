//! Limits of rooms, and the behaviour beyond each.

use std::time::Duration;

use noughts_protocol::wire::{Message, Presence, RejectCode, RequestBody, SessionRequest};
use noughts_protocol::{Event, RequestId, RoomCloseReason, Seat};
use noughts_tests::client::game_setup::{
    create_request, pair_players, play_moves, room_ref, seek_request,
};
use noughts_tests::client::test_client::TestClient;
use noughts_tests::faults::failing_store::{AppendFailure, FailingStore};
use noughts_tests::server::{ServerProcess, TestServer, TestServerOptions};
use noughts_tests::wait::wait_until;

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
    // Half of the inbox is reserved for the players, so their requests wait.
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
    // The notice is delivered although the inbox is full.
    x.wait_for_presence(Seat::O, Presence::Disconnected).await;
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
async fn idle_rooms_close() {
    let server = TestServer::start_with_limits(|limits| {
        limits.room_idle_timeout = 300 * MILLISECOND;
        limits.game_idle_timeout = 300 * MILLISECOND;
    })
    .await;
    let mut waiting = server.connect_client("Ann").await;
    waiting.create("3x3:3", None, None, true).await;
    let mut playing = pair_players(&server, "3x3:3", None).await;
    play_moves(&mut playing, &[4]).await;
    let mut finished = pair_players(&server, "3x3:3", None).await;
    play_moves(&mut finished, &[4, 0, 2, 1, 6]).await;
    let clients = [("waiting", waiting)]
        .into_iter()
        .chain(playing.map(|client| ("playing", client)))
        .chain(finished.map(|client| ("finished", client)));
    for (state, mut client) in clients {
        client
            .wait_for_event(state, |event| {
                let reason = RoomCloseReason::Idle;
                *event == Event::Closed { reason }
            })
            .await;
        // The client is free for other rooms.
        client.create("3x3:3", None, None, true).await;
    }
}

/// A few addresses fill the server with rooms and disconnect.
#[tokio::test]
async fn rooms_without_members_give_way_when_the_server_is_full() {
    let server = ServerProcess::start(&[
        "--max-rooms",
        "6",
        "--set",
        "reconnect-grace=1h",
        "--set",
        "leave-grace=1h",
    ]);
    let connect =
        async |from: [u8; 4], name| TestClient::connect_from(from.into(), &server.url, name).await;
    // A game between two connected players, and a room with one waiting player.
    let [mut x, mut o] = [
        connect([127, 0, 4, 1], "Ann").await,
        connect([127, 0, 4, 2], "Bob").await,
    ];
    x.create("5x5:4", None, Some(Seat::X), true).await;
    o.join(room_ref(&x)).await.expect("a free seat");
    x.wait_until_seq(o.game().seq()).await;
    let mut waiting = connect([127, 0, 4, 3], "Carl").await;
    let code = waiting.create("3x3:3", None, None, false).await;
    // A game with some moves. Both players have lost their connections.
    let [mut lost_x, mut lost_o] = [
        connect([127, 0, 4, 4], "Dan").await,
        connect([127, 0, 4, 5], "Eva").await,
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
        let mut eve = connect([127, 0, 5, last], "Eve").await;
        eve.create("3x3:3", None, None, true).await;
        eve.disconnect();
    }
    assert_eq!(server.metric("noughts_rooms").await, 6);
    // New rooms replace those without moves.
    let mut new_rooms = vec![];
    for last in 1..=3 {
        let mut new = connect([127, 0, 6, last], "Fay").await;
        wait_until(("a room for new client", last), async || {
            match new.request(create_request("3x3:3", None, None, true)).await {
                Ok(_) => Some(()),
                Err(reject) => {
                    assert_eq!(reject.code, RejectCode::ServerFull);
                    // Waits, so that the client stays within the permitted rate.
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
    // Rooms with members do not close for a new room, and a game with moves is the last to do so.
    let mut late = connect([127, 0, 6, 9], "Gus").await;
    assert_eq!(
        late.expect_reject(create_request("3x3:3", None, None, true))
            .await,
        RejectCode::ServerFull
    );
    x.play(0).await.expect("X moves first");
    o.wait_until_seq(x.game().seq()).await;
    o.play(1).await.expect("O is to move");
    late.join(code).await.expect("a free seat");
    let mut returned = connect([127, 0, 4, 4], "Dan").await;
    returned
        .resume(&lost_seat, None)
        .await
        .expect("the game is still there");
    assert_eq!(returned.game().position().ply(), 5);
}
