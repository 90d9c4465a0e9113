//! Features that a hello requests: replies and details.

use noughts_protocol::wire::{
    DetailedEvents, Feature, FeatureSet, Message, RequestBody, RoomCommand,
};
use noughts_protocol::{Offer, RequestId, Seat};
use noughts_tests::client::game_setup::room_ref;
use noughts_tests::client::raw_websocket::{PING, RawWebSocket, TEXT};
use noughts_tests::server::TestServer;

#[tokio::test]
async fn unknown_features_are_ignored() {
    let server = TestServer::start().await;
    let mut raw = RawWebSocket::connect_websocket(server.address()).await;
    raw.write_text(
        r#"{"type":"hello","id":0,"versions":[1,1],"name":"Raw","kind":"bot","wants":["later","details"]}"#,
    )
    .await;
    let welcome = raw.next_message().await;
    let expected: FeatureSet = [Feature::Details].into_iter().collect();
    assert!(
        matches!(&welcome, Message::Welcome { has, .. } if *has == expected),
        "{welcome:?}"
    );
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
                    .await;
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
    // A request of another client has the same id.
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
    assert_eq!((started[0].re, event.own_seat), (id(3), Some(Seat::O)));
    let names = event
        .players
        .as_ref()
        .expect("details")
        .each_ref()
        .map(|player| player.name.as_str());
    assert_eq!(names, ["Bob", "Raw"]);
    // Members without the features receive only the events.
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
