//! WebSocket frames: each violation of RFC 6455 and of the protocol's own limits closes the connection with its
//! code; unusual but valid frames are answered.

use noughts_protocol::wire::{CloseCode, MAX_REQUEST_BYTES, Message, RejectCode};
use noughts_tests::client::frame::{
    BINARY, CLOSE, CONTINUATION, ClientFrame, PING, PONG, TEXT, encode_frames,
};
use noughts_tests::client::raw_websocket::{self, RawWebSocket, handshake_request};
use noughts_tests::server::TestServer;

const LIST_REQUEST: &str = r#"{"type":"list","id":7}"#;

/// Creates a `list` request of exactly `length` bytes.
fn list_request_of_length(length: usize) -> String {
    let rest = length - r#"{"type":"list","id":7,"pad":""}"#.len();
    format!(r#"{{"type":"list","id":7,"pad":"{}"}}"#, "x".repeat(rest))
}

/// Splits `text` into fragments of `size` bytes.
fn fragments(text: &[u8], size: usize) -> Vec<ClientFrame> {
    let last = text.len().div_ceil(size) - 1;
    let piece = |(offset, piece): (usize, &[u8])| {
        let frame = ClientFrame::new(if offset == 0 { TEXT } else { CONTINUATION }, piece);
        if offset == last {
            frame
        } else {
            frame.without_fin()
        }
    };
    text.chunks(size).enumerate().map(piece).collect()
}

/// Checks that the server closes a greeted client that sends these bytes with this code, and that it works as before.
async fn check_close(server: &TestServer, description: &str, bytes_sent: &[u8], code: CloseCode) {
    let before = server
        .metric(&format!("noughts_closes_total{{code=\"{}\"}}", code.code()))
        .await;
    let mut socket = RawWebSocket::connect_and_greet(server.address()).await;
    // The write may fail, because the server may close before it has read all bytes.
    socket.try_write(bytes_sent).await;
    let payload = socket.read_close_payload().await;
    let payload = payload
        .unwrap_or_else(|| panic!("{description}: the connection ended without a close frame"));
    let expected = [&code.code().to_be_bytes()[..], code.reason().as_bytes()].concat();
    assert_eq!(
        payload,
        expected,
        "{description}: {}",
        payload.escape_ascii()
    );
    drop(socket);
    let after = server
        .metric(&format!("noughts_closes_total{{code=\"{}\"}}", code.code()))
        .await;
    assert_eq!(after, before + 1, "{description} is counted in the metrics");
}

/// Checks that the next message answers [`LIST_REQUEST`].
async fn expect_rooms(socket: &mut RawWebSocket) {
    let message = socket.next_message().await;
    assert!(
        matches!(message, Message::Rooms { re, .. } if re.get() == 7),
        "{message:?}"
    );
}

#[tokio::test]
async fn protocol_violations_are_closed_with_1002() {
    let server = TestServer::start().await;
    let single_frame = |opcode| ClientFrame::new(opcode, LIST_REQUEST);
    let mut cases = vec![
        ("no mask", vec![single_frame(TEXT).without_mask()]),
        (
            "a ping without a mask",
            vec![ClientFrame::new(PING, "").without_mask()],
        ),
        (
            "a close without a mask",
            vec![ClientFrame::close(1000, b"").without_mask()],
        ),
        (
            "the first reserved bit, as compression would set it",
            vec![single_frame(TEXT).with_reserved_bits(0x40)],
        ),
        (
            "the second reserved bit",
            vec![single_frame(TEXT).with_reserved_bits(0x20)],
        ),
        (
            "the third reserved bit",
            vec![single_frame(TEXT).with_reserved_bits(0x10)],
        ),
        (
            "a reserved bit on a ping",
            vec![ClientFrame::new(PING, "").with_reserved_bits(0x40)],
        ),
        (
            "a ping in pieces",
            vec![ClientFrame::new(PING, "a").without_fin()],
        ),
        (
            "a close in pieces",
            vec![ClientFrame::close(1000, b"").without_fin()],
        ),
        (
            "a ping of 126 bytes",
            vec![ClientFrame::new(PING, vec![0; 126])],
        ),
        (
            "a pong of 126 bytes",
            vec![ClientFrame::new(PONG, vec![0; 126])],
        ),
        (
            "a close of 126 bytes",
            vec![ClientFrame::close(1000, &[b'x'; 124])],
        ),
        (
            "a continuation of nothing",
            vec![single_frame(CONTINUATION)],
        ),
        (
            "a continuation of a finished message",
            vec![single_frame(TEXT), single_frame(CONTINUATION)],
        ),
        (
            "a text inside of a text",
            vec![single_frame(TEXT).without_fin(), single_frame(TEXT)],
        ),
        (
            "bytes inside of a text",
            vec![single_frame(TEXT).without_fin(), single_frame(BINARY)],
        ),
        ("a close of one byte", vec![ClientFrame::new(CLOSE, [3])]),
    ];
    cases.extend(
        [3, 4, 5, 6, 7, 11, 12, 13, 14, 15].map(|op| ("a reserved opcode", vec![single_frame(op)])),
    );
    for (description, frames) in cases {
        check_close(
            &server,
            &format!("{description} ({frames:?})"),
            &encode_frames(&frames),
            CloseCode::ProtocolError,
        )
        .await;
    }
    for code in [0, 999, 1004, 1005, 1006, 1015, 1016, 2999, 5000, u16::MAX] {
        let bytes_sent = encode_frames(&[
            ClientFrame::close(code, b"bye"),
            ClientFrame::new(TEXT, LIST_REQUEST),
            ClientFrame::new(PING, ""),
        ]);
        let description = format!("a close with the reserved code {code}");
        check_close(&server, &description, &bytes_sent, CloseCode::ProtocolError).await;
    }
    server.wait_until_idle().await;
}

#[tokio::test]
async fn invalid_utf8_is_closed_with_1007() {
    let server = TestServer::start().await;
    for (description, text) in [
        ("a byte of no character", &b"{\xff}"[..]),
        ("a character too long", b"\xc0\xaf"),
        ("a surrogate", b"\xed\xa0\x80"),
        ("beyond the last character", b"\xf4\x90\x80\x80"),
        ("half a character", b"\"\xc3"),
    ] {
        let whole = encode_frames(&[ClientFrame::new(TEXT, text)]);
        check_close(&server, description, &whole, CloseCode::NotUtf8).await;
        let pieces = encode_frames(&fragments(text, 1));
        check_close(
            &server,
            &format!("{description}, byte by byte"),
            &pieces,
            CloseCode::NotUtf8,
        )
        .await;
    }
    let reason = encode_frames(&[ClientFrame::close(1000, b"\xff")]);
    check_close(
        &server,
        "a reason that is not UTF-8",
        &reason,
        CloseCode::NotUtf8,
    )
    .await;
}

#[tokio::test]
async fn binary_messages_are_closed_with_1003() {
    let server = TestServer::start().await;
    for (description, frames) in [
        ("bytes", vec![ClientFrame::new(BINARY, LIST_REQUEST)]),
        ("no bytes", vec![ClientFrame::new(BINARY, "")]),
        (
            "fragmented binary message",
            vec![
                ClientFrame::new(BINARY, "{").without_fin(),
                ClientFrame::new(CONTINUATION, "}"),
            ],
        ),
    ] {
        check_close(
            &server,
            description,
            &encode_frames(&frames),
            CloseCode::Unsupported,
        )
        .await;
    }
}

#[tokio::test]
async fn oversized_messages_are_closed_with_1009() {
    let server = TestServer::start().await;
    let oversized = list_request_of_length(MAX_REQUEST_BYTES + 1);
    let head = |length| encode_frames(&[ClientFrame::new(TEXT, "").with_declared_length(length)]);
    for (description, bytes_sent) in [
        (
            "one byte more",
            encode_frames(&[ClientFrame::new(TEXT, oversized.as_str())]),
        ),
        (
            "one byte more in two pieces",
            encode_frames(&fragments(oversized.as_bytes(), MAX_REQUEST_BYTES)),
        ),
        (
            "one byte more in small pieces",
            encode_frames(&fragments(oversized.as_bytes(), 100)),
        ),
        (
            "one byte more of bytes",
            encode_frames(&[ClientFrame::new(BINARY, oversized.as_str())]),
        ),
        ("2^31 announced", head(1 << 31)),
        ("2^62 announced", head(1 << 62)),
        ("2^63 announced", head(1 << 63)),
        ("all that a length can say", head(u64::MAX)),
        (
            "a ping that announces all that a length can say",
            encode_frames(&[ClientFrame::new(PING, "").with_declared_length(u64::MAX)]),
        ),
        // The message is longer than the bytes that the server reads before it closes; the unread rest must not discard
        // the close frame.
        (
            "a megabyte",
            encode_frames(&[ClientFrame::new(TEXT, "x".repeat(1 << 20))]),
        ),
        (
            "and much behind it",
            [head(5000), vec![0; 1 << 20]].concat(),
        ),
    ] {
        check_close(&server, description, &bytes_sent, CloseCode::TooBig).await;
    }
    let mut socket = RawWebSocket::connect_and_greet(server.address()).await;
    socket
        .write_text(&list_request_of_length(MAX_REQUEST_BYTES))
        .await;
    expect_rooms(&mut socket).await;
    socket
        .write_frames(&fragments(
            list_request_of_length(MAX_REQUEST_BYTES).as_bytes(),
            1000,
        ))
        .await;
    expect_rooms(&mut socket).await;
}

#[tokio::test]
async fn endless_empty_fragments_among_pings_are_closed() {
    let server = TestServer::start_with_limits(|limits| {
        (limits.rate_burst, limits.rate_per_second) = (20, 1);
    })
    .await;
    for (description, control) in [("pings", PING), ("pongs", PONG)] {
        let round = encode_frames(&[
            ClientFrame::new(CONTINUATION, "").without_fin(),
            ClientFrame::new(control, ""),
        ]);
        let mut bytes_sent = encode_frames(&[ClientFrame::new(TEXT, "").without_fin()]);
        bytes_sent.extend(round.repeat(1000));
        check_close(&server, description, &bytes_sent, CloseCode::Policy).await;
    }
}

#[tokio::test]
async fn unusual_valid_frames_are_answered() {
    let server = TestServer::start().await;
    let mut socket = RawWebSocket::connect_and_greet(server.address()).await;
    socket
        .write_frames(&fragments(LIST_REQUEST.as_bytes(), 1))
        .await;
    expect_rooms(&mut socket).await;
    // Each byte is sent in a separate write.
    for byte in ClientFrame::new(TEXT, LIST_REQUEST).to_bytes() {
        socket.write(&[byte]).await;
    }
    expect_rooms(&mut socket).await;
    // A ping between fragments is answered before the message, with its payload.
    let payload = [b'x'; 125];
    let [begin, end] = [
        ClientFrame::new(TEXT, &LIST_REQUEST[..9]).without_fin(),
        ClientFrame::new(CONTINUATION, &LIST_REQUEST[9..]),
    ];
    socket
        .write_frames(&[
            begin,
            ClientFrame::new(PING, payload),
            ClientFrame::new(PONG, "unsolicited"),
            end,
        ])
        .await;
    let pong = loop {
        match socket.next_frame().await.expect("the connection is open") {
            (raw_websocket::PONG, pong) => break pong,
            (first, _) => assert_eq!(first, raw_websocket::PING, "the pong precedes the response"),
        }
    };
    assert_eq!(pong, payload);
    expect_rooms(&mut socket).await;
    // The server accepts a few empty fragments, characters split between fragments, and several messages in one write.
    let text = r#"{"type":"list","id":7,"pad":"é€😀"}"#;
    socket.write_frames(&fragments(text.as_bytes(), 1)).await;
    let mut frames = vec![
        ClientFrame::new(TEXT, "").without_fin(),
        ClientFrame::new(CONTINUATION, "").without_fin(),
    ];
    frames.push(ClientFrame::new(CONTINUATION, LIST_REQUEST));
    frames.extend([
        ClientFrame::new(TEXT, LIST_REQUEST),
        ClientFrame::new(TEXT, LIST_REQUEST),
    ]);
    socket.write_frames(&frames).await;
    for _ in 0..4 {
        expect_rooms(&mut socket).await;
    }
    // An empty message counts as malformed and has no other effect.
    socket.write_text("").await;
    let empty = socket.next_message().await;
    assert!(
        matches!(&empty, Message::Reject { re: None, reject } if reject.code == RejectCode::BadMessage)
    );
}

#[tokio::test]
async fn a_client_may_send_before_the_handshake_response() {
    let server = TestServer::start().await;
    let hello = r#"{"type":"hello","id":0,"versions":[1,1],"name":"Ann","kind":"person"}"#;
    let mut early_bytes = handshake_request("").into_bytes();
    early_bytes.extend(encode_frames(&[
        ClientFrame::new(TEXT, hello),
        ClientFrame::new(TEXT, list_request_of_length(MAX_REQUEST_BYTES)),
    ]));
    early_bytes.extend(encode_frames(&[
        ClientFrame::new(TEXT, LIST_REQUEST),
        ClientFrame::new(PING, "early"),
    ]));
    let mut socket = RawWebSocket::connect(server.address()).await;
    socket.write(&early_bytes).await;
    assert!(socket.read_head().await.starts_with("HTTP/1.1 101 "));
    assert!(matches!(
        socket.next_message().await,
        Message::Welcome { .. }
    ));
    expect_rooms(&mut socket).await;
    expect_rooms(&mut socket).await;
}

#[tokio::test]
async fn a_close_is_echoed_and_later_frames_are_ignored() {
    let server = TestServer::start().await;
    for code in [1000, 1001, 1003, 1007, 1011, 3000, 3999, 4000, 4999] {
        let mut socket = RawWebSocket::connect_and_greet(server.address()).await;
        socket
            .write_frames(&[
                ClientFrame::close(code, b"bye"),
                ClientFrame::new(TEXT, LIST_REQUEST),
            ])
            .await;
        let payload = socket
            .read_close_payload()
            .await
            .expect("the server answers a close");
        assert_eq!(
            payload.first_chunk(),
            Some(&code.to_be_bytes()),
            "{}",
            payload.escape_ascii()
        );
    }
    let mut socket = RawWebSocket::connect_and_greet(server.address()).await;
    socket.write_frames(&[ClientFrame::new(CLOSE, "")]).await;
    assert_eq!(socket.read_close_payload().await, Some(vec![]));
    // Requests after a close frame are not executed.
    let mut socket = RawWebSocket::connect_and_greet(server.address()).await;
    let create = r#"{"type":"create","id":3,"rules":"3x3:3","public":true}"#;
    socket
        .write_frames(&[
            ClientFrame::close(1000, b""),
            ClientFrame::new(TEXT, create),
        ])
        .await;
    socket
        .read_close_payload()
        .await
        .expect("the server answers a close");
    assert_eq!(server.metric("noughts_events_total").await, 0);
    server.wait_until_idle().await;
}
