//! Tables of malformed and unusual input; afterwards the server works as before.

use std::net::Ipv4Addr;
use std::time::Duration;

use noughts_protocol::wire::{Message, RejectCode, RequestBody, SessionRequest};
use noughts_protocol::{Event, Seq};
use noughts_tests::client::game_setup::pair_players;
use noughts_tests::client::http::request_head;
use noughts_tests::client::raw_websocket::handshake_request;
use noughts_tests::client::test_client::TestClient;
use noughts_tests::server::TestServer;
use noughts_tests::wait::wait_until;

/// Waits until only the connection of the metrics request is left.
async fn wait_until_idle(server: &TestServer) {
    server.wait_until_idle().await;
    wait_until("no other sockets", async || {
        (server.metric("noughts_sockets").await == 1).then_some(())
    })
    .await;
}

#[tokio::test]
async fn malformed_heads_are_rejected_and_unusual_heads_are_accepted() {
    let server = TestServer::start().await;
    let good = handshake_request("");
    let key = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
    for (what, head, status) in [
        ("a name with a space", handshake_request("X y: z\r\n"), 400),
        (
            "a space before the colon",
            handshake_request("X : z\r\n"),
            400,
        ),
        ("a NUL in a value", handshake_request("X: \0\r\n"), 400),
        ("an ESC in a value", handshake_request("X: \x1b\r\n"), 400),
        ("a folded line", handshake_request("X: a\r\n b\r\n"), 400),
        (
            "a line without a colon",
            handshake_request("nothing\r\n"),
            400,
        ),
        ("a name that is empty", handshake_request(": x\r\n"), 400),
        ("no target", good.replace("GET /ws HTTP", "GET HTTP"), 400),
        ("a target with a space", good.replace("/ws", "/w s"), 400),
        ("a fragment", good.replace("/ws", "/ws#x"), 101),
        ("no version", good.replace(" HTTP/1.1", ""), 400),
        ("version 1.2", good.replace("HTTP/1.1", "HTTP/1.2"), 400),
        ("version 3.0", good.replace("HTTP/1.1", "HTTP/3.0"), 400),
        ("a method in lower case", good.replace("GET", "get"), 405),
        (
            "CONNECT",
            good.replace("GET /ws", "CONNECT localhost:80"),
            400,
        ),
        (
            "two lengths",
            handshake_request("Content-Length: 1\r\nContent-Length: 2\r\n"),
            400,
        ),
        (
            "a length that is none",
            handshake_request("Content-Length: -1\r\n"),
            400,
        ),
        (
            "an unknown transfer coding",
            handshake_request("Transfer-Encoding: x\r\n"),
            400,
        ),
        (
            "a key with a blank line for a value",
            good.replace(key, "Sec-WebSocket-Key:\r\n"),
            400,
        ),
        ("lines that end in LF only", good.replace("\r\n", "\n"), 101),
        (
            "bytes beyond ASCII in a value",
            handshake_request("X: é\r\n"),
            101,
        ),
        ("an empty value", handshake_request("X:\r\n"), 101),
        ("a query", good.replace("/ws", "/ws?token=secret&x"), 101),
        ("blank lines before it", format!("\r\n\r\n{good}"), 101),
    ] {
        let (_, response) = request_head(server.address(), &head).await;
        assert_eq!(response.status, status, "{what}: {response:?}");
    }
    wait_until_idle(&server).await;
}

#[tokio::test]
async fn a_token_is_valid_from_any_address_until_its_room_closes() {
    let server = TestServer::start_with_limits(|limits| limits.leave_grace = Duration::ZERO).await;
    let [x, mut o] = pair_players(&server, "3x3:3", None).await;
    let seat_info = x.disconnect();
    let elsewhere = Ipv4Addr::new(127, 8, 8, 8);
    let mut x = TestClient::connect_from(elsewhere, &server.url(), "Ann").await;
    x.resume(&seat_info, None)
        .await
        .expect("a resume without an event number");
    x.play(4).await.expect("X moves first");
    o.wait_for_event("the move", |event| matches!(event, Event::Moved { .. }))
        .await;
    for client in [&mut x, &mut o] {
        client
            .request(RequestBody::Session(SessionRequest::Leave))
            .await
            .expect("in a room");
    }
    wait_until("the room to close", async || {
        (server.metric("noughts_rooms").await == 0).then_some(())
    })
    .await;
    let rejection = x
        .resume(&seat_info, Some(Seq::new(4)))
        .await
        .expect_err("the room is closed");
    assert_eq!(rejection.code, RejectCode::UnknownRoom);
    drop((x, o));
    wait_until_idle(&server).await;
}

#[tokio::test]
async fn a_ping_is_answered_in_every_state() {
    let server = TestServer::start().await;
    let mut client = server.connect_client("Ann").await;
    let ping = async |client: &mut TestClient| {
        let response = client
            .request(RequestBody::Session(SessionRequest::Ping))
            .await;
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
