//! The WebSocket under a connection: every message, read and write within its limit, and a close
//! that arrives.

use std::future::poll_fn;
use std::io;
use std::pin::{Pin, pin};
use std::task::{Context, Poll};
use std::time::Duration;

use futures::{SinkExt, StreamExt, poll};
use noughts_protocol::wire::{CloseCode, MAX_REQUEST_BYTES};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, ReadBuf};
use tokio::time::timeout;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::error::{CapacityError, ProtocolError};
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode as Number;
use tokio_tungstenite::tungstenite::protocol::{CloseFrame, Role, WebSocketConfig};
use tokio_tungstenite::tungstenite::{Bytes, Error, Message, Utf8Bytes};

use super::End;
use crate::config::Limits;
use crate::fault::Fault;
use crate::outbox::{Frame, Wire};

/// The default read buffer of 128 KiB is allocated for every connection and zeroed for every
/// message; this one holds several requests as they usually are, and grows for a long one.
const READ_BUFFER: usize = 1024;

/// What the headers of one message's fragments may take, and what is read ahead of the next message.
const BESIDE_A_MESSAGE: usize = 8192;

/// A few pongs are gathered before a write; each batch is flushed.
const WRITE_BUFFER: usize = 4096;

/// How much a socket takes and holds, in bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Capacity {
    /// The longest message.
    pub(super) message: usize,
    /// The most that may be unsent.
    pub(super) unsent: usize,
}

/// What a game needs.
pub(super) const GAME: Capacity = Capacity { message: MAX_REQUEST_BYTES, unsent: 64 * 1024 };

impl Capacity {
    /// What a peer may send for one message, all told. Without it a message of empty fragments never ends.
    fn budget(self) -> usize {
        self.message + BESIDE_A_MESSAGE
    }
}

/// What is read and dropped after a close, so that the kernel does not answer unread input with a
/// reset that eats the close frame.
const LINGER_BYTES: usize = 64 * 1024;
const LINGER: Duration = Duration::from_secs(1);

/// What came from the other side.
#[derive(Debug)]
pub(super) enum Incoming {
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
pub(super) struct Socket {
    stream: WebSocketStream<Metered>,
    budget: usize,
    write: Duration,
    /// The peer has closed with a code that nobody may send.
    misclosed: bool,
}

/// What tungstenite makes of a close code that nobody may send. Its own answer, which it would count for a
/// close of the peer's, is left unsent for ours.
const MISCLOSED: &str = "Protocol violation";

impl Socket {
    /// A socket over a stream whose handshake is done; `early` are the bytes that came behind it.
    pub(super) async fn new(wire: Wire, early: Vec<u8>, capacity: Capacity, limits: &Limits) -> Socket {
        let config = WebSocketConfig::default()
            .read_buffer_size(READ_BUFFER)
            .write_buffer_size(WRITE_BUFFER)
            .max_write_buffer_size(capacity.unsent)
            .max_message_size(Some(capacity.message))
            .max_frame_size(Some(capacity.message))
            .accept_unmasked_frames(limits.faults.has(Fault::TakeUnmasked));
        let budget = capacity.budget();
        let metered = Metered { wire, budget };
        let stream = WebSocketStream::from_partially_read(metered, early, Role::Server, Some(config)).await;
        Socket { stream, budget, write: limits.write, misclosed: false }
    }

    /// The next message. Cancel-safe.
    pub(super) async fn receive(&mut self) -> Result<Incoming, End> {
        loop {
            let message = match self.stream.next().await {
                Some(Ok(message)) => message,
                Some(Err(error)) => return Err(end_of(&error)),
                None => return Err(End::Gone),
            };
            self.stream.get_mut().budget = self.budget;
            match message {
                Message::Text(text) => return Ok(Incoming::Text(text)),
                Message::Ping(_) => return Ok(Incoming::Ping),
                Message::Pong(number) => {
                    let number = <[u8; 8]>::try_from(number.as_ref()).map_or(0, u64::from_be_bytes);
                    return Ok(Incoming::Pong(number));
                }
                Message::Binary(bytes) => return Ok(Incoming::Binary(bytes)),
                Message::Close(Some(CloseFrame { code: Number::Protocol, reason }))
                    if reason == MISCLOSED =>
                {
                    self.misclosed = true;
                    return Err(End::Close(CloseCode::ProtocolError));
                }
                // The answer is under way, and nothing may follow it; the stream ends once it is sent.
                Message::Close(_) => self.stream.get_mut().wire.hold(),
                Message::Frame(_) => {}
            }
        }
    }

    /// Sends frames together, before what waits for the connection.
    pub(super) async fn send(&mut self, frames: &[Frame]) -> Result<(), End> {
        let frames = frames.iter().map(Frame::bytes).collect::<Vec<_>>().concat();
        let wire = &mut self.stream.get_mut().wire;
        within(self.write, poll_fn(|context| wire.poll_give(context, &frames))).await?;
        self.send_rest().await
    }

    /// Sends what the line has not taken at once.
    pub(super) async fn send_rest(&mut self) -> Result<(), End> {
        let wire = &mut self.stream.get_mut().wire;
        within(self.write, poll_fn(|context| wire.poll_send(context))).await
    }

    /// Says back what was said.
    #[cfg(feature = "echo")]
    pub(super) async fn echo(&mut self, message: Message) -> Result<(), End> {
        within(self.write, self.stream.send(message)).await
    }

    /// Sends what tungstenite has to say.
    pub(super) async fn flush(&mut self) -> Result<(), End> {
        within(self.write, self.stream.flush()).await
    }

    /// Sends a close frame, the last of all frames, and lingers until the other side has had a chance to read
    /// it.
    pub(super) async fn close(&mut self, code: CloseCode) {
        let write = self.write;
        if within(write, self.say_close(code)).await.is_err() {
            return;
        }
        let stream = &mut self.stream.get_mut().wire;
        let lingered = timeout(LINGER, async {
            stream.shutdown().await?;
            let mut rest = stream.take(LINGER_BYTES as u64);
            tokio::io::copy(&mut rest, &mut tokio::io::sink()).await
        });
        // Whether the peer reads its close is its own affair from here on.
        let (Ok(Ok(_) | Err(_)) | Err(_)) = lingered.await;
    }

    async fn say_close(&mut self, code: CloseCode) -> Result<(), Error> {
        if !self.misclosed {
            // A pong that is still due would go behind the close.
            self.stream.flush().await?;
            let frame = CloseFrame { code: Number::from(code.code()), reason: code.reason().into() };
            return self.stream.close(Some(frame)).await;
        }
        let payload = [&code.code().to_be_bytes()[..], code.reason().as_bytes()].concat();
        let length = u8::try_from(payload.len()).expect("a reason is a word");
        let wire = &mut self.stream.get_mut().wire;
        wire.write_all(&[&[0x88, length][..], &payload].concat()).await?;
        Ok(wire.flush().await?)
    }
}

/// A write that takes too long is a peer that does not read: the line is given up without a word,
/// since none would arrive. Most take no time at all, and get no timer.
async fn within<T, E>(limit: Duration, work: impl Future<Output = Result<T, E>>) -> Result<T, End> {
    let mut work = pin!(work);
    let done = match poll!(&mut work) {
        Poll::Ready(done) => Ok(done),
        Poll::Pending => timeout(limit, work).await,
    };
    match done {
        Ok(Ok(done)) => Ok(done),
        Ok(Err(_)) | Err(_) => Err(End::Gone),
    }
}

/// What an error of the peer's costs it.
fn end_of(error: &Error) -> End {
    match error {
        Error::Capacity(CapacityError::MessageTooLong { .. } | CapacityError::TooManyHeaders) => {
            End::Close(CloseCode::TooBig)
        }
        Error::Io(error) if error.kind() == io::ErrorKind::FileTooLarge => End::Close(CloseCode::TooBig),
        Error::Utf8(_) => End::Close(CloseCode::NotUtf8),
        Error::Protocol(ProtocolError::ResetWithoutClosingHandshake) => End::Gone,
        Error::Protocol(_) | Error::AttackAttempt => End::Close(CloseCode::ProtocolError),
        Error::ConnectionClosed
        | Error::AlreadyClosed
        | Error::Io(_)
        | Error::Tls(_)
        | Error::WriteBufferFull(_)
        | Error::Url(_)
        | Error::Http(_)
        | Error::HttpFormat(_) => End::Gone,
    }
}

/// A wire that stops when a peer has sent more than one message may take.
#[derive(Debug)]
struct Metered {
    wire: Wire,
    budget: usize,
}

impl AsyncRead for Metered {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.budget == 0 {
            return Poll::Ready(Err(io::ErrorKind::FileTooLarge.into()));
        }
        let before = buffer.filled().len();
        let polled = Pin::new(&mut self.wire).poll_read(context, buffer);
        self.budget = self.budget.saturating_sub(buffer.filled().len() - before);
        polled
    }
}

impl AsyncWrite for Metered {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.wire).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.wire).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.wire).poll_shutdown(context)
    }
}
