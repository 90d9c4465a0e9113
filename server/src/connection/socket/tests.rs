use std::future::poll_fn;

use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex};

use super::*;
use crate::room::handle::{MemberQueue, RoomHandle};
use crate::send_queue::{self, Outgoing, SendQueueReceiver};

/// Creates a socket over a stream that buffers `capacity` bytes, and the other end of the stream.
fn socket(
    capacity: usize,
) -> (
    ServerSocket,
    MemberQueue,
    SendQueueReceiver<RoomHandle>,
    DuplexStream,
) {
    let (stream, peer) = duplex(capacity);
    let (send_queue, receiver, shared_stream) = send_queue::with_stream(stream, 8);
    (
        ServerSocket::new(
            shared_stream,
            Vec::new(),
            GAME_SOCKET_LIMITS,
            &ServerLimits::default(),
        ),
        send_queue,
        receiver,
        peer,
    )
}

/// Encodes a client frame with a mask of zeros.
fn frame(opcode: u8, payload: &[u8]) -> Vec<u8> {
    let length = u8::try_from(payload.len())
        .ok()
        .filter(|length| *length < 126)
        .expect("a short one");
    [&[0x80 | opcode, 0x80 | length, 0, 0, 0, 0][..], payload].concat()
}

const TEXT: u8 = 1;
const CLOSE: u8 = 8;
const PING: u8 = 9;

async fn receive(socket: &mut ServerSocket) -> Result<ReceivedFrame, CloseReason> {
    poll_fn(|context| socket.poll_receive(context)).await
}

#[tokio::test]
async fn messages_in_one_read_are_received_in_order() {
    let (mut socket, _send_queue, _receiver, mut peer) = socket(4096);
    let texts = [b'a', b'b', b'c', b'd'].map(|letter| [letter; 120]);
    let piece = texts
        .iter()
        .flat_map(|text| [frame(TEXT, text), frame(PING, b"still there")].concat());
    peer.write_all(&piece.collect::<Vec<_>>()).await.unwrap();
    peer.shutdown().await.unwrap();
    for text in texts {
        let incoming = receive(&mut socket).await.unwrap();
        assert!(
            matches!(&incoming, ReceivedFrame::Text(said) if said.as_bytes() == text),
            "{incoming:?}"
        );
        assert!(matches!(
            receive(&mut socket).await,
            Ok(ReceivedFrame::Ping)
        ));
        socket.flush().await.unwrap();
    }
    assert_eq!(
        receive(&mut socket).await.unwrap_err(),
        CloseReason::Lost,
        "the stream has ended"
    );
}

#[tokio::test]
async fn close_is_answered_after_queued_frames() {
    let (mut socket, send_queue, _receiver, mut peer) = socket(8);
    let before = "sent before the close";
    send_queue.try_send(Outgoing::Text(EncodedFrame::from(before)));
    peer.write_all(&frame(CLOSE, &1000_u16.to_be_bytes()))
        .await
        .unwrap();
    let served = tokio::spawn(async move {
        let reason = receive(&mut socket).await.unwrap_err();
        socket.answer_close().await;
        reason
    });
    let mut received = Vec::new();
    peer.read_to_end(&mut received).await.unwrap();
    let answer = [&[0x80 | CLOSE, 2][..], &1000_u16.to_be_bytes()].concat();
    assert_eq!(
        received,
        [EncodedFrame::from(before).bytes(), &answer].concat()
    );
    assert_eq!(served.await.unwrap(), CloseReason::ByPeer);
}

#[tokio::test]
async fn endless_fragmented_message_is_too_big() {
    let (mut socket, _send_queue, _receiver, mut peer) = socket(64 * 1024);
    // A first fragment, then empty ones.
    let mut endless = frame(TEXT, b"x");
    endless[0] = TEXT;
    endless.extend([0, 0x80, 0, 0, 0, 0].repeat(GAME_SOCKET_LIMITS.read_budget() / 6 + 1));
    peer.write_all(&endless).await.unwrap();
    assert_eq!(
        receive(&mut socket).await.unwrap_err(),
        CloseReason::ByServer(CloseCode::TooBig)
    );
}
