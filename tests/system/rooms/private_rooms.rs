//! Private rooms: access by code, and the information that other clients can get about them.

use noughts_protocol::wire::{Message, RejectCode, RequestBody, SessionRequest};
use noughts_protocol::{Event, Phase, ResumeToken, RoomRef, Seat};
use noughts_server::testing::EventLog;
use noughts_tests::client::game_setup::pair_players;
use noughts_tests::client::test_client::TestClient;
use noughts_tests::faults::failing_store::FailingStore;
use noughts_tests::server::{TestServer, TestServerOptions};

#[tokio::test]
async fn a_private_room_is_entered_by_its_code() {
    let server = TestServer::start().await;
    let mut host = server.connect_client("Host").await;
    let code = host.create("3x3:3", None, Some(Seat::O), false).await;
    assert!(matches!(code, RoomRef::Code(_)), "{code}");
    assert_eq!(
        (host.seat(), host.game().phase()),
        (Seat::O, Phase::Waiting)
    );
    let mut guest = server.connect_client("Guest").await;
    guest.join(code).await.expect("the code gives access");
    assert_eq!(
        (guest.seat(), guest.game().phase()),
        (Seat::X, Phase::Playing)
    );
    assert_eq!(
        guest.seat_info().role.code,
        host.seat_info().role.code,
        "a player receives the code"
    );
    host.wait_for_event("start", |event| matches!(event, Event::Started { game: 1 }))
        .await;
    assert_eq!(
        host.game().player(Seat::X).expect("seated").name.as_str(),
        "Guest"
    );
    guest.play(4).await.expect("X moves first");
}

/// Sends a request of a stranger, and returns the text of the reject.
async fn send_rejected(client: &mut TestClient, request: &str) -> String {
    client.send_text(&request.replace("ID", "77")).await;
    let message = client
        .wait_for("refusal", |message| {
            matches!(message, Message::Reject { .. })
        })
        .await;
    message.to_json()
}

#[tokio::test]
async fn wrong_ids_codes_and_tokens_get_the_same_reject() {
    let server = TestServer::start().await;
    let mut host = server.connect_client("Host").await;
    host.create("3x3:3", None, Some(Seat::X), false).await;
    let [stranger, _o] = pair_players(&server, "3x3:3", None).await;
    let (private, open) = (host.seat_info().id, stranger.seat_info().id);
    let token = stranger.seat_info().role.token.expect("a player");
    let free = host
        .seat_info()
        .role
        .token
        .map(ResumeToken::to_bytes)
        .expect("a player");
    let almost = ResumeToken::from_bits(u128::from_be_bytes(free) ^ 1);
    let mut client = server.connect_client("Eve").await;
    let mut responses = Vec::new();
    for request in [
        format!(r#"{{"type":"join","id":ID,"room":"{private}"}}"#),
        format!(r#"{{"type":"watch","id":ID,"room":"{private}"}}"#),
        r#"{"type":"join","id":ID,"room":"00000000"}"#.into(),
        r#"{"type":"watch","id":ID,"room":"0000-0000-0000"}"#.into(),
        r#"{"type":"join","id":ID,"room":"0000-0000-0000"}"#.into(),
        format!(r#"{{"type":"resume","id":ID,"room":"{private}","token":"{token}"}}"#),
        format!(r#"{{"type":"resume","id":ID,"room":"{private}","token":"{token}","seq":1}}"#),
        format!(r#"{{"type":"resume","id":ID,"room":"{private}","token":"{almost}"}}"#),
        format!(r#"{{"type":"resume","id":ID,"room":"{open}","token":"{almost}"}}"#),
        format!(r#"{{"type":"resume","id":ID,"room":"00000000","token":"{token}"}}"#),
    ] {
        responses.push(send_rejected(&mut client, &request).await);
    }
    responses.dedup();
    assert_eq!(
        responses,
        [r#"{"type":"reject","re":77,"code":"unknown_room"}"#]
    );
}

#[tokio::test]
async fn the_token_of_an_empty_seat_is_rejected() {
    let log = FailingStore::new();
    let server = TestServer::start_with(TestServerOptions {
        log: log.clone(),
        ..TestServerOptions::default()
    })
    .await;
    let mut host = server.connect_client("Host").await;
    host.create("3x3:3", None, Some(Seat::X), false).await;
    let stored = log.recover().await.expect("the log works");
    let mut seat_info = host.seat_info().clone();
    seat_info.role.token = Some(stored[0].0.token(Seat::O, 1));
    let mut eve = server.connect_client("Eve").await;
    assert_eq!(
        eve.resume(&seat_info, None).await.unwrap_err().code,
        RejectCode::UnknownRoom
    );
}

#[tokio::test]
async fn only_public_rooms_are_listed() {
    let server = TestServer::start().await;
    let [mut open, mut closed] = [
        server.connect_client("Open").await,
        server.connect_client("Closed").await,
    ];
    open.create("7x6:4+gravity", Some("5+3"), Some(Seat::O), true)
        .await;
    assert!(
        open.seat_info().role.code.is_none(),
        "a public room needs no code"
    );
    closed.create("3x3:3", None, None, false).await;
    let mut client = server.connect_client("Eve").await;
    let listed = client
        .request(RequestBody::Session(SessionRequest::List))
        .await;
    let Ok(Message::Rooms { rooms, .. }) = &listed else {
        panic!("{listed:?}")
    };
    let [room] = rooms.as_slice() else {
        panic!("{rooms:?}")
    };
    assert_eq!(
        (room.room, room.phase, room.moves, room.spectators),
        (open.seat_info().id, Phase::Waiting, 0, 0)
    );
    assert_eq!(room.rules.to_string(), "7x6:4+gravity");
    assert_eq!(
        room.clock.map(|clock| clock.to_string()).as_deref(),
        Some("5+3")
    );
    assert!(room.players[0].is_none() && room.players[1].is_some());
    client
        .join(RoomRef::Id(room.room))
        .await
        .expect("listed, public and free");
    assert_eq!(client.seat(), Seat::X);
    client.play(3).await.expect("X moves first");
    let listed = closed
        .request(RequestBody::Session(SessionRequest::List))
        .await;
    let Ok(Message::Rooms { rooms, .. }) = &listed else {
        panic!("{listed:?}")
    };
    assert_eq!((rooms[0].phase, rooms[0].moves), (Phase::Playing, 1));
}

#[tokio::test]
async fn a_room_closes_when_its_only_player_leaves() {
    let server = TestServer::start().await;
    let mut host = server.connect_client("Host").await;
    let code = host.create("3x3:3", None, None, false).await;
    let mut spectator = server.connect_client("Fan").await;
    spectator.watch(code).await.expect("open");
    host.request(RequestBody::Session(SessionRequest::Leave))
        .await
        .expect("in a room");
    spectator
        .wait_for_event("end", |event| matches!(event, Event::Closed { .. }))
        .await;
    let mut late = server.connect_client("Late").await;
    assert_eq!(
        late.join(code).await.unwrap_err().code,
        RejectCode::UnknownRoom
    );
    // The spectator is free for other rooms.
    spectator.seek("3x3:3", None, None).await;
    late.seek("3x3:3", None, None).await;
    spectator.next_snapshot().await;
    drop((host, spectator, late));
}
