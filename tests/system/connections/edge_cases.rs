//! Tables of malformed and unusual input; afterwards the server works as before.

use std::net::Ipv4Addr;
use std::time::Duration;

use noughts_protocol::wire::{Message, RejectCode, RequestBody, RoomCommand, SessionRequest};
use noughts_protocol::{Cell, Event, Offer, RequestId, Seat, Seq};
use noughts_tests::client::frame::{CONTINUATION, ClientFrame, PING, PONG, TEXT};
use noughts_tests::client::game_setup::{pair_players, room_ref};
use noughts_tests::client::http::request_head;
use noughts_tests::client::raw_websocket::{self, RawWebSocket, handshake_request};
use noughts_tests::client::test_client::TestClient;
use noughts_tests::server::TestServer;
use noughts_tests::wait::wait_until;
use tokio::net::TcpSocket;

/// Waits until only the client's own connection is left.
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

/// Expected result of a text: a reject with code and field, or a close code.
#[derive(Debug, PartialEq, Eq)]
enum TextOutcome {
    Refused(RejectCode, Option<String>),
    Closed(u16),
    Done,
}

async fn send_text(server: &TestServer, text: &str) -> TextOutcome {
    let mut line = RawWebSocket::connect_and_greet(server.address()).await;
    line.try_write(&ClientFrame::new(TEXT, text).to_bytes())
        .await;
    let frame = loop {
        match line.next_frame().await {
            // The first ping arrives with the welcome.
            Some((raw_websocket::PING, _)) => {}
            frame => break frame,
        }
    };
    match frame {
        Some((raw_websocket::CLOSE, payload)) => {
            TextOutcome::Closed(u16::from_be_bytes(*payload.first_chunk().expect("a code")))
        }
        Some((raw_websocket::TEXT, text)) => {
            let text = String::from_utf8(text).expect("text");
            match Message::parse(&text).expect("a message") {
                Message::Reject { reject, .. } => TextOutcome::Refused(
                    reject.code,
                    reject.field.map(std::borrow::Cow::into_owned),
                ),
                Message::Welcome { .. }
                | Message::Done { .. }
                | Message::Snapshot { .. }
                | Message::Events { .. }
                | Message::Notice { .. }
                | Message::Rooms { .. }
                | Message::Lobby { .. }
                | Message::LobbyChanged { .. }
                | Message::Restarting { .. } => TextOutcome::Done,
            }
        }
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn unusual_texts_are_answered() {
    use RejectCode::{BadField, BadMessage, HelloTwice, NotInRoom, UnknownType};
    let server = TestServer::start().await;
    let rejection = |code, field: &str| {
        TextOutcome::Refused(code, (!field.is_empty()).then(|| field.to_owned()))
    };
    let deep = |depth: usize| {
        format!(
            r#"{{"id":1,"type":"list","x":{}{}}}"#,
            "[".repeat(depth),
            "]".repeat(depth)
        )
    };
    let named = |name: &str| {
        format!(r#"{{"id":1,"type":"hello","versions":[1,1],"kind":"bot","name":"{name}"}}"#)
    };
    for (what, text, expected) in [
        ("10 000 deep", "[".repeat(10_000), TextOutcome::Closed(1009)),
        (
            "2 000 levels in an unknown field",
            deep(2000),
            rejection(BadMessage, ""),
        ),
        (
            "a name of 3 KiB",
            named(&"x".repeat(3 << 10)),
            rejection(BadField, "name"),
        ),
        (
            "a name of 5 KiB",
            named(&"x".repeat(5 << 10)),
            TextOutcome::Closed(1009),
        ),
        ("a second hello", named("Two"), rejection(HelloTwice, "")),
        (
            "unknown fields",
            r#"{"x":{"y":[1,null]},"id":1,"type":"list","Z":1e400}"#.into(),
            rejection(BadMessage, ""),
        ),
        (
            "unknown fields, valid JSON",
            r#"{"x":{"y":[1,null]},"id":1,"type":"list","Z":1e40}"#.into(),
            TextOutcome::Done,
        ),
        (
            "33 fields",
            format!(
                r#"{{"id":1,"type":"list"{}}}"#,
                (0..31)
                    .map(|at| format!(",\"f{at}\":0"))
                    .collect::<String>()
            ),
            rejection(BadMessage, ""),
        ),
        (
            "a type twice",
            r#"{"id":1,"type":"list","type":"list"}"#.into(),
            rejection(BadMessage, ""),
        ),
        (
            "a type that is a number",
            r#"{"id":1,"type":7}"#.into(),
            rejection(BadField, "type"),
        ),
        (
            "a type in another case",
            r#"{"id":1,"type":"LIST"}"#.into(),
            rejection(UnknownType, "type"),
        ),
        (
            "an id that is a text",
            r#"{"id":"1","type":"list"}"#.into(),
            rejection(BadField, "id"),
        ),
        (
            "an id below zero",
            r#"{"id":-1,"type":"list"}"#.into(),
            rejection(BadField, "id"),
        ),
        (
            "an id of 2^53",
            r#"{"id":9007199254740992,"type":"list"}"#.into(),
            rejection(BadField, "id"),
        ),
        (
            "an id of 2^64",
            r#"{"id":18446744073709551616,"type":"list"}"#.into(),
            rejection(BadField, "id"),
        ),
        (
            "a cell with a fraction",
            r#"{"id":1,"type":"move","cell":1.0,"seq":1}"#.into(),
            rejection(BadField, "cell"),
        ),
        (
            "a move in no room",
            r#"{"id":1,"type":"move","cell":1,"seq":1}"#.into(),
            rejection(NotInRoom, ""),
        ),
        (
            "a lone surrogate in a name",
            named("\\ud800"),
            rejection(BadMessage, ""),
        ),
        (
            "a byte order mark",
            format!("\u{feff}{}", r#"{"id":1,"type":"list"}"#),
            rejection(BadMessage, ""),
        ),
        (
            "a NUL behind the message",
            "{\"id\":1,\"type\":\"list\"}\0".into(),
            rejection(BadMessage, ""),
        ),
        (
            "blanks round the message",
            " \r\n\t{\"id\":1,\"type\":\"list\"} \n".into(),
            TextOutcome::Done,
        ),
        (
            "a comment",
            r#"{"id":1,"type":"list"} // please"#.into(),
            rejection(BadMessage, ""),
        ),
        (
            "a room with dots and slashes",
            r#"{"id":1,"type":"watch","room":"../../x"}"#.into(),
            rejection(BadField, "room"),
        ),
        (
            "a room with a wildcard",
            r#"{"id":1,"type":"watch","room":"k7qf3mz*"}"#.into(),
            rejection(BadField, "room"),
        ),
        (
            "a truncated token",
            r#"{"id":1,"type":"resume","room":"k7qf3mzx","token":"17f4fb2hdwqcwxkm5fyxjypz0"}"#
                .into(),
            rejection(BadField, "token"),
        ),
    ] {
        assert_eq!(send_text(&server, &text).await, expected, "{what}");
    }
    wait_until_idle(&server).await;
}

#[tokio::test]
async fn an_unfinished_message_blocks_nothing() {
    let server =
        TestServer::start_with_limits(|limits| limits.ping_interval = Duration::from_millis(400))
            .await;
    let mut line = RawWebSocket::connect_and_greet(server.address()).await;
    line.write_frames(&[ClientFrame::new(TEXT, r#"{"type":"list","id":7"#).without_fin()])
        .await;
    // A message in fragments may take its time, with pings in between, and counts when it is complete.
    let mut pings = 0;
    while pings < 4 {
        if let Some((raw_websocket::PING, payload)) = line.next_frame().await {
            line.write_frames(&[
                ClientFrame::new(PONG, payload),
                ClientFrame::new(PING, "mine"),
            ])
            .await;
            pings += 1;
        }
    }
    line.write_frames(&[ClientFrame::new(CONTINUATION, "}")])
        .await;
    let response = line.next_message().await;
    assert!(
        matches!(response, Message::Rooms { re, .. } if re.get() == 7),
        "{response:?}"
    );
    // A client that stops in the middle of a message times out.
    line.write_frames(&[ClientFrame::new(TEXT, "{").without_fin()])
        .await;
    assert_eq!(line.read_close_code().await, Some(4201));
    wait_until_idle(&server).await;
}

#[tokio::test]
async fn of_two_simultaneous_moves_the_one_in_turn_counts() {
    let server = TestServer::start().await;
    for round in 0..20 {
        let [mut x, mut o] = pair_players(&server, "3x3:3", None).await;
        // Both clients play the same cell, in either order.
        let (first, second) = if round % 2 == 0 {
            (&mut x, &mut o)
        } else {
            (&mut o, &mut x)
        };
        let moves = futures::join!(first.play(4), second.play(4));
        let (by_x, by_o) = if round % 2 == 0 {
            moves
        } else {
            (moves.1, moves.0)
        };
        assert!(by_x.is_ok(), "X is to move: {by_x:?}");
        let code = by_o.expect_err("X is to move").code;
        assert!(
            [RejectCode::NotYourTurn, RejectCode::Stale].contains(&code),
            "{code}"
        );
        o.wait_until_seq(x.game().seq()).await;
        assert_eq!(o.game().position().moves(), [Cell::new(4)]);
        // Both moves of O answer the same position.
        let seq = o.game().seq();
        let twice = [5_u16, 6].map(|cell| {
            (
                RequestId::new(500 + u64::from(cell)).expect("fits the type"),
                cell,
            )
        });
        for (id, cell) in twice {
            o.send_text(&format!(
                r#"{{"type":"move","id":{id},"cell":{cell},"seq":{seq}}}"#
            ))
            .await;
        }
        assert!(o.wait_for_response(twice[0].0, Some(Seat::O)).await.is_ok());
        assert_eq!(
            o.wait_for_response(twice[1].0, Some(Seat::O))
                .await
                .expect_err("one move")
                .code,
            RejectCode::Stale
        );
    }
}

#[tokio::test]
async fn requests_are_bound_to_their_connection_and_room() {
    let server = TestServer::start().await;
    let [mut x, mut o] = pair_players(&server, "3x3:3", None).await;
    let [mut other, _opponent] = pair_players(&server, "3x3:3", None).await;
    let (seq, room) = (o.game().seq(), other.seat_info().id);
    // Responses to a seat, a room or a token that the client did not ask for are ignored.
    let token = x.seat_info().role.token.expect("a player");
    o.send_text(&format!(
        r#"{{"type":"move","id":700,"cell":0,"seq":{seq},"seat":"X","room":"{room}","token":"{token}"}}"#
    ))
    .await;
    let response = o
        .wait_for_response(RequestId::new(700).expect("fits the type"), Some(Seat::O))
        .await;
    assert_eq!(response.expect_err("O has O").code, RejectCode::NotYourTurn);
    x.play(0).await.expect("no move was made");
    other.play(0).await.expect("the room is not found");
    let mut spectator = server.connect_client("Fan").await;
    spectator.watch(room_ref(&x)).await.expect("public");
    spectator
        .send_text(&format!(
            r#"{{"type":"move","id":700,"cell":1,"seq":{seq},"seat":"O","token":"{token}"}}"#
        ))
        .await;
    let response = spectator
        .wait_for_response(RequestId::new(700).expect("fits the type"), None)
        .await;
    assert_eq!(
        response.expect_err("a spectator").code,
        RejectCode::NotAPlayer
    );
}

#[tokio::test]
async fn a_token_is_valid_from_any_address_until_its_room_closes() {
    let server = TestServer::start_with_limits(|limits| limits.leave_grace = Duration::ZERO).await;
    let [x, mut o] = pair_players(&server, "3x3:3", None).await;
    let seat_info = x.disconnect();
    let socket = TcpSocket::new_v4().expect("a socket");
    socket
        .bind((Ipv4Addr::new(127, 8, 8, 8), 0).into())
        .expect("an address of loopback");
    let line = socket
        .connect(server.address())
        .await
        .expect("the server listens");
    let mut x = TestClient::with_stream(line, &server.url()).await;
    x.greet("Ann").await;
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
async fn creating_many_rooms_on_one_connection_leaves_one_room() {
    let server = TestServer::start().await;
    let mut eve = server.connect_client("Eve").await;
    for _ in 0..300 {
        eve.create("3x3:3", None, None, true).await;
        eve.request(RequestBody::Session(SessionRequest::Leave))
            .await
            .expect("in its room");
    }
    wait_until("each to close", async || {
        (server.metric("noughts_rooms").await == 0).then_some(())
    })
    .await;
    let room = eve.create("3x3:3", None, Some(Seat::X), true).await;
    let mut guest = server.connect_client("Guest").await;
    guest.join(room).await.expect("the cell is free");
    assert!(matches!(
        eve.offer(Offer::Draw).await,
        Ok(Message::Events { .. })
    ));
    assert_eq!(
        guest
            .expect_reject(RequestBody::Command(RoomCommand::Flag))
            .await,
        RejectCode::FlagNotFallen
    );
    drop((eve, guest));
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
