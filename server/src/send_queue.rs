//! Bounded path from rooms and lobby to one connection: direct writes to its stream, and a queue for the rest.
//!
//! ```text
//!   room, lobby                          one lock (WakeMutex)                    connection task
//!   SendQueue ──try_send──►  idle stream and empty queue: write directly
//!   (any number)             otherwise: queue, wake the connection  ──────►  SendQueueReceiver: poll_next
//!                            stream + unsent bytes                  ◄──────  SharedStream: reads, own frames, flush
//! ```
//!
//! | state | `try_send` of a text | the connection |
//! |---|---|---|
//! | queue empty, stream idle | writes directly, wakes no task | sleeps |
//! | bytes unsent or messages queued | appends to the queue, `Full` at capacity | flushes the stream, then the queue |
//! | `close_code` set | appends to the queue | gets `Close` before everything else |
//! | direct write disabled | appends to the queue | sends its last frames |
//! | closed | `Closed` | has ended |
//!
//! - Replaces: a bounded `mpsc` channel to the connection task, which writes to the stream.
//! - Gain: 16 754 → 13 275 instructions and two wake-ups of tasks less per move (2026-11-22; commands in
//!   `tests/results/server.md`, Hand-written mechanisms).
//! - Invariant: frames stay whole and in order. No frame is written directly while anything waits, only the connection
//!   sends waiting frames, and no caller waits for the peer under the lock.
//! - Guarded by: `frames_stay_ordered_and_whole_across_senders`, `direct_writes_do_not_wake_the_connection` and
//!   `no_direct_write_after_close_or_final_frames`.
//!
//! `R` is the handle of a room that the connection enters; the queue only carries it.

#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::io;
use std::ops::Deref;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker, ready};

use noughts_protocol::wire::{CloseCode, Message, write_json};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use crate::runtime::ignore;
use crate::runtime::sync::WakeMutex;

/// An instruction to a connection.
#[derive(Debug)]
pub(crate) enum Outgoing<R> {
    /// Sends a frame.
    Text(EncodedFrame),
    /// The connection has entered this room.
    EnterRoom(R),
    /// The connection has left its room.
    LeaveRoom,
    /// The connection's seek has ended without a room.
    LeaveLobby,
    /// The room of the connection moves to another server: announces it and closes the connection.
    Restart {
        /// Time until the client should return, in milliseconds.
        retry_after_ms: u64,
    },
    /// Pings the peer for the lobby, where the connection has a seek.
    Ping { ping: u64 },
}

impl<R> Outgoing<R> {
    /// Encodes a message to one connection.
    pub(crate) fn message(message: &Message) -> Outgoing<R> {
        Outgoing::Text(EncodedFrame::from(message))
    }
}

/// Result of sending to a [`SendQueue`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SendOutcome {
    /// The message is queued or written.
    Queued,
    /// The queue is full: the client reads too slowly.
    Full,
    /// The connection has ended.
    Closed,
}

/// Maximum size of queued frames that are combined into one write.
const WRITE_BATCH_BYTES: usize = 4096;

/// Queue state shared by senders and the connection task, guarded by one lock.
#[derive(Debug)]
struct QueueState<R> {
    queue: VecDeque<Outgoing<R>>,
    capacity: usize,
    close_code: Option<CloseCode>,
    /// A message was dropped.
    is_behind: bool,
    /// The connection requests a snapshot.
    snapshot_requested: bool,
    /// Total length of the responses sent with [`SendQueue::send_priced_reply`] since the connection last took this
    /// value.
    priced_bytes: u64,
    /// The connection has ended.
    closed: bool,
    /// Set while the connection sends its last frames.
    direct_write_disabled: bool,
    /// `None` if the receiver takes all messages from the queue.
    stream: Option<BufferedStream>,
}

impl<R> QueueState<R> {
    /// Writes or queues a message. Returns the result, and whether to wake the connection.
    fn try_send(&mut self, outgoing: Outgoing<R>, capacity: usize) -> (SendOutcome, bool) {
        if self.closed {
            return (SendOutcome::Closed, false);
        }
        if let (Outgoing::Text(frame), Some(buffered)) = (&outgoing, &mut self.stream)
            && self.queue.is_empty()
            && self.close_code.is_none()
            && !self.direct_write_disabled
            && buffered.is_idle()
        {
            buffered.try_write(frame.bytes());
            return (SendOutcome::Queued, !buffered.is_idle());
        }
        if self.queue.len() >= capacity {
            return (SendOutcome::Full, false);
        }
        self.queue.push_back(outgoing);
        (SendOutcome::Queued, true)
    }

    /// Returns the next event; a close precedes all others. Writes queued texts to the stream itself.
    fn next(&mut self) -> Option<QueueEvent<R>> {
        if let Some(code) = self.close_code {
            return Some(QueueEvent::Close(code));
        }
        if let Some(buffered) = &mut self.stream {
            while buffered.is_idle() && matches!(self.queue.front(), Some(Outgoing::Text(_))) {
                while buffered.buffered_len() < WRITE_BATCH_BYTES
                    && let Some(Outgoing::Text(frame)) = self.queue.front()
                {
                    buffered.buffer(frame.bytes());
                    self.queue.pop_front();
                }
                buffered.try_flush();
            }
            if !buffered.is_idle() {
                return Some(QueueEvent::WritePending);
            }
        }
        if let Some(outgoing) = self.queue.pop_front() {
            return Some(QueueEvent::Outgoing(outgoing));
        }
        // Frees the buffer, because most queues stay empty for a long time.
        self.queue = VecDeque::new();
        std::mem::take(&mut self.is_behind).then_some(QueueEvent::Behind)
    }
}

/// Sending half. No method waits for the peer.
#[derive(Clone, Debug)]
pub(crate) struct SendQueue<R>(Arc<WakeMutex<QueueState<R>>>);

/// Receiving half, owned by the connection task.
#[derive(Debug)]
pub(crate) struct SendQueueReceiver<R>(Arc<WakeMutex<QueueState<R>>>);

/// Stream half, owned by the connection task. Dropping it closes the stream, even while send queues exist.
#[derive(Debug)]
pub(crate) struct SharedStream<R>(Arc<WakeMutex<QueueState<R>>>);

/// Creates a queue for `capacity` messages. Messages that the stream takes immediately do not count.
pub(crate) fn with_stream<R>(
    stream: impl ByteStream + 'static,
    capacity: usize,
) -> (SendQueue<R>, SendQueueReceiver<R>, SharedStream<R>) {
    let shared = new_shared_state(Some(BufferedStream::new(Box::new(stream))), capacity);
    (
        SendQueue(Arc::clone(&shared)),
        SendQueueReceiver(Arc::clone(&shared)),
        SharedStream(shared),
    )
}

/// Creates a queue without a stream: the receiver returns all messages.
#[cfg(any(test, feature = "cluster"))]
pub(crate) fn without_stream<R>(capacity: usize) -> (SendQueue<R>, SendQueueReceiver<R>) {
    let shared = new_shared_state(None, capacity);
    (SendQueue(Arc::clone(&shared)), SendQueueReceiver(shared))
}

fn new_shared_state<R>(
    stream: Option<BufferedStream>,
    capacity: usize,
) -> Arc<WakeMutex<QueueState<R>>> {
    Arc::new(WakeMutex::new(QueueState {
        queue: VecDeque::new(),
        capacity: capacity.max(1),
        close_code: None,
        is_behind: false,
        snapshot_requested: false,
        priced_bytes: 0,
        closed: false,
        direct_write_disabled: false,
        stream,
    }))
}

impl<R> SendQueue<R> {
    /// Writes or queues a message.
    pub(crate) fn try_send(&self, outgoing: Outgoing<R>) -> SendOutcome {
        self.0
            .update_if(|state| state.try_send(outgoing, state.capacity))
    }

    /// Like [`SendQueue::try_send`] for a response, which must not be lost: closes the connection if the queue is full.
    pub(crate) fn send_reply(&self, outgoing: Outgoing<R>) -> SendOutcome {
        let outcome = self.try_send(outgoing);
        if outcome == SendOutcome::Full {
            self.close_with(CloseCode::SlowConsumer);
        }
        outcome
    }

    /// Like [`SendQueue::send_reply`] for a response that is charged to the client by its length.
    pub(crate) fn send_priced_reply(&self, outgoing: Outgoing<R>) -> SendOutcome {
        if let Outgoing::Text(frame) = &outgoing {
            let length = frame.bytes().len() as u64;
            self.0.with_lock(|state| state.priced_bytes += length);
        }
        self.send_reply(outgoing)
    }

    /// Returns the total length of the responses sent with [`SendQueue::send_priced_reply`] since the last call.
    pub(crate) fn take_priced_bytes(&self) -> u64 {
        self.0
            .with_lock(|state| std::mem::take(&mut state.priced_bytes))
    }

    /// Like [`SendQueue::try_send`] for a message that a later message replaces: uses at most half of the queue.
    pub(crate) fn send_lossy(&self, outgoing: Outgoing<R>) -> SendOutcome {
        self.0
            .update_if(|state| state.try_send(outgoing, state.capacity / 2 + 1))
    }

    /// Closes the connection before all queued messages. The first code counts.
    pub(crate) fn close_with(&self, code: CloseCode) {
        self.0.update(|state| *state.close_code.get_or_insert(code));
    }

    /// Records that a message was dropped. The connection then requests a snapshot once its queue is empty.
    pub(crate) fn mark_behind(&self) {
        self.0.update(|state| state.is_behind = true);
    }

    /// Requests a snapshot from the room.
    pub(crate) fn request_snapshot(&self) {
        self.0.with_lock(|state| state.snapshot_requested = true);
    }

    /// Takes the request for a snapshot.
    pub(crate) fn take_snapshot_request(&self) -> bool {
        self.0
            .with_lock(|state| std::mem::take(&mut state.snapshot_requested))
    }

    /// Returns whether the connection has ended.
    pub(crate) fn is_closed(&self) -> bool {
        self.0.with_lock(|state| state.closed)
    }
}

/// Event that the connection task has to handle.
#[derive(Debug)]
pub(crate) enum QueueEvent<R> {
    /// Executes an instruction.
    Outgoing(Outgoing<R>),
    /// Closes the connection with this code, before all queued messages.
    Close(CloseCode),
    /// The stream has unsent bytes, which the connection must flush first.
    WritePending,
    /// A message was dropped, and all messages before it have been sent.
    Behind,
}

impl<R> SendQueueReceiver<R> {
    /// Polls for the next event. Only one task may call it.
    pub(crate) fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<QueueEvent<R>> {
        self.0.poll_next(context, QueueState::next)
    }

    #[cfg(test)]
    pub(crate) async fn next(&mut self) -> QueueEvent<R> {
        std::future::poll_fn(|context| self.poll_next(context)).await
    }

    /// Returns the next event, if any.
    pub(crate) fn try_next(&mut self) -> Option<QueueEvent<R>> {
        self.0.with_lock(QueueState::next)
    }

    /// Ends direct writes: later messages stay in the queue, so that they do not come between the last frames of the
    /// connection.
    pub(crate) fn disable_direct_write(&mut self) {
        self.0.with_lock(|state| state.direct_write_disabled = true);
    }

    /// Closes the queue and returns its messages.
    pub(crate) fn close(self) -> impl Iterator<Item = Outgoing<R>> {
        self.finish().into_iter()
    }

    fn finish(&self) -> VecDeque<Outgoing<R>> {
        self.0.with_lock(|state| {
            state.closed = true;
            std::mem::take(&mut state.queue)
        })
    }
}

impl<R> Drop for SendQueueReceiver<R> {
    fn drop(&mut self) {
        self.finish();
    }
}

impl<R> SharedStream<R> {
    /// Sends whole frames of the connection itself, before all queued messages.
    ///
    /// An incomplete write is reported as [`QueueEvent::WritePending`]. The connection flushes it before it reads the
    /// next request, so that unsent bytes are bounded by the responses to one request.
    pub(crate) fn send_frames(&mut self, frames: &[u8]) {
        self.with_buffered(|buffered| buffered.write_or_buffer(frames));
    }

    /// Flushes all frames to the stream.
    pub(crate) fn poll_flush_buffer(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.with_buffered(|buffered| buffered.poll_flush_buffer(context))
    }

    /// See [`SendQueueReceiver::disable_direct_write`].
    pub(crate) fn disable_direct_write(&mut self) {
        self.0.with_lock(|state| state.direct_write_disabled = true);
    }

    fn with_buffered<T>(&self, access: impl FnOnce(&mut BufferedStream) -> T) -> T {
        self.0.with_lock(|state| {
            access(
                state
                    .stream
                    .as_mut()
                    .expect("the stream exists until this half is dropped"),
            )
        })
    }
}

impl<R> Drop for SharedStream<R> {
    fn drop(&mut self) {
        // The stream is dropped after the lock is released, because closing a stream may take time.
        drop(self.0.with_lock(|state| state.stream.take()));
    }
}

impl<R> AsyncRead for SharedStream<R> {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.with_buffered(|buffered| buffered.stream().poll_read(context, buffer))
    }
}

/// Accepts whole frames, and all bytes of each write, so that a direct write cannot split a frame.
impl<R> AsyncWrite for SharedStream<R> {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        frames: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.with_buffered(|buffered| {
            ready!(buffered.poll_flush_buffer(context))?;
            buffered.write_or_buffer(frames);
            Poll::Ready(Ok(frames.len()))
        })
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.with_buffered(|buffered| buffered.poll_flush_buffer(context))
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.with_buffered(|buffered| {
            ready!(buffered.poll_flush_buffer(context))?;
            buffered.stream().poll_shutdown(context)
        })
    }
}

/// A text or ping frame of a server: header and unmasked payload (RFC 6455, section 5.2). Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct EncodedFrame(Arc<[u8]>);

/// First bytes of an unfragmented text and of a ping: FIN and opcode.
const TEXT_FIRST_BYTE: u8 = 0x81;
const PING_FIRST_BYTE: u8 = 0x89;

impl EncodedFrame {
    /// Encodes a ping with a number as payload, which the pong repeats.
    pub(crate) fn ping(number: u64) -> EncodedFrame {
        let [a, b, c, d, e, f, g, h] = number.to_be_bytes();
        EncodedFrame([PING_FIRST_BYTE, 8, a, b, c, d, e, f, g, h].into())
    }

    /// Returns header and payload.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// Returns the length of the header.
    fn header_len(&self) -> usize {
        match self.0[1] {
            ..126 => 2,
            126 => 4,
            127.. => 10,
        }
    }
}

/// Space reserved for the header: enough for payloads below 64 KiB.
const RESERVED_HEADER_BYTES: usize = 4;

/// Initial capacity: the length of most messages.
const TYPICAL_FRAME_BYTES: usize = 256;

impl EncodedFrame {
    /// Encodes a text. `write` appends the text after the reserved header, so that the text is copied only once.
    fn from_writer(write: impl FnOnce(&mut Vec<u8>)) -> EncodedFrame {
        let mut bytes = Vec::with_capacity(TYPICAL_FRAME_BYTES);
        bytes.extend([0; RESERVED_HEADER_BYTES]);
        write(&mut bytes);
        let length = bytes.len() - RESERVED_HEADER_BYTES;
        match (u8::try_from(length), u16::try_from(length)) {
            (Ok(short @ ..126), _) => {
                bytes[2..RESERVED_HEADER_BYTES].copy_from_slice(&[TEXT_FIRST_BYTE, short]);
                EncodedFrame(bytes[2..].into())
            }
            (_, Ok(long)) => {
                bytes[..2].copy_from_slice(&[TEXT_FIRST_BYTE, 126]);
                bytes[2..RESERVED_HEADER_BYTES].copy_from_slice(&long.to_be_bytes());
                EncodedFrame(bytes.into())
            }
            (_, Err(_)) => {
                let length = (length as u64).to_be_bytes();
                EncodedFrame(
                    [
                        &[TEXT_FIRST_BYTE, 127],
                        &length[..],
                        &bytes[RESERVED_HEADER_BYTES..],
                    ]
                    .concat()
                    .into(),
                )
            }
        }
    }
}

impl From<&str> for EncodedFrame {
    fn from(text: &str) -> EncodedFrame {
        EncodedFrame::from_writer(|bytes| bytes.extend_from_slice(text.as_bytes()))
    }
}

impl From<&Message> for EncodedFrame {
    fn from(message: &Message) -> EncodedFrame {
        EncodedFrame::from_writer(|bytes| write_json(message, bytes))
    }
}

/// Dereferences to the payload of a text frame.
impl Deref for EncodedFrame {
    type Target = str;

    fn deref(&self) -> &str {
        str::from_utf8(&self.0[self.header_len()..]).expect("the payload was encoded from text")
    }
}

/// Byte stream of a connection: TCP, TLS, or a test double.
pub(crate) trait ByteStream: AsyncRead + AsyncWrite + Send + Unpin {}

impl<S: AsyncRead + AsyncWrite + Send + Unpin> ByteStream for S {}

/// Non-blocking writer: a stream and the bytes that it has not taken.
struct BufferedStream {
    stream: Box<dyn ByteStream>,
    /// Unsent frames; the first may be partly sent. Allocated only while it is not empty.
    buffered: Vec<u8>,
    /// The stream has taken bytes since its last flush.
    unflushed: bool,
}

impl BufferedStream {
    fn new(stream: Box<dyn ByteStream>) -> BufferedStream {
        BufferedStream {
            stream,
            buffered: Vec::new(),
            unflushed: false,
        }
    }

    /// Returns whether all frames are sent and flushed.
    fn is_idle(&self) -> bool {
        self.buffered.is_empty() && !self.unflushed
    }

    /// Appends whole frames to the unsent bytes.
    fn buffer(&mut self, frames: &[u8]) {
        self.buffered.extend_from_slice(frames);
    }

    /// Returns the number of unsent bytes.
    fn buffered_len(&self) -> usize {
        self.buffered.len()
    }

    /// Writes whole frames if the stream is idle, otherwise appends them to the unsent bytes.
    fn write_or_buffer(&mut self, frames: &[u8]) {
        if self.is_idle() {
            self.try_write(frames);
        } else {
            self.buffer(frames);
        }
    }

    /// Writes whole frames to an idle stream, as far as it takes them without waiting. The caller must wake the
    /// connection for the rest, because only the connection waits for the stream.
    fn try_write(&mut self, frames: &[u8]) {
        debug_assert!(
            self.is_idle(),
            "the stream must be idle to keep the order of frames"
        );
        let mut context = Context::from_waker(Waker::noop());
        let written = match Pin::new(&mut self.stream).poll_write(&mut context, frames) {
            Poll::Ready(Ok(written)) => written,
            // An error is not handled here: it occurs again when the connection flushes the stream.
            Poll::Ready(Err(_)) | Poll::Pending => 0,
        };
        self.unflushed = true;
        self.buffer(&frames[written..]);
        self.try_flush();
    }

    /// Flushes as many bytes as the stream takes without waiting. The connection flushes the rest.
    fn try_flush(&mut self) {
        let flushed = self.poll_flush_buffer(&mut Context::from_waker(Waker::noop()));
        ignore(
            flushed,
            "the connection flushes the rest and meets an error again",
        );
    }

    /// Writes and flushes all unsent bytes.
    fn poll_flush_buffer(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        while !self.buffered.is_empty() {
            let written = ready!(Pin::new(&mut self.stream).poll_write(context, &self.buffered))?;
            if written == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            self.unflushed = true;
            if written == self.buffered.len() {
                self.buffered = Vec::new();
            } else {
                self.buffered.drain(..written);
            }
        }
        if self.unflushed {
            ready!(Pin::new(&mut self.stream).poll_flush(context))?;
            self.unflushed = false;
        }
        Poll::Ready(Ok(()))
    }

    /// Returns the stream, for reading and for shutting it down.
    fn stream(&mut self) -> Pin<&mut dyn ByteStream> {
        Pin::new(&mut *self.stream)
    }
}

impl std::fmt::Debug for BufferedStream {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("BufferedStream")
            .field("buffered", &self.buffered.len())
            .finish_non_exhaustive()
    }
}
