//! The WebSocket of a connection: bounds every message, read and write, and completes the close handshake.

#[cfg(test)]
mod tests;

use std::future::poll_fn;
use std::io;
use std::pin::pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use futures::poll;
use noughts_protocol::wire::{CloseCode, MAX_REQUEST_BYTES};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::error::{CapacityError, ProtocolError};
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode as Number;
use tokio_tungstenite::tungstenite::protocol::{
    CloseFrame, Role, WebSocketConfig, WebSocketContext,
};
use tokio_tungstenite::tungstenite::{Bytes, Error, Message, Utf8Bytes};

use super::poll_io::{ConnStream, PollIo, ReadAhead};
use crate::config::ServerLimits;
use crate::runtime::ignore;
use crate::send_queue::EncodedFrame;

/// Initial read buffer: a few typical requests; it grows for a long one. The default of 128 KiB is allocated for every
/// connection and zeroed for every message.
const READ_BUFFER_BYTES: usize = 256;

/// Read budget beyond the message itself: frame headers of fragments, and the beginning of the next message.
const FRAMING_SLACK_BYTES: usize = 8192;

/// Write buffer of tungstenite: batches a few pongs. Each batch is flushed.
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

/// Limits of a socket, in bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct SocketLimits {
    /// Maximum length of a message.
    pub(super) max_message_bytes: usize,
    /// Maximum number of unsent bytes.
    pub(super) max_unsent_bytes: usize,
}

/// Limits of game connections.
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

/// Input that is read and discarded after a close. The kernel answers unread input with a reset, which can discard the
/// close frame.
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
/// Tungstenite parses all input and writes pongs and closes. Texts and pings bypass it and go to the stream directly: a
/// frame of a server is a header and the unmasked payload.
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

/// Reason that tungstenite reports for a forbidden close code. It queues a close frame of its own, which is not sent;
/// the server sends its own instead.
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
                    // The close frame is written; no frame may follow it.
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

/// Treats a completed close handshake as success: there is nothing left to send.
fn ignore_closed(result: Result<(), Error>) -> Result<(), Error> {
    match result {
        Err(Error::ConnectionClosed) => Ok(()),
        done => done,
    }
}

/// Runs a write with a timeout. A timeout means that the peer does not read, so the connection ends without a close
/// frame. Most writes complete at once and need no timer.
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
