use std::future::poll_fn;

use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex};

use super::*;
use crate::outbox::{self, Inlet, Out, Outbox};

/// A socket whose line takes `room` bytes at once, and the other end of that.
fn socket(room: usize) -> (Socket, Outbox, Inlet, DuplexStream) {
    let (line, peer) = duplex(room);
    let (outbox, inlet, wire) = outbox::over(line, 8);
    (Socket::new(wire, Vec::new(), GAME, &Limits::default()), outbox, inlet, peer)
}

/// A client's frame, with a mask that changes nothing.
fn frame(opcode: u8, payload: &[u8]) -> Vec<u8> {
    let length = u8::try_from(payload.len()).ok().filter(|length| *length < 126).expect("a short one");
    [&[0x80 | opcode, 0x80 | length, 0, 0, 0, 0][..], payload].concat()
}

const TEXT: u8 = 1;
const CLOSE: u8 = 8;
const PING: u8 = 9;

async fn receive(socket: &mut Socket) -> Result<Incoming, End> {
    poll_fn(|context| socket.poll_receive(context)).await
}

#[tokio::test]
async fn what_comes_in_one_piece_is_read_one_after_the_other() {
    let (mut socket, _outbox, _inlet, mut peer) = socket(4096);
    let texts = [b'a', b'b', b'c', b'd'].map(|letter| [letter; 120]);
    let piece = texts.iter().flat_map(|text| [frame(TEXT, text), frame(PING, b"still there")].concat());
    peer.write_all(&piece.collect::<Vec<_>>()).await.unwrap();
    peer.shutdown().await.unwrap();
    for text in texts {
        let said = receive(&mut socket).await.unwrap();
        assert!(matches!(&said, Incoming::Text(said) if said.as_bytes() == text), "{said:?}");
        assert!(matches!(receive(&mut socket).await, Ok(Incoming::Ping)));
        socket.flush().await.unwrap();
    }
    assert_eq!(receive(&mut socket).await.unwrap_err(), End::Gone, "and then the line ends");
}

#[tokio::test]
async fn a_close_is_answered_behind_what_was_said_before() {
    let (mut socket, outbox, _inlet, mut peer) = socket(8);
    let before = "said before the close";
    outbox.offer(Out::Text(Frame::from(before)));
    peer.write_all(&frame(CLOSE, &1000_u16.to_be_bytes())).await.unwrap();
    let served = tokio::spawn(async move {
        let end = receive(&mut socket).await.unwrap_err();
        socket.take_leave().await;
        end
    });
    let mut heard = Vec::new();
    peer.read_to_end(&mut heard).await.unwrap();
    let answer = [&[0x80 | CLOSE, 2][..], &1000_u16.to_be_bytes()].concat();
    assert_eq!(heard, [Frame::from(before).bytes(), &answer].concat());
    assert_eq!(served.await.unwrap(), End::Closed);
}

#[tokio::test]
async fn a_message_that_never_ends_is_too_big_however_it_comes() {
    let (mut socket, _outbox, _inlet, mut peer) = socket(64 * 1024);
    // A first fragment, and empty ones without end.
    let mut endless = frame(TEXT, b"x");
    endless[0] = TEXT;
    endless.extend([0, 0x80, 0, 0, 0, 0].repeat(GAME.budget() / 6 + 1));
    peer.write_all(&endless).await.unwrap();
    assert_eq!(receive(&mut socket).await.unwrap_err(), End::Close(CloseCode::TooBig));
}
