//! The way from a room or the lobby to one connection: straight on to its line while that takes it, else a bounded
//! queue; and a signal that needs no place in it.
//!
//! A peer that reads is told without waking its connection, which is most of what a move would cost. Frames keep
//! their order since all of this is under one lock: nothing goes straight while anything waits, and only the
//! connection sends what waits, within its time. Whoever says something waits for no peer: under the lock nobody reads
//! or writes what does not go at once.

mod buffered_stream;
mod frame;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use noughts_protocol::wire::{CloseCode, Message};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use crate::sync::wake_mutex::WakeMutex;
use buffered_stream::BufferedStream;
pub use buffered_stream::ByteStream;
pub use frame::EncodedFrame;

/// Something for a connection to do.
#[derive(Debug)]
pub enum Outgoing<R> {
    /// Send this.
    Text(EncodedFrame),
    /// The connection is in this room now.
    EnterRoom(R),
    /// The connection is in no room now.
    LeaveRoom,
    /// It waits in the lobby no longer, and is in no room.
    LeaveLobby,
}

impl<R> Outgoing<R> {
    /// Sends a message that goes to one party only.
    pub fn message(message: &Message) -> Outgoing<R> {
        Outgoing::Text(EncodedFrame::from(message))
    }
}

/// What came of an offer to an outbox.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SendOutcome {
    /// It is in the queue, or on its way.
    Queued,
    /// The queue is full: the reader is too slow.
    Full,
    /// The connection has ended.
    Closed,
}

/// What is gathered of a queue before it is written.
const WRITE_BATCH_BYTES: usize = 4096;

/// What waits for one connection, and its line.
#[derive(Debug)]
struct QueueState<R> {
    queue: VecDeque<Outgoing<R>>,
    capacity: usize,
    close_code: Option<CloseCode>,
    /// Something was left out.
    lagging: bool,
    /// The connection asks for the whole view.
    snapshot_requested: bool,
    /// The connection has ended.
    closed: bool,
    /// Nothing goes straight on to the line any more: the connection has its last words to say.
    direct_write_disabled: bool,
    /// None where somebody else takes what is in the queue, as in a test.
    stream: Option<BufferedStream>,
}

impl<R> QueueState<R> {
    /// And whether the connection is to hear of it.
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

    /// A cut comes before all else. Texts go from the queue to the line, and are brought only where there is none.
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
        // Most connections have waited for something once, and will not again for long.
        self.queue = VecDeque::new();
        std::mem::take(&mut self.lagging).then_some(QueueEvent::Lagging)
    }
}

/// The sending end. Nothing here waits.
#[derive(Clone, Debug)]
pub struct SendQueue<R>(Arc<WakeMutex<QueueState<R>>>);

/// The connection's end.
#[derive(Debug)]
pub struct SendQueueReceiver<R>(Arc<WakeMutex<QueueState<R>>>);

/// The connection's end of its line. The stream ends with it, whoever has an outbox still.
#[derive(Debug)]
pub struct SharedStream<R>(Arc<WakeMutex<QueueState<R>>>);

/// An outbox for `limit` messages, and for any number that the stream takes at once.
pub fn with_stream<R>(
    stream: impl ByteStream + 'static,
    capacity: usize,
) -> (SendQueue<R>, SendQueueReceiver<R>, SharedStream<R>) {
    let shared = new_shared_state(Some(BufferedStream::new(Box::new(stream))), capacity);
    (SendQueue(Arc::clone(&shared)), SendQueueReceiver(Arc::clone(&shared)), SharedStream(shared))
}

/// An outbox for `limit` messages, which the inlet brings.
#[cfg(test)]
pub(crate) fn without_stream<R>(capacity: usize) -> (SendQueue<R>, SendQueueReceiver<R>) {
    let shared = new_shared_state(None, capacity);
    (SendQueue(Arc::clone(&shared)), SendQueueReceiver(shared))
}

fn new_shared_state<R>(stream: Option<BufferedStream>, capacity: usize) -> Arc<WakeMutex<QueueState<R>>> {
    Arc::new(WakeMutex::new(QueueState {
        queue: VecDeque::new(),
        capacity: capacity.max(1),
        close_code: None,
        lagging: false,
        snapshot_requested: false,
        closed: false,
        direct_write_disabled: false,
        stream,
    }))
}

impl<R> SendQueue<R> {
    /// Sends something, or puts it in the queue if there is room.
    pub fn try_send(&self, outgoing: Outgoing<R>) -> SendOutcome {
        self.0.update_if(|state| state.try_send(outgoing, state.capacity))
    }

    /// The same for an answer that must not be lost: who has no room for it is cut off.
    pub fn send_reply(&self, outgoing: Outgoing<R>) -> SendOutcome {
        let outcome = self.try_send(outgoing);
        if outcome == SendOutcome::Full {
            self.close_with(CloseCode::SlowConsumer);
        }
        outcome
    }

    /// The same for what the next of its kind makes good: it leaves half of the queue to what may not be
    /// missed.
    pub fn send_lossy(&self, outgoing: Outgoing<R>) -> SendOutcome {
        self.0.update_if(|state| state.try_send(outgoing, state.capacity / 2 + 1))
    }

    /// Waits until there is room, which nobody is to do: a deliberate fault.
    pub(crate) async fn wait_for_capacity(&self) {
        // A connection that has ended has no room, and is not waited for.
        while self.0.with_lock(|state| !state.closed && state.queue.len() >= state.capacity) {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }

    /// Closes the connection, past everything in the queue. The first code counts.
    pub fn close_with(&self, code: CloseCode) {
        self.0.update(|state| *state.close_code.get_or_insert(code));
    }

    /// Notes that something was left out: the connection asks for the whole view once its queue is
    /// empty.
    pub fn mark_lagging(&self) {
        self.0.update(|state| state.lagging = true);
    }

    /// The connection asks for the whole view.
    pub fn request_snapshot(&self) {
        self.0.with_lock(|state| state.snapshot_requested = true);
    }

    /// Whether the connection asks for the whole view, and gets it now.
    pub fn take_snapshot_request(&self) -> bool {
        self.0.with_lock(|state| std::mem::take(&mut state.snapshot_requested))
    }

    /// Whether the connection has ended.
    pub fn is_closed(&self) -> bool {
        self.0.with_lock(|state| state.closed)
    }
}

/// What an [`SendQueueReceiver`] brings.
#[derive(Debug)]
pub enum QueueEvent<R> {
    /// Something to do.
    Outgoing(Outgoing<R>),
    /// The connection is to close with this code, whatever else waits.
    Close(CloseCode),
    /// The line did not take all at once: the connection waits until it has.
    WritePending,
    /// Something was left out, and what came before it has been brought.
    Lagging,
}

impl<R> SendQueueReceiver<R> {
    /// The next thing to do; a cut comes before all else. For one task only.
    pub fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<QueueEvent<R>> {
        self.0.poll_next(context, QueueState::next)
    }

    /// The same for a test that waits for nothing else.
    #[cfg(test)]
    pub(crate) async fn next(&mut self) -> QueueEvent<R> {
        std::future::poll_fn(|context| self.poll_next(context)).await
    }

    /// The next thing to do, if there is one.
    pub fn try_next(&mut self) -> Option<QueueEvent<R>> {
        self.0.with_lock(QueueState::next)
    }

    /// From here on whatever is offered waits in the queue: the connection has its last words to say.
    pub fn disable_direct_write(&mut self) {
        self.0.with_lock(|state| state.direct_write_disabled = true);
    }

    /// Takes nothing more, and gives what was under way.
    pub fn close(self) -> impl Iterator<Item = Outgoing<R>> {
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
    /// Sends whole frames of the connection's own, before all that waits in the queue. What does not go at once is
    /// [`QueueEvent::Unsent`]: whoever reads waits for that before the next request, so that no more gathers than one is
    /// answered with.
    pub fn send_frames(&mut self, frames: &[u8]) {
        self.with_buffered(|buffered| buffered.write_or_buffer(frames));
    }

    /// Sends all that was given to the line.
    pub fn poll_flush_buffer(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.with_buffered(|buffered| buffered.poll_flush_buffer(context))
    }

    /// Nothing goes straight on to the line any more: what the connection sends now is its last.
    pub fn disable_direct_write(&mut self) {
        self.0.with_lock(|state| state.direct_write_disabled = true);
    }

    fn with_buffered<T>(&self, access: impl FnOnce(&mut BufferedStream) -> T) -> T {
        self.0.with_lock(|state| access(state.stream.as_mut().expect("as long as its wire")))
    }
}

impl<R> Drop for SharedStream<R> {
    fn drop(&mut self) {
        // Not under the lock: what a stream does when it ends is its own affair.
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

/// Takes whole frames and all of each write, so that a frame of somebody else's never comes between two halves.
impl<R> AsyncWrite for SharedStream<R> {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, frames: &[u8]) -> Poll<io::Result<usize>> {
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
