//! The way to a room: what it may be asked, without waiting for it.

use std::sync::{Arc, Mutex, PoisonError};

use noughts_protocol::wire::{Command, Listing, RejectCode};
use noughts_protocol::{Player, RequestId, ResumeToken, RoomId, Seq};
use tokio::sync::mpsc;
use tracing::debug;

use super::audience::MemberId;
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
    /// The request that brought it here.
    pub asked: RequestId,
    /// Whether that has been answered, as a seek is when it begins to wait.
    pub answered: bool,
}

impl Newcomer {
    /// The request that the first view of the room answers.
    pub(super) fn re(&self) -> Option<RequestId> {
        (!self.answered).then_some(self.asked)
    }
}

/// What a room is asked. Newcomers are boxed: an inbox holds its places ready, and a room has many.
#[derive(Debug)]
pub enum Ask {
    /// By a player, to do something.
    Command(MemberId, RequestId, Command),
    /// By a newcomer, for the free seat.
    Join(Box<Newcomer>),
    /// By a newcomer, for a place in the audience.
    Watch(Box<Newcomer>),
    /// By a player that was here before.
    Resume(Box<Newcomer>, ResumeToken, Option<Seq>),
    /// By a member that misses events.
    Sync(MemberId, RequestId, Seq),
    /// By a member whose outbox was full and is empty again.
    Refresh(MemberId),
    /// By a member that wants to go.
    Leave(MemberId, RequestId),
    /// A connection has ended.
    Gone(MemberId),
    /// A connection measured its round trip, in milliseconds.
    Lag(MemberId, u32),
}

impl Ask {
    /// Who asks to be let in, if that is what is asked.
    pub(super) fn newcomer(&self) -> Option<&Newcomer> {
        match self {
            Ask::Join(newcomer) | Ask::Watch(newcomer) | Ask::Resume(newcomer, _, _) => Some(newcomer),
            Ask::Command(_, _, _)
            | Ask::Sync(_, _, _)
            | Ask::Refresh(_)
            | Ask::Leave(_, _)
            | Ask::Gone(_)
            | Ask::Lag(_, _) => None,
        }
    }
}

/// The way to a room, and its public face for the list.
#[derive(Clone, Debug)]
pub struct RoomHandle {
    id: RoomId,
    inbox: mpsc::Sender<Ask>,
    pub(super) listing: Arc<Mutex<Option<Listing>>>,
}

impl RoomHandle {
    /// The room's id.
    pub fn id(&self) -> RoomId {
        self.id
    }

    /// Asks without waiting.
    ///
    /// # Errors
    /// `busy` when the inbox is full, `unknown_room` when the room is no more.
    pub fn ask(&self, ask: Ask) -> Result<(), RejectCode> {
        self.inbox.try_send(ask).map_err(|error| match error {
            mpsc::error::TrySendError::Full(_) => RejectCode::Busy,
            mpsc::error::TrySendError::Closed(_) => RejectCode::UnknownRoom,
        })
    }

    /// Asks for the whole view, waiting for a place in the inbox: it must not be lost.
    pub async fn refresh(&self, member: MemberId) {
        if self.inbox.send(Ask::Refresh(member)).await.is_err() {
            debug!(room = %self.id, "the room was gone first");
        }
    }

    /// Tells the room that a connection has ended, waiting for a place in its inbox. A room that is
    /// no more has no need to know.
    pub async fn gone(&self, member: MemberId) {
        if self.inbox.send(Ask::Gone(member)).await.is_err() {
            debug!(room = %self.id, "the room was gone first");
        }
    }

    /// What the list shows of it; nothing for a private or not yet founded room.
    pub fn listing(&self) -> Option<Listing> {
        self.listing.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// A room's inbox, to be given to its task.
#[derive(Debug)]
pub struct Inbox(pub(super) mpsc::Receiver<Ask>);

/// A handle for a room that is about to be, and the inbox behind it.
pub fn handle(id: RoomId, limit: usize) -> (RoomHandle, Inbox) {
    let (inbox, receiver) = mpsc::channel(limit.max(1));
    (RoomHandle { id, inbox, listing: Arc::default() }, Inbox(receiver))
}
