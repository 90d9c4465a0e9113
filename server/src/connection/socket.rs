//! The WebSocket of a connection: bounds every message, read and write, and completes the close handshake.
//!
//! # Polled reads and writes
//!
//! Adapts the async stream of a connection to the blocking `Read` and `Write` that tungstenite expects, for one call.
//!
//! - Replaces: `tokio_tungstenite::WebSocketStream` and its `AllowStd`, which registers wakers of its own.
//! - Gain: with the hand-written [`Connection::poll`](super::Connection), 5.0 → 3.1 KB per idle connection (2026-11-22;
//!   commands in `tests/results/server.md`, Hand-written mechanisms).
//! - Invariant: `Pending` becomes `WouldBlock`. The stream has registered the task by then, so the caller may return
//!   `Pending` as well.
//! - Guarded by: the tests below and the Autobahn suite.

use std::future::poll_fn;
use std::io::{self, Read, Write};
use std::mem::MaybeUninit;
use std::pin::{Pin, pin};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use futures::poll;
use noughts_protocol::wire::{CloseCode, MAX_REQUEST_BYTES};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, ReadBuf};
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::error::{CapacityError, ProtocolError};
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode as Number;
use tokio_tungstenite::tungstenite::protocol::{
    CloseFrame, Role, WebSocketConfig, WebSocketContext,
};
use tokio_tungstenite::tungstenite::{Bytes, Error, Message, Utf8Bytes};

use crate::config::ServerLimits;
use crate::room::handle::RoomHandle;
use crate::runtime::ignore;
use crate::send_queue::{EncodedFrame, SharedStream};

/// Initial size of the read buffer: a few typical requests. The buffer grows for a long request. The default of 128 KiB
/// would be allocated for every connection and zeroed for every message.
const READ_BUFFER_BYTES: usize = 256;

/// Read budget beyond the message itself: frame headers of fragments, and the beginning of the next message.
const FRAMING_SLACK_BYTES: usize = 8192;

/// Size of the write buffer of tungstenite, which collects a few pongs. The server flushes them together.
const WRITE_BUFFER_BYTES: usize = 4096;

/// Reason for the end of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CloseReason {
    /// The server closes it with this code.
    ByServer(CloseCode),
    /// The peer has closed it and expects a close frame in response.
    ByPeer,
    /// The stream has ended or failed.
    Lost,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct SocketLimits {
    /// Maximum length of a message.
    pub(super) max_message_bytes: usize,
    pub(super) max_unsent_bytes: usize,
}

pub(super) const GAME_SOCKET_LIMITS: SocketLimits = SocketLimits {
    max_message_bytes: MAX_REQUEST_BYTES,
    max_unsent_bytes: 64 * 1024,
};

impl SocketLimits {
    /// Returns the number of bytes that a peer may send for one message, with its framing.
    fn read_budget(self) -> usize {
        self.max_message_bytes + FRAMING_SLACK_BYTES
    }
}

/// Maximum number of bytes that are read and discarded after a close. The kernel answers unread input with a reset,
/// which can discard the close frame.
const LINGER_BYTES: usize = 64 * 1024;
const LINGER: Duration = Duration::from_secs(1);

/// A frame received from the peer.
#[derive(Debug)]
pub(super) enum ReceivedFrame {
    Text(Utf8Bytes),
    Binary(Bytes),
    /// The pong is written and must be flushed.
    Ping,
    /// Payload of the answered ping; 0 if it is not a payload of this server.
    Pong(u64),
}

/// WebSocket over the stream of a connection.
///
/// Tungstenite parses all input and writes pongs and closes. Texts and pings bypass tungstenite and go to the stream
/// directly, because a frame from a server is only a header and the unmasked payload.
#[derive(Debug)]
pub(super) struct ServerSocket {
    protocol: WebSocketContext,
    stream: ConnStream,
    read_ahead: ReadAhead,
    /// See [`SocketLimits::read_budget`].
    read_budget: usize,
    write_timeout: Duration,
    /// The peer has closed with a code that RFC 6455 forbids.
    peer_sent_invalid_code: bool,
}

/// Reason that tungstenite reports for a forbidden close code. Tungstenite queues a close frame in response. That frame
/// is not sent, because the server sends a close frame of its own.
const INVALID_CLOSE_REASON: &str = "Protocol violation";

impl ServerSocket {
    /// Creates a socket over a stream after its handshake. `read_buf` contains the bytes received after the handshake.
    pub(super) fn new(
        stream: ConnStream,
        read_buf: Vec<u8>,
        socket_limits: SocketLimits,
        limits: &ServerLimits,
    ) -> ServerSocket {
        let config = WebSocketConfig::default()
            .read_buffer_size(READ_BUFFER_BYTES)
            .write_buffer_size(WRITE_BUFFER_BYTES)
            .max_write_buffer_size(socket_limits.max_unsent_bytes)
            .max_message_size(Some(socket_limits.max_message_bytes))
            .max_frame_size(Some(socket_limits.max_message_bytes));
        let read_budget = socket_limits.read_budget();
        let read_ahead = ReadAhead {
            buffered: read_buf,
            budget: read_budget,
        };
        let protocol = WebSocketContext::new(Role::Server, Some(config));
        ServerSocket {
            protocol,
            stream,
            read_ahead,
            read_budget,
            write_timeout: limits.write_timeout,
            peer_sent_invalid_code: false,
        }
    }

    /// Receives the next frame. Must not be called after an error.
    pub(super) fn poll_receive(
        &mut self,
        context: &mut Context<'_>,
    ) -> Poll<Result<ReceivedFrame, CloseReason>> {
        loop {
            let read = ready!(self.poll(context, |protocol, stream| protocol.read(stream)));
            let message = match read {
                Ok(message) => message,
                Err(error) => return Poll::Ready(Err(close_reason(&error))),
            };
            self.read_ahead.budget = self.read_budget;
            return Poll::Ready(Ok(match message {
                Message::Text(text) => ReceivedFrame::Text(text),
                Message::Ping(_) => ReceivedFrame::Ping,
                Message::Pong(number) => ReceivedFrame::Pong(
                    <[u8; 8]>::try_from(number.as_ref()).map_or(0, u64::from_be_bytes),
                ),
                Message::Binary(bytes) => ReceivedFrame::Binary(bytes),
                Message::Close(Some(CloseFrame {
                    code: Number::Protocol,
                    reason,
                })) if reason == INVALID_CLOSE_REASON => {
                    self.peer_sent_invalid_code = true;
                    return Poll::Ready(Err(CloseReason::ByServer(CloseCode::ProtocolError)));
                }
                Message::Close(_) => {
                    // Tungstenite has written the close frame, and no frame may follow it.
                    self.stream.disable_direct_write();
                    continue;
                }
                Message::Frame(_) => continue,
            }));
        }
    }

    /// Sends a frame before all queued messages. An incomplete write is reported as
    /// [`QueueEvent::WritePending`](crate::send_queue::QueueEvent::WritePending).
    pub(super) fn send_frame(&mut self, frame: &EncodedFrame) {
        self.stream.send_frames(frame.bytes());
    }

    /// Flushes the stream, within the write timeout.
    pub(super) async fn flush_stream(&mut self) -> Result<(), CloseReason> {
        with_timeout(
            self.write_timeout,
            poll_fn(|context| self.stream.poll_flush_buffer(context)),
        )
        .await
    }

    /// Sends a message back to its sender.
    #[cfg(feature = "echo")]
    pub(super) async fn echo(&mut self, message: Message) -> Result<(), CloseReason> {
        let mut message = Some(message);
        let write_timeout = self.write_timeout;
        let sent = poll_fn(|context| {
            self.poll(context, |protocol, stream| match message.take() {
                Some(message) => protocol
                    .write(stream, message)
                    .and_then(|()| protocol.flush(stream)),
                None => protocol.flush(stream),
            })
        });
        with_timeout(write_timeout, sent).await
    }

    /// Flushes pongs and closes of tungstenite, within the write timeout.
    pub(super) async fn flush(&mut self) -> Result<(), CloseReason> {
        with_timeout(
            self.write_timeout,
            poll_fn(|context| self.poll_flush(context)),
        )
        .await
    }

    /// Flushes a pong without waiting.
    pub(super) fn poll_pong(&mut self, context: &mut Context<'_>) -> Poll<Result<(), CloseReason>> {
        self.poll_flush(context).map_err(|_| CloseReason::Lost)
    }

    /// Completes the close handshake of the peer, after all frames sent before.
    pub(super) async fn answer_close(&mut self) {
        if self.flush_stream().await.is_ok() {
            let closed = with_timeout(self.write_timeout, self.stream.shutdown()).await;
            ignore(closed, "the peer may be gone");
        }
    }

    /// Sends a close frame as the last frame, and discards input for a short time so that the peer can read it.
    pub(super) async fn close(&mut self, code: CloseCode) {
        let write_timeout = self.write_timeout;
        if with_timeout(write_timeout, self.send_close(code))
            .await
            .is_err()
        {
            return;
        }
        let lingered = timeout(LINGER, async {
            self.stream.shutdown().await?;
            let mut rest = (&mut self.stream).take(LINGER_BYTES as u64);
            tokio::io::copy(&mut rest, &mut tokio::io::sink()).await
        });
        ignore(
            lingered.await,
            "the close frame is sent; the peer may be gone",
        );
    }

    async fn send_close(&mut self, code: CloseCode) -> Result<(), Error> {
        if !self.peer_sent_invalid_code {
            // A pending pong must precede the close.
            poll_fn(|context| self.poll_flush(context)).await?;
            let frame = CloseFrame {
                code: Number::from(code.code()),
                reason: code.reason().into(),
            };
            let close = |context: &mut Context<'_>| {
                self.poll(context, |protocol, stream| {
                    ignore_closed(protocol.close(stream, Some(frame.clone())))
                })
            };
            return poll_fn(close).await;
        }
        let payload = [&code.code().to_be_bytes()[..], code.reason().as_bytes()].concat();
        let length = u8::try_from(payload.len()).expect("a reason is short");
        self.stream
            .write_all(&[&[0x88, length][..], &payload].concat())
            .await?;
        Ok(self.stream.flush().await?)
    }

    /// Flushes tungstenite, even after its close.
    fn poll_flush(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Error>> {
        self.poll(context, |protocol, stream| {
            ignore_closed(protocol.flush(stream))
        })
    }

    /// Runs an operation of tungstenite on the stream without blocking.
    fn poll<T>(
        &mut self,
        context: &mut Context<'_>,
        operation: impl FnOnce(&mut WebSocketContext, &mut PollIo<'_, '_>) -> Result<T, Error>,
    ) -> Poll<Result<T, Error>> {
        let mut stream = PollIo {
            stream: &mut self.stream,
            read_ahead: &mut self.read_ahead,
            context,
        };
        match operation(&mut self.protocol, &mut stream) {
            Err(Error::Io(error)) if error.kind() == io::ErrorKind::WouldBlock => Poll::Pending,
            result => Poll::Ready(result),
        }
    }
}

/// Treats the error of a completed close handshake as success, because no message is left to send.
fn ignore_closed(result: Result<(), Error>) -> Result<(), Error> {
    match result {
        Err(Error::ConnectionClosed) => Ok(()),
        done => done,
    }
}

/// Runs a write with a timeout. A timeout means that the peer does not read, so the connection ends without a close
/// frame. Most writes complete immediately and need no timer.
async fn with_timeout<T, E>(
    limit: Duration,
    operation: impl Future<Output = Result<T, E>>,
) -> Result<T, CloseReason> {
    let mut work = pin!(operation);
    let result = match poll!(&mut work) {
        Poll::Ready(done) => Ok(done),
        Poll::Pending => timeout(limit, work).await,
    };
    match result {
        Ok(Ok(done)) => Ok(done),
        Ok(Err(_)) | Err(_) => Err(CloseReason::Lost),
    }
}

/// Returns the close reason for an error of tungstenite.
fn close_reason(error: &Error) -> CloseReason {
    match error {
        Error::Capacity(CapacityError::MessageTooLong { .. } | CapacityError::TooManyHeaders) => {
            CloseReason::ByServer(CloseCode::TooBig)
        }
        Error::Io(error) if error.kind() == io::ErrorKind::FileTooLarge => {
            CloseReason::ByServer(CloseCode::TooBig)
        }
        Error::Utf8(_) => CloseReason::ByServer(CloseCode::NotUtf8),
        Error::Protocol(ProtocolError::ResetWithoutClosingHandshake) => CloseReason::Lost,
        Error::Protocol(_) | Error::AttackAttempt => {
            CloseReason::ByServer(CloseCode::ProtocolError)
        }
        Error::ConnectionClosed => CloseReason::ByPeer,
        Error::AlreadyClosed
        | Error::Io(_)
        | Error::Tls(_)
        | Error::WriteBufferFull(_)
        | Error::Url(_)
        | Error::Http(_)
        | Error::HttpFormat(_) => CloseReason::Lost,
    }
}

/// Stream of a connection, shared with its send queue.
pub(super) type ConnStream = SharedStream<RoomHandle>;

/// Size of one read: several typical requests.
const READ_CHUNK_BYTES: usize = 4096;

/// Bytes received but not parsed, and the read budget of the current message.
#[derive(Debug)]
pub(super) struct ReadAhead {
    /// Bytes that were received and not yet parsed. Allocated only while there are such bytes.
    pub(super) buffered: Vec<u8>,
    /// Bytes that the peer may send until its message is complete. Bounds a message of endless empty fragments.
    pub(super) budget: usize,
}

impl ReadAhead {
    /// Copies a prefix of `bytes` that fits `output` and the budget. Returns its length.
    fn copy_to(&mut self, bytes: &[u8], output: &mut [u8]) -> usize {
        let copied = bytes.len().min(output.len()).min(self.budget);
        output[..copied].copy_from_slice(&bytes[..copied]);
        self.budget -= copied;
        copied
    }
}

/// A stream and the context of the task that polls it.
#[derive(Debug)]
pub(super) struct PollIo<'a, 'c> {
    pub(super) stream: &'a mut ConnStream,
    read_ahead: &'a mut ReadAhead,
    pub(super) context: &'a mut Context<'c>,
}

impl Read for PollIo<'_, '_> {
    fn read(&mut self, output: &mut [u8]) -> io::Result<usize> {
        if self.read_ahead.budget == 0 {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        if !self.read_ahead.buffered.is_empty() {
            let mut buffered = std::mem::take(&mut self.read_ahead.buffered);
            let copied = self.read_ahead.copy_to(&buffered, output);
            if copied < buffered.len() {
                buffered.drain(..copied);
                self.read_ahead.buffered = buffered;
            }
            return Ok(copied);
        }
        // The buffer is on the stack and not in the connection, because with thousands of connections a buffer of each
        // would never be in the cache.
        let mut bytes = [const { MaybeUninit::uninit() }; READ_CHUNK_BYTES];
        let mut buffer = ReadBuf::uninit(&mut bytes);
        ready_or_would_block(Pin::new(&mut *self.stream).poll_read(self.context, &mut buffer))?;
        let copied = self.read_ahead.copy_to(buffer.filled(), output);
        self.read_ahead.buffered = buffer.filled()[copied..].to_vec();
        Ok(copied)
    }
}

impl Write for PollIo<'_, '_> {
    fn write(&mut self, frames: &[u8]) -> io::Result<usize> {
        ready_or_would_block(Pin::new(&mut *self.stream).poll_write(self.context, frames))
    }

    fn flush(&mut self) -> io::Result<()> {
        ready_or_would_block(Pin::new(&mut *self.stream).poll_flush(self.context))
    }
}

fn ready_or_would_block<T>(polled: Poll<io::Result<T>>) -> io::Result<T> {
    match polled {
        Poll::Ready(done) => done,
        Poll::Pending => Err(io::ErrorKind::WouldBlock.into()),
    }
}

#[cfg(test)]
mod tests {
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
        // The message consists of a first fragment and endless empty fragments.
        let mut endless = frame(TEXT, b"x");
        endless[0] = TEXT;
        endless.extend([0, 0x80, 0, 0, 0, 0].repeat(GAME_SOCKET_LIMITS.read_budget() / 6 + 1));
        peer.write_all(&endless).await.unwrap();
        assert_eq!(
            receive(&mut socket).await.unwrap_err(),
            CloseReason::ByServer(CloseCode::TooBig)
        );
    }
}
