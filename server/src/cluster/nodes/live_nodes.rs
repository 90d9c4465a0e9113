//! Live nodes of a cluster, from their heartbeats. Pure: the time is an argument.
//!
//! A wrong decision costs availability, never a move: the log fences former owners.

use std::collections::BTreeMap;
use std::time::Duration;

use tokio::time::Instant;

use crate::cluster::nodes::node_heartbeat::{NodeActivity, NodeHeartbeat};
use crate::cluster::relay::relay_address::RelayAddress;
use crate::cluster::shard::{Epoch, NodeId, Shard};

/// Interval between two heartbeats of a node.
pub(crate) const HEARTBEAT_INTERVAL: Duration = Duration::from_millis(400);

/// A node that sends no heartbeat for this time does not count as live.
pub(crate) const SUSPECT_AFTER: Duration = Duration::from_millis(2500);

/// The connection of a node does not count as working when the node has not received its own heartbeat back over the
/// bus for this time.
pub(super) const LOOPBACK_TIMEOUT: Duration = Duration::from_secs(1);

/// Within this time, a starting node with a working connection has heard all other live nodes.
const LISTEN_TIMEOUT: Duration = Duration::from_secs(5);

/// Maximum time between the starts of nodes that start together.
const COMMON_START_TIME: Duration = Duration::from_secs(1);

/// Maximum number of nodes. Heartbeats of further nodes are ignored.
const MAX_NODES: usize = 1024;

/// Content of the heartbeats of a node.
#[derive(Debug)]
struct KnownNode {
    /// Arrival of the last heartbeat.
    heard_at: Instant,
    /// Arrival of the first heartbeat since the node was last silent.
    live_since: Instant,
    relay: RelayAddress,
    activity: NodeActivity,
    shards: Vec<(Shard, Epoch)>,
}

/// Heartbeats of the last seconds.
#[derive(Debug)]
pub(crate) struct LiveNodes {
    node: NodeId,
    /// Time when this node became able to receive the heartbeats of other nodes.
    listening_since: Instant,
    nodes: BTreeMap<NodeId, KnownNode>,
}

impl LiveNodes {
    /// Returns the live nodes as seen by `node`, which begins to listen at `now`.
    pub(crate) fn new(node: NodeId, now: Instant) -> LiveNodes {
        LiveNodes {
            node,
            listening_since: now,
            nodes: BTreeMap::new(),
        }
    }

    pub(crate) fn on_heartbeat(&mut self, now: Instant, heartbeat: NodeHeartbeat) {
        // A gap in its own heartbeats means that the node was stopped or cut off, so it may also have missed heartbeats
        // of other nodes.
        if heartbeat.node == self.node && !self.has_loopback(now) {
            self.listening_since = now;
        }
        self.nodes
            .retain(|_, node| now - node.heard_at < SUSPECT_AFTER);
        let is_last = heartbeat.is_last();
        let NodeHeartbeat {
            node,
            relay,
            activity,
            shards,
        } = heartbeat;
        if is_last {
            self.nodes.remove(&node);
        } else if let Some(known) = self.nodes.get_mut(&node) {
            (known.heard_at, known.activity, known.shards) = (now, activity, shards);
        } else if self.nodes.len() < MAX_NODES {
            self.nodes.insert(
                node,
                KnownNode {
                    heard_at: now,
                    live_since: now,
                    relay,
                    activity,
                    shards,
                },
            );
        }
    }

    /// Returns whether the bus delivers the messages of this node.
    pub(crate) fn has_loopback(&self, now: Instant) -> bool {
        self.nodes
            .get(&self.node)
            .is_some_and(|node| now - node.heard_at < LOOPBACK_TIMEOUT)
    }

    /// Returns whether this node has listened long enough to know that a node that is still silent is not live.
    pub(crate) fn has_listened(&self, now: Instant) -> bool {
        now - self.listening_since >= SUSPECT_AFTER && self.has_loopback(now)
    }

    fn others(&self, now: Instant) -> impl Iterator<Item = (NodeId, &KnownNode)> {
        let live = self
            .nodes
            .iter()
            .filter(move |(_, node)| now - node.heard_at < SUSPECT_AFTER);
        live.map(|(id, node)| (*id, node))
            .filter(|(id, _)| *id != self.node)
    }

    /// Returns the number of shards that the last heartbeat of a node names.
    pub(crate) fn shard_count(&self, node: NodeId) -> usize {
        self.nodes.get(&node).map_or(0, |node| node.shards.len())
    }

    /// Returns the number of live nodes. Includes this node if the bus delivers its messages.
    pub(crate) fn live_count(&self, now: Instant) -> usize {
        self.others(now).count() + usize::from(self.has_loopback(now))
    }

    /// Returns whether another node is live.
    #[cfg(test)]
    pub(crate) fn is_live(&self, node: NodeId, now: Instant) -> bool {
        self.others(now).any(|(id, _)| id == node)
    }

    /// Returns the other live nodes, in order, and where they accept relays.
    pub(crate) fn other_nodes(&self, now: Instant) -> Vec<(NodeId, RelayAddress)> {
        self.others(now)
            .map(|(id, node)| (id, node.relay))
            .collect()
    }

    /// Returns the other live nodes that may take further shards, and the time since which each node has been live
    /// without a break. The result includes listening nodes that started together with this node, so that the nodes of
    /// a new cluster share the shards from the start.
    pub(crate) fn candidates(&self, now: Instant) -> Vec<(NodeId, Instant)> {
        let own_start = self.nodes.get(&self.node).map(|own| own.live_since);
        let started_together = |node: &KnownNode| {
            own_start.is_some_and(|own_start| node.live_since <= own_start + COMMON_START_TIME)
        };
        let can_claim = |node: &KnownNode| match node.activity {
            NodeActivity::Listening => {
                started_together(node) && now - node.live_since < LISTEN_TIMEOUT
            }
            NodeActivity::Active => true,
            NodeActivity::Leaving => false,
        };
        let candidates = self.others(now).filter(|(_, node)| can_claim(node));
        candidates.map(|(id, node)| (id, node.live_since)).collect()
    }

    /// Returns the shards that other live nodes claim to own in their heartbeats, each with its latest claim.
    pub(crate) fn owned_by_others(&self, now: Instant) -> BTreeMap<Shard, (Epoch, NodeId)> {
        let mut owners: BTreeMap<Shard, (Epoch, NodeId)> = BTreeMap::new();
        for (id, node) in self.others(now) {
            for (shard, epoch) in &node.shards {
                let claim = owners.entry(*shard).or_insert((*epoch, id));
                *claim = (*claim).max((*epoch, id));
            }
        }
        owners
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heartbeat(id: u8, activity: NodeActivity, shards: &[(u16, u64)]) -> NodeHeartbeat {
        let shards = shards
            .iter()
            .map(|(shard, epoch)| (Shard(*shard), Epoch(*epoch)))
            .collect();
        NodeHeartbeat {
            node: NodeId([id; 16]),
            relay: RelayAddress::of_model(id.into(), 0),
            activity,
            shards,
        }
    }

    #[test]
    fn a_silent_node_and_one_that_has_left_are_not_live() {
        let began = Instant::now();
        let mut live_nodes = LiveNodes::new(NodeId([1; 16]), began);
        live_nodes.on_heartbeat(began, heartbeat(2, NodeActivity::Active, &[(4, 7)]));
        live_nodes.on_heartbeat(began, heartbeat(3, NodeActivity::Active, &[(4, 6), (5, 1)]));
        let almost = began + SUSPECT_AFTER - Duration::from_millis(1);
        let owners = live_nodes.owned_by_others(almost);
        assert_eq!(
            owners[&Shard(4)],
            (Epoch(7), NodeId([2; 16])),
            "the later claim counts"
        );
        assert_eq!(owners[&Shard(5)], (Epoch(1), NodeId([3; 16])));
        assert!(live_nodes.owned_by_others(began + SUSPECT_AFTER).is_empty());
        live_nodes.on_heartbeat(almost, heartbeat(2, NodeActivity::Leaving, &[(4, 7)]));
        assert!(
            live_nodes.is_live(NodeId([2; 16]), almost),
            "it still owns a shard"
        );
        assert_eq!(live_nodes.candidates(almost).len(), 1);
        live_nodes.on_heartbeat(almost, heartbeat(2, NodeActivity::Leaving, &[]));
        assert!(!live_nodes.is_live(NodeId([2; 16]), almost));
    }

    #[test]
    fn a_node_that_listens_gets_no_shards_unless_it_started_together_with_this_one() {
        let began = Instant::now();
        let mut live_nodes = LiveNodes::new(NodeId([1; 16]), began);
        live_nodes.on_heartbeat(began, heartbeat(1, NodeActivity::Listening, &[]));
        let soon = began + COMMON_START_TIME;
        live_nodes.on_heartbeat(soon, heartbeat(2, NodeActivity::Listening, &[]));
        assert_eq!(live_nodes.candidates(soon), [(NodeId([2; 16]), soon)]);
        let later = soon + Duration::from_millis(1);
        live_nodes.on_heartbeat(later, heartbeat(3, NodeActivity::Listening, &[]));
        assert_eq!(live_nodes.candidates(later), [(NodeId([2; 16]), soon)]);
        live_nodes.on_heartbeat(later, heartbeat(3, NodeActivity::Active, &[]));
        assert_eq!(live_nodes.candidates(later).len(), 2);
    }

    #[test]
    fn a_node_that_was_stopped_listens_again_before_it_suspects_others() {
        let began = Instant::now();
        let mut live_nodes = LiveNodes::new(NodeId([1; 16]), began);
        assert!(
            !live_nodes.has_listened(began + 10 * SUSPECT_AFTER),
            "nothing is received"
        );
        let mut now = began;
        while now - began <= SUSPECT_AFTER {
            live_nodes.on_heartbeat(now, heartbeat(1, NodeActivity::Active, &[]));
            now += HEARTBEAT_INTERVAL;
        }
        live_nodes.on_heartbeat(now, heartbeat(1, NodeActivity::Active, &[]));
        assert!(live_nodes.has_listened(now));
        // The node was stopped for some seconds. Its first heartbeat does not prove that no other node was live.
        now += Duration::from_secs(6);
        assert!(!live_nodes.has_listened(now));
        live_nodes.on_heartbeat(now, heartbeat(1, NodeActivity::Active, &[]));
        assert!(live_nodes.has_loopback(now) && !live_nodes.has_listened(now));
        let continued = now;
        while now - continued < SUSPECT_AFTER {
            assert!(!live_nodes.has_listened(now));
            now += HEARTBEAT_INTERVAL;
            live_nodes.on_heartbeat(now, heartbeat(1, NodeActivity::Active, &[]));
        }
        assert!(live_nodes.has_listened(now));
    }
}
