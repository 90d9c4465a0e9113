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

use super::End;
use super::at_once::{AtOnce, Intake};
use crate::config::Limits;
use crate::fault::Fault;
use crate::outbox::{Frame, Wire};

/// The default read buffer of 128 KiB is allocated for every connection and zeroed for every
/// message; this one holds a few requests as they usually are, and grows for a long one.
const READ_BUFFER: usize = 256;

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
    /// What a peer may send for one message, all told.
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
    protocol: WebSocketContext,
    wire: Wire,
    intake: Intake,
    /// What a peer may send for one message, all told.
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
    pub(super) fn new(wire: Wire, early: Vec<u8>, capacity: Capacity, limits: &Limits) -> Socket {
        let config = WebSocketConfig::default()
            .read_buffer_size(READ_BUFFER)
            .write_buffer_size(WRITE_BUFFER)
            .max_write_buffer_size(capacity.unsent)
            .max_message_size(Some(capacity.message))
            .max_frame_size(Some(capacity.message))
            .accept_unmasked_frames(limits.faults.has(Fault::TakeUnmasked));
        let budget = capacity.budget();
        let intake = Intake { early, budget };
        let protocol = WebSocketContext::new(Role::Server, Some(config));
        Socket { protocol, wire, intake, budget, write: limits.write, misclosed: false }
    }

    /// The next message. After an end there is none.
    pub(super) fn poll_receive(&mut self, context: &mut Context<'_>) -> Poll<Result<Incoming, End>> {
        loop {
            let read = ready!(self.poll(context, |protocol, stream| protocol.read(stream)));
            let message = match read {
                Ok(message) => message,
                Err(error) => return Poll::Ready(Err(end_of(&error))),
            };
            self.intake.budget = self.budget;
            return Poll::Ready(Ok(match message {
                Message::Text(text) => Incoming::Text(text),
                Message::Ping(_) => Incoming::Ping,
                Message::Pong(number) => {
                    Incoming::Pong(<[u8; 8]>::try_from(number.as_ref()).map_or(0, u64::from_be_bytes))
                }
                Message::Binary(bytes) => Incoming::Binary(bytes),
                Message::Close(Some(CloseFrame { code: Number::Protocol, reason }))
                    if reason == MISCLOSED =>
                {
                    self.misclosed = true;
                    return Poll::Ready(Err(End::Close(CloseCode::ProtocolError)));
                }
                Message::Close(_) => {
                    // The answer is written, and nothing may follow it.
                    self.wire.hold();
                    continue;
                }
                Message::Frame(_) => continue,
            }));
        }
    }

    /// Sends a frame before what waits for the connection. What does not go at once is
    /// [`Next::Unsent`](crate::outbox::Next::Unsent).
    pub(super) fn say(&mut self, frame: &Frame) {
        self.wire.say(frame.bytes());
    }

    /// Sends what the line has not taken at once.
    pub(super) async fn send_rest(&mut self) -> Result<(), End> {
        within(self.write, poll_fn(|context| self.wire.poll_send(context))).await
    }

    /// Says back what was said.
    #[cfg(feature = "echo")]
    pub(super) async fn echo(&mut self, message: Message) -> Result<(), End> {
        let mut message = Some(message);
        let write = self.write;
        let said = poll_fn(|context| {
            self.poll(context, |protocol, stream| match message.take() {
                Some(message) => protocol.write(stream, message).and_then(|()| protocol.flush(stream)),
                None => protocol.flush(stream),
            })
        });
        within(write, said).await
    }

    /// Sends what tungstenite has to say.
    pub(super) async fn flush(&mut self) -> Result<(), End> {
        within(self.write, poll_fn(|context| self.poll_flush(context))).await
    }

    /// The same as far as it goes at once.
    pub(super) fn poll_pong(&mut self, context: &mut Context<'_>) -> Poll<Result<(), End>> {
        self.poll_flush(context).map_err(|_| End::Gone)
    }

    /// Sends the answer to a close of the peer's, which comes behind all that was said to it.
    pub(super) async fn take_leave(&mut self) {
        // Whoever has closed may be gone before it has its answer.
        if self.send_rest().await.is_ok() {
            let (Ok(()) | Err(_)) = within(self.write, self.wire.shutdown()).await;
        }
    }

    /// Sends a close frame, the last of all frames, and lingers until the other side has had a chance to read
    /// it.
    pub(super) async fn close(&mut self, code: CloseCode) {
        let write = self.write;
        if within(write, self.say_close(code)).await.is_err() {
            return;
        }
        let lingered = timeout(LINGER, async {
            self.wire.shutdown().await?;
            let mut rest = (&mut self.wire).take(LINGER_BYTES as u64);
            tokio::io::copy(&mut rest, &mut tokio::io::sink()).await
        });
        // Whether the peer reads its close is its own affair from here on.
        let (Ok(Ok(_) | Err(_)) | Err(_)) = lingered.await;
    }

    async fn say_close(&mut self, code: CloseCode) -> Result<(), Error> {
        if !self.misclosed {
            // A pong that is still due would go behind the close.
            poll_fn(|context| self.poll_flush(context)).await?;
            let frame = CloseFrame { code: Number::from(code.code()), reason: code.reason().into() };
            let close = |context: &mut Context<'_>| {
                self.poll(context, |protocol, stream| sent(protocol.close(stream, Some(frame.clone()))))
            };
            return poll_fn(close).await;
        }
        let payload = [&code.code().to_be_bytes()[..], code.reason().as_bytes()].concat();
        let length = u8::try_from(payload.len()).expect("a reason is a word");
        self.wire.write_all(&[&[0x88, length][..], &payload].concat()).await?;
        Ok(self.wire.flush().await?)
    }

    /// All that tungstenite has to say is sent; also when that was its last word.
    fn poll_flush(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Error>> {
        self.poll(context, |protocol, stream| sent(protocol.flush(stream)))
    }

    /// Lets tungstenite do something with the stream as far as it goes at once.
    fn poll<T>(
        &mut self,
        context: &mut Context<'_>,
        work: impl FnOnce(&mut WebSocketContext, &mut AtOnce<'_, '_>) -> Result<T, Error>,
    ) -> Poll<Result<T, Error>> {
        let mut stream = AtOnce { wire: &mut self.wire, intake: &mut self.intake, context };
        match work(&mut self.protocol, &mut stream) {
            Err(Error::Io(error)) if error.kind() == io::ErrorKind::WouldBlock => Poll::Pending,
            done => Poll::Ready(done),
        }
    }
}

/// Once both sides have closed there is nothing more to send, which is no failure to send it.
fn sent(done: Result<(), Error>) -> Result<(), Error> {
    match done {
        Err(Error::ConnectionClosed) => Ok(()),
        done => done,
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
        Error::ConnectionClosed => End::Closed,
        Error::AlreadyClosed
        | Error::Io(_)
        | Error::Tls(_)
        | Error::WriteBufferFull(_)
        | Error::Url(_)
        | Error::Http(_)
        | Error::HttpFormat(_) => End::Gone,
    }
}
