//! Tickets: how the task that placed a seek in a lobby withdraws it, and learns how it ended.
//!
//! Only the seeks of a cluster have one. Its requests use no slot of the lobby's inbox: they cannot be refused.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

#[cfg(feature = "cluster")]
use tokio::sync::Notify;
use tokio::sync::oneshot;

use super::PingId;
use crate::runtime::ignore;

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
        let seek = Seek {
            seeker,
            since: 1,
            answers: None,
            rules,
            clock: None,
            seat: None,
        };
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
