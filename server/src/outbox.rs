//! The way from a room or the lobby to one connection: straight on to its line while that takes it, else a bounded
//! queue; and a signal that needs no place in it.
//!
//! A peer that reads is told without waking its connection, which is most of what a move would cost. Frames keep
//! their order since all of this is under one lock: nothing goes straight while anything waits, and only the
//! connection sends what waits, within its time. Whoever says something waits for no peer: under the lock nobody reads
//! or writes what does not go at once.

mod frame;
mod line;
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

use crate::mailbox::Mailbox;
use crate::room::handle::RoomHandle;
pub use frame::Frame;
use line::Line;
pub use line::Stream;

/// Something for a connection to do.
#[derive(Debug)]
pub enum Out {
    /// Send this.
    Text(Frame),
    /// The connection is in this room now.
    Enter(RoomHandle),
    /// The connection is in no room now.
    Exit,
    /// It waits in the lobby no longer, and is in no room.
    Idle,
}

impl Out {
    /// Sends a message that goes to one party only.
    pub fn message(message: &Message) -> Out {
        Out::Text(Frame::from(message))
    }
}

/// What came of an offer to an outbox.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Offered {
    /// It is in the queue, or on its way.
    Queued,
    /// The queue is full: the reader is too slow.
    Full,
    /// The connection has ended.
    Gone,
}

/// What is gathered of a queue before it is written.
const BATCH: usize = 4096;

/// What waits for one connection, and its line.
#[derive(Debug)]
struct Waiting {
    queue: VecDeque<Out>,
    limit: usize,
    close: Option<CloseCode>,
    /// Something was left out.
    behind: bool,
    /// The connection asks for the whole view.
    wants_view: bool,
    /// The connection has ended.
    gone: bool,
    /// Nothing goes straight on to the line any more: the connection has its last words to say.
    held: bool,
    /// None where somebody else takes what is in the queue, as in a test.
    line: Option<Line>,
}

impl Waiting {
    /// And whether the connection is to hear of it.
    fn offer(&mut self, out: Out, limit: usize) -> (Offered, bool) {
        if self.gone {
            return (Offered::Gone, false);
        }
        if let (Out::Text(frame), Some(line)) = (&out, &mut self.line)
            && self.queue.is_empty()
            && self.close.is_none()
            && !self.held
            && line.is_idle()
        {
            line.give(frame.bytes());
            return (Offered::Queued, !line.is_idle());
        }
        if self.queue.len() >= limit {
            return (Offered::Full, false);
        }
        self.queue.push_back(out);
        (Offered::Queued, true)
    }

    /// A cut comes before all else. Texts go from the queue to the line, and are brought only where there is none.
    fn next(&mut self) -> Option<Next> {
        if let Some(code) = self.close {
            return Some(Next::Cut(code));
        }
        if let Some(line) = &mut self.line {
            while line.is_idle() && matches!(self.queue.front(), Some(Out::Text(_))) {
                while line.waiting() < BATCH
                    && let Some(Out::Text(frame)) = self.queue.front()
                {
                    line.add(frame.bytes());
                    self.queue.pop_front();
                }
                line.send();
            }
            if !line.is_idle() {
                return Some(Next::Unsent);
            }
        }
        if let Some(out) = self.queue.pop_front() {
            return Some(Next::Out(out));
        }
        // Most connections have waited for something once, and will not again for long.
        self.queue = VecDeque::new();
        std::mem::take(&mut self.behind).then_some(Next::Behind)
    }
}

/// The sending end. Nothing here waits.
#[derive(Clone, Debug)]
pub struct Outbox(Arc<Mailbox<Waiting>>);

/// The connection's end.
#[derive(Debug)]
pub struct Inlet(Arc<Mailbox<Waiting>>);

/// The connection's end of its line. The stream ends with it, whoever has an outbox still.
#[derive(Debug)]
pub struct Wire(Arc<Mailbox<Waiting>>);

/// An outbox for `limit` messages, and for any number that the stream takes at once.
pub fn over(stream: impl Stream + 'static, limit: usize) -> (Outbox, Inlet, Wire) {
    let mailbox = mailbox(Some(Line::new(Box::new(stream))), limit);
    (Outbox(Arc::clone(&mailbox)), Inlet(Arc::clone(&mailbox)), Wire(mailbox))
}

/// An outbox for `limit` messages, which the inlet brings.
#[cfg(test)]
pub(crate) fn outbox(limit: usize) -> (Outbox, Inlet) {
    let mailbox = mailbox(None, limit);
    (Outbox(Arc::clone(&mailbox)), Inlet(mailbox))
}

fn mailbox(line: Option<Line>, limit: usize) -> Arc<Mailbox<Waiting>> {
    Arc::new(Mailbox::new(Waiting {
        queue: VecDeque::new(),
        limit: limit.max(1),
        close: None,
        behind: false,
        wants_view: false,
        gone: false,
        held: false,
        line,
    }))
}

impl Outbox {
    /// Sends something, or puts it in the queue if there is room.
    pub fn offer(&self, out: Out) -> Offered {
        self.0.tell_if(|waiting| waiting.offer(out, waiting.limit))
    }

    /// The same for an answer that must not be lost: who has no room for it is cut off.
    pub fn answer(&self, out: Out) -> Offered {
        let offered = self.offer(out);
        if offered == Offered::Full {
            self.cut(CloseCode::SlowConsumer);
        }
        offered
    }

    /// The same for what the next of its kind makes good: it leaves half of the queue to what may not be
    /// missed.
    pub fn mention(&self, out: Out) -> Offered {
        self.0.tell_if(|waiting| waiting.offer(out, waiting.limit / 2 + 1))
    }

    /// Waits until there is room, which nobody is to do: a deliberate fault.
    pub(crate) async fn wait(&self) {
        // A connection that has ended has no room, and is not waited for.
        while self.0.with(|waiting| !waiting.gone && waiting.queue.len() >= waiting.limit) {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }

    /// Closes the connection, past everything in the queue. The first code counts.
    pub fn cut(&self, code: CloseCode) {
        self.0.tell(|waiting| *waiting.close.get_or_insert(code));
    }

    /// Notes that something was left out: the connection asks for the whole view once its queue is
    /// empty.
    pub fn fall_behind(&self) {
        self.0.tell(|waiting| waiting.behind = true);
    }

    /// The connection asks for the whole view.
    pub fn want_view(&self) {
        self.0.with(|waiting| waiting.wants_view = true);
    }

    /// Whether the connection asks for the whole view, and gets it now.
    pub fn take_wish(&self) -> bool {
        self.0.with(|waiting| std::mem::take(&mut waiting.wants_view))
    }

    /// Whether the connection has ended.
    pub fn is_gone(&self) -> bool {
        self.0.with(|waiting| waiting.gone)
    }
}

/// What an [`Inlet`] brings.
#[derive(Debug)]
pub enum Next {
    /// Something to do.
    Out(Out),
    /// The connection is to close with this code, whatever else waits.
    Cut(CloseCode),
    /// The line did not take all at once: the connection waits until it has.
    Unsent,
    /// Something was left out, and what came before it has been brought.
    Behind,
}

impl Inlet {
    /// The next thing to do; a cut comes before all else. For one task only.
    pub fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<Next> {
        self.0.poll_next(context, Waiting::next)
    }

    /// The same for a test that waits for nothing else.
    #[cfg(test)]
    pub(crate) async fn next(&mut self) -> Next {
        std::future::poll_fn(|context| self.poll_next(context)).await
    }

    /// The next thing to do, if there is one.
    pub fn try_next(&mut self) -> Option<Next> {
        self.0.with(Waiting::next)
    }

    /// From here on whatever is offered waits in the queue: the connection has its last words to say.
    pub fn hold(&mut self) {
        self.0.with(|waiting| waiting.held = true);
    }

    /// Takes nothing more, and gives what was under way.
    pub fn close(self) -> impl Iterator<Item = Out> {
        self.end().into_iter()
    }

    fn end(&self) -> VecDeque<Out> {
        self.0.with(|waiting| {
            waiting.gone = true;
            std::mem::take(&mut waiting.queue)
        })
    }
}

impl Drop for Inlet {
    fn drop(&mut self) {
        self.end();
    }
}

impl Wire {
    /// Sends whole frames of the connection's own, before all that waits in the queue. What does not go at once is
    /// [`Next::Unsent`]: whoever reads waits for that before the next request, so that no more gathers than one is
    /// answered with.
    pub fn say(&mut self, frames: &[u8]) {
        self.with(|line| line.say(frames));
    }

    /// Sends all that was given to the line.
    pub fn poll_send(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.with(|line| line.poll_send(context))
    }

    /// Nothing goes straight on to the line any more: what the connection sends now is its last.
    pub fn hold(&mut self) {
        self.0.with(|waiting| waiting.held = true);
    }

    fn with<R>(&self, what: impl FnOnce(&mut Line) -> R) -> R {
        self.0.with(|waiting| what(waiting.line.as_mut().expect("as long as its wire")))
    }
}

impl Drop for Wire {
    fn drop(&mut self) {
        // Not under the lock: what a stream does when it ends is its own affair.
        drop(self.0.with(|waiting| waiting.line.take()));
    }
}

impl AsyncRead for Wire {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.with(|line| line.stream().poll_read(context, buffer))
    }
}

/// Takes whole frames and all of each write, so that a frame of somebody else's never comes between two halves.
impl AsyncWrite for Wire {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, frames: &[u8]) -> Poll<io::Result<usize>> {
        self.with(|line| {
            ready!(line.poll_send(context))?;
            line.say(frames);
            Poll::Ready(Ok(frames.len()))
        })
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.with(|line| line.poll_send(context))
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.with(|line| {
            ready!(line.poll_send(context))?;
            line.stream().poll_shutdown(context)
        })
    }
}
