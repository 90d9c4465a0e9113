//! Handles of the lobby and of its feed: requests without waiting.
//!
//! [`LobbyPlacement`] names the node of a cluster that has the lobby. A seek of a cluster has a [`SeekOrigin`], which
//! receives the end of the seek.

use std::fmt;
use std::sync::Arc;

use futures::future::BoxFuture;
#[cfg(feature = "cluster")]
use noughts_protocol::wire::SessionRequest;
use noughts_protocol::wire::{ListedSeek, LobbyView, RejectCode, SeekId};
use noughts_protocol::{RequestId, Rules, Seat, TimeControl};
#[cfg(feature = "cluster")]
use serde::{Deserialize, Serialize};
use tokio::sync::{Notify, mpsc, oneshot};

use crate::limits::meters::ByteBudget;
use crate::limits::slots::QuotaPermit;
use crate::lobby::{PingId, Seek, Seeker};
use crate::room::handle::{ConnectionId, MemberQueue, SeatHolder};
use crate::room::registry::KnownSeats;
use crate::room::task::RoomContext;

/// The connection of a seek, and the data of its request.
#[derive(Debug)]
pub(crate) struct SeekContact {
    pub send_queue: MemberQueue,
    /// Id of the request, for a rejection of the pairing.
    pub request_id: RequestId,
    /// The node of the client has answered the request when the seek began.
    pub already_answered: bool,
    /// Permit for the room.
    pub permit: QuotaPermit,
    /// `None` on a single server.
    pub origin: Option<SeekOrigin>,
}

/// A request to the lobby.
#[derive(Debug)]
pub(crate) enum LobbyMessage {
    /// Pairs the connection with an opponent.
    Seek(Seek, SeekContact),
    /// Pairs the connection with the connection of an open seek.
    AcceptSeek(SeekId, Seeker, SeekContact),
    /// Cancels the seek of the connection, and responds.
    Cancel(ConnectionId, RequestId, MemberQueue),
    /// Withdraws the seek of the connection, and reports this to its [`SeekOrigin`].
    #[cfg(feature = "cluster")]
    Withdraw(ConnectionId),
    /// The connection has answered this ping of the lobby.
    Pong(ConnectionId, PingId),
    /// Lists public rooms and open seeks.
    List(RequestId, MemberQueue),
    /// Lists open seeks for the subscribers of the lobby.
    ListSeeks(oneshot::Sender<Vec<ListedSeek>>),
}

#[cfg(feature = "cluster")]
impl LobbyMessage {
    /// Returns the request of a seeker to seek or to accept a listed seek. `None` for another request.
    pub(crate) fn of_seeker(
        seeker: Seeker,
        (request, meeting): (&SessionRequest, Option<u64>),
        contact: SeekContact,
    ) -> Option<LobbyMessage> {
        if let SessionRequest::Seek {
            rules,
            clock,
            seat,
            opponents,
        } = *request
        {
            let seek = Seek {
                opponents,
                meeting,
                ..Seek::new(seeker, rules, clock, seat)
            };
            Some(LobbyMessage::Seek(seek, contact))
        } else if let SessionRequest::AcceptSeek { seek } = *request {
            Some(LobbyMessage::AcceptSeek(seek, seeker, contact))
        } else {
            None
        }
    }
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

    /// Enqueues a request, and waits for space in the inbox if necessary. The wait is short, because the lobby waits
    /// for nothing.
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

    /// Makes the lobby remove seekers that have disconnected. In a cluster, also makes it hand its seeks over if
    /// another server has the lobby.
    ///
    /// Needs no slot in the inbox, cannot fail and does not wait. Notifications before the lobby runs coalesce.
    pub(crate) fn notify(&self) {
        self.notify.notify_one();
    }
}

/// Receiving end, owned by the lobby task.
///
/// A tokio channel and a `Notify`, unlike the [`WakeMutex`](crate::runtime::sync::WakeMutex) of rooms and connections,
/// because a server has only one lobby, and its memory does not matter.
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
    Subscribe(ConnectionId, RequestId, MemberQueue, ByteBudget),
    /// Ends the subscription of a connection, if there is one.
    Unsubscribe(ConnectionId, RequestId, MemberQueue),
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

/// The server of a cluster that a seek comes from.
#[derive(Debug)]
pub(crate) struct SeekOrigin {
    /// `None` if the seek has missed a meeting, because two servers may not reach each other.
    pub node: Option<[u8; 16]>,
    /// Receives the end of the seek. Dropped without an end if the client enters a room, if its request was rejected,
    /// or if its connection has to end.
    pub end: oneshot::Sender<SeekEnd>,
}

/// How a seek ended in a lobby, in the cases where the server of its client has to act.
#[cfg_attr(
    not(feature = "cluster"),
    expect(
        dead_code,
        reason = "only the seeks of a cluster are withdrawn by a server or lost"
    )
)]
#[cfg_attr(feature = "cluster", derive(Serialize, Deserialize))]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SeekEnd {
    Withdrawn,
    /// Another server has the lobby, or the server of the meeting cannot open the room. The client has received nothing.
    Moved,
    /// The server with the lobby, or the connection to it, has failed. The client may have been paired.
    Lost,
    /// The seek is paired, and both seeks have to meet on a server, which opens the room.
    Paired(Meeting),
}

/// The place where two paired seeks become a room.
#[cfg_attr(feature = "cluster", derive(Serialize, Deserialize))]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Meeting {
    pub node: [u8; 16],
    /// Number that no other pair has.
    pub number: u64,
    pub rules: Rules,
    pub clock: Option<TimeControl>,
    pub seat: Seat,
}

/// The place of the lobby among the servers of a cluster.
pub(crate) trait LobbyPlacement: Send + Sync + fmt::Debug + 'static {
    /// Returns whether this server has the lobby.
    fn is_here(&self) -> bool;

    /// Returns whether this server opens the rooms for the clients of `node`: its own clients, or the clients of a node
    /// that cannot open rooms.
    fn opens_rooms_of(&self, node: [u8; 16]) -> bool;

    /// Returns the offset of this server's seek numbers from the numbers on a single server.
    fn seek_number_offset(&self) -> u64;

    /// Adds the rooms, seeks and counts that other servers have reported recently to the view of this server.
    fn with_others(&self, own: LobbyView) -> LobbyView;

    /// Finds the seats of a client on all servers. The wait is bounded. A server that does not answer counts
    /// as a server without a seat.
    fn find_seats<'a>(
        &'a self,
        ctx: &'a RoomContext,
        client: SeatHolder,
    ) -> BoxFuture<'a, KnownSeats>;
}
