//! Seeks of clients in a lobby that the test plays, in paused time.

use noughts_protocol::wire::FeatureSet;
use noughts_protocol::{Player, PlayerKind, Seat};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use tokio::task::LocalSet;
use tokio::time::{sleep, timeout};

use super::*;
use crate::cluster::lobby::node_messages::node_messages;
use crate::cluster::model::{ModelFaults, ModelLog, ModelNetwork};
use crate::cluster::node_rooms::NodeRooms;
use crate::cluster::nodes::own_node_task::ClaimedShard;
use crate::cluster::relay::node_relays::NodeRelays;
use crate::cluster::shard::{Shard, ShardMap};
use crate::cluster::tests::start_node;
use crate::limits::client_prefix::ClientPrefix;
use crate::lobby::handle::{LobbyInbox, feed_channel, lobby_channel};
use crate::lobby::task as lobby;
use crate::room::handle::{ConnectionId, RoomHandle};
use crate::room::registry::RoomPlacement;
use crate::runtime::clock::ServerClock;
use crate::runtime::rng::ServerRng;
use crate::send_queue::{QueueEvent, SendQueueReceiver, without_stream};
use crate::store::EventLog;

const NODE: NodeId = NodeId([1; 16]);

/// A node that owns the shard of the lobby, a client of it, and the lobby, which the test plays.
struct TestSeek {
    ctx: ServerContext,
    events: mpsc::Sender<SeekEvent>,
    client: SendQueueReceiver<RoomHandle>,
    lobby: LobbyInbox,
}

/// An event at the client.
#[derive(Debug, PartialEq, Eq)]
enum Seen {
    Done(u64),
    NotSeeking(u64),
    LeaveLobby,
    EnterRoom,
    Other,
}

impl TestSeek {
    async fn start(party: Option<Party>) -> TestSeek {
        let model = Arc::new(ModelLog::new(1, ModelFaults::NONE));
        let time = ServerClock::from_unix_ms(1_000_000);
        let log = start_node(&model, ShardMap::new(1).unwrap(), 1, &time).await;
        let (table, epoch) = (
            Arc::clone(log.table()),
            log.table().own(Shard(0)).unwrap().epoch,
        );
        let ((own_lobby, inbox), (feed, _)) = (lobby_channel(16), feed_channel(1));
        let event_log = Arc::clone(&log) as Arc<dyn EventLog>;
        let rng = ServerRng::from_seed(1);
        let ctx = ServerContext::new(
            Arc::default(),
            event_log,
            rng,
            time,
            own_lobby.clone(),
            feed,
        );
        let connections = Arc::new(ModelNetwork::new(model)).connect(NODE, Arc::default());
        let metrics = log.metrics().clone();
        let (relays, _) = NodeRelays::new(NODE, Arc::clone(&table), connections.relays, metrics);
        let relays = Arc::new(relays);
        let rooms = Arc::new(NodeRooms::new(Arc::clone(&table), Arc::clone(&relays)));
        rooms.set_context(Some(ctx.clone()));
        ctx.set_placement(Arc::clone(&rooms) as Arc<dyn RoomPlacement>);
        let shard = Shard(0);
        rooms.open(
            &ctx,
            ClaimedShard {
                shard,
                epoch,
                rooms: Vec::new(),
            },
        );
        let (sender, _) = node_messages(NODE, connections.bus);
        let node = Arc::new(NodeLobby::new(NODE, table, rooms, relays, sender));
        let (send_queue, client) = without_stream(64);
        let (events, receiver) = mpsc::channel(MAX_WAITING_EVENTS);
        let seeker = Seeker {
            since: 1,
            connection: ConnectionId(7),
            client: ClientPrefix::from_ip([192, 0, 2, 1].into()),
            player: Player::guest("Ann".parse().unwrap(), PlayerKind::Person),
            party,
            seat_room_at_hello: None,
            features: FeatureSet::default(),
        };
        let contact = SeekContact {
            send_queue,
            request_id: RequestId::new(1).unwrap(),
            already_answered: false,
            permit: ctx.room_quota.try_acquire(seeker.client).unwrap(),
            origin: None,
        };
        let (rules, clock, seat) = ("3x3:3".parse().unwrap(), None, None);
        let sought = (
            seeker,
            SessionRequest::Seek {
                rules,
                clock,
                seat,
                opponents: None,
            },
        );
        let task = SeekTask::new(ctx.clone(), node, own_lobby, sought, contact, receiver);
        tokio::task::spawn_local(task.run());
        let mut seek = TestSeek {
            ctx,
            events,
            client,
            lobby: inbox,
        };
        assert_eq!(
            seek.next_seen().await,
            Some(Seen::Done(1)),
            "the request is answered"
        );
        seek
    }

    /// Returns the next event at the client. Returns `None` if no event comes within a millisecond.
    async fn next_seen(&mut self) -> Option<Seen> {
        let event = timeout(Duration::from_millis(1), self.client.next())
            .await
            .ok()?;
        Some(match event {
            QueueEvent::Outgoing(Outgoing::LeaveLobby) => Seen::LeaveLobby,
            QueueEvent::Outgoing(Outgoing::EnterRoom(_)) => Seen::EnterRoom,
            QueueEvent::Outgoing(Outgoing::Text(text)) => match Message::parse(&text) {
                Ok(Message::Done { re, .. }) => Seen::Done(re.get()),
                Ok(Message::Reject {
                    re: Some(re),
                    reject,
                }) if reject.code == RejectCode::NotSeeking => Seen::NotSeeking(re.get()),
                _ => Seen::Other,
            },
            QueueEvent::Outgoing(_)
            | QueueEvent::Close(_)
            | QueueEvent::WritePending
            | QueueEvent::Behind => Seen::Other,
        })
    }

    async fn next_message(&mut self) -> LobbyMessage {
        let message = timeout(Duration::from_secs(60), self.lobby.receiver.recv()).await;
        message
            .expect("the lobby gets a message")
            .expect("the task runs")
    }

    /// Returns the number of the meeting and the origin of the next seek in the lobby.
    async fn next_seek(&mut self) -> (Option<u64>, SeekOrigin) {
        let message = self.next_message().await;
        let LobbyMessage::Seek(seek, contact) = message else {
            panic!("expected a seek: {message:?}")
        };
        (seek.meeting, contact.origin.unwrap())
    }

    async fn expect_withdrawal(&mut self) {
        let message = self.next_message().await;
        assert!(
            matches!(message, LobbyMessage::Withdraw(ConnectionId(7))),
            "{message:?}"
        );
    }
}

fn meeting() -> Meeting {
    Meeting {
        node: NODE.0,
        number: 5,
        rules: "3x3:3".parse().unwrap(),
        clock: None,
        seat: Seat::X,
    }
}

#[tokio::test(start_paused = true)]
async fn a_seek_whose_partner_does_not_come_returns_to_the_lobby() {
    let test = async {
        let mut seek = TestSeek::start(None).await;
        let (number, origin) = seek.next_seek().await;
        assert_eq!((number, origin.node), (None, Some(NODE.0)));
        origin.end.send(SeekEnd::Paired(meeting())).unwrap();
        let (number, origin) = seek.next_seek().await;
        let arrived_at = Instant::now();
        assert_eq!((number, origin.node), (Some(5), Some(NODE.0)));
        seek.expect_withdrawal().await;
        assert!(arrived_at.elapsed() >= MEETING_TIMEOUT);
        origin.end.send(SeekEnd::Withdrawn).unwrap();
        let (number, origin) = seek.next_seek().await;
        assert_eq!(
            (number, origin.node),
            (None, None),
            "it meets in the lobby next time"
        );
        assert_eq!(seek.next_seen().await, None, "the client does not notice");
    };
    LocalSet::new().run_until(test).await;
}

#[tokio::test(start_paused = true)]
async fn a_seek_whose_meeting_fails_after_a_long_wait_returns_to_the_lobby() {
    let test = async {
        let mut seek = TestSeek::start(None).await;
        let (_, origin) = seek.next_seek().await;
        sleep(Duration::from_secs(60)).await;
        origin.end.send(SeekEnd::Paired(meeting())).unwrap();
        let (number, origin) = seek.next_seek().await;
        assert_eq!(number, Some(5));
        origin.end.send(SeekEnd::Moved).unwrap();
        let (number, _) = seek.next_seek().await;
        assert_eq!(number, None);
        assert_eq!(seek.next_seen().await, None, "the client does not notice");
    };
    LocalSet::new().run_until(test).await;
}

#[tokio::test(start_paused = true)]
async fn a_seek_finds_the_lobby_of_a_node_that_stops_slowly() {
    let test = async {
        let mut seek = TestSeek::start(None).await;
        let found_at = Instant::now() + PLACE_TIMEOUT + seek.ctx.limits.drain_timeout;
        while Instant::now() < found_at {
            let (_, origin) = seek.next_seek().await;
            origin.end.send(SeekEnd::Moved).unwrap();
        }
        let (_, _origin) = seek.next_seek().await;
        assert_eq!(seek.next_seen().await, None, "the client does not notice");
    };
    LocalSet::new().run_until(test).await;
}

#[tokio::test(start_paused = true)]
async fn a_seek_that_was_paired_when_its_lobby_was_lost_gets_the_seat() {
    let test = async {
        let party = Party::from_bits(3);
        let mut seek = TestSeek::start(Some(party)).await;
        let (_, origin) = seek.next_seek().await;
        let (lost_queue, lost) = without_stream(64);
        let mut seated = JoinRequest::of_person(ConnectionId(8), lost_queue);
        seated.party = Some(party);
        let rules = "3x3:3".parse().unwrap();
        lobby::open_room(
            &seek.ctx,
            rules,
            None,
            true,
            vec![(seated, Seat::X)],
            vec![],
        )
        .unwrap();
        drop(lost);
        sleep(Duration::from_millis(1)).await;
        origin.end.send(SeekEnd::Lost).unwrap();
        while seek.next_seen().await != Some(Seen::EnterRoom) {
            assert!(seek.lobby.receiver.is_empty(), "placed again");
        }
    };
    LocalSet::new().run_until(test).await;
}

/// A seek, its lobby and cancels in a random order.
async fn play(rng: &mut StdRng) {
    let mut seek = TestSeek::start(None).await;
    let (mut placed, mut cancels, mut answered) = (None, 1, Vec::new());
    let (mut is_withdrawn, mut is_idle) = (false, false);
    for _ in 0..12 {
        sleep(Duration::from_millis(rng.random_range(0..30))).await;
        while let Ok(message) = seek.lobby.receiver.try_recv() {
            is_withdrawn = matches!(message, LobbyMessage::Withdraw(_));
            if let LobbyMessage::Seek(_, contact) = message {
                assert!(placed.is_none(), "in two lobbies");
                assert!(!is_idle, "placed although the client has left");
                placed = Some(contact.origin.unwrap().end);
            }
        }
        match (rng.random_range(0..6), placed.take()) {
            (0 | 1, waiting) => {
                placed = waiting;
                cancels += 1;
                let id = RequestId::new(cancels).unwrap();
                if seek.events.try_send(SeekEvent::Cancel(id)).is_err() {
                    // The router rejects the request to cancel, because the task has ended.
                    assert!(seek.events.is_closed());
                    answered.push(cancels);
                }
            }
            (2, Some(end)) => end.send(SeekEnd::Moved).unwrap(),
            (3, Some(end)) => end.send(SeekEnd::Lost).unwrap(),
            (4, Some(end)) if is_withdrawn => end.send(SeekEnd::Withdrawn).unwrap(),
            // The seek is paired.
            (5, Some(end)) => drop(end),
            (_, waiting) => placed = waiting,
        }
        while let Some(seen) = seek.next_seen().await {
            match seen {
                Seen::LeaveLobby => is_idle = true,
                Seen::Done(id) => {
                    assert!(
                        is_idle && placed.is_none(),
                        "done while the seek is in a lobby"
                    );
                    answered.push(id);
                }
                Seen::NotSeeking(id) => answered.push(id),
                Seen::EnterRoom | Seen::Other => panic!("{seen:?}"),
            }
        }
    }
    drop(placed.take());
    while let Some(Seen::Done(id) | Seen::NotSeeking(id)) = seek.next_seen().await {
        answered.push(id);
    }
    if seek.events.is_closed() {
        answered.sort_unstable();
        assert_eq!(
            answered,
            (2..=cancels).collect::<Vec<u64>>(),
            "each cancel gets one response"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_seek_is_in_one_lobby_and_each_cancel_gets_one_response() {
    let mut rng = StdRng::seed_from_u64(1);
    for _ in 0..200 {
        LocalSet::new().run_until(play(&mut rng)).await;
    }
}
