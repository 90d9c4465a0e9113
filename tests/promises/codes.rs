//! P11 and P12: every close and every refusal has its code, whoever is at the other end.

use std::time::Duration;

use futures::FutureExt;
use futures::future::LocalBoxFuture;
use noughts_protocol::wire::{Message, RejectCode};
use noughts_server::fault::Faults;
use noughts_tests::frame::{self, Frame};
use noughts_tests::raw::Raw;
use noughts_tests::server::Server;

use crate::server;

/// What a client does after it has been welcomed, and the code that it is closed with.
fn closes() -> Vec<(&'static str, Vec<Frame>, u16)> {
    let text = |text: &str| Frame::new(frame::TEXT, text.as_bytes());
    vec![
        ("a binary message", vec![Frame::new(frame::BINARY, *b"{}")], 1003),
        ("text that is none", vec![Frame::new(frame::TEXT, [0xff])], 1007),
        ("too many messages", vec![text(r#"{"type":"list","id":7}"#); 200], 1008),
        ("a long message", vec![text(&"a".repeat(4097))], 1009),
        ("a reserved bit", vec![text("{}").reserved(0x40)], 1002),
        ("nothing that is a message", vec![text("?"); 11], 4003),
    ]
}

async fn closed_with(server: &Server, what: &str, frames: &[Frame], code: u16) {
    let mut raw = Raw::greeted(server.address()).await;
    // It may be closed before all of it is written.
    raw.try_write(&frame::bytes(frames)).await;
    let closed = raw.close_code().await;
    assert_eq!(closed, Some(code), "{what} is closed with {closed:?}");
}

pub(super) fn every_close_has_its_code(faults: Faults) -> LocalBoxFuture<'static, ()> {
    async move {
        let server = server(faults, |setup| {
            (setup.limits.burst, setup.limits.per_second) = (20, 10);
            setup.limits.hello = Duration::from_millis(300);
        })
        .await;
        for (what, frames, code) in closes() {
            closed_with(&server, what, &frames, code).await;
        }
        let silent = Raw::websocket(server.address()).await.close_code().await;
        assert_eq!(silent, Some(4000), "silence is closed with {silent:?}");
        let mut old = Raw::websocket(server.address()).await;
        old.text(r#"{"type":"hello","id":0,"versions":[900,901],"name":"Old","kind":"bot"}"#).await;
        let refused = old.close_code().await;
        assert_eq!(refused, Some(4001), "no common version is closed with {refused:?}");
    }
    .boxed_local()
}

/// What a client in no room is refused, and how.
const REFUSALS: [(&str, RejectCode); 8] = [
    ("?", RejectCode::BadMessage),
    (r#"{"type":"dance","id":1}"#, RejectCode::UnknownType),
    (r#"{"type":"join","id":1}"#, RejectCode::BadField),
    (r#"{"type":"hello","id":1,"versions":[1,1],"name":"Raw","kind":"bot"}"#, RejectCode::HelloTwice),
    (r#"{"type":"cancel","id":1}"#, RejectCode::NotSeeking),
    (r#"{"type":"resign","id":1}"#, RejectCode::NotInRoom),
    (r#"{"type":"leave","id":1}"#, RejectCode::NotInRoom),
    (r#"{"type":"join","id":1,"room":"00000000"}"#, RejectCode::UnknownRoom),
];

pub(super) fn every_refusal_has_its_code(faults: Faults) -> LocalBoxFuture<'static, ()> {
    async move {
        let server = server(faults, |_| {}).await;
        let mut raw = Raw::greeted(server.address()).await;
        for (text, code) in REFUSALS {
            raw.text(text).await;
            let answer = raw.message().await;
            let Message::Reject { reject, .. } = answer else { panic!("{text}: {answer:?}") };
            assert_eq!(reject.code, code, "{text} is refused as {reject}");
        }
    }
    .boxed_local()
}

pub(super) fn bad_frames_end_the_line(faults: Faults) -> LocalBoxFuture<'static, ()> {
    async move {
        let server = server(faults, |_| {}).await;
        let text = || Frame::new(frame::TEXT, *br#"{"type":"list","id":7}"#);
        let bad = [
            ("continues nothing", vec![Frame::new(frame::CONTINUATION, *b"a")]),
            ("a long ping", vec![Frame::new(frame::PING, [0; 126])]),
            ("a ping in pieces", vec![Frame::new(frame::PING, *b"a").more()]),
            ("an unknown kind", vec![Frame::new(3, *b"a")]),
            ("unmasked", vec![text().unmasked(), Frame::close(1000, b"")]),
        ];
        for (what, frames) in bad {
            closed_with(&server, what, &frames, 1002).await;
        }
    }
    .boxed_local()
}
