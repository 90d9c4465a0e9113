//! The way to a room: what it may be asked, without waiting for it.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};

use noughts_protocol::wire::{Command, Listing, RejectCode, Remark};
use noughts_protocol::{Party, Player, RequestId, ResumeToken, RoomId, Seq};

use super::audience::MemberId;
use crate::mailbox::Mailbox;
use crate::outbox::Outbox;

/// A party that wants to be in a room.
#[derive(Debug)]
pub struct Newcomer {
    /// Its connection.
    pub member: MemberId,
    /// The way to it.
    pub outbox: Outbox,
    /// Who it is.
    pub player: Player,
    /// And the party that it is on all its connections.
    pub party: Option<Party>,
    /// The request that brought it here.
    pub asked: RequestId,
    /// Whether that has been answered, as a seek is when it begins to wait.
    pub answered: bool,
    /// Whether it is to be told, if it watches, what players' programs think.
    pub remarks: bool,
}

impl Newcomer {
    /// The request that the first view of the room answers.
    pub(super) fn re(&self) -> Option<RequestId> {
        (!self.answered).then_some(self.asked)
    }
}

/// What a room is asked. What is long is boxed: it is moved from hand to hand.
#[derive(Debug)]
pub enum Ask {
    /// By a player, to do something.
    Command {
        /// Who asks.
        member: MemberId,
        /// When its connection received it, on the server's scale: it is judged as of then.
        at: u64,
        /// The player's number for it.
        id: RequestId,
        /// What.
        command: Command,
    },
    /// By a newcomer, for the free seat.
    Join(Box<Newcomer>),
    /// By a newcomer, for a place in the audience.
    Watch(Box<Newcomer>),
    /// By a player that was here before.
    Resume(Box<Newcomer>, ResumeToken, Option<Seq>),
    /// By a player, to tell the audience.
    Remark(MemberId, RequestId, Box<Remark>),
    /// By a member that misses events.
    Sync(MemberId, RequestId, Seq),
    /// By a member that wants to go.
    Leave(MemberId, RequestId),
    /// A connection measured its round trip, in milliseconds.
    Lag(MemberId, u32),
}

impl Ask {
    /// Who asks to be let in, if that is what is asked.
    pub(super) fn newcomer(&self) -> Option<&Newcomer> {
        match self {
            Ask::Join(newcomer) | Ask::Watch(newcomer) | Ask::Resume(newcomer, _, _) => Some(newcomer),
            Ask::Command { .. }
            | Ask::Remark(_, _, _)
            | Ask::Sync(_, _, _)
            | Ask::Leave(_, _)
            | Ask::Lag(_, _) => None,
        }
    }
}

/// The way to a room, and its public face for the list.
#[derive(Clone, Debug)]
pub struct RoomHandle {
    way: Arc<Way>,
    /// Held by somebody who has a seat.
    seated: bool,
}

#[derive(Debug)]
struct Way {
    id: RoomId,
    inbox: Mailbox<Waiting>,
    listing: Mutex<Option<Listing>>,
}

/// What waits for a room.
#[derive(Debug)]
struct Waiting {
    queue: VecDeque<Queued>,
    limit: u32,
    /// How many of them were asked by somebody without a seat.
    unseated: u32,
    /// Somebody rang.
    rung: bool,
    /// Somebody rang: so many had asked before, and come first.
    before_look: Option<u32>,
    /// The room is no more.
    closed: bool,
}

/// What is asked, and whether by somebody with a seat.
#[derive(Debug)]
struct Queued {
    ask: Ask,
    seated: bool,
}

impl Waiting {
    fn push(&mut self, queued: Queued) -> Result<(), RejectCode> {
        if self.closed {
            return Err(RejectCode::UnknownRoom);
        }
        // Spectators and strangers may fill half of it; the rest is for who has a seat.
        let full = self.queue.len() >= self.limit as usize;
        if full || (!queued.seated && self.unseated >= self.limit.div_ceil(2)) {
            return Err(RejectCode::Busy);
        }
        self.unseated += u32::from(!queued.seated);
        self.queue.push_back(queued);
        Ok(())
    }

    fn pop(&mut self) -> Option<Ask> {
        let queued = self.queue.pop_front()?;
        if self.queue.is_empty() {
            // Most rooms have one thing to do at a time, and then nothing for long.
            self.queue = VecDeque::new();
        }
        self.unseated -= u32::from(!queued.seated);
        self.before_look = self.before_look.map(|left| left.saturating_sub(1));
        Some(queued.ask)
    }

    fn next(&mut self) -> Option<Knock> {
        if self.before_look.is_none() && std::mem::take(&mut self.rung) {
            self.before_look = Some(u32::try_from(self.queue.len()).expect("within the limit"));
        }
        if self.before_look == Some(0) {
            self.before_look = None;
            return Some(Knock::Look);
        }
        self.pop().map(Knock::Ask)
    }
}

impl RoomHandle {
    /// The room's id.
    pub fn id(&self) -> RoomId {
        self.way.id
    }

    /// The way for those who have no seat in it.
    pub fn unseated(&self) -> RoomHandle {
        RoomHandle { seated: false, ..self.clone() }
    }

    /// Whether it is the way of somebody with a seat.
    pub fn is_seated(&self) -> bool {
        self.seated
    }

    /// Whether the room is no more.
    pub fn is_over(&self) -> bool {
        self.way.inbox.with(|waiting| waiting.closed)
    }

    /// Asks without waiting.
    ///
    /// # Errors
    /// `busy` when the inbox, or what the asker may fill of it, is full; `unknown_room` when the room is
    /// no more.
    pub fn ask(&self, ask: Ask) -> Result<(), RejectCode> {
        self.way.inbox.tell(|waiting| waiting.push(Queued { ask, seated: self.seated }))
    }

    /// Tells the room to see who has gone, and who wants the whole view. It needs no place in the inbox, is
    /// never refused and never waits: many rings before the room looks are one.
    pub fn ring(&self) {
        self.way.inbox.tell(|waiting| waiting.rung = true);
    }

    /// What the list shows of it; nothing for a private or not yet founded room.
    pub fn listing(&self) -> Option<Listing> {
        self.face().clone()
    }

    /// The same to be changed. Nothing panics while the lock is held.
    pub(super) fn face(&self) -> MutexGuard<'_, Option<Listing>> {
        self.way.listing.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A room's inbox, to be given to its task. Dropped, it is closed.
#[derive(Debug)]
pub struct Inbox(Arc<Way>);

/// What an [`Inbox`] brings.
#[derive(Debug)]
pub(super) enum Knock {
    Ask(Ask),
    /// Somebody has gone, or wants the whole view. Whatever they asked before has been brought.
    Look,
}

impl Inbox {
    /// The next thing to deal with.
    pub(super) fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<Knock> {
        self.0.inbox.poll_next(context, Waiting::next)
    }

    /// Takes nothing more, and gives what was under way.
    pub(super) fn close(self) -> impl Iterator<Item = Ask> {
        self.end().into_iter().map(|queued| queued.ask)
    }

    fn end(&self) -> VecDeque<Queued> {
        self.0.inbox.with(|waiting| {
            waiting.closed = true;
            std::mem::take(&mut waiting.queue)
        })
    }
}

impl Drop for Inbox {
    fn drop(&mut self) {
        self.end();
    }
}

/// A handle for a room that is about to be, and the inbox behind it.
pub fn handle(id: RoomId, limit: u32) -> (RoomHandle, Inbox) {
    let waiting = Waiting {
        queue: VecDeque::new(),
        limit: limit.max(1),
        unseated: 0,
        rung: false,
        before_look: None,
        closed: false,
    };
    let way = Arc::new(Way { id, inbox: Mailbox::new(waiting), listing: Mutex::default() });
    (RoomHandle { way: Arc::clone(&way), seated: true }, Inbox(way))
}
