//! The way to a room: what it may be asked, without waiting for it.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};

use noughts_protocol::wire::{EngineRemark, RejectCode, RoomCommand, RoomListing};
use noughts_protocol::{PartyKey, Player, RequestId, ResumeToken, RoomId, Seq};

use super::members::MemberId;
use crate::send_queue::SendQueue;
use crate::sync::wake_mutex::WakeMutex;

/// A party that wants to be in a room.
#[derive(Debug)]
pub struct JoinRequest {
    /// Its connection.
    pub member: MemberId,
    /// The way to it.
    pub send_queue: SendQueue,
    /// Who it is.
    pub player: Player,
    /// And the party that it is on all its connections.
    pub party: Option<PartyKey>,
    /// The request that brought it here.
    pub request_id: RequestId,
    /// Whether that has been answered, as a seek is when it begins to wait.
    pub already_answered: bool,
    /// Whether it is to be told, if it watches, what players' programs think.
    pub wants_remarks: bool,
}

impl JoinRequest {
    /// The request that the first view of the room answers.
    pub(super) fn unanswered_id(&self) -> Option<RequestId> {
        (!self.already_answered).then_some(self.request_id)
    }
}

/// What a room is asked. What is long is boxed: it is moved from hand to hand.
#[derive(Debug)]
pub enum RoomRequest {
    /// By a player, to do something.
    Command {
        /// Who asks.
        member: MemberId,
        /// When its connection received it, on the server's scale: it is judged as of then.
        at: u64,
        /// The player's number for it.
        id: RequestId,
        /// What.
        command: RoomCommand,
    },
    /// By a newcomer, for the free seat.
    Join(Box<JoinRequest>),
    /// By a newcomer, for a place in the audience.
    Watch(Box<JoinRequest>),
    /// By a player that was here before.
    Resume(Box<JoinRequest>, ResumeToken, Option<Seq>),
    /// By a player, to tell the audience.
    Remark(MemberId, RequestId, Box<EngineRemark>),
    /// By a member that misses events.
    Sync(MemberId, RequestId, Seq),
    /// By a member that wants to go.
    Leave(MemberId, RequestId),
    /// A connection measured its round trip, in milliseconds.
    Lag(MemberId, u32),
}

impl RoomRequest {
    /// Who asks to be let in, if that is what is asked.
    pub(super) fn joiner(&self) -> Option<&JoinRequest> {
        match self {
            RoomRequest::Join(joiner) | RoomRequest::Watch(joiner) | RoomRequest::Resume(joiner, _, _) => {
                Some(joiner)
            }
            RoomRequest::Command { .. }
            | RoomRequest::Remark(_, _, _)
            | RoomRequest::Sync(_, _, _)
            | RoomRequest::Leave(_, _)
            | RoomRequest::Lag(_, _) => None,
        }
    }
}

/// The way to a room, and its public face for the list.
#[derive(Clone, Debug)]
pub struct RoomHandle {
    inner: Arc<RoomHandleInner>,
    /// Held by somebody who has a seat.
    seated: bool,
}

#[derive(Debug)]
struct RoomHandleInner {
    id: RoomId,
    inbox: WakeMutex<InboxState>,
    listing: Mutex<Option<RoomListing>>,
}

/// What waits for a room.
#[derive(Debug)]
struct InboxState {
    queue: VecDeque<InboxItem>,
    limit: u32,
    /// How many of them were asked by somebody without a seat.
    unseated_count: u32,
    /// Somebody rang.
    sweep_requested: bool,
    /// Somebody rang: so many had asked before, and come first.
    requests_before_sweep: Option<u32>,
    /// The room is no more.
    closed: bool,
}

/// What is asked, and whether by somebody with a seat.
#[derive(Debug)]
struct InboxItem {
    request: RoomRequest,
    seated: bool,
}

impl InboxState {
    fn push(&mut self, item: InboxItem) -> Result<(), RejectCode> {
        if self.closed {
            return Err(RejectCode::UnknownRoom);
        }
        // Spectators and strangers may fill half of it; the rest is for who has a seat.
        let full = self.queue.len() >= self.limit as usize;
        if full || (!item.seated && self.unseated_count >= self.limit.div_ceil(2)) {
            return Err(RejectCode::Busy);
        }
        self.unseated_count += u32::from(!item.seated);
        self.queue.push_back(item);
        Ok(())
    }

    fn pop(&mut self) -> Option<RoomRequest> {
        let item = self.queue.pop_front()?;
        if self.queue.is_empty() {
            // Most rooms have one thing to do at a time, and then nothing for long.
            self.queue = VecDeque::new();
        }
        self.unseated_count -= u32::from(!item.seated);
        self.requests_before_sweep = self.requests_before_sweep.map(|left| left.saturating_sub(1));
        Some(item.request)
    }

    fn next_event(&mut self) -> Option<InboxEvent> {
        if self.requests_before_sweep.is_none() && std::mem::take(&mut self.sweep_requested) {
            self.requests_before_sweep = Some(u32::try_from(self.queue.len()).expect("within the limit"));
        }
        if self.requests_before_sweep == Some(0) {
            self.requests_before_sweep = None;
            return Some(InboxEvent::Sweep);
        }
        self.pop().map(InboxEvent::Request)
    }
}

impl RoomHandle {
    /// The room's id.
    pub fn id(&self) -> RoomId {
        self.inner.id
    }

    /// The way for those who have no seat in it.
    pub fn without_seat(&self) -> RoomHandle {
        RoomHandle { seated: false, ..self.clone() }
    }

    /// Whether it is the way of somebody with a seat.
    pub fn is_seated(&self) -> bool {
        self.seated
    }

    /// Whether the room is no more.
    pub fn is_closed(&self) -> bool {
        self.inner.inbox.with_lock(|state| state.closed)
    }

    /// Asks without waiting.
    ///
    /// # Errors
    /// `busy` when the inbox, or what the asker may fill of it, is full; `unknown_room` when the room is
    /// no more.
    pub fn try_send(&self, request: RoomRequest) -> Result<(), RejectCode> {
        self.inner.inbox.update(|state| state.push(InboxItem { request, seated: self.seated }))
    }

    /// Tells the room to see who has gone, and who wants the whole view. It needs no place in the inbox, is
    /// never refused and never waits: many rings before the room looks are one.
    pub fn request_sweep(&self) {
        self.inner.inbox.update(|state| state.sweep_requested = true);
    }

    /// What the list shows of it; nothing for a private or not yet founded room.
    pub fn listing(&self) -> Option<RoomListing> {
        self.listing_mut().clone()
    }

    /// The same to be changed. Nothing panics while the lock is held.
    pub(super) fn listing_mut(&self) -> MutexGuard<'_, Option<RoomListing>> {
        self.inner.listing.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A room's inbox, to be given to its task. Dropped, it is closed.
#[derive(Debug)]
pub struct RoomInbox(Arc<RoomHandleInner>);

/// What an [`RoomInbox`] brings.
#[derive(Debug)]
pub(super) enum InboxEvent {
    Request(RoomRequest),
    /// Somebody has gone, or wants the whole view. Whatever they asked before has been brought.
    Sweep,
}

impl RoomInbox {
    /// The next thing to deal with.
    pub(super) fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<InboxEvent> {
        self.0.inbox.poll_next(context, InboxState::next_event)
    }

    /// Takes nothing more, and gives what was under way.
    pub(super) fn close(self) -> impl Iterator<Item = RoomRequest> {
        self.close_queue().into_iter().map(|item| item.request)
    }

    fn close_queue(&self) -> VecDeque<InboxItem> {
        self.0.inbox.with_lock(|state| {
            state.closed = true;
            std::mem::take(&mut state.queue)
        })
    }
}

impl Drop for RoomInbox {
    fn drop(&mut self) {
        self.close_queue();
    }
}

/// A handle for a room that is about to be, and the inbox behind it.
pub fn room_channel(id: RoomId, limit: u32) -> (RoomHandle, RoomInbox) {
    let state = InboxState {
        queue: VecDeque::new(),
        limit: limit.max(1),
        unseated_count: 0,
        sweep_requested: false,
        requests_before_sweep: None,
        closed: false,
    };
    let inner = Arc::new(RoomHandleInner { id, inbox: WakeMutex::new(state), listing: Mutex::default() });
    (RoomHandle { inner: Arc::clone(&inner), seated: true }, RoomInbox(inner))
}
