//! The lobby as a part of a cluster.

use std::sync::OnceLock;
use std::task::{Context, Wake, Waker};
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use noughts_protocol::wire::{FeatureSet, LobbyView};
use noughts_protocol::{Party, Player, PlayerKind};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};

use super::*;
use crate::config::ServerLimits;
use crate::limits::client_prefix::ClientPrefix;
use crate::lobby::handle::{LobbyHandle, LobbyPlacement, feed_channel, lobby_channel};
use crate::room::handle::{ConnectionId, SeatHolder};
use crate::room::registry::KnownSeats;
use crate::room::task::RoomContext;
use crate::runtime::clock::ServerClock;
use crate::runtime::rng::ServerRng;
use crate::send_queue::{QueueEvent, SendQueueReceiver, without_stream};
use crate::store::MemoryLog;

/// This server has the lobby, and opens the rooms of its own clients.
#[derive(Debug)]
struct TestPlacement;

const HERE: [u8; 16] = [1; 16];

const THERE: [u8; 16] = [2; 16];

impl LobbyPlacement for TestPlacement {
    fn is_here(&self) -> bool {
        true
    }

    fn opens_rooms_of(&self, node: [u8; 16]) -> bool {
        node == HERE
    }

    fn seek_number_offset(&self) -> u64 {
        0
    }

    fn with_others(&self, own: LobbyView) -> LobbyView {
        own
    }

    fn find_seats<'a>(
        &'a self,
        _ctx: &'a RoomContext,
        _client: SeatHolder,
    ) -> BoxFuture<'a, KnownSeats> {
        async { KnownSeats::default() }.boxed()
    }
}

struct TestLobby {
    ctx: ServerContext,
    handle: LobbyHandle,
    stop: CancellationToken,
    task: JoinHandle<()>,
}

/// A seek in the lobby.
struct TestSeek {
    end: oneshot::Receiver<SeekEnd>,
    client: SendQueueReceiver<RoomHandle>,
}

impl TestSeek {
    async fn expect_replaced(&mut self) {
        let event = timeout(Duration::from_secs(1), self.client.next()).await;
        assert!(
            matches!(event, Ok(QueueEvent::Close(CloseCode::Replaced))),
            "{event:?}"
        );
    }
}

impl TestLobby {
    fn start() -> TestLobby {
        TestLobby::with_limits(ServerLimits::default())
    }

    fn with_limits(limits: ServerLimits) -> TestLobby {
        let ((handle, inbox), (feed, _)) = (lobby_channel(4), feed_channel(1));
        let (log, rng) = (Arc::new(MemoryLog::default()), ServerRng::from_seed(1));
        let time = ServerClock::from_unix_ms(1);
        let ctx = ServerContext::new(Arc::new(limits), log, rng, time, handle.clone(), feed);
        ctx.set_lobby_placement(Arc::new(TestPlacement));
        let stop = CancellationToken::new();
        let task = tokio::spawn(run(ctx.clone(), inbox, stop.clone()));
        TestLobby {
            ctx,
            handle,
            stop,
            task,
        }
    }

    /// Sends a seek of a client of `node`.
    fn seek(
        &self,
        connection: u64,
        node: Option<[u8; 16]>,
        seat: Option<Seat>,
        (party, since): (u128, u64),
        meeting: Option<u64>,
    ) -> TestSeek {
        let (end, ended) = oneshot::channel();
        let (send_queue, client) = without_stream(16);
        let prefix = ClientPrefix::from_ip([192, 0, 2, 1].into());
        let contact = SeekContact {
            send_queue,
            request_id: RequestId::new(1).unwrap(),
            already_answered: true,
            permit: self.ctx.room_quota.try_acquire(prefix).unwrap(),
            origin: Some(SeekOrigin { node, end }),
        };
        let seeker = Seeker {
            since,
            connection: ConnectionId(connection),
            client: prefix,
            player: Player::guest("Ann".parse().unwrap(), PlayerKind::Person),
            party: Some(Party::from_bits(party)),
            seat_room_at_hello: None,
            features: FeatureSet::default(),
        };
        let seek = Seek {
            meeting,
            ..Seek::new(seeker, "3x3:3".parse().unwrap(), None, seat)
        };
        self.handle
            .try_send(LobbyMessage::Seek(seek, contact))
            .unwrap();
        TestSeek { end: ended, client }
    }

    /// Pairs the seek of a client of `x`, who gets X, with the seek of a client of `o`. They arrive at the same time,
    /// so that both need no ping. `number` is the number of the pair.
    async fn pair(
        &self,
        number: u64,
        x: Option<[u8; 16]>,
        o: Option<[u8; 16]>,
    ) -> [Option<SeekEnd>; 2] {
        self.pair_of(number, [(x, Some(Seat::X)), (o, Some(Seat::O))], None)
            .await
    }

    /// Like [`TestLobby::pair`], for seeks with these seats that arrive for a meeting or in the lobby.
    async fn pair_of(
        &self,
        number: u64,
        [x, o]: [(Option<[u8; 16]>, Option<Seat>); 2],
        meeting: Option<u64>,
    ) -> [Option<SeekEnd>; 2] {
        let seek = |connection: u64, (node, seat)| {
            self.seek(connection, node, seat, (connection.into(), 1), meeting)
        };
        let (x, o) = (seek(2 * number, x), seek(2 * number + 1, o));
        let ends = async { [x.end.await.ok(), o.end.await.ok()] };
        timeout(Duration::from_secs(1), ends)
            .await
            .expect("both seeks end")
    }
}

#[tokio::test(start_paused = true)]
async fn the_server_of_the_player_of_x_opens_the_room() {
    let lobby = TestLobby::start();
    let paired = lobby.pair(0, Some(THERE), Some(HERE)).await;
    let [Some(SeekEnd::Paired(x)), Some(SeekEnd::Paired(o))] = paired else {
        panic!("{paired:?}")
    };
    assert_eq!([x.node, o.node], [THERE; 2]);
    assert_eq!([x.seat, o.seat], [Seat::X, Seat::O]);
    assert_eq!(x.number, o.number);
    // The pair meets here if the client of X is a client of this server, or if one of the seeks has missed a meeting.
    let pairs = [
        (Some(HERE), Some(THERE)),
        (Some(THERE), None),
        (None, Some(THERE)),
    ];
    for (number, (x, o)) in (1..).zip(pairs) {
        assert_eq!(lobby.pair(number, x, o).await, [None; 2], "{x:?} {o:?}");
    }
    assert_eq!(lobby.ctx.shared.registry.len(), 3);
}

#[tokio::test(start_paused = true)]
async fn the_seat_that_decides_about_the_server_is_that_of_the_game() {
    let lobby = TestLobby::start();
    let mut opened = [0, 0];
    for number in 0..16 {
        let [one, other] = lobby
            .pair_of(number, [(Some(HERE), None), (Some(THERE), None)], None)
            .await;
        // The server of the first client opens the room immediately if that client gets X.
        if let (Some(SeekEnd::Paired(one)), Some(SeekEnd::Paired(other))) = (one, other) {
            assert_eq!((one.seat, other.seat), (Seat::O, Seat::X));
            opened[1] += 1;
        } else {
            assert_eq!([one, other], [None; 2]);
            opened[0] += 1;
        }
    }
    assert!(opened[0] > 0 && opened[1] > 0, "{opened:?}");
}

#[tokio::test(start_paused = true)]
async fn the_seeks_of_a_meeting_without_a_room_return_to_the_lobby() {
    let lobby = TestLobby::with_limits(ServerLimits {
        max_rooms: 2,
        ..ServerLimits::default()
    });
    let rules = "3x3:3".parse().unwrap();
    let (queue, _client) = without_stream(16);
    for connection in [8, 9] {
        let seated = JoinRequest::of_person(ConnectionId(connection), queue.clone());
        open_room(
            &lobby.ctx,
            rules,
            None,
            true,
            vec![(seated, Seat::X)],
            vec![],
        )
        .unwrap();
    }
    let seeks = [(Some(THERE), Some(Seat::X)), (Some(THERE), Some(Seat::O))];
    let ended = lobby.pair_of(0, seeks, Some(5)).await;
    assert_eq!(ended, [Some(SeekEnd::Moved); 2]);
}

#[tokio::test(start_paused = true)]
async fn a_party_keeps_its_newest_seek_although_an_older_one_arrives_later() {
    let lobby = TestLobby::start();
    let mut first = lobby.seek(1, Some(HERE), Some(Seat::X), (7, 5), None);
    let mut older = lobby.seek(2, Some(THERE), Some(Seat::X), (7, 3), None);
    older.expect_replaced().await;
    assert!(first.client.try_next().is_none());
    let _newer = lobby.seek(3, Some(THERE), Some(Seat::X), (7, 9), None);
    first.expect_replaced().await;
}

/// Acquires a permit when the end of a seek is reported.
struct NextPermit {
    ctx: ServerContext,
    is_acquired: OnceLock<bool>,
}

impl Wake for NextPermit {
    fn wake(self: Arc<Self>) {
        let prefix = ClientPrefix::from_ip([192, 0, 2, 1].into());
        let permit = self.ctx.room_quota.try_acquire(prefix);
        self.is_acquired.get_or_init(|| permit.is_ok());
    }
}

#[tokio::test(start_paused = true)]
async fn the_permit_of_a_seek_is_free_when_its_end_is_reported() {
    let lobby = TestLobby::with_limits(ServerLimits {
        max_rooms_per_address: Some(1),
        ..ServerLimits::default()
    });
    let mut seek = lobby.seek(1, Some(HERE), Some(Seat::X), (1, 1), None);
    let next = Arc::new(NextPermit {
        ctx: lobby.ctx.clone(),
        is_acquired: OnceLock::new(),
    });
    let waker = Waker::from(Arc::clone(&next));
    let is_pending = seek
        .end
        .poll_unpin(&mut Context::from_waker(&waker))
        .is_pending();
    assert!(is_pending);
    let withdraw = LobbyMessage::Withdraw(ConnectionId(1));
    lobby.handle.try_send(withdraw).unwrap();
    sleep(Duration::from_millis(1)).await;
    assert_eq!(next.is_acquired.get(), Some(&true));
}

#[tokio::test(start_paused = true)]
async fn a_seek_that_arrives_when_the_server_stops_is_handed_over() {
    let lobby = TestLobby::start();
    let seek = lobby.seek(1, Some(HERE), Some(Seat::X), (1, 1), None);
    lobby.ctx.shared.draining.cancel();
    lobby.stop.cancel();
    lobby.task.await.unwrap();
    assert_eq!(seek.end.await, Ok(SeekEnd::Moved));
}
