//! Features that a hello requests: aborted games, pings, replies and details.

use noughts_protocol::wire::{
    DetailedEvents, Feature, FeatureSet, Message, RejectCode, RequestBody, RoomCommand,
    SessionRequest,
};
use noughts_protocol::{Event, Offer, Outcome, Phase, RequestId, Seat};
use noughts_tests::client::game_setup::{pair_players, room_ref};
use noughts_tests::client::raw_websocket::{PING, RawWebSocket, TEXT};
use noughts_tests::client::test_client::TestClient;
use noughts_tests::server::TestServer;

fn only(feature: Feature) -> FeatureSet {
    [feature].into_iter().collect()
}

const ABORT: RequestBody = RequestBody::Command(RoomCommand::Abort);
const PING_REQUEST: RequestBody = RequestBody::Session(SessionRequest::Ping);

#[tokio::test]
async fn unrequested_features_do_not_exist() {
    let server = TestServer::start().await;
    let [mut x, _o] = pair_players(&server, "3x3:3", None).await;
    assert_eq!(x.expect_reject(ABORT).await, RejectCode::UnknownType);
    assert_eq!(x.expect_reject(PING_REQUEST).await, RejectCode::UnknownType);
    let mut raw = RawWebSocket::connect_websocket(server.address()).await;
    raw.write_text(
        r#"{"type":"hello","id":0,"versions":[1,1],"name":"Raw","kind":"bot","wants":["later","ping"]}"#,
    )
    .await;
    let welcome = raw.next_message().await;
    assert!(
        matches!(&welcome, Message::Welcome { has, .. } if *has == only(Feature::Ping)),
        "unknown names are ignored: {welcome:?}"
    );
}

#[tokio::test]
async fn a_ping_is_answered_in_every_state() {
    let server = TestServer::start().await;
    let mut client = TestClient::connect_with(&server.url(), "Ann", only(Feature::Ping)).await;
    let ping = async |client: &mut TestClient| {
        let response = client.request(PING_REQUEST).await;
        assert!(
            matches!(response, Ok(Message::Done { seq: None, .. })),
            "{response:?}"
        );
    };
    ping(&mut client).await;
    client.seek("3x3:3", None, None).await;
    ping(&mut client).await;
    client
        .request(RequestBody::Session(SessionRequest::Cancel))
        .await
        .expect("a seek");
    client.create("3x3:3", None, None, true).await;
    ping(&mut client).await;
}

/// Ann, who can abort, and Bob, who cannot, in a game.
async fn pair_with_abort(server: &TestServer) -> [TestClient; 2] {
    let mut ann = TestClient::connect_with(&server.url(), "Ann", only(Feature::Abort)).await;
    let room = ann.create("3x3:3", Some("5+3"), Some(Seat::X), true).await;
    let mut bob = server.connect_client("Bob").await;
    bob.join(room).await.expect("a free seat");
    ann.wait_for_event("the start", |event| matches!(event, Event::Started { .. }))
        .await;
    [ann, bob]
}

#[tokio::test]
async fn a_game_is_aborted_before_both_have_moved() {
    let server = TestServer::start().await;
    let [mut ann, mut bob] = pair_with_abort(&server).await;
    ann.play(4).await.expect("X is to move");
    ann.request(ABORT).await.expect("O has not moved");
    assert_eq!(ann.game().outcome(), Some(&Outcome::Aborted));
    let is_end = |event: &Event| {
        matches!(
            event,
            Event::Ended {
                outcome: Outcome::Aborted,
                ..
            }
        )
    };
    bob.wait_for_event("the end", is_end).await;
    // A client without the feature counts a draw, so the score follows.
    let state = bob.next_snapshot().await;
    assert_eq!(
        (state.phase, state.score),
        (Phase::Over, ann.game().score())
    );
    assert_eq!((state.score.wins, state.score.draws), ([0, 0], 0));
    assert_eq!(ann.expect_reject(ABORT).await, RejectCode::GameOver);
    // The room goes on.
    bob.offer(Offer::Rematch).await.expect("the game is over");
    ann.wait_until_seq(bob.game().seq()).await;
    ann.offer(Offer::Rematch).await.expect("offered");
    bob.wait_until_seq(ann.game().seq()).await;
    bob.play(0).await.expect("X is to move");
    ann.wait_until_seq(bob.game().seq()).await;
    ann.play(1).await.expect("O is to move");
    assert_eq!(
        ann.expect_reject(ABORT).await,
        RejectCode::GameOn,
        "both have moved"
    );
}

/// A seeker that reads nothing is alive for its kernel only.
#[tokio::test]
async fn a_seeker_that_does_not_answer_is_passed_over() {
    let server = TestServer::start().await;
    let mut silent = RawWebSocket::connect_and_greet(server.address()).await;
    silent
        .write_text(r#"{"type":"seek","id":1,"rules":"3x3:3","seat":"X"}"#)
        .await;
    assert!(matches!(silent.next_message().await, Message::Done { .. }));
    let mut ann = server.connect_client("Ann").await;
    ann.seek("3x3:3", None, Some(Seat::O)).await;
    let mut bob = server.connect_client("Bob").await;
    bob.seek("3x3:3", None, Some(Seat::X)).await;
    futures::future::join(ann.next_snapshot(), bob.next_snapshot()).await;
    assert_eq!(ann.seat_info().id, bob.seat_info().id);
    // A late answer makes the silent seek available again.
    let mut cleo = server.connect_client("Cleo").await;
    cleo.seek("3x3:3", None, Some(Seat::O)).await;
    let answer = async {
        loop {
            match silent.next_frame().await.expect("the connection is open") {
                (PING, number) => {
                    silent
                        .write_frame(noughts_tests::client::raw_websocket::PONG, &number)
                        .await;
                }
                (TEXT, text) if text.starts_with(br#"{"type":"snapshot""#) => return,
                _ => {}
            }
        }
    };
    futures::future::join(answer, cleo.next_snapshot()).await;
}

/// Reads texts until one contains `part`.
async fn read_text(socket: &mut RawWebSocket, part: &str) -> String {
    loop {
        match socket.next_frame().await.expect("the connection is open") {
            (TEXT, text) => {
                let text = String::from_utf8(text).expect("text");
                if text.contains(part) {
                    return text;
                }
            }
            (PING, number) => {
                socket
                    .write_frame(noughts_tests::client::raw_websocket::PONG, &number)
                    .await
            }
            _ => {}
        }
    }
}

#[tokio::test]
async fn replies_and_details_are_sent_to_those_who_requested_them() {
    let server = TestServer::start().await;
    let mut raw = RawWebSocket::connect_websocket(server.address()).await;
    raw.write_text(
        r#"{"type":"hello","id":0,"versions":[1,1],"name":"Raw","kind":"bot","wants":["replies","details"]}"#,
    )
    .await;
    raw.write_text(r#"{"type":"seek","id":1,"rules":"3x3:3","seat":"X"}"#)
        .await;
    read_text(&mut raw, r#""type":"done""#).await;
    let mut bob = server.connect_client("Bob").await;
    bob.seek("3x3:3", None, Some(Seat::O)).await;
    let snapshot = read_text(&mut raw, r#""type":"snapshot""#).await;
    assert!(snapshot.contains(r#""re":1,"#), "{snapshot}");
    bob.next_snapshot().await;
    let mut spectator = server.connect_client("Eve").await;
    spectator.watch(room_ref(&bob)).await.expect("public");

    let details = |text: String| {
        serde_json::from_str::<DetailedEvents>(&text)
            .expect("events")
            .events
    };
    let id = |number| RequestId::new(number);
    raw.write_text(r#"{"type":"move","id":2,"cell":4,"seq":4}"#)
        .await;
    let moved = details(read_text(&mut raw, "moved").await);
    assert_eq!((moved[0].re, moved[0].event.ply), (id(2), Some(1)));
    bob.wait_until_seq(moved[0].seq).await;
    // The same number, but the request of another client.
    bob.request_with_id(
        id(2).expect("a number"),
        RequestBody::Command(RoomCommand::Resign),
    )
    .await
    .expect("a game");
    let ended = details(read_text(&mut raw, "ended").await);
    assert_eq!(ended[0].re, None);
    bob.offer(Offer::Rematch).await.expect("the game is over");
    read_text(&mut raw, "offered").await;
    raw.write_text(r#"{"type":"accept","id":3,"offer":"rematch"}"#)
        .await;
    let started = details(read_text(&mut raw, "started").await);
    let event = &started[0].event;
    assert_eq!((started[0].re, event.you), (id(3), Some(Seat::O)));
    let names = event
        .players
        .as_ref()
        .expect("details")
        .each_ref()
        .map(|player| player.name.as_str());
    assert_eq!(names, ["Bob", "Raw"]);
    // Others receive the events alone.
    spectator.wait_until_seq(started[0].seq).await;
    let plain = spectator.next_message().await.to_json();
    assert!(
        !plain.contains("\"re\"") || plain.contains("snapshot"),
        "{plain}"
    );

    raw.write_text(r#"{"type":"sync","id":4,"seq":4}"#).await;
    let caught_up = read_text(&mut raw, r#""re":4"#).await;
    assert!(
        caught_up.starts_with(r#"{"type":"snapshot""#),
        "the moves of the first game: {caught_up}"
    );
    raw.write_text(&format!(
        r#"{{"type":"sync","id":5,"seq":{}}}"#,
        started[0].seq.get() - 1
    ))
    .await;
    let caught_up = details(read_text(&mut raw, r#""re":5"#).await);
    assert_eq!(caught_up, started, "as when it was sent");
}
