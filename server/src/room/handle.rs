//! Handle to a room, its inbox, and the requests that the inbox takes.
//!
//! Owns the bounded inbox and the entry of the room in the public list. Sending never waits: a full inbox
//! rejects the request.
//!
//! The inbox is a [`WakeMutex`] instead of a bounded channel; `runtime::sync` states the gain. Invariant: only the task
//! of the room reads the inbox. Guarded by `requests_queued_before_a_disconnect_are_handled_first` and
//! `unseated_clients_fill_at_most_half_of_an_inbox`.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::task::{Context, Poll};

use noughts_protocol::wire::{
    CloseCode, EngineRemark, Feature, FeatureSet, Phrase, RejectCode, RoomCommand, RoomListing,
};
use noughts_protocol::{
    Game, Identity, Party, Phase, Player, RequestId, ResumeToken, RoomId, Seat, Seq,
};
use tokio::sync::oneshot;

use crate::limits::meters::ByteBudget;
use crate::operator::requests::RoomReport;
use crate::runtime::sync::{WakeMutex, lock};
use crate::send_queue::SendQueue;
use crate::store::RoomSecrets;

/// Identifies a connection during the lifetime of the server process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct ConnectionId(pub u64);

/// The client that has a seat.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SeatHolder {
    pub party: Option<Party>,
    pub identity: Option<Identity>,
}

impl SeatHolder {
    /// Returns the client that has a seat of a room. It is empty after the client has left.
    pub(crate) fn of(secrets: &RoomSecrets, game: &Game, seat: Seat) -> SeatHolder {
        let player = game.player(seat);
        let recognised = player.filter(|_| !secrets.has_left(seat, game.number()));
        SeatHolder {
            party: player.and(secrets.party(seat, game.number())),
            identity: recognised.and_then(|player| player.identity),
        }
    }
}

/// Send queue of a connection. It carries the handle of a room that the connection enters.
pub(crate) type MemberQueue = SendQueue<RoomHandle>;

/// A request of a client to enter a room.
#[derive(Debug)]
pub(crate) struct JoinRequest {
    pub member: ConnectionId,
    pub send_queue: MemberQueue,
    /// Name and kind of the player.
    pub player: Player,
    /// Key that identifies this client across connections, if it sent one.
    pub party: Option<Party>,
    pub request_id: RequestId,
    /// Whether the client has already received the response to its request, as for a seek, which is answered when it
    /// begins to wait.
    pub already_answered: bool,
    /// Whether the connection ends instead of replacing a live connection at the seat, because it may be the older
    /// connection.
    pub yields_to_holder: bool,
    /// The client subscribed to remarks of the players' engines, which it receives as a spectator.
    pub wants_remarks: bool,
    /// The features of the connection.
    pub features: FeatureSet,
    /// Budget that pays for the messages to a spectator. `None` for a player, because players receive every event.
    pub spectator_budget: Option<ByteBudget>,
}

impl JoinRequest {
    /// Creates a request from a person, for tests.
    #[cfg(test)]
    pub(crate) fn of_person(member: ConnectionId, send_queue: MemberQueue) -> JoinRequest {
        JoinRequest {
            member,
            send_queue,
            player: Player::guest("Ann".parse().unwrap(), noughts_protocol::PlayerKind::Person),
            party: None,
            request_id: RequestId::new(1).unwrap(),
            already_answered: false,
            yields_to_holder: false,
            wants_remarks: false,
            features: FeatureSet::default(),
            spectator_budget: None,
        }
    }

    /// Returns the client, for the registry.
    pub(crate) fn holder(&self) -> SeatHolder {
        SeatHolder {
            party: self.party,
            identity: self.player.identity,
        }
    }

    /// Returns the id of the request that the first message of the room names. An answered request is named only to a
    /// client with the feature `replies`.
    pub(super) fn named_id(&self) -> Option<RequestId> {
        (!self.already_answered || self.features.has(Feature::Replies)).then_some(self.request_id)
    }
}

/// A request to a room. Large variants are boxed to keep moves cheap.
#[derive(Debug)]
pub(crate) enum RoomRequest {
    /// A player acts in the game.
    Command {
        member: ConnectionId,
        /// Server time when the connection received the request. The room judges the request by this time.
        at: u64,
        id: RequestId,
        command: RoomCommand,
    },
    /// A client takes the free seat.
    Join(Box<JoinRequest>),
    /// A client becomes a spectator.
    Watch(Box<JoinRequest>),
    /// A player returns to its seat, by the token of the seat or by its identity. It knows the events up to the given
    /// event.
    Resume(Box<JoinRequest>, Option<ResumeToken>, Option<Seq>),
    /// A player sends a remark of its engine to the spectators.
    Remark(ConnectionId, RequestId, Box<EngineRemark>),
    Say(ConnectionId, RequestId, Phrase),
    /// A player lets a bot take the seat of the absent opponent. `true` withdraws the permission.
    Substitute(ConnectionId, RequestId, bool),
    /// A member requests the events after the given event.
    Sync(ConnectionId, RequestId, Seq),
    /// A member leaves the room.
    Leave(ConnectionId, RequestId),
    /// A connection measured its round-trip time, in milliseconds.
    Lag(ConnectionId, u32),
    /// The server is full: the room closes if it has no members.
    GiveWay,
    /// The operator asks who is in the room. The room drops the sender if it cannot tell.
    Describe(oneshot::Sender<Box<RoomReport>>),
    /// The operator closes the room.
    Close(oneshot::Sender<Result<(), RejectCode>>),
}

impl RoomRequest {
    /// Returns the sender of a request to enter.
    pub(super) fn joiner(&self) -> Option<&JoinRequest> {
        match self {
            RoomRequest::Join(joiner)
            | RoomRequest::Watch(joiner)
            | RoomRequest::Resume(joiner, _, _) => Some(joiner),
            RoomRequest::Command { .. }
            | RoomRequest::Remark(_, _, _)
            | RoomRequest::Say(_, _, _)
            | RoomRequest::Substitute(_, _, _)
            | RoomRequest::Sync(_, _, _)
            | RoomRequest::Leave(_, _)
            | RoomRequest::Lag(_, _)
            | RoomRequest::GiveWay
            | RoomRequest::Describe(_)
            | RoomRequest::Close(_) => None,
        }
    }
}

/// Handle to a room: sends requests to its inbox, and gives access to its entry in the room list.
#[derive(Clone, Debug)]
pub(crate) struct RoomHandle {
    inner: Arc<RoomHandleInner>,
    /// The holder of this handle has a seat.
    seated: bool,
}

#[derive(Debug)]
struct RoomHandleInner {
    #[cfg_attr(
        not(test),
        expect(dead_code, reason = "identifies the room in debug output")
    )]
    id: RoomId,
    inbox: WakeMutex<InboxState>,
    listing: Mutex<Option<RoomListing>>,
    /// Length of the last snapshot.
    snapshot_bytes: AtomicU32,
}

/// Requests and flags for the room task, guarded by one lock.
#[derive(Debug)]
struct InboxState {
    queue: VecDeque<InboxItem>,
    limit: u32,
    /// Number of queued requests from clients without a seat.
    unseated_count: u32,
    /// A sweep was requested, and is not scheduled yet.
    sweep_requested: bool,
    /// Number of queued requests that precede the scheduled sweep.
    requests_before_sweep: Option<u32>,
    /// Set when the task has ended. Later requests are rejected with this code.
    ended: Option<RejectCode>,
}

#[derive(Debug)]
struct InboxItem {
    request: RoomRequest,
    seated: bool,
}

impl InboxState {
    fn push(&mut self, item: InboxItem) -> Result<(), RejectCode> {
        if let Some(code) = self.ended {
            return Err(code);
        }
        // Clients without a seat may fill half of the inbox; the rest is reserved for the players.
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
            // Frees the memory, because most rooms get single requests at long intervals.
            self.queue = VecDeque::new();
        }
        self.unseated_count -= u32::from(!item.seated);
        self.requests_before_sweep = self
            .requests_before_sweep
            .map(|left| left.saturating_sub(1));
        Some(item.request)
    }

    fn next_event(&mut self) -> Option<InboxEvent> {
        if self.requests_before_sweep.is_none() && std::mem::take(&mut self.sweep_requested) {
            self.requests_before_sweep =
                Some(u32::try_from(self.queue.len()).expect("the queue is limited to u32"));
        }
        if self.requests_before_sweep == Some(0) {
            self.requests_before_sweep = None;
            return Some(InboxEvent::Sweep);
        }
        self.pop().map(InboxEvent::Request)
    }
}

impl RoomHandle {
    #[cfg(test)]
    pub(crate) fn id(&self) -> RoomId {
        self.inner.id
    }

    /// Returns a handle for clients without a seat.
    pub(crate) fn without_seat(&self) -> RoomHandle {
        RoomHandle {
            seated: false,
            ..self.clone()
        }
    }

    /// Returns whether the holder of this handle has a seat.
    pub(crate) fn is_seated(&self) -> bool {
        self.seated
    }

    /// Returns the length of the last snapshot in bytes, or 0 before the first snapshot.
    pub(crate) fn snapshot_bytes(&self) -> u64 {
        self.inner.snapshot_bytes.load(Ordering::Relaxed).into()
    }

    pub(super) fn set_snapshot_bytes(&self, bytes: usize) {
        let bytes = u32::try_from(bytes).unwrap_or(u32::MAX);
        self.inner.snapshot_bytes.store(bytes, Ordering::Relaxed);
    }

    /// Returns whether the task of the room has ended.
    pub(crate) fn is_closed(&self) -> bool {
        self.inner.inbox.with_lock(|state| state.ended.is_some())
    }

    /// Sends a request without waiting.
    ///
    /// # Errors
    /// `busy` if the inbox is full; for clients without a seat, if half of it is full. `unknown_room` if the room has
    /// closed. `unavailable` if its task has ended, and the room exists or may exist.
    pub(crate) fn try_send(&self, request: RoomRequest) -> Result<(), RejectCode> {
        self.inner.inbox.update(|state| {
            state.push(InboxItem {
                request,
                seated: self.seated,
            })
        })
    }

    /// Requests that the room closes if it has no members. The request uses no capacity of the inbox. The registry
    /// makes it at most once while the room has no members.
    pub(super) fn request_eviction(&self) {
        self.inner.inbox.update(|state| {
            if state.ended.is_none() {
                state.queue.push_back(InboxItem {
                    request: RoomRequest::GiveWay,
                    seated: true,
                });
            }
        });
    }

    /// Requests that the room removes disconnected members and sends requested snapshots, after the requests
    /// that are queued. Uses no capacity of the inbox; requests before the sweep are merged into one.
    pub(crate) fn request_sweep(&self) {
        self.inner
            .inbox
            .update(|state| state.sweep_requested = true);
    }

    /// Returns the entry in the room list. `None` for a private room, before the room is created, and while it waits
    /// for its host.
    pub(crate) fn listing(&self) -> Option<RoomListing> {
        self.listing_mut().clone()
    }

    /// Returns whether a player can take a seat in this room, by its entry in the room list. `None` without an entry.
    pub(crate) fn listed_as_joinable(&self) -> Option<bool> {
        self.listing_mut().as_ref().map(is_joinable)
    }

    /// Locks the entry in the room list.
    pub(super) fn listing_mut(&self) -> MutexGuard<'_, Option<RoomListing>> {
        lock(&self.inner.listing)
    }
}

/// Returns whether a player can take a seat in a listed room.
pub(crate) fn is_joinable(listing: &RoomListing) -> bool {
    listing.phase == Phase::Waiting || listing.open_seat.is_some()
}

/// The receiving end of the inbox, for the task of the room. Closes the inbox when dropped. If requests to enter are
/// still queued then, also closes the connections of their clients, because the task has panicked and these requests
/// get no response.
#[derive(Debug)]
pub(crate) struct RoomInbox(Arc<RoomHandleInner>);

/// Event that the task receives from its [`RoomInbox`].
#[derive(Debug)]
pub(crate) enum InboxEvent {
    Request(RoomRequest),
    /// Members disconnected or requested snapshots. Their earlier requests were received before.
    Sweep,
}

impl RoomInbox {
    pub(crate) fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<InboxEvent> {
        self.0.inbox.poll_next(context, InboxState::next_event)
    }

    /// Closes the inbox and returns the queued requests. Later requests are rejected with `code`.
    pub(crate) fn close(self, code: RejectCode) -> impl Iterator<Item = RoomRequest> {
        self.close_queue(code).into_iter().map(|item| item.request)
    }

    fn close_queue(&self, code: RejectCode) -> VecDeque<InboxItem> {
        self.0.inbox.with_lock(|state| {
            state.ended.get_or_insert(code);
            std::mem::take(&mut state.queue)
        })
    }
}

impl Drop for RoomInbox {
    fn drop(&mut self) {
        for item in self.close_queue(RejectCode::Unavailable) {
            if let Some(joiner) = item.request.joiner() {
                joiner.send_queue.close_with(CloseCode::Internal);
            }
        }
    }
}

/// Returns a handle to a room that does not run. The handle rejects all requests with `unavailable`.
pub(super) fn unavailable_room(id: RoomId) -> RoomHandle {
    let (handle, inbox) = room_channel(id, 1);
    drop(inbox);
    handle
}

/// Creates the inbox of a room that queues at most `limit` requests, and a handle to it.
pub(crate) fn room_channel(id: RoomId, limit: u32) -> (RoomHandle, RoomInbox) {
    let state = InboxState {
        queue: VecDeque::new(),
        limit: limit.max(1),
        unseated_count: 0,
        sweep_requested: false,
        requests_before_sweep: None,
        ended: None,
    };
    let inner = Arc::new(RoomHandleInner {
        id,
        inbox: WakeMutex::new(state),
        listing: Mutex::default(),
        snapshot_bytes: AtomicU32::new(0),
    });
    (
        RoomHandle {
            inner: Arc::clone(&inner),
            seated: true,
        },
        RoomInbox(inner),
    )
}
