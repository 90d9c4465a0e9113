use std::future::poll_fn;
use std::io::Cursor;

use futures::{FutureExt, poll};
use tokio::io::{AsyncReadExt, DuplexStream, duplex};
use tokio_tungstenite::tungstenite::protocol::Role;
use tokio_tungstenite::tungstenite::{Message, Message as Said, WebSocket};

use super::*;

fn text(text: &str) -> Outgoing<()> {
    Outgoing::Text(EncodedFrame::from(text))
}

/// Reads all texts until the stream ends.
async fn read_texts(mut peer: DuplexStream) -> Vec<String> {
    let mut bytes = Vec::new();
    peer.read_to_end(&mut bytes).await.unwrap();
    let mut client = WebSocket::from_raw_socket(Cursor::new(bytes), Role::Client, None);
    let texts = std::iter::from_fn(|| client.read().ok());
    texts
        .map(|said| match &said {
            Said::Text(text) => text.to_string(),
            Said::Binary(_) | Said::Ping(_) | Said::Pong(_) | Said::Close(_) | Said::Frame(_) => {
                panic!("{said:?} is not a text")
            }
        })
        .collect()
}

/// Flushes the stream, as a connection does, until no event is left.
async fn flush_stream(receiver: &mut SendQueueReceiver<()>, stream: &mut SharedStream<()>) {
    while let Some(next) = receiver.try_next() {
        match next {
            QueueEvent::WritePending => poll_fn(|context| stream.poll_flush_buffer(context))
                .await
                .unwrap(),
            QueueEvent::Outgoing(_) | QueueEvent::Close(_) | QueueEvent::Behind => {
                panic!("unexpected {next:?}")
            }
        }
    }
}

#[test]
fn lossy_messages_use_at_most_half_of_the_queue() {
    let (send_queue, mut receiver) = without_stream::<()>(8);
    let lossy_outcomes: Vec<_> = (0..6)
        .map(|_| send_queue.send_lossy(Outgoing::LeaveLobby))
        .collect();
    assert_eq!(
        lossy_outcomes,
        [[SendOutcome::Queued; 5].as_slice(), &[SendOutcome::Full]].concat()
    );
    let outcomes: Vec<_> = (0..4)
        .map(|_| send_queue.try_send(Outgoing::LeaveLobby))
        .collect();
    assert_eq!(
        outcomes,
        [
            SendOutcome::Queued,
            SendOutcome::Queued,
            SendOutcome::Queued,
            SendOutcome::Full
        ]
    );
    while receiver.try_next().is_some() {}
    assert_eq!(
        send_queue.send_lossy(Outgoing::LeaveLobby),
        SendOutcome::Queued
    );
    drop(receiver);
    assert_eq!(
        send_queue.send_lossy(Outgoing::LeaveLobby),
        SendOutcome::Closed
    );
}

#[tokio::test]
async fn nothing_is_received_after_close() {
    let (send_queue, mut receiver) = without_stream::<()>(8);
    for _ in 0..3 {
        send_queue.send_reply(Outgoing::LeaveLobby);
    }
    assert!(receiver.try_next().is_some());
    send_queue.close_with(CloseCode::Replaced);
    let next = receiver.try_next();
    assert!(
        matches!(next, Some(QueueEvent::Close(CloseCode::Replaced))),
        "a replaced connection receives nothing more"
    );
    assert!(matches!(
        receiver.next().await,
        QueueEvent::Close(CloseCode::Replaced)
    ));
}

#[tokio::test]
async fn direct_writes_do_not_wake_the_connection() {
    let (stream, peer) = duplex(1024);
    let (send_queue, mut receiver, shared_stream) = with_stream(stream, 1);
    {
        let mut next = std::pin::pin!(receiver.next());
        assert!(poll!(&mut next).is_pending());
        for said in ["one", "two", "three"] {
            assert_eq!(
                send_queue.try_send(text(said)),
                SendOutcome::Queued,
                "a direct write needs no capacity"
            );
        }
        assert!(poll!(&mut next).is_pending(), "there is no event");
    }
    // The stream ends with its half, although a send queue exists.
    drop(shared_stream);
    assert_eq!(read_texts(peer).await, ["one", "two", "three"]);
    drop(receiver);
    assert_eq!(send_queue.try_send(text("four")), SendOutcome::Closed);
}

#[tokio::test]
async fn frames_stay_ordered_and_whole_across_senders() {
    for room in [1, 2, 3, 7, 20, 64] {
        let (stream, peer) = duplex(room);
        let (send_queue, mut receiver, mut shared_stream) = with_stream(stream, 64);
        let reader = tokio::spawn(read_texts(peer));
        let mut sent = Vec::new();
        for number in 0..200 {
            let word = format!("{number} {}", "x".repeat(number % 150));
            if number % 5 == 0 {
                // Frames of the connection precede the queue, which is empty here.
                flush_stream(&mut receiver, &mut shared_stream).await;
                let frame = EncodedFrame::from(&*word);
                shared_stream.send_frames(frame.bytes());
            } else {
                assert_eq!(send_queue.try_send(text(&word)), SendOutcome::Queued);
            }
            sent.push(word);
            if number % 3 == 0 {
                tokio::task::yield_now().await;
            }
        }
        flush_stream(&mut receiver, &mut shared_stream).await;
        drop(shared_stream);
        assert_eq!(
            reader.await.unwrap(),
            sent,
            "a stream with a buffer of {room} bytes"
        );
    }
}

#[tokio::test]
async fn non_reading_client_fills_the_queue_and_wakes_the_connection() {
    let (stream, _peer) = duplex(8);
    let (send_queue, mut receiver, _shared_stream) = with_stream(stream, 2);
    let outcomes: Vec<_> = (0..5)
        .map(|_| send_queue.try_send(text("more than eight bytes")))
        .collect();
    assert_eq!(
        outcomes,
        [
            SendOutcome::Queued,
            SendOutcome::Queued,
            SendOutcome::Queued,
            SendOutcome::Full,
            SendOutcome::Full
        ]
    );
    assert!(matches!(receiver.next().await, QueueEvent::WritePending));
    send_queue.close_with(CloseCode::SlowConsumer);
    assert!(
        matches!(
            receiver.next().await,
            QueueEvent::Close(CloseCode::SlowConsumer)
        ),
        "before queued messages"
    );
}

#[tokio::test]
async fn no_direct_write_after_close_or_final_frames() {
    for held in [true, false] {
        let (stream, peer) = duplex(1024);
        let (send_queue, mut receiver, mut shared_stream) = with_stream(stream, 8);
        assert_eq!(send_queue.try_send(text("before")), SendOutcome::Queued);
        if held {
            receiver.disable_direct_write();
        } else {
            send_queue.close_with(CloseCode::Replaced);
        }
        assert_eq!(send_queue.try_send(text("behind")), SendOutcome::Queued);
        let last = EncodedFrame::from("last words");
        shared_stream.send_frames(last.bytes());
        poll_fn(|context| shared_stream.poll_flush_buffer(context))
            .await
            .unwrap();
        drop(shared_stream);
        assert_eq!(read_texts(peer).await, ["before", "last words"]);
    }
}

#[tokio::test]
async fn frames_queued_behind_a_state_change_wait_for_it() {
    let (stream, mut peer) = duplex(1024);
    let (send_queue, mut receiver, shared_stream) = with_stream(stream, 8);
    for out in [
        Outgoing::LeaveLobby,
        text("one"),
        Outgoing::LeaveRoom,
        text("two"),
    ] {
        assert_eq!(send_queue.try_send(out), SendOutcome::Queued);
    }
    assert!(
        peer.read_u8().now_or_never().is_none(),
        "no text overtakes the queue"
    );
    assert!(matches!(
        receiver.next().await,
        QueueEvent::Outgoing(Outgoing::LeaveLobby)
    ));
    assert!(
        matches!(
            receiver.next().await,
            QueueEvent::Outgoing(Outgoing::LeaveRoom)
        ),
        "after the text before it"
    );
    assert!(receiver.try_next().is_none());
    drop(shared_stream);
    assert_eq!(read_texts(peer).await, ["one", "two"]);
}

#[test]
fn a_client_reads_a_text_of_any_length() {
    for length in [0, 1, 125, 126, 127, 65_535, 65_536, 70_000] {
        let text = "é".repeat(length / 2) + &"x".repeat(length % 2);
        let frame = EncodedFrame::from(&*text);
        assert_eq!(*frame, *text);
        let mut client =
            WebSocket::from_raw_socket(Cursor::new(frame.bytes().to_vec()), Role::Client, None);
        assert_eq!(client.read().unwrap(), Message::text(text));
    }
}

#[test]
fn a_client_reads_the_number_of_a_ping() {
    let ping = EncodedFrame::ping(0x0102_0304_0506_0708);
    let mut client =
        WebSocket::from_raw_socket(Cursor::new(ping.bytes().to_vec()), Role::Client, None);
    assert_eq!(
        client.read().unwrap(),
        Message::Ping(vec![1, 2, 3, 4, 5, 6, 7, 8].into())
    );
}
