//! Limits of a connection: accepted up to each limit, and beyond it rejected with an exact status, reject or
//! close code.

use std::time::Duration;

use noughts_protocol::RoomRef;
use noughts_protocol::wire::{Message, RejectCode, RequestBody, SessionRequest};
use noughts_tests::client::frame::{CLOSE, ClientFrame, PING, PONG, TEXT};
use noughts_tests::client::http::{HttpResponse, request_head};
use noughts_tests::client::raw_websocket::{RawWebSocket, handshake_request};
use noughts_tests::server::TestServer;
use noughts_tests::wait::wait_until;
use tokio::io::AsyncWriteExt;

const MILLISECOND: Duration = Duration::from_millis(1);
const LIST_REQUEST: &str = r#"{"type":"list","id":7}"#;

/// Sends a handshake; returns the connection and the response.
async fn try_handshake(server: &TestServer) -> (RawWebSocket, HttpResponse) {
    request_head(server.address(), &handshake_request("")).await
}

/// Opens a WebSocket as soon as the quota permits.
async fn connect_when_free(server: &TestServer) -> RawWebSocket {
    wait_until("a free permit", async || {
        let (socket, response) = try_handshake(server).await;
        (response.status == 101).then_some(socket)
    })
    .await
}

#[tokio::test]
async fn connections_are_limited_per_address() {
    let server = TestServer::start_with_limits(|limits| {
        (limits.max_per_address, limits.max_new_per_second) = (3, Some(10_000));
    })
    .await;
    let mut sockets = vec![];
    for _ in 0..3 {
        sockets.push(RawWebSocket::connect_websocket(server.address()).await);
    }
    for _ in 0..3 {
        let (_, response) = try_handshake(&server).await;
        assert_eq!(response.status, 429, "{response:?}");
        assert!(
            response
                .header("retry-after")
                .is_some_and(|retry_after| retry_after.parse::<u32>().is_ok())
        );
    }
    assert_eq!(server.metric("noughts_refused_total").await, 3);
    // Pages and other addresses have separate limits.
    assert_eq!(server.get("/health").await.0, 200);
    assert_eq!(try_handshake_from("127.0.0.2", &server).await, 101);
    // A reset releases the permit as well.
    sockets.pop().expect("three").reset();
    sockets.push(connect_when_free(&server).await);
    sockets.pop().expect("three").shutdown_write().await;
    sockets.push(connect_when_free(&server).await);
    drop(sockets);
    server.wait_until_idle().await;
}

/// Returns the status of a handshake from another loopback address.
async fn try_handshake_from(address: &str, server: &TestServer) -> u16 {
    let from = address.parse().expect("an address");
    let mut socket = RawWebSocket::connect_from(from, server.address()).await;
    socket.write(handshake_request("").as_bytes()).await;
    HttpResponse::parse(&socket.read_head().await).status
}

#[tokio::test]
async fn connections_are_limited_in_total() {
    let server = TestServer::start_with_limits(|limits| limits.max_connections = 2).await;
    let [_one, two] = [
        RawWebSocket::connect_websocket(server.address()).await,
        RawWebSocket::connect_websocket(server.address()).await,
    ];
    let (_, response) = try_handshake(&server).await;
    assert_eq!(response.status, 503, "{response:?}");
    assert!(response.header("retry-after").is_some());
    assert_eq!(try_handshake_from("127.0.0.2", &server).await, 503);
    assert_eq!(server.get("/ready").await.0, 200);
    drop(two);
    connect_when_free(&server).await;
}

#[tokio::test]
async fn a_missing_hello_is_closed_with_4000() {
    let server =
        TestServer::start_with_limits(|limits| limits.hello_timeout = 300 * MILLISECOND).await;
    let mut silent = RawWebSocket::connect_websocket(server.address()).await;
    assert_eq!(
        silent.read_close_payload().await,
        Some(expected_close(4000))
    );
    // Neither pings nor invalid messages extend the timeout.
    let mut busy = RawWebSocket::connect_websocket(server.address()).await;
    let mut rounds = 0;
    while busy
        .try_write(
            &[
                ClientFrame::new(PING, "").to_bytes(),
                ClientFrame::new(TEXT, LIST_REQUEST).to_bytes(),
            ]
            .concat(),
        )
        .await
    {
        tokio::time::sleep(20 * MILLISECOND).await;
        rounds += 1;
        assert!(rounds < 200, "a missing hello");
    }
    // A client that has sent hello stays connected.
    let mut test_client = server.connect_client("Ann").await;
    tokio::time::sleep(600 * MILLISECOND).await;
    assert!(
        test_client
            .request(RequestBody::Session(SessionRequest::List))
            .await
            .is_ok()
    );
}

#[tokio::test]
async fn an_unsupported_version_is_closed_with_4001() {
    let server = TestServer::start().await;
    for versions in ["[0,0]", "[2,2]", "[2,65535]"] {
        let mut socket = RawWebSocket::connect_websocket(server.address()).await;
        let hello =
            format!(r#"{{"type":"hello","id":1,"versions":{versions},"name":"A","kind":"bot"}}"#);
        socket.write_text(&hello).await;
        let message = socket.next_message().await;
        let Message::Reject {
            re: Some(re),
            reject,
        } = message
        else {
            panic!("{versions}: {message:?}")
        };
        assert_eq!(
            (re.get(), reject.code),
            (1, RejectCode::Version),
            "{versions}"
        );
        assert_eq!(
            (reject.field.as_deref(), reject.versions),
            (Some("versions"), Some([1, 1]))
        );
        assert_eq!(socket.read_close_code().await, Some(4001), "{versions}");
    }
    let mut socket = RawWebSocket::connect_websocket(server.address()).await;
    socket
        .write_text(r#"{"type":"hello","id":1,"versions":[2,1],"name":"A","kind":"bot"}"#)
        .await;
    let Message::Reject { reject, .. } = socket.next_message().await else {
        panic!("a reversed range")
    };
    assert_eq!(
        (reject.code, reject.field.as_deref()),
        (RejectCode::BadField, Some("versions"))
    );
    socket
        .write_text(r#"{"type":"hello","id":1,"versions":[0,9],"name":"A","kind":"bot"}"#)
        .await;
    assert!(matches!(
        socket.next_message().await,
        Message::Welcome { version: 1, .. }
    ));
}

#[tokio::test]
async fn malformed_messages_are_rejected_ten_times_then_closed_with_4003() {
    let server = TestServer::start().await;
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
    let mut socket = RawWebSocket::connect_and_greet(server.address()).await;
    for (count, text) in garbage.into_iter().enumerate() {
        socket.write_text(text).await;
        if count == 10 {
            break;
        }
        let message = socket.next_message().await;
        let Message::Reject { re: None, reject } = message else {
            panic!("{text}: {message:?}")
        };
        let known = [RejectCode::BadMessage, RejectCode::BadField];
        assert!(known.contains(&reject.code), "{text}: {reject:?}");
    }
    assert_eq!(
        socket.read_close_payload().await,
        Some(expected_close(4003))
    );
    // A malformed request with a valid id is rejected without a limit on the number.
    let mut socket = RawWebSocket::connect_and_greet(server.address()).await;
    for _ in 0..50 {
        socket.write_text(r#"{"id":3,"type":"castle"}"#).await;
        assert!(matches!(
            socket.next_message().await,
            Message::Reject { re: Some(_), .. }
        ));
    }
}

/// Returns the payload of a close frame with this code.
fn expected_close(code: u16) -> Vec<u8> {
    let known = noughts_protocol::wire::CloseCode::from_code(code).expect("a known code");
    [&code.to_be_bytes()[..], known.reason().as_bytes()].concat()
}

#[tokio::test]
async fn exceeding_the_rate_limit_is_rejected_then_closed_with_1008() {
    let server = TestServer::start_with_limits(|limits| {
        (limits.rate_burst, limits.rate_per_second) = (5, 1);
    })
    .await;
    let mut socket = RawWebSocket::connect_and_greet(server.address()).await;
    // The hello was the first of the five messages that the limit allows.
    socket
        .write_frames(&vec![
            ClientFrame::new(TEXT, r#"{"type":"cancel","id":7}"#);
            20
        ])
        .await;
    let (messages, code) = socket.read_until_close().await;
    let codes: Vec<_> = messages
        .iter()
        .map(|message| {
            let Message::Reject {
                re: Some(re),
                reject,
            } = message
            else {
                panic!("{message:?}")
            };
            let limited = reject.code == RejectCode::RateLimited;
            let waits = reject
                .wait_ms
                .is_some_and(|wait| (1..=1000).contains(&wait));
            assert_eq!((re.get(), waits), (7, limited), "{reject:?}");
            reject.code
        })
        .collect();
    let expected = [
        [RejectCode::NotSeeking; 4].as_slice(),
        &[RejectCode::RateLimited; 5],
    ]
    .concat();
    assert_eq!(codes, expected);
    assert_eq!(code, Some(1008));
    for (description, opcode) in [("pings", PING), ("unsolicited pongs", PONG)] {
        let mut socket = RawWebSocket::connect_and_greet(server.address()).await;
        socket
            .write_frames(&vec![ClientFrame::new(opcode, ""); 20])
            .await;
        assert_eq!(socket.read_close_code().await, Some(1008), "{description}");
    }
}

#[tokio::test]
async fn long_responses_are_limited_by_their_bytes() {
    let server = TestServer::start_with_limits(|limits| limits.reply_bytes_per_second = 1).await;
    let mut clients = vec![];
    for _ in 0..50 {
        let mut host = server.connect_client("界界界界界界界界界界界界").await;
        host.create("25x25:25+misere+exact", Some("10800s+180"), None, true)
            .await;
        clients.push(host);
    }
    let mut socket = RawWebSocket::connect_and_greet(server.address()).await;
    socket.write_text(LIST_REQUEST).await;
    let list_bytes = socket.next_message().await.to_json().len();
    assert!(list_bytes > 8192, "list of {list_bytes} bytes");
    // A connection may request 64 KiB in one burst.
    let mut socket = RawWebSocket::connect_and_greet(server.address()).await;
    socket
        .write_frames(&vec![ClientFrame::new(TEXT, LIST_REQUEST); 19])
        .await;
    let (mut lists, mut reject_count) = (0, 0);
    while lists + reject_count < 19 {
        let message = socket.next_message().await;
        if let Message::Reject { reject, .. } = &message {
            assert_eq!(
                (reject.code, reject.wait_ms.is_some()),
                (RejectCode::RateLimited, true)
            );
            reject_count += 1;
        } else {
            assert!(matches!(message, Message::Rooms { .. }), "{message:?}");
            lists += 1;
        }
    }
    assert!(
        (1..=65_536 / list_bytes).contains(&lists),
        "{lists} lists of {list_bytes} bytes"
    );
    // Other requests are served.
    socket
        .write_text(r#"{"type":"seek","id":8,"rules":"3x3:3"}"#)
        .await;
    assert!(matches!(socket.next_message().await, Message::Done { .. }));
    // Every connection has a budget of its own.
    let all = clients
        .iter_mut()
        .map(|host| host.request(RequestBody::Session(SessionRequest::List)));
    for response in futures::future::join_all(all).await {
        let Ok(Message::Rooms { rooms, .. }) = response else {
            panic!("{response:?}")
        };
        assert_eq!(rooms.len(), 50);
    }
}

#[tokio::test]
async fn connecting_again_renews_no_budget_that_the_address_has_exhausted() {
    let server = TestServer::start_with_limits(|limits| {
        (limits.max_per_address, limits.reply_bytes_per_second) = (100, 1);
        limits.max_new_per_second = Some(1_000);
    })
    .await;
    let mut hosts = vec![];
    for _ in 0..50 {
        let mut host = server.connect_client("界界界界界界界界界界界界").await;
        host.create("25x25:25+misere+exact", Some("10800s+180"), None, true)
            .await;
        hosts.push(host);
    }
    let mut list_count = 0;
    for _ in 0..10 {
        let mut socket = RawWebSocket::connect_and_greet(server.address()).await;
        socket.write_text(LIST_REQUEST).await;
        let response = socket.next_message().await;
        if let Message::Reject { reject, .. } = &response {
            assert_eq!(reject.code, RejectCode::RateLimited);
        } else {
            assert!(matches!(response, Message::Rooms { .. }), "{response:?}");
            list_count += 1;
        }
        socket.write_frames(&[ClientFrame::new(CLOSE, "")]).await;
        assert_eq!(socket.read_close_code().await, None);
    }
    // The budget starts with the bytes of four minutes, which suffice for a few lists. The server does not know the
    // length of the first list in advance.
    assert!((1..=5).contains(&list_count), "{list_count} lists");
    // A new client from the same address can still watch a room.
    let mut newcomer = server.connect_client("Ann").await;
    let room = RoomRef::Id(hosts[0].seat_info().id);
    newcomer.watch(room).await.expect("a short response");
}

#[tokio::test]
async fn waiting_wait_ms_avoids_rate_limit_rejects() {
    let server = TestServer::start_with_limits(|limits| {
        (limits.rate_burst, limits.rate_per_second) = (2, 10);
    })
    .await;
    let mut test_client = server.connect_client("Ann").await;
    let mut reject_count = 0;
    for _ in 0..12 {
        if let Err(reject) = test_client
            .request(RequestBody::Session(SessionRequest::List))
            .await
        {
            assert_eq!(reject.code, RejectCode::RateLimited);
            reject_count += 1;
            tokio::time::sleep(reject.wait_ms.expect("a retry delay") as u32 * MILLISECOND).await;
            assert!(
                test_client
                    .request(RequestBody::Session(SessionRequest::List))
                    .await
                    .is_ok(),
                "after the announced delay"
            );
        }
    }
    assert!(reject_count > 2);
}

#[tokio::test]
async fn a_non_reading_client_is_dropped_after_the_write_timeout() {
    let server = TestServer::start_with_limits(|limits| {
        limits.write_timeout = 300 * MILLISECOND;
        (limits.rate_burst, limits.rate_per_second) = (u32::MAX, u32::MAX);
    })
    .await;
    let mut non_reading = RawWebSocket::connect_with_small_buffer(server.address()).await;
    non_reading.upgrade().await;
    non_reading.greet().await;
    non_reading
        .write_text(r#"{"type":"create","id":1,"rules":"3x3:3","public":true}"#)
        .await;
    wait_until("the snapshot", async || {
        (server.metric("noughts_rooms").await == 1).then_some(())
    })
    .await;
    // The rejects are larger than the requests, so the direction to the client fills first.
    let requests = ClientFrame::new(TEXT, r#"{"type":"x","id":2}"#)
        .to_bytes()
        .repeat(500);
    let connected = async || server.metric("noughts_connections").await == 1;
    while connected().await {
        let more =
            tokio::time::timeout(100 * MILLISECOND, non_reading.stream.write_all(&requests)).await;
        let (Ok(Ok(()) | Err(_)) | Err(_)) = more;
    }
    assert_eq!(server.metric("noughts_rooms").await, 1, "its seat is kept");
}
