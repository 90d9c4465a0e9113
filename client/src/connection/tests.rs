//! A connection's behaviour against a scripted server, in virtual time.

mod resume;

use std::time::Duration;

use noughts_protocol::wire::{Body, CloseCode, Command, Lobby, Message, Reject, RejectCode};
use noughts_protocol::{Cell, Event, Offer, Seat, Seq};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::time::Instant;
use tokio_tungstenite::tungstenite::protocol::Message as Frame;

use super::scripted::{Calls, Peer, event, options, seated, server, welcomed};
use super::{Chance, Ended, Link, News, Offline, Retry, SendError};

const PATIENT: Retry = Retry::For(Duration::from_secs(60));

fn a_move(cell: u16) -> Body {
    Body::Command(Command::Move { cell: Cell::new(cell), seq: Seq::new(4) })
}

fn moved(seat: Seat, cell: u16) -> Event {
    Event::Moved { seat, cell: Cell::new(cell), left: None }
}

async fn news(link: &mut Link) -> News {
    link.next().await.expect("news")
}

async fn message(link: &mut Link) -> Message {
    loop {
        match news(link).await {
            News::Message(message) => return message,
            News::Connecting { .. } | News::Online { .. } | News::Offline { .. } => {}
            other @ (News::Lost(_) | News::Ended(_)) => panic!("not a message: {other:?}"),
        }
    }
}

/// The end, and that nothing follows it.
async fn end(link: &mut Link) -> Ended {
    loop {
        if let News::Ended(ended) = news(link).await {
            assert!(link.next().await.is_none(), "nothing follows the end");
            return ended;
        }
    }
}

/// A link in the seat of X.
async fn playing(retry: Retry) -> (Link, Calls, Peer) {
    let (mut link, calls, mut peer) = welcomed(retry).await;
    peer.say(seated(None, Seat::X)).await;
    assert!(matches!(message(&mut link).await, Message::Snapshot { .. }));
    (link, calls, peer)
}

#[tokio::test(start_paused = true)]
async fn hello_is_answered_and_messages_pass_both_ways() {
    let (mut link, _calls, mut peer) = welcomed(Retry::Never).await;
    assert!(matches!(news(&mut link).await, News::Connecting { attempt: 1 }));
    let News::Online { welcome } = news(&mut link).await else { panic!("no welcome") };
    assert_eq!((welcome.version, welcome.server.as_str(), welcome.name.as_str()), (1, "script", "Tess"));

    let asked = link.send(Body::Lobby(Lobby::List)).unwrap();
    let (id, lobby) = peer.lobby().await;
    assert!(id == asked && matches!(lobby, Lobby::List));
    peer.say(Message::Rooms { re: id, rooms: vec![], seeks: vec![] }).await;
    assert!(matches!(message(&mut link).await, Message::Rooms { re, .. } if re == asked));
    assert_ne!(link.send(Body::Lobby(Lobby::List)).unwrap(), asked, "each request has a number of its own");

    let closing = tokio::spawn(link.close());
    peer.request().await;
    assert_eq!(peer.request_or_end().await.unwrap_err(), Some(1000), "what waited was sent, then goodbye");
    closing.await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_first_connection_that_fails_is_final() {
    let (pipe, mut calls) = server();
    let mut link = Link::over(options(PATIENT), pipe, Chance::default());
    calls.refuse().await;
    let ended = end(&mut link).await;
    assert!(matches!(ended, Ended::CannotConnect(Offline::Io(_))), "{ended:?}");
    assert_eq!(ended.exit_code(), 3);
    assert!(calls.none_follow().await);
    assert_eq!(link.send(Body::Lobby(Lobby::List)), Err(SendError::Ended));
}

#[tokio::test(start_paused = true)]
async fn a_server_that_says_nothing_is_not_waited_for() {
    let (pipe, mut calls) = server();
    let started = Instant::now();
    let mut link = Link::over(options(PATIENT), pipe.clone(), Chance::default());
    let _silent = calls.pick_up().await;
    assert_eq!(end(&mut link).await, Ended::CannotConnect(Offline::Timeout));
    assert_eq!(started.elapsed().as_secs(), 5);

    let mut link = Link::over(options(PATIENT), pipe, Chance::default());
    let _no_welcome = calls.accept().await;
    assert_eq!(end(&mut link).await, Ended::CannotConnect(Offline::Timeout));
    assert!(started.elapsed() < Duration::from_secs(12));
}

#[tokio::test(start_paused = true)]
async fn what_is_no_noughts_server_is_told_from_one_that_refuses() {
    for (answer, expected) in [
        ("HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n", Ended::Http(403)),
        ("HTTP/1.1 503 Service Unavailable\r\ncontent-length: 0\r\n\r\n", Ended::Http(503)),
        ("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n", Ended::Http(200)),
        ("SSH-2.0-OpenSSH_9.9\r\n\r\n", Ended::NotNoughts),
    ] {
        let (pipe, mut calls) = server();
        let mut link = Link::over(options(PATIENT), pipe, Chance::default());
        let mut stream = calls.pick_up().await;
        // The request is read first: a line dropped with something unread is reset.
        stream.read_buf(&mut Vec::with_capacity(4096)).await.unwrap();
        stream.write_all(answer.as_bytes()).await.unwrap();
        assert_eq!(end(&mut link).await, expected);
    }
}

#[tokio::test(start_paused = true)]
async fn a_refused_hello_is_final_and_says_why() {
    let (pipe, mut calls) = server();
    let mut link = Link::over(options(PATIENT), pipe, Chance::default());
    let mut peer = calls.accept().await;
    let hello = peer.request().await;
    let reject = Reject { versions: Some([7, 9]), ..Reject::new(RejectCode::Version) };
    peer.say(Message::Reject { re: Some(hello.id), reject: reject.clone() }).await;
    let ended = end(&mut link).await;
    assert_eq!((ended.exit_code(), ended), (4, Ended::Refused(reject)));
}

#[tokio::test(start_paused = true)]
async fn a_restart_is_waited_out() {
    let (mut link, mut calls, mut peer) = playing(PATIENT).await;
    peer.say(Message::Restarting { back_in_ms: 7_000 }).await;
    assert!(matches!(message(&mut link).await, Message::Restarting { .. }));
    peer.close(CloseCode::Restarting).await;
    let News::Offline { retry_in, why: Offline::Restarting, .. } = news(&mut link).await else {
        panic!("not offline")
    };
    assert!((7_000..=8_000).contains(&retry_in.as_millis()), "{retry_in:?}");
    let mut peer = calls.welcome().await;
    assert!(matches!(peer.lobby().await, (_, Lobby::Resume { .. })));
}

#[tokio::test(start_paused = true)]
async fn a_replaced_connection_stays_away() {
    let (mut link, mut calls, peer) = playing(PATIENT).await;
    peer.close(CloseCode::Replaced).await;
    assert_eq!(end(&mut link).await, Ended::Replaced);
    assert!(calls.none_follow().await);
}

#[tokio::test(start_paused = true)]
async fn close_codes_say_whether_to_come_back() {
    for code in CloseCode::ALL.into_iter().map(CloseCode::code).chain([1001, 1013, 4042, 4242]) {
        let (mut link, mut calls, mut peer) = playing(PATIENT).await;
        peer.close_as(code).await;
        let comes_back = matches!(news(&mut link).await, News::Offline { .. });
        let should = CloseCode::from_code(code).map_or(code != 4042, CloseCode::may_resume);
        assert_eq!(comes_back, should, "{code}");
        if comes_back {
            calls.welcome().await;
        } else {
            assert!(calls.none_follow().await);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn silence_is_a_lost_line_and_a_ping_is_not_silence() {
    let (mut link, mut calls, mut peer) = playing(PATIENT).await;
    for _ in 0..4 {
        tokio::time::advance(Duration::from_secs(20)).await;
        peer.raw(Frame::Ping(vec![1].into())).await;
    }
    let began = Instant::now();
    let News::Offline { why, .. } = news(&mut link).await else { panic!("not offline") };
    assert_eq!((why, began.elapsed().as_secs()), (Offline::Silent, 35));
    calls.welcome().await;
}

#[tokio::test(start_paused = true)]
async fn attempts_grow_rarer_and_end() {
    let (mut link, mut calls, peer) = playing(Retry::For(Duration::from_secs(30))).await;
    drop(peer);
    let lost_at = Instant::now();
    let refusing = tokio::spawn(async move {
        let mut refused = 0;
        while let Ok(()) = tokio::time::timeout(Duration::from_secs(60), calls.refuse()).await {
            refused += 1;
            if lost_at.elapsed() > Duration::from_secs(18) {
                break;
            }
        }
        refused
    });
    let ended = end(&mut link).await;
    assert!(matches!(ended, Ended::GaveUp(Offline::Io(_))), "{ended:?}");
    assert_eq!(ended.exit_code(), 5);
    assert!(lost_at.elapsed() <= Duration::from_secs(30));
    let refused = refusing.await.unwrap();
    assert!((6..=12).contains(&refused), "{refused}");
}

#[tokio::test(start_paused = true)]
async fn without_retry_a_lost_line_is_the_end() {
    let (mut link, mut calls, peer) = playing(Retry::Never).await;
    drop(peer);
    assert!(matches!(end(&mut link).await, Ended::GaveUp(_)));
    assert!(calls.none_follow().await);
}

#[tokio::test(start_paused = true)]
async fn nonsense_is_borne_a_few_times_only() {
    for nonsense in [
        Frame::text("{\"type\":\"surprise\"}"),
        Frame::text("not json"),
        Frame::Binary(vec![1, 2, 3].into()),
        Frame::text("x".repeat(70 * 1024)),
    ] {
        let (mut link, mut calls, mut peer) = playing(PATIENT).await;
        for _ in 0..2 {
            peer.raw(nonsense.clone()).await;
            peer = calls.welcome().await;
        }
        peer.raw(nonsense).await;
        assert_eq!(end(&mut link).await, Ended::GaveUp(Offline::Garbled));
        assert!(calls.none_follow().await);
    }
}

#[tokio::test(start_paused = true)]
async fn a_slow_consumer_holds_the_server_back_and_loses_nothing() {
    let (mut link, _calls, mut peer) = playing(PATIENT).await;
    let many: u64 = 3_000;
    let talking = tokio::spawn(async move {
        for seq in 5..5 + many {
            peer.say(event(seq, None, Event::Declined { seat: Seat::O, offer: Offer::Draw })).await;
        }
        peer
    });
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
    assert!(!talking.is_finished(), "the pipe is full");
    for seq in 5..5 + many {
        let Message::Events { events, .. } = message(&mut link).await else { panic!("not events") };
        assert_eq!(events[0].seq, Seq::new(seq));
    }
    talking.await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_dropped_handle_ends_the_task_wherever_it_is() {
    // Online: with a goodbye.
    let (link, mut calls, mut peer) = playing(PATIENT).await;
    drop(link);
    assert_eq!(peer.request_or_end().await.unwrap_err(), Some(1000));
    drop(peer);
    assert!(calls.none_follow().await);
    // While it waits for the next attempt.
    let (mut link, mut calls, peer) = playing(PATIENT).await;
    drop(peer);
    while !matches!(news(&mut link).await, News::Offline { .. }) {}
    drop(link);
    assert!(calls.none_follow().await);
    // While it dials.
    let (pipe, mut calls) = server();
    let link = Link::over(options(PATIENT), pipe, Chance::default());
    let _silent = calls.pick_up().await;
    drop(link);
    assert!(calls.none_follow().await);
}

/// The one test over a real socket: that TCP is dialled as a URL says.
#[tokio::test]
async fn tcp_is_dialled() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("127.0.0.1:{}", listener.local_addr().unwrap().port());
    let mut link = Link::open(super::Options { url: url.parse().unwrap(), ..options(Retry::Never) });
    let (mut stream, _) = listener.accept().await.unwrap();
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        assert!(stream.read_buf(&mut head).await.unwrap() > 0);
    }
    let head = String::from_utf8(head).unwrap().to_ascii_lowercase();
    assert!(head.starts_with("get /ws http/1.1\r\n") && head.contains(&format!("host: {url}\r\n")), "{head}");
    assert!(head.contains("sec-websocket-protocol: noughts\r\n"), "{head}");
    stream.write_all(b"HTTP/1.1 429 Too Many Requests\r\ncontent-length: 0\r\n\r\n").await.unwrap();
    assert_eq!(end(&mut link).await, Ended::Http(429));
}
