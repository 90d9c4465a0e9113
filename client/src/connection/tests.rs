//! A connection against the fake server, in virtual time.

pub(crate) mod fake_server;
mod resume;

use std::time::Duration;

use noughts_protocol::wire::{
    CloseCode, Message, Reject, RejectCode, RequestBody, RoomCommand, SessionRequest,
};
use noughts_protocol::{Cell, Event, Offer, Seat, Seq};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::time::Instant;
use tokio_tungstenite::tungstenite::protocol::Message as Frame;

use super::{
    ClientRng, ConnectionEvent, ConnectionHandle, DisconnectReason, RetryPolicy, SendError,
    TerminationReason,
};
use crate::facts::Exit;
use fake_server::{
    FakeConnection, FakeServer, PipeConnector, connect_welcomed, connection_options, event_message,
    pipe_server, seated_snapshot,
};

const RETRY_ONE_MINUTE: RetryPolicy = RetryPolicy::For(Duration::from_secs(60));

fn open_connection(pipe: PipeConnector) -> ConnectionHandle {
    let options = connection_options(RETRY_ONE_MINUTE);
    ConnectionHandle::with_connector(options, pipe, ClientRng::default())
}

fn list_request() -> RequestBody {
    RequestBody::Session(SessionRequest::List)
}

fn resign_request() -> RequestBody {
    RequestBody::Command(RoomCommand::Resign)
}

fn move_request(cell: u16) -> RequestBody {
    RequestBody::Command(RoomCommand::Move {
        cell: Cell::new(cell),
        seq: Seq::new(4),
    })
}

fn moved_event(seat: Seat, cell: u16) -> Event {
    Event::Moved {
        seat,
        cell: Cell::new(cell),
        left: None,
    }
}

async fn next_event(connection: &mut ConnectionHandle) -> ConnectionEvent {
    connection.next().await.expect("the connection has ended")
}

async fn next_message(connection: &mut ConnectionHandle) -> Message {
    loop {
        match next_event(connection).await {
            ConnectionEvent::Message(message) => return message,
            ConnectionEvent::Connecting { .. }
            | ConnectionEvent::Connected { .. }
            | ConnectionEvent::Disconnected { .. } => {}
            other @ (ConnectionEvent::RequestLost(_) | ConnectionEvent::Terminated(_)) => {
                panic!("not a message: {other:?}")
            }
        }
    }
}

async fn wait_for_disconnect(connection: &mut ConnectionHandle) {
    while !matches!(
        next_event(connection).await,
        ConnectionEvent::Disconnected { .. }
    ) {}
}

/// Returns the reason why the connection ended, and checks that no event follows.
async fn wait_for_termination(connection: &mut ConnectionHandle) -> TerminationReason {
    loop {
        if let ConnectionEvent::Terminated(reason) = next_event(connection).await {
            assert!(
                connection.next().await.is_none(),
                "an event follows the termination"
            );
            return reason;
        }
    }
}

/// Returns a connection in seat X.
async fn connect_seated(retry: RetryPolicy) -> (ConnectionHandle, FakeServer, FakeConnection) {
    let (mut connection, calls, mut peer) = connect_welcomed(retry).await;
    peer.send(seated_snapshot(None, Seat::X)).await;
    assert!(matches!(
        next_message(&mut connection).await,
        Message::Snapshot { .. }
    ));
    (connection, calls, peer)
}

#[tokio::test(start_paused = true)]
async fn a_connection_carries_messages_both_ways_and_closes() {
    let (mut connection, _calls, mut peer) = connect_welcomed(RetryPolicy::Never).await;
    assert!(matches!(
        next_event(&mut connection).await,
        ConnectionEvent::Connecting { attempt: 1 }
    ));
    let ConnectionEvent::Connected { welcome } = next_event(&mut connection).await else {
        panic!("no welcome")
    };
    assert_eq!(
        (
            welcome.version,
            welcome.server.as_str(),
            welcome.name.as_str()
        ),
        (1, "script", "Tess")
    );

    let first = connection.send(list_request()).unwrap();
    let (id, lobby) = peer.next_session_request().await;
    assert!(id == first && matches!(lobby, SessionRequest::List));
    peer.send(Message::Rooms {
        re: id,
        rooms: vec![],
        seeks: vec![],
    })
    .await;
    assert!(
        matches!(next_message(&mut connection).await, Message::Rooms { re, .. } if re == first)
    );
    assert_ne!(
        connection.send(list_request()).unwrap(),
        first,
        "two requests have the same id"
    );

    let closing = tokio::spawn(connection.close());
    peer.next_request().await;
    assert_eq!(
        peer.next_request_or_close().await.unwrap_err(),
        Some(1000),
        "the queued request is followed by a close frame"
    );
    closing.await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_failed_first_attempt_is_not_retried() {
    let (pipe, mut calls) = pipe_server();
    let mut connection = open_connection(pipe);
    calls.refuse_connect().await;
    let reason = wait_for_termination(&mut connection).await;
    assert!(
        matches!(
            reason,
            TerminationReason::CannotConnect(DisconnectReason::Io(_))
        ),
        "{reason:?}"
    );
    assert_eq!(Exit::from(&reason).code(), 3);
    assert!(calls.expect_no_more().await);
    assert_eq!(connection.send(list_request()), Err(SendError::Offline));
}

#[tokio::test(start_paused = true)]
async fn a_silent_server_times_out() {
    let (pipe, mut calls) = pipe_server();
    let started = Instant::now();
    let mut connection = open_connection(pipe.clone());
    let _silent = calls.accept_stream().await;
    assert_eq!(
        wait_for_termination(&mut connection).await,
        TerminationReason::CannotConnect(DisconnectReason::Timeout)
    );
    assert_eq!(started.elapsed().as_secs(), 5);

    let mut connection = open_connection(pipe);
    let _no_welcome = calls.accept().await;
    assert_eq!(
        wait_for_termination(&mut connection).await,
        TerminationReason::CannotConnect(DisconnectReason::Timeout)
    );
    assert!(started.elapsed() < Duration::from_secs(12));
}

#[tokio::test(start_paused = true)]
async fn a_server_without_the_protocol_is_reported() {
    for (answer, expected) in [
        (
            "HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n",
            TerminationReason::Http(403),
        ),
        (
            "HTTP/1.1 503 Service Unavailable\r\ncontent-length: 0\r\n\r\n",
            TerminationReason::Http(503),
        ),
        (
            "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n",
            TerminationReason::Http(200),
        ),
        ("SSH-2.0-OpenSSH_9.9\r\n\r\n", TerminationReason::NotNoughts),
    ] {
        let (pipe, mut calls) = pipe_server();
        let mut connection = open_connection(pipe);
        let mut stream = calls.accept_stream().await;
        // The request is read first, because a connection that is dropped with unread data is reset.
        stream
            .read_buf(&mut Vec::with_capacity(4096))
            .await
            .unwrap();
        stream.write_all(answer.as_bytes()).await.unwrap();
        assert_eq!(wait_for_termination(&mut connection).await, expected);
    }
}

#[tokio::test(start_paused = true)]
async fn a_rejected_hello_ends_the_connection_with_its_reason() {
    let (pipe, mut calls) = pipe_server();
    let mut connection = open_connection(pipe);
    let mut peer = calls.accept().await;
    let hello = peer.next_request().await;
    let reject = Reject {
        versions: Some([7, 9]),
        ..Reject::new(RejectCode::Version)
    };
    peer.send(Message::Reject {
        re: Some(hello.id),
        reject: reject.clone(),
    })
    .await;
    let reason = wait_for_termination(&mut connection).await;
    assert_eq!(
        (Exit::from(&reason).code(), reason),
        (4, TerminationReason::Rejected(reject))
    );
}

#[tokio::test(start_paused = true)]
async fn reconnects_after_an_announced_restart() {
    let (mut connection, mut calls, mut peer) = connect_seated(RETRY_ONE_MINUTE).await;
    peer.send(Message::Restarting {
        retry_after_ms: 7_000,
    })
    .await;
    assert!(matches!(
        next_message(&mut connection).await,
        Message::Restarting { .. }
    ));
    peer.close(CloseCode::Restarting).await;
    let ConnectionEvent::Disconnected {
        retry_in,
        reason: DisconnectReason::Restarting,
        ..
    } = next_event(&mut connection).await
    else {
        panic!("the connection is not lost")
    };
    assert!(
        (7_000..=8_000).contains(&retry_in.as_millis()),
        "{retry_in:?}"
    );
    let mut peer = calls.accept_and_welcome().await;
    assert!(matches!(
        peer.next_session_request().await,
        (_, SessionRequest::Resume { .. })
    ));
}

#[tokio::test(start_paused = true)]
async fn a_first_connection_to_a_restarting_server_is_tried_again() {
    let (pipe, mut calls) = pipe_server();
    let mut connection = open_connection(pipe);
    let mut peer = calls.accept().await;
    peer.send(Message::Restarting {
        retry_after_ms: 300,
    })
    .await;
    peer.close(CloseCode::Restarting).await;
    let next_relevant = async |connection: &mut ConnectionHandle| loop {
        let event = next_event(connection).await;
        if !matches!(event, ConnectionEvent::Connecting { .. }) {
            return event;
        }
    };
    let event = next_relevant(&mut connection).await;
    assert!(
        matches!(
            event,
            ConnectionEvent::Disconnected {
                reason: DisconnectReason::Restarting,
                ..
            }
        ),
        "{event:?}"
    );
    // Until then, no server answers the client's attempts.
    drop(calls.accept_stream().await);
    let event = next_relevant(&mut connection).await;
    assert!(
        matches!(event, ConnectionEvent::Disconnected { .. }),
        "{event:?}"
    );
    let _peer = calls.accept_and_welcome().await;
    let event = next_relevant(&mut connection).await;
    assert!(
        matches!(event, ConnectionEvent::Connected { .. }),
        "{event:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn a_replaced_connection_does_not_reconnect() {
    let (mut connection, mut calls, peer) = connect_seated(RETRY_ONE_MINUTE).await;
    peer.close(CloseCode::Replaced).await;
    assert_eq!(
        wait_for_termination(&mut connection).await,
        TerminationReason::Replaced
    );
    assert!(calls.expect_no_more().await);
}

#[tokio::test(start_paused = true)]
async fn close_codes_decide_whether_to_reconnect() {
    for code in CloseCode::ALL
        .into_iter()
        .map(CloseCode::code)
        .chain([1001, 1013, 4042, 4242])
    {
        let (mut connection, mut calls, mut peer) = connect_seated(RETRY_ONE_MINUTE).await;
        peer.close_with_code(code).await;
        let is_retried = matches!(
            next_event(&mut connection).await,
            ConnectionEvent::Disconnected { .. }
        );
        let should_retry = CloseCode::from_code(code).map_or(code != 4042, CloseCode::can_resume);
        assert_eq!(is_retried, should_retry, "{code}");
        if is_retried {
            calls.accept_and_welcome().await;
        } else {
            assert!(calls.expect_no_more().await);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_connection_without_pings_is_lost_after_35_seconds() {
    let (mut connection, mut calls, mut peer) = connect_seated(RETRY_ONE_MINUTE).await;
    for _ in 0..4 {
        tokio::time::advance(Duration::from_secs(20)).await;
        peer.send_frame(Frame::Ping(vec![1].into())).await;
    }
    let last_ping_at = Instant::now();
    let ConnectionEvent::Disconnected { reason, .. } = next_event(&mut connection).await else {
        panic!("the connection is not lost")
    };
    assert_eq!(
        (reason, last_ping_at.elapsed().as_secs()),
        (DisconnectReason::Silent, 35)
    );
    calls.accept_and_welcome().await;
}

#[tokio::test(start_paused = true)]
async fn attempts_back_off_until_the_retry_time_ends() {
    let (mut connection, mut calls, peer) =
        connect_seated(RetryPolicy::For(Duration::from_secs(30))).await;
    drop(peer);
    let lost_at = Instant::now();
    let refusing = tokio::spawn(async move {
        let mut refused = 0;
        while let Ok(()) =
            tokio::time::timeout(Duration::from_secs(60), calls.refuse_connect()).await
        {
            refused += 1;
            if lost_at.elapsed() > Duration::from_secs(18) {
                break;
            }
        }
        refused
    });
    let reason = wait_for_termination(&mut connection).await;
    assert!(
        matches!(reason, TerminationReason::GaveUp(DisconnectReason::Io(_))),
        "{reason:?}"
    );
    assert_eq!(Exit::from(&reason).code(), 5);
    assert!(lost_at.elapsed() <= Duration::from_secs(30));
    let refused = refusing.await.unwrap();
    assert!((6..=12).contains(&refused), "{refused}");
}

#[tokio::test(start_paused = true)]
async fn a_lost_connection_without_retries_is_final() {
    let (mut connection, mut calls, peer) = connect_seated(RetryPolicy::Never).await;
    drop(peer);
    assert!(matches!(
        wait_for_termination(&mut connection).await,
        TerminationReason::GaveUp(_)
    ));
    assert!(calls.expect_no_more().await);
}

#[tokio::test(start_paused = true)]
async fn repeated_malformed_messages_end_the_connection() {
    for malformed in [
        Frame::text("{\"type\":\"surprise\"}"),
        Frame::text("not json"),
        Frame::Binary(vec![1, 2, 3].into()),
        Frame::text("x".repeat(70 * 1024)),
    ] {
        let (mut connection, mut calls, mut peer) = connect_seated(RETRY_ONE_MINUTE).await;
        for _ in 0..2 {
            peer.send_frame(malformed.clone()).await;
            peer = calls.accept_and_welcome().await;
        }
        peer.send_frame(malformed).await;
        assert_eq!(
            wait_for_termination(&mut connection).await,
            TerminationReason::GaveUp(DisconnectReason::Garbled)
        );
        assert!(calls.expect_no_more().await);
    }
}

#[tokio::test(start_paused = true)]
async fn a_slow_consumer_slows_the_server_and_loses_no_event() {
    let (mut connection, _calls, mut peer) = connect_seated(RETRY_ONE_MINUTE).await;
    let count: u64 = 3_000;
    let sender = tokio::spawn(async move {
        for seq in 5..5 + count {
            peer.send(event_message(
                seq,
                None,
                Event::Declined {
                    seat: Seat::O,
                    offer: Offer::Draw,
                },
            ))
            .await;
        }
        peer
    });
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
    assert!(!sender.is_finished(), "the pipe is not full");
    for seq in 5..5 + count {
        let Message::Events { events, .. } = next_message(&mut connection).await else {
            panic!("the message has no events")
        };
        assert_eq!(events[0].seq, Seq::new(seq));
    }
    sender.await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_dropped_handle_ends_the_task_in_every_state() {
    // An open connection ends with a close handshake.
    let (connection, mut calls, mut peer) = connect_seated(RETRY_ONE_MINUTE).await;
    drop(connection);
    assert_eq!(peer.next_request_or_close().await.unwrap_err(), Some(1000));
    drop(peer);
    assert!(calls.expect_no_more().await);
    // The handle is dropped between two attempts.
    let (mut connection, mut calls, peer) = connect_seated(RETRY_ONE_MINUTE).await;
    drop(peer);
    wait_for_disconnect(&mut connection).await;
    drop(connection);
    assert!(calls.expect_no_more().await);
    // The handle is dropped during an attempt.
    let (pipe, mut calls) = pipe_server();
    let connection = open_connection(pipe);
    let _silent = calls.accept_stream().await;
    drop(connection);
    assert!(calls.expect_no_more().await);
}

#[tokio::test]
async fn the_default_connector_uses_tcp() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("127.0.0.1:{}", listener.local_addr().unwrap().port());
    let mut connection = ConnectionHandle::open(super::ConnectionOptions {
        url: url.parse().unwrap(),
        ..connection_options(RetryPolicy::Never)
    });
    let (mut stream, _) = listener.accept().await.unwrap();
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        assert!(stream.read_buf(&mut head).await.unwrap() > 0);
    }
    let head = String::from_utf8(head).unwrap().to_ascii_lowercase();
    assert!(
        head.starts_with("get /ws http/1.1\r\n") && head.contains(&format!("host: {url}\r\n")),
        "{head}"
    );
    assert!(
        head.contains("sec-websocket-protocol: noughts\r\n"),
        "{head}"
    );
    stream
        .write_all(b"HTTP/1.1 429 Too Many Requests\r\ncontent-length: 0\r\n\r\n")
        .await
        .unwrap();
    assert_eq!(
        wait_for_termination(&mut connection).await,
        TerminationReason::Http(429)
    );
}
