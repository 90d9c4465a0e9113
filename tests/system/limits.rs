//! The limits of a connection: what is let through up to each, and what happens beyond it, with the
//! exact status, reject or close code.

use std::time::Duration;

use noughts_protocol::wire::{Body, Lobby, Message, RejectCode};
use noughts_tests::frame::{Frame, PING, PONG, TEXT};
use noughts_tests::http::{Response, head_of};
use noughts_tests::raw::{Raw, handshake};
use noughts_tests::server::Server;
use noughts_tests::wait::until;
use tokio::io::AsyncWriteExt;

const MS: Duration = Duration::from_millis(1);
const LIST: &str = r#"{"type":"list","id":7}"#;

/// The answer to a handshake, and the line.
async fn knock(server: &Server) -> (Raw, Response) {
    head_of(server.address(), &handshake("")).await
}

/// A WebSocket once there is a place for it.
async fn enter(server: &Server) -> Raw {
    until("a place", async || {
        let (line, answer) = knock(server).await;
        (answer.status == 101).then_some(line)
    })
    .await
}

#[tokio::test]
async fn an_address_has_so_many_connections() {
    let server = Server::limited(|limits| limits.max_per_address = 3).await;
    let mut lines = vec![];
    for _ in 0..3 {
        lines.push(Raw::websocket(server.address()).await);
    }
    for _ in 0..3 {
        let (_, answer) = knock(&server).await;
        assert_eq!(answer.status, 429, "{answer:?}");
        assert!(answer.header("retry-after").is_some_and(|after| after.parse::<u32>().is_ok()));
    }
    assert_eq!(server.metric("noughts_refused_total").await, 3);
    // Pages are another matter, and so is another address.
    assert_eq!(server.get("/health").await.0, 200);
    assert_eq!(knock_from("127.0.0.2", &server).await, 101);
    // A place is given back however the line ends.
    lines.pop().expect("three").reset();
    lines.push(enter(&server).await);
    lines.pop().expect("three").finish().await;
    lines.push(enter(&server).await);
    drop(lines);
    server.settled().await;
}

/// The status of a handshake from another address of this machine.
async fn knock_from(address: &str, server: &Server) -> u16 {
    let from = address.parse().expect("an address");
    let mut line = Raw::connect_from(from, server.address()).await;
    line.write(handshake("").as_bytes()).await;
    Response::parse(&line.head().await).status
}

#[tokio::test]
async fn there_are_so_many_connections_in_all() {
    let server = Server::limited(|limits| limits.max_connections = 2).await;
    let [_one, two] = [Raw::websocket(server.address()).await, Raw::websocket(server.address()).await];
    let (_, answer) = knock(&server).await;
    assert_eq!(answer.status, 503, "{answer:?}");
    assert!(answer.header("retry-after").is_some());
    assert_eq!(knock_from("127.0.0.2", &server).await, 503);
    assert_eq!(server.get("/ready").await.0, 200);
    drop(two);
    enter(&server).await;
}

#[tokio::test]
async fn who_does_not_say_hello_is_closed_with_4000() {
    let server = Server::limited(|limits| limits.hello = 300 * MS).await;
    let mut silent = Raw::websocket(server.address()).await;
    assert_eq!(silent.close_payload().await, Some(expected(4000)));
    // Neither pings nor what is no hello put it off.
    let mut busy = Raw::websocket(server.address()).await;
    let mut rounds = 0;
    while busy.try_write(&[Frame::new(PING, "").bytes(), Frame::new(TEXT, LIST).bytes()].concat()).await {
        tokio::time::sleep(20 * MS).await;
        rounds += 1;
        assert!(rounds < 200, "nobody said hello");
    }
    // And who did say it stays.
    let mut peer = server.peer("Ann").await;
    tokio::time::sleep(600 * MS).await;
    assert!(peer.ask(Body::Lobby(Lobby::List)).await.is_ok());
}

#[tokio::test]
async fn a_version_that_is_not_spoken_is_closed_with_4001() {
    let server = Server::start().await;
    for versions in ["[0,0]", "[2,2]", "[2,65535]", "[2,0]"] {
        let mut line = Raw::websocket(server.address()).await;
        let hello = format!(r#"{{"type":"hello","id":1,"versions":{versions},"name":"A","kind":"bot"}}"#);
        line.text(&hello).await;
        let message = line.message().await;
        let Message::Reject { re: Some(re), reject } = message else { panic!("{versions}: {message:?}") };
        assert_eq!((re.get(), reject.code), (1, RejectCode::Version), "{versions}");
        assert_eq!((reject.field.as_deref(), reject.versions), (Some("versions"), Some([1, 1])));
        assert_eq!(line.close_code().await, Some(4001), "{versions}");
    }
    let mut line = Raw::websocket(server.address()).await;
    line.text(r#"{"type":"hello","id":1,"versions":[0,9],"name":"A","kind":"bot"}"#).await;
    assert!(matches!(line.message().await, Message::Welcome { version: 1, .. }));
}

#[tokio::test]
async fn ten_messages_that_are_none_are_refused_and_the_next_closes_with_4003() {
    let server = Server::start().await;
    let deep = "[".repeat(4000);
    let garbage = [
        "",
        "{",
        "[]",
        "null",
        "\"hello\"",
        "{} {}",
        &deep,
        "{\"id\":1,\"id\":1}",
        "{\"id\":1e400}",
        "{\"id\":18446744073709551616,\"type\":\"list\"}",
        "{\"id\":1.5,\"type\":\"list\"}",
    ];
    let mut line = Raw::greeted(server.address()).await;
    for (count, text) in garbage.into_iter().enumerate() {
        line.text(text).await;
        if count == 10 {
            break;
        }
        let message = line.message().await;
        let Message::Reject { re: None, reject } = message else { panic!("{text}: {message:?}") };
        let known = [RejectCode::BadMessage, RejectCode::BadField];
        assert!(known.contains(&reject.code), "{text}: {reject:?}");
    }
    assert_eq!(line.close_payload().await, Some(expected(4003)));
    // What names itself by a good id is a mistake and no garbage, and is refused as often as it comes.
    let mut line = Raw::greeted(server.address()).await;
    for _ in 0..50 {
        line.text(r#"{"id":3,"type":"castle"}"#).await;
        assert!(matches!(line.message().await, Message::Reject { re: Some(_), .. }));
    }
}

/// What a close with this code carries.
fn expected(code: u16) -> Vec<u8> {
    let known = noughts_protocol::wire::CloseCode::from_code(code).expect("one of ours");
    [&code.to_be_bytes()[..], known.reason().as_bytes()].concat()
}

#[tokio::test]
async fn who_says_too_much_is_warned_and_then_closed_with_1008() {
    let server = Server::limited(|limits| (limits.burst, limits.per_second) = (5, 1)).await;
    let mut line = Raw::greeted(server.address()).await;
    // The hello was the first of five.
    line.frames(&vec![Frame::new(TEXT, r#"{"type":"cancel","id":7}"#); 20]).await;
    let (messages, code) = line.to_the_end().await;
    let codes: Vec<_> = messages
        .iter()
        .map(|message| {
            let Message::Reject { re: Some(re), reject } = message else { panic!("{message:?}") };
            let limited = reject.code == RejectCode::RateLimited;
            let waits = reject.wait_ms.is_some_and(|wait| (1..=1000).contains(&wait));
            assert_eq!((re.get(), waits), (7, limited), "{reject:?}");
            reject.code
        })
        .collect();
    let expected = [[RejectCode::NotSeeking; 4].as_slice(), &[RejectCode::RateLimited; 5]].concat();
    assert_eq!(codes, expected);
    assert_eq!(code, Some(1008));
    for (what, opcode) in [("pings", PING), ("pongs that nobody asked for", PONG)] {
        let mut line = Raw::greeted(server.address()).await;
        line.frames(&vec![Frame::new(opcode, ""); 20]).await;
        assert_eq!(line.close_code().await, Some(1008), "{what}");
    }
}

#[tokio::test]
async fn a_long_list_costs_what_it_weighs() {
    let server = Server::limited(|limits| (limits.burst, limits.per_second) = (20, 1)).await;
    let mut hosts = vec![];
    for _ in 0..50 {
        let mut host = server.peer("界界界界界界界界界界界界").await;
        host.create("25x25:25+misere+exact", Some("10800s+180"), None, true).await;
        hosts.push(host);
    }
    let mut line = Raw::greeted(server.address()).await;
    line.text(LIST).await;
    let list = line.message().await.to_json();
    let price = list.len().div_ceil(4096);
    assert!(price > 2, "{} bytes of list", list.len());
    // A full bucket but for the hello.
    let began = tokio::time::Instant::now();
    let mut line = Raw::greeted(server.address()).await;
    line.frames(&vec![Frame::new(TEXT, LIST); 19]).await;
    let (mut lists, mut refused) = (0, 0);
    while lists + refused < 19 {
        let message = line.message().await;
        if let Message::Reject { reject, .. } = &message {
            assert_eq!((reject.code, reject.wait_ms.is_some()), (RejectCode::RateLimited, true));
            refused += 1;
        } else {
            assert!(matches!(message, Message::Rooms { .. }), "{message:?}");
            lists += 1;
        }
    }
    let most = (19 + began.elapsed().as_secs() as usize + 1) / price;
    assert!((1..=most).contains(&lists), "{lists} lists of {price} messages each");
    // All who ask at once are served.
    let all = hosts.iter_mut().map(|host| host.ask(Body::Lobby(Lobby::List)));
    for answer in futures::future::join_all(all).await {
        let Ok(Message::Rooms { rooms, .. }) = answer else { panic!("{answer:?}") };
        assert_eq!(rooms.len(), 50);
    }
}

#[tokio::test]
async fn who_waits_as_told_is_heard() {
    let server = Server::limited(|limits| (limits.burst, limits.per_second) = (2, 10)).await;
    let mut peer = server.peer("Ann").await;
    let mut refused = 0;
    for _ in 0..12 {
        if let Err(reject) = peer.ask(Body::Lobby(Lobby::List)).await {
            assert_eq!(reject.code, RejectCode::RateLimited);
            refused += 1;
            tokio::time::sleep(reject.wait_ms.expect("when to come back") as u32 * MS).await;
            assert!(peer.ask(Body::Lobby(Lobby::List)).await.is_ok(), "after waiting as told");
        }
    }
    assert!(refused > 2);
}

#[tokio::test]
async fn a_player_whose_outbox_is_full_is_closed_with_4200_and_resumes() {
    // Not even the news of its own room fit.
    let server = Server::limited(|limits| limits.outbox = 1).await;
    let mut line = Raw::greeted(server.address()).await;
    line.text(r#"{"type":"create","id":1,"rules":"3x3:3","public":true}"#).await;
    assert_eq!(line.close_payload().await, Some(expected(4200)));
}

#[tokio::test]
async fn who_does_not_answer_pings_is_closed_with_4201_and_who_does_is_not() {
    let server = Server::limited(|limits| limits.ping = 100 * MS).await;
    let mut dead = Raw::greeted(server.address()).await;
    let mut pings = vec![];
    let code = loop {
        match dead.next_frame().await.expect("a close comes first") {
            (noughts_tests::raw::PING, payload) => pings.push(payload),
            (noughts_tests::raw::CLOSE, payload) => break payload,
            (first, _) => panic!("unexpected {first:#04x}"),
        }
    };
    assert_eq!((code, pings.len()), (expected(4201), 2));
    // Answers to other pings are none.
    let mut liar = Raw::greeted(server.address()).await;
    let (one, two) = (Frame::new(PONG, pings[0].clone()), Frame::new(PONG, vec![0; 8]));
    let code = loop {
        match liar.next_frame().await.expect("a close comes first") {
            (noughts_tests::raw::CLOSE, payload) => break payload,
            (noughts_tests::raw::PING, payload) if payload == pings[0] => {
                liar.frames(std::slice::from_ref(&one)).await;
            }
            _ => liar.frames(&[two.clone(), one.clone()]).await,
        }
    };
    assert_eq!(code, expected(4201));
    let mut alive = server.peer("Ann").await;
    let told = tokio::time::timeout(1500 * MS, alive.wait_for("nothing", |_| false)).await;
    assert!(told.is_err(), "fifteen pings, each answered");
    assert!(alive.ask(Body::Lobby(Lobby::List)).await.is_ok());
}

/// A long way to the server is not a dead one: so soon no answer can be missed.
#[tokio::test]
async fn going_from_room_to_room_costs_nobody_its_line() {
    let server = Server::start().await;
    let mut far = Raw::greeted(server.address()).await;
    for id in 0..6 {
        far.text(&format!(r#"{{"type":"create","id":{id},"rules":"3x3:3","public":true}}"#)).await;
        while !matches!(far.message().await, Message::Snapshot { .. }) {}
        far.text(&format!(r#"{{"type":"leave","id":{}}}"#, 100 + id)).await;
        while !matches!(far.message().await, Message::Done { .. }) {}
    }
}

#[tokio::test]
async fn who_does_not_read_is_given_up_after_the_time_of_a_write() {
    let server = Server::limited(|limits| {
        limits.write = 300 * MS;
        (limits.burst, limits.per_second) = (u32::MAX, u32::MAX);
    })
    .await;
    let mut deaf = Raw::narrow(server.address()).await;
    deaf.upgrade().await;
    deaf.greet().await;
    deaf.text(r#"{"type":"create","id":1,"rules":"3x3:3","public":true}"#).await;
    until("its room", async || (server.metric("noughts_rooms").await == 1).then_some(())).await;
    // The refusals are larger than what they refuse: the way back fills first.
    let asked = Frame::new(TEXT, r#"{"type":"x","id":2}"#).bytes().repeat(500);
    let connected = async || server.metric("noughts_connections").await == 1;
    while connected().await {
        let more = tokio::time::timeout(100 * MS, deaf.line.write_all(&asked)).await;
        let (Ok(Ok(()) | Err(_)) | Err(_)) = more;
    }
    assert_eq!(server.metric("noughts_rooms").await, 1, "its seat is kept");
}
