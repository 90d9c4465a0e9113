//! Tests of several nodes over one model of the log.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use noughts_protocol::{RoomId, Seq};
use tokio::sync::mpsc::Receiver;
use tokio::task::{JoinHandle, LocalSet};
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use super::own_node_task::{NodeTask, ShardEvent};
use super::shard_owners::ShardLocation;
use super::shard_table::ShardTable;
use crate::cluster::cluster_log::ClusterLog;
use crate::cluster::metered_log::ClusterMetrics;
use crate::cluster::model::{ModelFaults, ModelGames, ModelLog, ModelNetwork};
use crate::cluster::shard::{NodeId, Shard, ShardMap};
use crate::cluster::tests::{event, node_options, room_secrets};
use crate::runtime::clock::ServerClock;
use crate::store::EventLog;

const SHARDS: u16 = 16;

struct TestNode {
    log: ClusterLog,
    table: Arc<ShardTable>,
    stopping: CancellationToken,
    task: JoinHandle<()>,
    events: Option<Receiver<ShardEvent>>,
}

struct TestCluster {
    model: Arc<ModelLog>,
    network: Arc<ModelNetwork>,
    time: ServerClock,
    map: ShardMap,
}

impl TestCluster {
    fn new() -> TestCluster {
        let model = Arc::new(ModelLog::new(1, ModelFaults::NONE));
        let (time, map) = (
            ServerClock::from_unix_ms(1_000_000),
            ShardMap::new(SHARDS).unwrap(),
        );
        let network = Arc::new(ModelNetwork::new(Arc::clone(&model)));
        TestCluster {
            model,
            network,
            time,
            map,
        }
    }

    /// Starts a node, and returns it when it serves.
    async fn start_node(&self, id: u8) -> TestNode {
        let heartbeats = self
            .network
            .connect(NodeId([id; 16]), Arc::default())
            .heartbeats;
        let table = Arc::new(ShardTable::new(self.map));
        let (options, stopping) = (node_options(id, &self.time), CancellationToken::new());
        let (log, steps) = (Arc::clone(&self.model), Arc::<AtomicU64>::default());
        let (games, metrics) = (Arc::new(ModelGames::new(0, 0)), ClusterMetrics::default());
        let (mut node, events) = NodeTask::new(
            log,
            games,
            heartbeats,
            Arc::clone(&table),
            options,
            metrics,
            steps,
        );
        node.run_until_settled().await.unwrap();
        let task = tokio::task::spawn_local(node.run(stopping.clone()));
        let log = ClusterLog::new(Arc::clone(&table), stopping.clone());
        TestNode {
            log,
            table,
            stopping,
            task,
            events: Some(events),
        }
    }
}

impl TestNode {
    fn owned(&self) -> Vec<Shard> {
        (0..SHARDS)
            .map(Shard)
            .filter(|shard| self.table.own(*shard).is_some())
            .collect()
    }
}

/// Returns the number of shards of each node. Each shard must have one owner, which all nodes know.
fn owners(nodes: &[&TestNode]) -> Vec<usize> {
    for shard in (0..SHARDS).map(Shard) {
        let owning = nodes
            .iter()
            .filter(|node| node.table.own(shard).is_some())
            .count();
        assert_eq!(owning, 1, "shard {shard}");
        for node in nodes {
            let is_own = node.table.location(shard) == ShardLocation::Own;
            assert_eq!(is_own, node.table.own(shard).is_some());
            assert_ne!(node.table.location(shard), ShardLocation::Unowned);
        }
    }
    nodes.iter().map(|node| node.owned().len()).collect()
}

#[tokio::test(start_paused = true)]
async fn nodes_share_the_shards_and_take_over_those_of_a_killed_one() {
    let test = async {
        let cluster = TestCluster::new();
        let mut first = cluster.start_node(1).await;
        assert_eq!(first.owned().len(), 16, "the only node has all shards");
        // Without a receiver of its events, the node releases shards immediately.
        first.events = None;
        let joined = Instant::now();
        let second = cluster.start_node(2).await;
        assert!(
            joined.elapsed() < Duration::from_secs(10),
            "{:?}",
            joined.elapsed()
        );
        sleep(Duration::from_secs(5)).await;
        let third = cluster.start_node(3).await;
        sleep(Duration::from_secs(10)).await;
        let counts = owners(&[&first, &second, &third]);
        assert!(counts.iter().all(|count| *count > 0), "{counts:?}");
        // A room of the second node.
        let room = (0..).find(|room| {
            second
                .table
                .own(cluster.map.of_room(RoomId::from_bits(*room)))
                .is_some()
        });
        let room = room.expect("a room of one of its shards");
        second
            .log
            .create(room_secrets(room), vec![event(1, 1)])
            .await
            .unwrap();
        let elsewhere = first.log.load(RoomId::from_bits(room)).await;
        assert!(elsewhere.is_err(), "{elsewhere:?}");
        second.task.abort();
        sleep(Duration::from_secs(4)).await;
        let counts = owners(&[&first, &third]);
        assert!(counts.iter().all(|count| *count > 0), "{counts:?}");
        let shard = cluster.map.of_room(RoomId::from_bits(room));
        let new_owner = if first.table.own(shard).is_some() {
            &first
        } else {
            &third
        };
        let stored = new_owner
            .log
            .events_since(RoomId::from_bits(room), Seq::ZERO)
            .await
            .unwrap();
        assert_eq!(stored, [event(1, 1)]);
    };
    LocalSet::new().run_until(test).await;
}

#[tokio::test(start_paused = true)]
async fn the_shards_of_a_node_that_stops_move_at_once() {
    let test = async {
        let cluster = TestCluster::new();
        let mut first = cluster.start_node(1).await;
        first.events = None;
        let second = cluster.start_node(2).await;
        sleep(Duration::from_secs(5)).await;
        assert!(owners(&[&first, &second]).iter().all(|count| *count > 0));
        second.stopping.cancel();
        second.table.clear();
        second.task.await.unwrap();
        sleep(Duration::from_millis(300)).await;
        assert_eq!(owners(&[&first]), [16]);
    };
    LocalSet::new().run_until(test).await;
}

#[tokio::test(start_paused = true)]
async fn a_node_that_leaves_keeps_its_shards_and_gives_none_to_a_new_one() {
    let test = async {
        let cluster = TestCluster::new();
        let first = cluster.start_node(1).await;
        first.table.announce_stop();
        let second = cluster.start_node(2).await;
        assert_eq!(owners(&[&first, &second]), [16, 0]);
    };
    LocalSet::new().run_until(test).await;
}

#[tokio::test(start_paused = true)]
async fn a_server_keeps_a_shard_until_it_has_ended_the_rooms() {
    let test = async {
        let cluster = TestCluster::new();
        let mut first = cluster.start_node(1).await;
        let mut events = first.events.take().expect("taken once");
        let mut claimed = BTreeMap::new();
        while let Ok(event) = events.try_recv() {
            let ShardEvent::Claimed(shard) = event else {
                panic!("{event:?}")
            };
            claimed.insert(shard.shard, shard.rooms.len());
        }
        assert_eq!(claimed.len(), 16);
        let joining = cluster.start_node(2);
        let releasing = async {
            let event = events.recv().await.expect("the node runs");
            let ShardEvent::Releasing(shard, guard) = event else {
                panic!("{event:?}")
            };
            // The server completes the requests of its rooms.
            sleep(Duration::from_secs(3)).await;
            assert!(first.table.own(shard).is_some());
            assert_eq!(first.table.location(shard), ShardLocation::Own);
            drop(guard);
            sleep(Duration::from_millis(300)).await;
            assert_eq!(
                first.table.location(shard),
                ShardLocation::Remote(NodeId([2; 16]))
            );
        };
        tokio::join!(joining, releasing);
    };
    LocalSet::new().run_until(test).await;
}
