//! The shards of this node and the locations of all other shards, for all threads.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, RwLock, RwLockReadGuard, RwLockWriteGuard, Weak};

use noughts_protocol::RoomCode;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::cluster::nodes::code_table::CodeTable;
use crate::cluster::nodes::shard_owners::ShardLocation;
use crate::cluster::relay::relay_address::RelayAddress;
use crate::cluster::shard::{Epoch, NodeId, Shard, ShardMap};
use crate::store::writer::{JobQueue, WriterHealth};

/// The writer of a shard that this node owns.
#[derive(Clone, Debug)]
pub(crate) struct OwnShard {
    pub(crate) epoch: Epoch,
    pub(crate) queue: Arc<JobQueue>,
    pub(crate) health: Arc<WriterHealth>,
}

/// Another live node.
#[derive(Debug)]
struct OtherNode {
    address: RelayAddress,
    /// Cancelled when the node stops being live.
    gone: CancellationToken,
}

#[derive(Debug)]
struct TableState {
    /// By shard.
    own: Vec<Option<OwnShard>>,
    /// By shard.
    locations: Vec<ShardLocation>,
    /// Times of the last changes of the locations, by shard.
    located_at: Vec<Instant>,
    other_nodes: BTreeMap<NodeId, OtherNode>,
}

/// The state of all shards, as this node knows it.
#[derive(Debug)]
pub(crate) struct ShardTable {
    map: ShardMap,
    imported_codes: CodeTable,
    state: RwLock<TableState>,
    is_connected: AtomicBool,
    is_stop_announced: AtomicBool,
}

impl ShardTable {
    #[cfg(any(test, feature = "faults"))]
    pub(crate) fn new(map: ShardMap) -> ShardTable {
        ShardTable::with_codes(map, CodeTable::default())
    }

    /// Creates a table that finds rooms by imported codes, too.
    pub(crate) fn with_codes(map: ShardMap, imported_codes: CodeTable) -> ShardTable {
        let count = usize::from(map.count());
        let locations = vec![ShardLocation::Unowned; count];
        let located_at = vec![Instant::now(); count];
        let state = TableState {
            own: vec![None; count],
            locations,
            located_at,
            other_nodes: BTreeMap::new(),
        };
        ShardTable {
            map,
            imported_codes,
            state: RwLock::new(state),
            is_connected: AtomicBool::new(true),
            is_stop_announced: AtomicBool::new(false),
        }
    }

    pub(crate) fn map(&self) -> ShardMap {
        self.map
    }

    /// Returns the shard of the room with this code, if there is one.
    pub(crate) fn shard_of_code(&self, code: RoomCode) -> Shard {
        let imported = self.imported_codes.room(code);
        imported.map_or_else(|| self.map.of_code(code), |room| self.map.of_room(room))
    }

    fn read(&self) -> RwLockReadGuard<'_, TableState> {
        self.state
            .read()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, TableState> {
        self.state
            .write()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// Returns the writer of a shard, if this node owns the shard.
    pub(crate) fn own(&self, shard: Shard) -> Option<OwnShard> {
        self.read().own.get(shard.index()).cloned().flatten()
    }

    /// Returns the writers of all shards of this node.
    pub(crate) fn all_own(&self) -> Vec<OwnShard> {
        self.read().own.iter().flatten().cloned().collect()
    }

    /// Changes the writer of a shard. The previous writer ends when it has executed all its jobs.
    pub(crate) fn set_own(&self, shard: Shard, own: Option<OwnShard>) {
        // The previous writer is dropped after the lock is released.
        drop(std::mem::replace(&mut self.write().own[shard.index()], own));
    }

    /// Ends the writer with this queue, unless a later claim has replaced it.
    pub(crate) fn release(&self, shard: Shard, queue: &Weak<JobQueue>) {
        let mut state = self.write();
        let is_current = |own: &mut OwnShard| Weak::ptr_eq(&Arc::downgrade(&own.queue), queue);
        let released = state.own[shard.index()].take_if(is_current);
        drop(state);
        drop(released);
    }

    /// Ends all writers when their jobs are executed.
    pub(crate) fn clear(&self) {
        let count = usize::from(self.map.count());
        drop(std::mem::replace(&mut self.write().own, vec![None; count]));
    }

    pub(crate) fn location(&self, shard: Shard) -> ShardLocation {
        self.read()
            .locations
            .get(shard.index())
            .copied()
            .unwrap_or(ShardLocation::Unowned)
    }

    /// Returns the location of a shard, and the time of its last change.
    pub(crate) fn location_since(&self, shard: Shard) -> (ShardLocation, Instant) {
        let state = self.read();
        (
            state.locations[shard.index()],
            state.located_at[shard.index()],
        )
    }

    /// Returns whether another node owns a shard.
    pub(crate) fn has_shard(&self, node: NodeId) -> bool {
        self.read().locations.contains(&ShardLocation::Remote(node))
    }

    pub(crate) fn set_locations(&self, locations: Vec<ShardLocation>) {
        if self.read().locations == locations {
            return;
        }
        let (state, now) = (&mut *self.write(), Instant::now());
        for (shard, located_at) in state.located_at.iter_mut().enumerate() {
            if state.locations[shard] != locations[shard] {
                *located_at = now;
            }
        }
        state.locations = locations;
    }

    /// Returns the other live nodes, in order.
    pub(crate) fn other_nodes(&self) -> Vec<NodeId> {
        self.read().other_nodes.keys().copied().collect()
    }

    /// Returns the address of the relay listener of another node, and a token that is cancelled when the node stops
    /// being live. `None` if it is not live.
    pub(crate) fn other_node(&self, node: NodeId) -> Option<(RelayAddress, CancellationToken)> {
        let state = self.read();
        let other = state.other_nodes.get(&node)?;
        Some((other.address, other.gone.clone()))
    }

    /// Changes the other live nodes, in order.
    pub(crate) fn set_other_nodes(&self, nodes: &[(NodeId, RelayAddress)]) {
        let known = |state: &TableState| {
            state
                .other_nodes
                .iter()
                .map(|(node, other)| (*node, other.address))
                .eq(nodes.iter().copied())
        };
        if known(&self.read()) {
            return;
        }
        let state = &mut *self.write();
        let mut former = std::mem::take(&mut state.other_nodes);
        for (node, address) in nodes {
            let is_same = former
                .get(node)
                .is_some_and(|other| other.address == *address);
            let same = if is_same { former.remove(node) } else { None };
            let other = same.unwrap_or_else(|| OtherNode {
                address: *address,
                gone: CancellationToken::new(),
            });
            state.other_nodes.insert(*node, other);
        }
        former.values().for_each(|other| other.gone.cancel());
    }

    /// Returns whether the heartbeats of this node arrive.
    pub(crate) fn is_connected(&self) -> bool {
        self.is_connected.load(Ordering::Relaxed)
    }

    pub(crate) fn set_connected(&self, is_connected: bool) {
        self.is_connected.store(is_connected, Ordering::Relaxed);
    }

    /// Returns whether this node will stop soon.
    pub(crate) fn is_stop_announced(&self) -> bool {
        self.is_stop_announced.load(Ordering::Relaxed)
    }

    pub(crate) fn announce_stop(&self) {
        self.is_stop_announced.store(true, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_that_is_not_live_any_more_ends_its_relays() {
        let table = ShardTable::new(ShardMap::new(1).unwrap());
        let [one, other] = [1, 2].map(|id| (NodeId([id; 16]), RelayAddress::of_model(1, 0)));
        table.set_other_nodes(&[one, other]);
        let [(_, one_gone), (_, other_gone)] =
            [one, other].map(|(node, _)| table.other_node(node).unwrap());
        table.set_other_nodes(&[one]);
        assert!(!one_gone.is_cancelled() && other_gone.is_cancelled());
        assert!(table.other_node(other.0).is_none());
        assert_eq!(table.other_nodes(), [one.0]);
        // The same node at another address.
        table.set_other_nodes(&[(one.0, RelayAddress::of_model(2, 0))]);
        assert!(one_gone.is_cancelled());
        let (address, gone) = table.other_node(one.0).unwrap();
        assert_eq!(
            (address, gone.is_cancelled()),
            (RelayAddress::of_model(2, 0), false)
        );
    }
}
