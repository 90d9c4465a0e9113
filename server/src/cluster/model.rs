//! A cluster in memory, for tests: a log that misbehaves as JetStream may, and nodes that compete for it.

mod model_log;
mod model_node;
mod planted_fault;

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures::FutureExt;
use futures::future::LocalBoxFuture;
use noughts_protocol::{EventRecord, RoomId};
use tokio::sync::watch;
use tokio::time::sleep;

use crate::cluster::cluster_log;
use crate::cluster::log::message::{EntryKind, ShardMessage};
use crate::cluster::shard::{NodeId, ShardMap};
use crate::runtime::sync::lock::lock;
use crate::runtime::time::server_clock::ServerClock;
use crate::store::stored_secrets::decode_secrets;
use crate::store::{Checkpoint, EventLog, RoomSecrets};
pub(crate) use model_log::{ModelFaults, ModelLog};
use model_node::ModelNode;
pub use planted_fault::PlantedFault;

/// Time without a heartbeat of the serving node after which another one claims.
const SUSPECT_AFTER: Duration = Duration::from_millis(2500);

/// Interval in which a node looks for heartbeats.
const LISTEN_INTERVAL: Duration = Duration::from_millis(100);

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

/// What one node knows of the others.
#[derive(Debug)]
struct NodeContact {
    /// Whether the node reaches neither the log nor other nodes.
    is_cut: Arc<AtomicBool>,
    /// Time of the last heartbeat, while the node serves.
    beat: Option<Duration>,
    /// Changes when another node serves, too.
    rivals: watch::Sender<()>,
}

/// The log of a cluster and its nodes, which are numbered.
pub struct ModelCluster {
    log: Arc<ModelLog>,
    map: ShardMap,
    contacts: Mutex<Vec<NodeContact>>,
}

/// A running node: its log, and the future that runs its writers until they end.
pub type ModelNodeLog = (Arc<dyn EventLog>, LocalBoxFuture<'static, ()>);

impl ModelCluster {
    /// A cluster of `nodes` nodes that serve `shards` shards, a power of two. `now` is the time since the start of the
    /// test; `on_stored` gets each stored entry in order.
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
        let faults = ModelFaults { percent: 0, planted };
        let contact = || NodeContact { is_cut: Arc::default(), beat: None, rivals: watch::Sender::new(()) };
        ModelCluster {
            log: Arc::new(ModelLog::observed(seed, faults, now, on_message)),
            map: ShardMap::new(shards).expect("a power of two"),
            contacts: Mutex::new((0..nodes).map(|_| contact()).collect()),
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
        lock(&self.contacts)[node].is_cut.store(is_cut, Ordering::Relaxed);
    }

    /// Waits until no heartbeat of another node was heard for 2.5 s.
    pub async fn wait_for_turn(&self, node: usize) {
        let mut silent_since = self.log.now();
        loop {
            sleep(LISTEN_INTERVAL).await;
            let now = self.log.now();
            let contacts = lock(&self.contacts);
            let hears_none = contacts[node].is_cut.load(Ordering::Relaxed);
            let others = contacts.iter().enumerate().filter(|(other, _)| *other != node);
            let last = others.filter_map(|(_, contact)| contact.beat).max();
            // Without a connection to the others, silence means nothing.
            silent_since = if hears_none { now } else { silent_since.max(last.unwrap_or_default()) };
            if now.saturating_sub(silent_since) >= SUSPECT_AFTER {
                return;
            }
        }
    }

    /// Sends a heartbeat of a serving node.
    pub fn send_heartbeat(&self, node: usize) {
        let mut contacts = lock(&self.contacts);
        if contacts[node].is_cut.load(Ordering::Relaxed) {
            return;
        }
        contacts[node].beat = Some(self.log.now());
        for (other, contact) in contacts.iter().enumerate() {
            if other != node && !contact.is_cut.load(Ordering::Relaxed) {
                contact.rivals.send_replace(());
            }
        }
    }

    /// Announces that a node serves no longer.
    pub fn announce_leave(&self, node: usize) {
        lock(&self.contacts)[node].beat = None;
    }

    /// Lets a node claim all shards, whether another one owns them or not.
    ///
    /// # Errors
    /// If a shard is corrupt.
    pub async fn open_log(
        &self,
        node: usize,
        id: [u8; 16],
        time: ServerClock,
        write_timeout: Duration,
    ) -> Result<ModelNodeLog, String> {
        let (is_cut, rivals) = {
            let contacts = lock(&self.contacts);
            (Arc::clone(&contacts[node].is_cut), contacts[node].rivals.subscribe())
        };
        let log = Arc::new(ModelNode::new(Arc::clone(&self.log), is_cut));
        let started = cluster_log::start(log, self.map, rivals, NodeId(id), time, write_timeout).await;
        let (log, writers) = started.map_err(|error| error.to_string())?;
        Ok((Arc::new(log), writers.boxed_local()))
    }

    /// Reads all shards as an auditor does, without the code of the nodes.
    ///
    /// # Errors
    /// The first violation.
    pub fn audit(&self) -> Result<(), String> {
        self.map.shards().try_for_each(|shard| {
            self.log.audit(shard).map_err(|violation| format!("shard {shard}: {violation}"))
        })
    }
}

impl fmt::Debug for ModelCluster {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ModelCluster").field("contacts", &self.contacts).finish_non_exhaustive()
    }
}

/// The entries of a message that concern rooms.
fn stored_changes(message: &ShardMessage) -> Vec<StoredChange> {
    let entries = message.entries().filter_map(|entry| {
        let room = entry.room;
        Some(match entry.kind {
            EntryKind::Secrets => StoredChange::Secrets(decode_secrets(room, entry.body)?),
            EntryKind::Events => StoredChange::Events(room, serde_json::from_slice(entry.body).ok()?),
            EntryKind::Checkpoint => {
                StoredChange::Checkpoint(room, Checkpoint { seq: entry.first, body: entry.body.to_vec() })
            }
            EntryKind::Deleted => StoredChange::Deleted(room),
            EntryKind::Uptime => return None,
        })
    });
    entries.collect()
}
