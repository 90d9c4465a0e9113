//! The WebSocket under a connection: every message, read and write within its limit, and a close
//! that arrives.

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
use tokio_tungstenite::tungstenite::protocol::{CloseFrame, Role, WebSocketConfig, WebSocketContext};
use tokio_tungstenite::tungstenite::{Bytes, Error, Message, Utf8Bytes};

use super::poll_io::{ConnStream, PollIo, ReadAhead};
use crate::config::ServerLimits;
use crate::fault_injection::InjectedFault;
use crate::send_queue::EncodedFrame;

/// The default read buffer of 128 KiB is allocated for every connection and zeroed for every
/// message; this one holds a few requests as they usually are, and grows for a long one.
const READ_BUFFER_BYTES: usize = 256;

/// What the headers of one message's fragments may take, and what is read ahead of the next message.
const FRAMING_SLACK_BYTES: usize = 8192;

/// A few pongs are gathered before a write; each batch is flushed.
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

/// How much a socket takes and holds, in bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct SocketLimits {
    /// The longest message.
    pub(super) max_message_bytes: usize,
    /// The most that may be unsent.
    pub(super) max_unsent_bytes: usize,
}

/// What a game needs.
pub(super) const GAME_SOCKET_LIMITS: SocketLimits =
    SocketLimits { max_message_bytes: MAX_REQUEST_BYTES, max_unsent_bytes: 64 * 1024 };

impl SocketLimits {
    /// What a peer may send for one message, all told.
    fn read_budget(self) -> usize {
        self.max_message_bytes + FRAMING_SLACK_BYTES
    }
}

/// What is read and dropped after a close, so that the kernel does not answer unread input with a
/// reset that eats the close frame.
const LINGER_BYTES: usize = 64 * 1024;
const LINGER: Duration = Duration::from_secs(1);

/// What came from the other side.
#[derive(Debug)]
pub(super) enum ReceivedFrame {
    Text(Utf8Bytes),
    Binary(Bytes),
    /// Answered already, once flushed.
    Ping,
    /// The number of the ping that it answers; 0 for one that answers none of ours.
    Pong(u64),
}

/// What is read goes through tungstenite, and so do its answers to that and the close. Texts and pings go straight to
/// the wire: a server's frame is no more than a header.
#[derive(Debug)]
pub(super) struct ServerSocket {
    protocol: WebSocketContext,
    stream: ConnStream,
    read_ahead: ReadAhead,
    /// What a peer may send for one message, all told.
    read_budget: usize,
    write_timeout: Duration,
    /// The peer has closed with a code that nobody may send.
    peer_sent_invalid_code: bool,
}

/// What tungstenite makes of a close code that nobody may send. Its own answer, which it would count for a
/// close of the peer's, is left unsent for ours.
const INVALID_CLOSE_REASON: &str = "Protocol violation";

impl ServerSocket {
    /// A socket over a stream whose handshake is done; `early` are the bytes that came behind it.
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
            .max_frame_size(Some(socket_limits.max_message_bytes))
            .accept_unmasked_frames(limits.faults.has(InjectedFault::AcceptUnmaskedFrames));
        let read_budget = socket_limits.read_budget();
        let read_ahead = ReadAhead { buffered: read_buf, budget: read_budget };
        let protocol = WebSocketContext::new(Role::Server, Some(config));
        ServerSocket {
            protocol,
            stream: stream,
            read_ahead: read_ahead,
            read_budget: read_budget,
            write_timeout: limits.write_timeout,
            peer_sent_invalid_code: false,
        }
    }

    /// The next message. After an end there is none.
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
                Message::Pong(number) => {
                    ReceivedFrame::Pong(<[u8; 8]>::try_from(number.as_ref()).map_or(0, u64::from_be_bytes))
                }
                Message::Binary(bytes) => ReceivedFrame::Binary(bytes),
                Message::Close(Some(CloseFrame { code: Number::Protocol, reason }))
                    if reason == INVALID_CLOSE_REASON =>
                {
                    self.peer_sent_invalid_code = true;
                    return Poll::Ready(Err(CloseReason::ByServer(CloseCode::ProtocolError)));
                }
                Message::Close(_) => {
                    // The answer is written, and nothing may follow it.
                    self.stream.disable_direct_write();
                    continue;
                }
                Message::Frame(_) => continue,
            }));
        }
    }

    /// Sends a frame before what waits for the connection. What does not go at once is
    /// [`QueueEvent::Unsent`](crate::outbox::Next::Unsent).
    pub(super) fn send_frame(&mut self, frame: &EncodedFrame) {
        self.stream.send_frames(frame.bytes());
    }

    /// Sends what the line has not taken at once.
    pub(super) async fn flush_stream(&mut self) -> Result<(), CloseReason> {
        with_timeout(self.write_timeout, poll_fn(|context| self.stream.poll_flush_buffer(context))).await
    }

    /// Says back what was said.
    #[cfg(feature = "echo")]
    pub(super) async fn echo(&mut self, message: Message) -> Result<(), CloseReason> {
        let mut message = Some(message);
        let write_timeout = self.write_timeout;
        let sent = poll_fn(|context| {
            self.poll(context, |protocol, stream| match message.take() {
                Some(message) => protocol.write(stream, message).and_then(|()| protocol.flush(stream)),
                None => protocol.flush(stream),
            })
        });
        with_timeout(write_timeout, sent).await
    }

    /// Sends what tungstenite has to say.
    pub(super) async fn flush(&mut self) -> Result<(), CloseReason> {
        with_timeout(self.write_timeout, poll_fn(|context| self.poll_flush(context))).await
    }

    /// The same as far as it goes at once.
    pub(super) fn poll_pong(&mut self, context: &mut Context<'_>) -> Poll<Result<(), CloseReason>> {
        self.poll_flush(context).map_err(|_| CloseReason::Lost)
    }

    /// Sends the answer to a close of the peer's, which comes behind all that was said to it.
    pub(super) async fn answer_close(&mut self) {
        // Whoever has closed may be gone before it has its answer.
        if self.flush_stream().await.is_ok() {
            let (Ok(()) | Err(_)) = with_timeout(self.write_timeout, self.stream.shutdown()).await;
        }
    }

    /// Sends a close frame, the last of all frames, and lingers until the other side has had a chance to read
    /// it.
    pub(super) async fn close(&mut self, code: CloseCode) {
        let write_timeout = self.write_timeout;
        if with_timeout(write_timeout, self.send_close(code)).await.is_err() {
            return;
        }
        let lingered = timeout(LINGER, async {
            self.stream.shutdown().await?;
            let mut rest = (&mut self.stream).take(LINGER_BYTES as u64);
            tokio::io::copy(&mut rest, &mut tokio::io::sink()).await
        });
        // Whether the peer reads its close is its own affair from here on.
        let (Ok(Ok(_) | Err(_)) | Err(_)) = lingered.await;
    }

    async fn send_close(&mut self, code: CloseCode) -> Result<(), Error> {
        if !self.peer_sent_invalid_code {
            // A pong that is still due would go behind the close.
            poll_fn(|context| self.poll_flush(context)).await?;
            let frame = CloseFrame { code: Number::from(code.code()), reason: code.reason().into() };
            let close = |context: &mut Context<'_>| {
                self.poll(context, |protocol, stream| {
                    ignore_closed(protocol.close(stream, Some(frame.clone())))
                })
            };
            return poll_fn(close).await;
        }
        let payload = [&code.code().to_be_bytes()[..], code.reason().as_bytes()].concat();
        let length = u8::try_from(payload.len()).expect("a reason is a word");
        self.stream.write_all(&[&[0x88, length][..], &payload].concat()).await?;
        Ok(self.stream.flush().await?)
    }

    /// All that tungstenite has to say is sent; also when that was its last word.
    fn poll_flush(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Error>> {
        self.poll(context, |protocol, stream| ignore_closed(protocol.flush(stream)))
    }

    /// Lets tungstenite do something with the stream as far as it goes at once.
    fn poll<T>(
        &mut self,
        context: &mut Context<'_>,
        operation: impl FnOnce(&mut WebSocketContext, &mut PollIo<'_, '_>) -> Result<T, Error>,
    ) -> Poll<Result<T, Error>> {
        let mut stream = PollIo { stream: &mut self.stream, read_ahead: &mut self.read_ahead, context };
        match operation(&mut self.protocol, &mut stream) {
            Err(Error::Io(error)) if error.kind() == io::ErrorKind::WouldBlock => Poll::Pending,
            result => Poll::Ready(result),
        }
    }
}

/// Once both sides have closed there is nothing more to send, which is no failure to send it.
fn ignore_closed(result: Result<(), Error>) -> Result<(), Error> {
    match result {
        Err(Error::ConnectionClosed) => Ok(()),
        done => done,
    }
}

/// A write that takes too long is a peer that does not read: the line is given up without a word,
/// since none would arrive. Most take no time at all, and get no timer.
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

/// What an error of the peer's costs it.
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
        Error::Protocol(_) | Error::AttackAttempt => CloseReason::ByServer(CloseCode::ProtocolError),
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
