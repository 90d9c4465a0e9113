//! Cases beside those that the other suites are about, as tables; after each the server is as it was.

use std::net::Ipv4Addr;
use std::time::Duration;

use noughts_protocol::wire::{Body, Command, Lobby, Message, RejectCode};
use noughts_protocol::{Cell, Event, Offer, RequestId, Seat, Seq};
use noughts_tests::frame::{CONTINUATION, Frame, PING, PONG, TEXT};
use noughts_tests::http::head_of;
use noughts_tests::peer::Peer;
use noughts_tests::raw::{self, Raw, handshake};
use noughts_tests::server::Server;
use noughts_tests::table::{pair, public};
use noughts_tests::wait::until;
use tokio::net::TcpSocket;

/// Nothing is left but the one who asks.
async fn at_rest(server: &Server) {
    server.settled().await;
    until("no sockets but the one that asks", async || {
        (server.metric("noughts_sockets").await == 1).then_some(())
    })
    .await;
}

#[tokio::test]
async fn a_head_that_is_malformed_is_a_bad_request_and_one_that_is_odd_is_read() {
    let server = Server::start().await;
    let good = handshake("");
    let key = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
    for (what, head, status) in [
        ("a name with a space", handshake("X y: z\r\n"), 400),
        ("a space before the colon", handshake("X : z\r\n"), 400),
        ("a NUL in a value", handshake("X: \0\r\n"), 400),
        ("an ESC in a value", handshake("X: \x1b\r\n"), 400),
        ("a folded line", handshake("X: a\r\n b\r\n"), 400),
        ("a line without a colon", handshake("nothing\r\n"), 400),
        ("a name that is empty", handshake(": x\r\n"), 400),
        ("no target", good.replace("GET /ws HTTP", "GET HTTP"), 400),
        ("a target with a space", good.replace("/ws", "/w s"), 400),
        ("a fragment", good.replace("/ws", "/ws#x"), 101),
        ("no version", good.replace(" HTTP/1.1", ""), 400),
        ("version 1.2", good.replace("HTTP/1.1", "HTTP/1.2"), 400),
        ("version 3.0", good.replace("HTTP/1.1", "HTTP/3.0"), 400),
        ("a method in lower case", good.replace("GET", "get"), 405),
        ("CONNECT", good.replace("GET /ws", "CONNECT localhost:80"), 400),
        ("two lengths", handshake("Content-Length: 1\r\nContent-Length: 2\r\n"), 400),
        ("a length that is none", handshake("Content-Length: -1\r\n"), 400),
        ("a coding that nobody knows", handshake("Transfer-Encoding: x\r\n"), 400),
        ("a key with a blank line for a value", good.replace(key, "Sec-WebSocket-Key:\r\n"), 400),
        ("lines that end in LF alone", good.replace("\r\n", "\n"), 101),
        ("bytes beyond ASCII in a value", handshake("X: é\r\n"), 101),
        ("an empty value", handshake("X:\r\n"), 101),
        ("a query", good.replace("/ws", "/ws?token=secret&x"), 101),
        ("blank lines before it", format!("\r\n\r\n{good}"), 101),
    ] {
        let (_, answer) = head_of(server.address(), &head).await;
        assert_eq!(answer.status, status, "{what}: {answer:?}");
    }
    at_rest(&server).await;
}

/// What comes of a text: a refusal with this code, about this field; or the close with this code.
#[derive(Debug, PartialEq, Eq)]
enum Told {
    Refused(RejectCode, Option<String>),
    Closed(u16),
    Done,
}

async fn told(server: &Server, text: &str) -> Told {
    let mut line = Raw::greeted(server.address()).await;
    line.try_write(&Frame::new(TEXT, text).bytes()).await;
    let frame = loop {
        match line.next_frame().await {
            // The first of the server's pings comes with the welcome.
            Some((raw::PING, _)) => {}
            frame => break frame,
        }
    };
    match frame {
        Some((raw::CLOSE, payload)) => {
            Told::Closed(u16::from_be_bytes(*payload.first_chunk().expect("a code")))
        }
        Some((raw::TEXT, text)) => {
            let text = String::from_utf8(text).expect("text");
            match Message::parse(&text).expect("a message") {
                Message::Reject { reject, .. } => {
                    Told::Refused(reject.code, reject.field.map(std::borrow::Cow::into_owned))
                }
                Message::Welcome { .. }
                | Message::Done { .. }
                | Message::Snapshot { .. }
                | Message::Events { .. }
                | Message::Notice { .. }
                | Message::Rooms { .. }
                | Message::Restarting { .. } => Told::Done,
            }
        }
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn texts_of_every_kind_are_answered() {
    use RejectCode::{BadField, BadMessage, HelloTwice, NotInRoom, UnknownType};
    let server = Server::start().await;
    let refused = |code, field: &str| Told::Refused(code, (!field.is_empty()).then(|| field.to_owned()));
    let deep =
        |depth: usize| format!(r#"{{"id":1,"type":"list","x":{}{}}}"#, "[".repeat(depth), "]".repeat(depth));
    let named =
        |name: &str| format!(r#"{{"id":1,"type":"hello","versions":[1,1],"kind":"bot","name":"{name}"}}"#);
    for (what, text, expected) in [
        ("10 000 deep", "[".repeat(10_000), Told::Closed(1009)),
        ("2 000 deep in a field that nobody knows", deep(2000), refused(BadMessage, "")),
        ("a name of 3 KiB", named(&"x".repeat(3 << 10)), refused(BadField, "name")),
        ("a name of 5 KiB", named(&"x".repeat(5 << 10)), Told::Closed(1009)),
        ("a second hello", named("Two"), refused(HelloTwice, "")),
        (
            "fields that nobody knows",
            r#"{"x":{"y":[1,null]},"id":1,"type":"list","Z":1e400}"#.into(),
            refused(BadMessage, ""),
        ),
        (
            "fields that nobody knows, sound",
            r#"{"x":{"y":[1,null]},"id":1,"type":"list","Z":1e40}"#.into(),
            Told::Done,
        ),
        (
            "33 fields",
            format!(
                r#"{{"id":1,"type":"list"{}}}"#,
                (0..31).map(|at| format!(",\"f{at}\":0")).collect::<String>()
            ),
            refused(BadMessage, ""),
        ),
        ("a type twice", r#"{"id":1,"type":"list","type":"list"}"#.into(), refused(BadMessage, "")),
        ("a type that is a number", r#"{"id":1,"type":7}"#.into(), refused(BadField, "type")),
        ("a type in another case", r#"{"id":1,"type":"LIST"}"#.into(), refused(UnknownType, "type")),
        ("an id that is a text", r#"{"id":"1","type":"list"}"#.into(), refused(BadField, "id")),
        ("an id below zero", r#"{"id":-1,"type":"list"}"#.into(), refused(BadField, "id")),
        ("an id of 2^53", r#"{"id":9007199254740992,"type":"list"}"#.into(), refused(BadField, "id")),
        ("an id of 2^64", r#"{"id":18446744073709551616,"type":"list"}"#.into(), refused(BadField, "id")),
        (
            "a cell with a point",
            r#"{"id":1,"type":"move","cell":1.0,"seq":1}"#.into(),
            refused(BadField, "cell"),
        ),
        ("a move in no room", r#"{"id":1,"type":"move","cell":1,"seq":1}"#.into(), refused(NotInRoom, "")),
        ("a lone surrogate in a name", named("\\ud800"), refused(BadMessage, "")),
        ("a byte order mark", format!("\u{feff}{}", r#"{"id":1,"type":"list"}"#), refused(BadMessage, "")),
        ("a NUL behind the message", "{\"id\":1,\"type\":\"list\"}\0".into(), refused(BadMessage, "")),
        ("blanks round the message", " \r\n\t{\"id\":1,\"type\":\"list\"} \n".into(), Told::Done),
        ("a comment", r#"{"id":1,"type":"list"} // please"#.into(), refused(BadMessage, "")),
        (
            "a room with dots and slashes",
            r#"{"id":1,"type":"watch","room":"../../x"}"#.into(),
            refused(BadField, "room"),
        ),
        (
            "a room with a wildcard",
            r#"{"id":1,"type":"watch","room":"k7qf3mz*"}"#.into(),
            refused(BadField, "room"),
        ),
        (
            "a token cut short",
            r#"{"id":1,"type":"resume","room":"k7qf3mzx","token":"17f4fb2hdwqcwxkm5fyxjypz0"}"#.into(),
            refused(BadField, "token"),
        ),
    ] {
        assert_eq!(told(&server, &text).await, expected, "{what}");
    }
    at_rest(&server).await;
}

#[tokio::test]
async fn a_message_that_is_never_finished_holds_nothing_up() {
    let server = Server::limited(|limits| limits.ping = Duration::from_millis(400)).await;
    let mut line = Raw::greeted(server.address()).await;
    line.frames(&[Frame::new(TEXT, r#"{"type":"list","id":7"#).more()]).await;
    // It may take its time: pings between are answered both ways, and it counts when it is whole.
    let mut asked = 0;
    while asked < 4 {
        if let Some((raw::PING, payload)) = line.next_frame().await {
            line.frames(&[Frame::new(PONG, payload), Frame::new(PING, "mine")]).await;
            asked += 1;
        }
    }
    line.frames(&[Frame::new(CONTINUATION, "}")]).await;
    let answer = line.message().await;
    assert!(matches!(answer, Message::Rooms { re, .. } if re.get() == 7), "{answer:?}");
    // One who says nothing more is dead like any other.
    line.frames(&[Frame::new(TEXT, "{").more()]).await;
    assert_eq!(line.close_code().await, Some(4201));
    at_rest(&server).await;
}

#[tokio::test]
async fn of_two_who_move_in_one_moment_the_one_to_move_does() {
    let server = Server::start().await;
    for round in 0..20 {
        let [mut x, mut o] = pair(&server, "3x3:3", None).await;
        // The same cell, by both, in either order.
        let (first, second) = if round % 2 == 0 { (&mut x, &mut o) } else { (&mut o, &mut x) };
        let moves = futures::join!(first.play(4), second.play(4));
        let (by_x, by_o) = if round % 2 == 0 { moves } else { (moves.1, moves.0) };
        assert!(by_x.is_ok(), "X is to move: {by_x:?}");
        let code = by_o.expect_err("X is to move").code;
        assert!([RejectCode::NotYourTurn, RejectCode::Stale].contains(&code), "{code}");
        o.caught_up(x.game().seq()).await;
        assert_eq!(o.game().position().moves(), [Cell::new(4)]);
        // And of two answers to one position, both by O.
        let seq = o.game().seq();
        let twice = [5_u16, 6].map(|cell| (RequestId::new(500 + u64::from(cell)).expect("small"), cell));
        for (id, cell) in twice {
            o.text(&format!(r#"{{"type":"move","id":{id},"cell":{cell},"seq":{seq}}}"#)).await;
        }
        assert!(o.answer(twice[0].0, Some(Seat::O)).await.is_ok());
        assert_eq!(o.answer(twice[1].0, Some(Seat::O)).await.expect_err("one move").code, RejectCode::Stale);
    }
}

#[tokio::test]
async fn whose_a_request_is_and_where_is_known_and_not_told() {
    let server = Server::start().await;
    let [mut x, mut o] = pair(&server, "3x3:3", None).await;
    let [mut other, _its_o] = pair(&server, "3x3:3", None).await;
    let (seq, room) = (o.game().seq(), other.place().id);
    // For the other seat, in another room, with somebody else's token: what nobody asked for is passed over.
    let token = x.place().you.token.expect("a player");
    o.text(&format!(
        r#"{{"type":"move","id":700,"cell":0,"seq":{seq},"seat":"X","room":"{room}","token":"{token}"}}"#
    ))
    .await;
    let answer = o.answer(RequestId::new(700).expect("small"), Some(Seat::O)).await;
    assert_eq!(answer.expect_err("O has O").code, RejectCode::NotYourTurn);
    x.play(0).await.expect("nobody has moved");
    other.play(0).await.expect("nor there");
    let mut fan = server.peer("Fan").await;
    fan.watch(public(&x)).await.expect("public");
    fan.text(&format!(r#"{{"type":"move","id":700,"cell":1,"seq":{seq},"seat":"O","token":"{token}"}}"#))
        .await;
    let answer = fan.answer(RequestId::new(700).expect("small"), None).await;
    assert_eq!(answer.expect_err("a spectator").code, RejectCode::NotAPlayer);
}

#[tokio::test]
async fn a_token_is_good_from_any_address_and_for_as_long_as_its_room() {
    let server = Server::limited(|limits| limits.left_grace = Duration::ZERO).await;
    let [x, mut o] = pair(&server, "3x3:3", None).await;
    let place = x.cut();
    let socket = TcpSocket::new_v4().expect("a socket");
    socket.bind((Ipv4Addr::new(127, 8, 8, 8), 0).into()).expect("an address of loopback");
    let line = socket.connect(server.address()).await.expect("the server listens");
    let mut x = Peer::over(line, &server.url()).await;
    x.greet("Ann").await;
    x.resume(&place, None).await.expect("from wherever");
    x.play(4).await.expect("X begins");
    o.event("the move", |event| matches!(event, Event::Moved { .. })).await;
    for peer in [&mut x, &mut o] {
        peer.ask(Body::Lobby(Lobby::Leave)).await.expect("in a room");
    }
    until("the room to close", async || (server.metric("noughts_rooms").await == 0).then_some(())).await;
    let refused = x.resume(&place, Some(Seq::new(4))).await.expect_err("a room that is no more");
    assert_eq!(refused.code, RejectCode::UnknownRoom);
    drop((x, o));
    at_rest(&server).await;
}

#[tokio::test]
async fn room_after_room_by_one_connection_leaves_one_room() {
    let server = Server::start().await;
    let mut eve = server.peer("Eve").await;
    for _ in 0..300 {
        eve.create("3x3:3", None, None, true).await;
        eve.ask(Body::Lobby(Lobby::Leave)).await.expect("in its room");
    }
    until("each to close", async || (server.metric("noughts_rooms").await == 0).then_some(())).await;
    let room = eve.create("3x3:3", None, Some(Seat::X), true).await;
    let mut guest = server.peer("Guest").await;
    guest.join(room).await.expect("free");
    assert!(matches!(eve.offer(Offer::Draw).await, Ok(Message::Events { .. })));
    assert_eq!(guest.refused(Body::Command(Command::Flag)).await, RejectCode::FlagNotFallen);
    drop((eve, guest));
}
