//! Identities: the public id of a player who is recognised, and seats that the player takes again on another
//! connection.

use std::sync::Arc;

use noughts_protocol::wire::{Message, RejectCode, RequestBody, SessionRequest};
use noughts_protocol::{Event, Identity, IdentitySecret, PlayerKind, RoomId, Seat, Seq};
use noughts_server::testing::{EventLog as _, MemoryLog};
use noughts_tests::client::test_client::TestClient;
use noughts_tests::server::{TestServer, TestServerOptions};

const ANN: IdentitySecret = IdentitySecret::from_bytes([1; 16]);
const BOB: IdentitySecret = IdentitySecret::from_bytes([2; 16]);

async fn connect(
    server: &TestServer,
    name: &str,
    secret: IdentitySecret,
) -> (TestClient, Identity, Vec<RoomId>) {
    TestClient::connect_with_identity(&server.url(), name, PlayerKind::Person, secret).await
}

/// Returns the request to take a seat again by the identity of the connection.
fn resume(room: RoomId) -> RequestBody {
    RequestBody::Session(SessionRequest::Resume {
        room,
        token: None,
        seq: None,
    })
}

fn leave() -> RequestBody {
    RequestBody::Session(SessionRequest::Leave)
}

/// Returns the identities of X and O, as a member of the room sees them.
fn identities(client: &TestClient) -> [Option<Identity>; 2] {
    Seat::ALL.map(|seat| client.game().player(seat)?.identity)
}

#[tokio::test]
async fn the_public_id_is_shown_and_the_secret_is_not() {
    let log = Arc::new(MemoryLog::default());
    let server = TestServer::start_with(TestServerOptions {
        log: log.clone(),
        ..TestServerOptions::default()
    })
    .await;
    let (mut ann, ann_id, _) = connect(&server, "Ann", ANN).await;
    let (_, bot_id, _) =
        TestClient::connect_with_identity(&server.url(), "Ann", PlayerKind::Bot, ANN).await;
    assert_ne!(ann_id, bot_id, "a bot cannot pose as a person");
    assert_ne!(ann_id.to_string(), ANN.to_string());
    let room = ann.create("3x3:3", None, Some(Seat::X), true).await;
    let (mut bob, bob_id, _) = connect(&server, "Bob", BOB).await;
    bob.seek("4x4:4", None, None).await;
    let mut guest = server.connect_client("Guest").await;
    let list = RequestBody::Session(SessionRequest::List);
    let Ok(Message::Rooms { rooms, seeks, .. }) = guest.request(list).await else {
        panic!("expected a list")
    };
    let [Some(host), None] = &rooms[0].players else {
        panic!("{rooms:?}")
    };
    assert_eq!(
        (host.identity, seeks[0].player.identity),
        (Some(ann_id), Some(bob_id))
    );
    guest.join(room).await.expect("a free seat");
    assert_eq!(identities(&guest), [Some(ann_id), None]);
    let room = guest.seat_info().id;
    let events = log.events_since(room, Seq::ZERO).await.expect("a log");
    let stored = serde_json::to_string(&events).expect("events are JSON");
    assert!(stored.contains(&ann_id.to_string()), "{stored}");
    assert!(!stored.contains(&ANN.to_string()), "{stored}");
    let record = guest.game().record().expect("two players").to_string();
    assert!(
        record.contains(&format!("[XIdentity \"{ann_id}\"]\n")),
        "{record}"
    );
    assert!(!record.contains("OIdentity"), "{record}");
}

#[tokio::test]
async fn an_identity_is_never_paired_with_itself() {
    let server = TestServer::start().await;
    let (mut first, _, _) = connect(&server, "Ann", ANN).await;
    let (mut second, _, _) = connect(&server, "Ann", ANN).await;
    let (mut bot, _, _) =
        TestClient::connect_with_identity(&server.url(), "Bot", PlayerKind::Bot, ANN).await;
    for seeker in [&mut first, &mut second] {
        seeker.seek("3x3:3", None, None).await;
    }
    let (mut third, _, _) = connect(&server, "Ann", ANN).await;
    let lobby = RequestBody::Session(SessionRequest::Lobby { end: false });
    let Ok(Message::Lobby { view, .. }) = third.request(lobby).await else {
        panic!("expected the lobby")
    };
    assert_eq!(view.seeks.len(), 2, "both wait");
    let own = RequestBody::Session(SessionRequest::AcceptSeek {
        seek: view.seeks[0].seek,
    });
    assert_eq!(third.expect_reject(own).await, RejectCode::NoOffer);
    // A bot with the same secret counts as another player.
    bot.seek("3x3:3", None, None).await;
    tokio::join!(first.next_snapshot(), bot.next_snapshot());
    assert_eq!(first.seat_info().id, bot.seat_info().id);
}

#[tokio::test]
async fn a_seat_is_resumed_by_its_identity_on_another_device() {
    let log = Arc::new(MemoryLog::default());
    let start = || {
        TestServer::start_with(TestServerOptions {
            log: log.clone(),
            ..TestServerOptions::default()
        })
    };
    let server = start().await;
    let (mut ann, ann_id, own_rooms) = connect(&server, "Ann", ANN).await;
    assert!(own_rooms.is_empty());
    let code = ann.create("3x3:3", None, Some(Seat::X), false).await;
    let (mut bob, bob_id, _) = connect(&server, "Bob", BOB).await;
    bob.join(code).await.expect("a free seat");
    let room = bob.seat_info().id;
    ann.wait_for_event("the start", |event| matches!(event, Event::Started { .. }))
        .await;
    ann.play(4).await.expect("X moves first");

    // Another device takes the seat of the live connection.
    let (mut second, same_id, own_rooms) = connect(&server, "Ann B.", ANN).await;
    assert_eq!((same_id, &own_rooms[..]), (ann_id, &[room][..]));
    second.request(resume(room)).await.expect("the seat of Ann");
    assert_eq!(ann.wait_for_close().await, Some(4002));
    assert_eq!(
        (second.seat(), second.game().position().ply()),
        (Seat::X, 1)
    );
    let token = second.seat_info().role.token;
    assert!(
        token.is_some(),
        "the seat has its token on this device, too"
    );
    assert_eq!(identities(&second), [Some(ann_id), Some(bob_id)]);

    // Other players are refused as with a wrong token. A guest is refused because its request lacks a token.
    let (mut eve, _, own_rooms) =
        connect(&server, "Eve", IdentitySecret::from_bytes([3; 16])).await;
    assert!(own_rooms.is_empty());
    assert_eq!(
        eve.expect_reject(resume(room)).await,
        RejectCode::UnknownRoom
    );
    let (mut bot, _, own_rooms) =
        TestClient::connect_with_identity(&server.url(), "Ann", PlayerKind::Bot, ANN).await;
    assert!(own_rooms.is_empty());
    assert_eq!(
        bot.expect_reject(resume(room)).await,
        RejectCode::UnknownRoom
    );
    let mut guest = server.connect_client("Ann").await;
    assert_eq!(
        guest.expect_reject(resume(room)).await,
        RejectCode::BadField
    );

    // After a restart, both players find their seats again.
    server.stop().await.expect("a clean stop");
    let server = start().await;
    let (mut ann, _, own_rooms) = connect(&server, "Ann", ANN).await;
    assert_eq!(own_rooms, [room]);
    ann.request(resume(room)).await.expect("the seat of Ann");
    let (mut bob, _, _) = connect(&server, "Bob", BOB).await;
    bob.request(resume(room)).await.expect("the seat of Bob");
    bob.play(0).await.expect("O is to move");

    // A player who has left on purpose needs the token to return.
    ann.request(leave()).await.expect("in a room");
    let (mut second, _, own_rooms) = connect(&server, "Ann", ANN).await;
    assert!(own_rooms.is_empty());
    assert_eq!(
        second.expect_reject(resume(room)).await,
        RejectCode::UnknownRoom
    );
    let by_token = RequestBody::Session(SessionRequest::Resume {
        room,
        token,
        seq: None,
    });
    let take_by_token = async |client: &mut TestClient| {
        let taken = client.request(by_token.clone()).await;
        taken.expect("the token of the seat");
        assert_eq!(client.seat(), Seat::X);
    };
    take_by_token(&mut second).await;

    // A restart does not change this: the identity does not lead back to a seat that was left, until the player takes
    // the seat by its token.
    second.request(leave()).await.expect("in a room");
    server.stop().await.expect("a clean stop");
    let server = start().await;
    let (mut ann, _, own_rooms) = connect(&server, "Ann", ANN).await;
    assert!(own_rooms.is_empty());
    assert_eq!(
        ann.expect_reject(resume(room)).await,
        RejectCode::UnknownRoom
    );
    take_by_token(&mut ann).await;
    let (_, _, own_rooms) = connect(&server, "Ann", ANN).await;
    assert_eq!(own_rooms, [room]);
}
