//! A bot takes the seat of an absent player, if the opponent agrees.

use std::sync::Arc;
use std::time::Duration;

use noughts_protocol::wire::{Message, RejectCode, RequestBody, SessionRequest};
use noughts_protocol::{Event, IdentitySecret, Phase, PlayerKind, RoomRef, Seat};
use noughts_server::testing::MemoryLog;
use noughts_tests::client::game_setup::room_ref;
use noughts_tests::client::test_client::{SeatInfo, TestClient};
use noughts_tests::faults::failing_store::{AppendFailure, FailingStore};
use noughts_tests::server::{TestServer, TestServerOptions};

const SUBSTITUTE: RequestBody = RequestBody::Session(SessionRequest::Substitute { end: false });
const WITHDRAW: RequestBody = RequestBody::Session(SessionRequest::Substitute { end: true });
const LEAVE: RequestBody = RequestBody::Session(SessionRequest::Leave);

fn options(log: &Arc<MemoryLog>) -> TestServerOptions {
    let mut options = TestServerOptions {
        log: Arc::clone(log) as _,
        ..TestServerOptions::default()
    };
    options.limits.leave_grace = Duration::ZERO;
    options
}

/// Starts a game: Ann has seat X and has moved, and Bob has left seat O.
async fn deserted_game(server: &TestServer) -> (TestClient, RoomRef, SeatInfo) {
    let mut ann = TestClient::connect_as(&server.url(), "Ann").await;
    let room = ann.create("3x3:3", Some("5+3"), Some(Seat::X), true).await;
    let mut bob = server.connect_client("Bob").await;
    bob.join(room).await.expect("a free seat");
    ann.wait_until_seq(bob.game().seq()).await;
    ann.play(4).await.expect("X is to move");
    bob.wait_until_seq(ann.game().seq()).await;
    let seat_info = bob.seat_info().clone();
    bob.request(LEAVE).await.expect("in a room");
    (ann, room, seat_info)
}

#[tokio::test]
async fn a_bot_replaces_a_player_who_left() {
    let server = TestServer::start_with(options(&Arc::default())).await;
    let (mut ann, room, bobs_seat) = deserted_game(&server).await;
    let mut eve = server.connect_client("Eve").await;
    eve.watch(room).await.expect("public");
    let mut bot = TestClient::connect_as_bot(&server.url(), "Deep Four").await;
    assert_eq!(
        bot.join(room).await.expect_err("nobody agreed").code,
        RejectCode::RoomFull
    );
    ann.request(SUBSTITUTE).await.expect("Bob has left");
    let Ok(Message::Lobby { view, .. }) = ann
        .request(RequestBody::Session(SessionRequest::Lobby { end: false }))
        .await
    else {
        panic!("a view")
    };
    assert_eq!(view.rooms[0].open_seat, Some(Seat::O));
    let Ok(Message::Rooms { rooms, .. }) = eve
        .request(RequestBody::Session(SessionRequest::List))
        .await
    else {
        panic!("a list")
    };
    assert_eq!(rooms[0].open_seat, None, "only in the lobby");
    let mut person = server.connect_client("Max").await;
    assert_eq!(
        person.join(room).await.expect_err("a person").code,
        RejectCode::RoomFull
    );

    bot.join(room).await.expect("Ann agreed");
    assert_eq!((bot.seat(), bot.game().position().ply()), (Seat::O, 1));
    ann.wait_for_event("the substitute", |event| {
        matches!(event, Event::Seated { seat: Seat::O, .. })
    })
    .await;
    bot.play(0).await.expect("O is to move");
    for member in [&mut ann, &mut eve] {
        member.wait_until_seq(bot.game().seq()).await;
        assert_eq!(
            member
                .game()
                .player(Seat::O)
                .map(|player| player.name.as_str()),
            Some("Deep Four")
        );
    }
    // The token of the previous player is void, and the token of the substitute works.
    let mut bob = server.connect_client("Bob").await;
    assert_eq!(
        bob.resume(&bobs_seat, None)
            .await
            .expect_err("replaced")
            .code,
        RejectCode::UnknownRoom
    );
    let bots_seat = bot.disconnect();
    let mut bot = TestClient::connect_as_bot(&server.url(), "Deep Four").await;
    bot.resume(&bots_seat, None).await.expect("its own token");
    let mut second = TestClient::connect_as_bot(&server.url(), "Other").await;
    assert_eq!(
        second.join(room).await.expect_err("taken").code,
        RejectCode::RoomFull
    );
}

#[tokio::test]
async fn a_seat_is_opened_only_after_its_player_is_absent() {
    let server = TestServer::start_with(options(&Arc::default())).await;
    let mut ann = TestClient::connect_as(&server.url(), "Ann").await;
    let room = ann.create("3x3:3", None, Some(Seat::X), true).await;
    assert_eq!(ann.expect_reject(SUBSTITUTE).await, RejectCode::NotStarted);
    let mut bob = server.connect_client("Bob").await;
    bob.join(room).await.expect("a free seat");
    ann.wait_until_seq(bob.game().seq()).await;
    assert_eq!(
        ann.expect_reject(SUBSTITUTE).await,
        RejectCode::NotClaimable
    );
    let mut eve = TestClient::connect_as(&server.url(), "Eve").await;
    eve.watch(room_ref(&bob)).await.expect("public");
    assert_eq!(eve.expect_reject(SUBSTITUTE).await, RejectCode::NotAPlayer);
    // A player who has lost the connection has some time to return.
    let seat_info = bob.disconnect();
    let reject = loop {
        let reject = ann
            .request(SUBSTITUTE)
            .await
            .expect_err("Bob has time to return");
        if reject.wait_ms.is_some() {
            break reject;
        }
    };
    assert_eq!(reject.code, RejectCode::NotClaimable);
    let mut bob = server.connect_client("Bob").await;
    bob.resume(&seat_info, None)
        .await
        .expect("still the holder");
}

#[tokio::test]
async fn consent_ends_with_the_return_of_the_player_and_on_request() {
    let server = TestServer::start_with(options(&Arc::default())).await;
    let (mut ann, room, bobs_seat) = deserted_game(&server).await;
    let mut bot = TestClient::connect_as_bot(&server.url(), "Bot").await;
    ann.request(SUBSTITUTE).await.expect("Bob has left");
    ann.request(WITHDRAW).await.expect("a consent");
    assert_eq!(
        bot.join(room).await.expect_err("withdrawn").code,
        RejectCode::RoomFull
    );
    ann.request(SUBSTITUTE).await.expect("Bob has left");
    let mut bob = server.connect_client("Bob").await;
    bob.resume(&bobs_seat, None)
        .await
        .expect("still the holder");
    assert_eq!(
        bot.join(room).await.expect_err("Bob is back").code,
        RejectCode::RoomFull
    );
    bob.request(LEAVE).await.expect("in a room");
    assert_eq!(
        bot.join(room)
            .await
            .expect_err("Ann has to agree again")
            .code,
        RejectCode::RoomFull
    );
}

/// The event and the token of the substitute survive a restart.
#[tokio::test]
async fn a_substitute_keeps_its_seat_after_a_restart() {
    let log = Arc::default();
    let server = TestServer::start_with(options(&log)).await;
    let (mut ann, room, bobs_seat) = deserted_game(&server).await;
    ann.request(SUBSTITUTE).await.expect("Bob has left");
    let mut bot = TestClient::connect_as_bot(&server.url(), "Bot").await;
    bot.join(room).await.expect("Ann agreed");
    let bots_seat = bot.disconnect();
    server.stop().await.expect("an orderly end");

    let server = TestServer::start_with(options(&log)).await;
    let mut bob = server.connect_client("Bob").await;
    assert_eq!(
        bob.resume(&bobs_seat, None)
            .await
            .expect_err("replaced")
            .code,
        RejectCode::UnknownRoom
    );
    let mut bot = TestClient::connect_as_bot(&server.url(), "Bot").await;
    bot.resume(&bots_seat, None).await.expect("its own token");
    assert_eq!(bot.game().phase(), Phase::Playing);
    assert_eq!(
        bot.game().player(Seat::O).map(|player| player.kind),
        Some(PlayerKind::Bot)
    );
}

/// A substitute gets its token before its event is stored. Until then, the seat still belongs to the absent player.
#[tokio::test]
async fn an_absent_player_is_recognised_until_the_substitute_is_stored() {
    const BOB: IdentitySecret = IdentitySecret::from_bytes([2; 16]);
    for (bob_leaves, server_dies) in [(false, true), (false, false), (true, true), (true, false)] {
        let log = FailingStore::new();
        let start = || {
            let mut options = TestServerOptions {
                log: log.clone(),
                ..TestServerOptions::default()
            };
            options.limits.leave_grace = Duration::ZERO;
            options.limits.reconnect_grace = Duration::ZERO;
            options.limits.append_timeout = match server_dies {
                true => Duration::from_secs(600),
                false => Duration::from_millis(200),
            };
            TestServer::start_with(options)
        };
        let connect_bob = async |server: &TestServer| {
            let person = PlayerKind::Person;
            TestClient::connect_with_identity(&server.url(), "Bob", person, BOB).await
        };
        let mut server = start().await;
        let mut ann = TestClient::connect_as(&server.url(), "Ann").await;
        let room = ann.create("3x3:3", None, Some(Seat::X), true).await;
        let (mut bob, _, _) = connect_bob(&server).await;
        bob.join(room).await.expect("a free seat");
        ann.wait_until_seq(bob.game().seq()).await;
        let id = bob.seat_info().id;
        if bob_leaves {
            bob.request(LEAVE).await.expect("in a room");
        }
        bob.disconnect();
        while ann.request(SUBSTITUTE).await.is_err() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        let mut bot = TestClient::connect_as_bot(&server.url(), "Bot").await;
        if server_dies {
            log.block_appends();
            let appends = log.append_count();
            let mut join = std::pin::pin!(bot.join(room));
            while log.append_count() == appends {
                tokio::select! {
                    result = &mut join => panic!("joined before the append: {result:?}"),
                    () = tokio::time::sleep(Duration::from_millis(10)) => {}
                }
            }
            server = start().await;
        } else {
            log.fail_next_appends(&[AppendFailure::LostWithoutReply]);
            let reject = bot.join(room).await.expect_err("not stored");
            assert_eq!(reject.code, RejectCode::Unavailable);
        }
        let (_, _, own_rooms) = connect_bob(&server).await;
        let expected = if bob_leaves { vec![] } else { vec![id] };
        assert_eq!(own_rooms, expected, "{bob_leaves} {server_dies}");
    }
}
