//! Handles of the lobby and of its feed: requests without waiting.

use std::sync::Arc;

use noughts_protocol::RequestId;
use noughts_protocol::wire::{ListedSeek, RejectCode, SeekId};
use tokio::sync::{Notify, mpsc, oneshot};

use super::ticket::SeekTicket;
#[cfg(feature = "cluster")]
use super::ticket::{SeekEnd, TicketHolder, new_ticket};
use super::{PingId, Seek, Seeker};
use crate::limits::meters::ByteBudget;
use crate::limits::slots::QuotaPermit;
use crate::room::handle::{MemberId, MemberQueue};

/// Handle to the client of a seek.
#[derive(Debug)]
pub(crate) struct SeekContact {
    pub send_queue: MemberQueue,
    /// Id of the request, for a rejection of the pairing.
    pub request_id: RequestId,
    /// The request was answered when the seek began, in another lobby.
    pub already_answered: bool,
    /// Permit for the room.
    pub permit: QuotaPermit,
    /// None on a single server.
    pub ticket: Option<SeekTicket>,
}

/// A request to the lobby.
#[derive(Debug)]
pub(crate) enum LobbyMessage {
    /// Pairs the connection with an opponent.
    Seek(Seek, SeekContact),
    /// Pairs the connection with that of an open seek. With the time of the request, in server milliseconds.
    Answer(SeekId, (Seeker, u64), SeekContact),
    /// Withdraws the seek of the connection.
    Cancel(MemberId, RequestId, MemberQueue),
    /// The connection has answered this ping of the lobby.
    Pong(MemberId, PingId),
    /// Lists public rooms and open seeks.
    List(RequestId, MemberQueue),
    /// Lists open seeks for the subscribers of the lobby.
    ListSeeks(oneshot::Sender<Vec<ListedSeek>>),
}

/// Sends requests to the lobby.
#[derive(Clone, Debug)]
pub(crate) struct LobbyHandle {
    sender: mpsc::Sender<LobbyMessage>,
    notify: Arc<Notify>,
}

impl LobbyHandle {
    /// Enqueues a request without waiting.
    ///
    /// # Errors
    /// `busy` if the inbox is full, `draining` if the lobby has ended.
    pub(crate) fn try_send(&self, message: LobbyMessage) -> Result<(), RejectCode> {
        self.sender.try_send(message).map_err(|error| match error {
            mpsc::error::TrySendError::Full(_) => RejectCode::Busy,
            mpsc::error::TrySendError::Closed(_) => RejectCode::Draining,
        })
    }

    /// Enqueues a request, after a wait for space in the inbox. The lobby waits for nothing, so that the wait is short.
    ///
    /// # Errors
    /// `draining` if the lobby has ended.
    #[cfg(feature = "cluster")]
    pub(crate) async fn send(&self, message: LobbyMessage) -> Result<(), RejectCode> {
        self.sender
            .send(message)
            .await
            .map_err(|_| RejectCode::Draining)
    }

    /// Creates a ticket for a seek of this lobby. The third value receives the end of the seek.
    #[cfg(feature = "cluster")]
    pub(crate) fn new_ticket(&self) -> (SeekTicket, TicketHolder, oneshot::Receiver<SeekEnd>) {
        new_ticket(Arc::clone(&self.notify))
    }

    /// Makes the lobby remove disconnected seekers, and in a cluster handle the requests of tickets and hand over the seeks
    /// that meet on other servers.
    ///
    /// Needs no slot in the inbox, cannot fail and does not wait. Notifications before the lobby runs coalesce.
    pub(crate) fn notify(&self) {
        self.notify.notify_one();
    }
}

/// Receiving end, owned by the lobby task.
///
/// A tokio channel and a `Notify`, unlike the [`WakeMutex`](crate::runtime::sync::WakeMutex) of rooms and
/// connections: there is one lobby, so its memory does not matter.
#[derive(Debug)]
pub(crate) struct LobbyInbox {
    pub(crate) receiver: mpsc::Receiver<LobbyMessage>,
    pub(crate) notify: Arc<Notify>,
}

/// Creates the handle of a lobby and its inbox for `capacity` requests.
pub(crate) fn lobby_channel(capacity: usize) -> (LobbyHandle, LobbyInbox) {
    let (sender, receiver) = mpsc::channel(capacity.max(1));
    let notify = Arc::new(Notify::new());
    (
        LobbyHandle {
            sender,
            notify: Arc::clone(&notify),
        },
        LobbyInbox { receiver, notify },
    )
}

/// A request to the feed.
#[derive(Debug)]
pub(crate) enum FeedMessage {
    /// Subscribes a connection. The budget pays for the changes.
    Subscribe(MemberId, RequestId, MemberQueue, ByteBudget),
    /// Ends the subscription of a connection, if there is one.
    Unsubscribe(MemberId, RequestId, MemberQueue),
}

/// Sends requests to the feed.
#[derive(Clone, Debug)]
pub(crate) struct FeedHandle(mpsc::Sender<FeedMessage>);

impl FeedHandle {
    /// Enqueues a request without waiting.
    ///
    /// # Errors
    /// `busy` if the inbox is full, `draining` if the feed has ended.
    pub(crate) fn try_send(&self, message: FeedMessage) -> Result<(), RejectCode> {
        self.0.try_send(message).map_err(|error| match error {
            mpsc::error::TrySendError::Full(_) => RejectCode::Busy,
            mpsc::error::TrySendError::Closed(_) => RejectCode::Draining,
        })
    }
}

/// Creates the handle of a feed and its inbox for `capacity` requests.
pub(crate) fn feed_channel(capacity: usize) -> (FeedHandle, mpsc::Receiver<FeedMessage>) {
    let (sender, receiver) = mpsc::channel(capacity.max(1));
    (FeedHandle(sender), receiver)
}
