//! Panics in a room task: the room is rebuilt from the log, or closed with all its clients released.

use noughts_protocol::wire::{
    Message, RejectCode, Request, RequestBody, RoomCommand, SessionRequest,
};
use noughts_protocol::{Cell, RoomRef, Seq};
use noughts_tests::client::game_setup::{pair_players, play_moves, request_id, room_ref};
use noughts_tests::client::test_client::{SeatInfo, TestClient};
use noughts_tests::faults::failing_store::{
    AppendFailure, start_with_blocking_store, start_with_failing_store,
};
use noughts_tests::wait::wait_until;

/// Waits until all messages that the server has sent so far have arrived.
async fn sync_messages(client: &mut TestClient) {
    client
        .request(RequestBody::Session(SessionRequest::List))
        .await
        .expect("a list");
}

/// Resumes a seat as soon as the room is rebuilt.
async fn resume_when_rebuilt(
    client: &mut TestClient,
    seat_info: &SeatInfo,
    seq: Option<Seq>,
) -> Message {
    wait_until("the room to be rebuilt", async || {
        match client.resume(seat_info, seq).await {
            Ok(response) => Some(response),
            Err(reject) => {
                assert_eq!(reject.code, RejectCode::Unavailable);
                None
            }
        }
    })
    .await
}

#[tokio::test]
async fn a_room_panic_only_closes_its_connections() {
    let (server, log) = start_with_failing_store().await;
    let mut players = pair_players(&server, "3x3:3", None).await;
    play_moves(&mut players, &[0, 1]).await;
    let [mut x, o] = players;
    let [mut other_x, mut other_o] = pair_players(&server, "3x3:3", None).await;
    let mut spectator = server.connect_client("Fan").await;
    spectator.watch(room_ref(&x)).await.expect("public");
    let (room, seat_infos) = (room_ref(&x), [x.seat_info().clone(), o.seat_info().clone()]);
    log.fail_next_appends(&[AppendFailure::Panic]);
    let body = RequestBody::Command(RoomCommand::Move {
        cell: Cell::new(4),
        seq: x.game().seq(),
    });
    x.send(&Request {
        id: request_id(500),
        body: body.clone(),
    })
    .await;
    for client in [x, o, spectator] {
        assert_eq!(client.wait_for_close().await, Some(1011));
    }
    let [mut x, mut o] = [
        server.connect_client("Ann").await,
        server.connect_client("Bob").await,
    ];
    for (client, seat_info) in [(&mut x, &seat_infos[0]), (&mut o, &seat_infos[1])] {
        let response = resume_when_rebuilt(client, seat_info, Some(seat_info.game.seq())).await;
        assert!(
            matches!(&response, Message::Events { events, .. } if events.is_empty()),
            "{response:?}"
        );
    }
    let response = x
        .request_with_id(request_id(500), body)
        .await
        .expect("it was not stored");
    assert!(matches!(response, Message::Events { .. }), "{response:?}");
    o.wait_until_seq(x.game().seq()).await;
    let stored = log.events(x.seat_info().id).await;
    assert_eq!(stored.last().map(|event| event.seq), Some(o.game().seq()));
    o.wait_until_seq(x.game().seq()).await;
    let stored = log.events(x.seat_info().id).await;
    assert_eq!(stored.last().map(|event| event.seq), Some(o.game().seq()));
    let mut spectator = server.connect_client("Fan").await;
    spectator.watch(room).await.expect("the room is public");
    other_x.play(0).await.expect("the room has no events");
    other_o.wait_until_seq(other_x.game().seq()).await;
    assert_eq!(server.metric("noughts_room_panics_total").await, 1);
}

#[tokio::test]
async fn a_rebuilt_room_is_complete_with_and_without_a_checkpoint() {
    let (server, log) = start_with_failing_store().await;
    let mut players = pair_players(&server, "20x20:20", None).await;
    let mut cells = 0..400;
    for moves in [40, 230] {
        let batch: Vec<u16> = cells.by_ref().take(moves).collect();
        play_moves(&mut players, &batch).await;
        let [mut x, o] = players;
        let (before, seat_infos) = (
            x.game().position().moves().to_vec(),
            [x.seat_info().clone(), o.seat_info().clone()],
        );
        log.fail_next_appends(&[AppendFailure::Panic]);
        x.send(&Request::command(request_id(999_999), RoomCommand::Resign))
            .await;
        assert_eq!(
            (x.wait_for_close().await, o.wait_for_close().await),
            (Some(1011), Some(1011))
        );
        let [mut x, mut o] = [
            server.connect_client("Ann").await,
            server.connect_client("Bob").await,
        ];
        resume_when_rebuilt(&mut x, &seat_infos[0], None).await;
        resume_when_rebuilt(&mut o, &seat_infos[1], Some(seat_infos[1].game.seq())).await;
        assert_eq!(x.game().position().moves(), before);
        assert_eq!(o.game().position().moves(), before);
        players = [x, o];
    }
    play_moves(&mut players, &[399]).await;
}

#[tokio::test]
async fn a_request_to_a_lost_room_is_rejected() {
    let (server, log) = start_with_blocking_store().await;
    let [mut x, _o] = pair_players(&server, "3x3:3", None).await;
    let room: RoomRef = room_ref(&x);
    let before = log.append_count();
    log.block_appends();
    log.fail_next_appends(&[AppendFailure::Panic]);
    x.send(&Request::command(request_id(500), RoomCommand::Resign))
        .await;
    wait_until("the append", async || {
        (log.append_count() > before).then_some(())
    })
    .await;
    // Another client joins while the room is about to panic and cannot be rebuilt.
    let mut late_client = server.connect_client("Late").await;
    late_client
        .send(&Request::lobby(
            request_id(1),
            SessionRequest::Watch {
                room,
                remarks: false,
            },
        ))
        .await;
    sync_messages(&mut late_client).await;
    log.fail_loads(true);
    log.unblock_appends();
    assert_eq!(x.wait_for_close().await, Some(1011));
    let rejection = late_client.wait_for_response(request_id(1), None).await;
    let code = rejection
        .map_err(|reject| reject.code)
        .expect_err("no room to watch");
    assert!(
        matches!(code, RejectCode::Unavailable | RejectCode::UnknownRoom),
        "{code}"
    );
    log.fail_loads(false);
    late_client.create("3x3:3", None, None, false).await;
}

#[tokio::test]
async fn a_room_that_failed_during_a_store_outage_recovers_after_it() {
    let (server, log) = start_with_failing_store().await;
    let [mut x, o] = pair_players(&server, "3x3:3", None).await;
    let seat_info = x.seat_info().clone();
    log.fail_loads(true);
    log.fail_next_appends(&[AppendFailure::Panic]);
    x.send(&Request::command(request_id(500), RoomCommand::Resign))
        .await;
    assert_eq!(
        (x.wait_for_close().await, o.wait_for_close().await),
        (Some(1011), Some(1011))
    );
    let mut x = server.connect_client("Ann").await;
    // The room is stored, so the code does not say that the room is unknown.
    let code = x.resume(&seat_info, None).await.unwrap_err().code;
    log.fail_loads(false);
    assert_eq!(code, RejectCode::Unavailable);
    wait_until("its seat", async || x.resume(&seat_info, None).await.ok()).await;
    x.play(0).await.expect("X is to move");
}

#[tokio::test]
async fn a_room_with_corrupt_history_is_abandoned_and_counted() {
    let (server, log) = start_with_failing_store().await;
    let [mut x, o] = pair_players(&server, "3x3:3", None).await;
    let seat_info = x.seat_info().clone();
    log.corrupt_loads(true);
    log.fail_next_appends(&[AppendFailure::Panic]);
    x.send(&Request::command(request_id(500), RoomCommand::Resign))
        .await;
    assert_eq!(
        (x.wait_for_close().await, o.wait_for_close().await),
        (Some(1011), Some(1011))
    );
    // The server stops retrying the rebuild, and only the stored data remain.
    server.wait_until_idle().await;
    assert_eq!(server.metric("noughts_rooms_lost_total").await, 1);
    let mut x = server.connect_client("Ann").await;
    assert_eq!(
        x.resume(&seat_info, None).await.unwrap_err().code,
        RejectCode::UnknownRoom
    );
    log.corrupt_loads(false);
    assert!(
        !log.events(seat_info.id).await.is_empty(),
        "the stored room remains"
    );
}

#[tokio::test]
async fn a_join_that_hits_a_panic_is_closed() {
    let (server, log) = start_with_failing_store().await;
    let mut host = server.connect_client("Host").await;
    let code = host.create("3x3:3", None, None, false).await;
    log.fail_next_appends(&[AppendFailure::Panic]);
    let mut guest = server.connect_client("Guest").await;
    guest
        .send(&Request::lobby(
            request_id(1),
            SessionRequest::Join { room: code },
        ))
        .await;
    assert_eq!(
        (guest.wait_for_close().await, host.wait_for_close().await),
        (Some(1011), Some(1011))
    );
    let mut guest = server.connect_client("Guest").await;
    wait_until("the free seat", async || guest.join(code).await.ok()).await;
    // The room must also be released if the panic occurs while it is created.
    log.panic_creates(true);
    let mut host = server.connect_client("Host").await;
    let create = noughts_tests::client::game_setup::create_request("3x3:3", None, None, true);
    assert_eq!(host.expect_reject(create).await, RejectCode::Unavailable);
    log.panic_creates(false);
    host.create("3x3:3", None, None, false).await;
}
