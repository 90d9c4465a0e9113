//! P11 and P12: each close and each reject has its code.

use std::time::Duration;

use futures::FutureExt;
use futures::future::LocalBoxFuture;
use noughts_protocol::wire::{Message, RejectCode};
use noughts_tests::client::frame::{self, ClientFrame};
use noughts_tests::client::raw_websocket::RawWebSocket;
use noughts_tests::faults::Fault;
use noughts_tests::server::TestServer;

use crate::start_server;

/// Returns the cases: a name, frames that a client sends after its hello, and the code that must close the connection.
fn close_cases() -> Vec<(&'static str, Vec<ClientFrame>, u16)> {
    let text = |text: &str| ClientFrame::new(frame::TEXT, text.as_bytes());
    vec![
        (
            "a binary message",
            vec![ClientFrame::new(frame::BINARY, *b"{}")],
            1003,
        ),
        (
            "text that is none",
            vec![ClientFrame::new(frame::TEXT, [0xff])],
            1007,
        ),
        (
            "too many messages",
            vec![text(r#"{"type":"list","id":7}"#); 200],
            1008,
        ),
        ("a long message", vec![text(&"a".repeat(4097))], 1009),
        (
            "a reserved bit",
            vec![text("{}").with_reserved_bits(0x40)],
            1002,
        ),
        ("nothing that is a message", vec![text("?"); 11], 4003),
    ]
}

async fn assert_closed_with(server: &TestServer, what: &str, frames: &[ClientFrame], code: u16) {
    let mut socket = RawWebSocket::connect_and_greet(server.address()).await;
    // The write may fail, because the server may close before it has read everything.
    socket.try_write(&frame::encode_frames(frames)).await;
    let closed = socket.read_close_code().await;
    assert_eq!(closed, Some(code), "{what} is closed with {closed:?}");
}

pub(super) fn every_close_has_its_code(fault: Option<Fault>) -> LocalBoxFuture<'static, ()> {
    async move {
        let server = start_server(fault, |options| {
            (options.limits.rate_burst, options.limits.rate_per_second) = (20, 10);
            options.limits.hello_timeout = Duration::from_millis(300);
        })
        .await;
        for (what, frames, code) in close_cases() {
            assert_closed_with(&server, what, &frames, code).await;
        }
        let close_code = RawWebSocket::connect_websocket(server.address())
            .await
            .read_close_code()
            .await;
        assert_eq!(
            close_code,
            Some(4000),
            "a missing hello is closed with {close_code:?}"
        );
        let mut old_client = RawWebSocket::connect_websocket(server.address()).await;
        old_client
            .write_text(r#"{"type":"hello","id":0,"versions":[900,901],"name":"Old","kind":"bot"}"#)
            .await;
        let close_code = old_client.read_close_code().await;
        assert_eq!(
            close_code,
            Some(4001),
            "no common version is closed with {close_code:?}"
        );
    }
    .boxed_local()
}

/// Requests of a client outside of any room, and their rejects.
const REJECT_CASES: [(&str, RejectCode); 8] = [
    ("?", RejectCode::BadMessage),
    (r#"{"type":"dance","id":1}"#, RejectCode::UnknownType),
    (r#"{"type":"join","id":1}"#, RejectCode::BadField),
    (
        r#"{"type":"hello","id":1,"versions":[1,1],"name":"Raw","kind":"bot"}"#,
        RejectCode::HelloTwice,
    ),
    (r#"{"type":"cancel","id":1}"#, RejectCode::NotSeeking),
    (r#"{"type":"resign","id":1}"#, RejectCode::NotInRoom),
    (r#"{"type":"leave","id":1}"#, RejectCode::NotInRoom),
    (
        r#"{"type":"join","id":1,"room":"00000000"}"#,
        RejectCode::UnknownRoom,
    ),
];

pub(super) fn every_reject_has_its_code(fault: Option<Fault>) -> LocalBoxFuture<'static, ()> {
    async move {
        let server = start_server(fault, |_| {}).await;
        let mut socket = RawWebSocket::connect_and_greet(server.address()).await;
        for (text, code) in REJECT_CASES {
            socket.write_text(text).await;
            let response = socket.next_message().await;
            let Message::Reject { reject, .. } = response else {
                panic!("{text}: {response:?}")
            };
            assert_eq!(reject.code, code, "{text} is rejected as {reject}");
        }
    }
    .boxed_local()
}

pub(super) fn bad_frames_close_the_connection(fault: Option<Fault>) -> LocalBoxFuture<'static, ()> {
    async move {
        let server = start_server(fault, |_| {}).await;
        let text = || ClientFrame::new(frame::TEXT, *br#"{"type":"list","id":7}"#);
        let cases = [
            (
                "continues nothing",
                vec![ClientFrame::new(frame::CONTINUATION, *b"a")],
            ),
            ("a long ping", vec![ClientFrame::new(frame::PING, [0; 126])]),
            (
                "a ping in pieces",
                vec![ClientFrame::new(frame::PING, *b"a").without_fin()],
            ),
            ("an unknown kind", vec![ClientFrame::new(3, *b"a")]),
            (
                "unmasked",
                vec![text().without_mask(), ClientFrame::close(1000, b"")],
            ),
        ];
        for (what, frames) in cases {
            assert_closed_with(&server, what, &frames, 1002).await;
        }
    }
    .boxed_local()
}
