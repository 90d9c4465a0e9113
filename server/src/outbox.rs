//! The way from a room or the lobby to one connection: a bounded queue, and a signal that needs no
//! place in it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use noughts_protocol::wire::{CloseCode, Message};
use tokio::sync::{Notify, mpsc};
use tokio_tungstenite::tungstenite::Utf8Bytes;

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

#[derive(Debug, Default)]
struct Signal {
    close: OnceLock<CloseCode>,
    behind: AtomicBool,
    /// The connection asks for the whole view.
    wants_view: AtomicBool,
    wake: Notify,
}

/// The sending end. Nothing here waits.
#[derive(Clone, Debug)]
pub struct Outbox {
    queue: mpsc::Sender<Out>,
    signal: Arc<Signal>,
}

/// The connection's end.
#[derive(Debug)]
pub struct Inlet {
    queue: mpsc::Receiver<Out>,
    signal: Arc<Signal>,
}

/// An outbox for `limit` messages.
pub fn outbox(limit: usize) -> (Outbox, Inlet) {
    let (sender, receiver) = mpsc::channel(limit.max(1));
    let signal = Arc::new(Signal::default());
    (Outbox { queue: sender, signal: Arc::clone(&signal) }, Inlet { queue: receiver, signal })
}

impl Outbox {
    /// Puts something in the queue, if there is room.
    pub fn offer(&self, out: Out) -> Offered {
        match self.queue.try_send(out) {
            Ok(()) => Offered::Queued,
            Err(mpsc::error::TrySendError::Full(_)) => Offered::Full,
            Err(mpsc::error::TrySendError::Closed(_)) => Offered::Gone,
        }
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
        if self.queue.capacity() * 2 < self.queue.max_capacity() { Offered::Full } else { self.offer(out) }
    }

    /// Waits until there is room, which nobody is to do: a deliberate fault.
    pub(crate) async fn wait(&self) {
        // A connection that has ended has no room, and is not waited for.
        let (Ok(_) | Err(_)) = self.queue.reserve().await;
    }

    /// Closes the connection, past everything in the queue. The first code counts.
    pub fn cut(&self, code: CloseCode) {
        if self.signal.close.set(code).is_ok() {
            self.signal.wake.notify_one();
        }
    }

    /// Notes that something was left out: the connection asks for the whole view once its queue is
    /// empty.
    pub fn fall_behind(&self) {
        self.signal.behind.store(true, Ordering::Release);
        self.signal.wake.notify_one();
    }

    /// The connection asks for the whole view.
    pub fn want_view(&self) {
        self.signal.wants_view.store(true, Ordering::Release);
    }

    /// Whether the connection asks for the whole view, and gets it now.
    pub fn take_wish(&self) -> bool {
        self.signal.wants_view.swap(false, Ordering::AcqRel)
    }

    /// Whether the connection has ended.
    pub fn is_gone(&self) -> bool {
        self.queue.is_closed()
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
        loop {
            if let Some(code) = self.signal.close.get() {
                return Next::Cut(*code);
            }
            if let Some(out) = self.try_next() {
                return Next::Out(out);
            }
            if self.signal.behind.swap(false, Ordering::AcqRel) {
                return Next::Behind;
            }
            tokio::select! {
                biased;
                // A wake that came since the looks above is kept for this.
                () = self.signal.wake.notified() => {}
                // The connection holds a sending end itself, so that the queue never ends before it.
                Some(out) = self.queue.recv() => return Next::Out(out),
            }
        }
    }

    /// The next thing to do, if there is one; nothing once the connection is cut.
    pub fn try_next(&mut self) -> Option<Out> {
        if self.signal.close.get().is_some() {
            return None;
        }
        self.queue.try_recv().ok()
    }

    /// Takes nothing more, and gives what was under way.
    pub fn close(mut self) -> impl Iterator<Item = Out> {
        self.queue.close();
        std::iter::from_fn(move || self.queue.try_recv().ok())
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
