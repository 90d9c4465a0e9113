//! Rooms that cannot be restored, and rooms with failing tasks, on a node in paused time.

use std::sync::Arc;
use std::time::Duration;

use noughts_protocol::wire::RejectCode;
use noughts_protocol::{
    Event, EventRecord, Player, PlayerKind, ResumeToken, RoomCode, RoomId, RoomRef, Seat, Seq,
};
use tokio::task::LocalSet;
use tokio::time::{Instant, sleep};

use super::*;
use crate::cluster::cluster_log::ClusterLog;
use crate::cluster::model::{ModelFaults, ModelLog, ModelNetwork};
use crate::cluster::shard::{NodeId, ShardMap};
use crate::cluster::tests::{claim_again, start_node};
use crate::lobby::handle::{feed_channel, lobby_channel};
use crate::lobby::task as lobby;
use crate::room::handle::{ConnectionId, JoinRequest, RoomRequest, room_channel};
use crate::runtime::clock::ServerClock;
use crate::send_queue::{Outgoing, QueueEvent, SendQueueReceiver, without_stream};
use crate::store::{EventLog, RoomSecrets};

const SHARD: Shard = Shard(0);

/// A node with one shard, before it opens the rooms of the shard.
struct TestNode {
    model: Arc<ModelLog>,
    log: Arc<ClusterLog>,
    ctx: ServerContext,
    rooms: Arc<NodeRooms>,
}

impl TestNode {
    async fn start() -> TestNode {
        let model = Arc::new(ModelLog::new(1, ModelFaults::NONE));
        let time = ServerClock::from_unix_ms(1_000_000);
        let log = start_node(&model, ShardMap::new(1).unwrap(), 1, &time).await;
        let ((lobby, _), (feed, _)) = (lobby_channel(1), feed_channel(1));
        let rng = ServerRng::from_seed(1);
        let event_log = Arc::clone(&log) as Arc<dyn EventLog>;
        let ctx = ServerContext::new(Arc::default(), event_log, rng, time, lobby, feed);
        let network = Arc::new(ModelNetwork::new(Arc::clone(&model)));
        let connections = network.connect(NodeId([1; 16]), Arc::default());
        let table = Arc::clone(log.table());
        let (relays, _) = NodeRelays::new(
            NodeId([1; 16]),
            Arc::clone(&table),
            connections.relays,
            log.metrics().clone(),
        );
        let rooms = Arc::new(NodeRooms::new(table, Arc::new(relays)));
        rooms.set_context(Some(ctx.clone()));
        ctx.set_placement(Arc::clone(&rooms) as Arc<dyn RoomPlacement>);
        TestNode {
            model,
            log,
            ctx,
            rooms,
        }
    }

    /// Stores a room in the log.
    async fn create(&self, room: u64, code: Option<u64>, events: Vec<EventRecord>) {
        self.log.create(secrets(room, code), events).await.unwrap();
    }

    /// Opens the rooms that the log has.
    async fn open(&self) {
        let rooms = self.log.recover().await.unwrap();
        let epoch = self.log.table().own(SHARD).unwrap().epoch;
        self.rooms.open(
            &self.ctx,
            ClaimedShard {
                shard: SHARD,
                epoch,
                rooms,
            },
        );
    }

    /// Sends a request to watch a room, and returns how the registry and the room reply. Returns `None` if the room is
    /// unknown.
    fn watch(&self, room: RoomRef) -> Option<Result<SendQueueReceiver<RoomHandle>, RejectCode>> {
        let handle = self.ctx.shared.registry.find(room)?;
        let (send_queue, receiver) = without_stream(64);
        let joiner = Box::new(JoinRequest::of_person(ConnectionId(7), send_queue));
        Some(
            handle
                .try_send(RoomRequest::Watch(joiner))
                .map(|()| receiver),
        )
    }

    fn code_of_watch(&self, room: RoomRef) -> Option<RejectCode> {
        self.watch(room).and_then(Result::err)
    }

    fn unavailable_count(&self) -> usize {
        self.ctx.shared.registry.unavailable_count()
    }
}

/// Returns the next text that a client gets.
async fn next_text(receiver: &mut SendQueueReceiver<RoomHandle>) -> String {
    loop {
        if let QueueEvent::Outgoing(Outgoing::Text(text)) = receiver.next().await {
            return text.to_string();
        }
    }
}

fn secrets(room: u64, code: Option<u64>) -> RoomSecrets {
    let tokens = [1, 2].map(|seat| ResumeToken::from_bits(u128::from(room) << 64 | seat));
    let (room, code) = (RoomId::from_bits(room), code.map(RoomCode::from_bits));
    RoomSecrets {
        room,
        code,
        tokens,
        parties: [None; 2],
        left: [false; 2],
    }
}

fn record(seq: u64, event: Event) -> EventRecord {
    EventRecord {
        seq: Seq::new(seq),
        at: 1,
        by: None,
        event,
    }
}

fn opened(public: bool) -> EventRecord {
    let rules = "3x3:3".parse().unwrap();
    record(
        1,
        Event::Opened {
            rules,
            clock: None,
            public,
            free_first_moves: false,
        },
    )
}

/// Returns an event that no room has after its first event.
fn impossible(seq: u64) -> EventRecord {
    record(seq, Event::Started { game: 7 })
}

fn id(room: u64) -> RoomRef {
    RoomRef::Id(RoomId::from_bits(room))
}

fn code(bits: u64) -> RoomRef {
    RoomRef::Code(RoomCode::from_bits(bits))
}

#[tokio::test(start_paused = true)]
async fn a_room_that_cannot_be_restored_is_unavailable_and_the_others_are_served() {
    let test = async {
        let node = TestNode::start().await;
        node.create(1, None, vec![opened(true)]).await;
        node.create(2, None, vec![opened(true), impossible(2)])
            .await;
        node.create(3, Some(9), vec![opened(false), impossible(2)])
            .await;
        node.open().await;
        assert!(node.rooms.is_serving(SHARD));
        assert_eq!(node.unavailable_count(), 2);
        let mut watching = node.watch(id(1)).expect("restored").expect("it runs");
        assert!(next_text(&mut watching).await.contains("snapshot"));
        for room in [id(2), code(9)] {
            assert_eq!(
                node.code_of_watch(room),
                Some(RejectCode::Unavailable),
                "{room}"
            );
        }
        assert!(
            node.watch(id(3)).is_none(),
            "a private room is found by its code only"
        );
        let registry = &node.ctx.shared.registry;
        for room in [2, 3] {
            let find = |token| registry.find_by_token(RoomId::from_bits(room), token);
            let seat = find(secrets(room, None).tokens[1]).expect("a valid token");
            assert_eq!(
                seat.try_send(RoomRequest::GiveWay),
                Err(RejectCode::Unavailable)
            );
            assert!(find(ResumeToken::from_bits(5)).is_none(), "a wrong token");
        }
        assert!(
            registry
                .list()
                .iter()
                .all(|listing| listing.room == RoomId::from_bits(1))
        );
        // The log keeps the history for the operator, and a new room does not replace it.
        sleep(Duration::from_secs(60)).await;
        assert_eq!(node.log.recover().await.unwrap().len(), 3);
        let taken = [secrets(2, None), secrets(4, Some(9))];
        for secrets in taken {
            let (handle, _inbox) = room_channel(secrets.room, 1);
            assert_eq!(
                registry.insert(handle, &secrets, false, 0),
                Err(RejectCode::Busy)
            );
        }
        node.rooms.end(&node.ctx, SHARD).await;
        assert_eq!(node.unavailable_count(), 0, "another node is responsible");
        assert!(node.watch(id(2)).is_none());
    };
    LocalSet::new().run_until(test).await;
}

#[tokio::test(start_paused = true)]
async fn a_room_is_absent_only_if_one_claim_lasts_from_the_look_up_to_the_confirmation() {
    let test = async {
        let node = TestNode::start().await;
        node.open().await;
        let find = || {
            let found = node.ctx.find_here(id(1), |registry| registry.find(id(1)));
            found.map(|found| found.expect_err("the node has no room"))
        };
        let absent = find().unwrap();
        assert_eq!(node.ctx.confirm_absence(absent).await, Ok(()));
        // Another node has owned the shard meanwhile, the room was created there, and this node owns the shard again.
        claim_again(&node.model, &node.log).await;
        node.create(1, None, vec![opened(true)]).await;
        let stale = node.ctx.confirm_absence(absent).await;
        assert_eq!(stale, Err(RejectCode::Unavailable));
        // The rooms of its earlier claim have not ended.
        assert_eq!(find().unwrap_err(), RejectCode::Unavailable);
        node.rooms.end(&node.ctx, SHARD).await;
        assert_eq!(find().unwrap_err(), RejectCode::Unavailable);
        node.open().await;
        let mut watching = node.watch(id(1)).expect("restored").expect("it runs");
        assert!(next_text(&mut watching).await.contains("snapshot"));
    };
    LocalSet::new().run_until(test).await;
}

#[tokio::test(start_paused = true)]
async fn a_room_whose_earlier_task_has_not_ended_is_restored_later() {
    let test = async {
        let node = TestNode::start().await;
        node.create(1, None, vec![opened(true)]).await;
        node.create(2, None, vec![opened(true)]).await;
        let registry = &node.ctx.shared.registry;
        let earlier = |room| {
            let (handle, inbox) = room_channel(RoomId::from_bits(room), 1);
            registry
                .restore(handle, &secrets(room, None), true)
                .unwrap();
            drop(inbox);
        };
        earlier(1);
        earlier(2);
        node.open().await;
        assert!(node.rooms.is_serving(SHARD));
        sleep(Duration::from_secs(100)).await;
        assert_eq!(node.code_of_watch(id(1)), Some(RejectCode::Unavailable));
        // The last acts of the earlier tasks: one has stored an event, the other has closed its room.
        let player = Player::guest("Ann".parse().unwrap(), PlayerKind::Person);
        let seated = record(
            2,
            Event::Seated {
                seat: Seat::X,
                player,
            },
        );
        node.log
            .append(RoomId::from_bits(1), vec![seated], None)
            .await
            .unwrap();
        node.log.delete(RoomId::from_bits(2)).await.unwrap();
        for room in [1, 2] {
            registry.remove(RoomId::from_bits(room), None);
            assert_eq!(
                node.code_of_watch(id(room)),
                Some(RejectCode::Unavailable),
                "not unknown meanwhile"
            );
        }
        sleep(Duration::from_secs(16)).await;
        let mut watching = node.watch(id(1)).expect("restored").expect("it runs");
        assert!(next_text(&mut watching).await.contains(r#""seq":2"#));
        assert!(node.watch(id(2)).is_none(), "it has closed");
        assert_eq!(node.unavailable_count(), 0);
        node.rooms.end(&node.ctx, SHARD).await;
    };
    LocalSet::new().run_until(test).await;
}

#[tokio::test(start_paused = true)]
async fn a_room_that_is_lost_is_unavailable() {
    let test = async {
        let node = TestNode::start().await;
        node.create(1, None, vec![opened(true)]).await;
        node.open().await;
        let mut watching = node.watch(id(1)).expect("restored").expect("it runs");
        next_text(&mut watching).await;
        let handle = node.ctx.shared.registry.find(id(1)).unwrap();
        // The log contradicts the room, and has no history to rebuild the room from.
        node.log
            .append(RoomId::from_bits(1), vec![impossible(2)], None)
            .await
            .unwrap();
        let token = secrets(1, None).tokens[0];
        let (send_queue, mut receiver) = without_stream(64);
        let joiner = Box::new(JoinRequest::of_person(ConnectionId(7), send_queue));
        handle.try_send(RoomRequest::Join(joiner)).unwrap();
        let closed = async { while !matches!(receiver.next().await, QueueEvent::Close(_)) {} };
        closed.await;
        sleep(Duration::from_secs(60)).await;
        assert_eq!(node.ctx.shared.metrics.rooms_lost.get(), 1);
        assert_eq!(
            handle.try_send(RoomRequest::GiveWay),
            Err(RejectCode::Unavailable)
        );
        assert_eq!(node.code_of_watch(id(1)), Some(RejectCode::Unavailable));
        let registry = &node.ctx.shared.registry;
        let seat = registry.find_by_token(RoomId::from_bits(1), token);
        assert_eq!(
            seat.unwrap().try_send(RoomRequest::GiveWay),
            Err(RejectCode::Unavailable)
        );
        assert_eq!(node.unavailable_count(), 1);
    };
    LocalSet::new().run_until(test).await;
}

#[tokio::test(start_paused = true)]
async fn a_request_to_a_room_whose_creation_fails_is_rejected_with_unavailable() {
    let test = async {
        let node = TestNode::start().await;
        node.open().await;
        // The node is replaced, so the log stores nothing more.
        let time = ServerClock::from_unix_ms(1_000_000);
        let _owner = start_node(&node.model, ShardMap::new(1).unwrap(), 2, &time).await;
        let room = ServerRng::from_seed(1).new_room_id();
        lobby::open_room(
            &node.ctx,
            "3x3:3".parse().unwrap(),
            None,
            true,
            vec![],
            vec![],
        )
        .unwrap();
        let mut watching = node
            .watch(RoomRef::Id(room))
            .expect("registered before it is created")
            .unwrap();
        let reject = next_text(&mut watching).await;
        assert!(reject.contains(r#""code":"unavailable""#), "{reject}");
    };
    LocalSet::new().run_until(test).await;
}

#[tokio::test(start_paused = true)]
async fn a_creation_is_rejected_within_the_append_timeout_while_the_log_does_not_answer() {
    let test = async {
        let node = TestNode::start().await;
        node.open().await;
        node.model.interrupt(Duration::from_secs(60));
        let (send_queue, mut receiver) = without_stream(64);
        let joiner = JoinRequest::of_person(ConnectionId(7), send_queue);
        let (rules, asked) = ("3x3:3".parse().unwrap(), Instant::now());
        lobby::open_room(
            &node.ctx,
            rules,
            None,
            true,
            vec![(joiner, Seat::X)],
            vec![],
        )
        .unwrap();
        let reject = next_text(&mut receiver).await;
        assert!(reject.contains(r#""code":"unavailable""#), "{reject}");
        let limit = node.ctx.limits.append_timeout + Duration::from_millis(100);
        assert!(asked.elapsed() < limit, "{:?}", asked.elapsed());
        // The log stores the room although the client was rejected, and then deletes it.
        sleep(Duration::from_secs(70)).await;
        assert!(node.log.recover().await.unwrap().is_empty());
    };
    LocalSet::new().run_until(test).await;
}
