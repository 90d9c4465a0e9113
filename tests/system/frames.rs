//! What a frame may be: every breach of RFC 6455 and of the wire's own limits, written byte by byte,
//! and the code that it is closed with. What is unusual but right is answered like anything else.

use noughts_protocol::wire::{CloseCode, MAX_REQUEST_BYTES, Message, RejectCode};
use noughts_tests::frame::{BINARY, CLOSE, CONTINUATION, Frame, PING, PONG, TEXT, bytes};
use noughts_tests::raw::{self, Raw, handshake};
use noughts_tests::server::Server;
use noughts_tests::wait::until;

const LIST: &str = r#"{"type":"list","id":7}"#;

/// A `list` of exactly so many bytes.
fn list_of(length: usize) -> String {
    let rest = length - r#"{"type":"list","id":7,"pad":""}"#.len();
    format!(r#"{{"type":"list","id":7,"pad":"{}"}}"#, "x".repeat(rest))
}

/// `text` in pieces of `size`.
fn fragments(text: &[u8], size: usize) -> Vec<Frame> {
    let last = text.len().div_ceil(size) - 1;
    let piece = |(at, piece): (usize, &[u8])| {
        let frame = Frame::new(if at == 0 { TEXT } else { CONTINUATION }, piece);
        if at == last { frame } else { frame.more() }
    };
    text.chunks(size).enumerate().map(piece).collect()
}

/// A welcomed client that sends this is closed with this code, by a frame that arrives, and the
/// server is as it was.
async fn check(server: &Server, what: &str, sent: &[u8], code: CloseCode) {
    let before = server.metric(&format!("noughts_closes_total{{code=\"{}\"}}", code.code())).await;
    let mut line = Raw::greeted(server.address()).await;
    // It may close before it has read all.
    line.try_write(sent).await;
    let payload = line.close_payload().await;
    let payload = payload.unwrap_or_else(|| panic!("{what}: the line ended without a close"));
    let expected = [&code.code().to_be_bytes()[..], code.reason().as_bytes()].concat();
    assert_eq!(payload, expected, "{what}: {}", payload.escape_ascii());
    drop(line);
    let after = server.metric(&format!("noughts_closes_total{{code=\"{}\"}}", code.code())).await;
    assert_eq!(after, before + 1, "{what} is counted");
}

/// The next message must be the answer to [`LIST`].
async fn answered(line: &mut Raw) {
    let message = line.message().await;
    assert!(matches!(message, Message::Rooms { re, .. } if re.get() == 7), "{message:?}");
}

#[tokio::test]
async fn a_breach_of_the_protocol_is_closed_with_1002() {
    let server = Server::start().await;
    let whole = |opcode| Frame::new(opcode, LIST);
    let mut cases = vec![
        ("no mask", vec![whole(TEXT).unmasked()]),
        ("a ping without a mask", vec![Frame::new(PING, "").unmasked()]),
        ("a close without a mask", vec![Frame::close(1000, b"").unmasked()]),
        ("the first reserved bit, as compression would set it", vec![whole(TEXT).reserved(0x40)]),
        ("the second reserved bit", vec![whole(TEXT).reserved(0x20)]),
        ("the third reserved bit", vec![whole(TEXT).reserved(0x10)]),
        ("a reserved bit on a ping", vec![Frame::new(PING, "").reserved(0x40)]),
        ("a ping in pieces", vec![Frame::new(PING, "a").more()]),
        ("a close in pieces", vec![Frame::close(1000, b"").more()]),
        ("a ping of 126 bytes", vec![Frame::new(PING, vec![0; 126])]),
        ("a pong of 126 bytes", vec![Frame::new(PONG, vec![0; 126])]),
        ("a close of 126 bytes", vec![Frame::close(1000, &[b'x'; 124])]),
        ("a continuation of nothing", vec![whole(CONTINUATION)]),
        ("a continuation of a finished message", vec![whole(TEXT), whole(CONTINUATION)]),
        ("a text inside of a text", vec![whole(TEXT).more(), whole(TEXT)]),
        ("bytes inside of a text", vec![whole(TEXT).more(), whole(BINARY)]),
        ("a close of one byte", vec![Frame::new(CLOSE, [3])]),
    ];
    cases.extend([3, 4, 5, 6, 7, 11, 12, 13, 14, 15].map(|op| ("a reserved opcode", vec![whole(op)])));
    for (what, frames) in cases {
        check(&server, &format!("{what} ({frames:?})"), &bytes(&frames), CloseCode::ProtocolError).await;
    }
    for code in [0, 999, 1004, 1005, 1006, 1015, 1016, 2999, 5000, u16::MAX] {
        let sent = bytes(&[Frame::close(code, b"bye"), Frame::new(TEXT, LIST), Frame::new(PING, "")]);
        let what = format!("a close with {code}, which nobody may send");
        check(&server, &what, &sent, CloseCode::ProtocolError).await;
    }
    server.settled().await;
}

#[tokio::test]
async fn text_that_is_none_is_closed_with_1007() {
    let server = Server::start().await;
    for (what, text) in [
        ("a byte of no character", &b"{\xff}"[..]),
        ("a character too long", b"\xc0\xaf"),
        ("a surrogate", b"\xed\xa0\x80"),
        ("beyond the last character", b"\xf4\x90\x80\x80"),
        ("half a character", b"\"\xc3"),
    ] {
        let whole = bytes(&[Frame::new(TEXT, text)]);
        check(&server, what, &whole, CloseCode::NotUtf8).await;
        let pieces = bytes(&fragments(text, 1));
        check(&server, &format!("{what}, byte by byte"), &pieces, CloseCode::NotUtf8).await;
    }
    let reason = bytes(&[Frame::close(1000, b"\xff")]);
    check(&server, "a reason that is no text", &reason, CloseCode::NotUtf8).await;
}

#[tokio::test]
async fn bytes_are_closed_with_1003() {
    let server = Server::start().await;
    for (what, frames) in [
        ("bytes", vec![Frame::new(BINARY, LIST)]),
        ("no bytes", vec![Frame::new(BINARY, "")]),
        ("bytes in pieces", vec![Frame::new(BINARY, "{").more(), Frame::new(CONTINUATION, "}")]),
    ] {
        check(&server, what, &bytes(&frames), CloseCode::Unsupported).await;
    }
}

#[tokio::test]
async fn a_message_over_the_limit_is_closed_with_1009_and_the_close_arrives() {
    let server = Server::start().await;
    let over = list_of(MAX_REQUEST_BYTES + 1);
    let head = |length| bytes(&[Frame::new(TEXT, "").announcing(length)]);
    for (what, sent) in [
        ("one byte more", bytes(&[Frame::new(TEXT, over.as_str())])),
        ("one byte more in two pieces", bytes(&fragments(over.as_bytes(), MAX_REQUEST_BYTES))),
        ("one byte more in small pieces", bytes(&fragments(over.as_bytes(), 100))),
        ("one byte more of bytes", bytes(&[Frame::new(BINARY, over.as_str())])),
        ("2^31 announced", head(1 << 31)),
        ("2^62 announced", head(1 << 62)),
        ("2^63 announced", head(1 << 63)),
        ("all that a length can say", head(u64::MAX)),
        // More than the server reads before it closes: the rest must not eat the close.
        ("a megabyte", bytes(&[Frame::new(TEXT, "x".repeat(1 << 20))])),
        ("and much behind it", [head(5000), vec![0; 1 << 20]].concat()),
    ] {
        check(&server, what, &sent, CloseCode::TooBig).await;
    }
    let mut line = Raw::greeted(server.address()).await;
    line.text(&list_of(MAX_REQUEST_BYTES)).await;
    answered(&mut line).await;
    line.frames(&fragments(list_of(MAX_REQUEST_BYTES).as_bytes(), 1000)).await;
    answered(&mut line).await;
}

#[tokio::test]
async fn a_message_of_empty_fragments_does_not_go_on_for_ever() {
    let server = Server::start().await;
    let empty = Frame::new(CONTINUATION, "").more();
    let mut sent = bytes(&[Frame::new(TEXT, "").more()]);
    sent.extend(empty.bytes().repeat(10_000));
    check(&server, "10 000 empty fragments", &sent, CloseCode::TooBig).await;
}

#[tokio::test]
async fn a_message_of_empty_fragments_among_pings_does_not_go_on_for_ever() {
    let server = Server::limited(|limits| (limits.burst, limits.per_second) = (20, 1)).await;
    for (what, control) in [("pings", PING), ("pongs", PONG)] {
        let round = bytes(&[Frame::new(CONTINUATION, "").more(), Frame::new(control, "")]);
        let mut sent = bytes(&[Frame::new(TEXT, "").more()]);
        sent.extend(round.repeat(1000));
        check(&server, what, &sent, CloseCode::Policy).await;
    }
}

#[tokio::test]
async fn nothing_follows_the_close_of_a_server_that_had_more_to_say() {
    let server = Server::limited(|limits| (limits.burst, limits.per_second) = (20, 1)).await;
    for (what, last, code) in [
        ("a breach", Frame::new(TEXT, LIST).unmasked(), CloseCode::ProtocolError),
        ("bytes", Frame::new(BINARY, LIST), CloseCode::Unsupported),
        ("no text", Frame::new(TEXT, b"\xff"), CloseCode::NotUtf8),
        ("a large message", Frame::new(TEXT, "").announcing(1 << 40), CloseCode::TooBig),
        ("pings without end", Frame::new(PING, ""), CloseCode::Policy),
    ] {
        // Each ping has an answer due when the next frame is read.
        let pings = if code == CloseCode::Policy { 100 } else { 10 };
        let mut frames = vec![Frame::new(PING, "are you there?"); pings];
        frames.push(last);
        frames.extend(vec![Frame::new(PING, "and now?"); 3]);
        check(&server, what, &bytes(&frames), code).await;
    }
}

#[tokio::test]
async fn what_is_unusual_but_right_is_answered() {
    let server = Server::start().await;
    let mut line = Raw::greeted(server.address()).await;
    line.frames(&fragments(LIST.as_bytes(), 1)).await;
    answered(&mut line).await;
    // Every byte for itself.
    for byte in Frame::new(TEXT, LIST).bytes() {
        line.write(&[byte]).await;
    }
    answered(&mut line).await;
    // A ping inside of a message is answered before it, with what it brought.
    let payload = [b'x'; 125];
    let [begin, end] = [Frame::new(TEXT, &LIST[..9]).more(), Frame::new(CONTINUATION, &LIST[9..])];
    line.frames(&[begin, Frame::new(PING, payload), Frame::new(PONG, "of its own accord"), end]).await;
    let pong = loop {
        match line.next_frame().await.expect("the line is open") {
            (raw::PONG, pong) => break pong,
            (first, _) => assert_eq!(first, raw::PING, "the pong comes before the answer"),
        }
    };
    assert_eq!(pong, payload);
    answered(&mut line).await;
    // Empty fragments, a few; characters cut in two; several messages at once.
    let text = r#"{"type":"list","id":7,"pad":"é€😀"}"#;
    line.frames(&fragments(text.as_bytes(), 1)).await;
    let mut frames = vec![Frame::new(TEXT, "").more(), Frame::new(CONTINUATION, "").more()];
    frames.push(Frame::new(CONTINUATION, LIST));
    frames.extend([Frame::new(TEXT, LIST), Frame::new(TEXT, LIST)]);
    line.frames(&frames).await;
    for _ in 0..4 {
        answered(&mut line).await;
    }
    // An empty message is no request, and costs nothing else.
    line.text("").await;
    let empty = line.message().await;
    assert!(matches!(&empty, Message::Reject { re: None, reject } if reject.code == RejectCode::BadMessage));
}

#[tokio::test]
async fn a_client_may_speak_before_it_is_answered() {
    let server = Server::start().await;
    let hello = r#"{"type":"hello","id":0,"versions":[1,1],"name":"Ann","kind":"human"}"#;
    let mut early = handshake("").into_bytes();
    early.extend(bytes(&[Frame::new(TEXT, hello), Frame::new(TEXT, list_of(MAX_REQUEST_BYTES))]));
    early.extend(bytes(&[Frame::new(TEXT, LIST), Frame::new(PING, "early")]));
    let mut line = Raw::connect(server.address()).await;
    line.write(&early).await;
    assert!(line.head().await.starts_with("HTTP/1.1 101 "));
    assert!(matches!(line.message().await, Message::Welcome { .. }));
    answered(&mut line).await;
    answered(&mut line).await;
}

#[tokio::test]
async fn a_close_is_answered_in_kind_and_nothing_after_it_counts() {
    let server = Server::start().await;
    for code in [1000, 1001, 1003, 1007, 1011, 3000, 3999, 4000, 4999] {
        let mut line = Raw::greeted(server.address()).await;
        line.frames(&[Frame::close(code, b"bye"), Frame::new(TEXT, LIST)]).await;
        let payload = line.close_payload().await.expect("a close is answered");
        assert_eq!(payload.first_chunk(), Some(&code.to_be_bytes()), "{}", payload.escape_ascii());
    }
    let mut line = Raw::greeted(server.address()).await;
    line.frames(&[Frame::new(CLOSE, "")]).await;
    assert_eq!(line.close_payload().await, Some(vec![]));
    // What came after a close is not done.
    let mut line = Raw::greeted(server.address()).await;
    let create = r#"{"type":"create","id":3,"rules":"3x3:3","public":true}"#;
    line.frames(&[Frame::close(1000, b""), Frame::new(TEXT, create)]).await;
    line.close_payload().await.expect("a close is answered");
    assert_eq!(server.metric("noughts_events_total").await, 0);
    server.settled().await;
}

#[tokio::test]
async fn a_line_that_breaks_in_the_middle_of_anything_leaves_nothing() {
    let server = Server::start().await;
    let frame = Frame::new(TEXT, LIST).bytes();
    for at in 0..frame.len() {
        let mut cut = Raw::greeted(server.address()).await;
        cut.write(&frame[..at]).await;
        if at % 2 == 0 {
            cut.finish().await;
            assert_eq!(cut.close_code().await, None, "cut after {at} bytes");
        } else {
            cut.reset();
        }
    }
    let shake = handshake("");
    for at in [1, 20, shake.len() - 1, shake.len()] {
        let mut cut = Raw::connect(server.address()).await;
        cut.write(&shake.as_bytes()[..at]).await;
        cut.reset();
    }
    server.settled().await;
    until("no sockets but the one that asks", async || {
        (server.metric("noughts_sockets").await == 1).then_some(())
    })
    .await;
}
