//! Connections that are cut at any byte, and recorded connections that are replayed. They do not change the state of
//! the game.

use std::time::Duration;

use noughts_protocol::wire::{Message, Notice, Request, RequestBody, RoomCommand};
use noughts_protocol::{Cell, Seat};
use noughts_tests::client::frame::{self, TEXT};
use noughts_tests::client::game_setup::{pair_players, request_id};
use noughts_tests::client::raw_websocket::RawWebSocket;
use noughts_tests::client::test_client::TestClient;
use noughts_tests::faults::failing_store::FailingStore;
use noughts_tests::faults::proxy::{Proxy, StreamDirection, StreamEnd};
use noughts_tests::server::{TestServer, TestServerOptions};
use noughts_tests::wait::wait_until;

fn has_x_lag(notice: &Notice) -> bool {
    matches!(notice, Notice::Lag { ms } if ms[Seat::X.index()].is_some())
}

/// Cuts a request at every byte, with every kind of stream end.
#[tokio::test]
async fn a_request_torn_at_any_byte_is_done_at_most_once() {
    let log = FailingStore::new();
    let mut options = TestServerOptions {
        log: log.clone(),
        ..TestServerOptions::default()
    };
    // Each connection gets only one ping, however busy the machine is.
    options.limits.ping_interval = Duration::from_secs(600);
    let server = TestServer::start_with(options).await;
    let proxy = Proxy::start(server.address()).await;
    for end in [StreamEnd::Reset, StreamEnd::Close, StreamEnd::HalfClose] {
        // The header of a masked frame has 6 bytes, or 8 for a longer payload.
        let length = |seq| {
            let text = Request::command(
                request_id(500),
                RoomCommand::Move {
                    cell: Cell::new(7),
                    seq,
                },
            )
            .to_json();
            text.len() + if text.len() < 126 { 6 } else { 8 }
        };
        for at in 0..=60 {
            let [x, mut o] = pair_players(&server, "5x5:5", None).await;
            let (seat_info, seq) = (x.disconnect(), o.game().seq());
            let mut x = TestClient::connect_as(&proxy.url(), "Ann").await;
            x.resume(&seat_info, Some(seq))
                .await
                .expect("the holder's token");
            // Waits for the pong, because a later pong would be counted as part of the request.
            x.wait_for_notice("X's lag", has_x_lag).await;
            let at = at * length(seq) / 60;
            proxy.end_after(StreamDirection::Up, at, end);
            let command = RoomCommand::Move {
                cell: Cell::new(7),
                seq,
            };
            // The cut takes effect when a further byte arrives.
            let text = Request::command(request_id(500), command).to_json();
            let frames = [text.as_str(), r#"{"type":"list","id":501}"#];
            for frame in frames {
                if x.try_send_text(frame).await.is_err() {
                    break;
                }
            }
            wait_until("the end of the connection", async || {
                has_ended_all(&proxy).then_some(())
            })
            .await;
            let is_complete = at == length(seq);
            let must_be_done = is_complete && end == StreamEnd::HalfClose;
            if must_be_done {
                // The event may still be in flight, but arrives before the end of the stream.
                o.wait_until_seq(seq.next()).await;
            }
            drop(x);
            let mut x = server.connect_client("Ann").await;
            x.resume(&seat_info, Some(seq))
                .await
                .expect("the holder's token");
            let repeated = x
                .request_with_id(request_id(500), RequestBody::Command(command))
                .await
                .expect("the same request");
            let done_before = matches!(repeated, Message::Done { seq: Some(_), .. });
            // A reset, or an end of both directions, may overtake earlier bytes: the next write of the server fails,
            // and the server drops the connection with its unread input.
            assert!(
                if must_be_done {
                    done_before
                } else {
                    is_complete || !done_before
                },
                "{end:?} at byte {at}: {repeated:?}"
            );
            x.wait_until_seq(seq.next()).await;
            o.wait_until_seq(seq.next()).await;
            let stored = log.events(seat_info.id).await;
            assert_eq!(stored.len() as u64, seq.get() + 1, "{end:?} at byte {at}");
        }
    }
}

/// Returns whether the next response marks the request as a duplicate.
async fn read_is_duplicate(socket: &mut RawWebSocket) -> bool {
    loop {
        match socket.next_message().await {
            Message::Done { seq: Some(_), .. } => return true,
            Message::Welcome { .. }
            | Message::Events { re: Some(_), .. }
            | Message::Snapshot { .. } => {
                return false;
            }
            Message::Events { re: None, .. } | Message::Notice { .. } => {}
            other @ (Message::Done { .. }
            | Message::Reject { .. }
            | Message::Rooms { .. }
            | Message::Lobby { .. }
            | Message::LobbyChanged { .. }
            | Message::Announcement { .. }
            | Message::Games { .. }
            | Message::Game { .. }
            | Message::Profile { .. }
            | Message::Restarting { .. }) => panic!("{other:?}"),
        }
    }
}

fn has_ended_all(proxy: &Proxy) -> bool {
    proxy.ended_count() == proxy.connection_count()
}

#[tokio::test]
async fn replayed_bytes_have_no_effect() {
    let log = FailingStore::new();
    let server = TestServer::start_with(TestServerOptions {
        log: log.clone(),
        ..TestServerOptions::default()
    })
    .await;
    let proxy = Proxy::start(server.address()).await;
    let [x, mut o] = pair_players(&server, "5x5:5", None).await;
    let seat_info = x.disconnect();
    let mut x = TestClient::connect_as(&proxy.url(), "Ann").await;
    x.resume(&seat_info, Some(seat_info.game.seq()))
        .await
        .expect("the holder's token");
    x.play(0).await.expect("X moves first");
    x.offer(noughts_protocol::Offer::Draw)
        .await
        .expect("a game is running");
    o.wait_until_seq(x.game().seq()).await;
    o.send_command(RoomCommand::Decline {
        offer: noughts_protocol::Offer::Draw,
    })
    .await
    .expect("an offer is pending");
    o.play(1).await.expect("O answers");
    x.wait_until_seq(o.game().seq()).await;
    let before = log.events(seat_info.id).await;
    for _ in 0..3 {
        // The recording contains the handshake, the hello, the token, the move and the offer.
        let recorded_bytes = proxy.transferred(StreamDirection::Up);
        let head = 4 + recorded_bytes
            .windows(4)
            .position(|bytes| bytes == b"\r\n\r\n")
            .expect("a handshake");
        let mut replay_socket = RawWebSocket::connect(server.address()).await;
        replay_socket.write(&recorded_bytes[..head]).await;
        assert!(replay_socket.read_head().await.starts_with("HTTP/1.1 101 "));
        let mut done = 0;
        for (kind, frame) in frame::split(&recorded_bytes[head..]) {
            replay_socket.write(frame).await;
            // As in the recording, each response is read before the next request.
            if kind == TEXT {
                done += u32::from(read_is_duplicate(&mut replay_socket).await);
            }
        }
        assert_eq!(done, 2, "two duplicates");
        assert_eq!(
            log.events(seat_info.id).await,
            before,
            "a replayed request was executed again"
        );
        // The replay has taken the seat over with the recorded token. The holder resumes the seat.
        let mut reconnected = server.connect_client("Ann").await;
        reconnected
            .resume(x.seat_info(), Some(x.game().seq()))
            .await
            .expect("the holder's token");
        assert_eq!(replay_socket.read_close_code().await, Some(4002));
        drop(reconnected);
    }
    let mut reconnected_x = server.connect_client("Ann").await;
    reconnected_x
        .resume(x.seat_info(), Some(x.game().seq()))
        .await
        .expect("the holder's token");
    reconnected_x.play(2).await.expect("X is to move");
    o.wait_until_seq(reconnected_x.game().seq()).await;
}
