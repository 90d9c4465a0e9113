//! Handles of the lobby and of its feed: requests without waiting.
//!
//! A ticket is how the task that placed a seek in a lobby withdraws it, and learns how it ended. Only the seeks of a cluster
//! have one. Its requests use no slot of the lobby's inbox: they cannot be refused.
//!
//! [`LobbyPlacement`] divides the lobby among the nodes of a cluster. A single server has one lobby.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use futures::future::BoxFuture;
use noughts_protocol::wire::{ListedSeek, LobbyView, RejectCode, SeatGrant, SeekId};
use noughts_protocol::{PartyKey, RequestId, Rules, TimeControl};
use tokio::sync::{Notify, mpsc, oneshot};

use crate::limits::meters::ByteBudget;
use crate::limits::slots::QuotaPermit;
use crate::lobby::{PingId, Seek, Seeker};
use crate::room::handle::{MemberId, MemberQueue};
use crate::room::task::RoomContext;
use crate::runtime::ignore;

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

/// How a seek ended in a lobby.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SeekEnd {
    /// The client enters a room. If that cannot be opened, a rejection follows.
    Paired,
    /// The seek was withdrawn.
    Withdrawn,
    /// The seeks of its game meet on another server. The client has received nothing.
    Moved,
    /// The client has left the lobby with a rejection, or its connection has to end.
    Rejected,
}

/// The requests that wait for the lobby.
#[derive(Debug, Default)]
struct TicketRequests {
    is_withdrawn: AtomicBool,
    /// Ping of the lobby that the connection of the client has answered; 0 for none.
    answered: AtomicU64,
}

/// The lobby's half of a ticket. Dropped without [`SeekTicket::end`], the seek has ended as [`SeekEnd::Rejected`].
#[derive(Debug)]
pub(crate) struct SeekTicket {
    requests: Arc<TicketRequests>,
    end: oneshot::Sender<SeekEnd>,
}

/// The half of the task that placed the seek.
#[cfg(feature = "cluster")]
#[derive(Clone, Debug)]
pub(crate) struct TicketHolder {
    requests: Arc<TicketRequests>,
    /// Wakes the lobby.
    notify: Arc<Notify>,
}

/// Creates a ticket for the lobby that `notify` wakes.
#[cfg(feature = "cluster")]
pub(super) fn new_ticket(
    notify: Arc<Notify>,
) -> (SeekTicket, TicketHolder, oneshot::Receiver<SeekEnd>) {
    let requests = Arc::<TicketRequests>::default();
    let (end, ended) = oneshot::channel();
    (
        SeekTicket {
            requests: Arc::clone(&requests),
            end,
        },
        TicketHolder { requests, notify },
        ended,
    )
}

impl SeekTicket {
    /// Reports the end of the seek.
    pub(super) fn end(self, end: SeekEnd) {
        ignore(
            self.end.send(end),
            "without a receiver, the connection of the client has ended",
        );
    }

    /// Whether the seek should end.
    pub(super) fn is_withdrawn(&self) -> bool {
        self.requests.is_withdrawn.load(Ordering::Relaxed)
    }

    /// Takes the ping that the connection has answered.
    pub(super) fn take_answered(&self) -> Option<PingId> {
        let answered = self.requests.answered.swap(0, Ordering::Relaxed);
        (answered != 0).then_some(PingId(answered))
    }
}

#[cfg(feature = "cluster")]
impl TicketHolder {
    /// Withdraws the seek. It ends as [`SeekEnd::Withdrawn`], unless it has ended otherwise before.
    pub(crate) fn withdraw(&self) {
        self.requests.is_withdrawn.store(true, Ordering::Relaxed);
        self.notify.notify_one();
    }

    /// The connection has answered a ping of the lobby.
    pub(crate) fn on_pong(&self, ping: PingId) {
        self.requests.answered.store(ping.0, Ordering::Relaxed);
        self.notify.notify_one();
    }

    /// Makes the lobby look whether the connection has ended.
    pub(crate) fn notify(&self) {
        self.notify.notify_one();
    }
}

#[cfg(all(test, feature = "cluster"))]
mod tests {
    use std::sync::Arc;

    use noughts_protocol::wire::FeatureSet;
    use noughts_protocol::{Player, PlayerKind, RequestId};
    use tokio_util::sync::CancellationToken;

    use super::*;
    use crate::limits::client_prefix::ClientPrefix;
    use crate::lobby::handle::{
        LobbyInbox, LobbyMessage, SeekContact, feed_channel, lobby_channel,
    };
    use crate::lobby::task;
    use crate::lobby::{Seek, Seeker};
    use crate::room::handle::{MemberId, RoomHandle};
    use crate::runtime::clock::ServerClock;
    use crate::runtime::context::ServerContext;
    use crate::runtime::rng::ServerRng;
    use crate::send_queue::{SendQueueReceiver, without_stream};
    use crate::store::MemoryLog;

    /// A lobby with one seek in its inbox, and the receiver of its end.
    struct WaitingSeek {
        ctx: ServerContext,
        inbox: LobbyInbox,
        holder: TicketHolder,
        end: oneshot::Receiver<SeekEnd>,
        /// Keeps the connection open.
        _connection: SendQueueReceiver<RoomHandle>,
    }

    fn send_seek() -> WaitingSeek {
        let ((lobby, inbox), (feed, _)) = (lobby_channel(4), feed_channel(1));
        let (log, rng) = (Arc::new(MemoryLog::default()), ServerRng::from_seed(1));
        let time = ServerClock::from_unix_ms(1);
        let ctx = ServerContext::new(Arc::default(), log, rng, time, lobby.clone(), feed);
        let (ticket, holder, end) = lobby.new_ticket();
        let (send_queue, connection) = without_stream(16);
        let client = ClientPrefix::from_ip([192, 0, 2, 1].into());
        let contact = SeekContact {
            send_queue,
            request_id: RequestId::new(1).unwrap(),
            already_answered: true,
            permit: ctx.room_quota.try_acquire(client).unwrap(),
            ticket: Some(ticket),
        };
        let player = Player {
            name: "Ann".parse().unwrap(),
            kind: PlayerKind::Human,
        };
        let (member, features) = (MemberId(1), FeatureSet::default());
        let seeker = Seeker {
            member,
            client,
            player,
            party: None,
            seat_room_at_hello: None,
            features,
        };
        let rules = "3x3:3".parse().unwrap();
        let seek = Seek::new(seeker, 1, rules, None, None);
        lobby.try_send(LobbyMessage::Seek(seek, contact)).unwrap();
        WaitingSeek {
            ctx,
            inbox,
            holder,
            end,
            _connection: connection,
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_seek_that_is_withdrawn_before_it_arrives_waits_in_no_lobby() {
        let WaitingSeek {
            ctx,
            inbox,
            holder,
            end,
            _connection,
        } = send_seek();
        // The lobby handles the wake-up of the withdrawal before the seek.
        holder.withdraw();
        let stop = CancellationToken::new();
        let run = tokio::spawn(task::run(ctx, inbox, stop.clone()));
        let end = tokio::time::timeout(std::time::Duration::from_secs(60), end).await;
        assert_eq!(end.expect("the seek ends"), Ok(SeekEnd::Withdrawn));
        stop.cancel();
        run.await.unwrap();
    }

    #[tokio::test(start_paused = true)]
    async fn a_seek_that_arrives_when_the_server_stops_is_handed_over() {
        let WaitingSeek {
            ctx,
            inbox,
            holder: _,
            end,
            _connection,
        } = send_seek();
        let stop = CancellationToken::new();
        ctx.shared.draining.cancel();
        stop.cancel();
        task::run(ctx, inbox, stop).await;
        assert_eq!(end.await, Ok(SeekEnd::Moved));
    }
}

/// Division of the lobby among servers.
pub(crate) trait LobbyPlacement: Send + Sync + fmt::Debug + 'static {
    /// Whether the seeks of this game meet on this server.
    fn is_here(&self, rules: Rules, clock: Option<TimeControl>) -> bool;

    /// Distance between the numbers of the seeks of this server and those of a single one.
    fn seek_number_offset(&self) -> u64;

    /// Adds the rooms, seeks and counts of the other servers, of the last seconds, to those of this one.
    fn with_others(&self, own: LobbyView) -> LobbyView;

    /// Finds the last seat that a party took on any server. The wait is bounded: a server that does not answer counts as one
    /// without a seat.
    fn find_seat<'a>(
        &'a self,
        ctx: &'a RoomContext,
        party: PartyKey,
    ) -> BoxFuture<'a, Option<SeatGrant>>;
}
