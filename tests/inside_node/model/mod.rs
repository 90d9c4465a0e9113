//! A cluster in memory: a log that misbehaves as JetStream may, and nodes that compete for it.
//!
//! The server compiles this folder for tests only: its files use internals of a node.

mod model_games;
mod model_log;
mod model_network;
mod model_node;
mod model_server;
mod model_stream;
mod planted_fault;

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use noughts_protocol::{EventRecord, RoomId};
use tokio_util::sync::CancellationToken;

use crate::ServerLimits;
use crate::cluster::cluster_log::ClusterLog;
use crate::cluster::cluster_node::ClusterNode;
use crate::cluster::log::message::{EntryKind, ShardMessage};
use crate::cluster::metered_log::ClusterMetrics;
use crate::cluster::nodes::node_options::NodeOptions;
use crate::cluster::nodes::own_node_task::NodeTask;
use crate::cluster::nodes::shard_table::ShardTable;
use crate::cluster::shard::{NodeId, ShardMap};
use crate::runtime::clock::ServerClock;
use crate::store::{Checkpoint, RoomSecrets, decode_secrets};
pub(crate) use model_games::ModelGames;
pub(crate) use model_log::{ModelFaults, ModelLog};
pub(crate) use model_network::{ModelConnections, ModelNetwork};
use model_node::ModelNode;
pub use model_server::ModelServer;
pub use planted_fault::PlantedFault;

/// Content of an entry that the log has stored. Compaction stores entries again.
#[derive(Clone, Debug)]
pub enum StoredChange {
    /// A room exists with these secrets.
    Secrets(RoomSecrets),
    /// Events of a room, in order.
    Events(RoomId, Vec<EventRecord>),
    /// A checkpoint of a room.
    Checkpoint(RoomId, Checkpoint),
    /// A room is deleted.
    Deleted(RoomId),
}

/// The log of a cluster, and the network of its nodes, which are numbered.
pub struct ModelCluster {
    log: Arc<ModelLog>,
    map: ShardMap,
    network: Arc<ModelNetwork>,
    /// For each node, whether it reaches neither the log nor other nodes.
    is_cut: Vec<Arc<AtomicBool>>,
}

impl ModelCluster {
    /// Creates a cluster of `nodes` nodes that serve `shards` shards, a power of two. `now` is the time since the start
    /// of the test; `on_stored` gets each stored entry in order.
    ///
    /// # Panics
    /// If the number of shards is not a power of two.
    pub fn new(
        seed: u64,
        [nodes, shards]: [u16; 2],
        planted: Option<PlantedFault>,
        now: impl Fn() -> Duration + Send + Sync + 'static,
        on_stored: impl Fn(StoredChange) + Send + Sync + 'static,
    ) -> ModelCluster {
        let on_message = move |message: &ShardMessage| {
            stored_changes(message).into_iter().for_each(&on_stored);
        };
        let faults = ModelFaults {
            percent: 0,
            planted,
        };
        let log = Arc::new(ModelLog::observed(seed, faults, now, on_message));
        ModelCluster {
            network: Arc::new(ModelNetwork::new(Arc::clone(&log))),
            log,
            map: ShardMap::new(shards).expect("a power of two"),
            is_cut: (0..nodes).map(|_| Arc::default()).collect(),
        }
    }

    /// Changes the share of accesses to the log that misbehave, in percent.
    pub fn set_misbehaviour(&self, percent: u32) {
        self.log.set_percent(percent);
    }

    /// Removes the leader of the log for `time`.
    pub fn interrupt(&self, time: Duration) {
        self.log.interrupt(time);
    }

    /// Cuts a node off from the log and the other nodes, or connects it again.
    pub fn set_cut(&self, node: usize, is_cut: bool) {
        self.is_cut[node].store(is_cut, Ordering::Relaxed);
    }

    /// Starts the process of a node. Waits until it owns at least one shard and has claimed all shards that no other
    /// node owns.
    ///
    /// # Errors
    /// If a shard is corrupt.
    pub async fn start_node(
        &self,
        node: usize,
        id: [u8; 16],
        limits: &ServerLimits,
        time: ServerClock,
    ) -> Result<ModelServer, String> {
        let (id, is_cut) = (NodeId(id), Arc::clone(&self.is_cut[node]));
        let log = Arc::new(ModelNode::new(Arc::clone(&self.log), Arc::clone(&is_cut)));
        let ModelConnections {
            heartbeats,
            bus,
            relays,
        } = self.network.connect(id, is_cut);
        let table = Arc::new(ShardTable::new(self.map));
        let options = NodeOptions {
            node: id,
            relay: relays.address,
            time,
            write_timeout: limits.append_timeout,
            settle_timeout: Duration::from_secs(2),
        };
        let metrics = ClusterMetrics::default();
        let (games, steps) = (Arc::new(ModelGames::new(0, 0)), Arc::default());
        let (mut task, events) = NodeTask::new(
            log,
            games,
            heartbeats,
            Arc::clone(&table),
            options,
            metrics,
            steps,
        );
        task.run_until_settled()
            .await
            .map_err(|error| error.to_string())?;
        let stopping = CancellationToken::new();
        let log = ClusterLog::new(Arc::clone(&table), stopping.clone());
        let node = ClusterNode::new(id, &log, events, bus, relays);
        Ok(ModelServer {
            log: Arc::new(log),
            node,
            task,
            table,
            stopping,
        })
    }

    /// Reads all shards like an auditor, without the code of the nodes.
    ///
    /// # Errors
    /// Returns the first violation.
    pub fn audit(&self) -> Result<(), String> {
        self.map.shards().try_for_each(|shard| {
            self.log
                .audit(shard)
                .map_err(|violation| format!("shard {shard}: {violation}"))
        })
    }
}

impl fmt::Debug for ModelCluster {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ModelCluster")
            .field("network", &self.network)
            .finish_non_exhaustive()
    }
}

/// Returns the entries of a message that concern rooms.
fn stored_changes(message: &ShardMessage) -> Vec<StoredChange> {
    let entries = message.entries().filter_map(|entry| {
        let room = entry.room;
        Some(match entry.kind {
            EntryKind::Secrets => StoredChange::Secrets(decode_secrets(room, entry.body)?),
            EntryKind::Events => {
                StoredChange::Events(room, serde_json::from_slice(entry.body).ok()?)
            }
            EntryKind::Checkpoint => StoredChange::Checkpoint(
                room,
                Checkpoint {
                    seq: entry.first,
                    body: entry.body.to_vec(),
                },
            ),
            EntryKind::Deleted => StoredChange::Deleted(room),
            EntryKind::Finished | EntryKind::Published => return None,
        })
    });
    entries.collect()
}
