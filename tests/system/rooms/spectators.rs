//! Spectators see the same game as the players; their number and their evaluations are limited.

use noughts_protocol::wire::{
    EngineRemark, Evaluation, Feature, Message, Notice, RejectCode, RequestBody, RoomCommand,
    SessionRequest,
};
use noughts_protocol::{Cell, Event, Offer, RoomRef, Seat};
use noughts_tests::client::game_setup::{pair_players, play_moves, room_ref, untimed_view};
use noughts_tests::client::test_client::TestClient;
use noughts_tests::server::TestServer;

async fn wait_for_spectator_count(client: &mut TestClient, wanted: u32) {
    let is_wanted = |notice: &Notice| *notice == Notice::Spectators { count: wanted };
    client
        .wait_for_notice(&format!("{wanted} spectators"), is_wanted)
        .await;
}

#[tokio::test]
async fn spectators_see_the_same_state_whenever_they_join() {
    let server = TestServer::start().await;
    let mut players = pair_players(&server, "connect4", Some("5+0")).await;
    let mut spectators = Vec::new();
    for cell in [3, 3, 2, 4, 1, 5, 0] {
        let mut spectator = server.connect_client("Fan").await;
        spectator
            .watch(room_ref(&players[0]))
            .await
            .expect("public");
        spectators.push(spectator);
        play_moves(&mut players, &[cell]).await;
    }
    let [mut x, o] = players;
    x.offer(Offer::Rematch).await.expect("X has four in a row");
    for spectator in &mut spectators {
        spectator.wait_until_seq(x.game().seq()).await;
        assert_eq!(untimed_view(spectator.game()), untimed_view(x.game()));
        assert!(spectator.seat_info().role.seat.is_none());
    }
    drop(o);
}

#[tokio::test]
async fn all_members_receive_the_spectator_count() {
    let server = TestServer::start().await;
    let [mut x, mut o] = pair_players(&server, "3x3:3", None).await;
    let mut spectators = Vec::new();
    for count in 1..=3 {
        let mut spectator = server.connect_client("Fan").await;
        spectator.watch(room_ref(&x)).await.expect("public");
        spectators.push(spectator);
        for client in [&mut x, &mut o].into_iter().chain(&mut spectators) {
            wait_for_spectator_count(client, count).await;
        }
    }
    let mut left_spectator = spectators.pop().expect("three");
    left_spectator
        .request(RequestBody::Session(SessionRequest::Leave))
        .await
        .expect("in a room");
    wait_for_spectator_count(&mut x, 2).await;
    spectators.pop().expect("two").reset();
    wait_for_spectator_count(&mut o, 1).await;
    let seat_info = x.disconnect();
    let mut x = server.connect_client("Ann").await;
    x.resume(&seat_info, None)
        .await
        .expect("the holder's token");
    wait_for_spectator_count(&mut x, 1).await;
}

#[tokio::test]
async fn spectators_are_limited() {
    let server = TestServer::start_with_limits(|limits| limits.max_spectators = 2).await;
    let [x, _o] = pair_players(&server, "3x3:3", None).await;
    let mut spectators = [
        server.connect_client("a").await,
        server.connect_client("b").await,
        server.connect_client("c").await,
    ];
    let [a, b, c] = &mut spectators;
    a.watch(room_ref(&x)).await.expect("a permit");
    b.watch(room_ref(&x)).await.expect("a permit");
    assert_eq!(
        c.watch(room_ref(&x)).await.unwrap_err().code,
        RejectCode::RoomFull
    );
    a.request(RequestBody::Session(SessionRequest::Leave))
        .await
        .expect("in a room");
    c.watch(room_ref(&x)).await.expect("another client's seat");
}

#[tokio::test]
async fn a_client_may_watch_and_play_on_different_connections() {
    let server = TestServer::start().await;
    let [mut x, mut o] = pair_players(&server, "3x3:3", None).await;
    let mut same = server.connect_client("Ann").await;
    same.watch(room_ref(&x)).await.expect("public");
    assert_eq!(
        same.expect_reject(RequestBody::Command(RoomCommand::Resign))
            .await,
        RejectCode::NotAPlayer
    );
    same.request(RequestBody::Session(SessionRequest::Leave))
        .await
        .expect("in a room");
    let code = same.create("3x3:3", None, Some(Seat::O), false).await;
    let mut other = server.connect_client("Other").await;
    other.join(code).await.expect("the cell is free");
    x.play(0).await.expect("legal");
    o.wait_for_event("move", |event| matches!(event, Event::Moved { .. }))
        .await;
}

/// Returns the remark of the player's engine on the current position.
fn remark_request(client: &TestClient, evaluation: Evaluation, pv: &[u16]) -> RequestBody {
    let pv = pv.iter().map(|&cell| Cell::new(cell)).collect();
    RequestBody::Remark(EngineRemark {
        seq: client.game().seq(),
        evaluation,
        pv,
    })
}

fn is_remark(message: &Message) -> bool {
    matches!(
        message,
        Message::Notice {
            notice: Notice::Remark { .. },
            ..
        }
    )
}

#[tokio::test]
async fn evaluations_are_sent_to_subscribed_spectators() {
    let server = TestServer::start().await;
    let [mut x, mut o] = pair_players(&server, "3x3:3", None).await;
    let (mut subscribed, mut unsubscribed) = (
        server.connect_client("Fan").await,
        server.connect_client("Fan").await,
    );
    let watch = RequestBody::Session(SessionRequest::Watch {
        room: room_ref(&x),
        remarks: true,
    });
    subscribed.request(watch).await.expect("public");
    unsubscribed.watch(room_ref(&x)).await.expect("public");
    let response = x
        .request(remark_request(&x, Evaluation::Win(5), &[4, 0, 2]))
        .await;
    assert!(
        matches!(response, Ok(Message::Done { seq: None, .. })),
        "{response:?}"
    );
    let notice = subscribed
        .wait_for_notice("a remark", |notice| matches!(notice, Notice::Remark { .. }))
        .await;
    let line = [4, 0, 2].map(Cell::new).to_vec();
    let seq = x.game().seq();
    assert_eq!(
        notice,
        Notice::Remark {
            seat: Seat::X,
            seq,
            evaluation: Evaluation::Win(5),
            pv: line
        }
    );
    // When the next event has arrived, all earlier messages to the other members have arrived too.
    x.play(4).await.expect("X moves first");
    for client in [&mut o, &mut unsubscribed, &mut x] {
        client.wait_until_seq(seq.next()).await;
        assert!(
            client.take_buffered(is_remark).is_none(),
            "neither the players nor the other spectator"
        );
    }
    // A remark is not an event of the game.
    subscribed.wait_until_seq(seq.next()).await;
    assert_eq!(untimed_view(subscribed.game()), untimed_view(x.game()));
}

#[tokio::test]
async fn invalid_evaluations_are_rejected() {
    let server = TestServer::start().await;
    let [mut x, mut o] = pair_players(&server, "3x3:3", None).await;
    let mut spectator = server.connect_client("Fan").await;
    let nowhere = spectator
        .request(RequestBody::Remark(EngineRemark {
            seq: x.game().seq(),
            evaluation: Evaluation::Draw,
            pv: vec![],
        }))
        .await;
    assert_eq!(nowhere.expect_err("in no room").code, RejectCode::NotInRoom);
    spectator.watch(room_ref(&x)).await.expect("public");
    let body = remark_request(&spectator, Evaluation::Draw, &[]);
    assert_eq!(
        spectator.request(body).await.expect_err("a spectator").code,
        RejectCode::NotAPlayer
    );
    let body = remark_request(&x, Evaluation::Draw, &[9]);
    assert_eq!(
        x.request(body).await.expect_err("nine cells").code,
        RejectCode::OffBoard
    );
    let before = remark_request(&x, Evaluation::Draw, &[]);
    x.play(4).await.expect("X moves first");
    assert_eq!(
        x.request(before)
            .await
            .expect_err("the remark is for an earlier position")
            .code,
        RejectCode::Stale
    );
    // Each seat has a rate limit below the rate limit of the connection.
    let mut reject = None;
    for _ in 0..15 {
        let body = remark_request(&x, Evaluation::Estimate(-3), &[0]);
        reject = reject.or(x.request(body).await.err());
    }
    let reject = reject.expect("over the limit");
    assert_eq!(reject.code, RejectCode::RateLimited);
    assert!(
        reject.wait_ms.is_some_and(|ms| (1..=500).contains(&ms)),
        "{reject:?}"
    );
    o.wait_until_seq(x.game().seq()).await;
    let body = remark_request(&o, Evaluation::Loss(2), &[0]);
    o.request(body).await.expect("the limit of this seat");
    x.send_command(RoomCommand::Resign)
        .await
        .expect("a game is running");
    let body = remark_request(&x, Evaluation::Loss(1), &[]);
    assert_eq!(
        x.request(body).await.expect_err("the game is over").code,
        RejectCode::GameOver
    );
}

/// Connects a client with these features, and lets it watch a room.
async fn spectator_with(server: &TestServer, room: RoomRef, features: &[Feature]) -> TestClient {
    let mut client = TestClient::connect(&server.url()).await;
    let wants = features.iter().copied().collect();
    client.greet_as("Fan", None, wants).await;
    client.watch(room).await.expect("the room has a place");
    client
}

#[tokio::test]
async fn a_preview_of_a_public_room_is_counted_nowhere() {
    let server = TestServer::start().await;
    let [mut x, o] = pair_players(&server, "3x3:3", None).await;
    let both = [Feature::Second, Feature::Preview];
    let mut preview = spectator_with(&server, room_ref(&x), &both).await;
    let mut second = spectator_with(&server, room_ref(&x), &both[..1]).await;
    wait_for_spectator_count(&mut preview, 1).await;
    let subscribe = RequestBody::Session(SessionRequest::Lobby { end: false });
    let lobby = x.request(subscribe).await.expect("the lobby");
    let Message::Lobby { view, .. } = lobby else {
        panic!("expected the lobby: {lobby:?}");
    };
    assert_eq!((view.rooms[0].spectators, view.counts.persons), (1, 2));
    // A preview gets the same events as other spectators.
    x.play(4).await.expect("X is to move");
    for client in [&mut preview, &mut second] {
        client.wait_until_seq(x.game().seq()).await;
    }
    drop((preview, second, o));
    wait_for_spectator_count(&mut x, 0).await;
}

#[tokio::test]
async fn the_players_of_a_private_room_see_every_spectator() {
    let server = TestServer::start().await;
    let mut host = server.connect_client("Ann").await;
    host.create("3x3:3", None, None, false).await;
    let code = host.seat_info().role.code.expect("a private room");
    let room = RoomRef::Code(code);
    let _preview = spectator_with(&server, room, &[Feature::Preview]).await;
    wait_for_spectator_count(&mut host, 1).await;
}
