//! The way from a room or the lobby to one connection: a bounded queue, and a signal that needs no
//! place in it.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use noughts_protocol::wire::{CloseCode, Message};
use tokio_tungstenite::tungstenite::Utf8Bytes;

use crate::mailbox::Mailbox;
use crate::room::handle::RoomHandle;

/// Something for a connection to do.
#[derive(Debug)]
pub enum Out {
    /// Send this.
    Text(Utf8Bytes),
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
        Out::Text(message.to_json().into())
    }
}

/// What came of an offer to an outbox.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Offered {
    /// It is in the queue.
    Queued,
    /// The queue is full: the reader is too slow.
    Full,
    /// The connection has ended.
    Gone,
}

/// What waits for one connection.
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
}

impl Waiting {
    fn offer(&mut self, out: Out, limit: usize) -> Offered {
        if self.gone {
            Offered::Gone
        } else if self.queue.len() >= limit {
            Offered::Full
        } else {
            self.queue.push_back(out);
            Offered::Queued
        }
    }

    fn try_next(&mut self) -> Option<Out> {
        if self.close.is_some() { None } else { self.queue.pop_front() }
    }

    /// A cut comes before all else.
    fn next(&mut self) -> Option<Next> {
        if let Some(code) = self.close {
            return Some(Next::Cut(code));
        }
        match self.queue.pop_front() {
            Some(out) => Some(Next::Out(out)),
            None => std::mem::take(&mut self.behind).then_some(Next::Behind),
        }
    }
}

/// The sending end. Nothing here waits.
#[derive(Clone, Debug)]
pub struct Outbox(Arc<Mailbox<Waiting>>);

/// The connection's end.
#[derive(Debug)]
pub struct Inlet(Arc<Mailbox<Waiting>>);

/// An outbox for `limit` messages.
pub fn outbox(limit: usize) -> (Outbox, Inlet) {
    let mailbox = Arc::new(Mailbox::new(Waiting {
        queue: VecDeque::new(),
        limit: limit.max(1),
        close: None,
        behind: false,
        wants_view: false,
        gone: false,
    }));
    (Outbox(Arc::clone(&mailbox)), Inlet(mailbox))
}

impl Outbox {
    /// Puts something in the queue, if there is room.
    pub fn offer(&self, out: Out) -> Offered {
        self.0.tell(|waiting| waiting.offer(out, waiting.limit))
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
        self.0.tell(|waiting| waiting.offer(out, waiting.limit / 2 + 1))
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
    /// Something was left out, and what came before it has been brought.
    Behind,
}

impl Inlet {
    /// The next thing to do; a cut comes before all else. Cancel-safe.
    pub async fn next(&mut self) -> Next {
        self.0.next(Waiting::next).await
    }

    /// The next thing to do, if there is one; nothing once the connection is cut.
    pub fn try_next(&mut self) -> Option<Out> {
        self.0.with(Waiting::try_next)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_made_good_by_the_next_leaves_half_of_the_queue() {
        let (outbox, mut inlet) = outbox(8);
        let mentioned: Vec<_> = (0..6).map(|_| outbox.mention(Out::Idle)).collect();
        assert_eq!(mentioned, [[Offered::Queued; 5].as_slice(), &[Offered::Full]].concat());
        let offered: Vec<_> = (0..4).map(|_| outbox.offer(Out::Idle)).collect();
        assert_eq!(offered, [Offered::Queued, Offered::Queued, Offered::Queued, Offered::Full]);
        while inlet.try_next().is_some() {}
        assert_eq!(outbox.mention(Out::Idle), Offered::Queued);
        drop(inlet);
        assert_eq!(outbox.mention(Out::Idle), Offered::Gone);
    }

    #[tokio::test]
    async fn nothing_comes_after_a_cut() {
        let (outbox, mut inlet) = outbox(8);
        for _ in 0..3 {
            outbox.answer(Out::Idle);
        }
        assert!(inlet.try_next().is_some());
        outbox.cut(CloseCode::Replaced);
        assert!(inlet.try_next().is_none(), "whoever was cut off hears nothing of what the newer one does");
        assert!(matches!(inlet.next().await, Next::Cut(CloseCode::Replaced)));
    }
}
