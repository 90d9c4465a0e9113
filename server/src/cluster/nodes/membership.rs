//! Live nodes of a cluster, from their heartbeats. Pure: the time is an argument.
//!
//! Decides only when a node may claim the shards. A wrong decision costs availability, never a move: the log fences
//! former owners.

use std::collections::HashMap;
use std::time::Duration;

use tokio::time::Instant;

use crate::cluster::shard::NodeId;

/// Interval between two heartbeats of a node.
pub(crate) const HEARTBEAT_INTERVAL: Duration = Duration::from_millis(400);

/// Time without a heartbeat after which a node does not count as live.
pub(crate) const SUSPECT_AFTER: Duration = Duration::from_millis(2500);

/// Time without the node's own heartbeat, received back over the bus, after which its connection does not count.
pub(crate) const LOOPBACK_TIMEOUT: Duration = Duration::from_secs(1);

/// Maximum number of nodes; heartbeats of further ones are ignored.
const MAX_NODES: usize = 1024;

/// First word of a heartbeat: the version of its format.
const FORMAT: &str = "1";

/// What a node does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NodeState {
    /// It owns the shards.
    Active,
    /// It waits until no other node owns them.
    Standby,
    /// It has released the shards. Its last heartbeat.
    Leaving,
}

/// The periodic sign of life of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NodeHeartbeat {
    pub(crate) node: NodeId,
    pub(crate) state: NodeState,
}

impl NodeHeartbeat {
    /// The text on the bus.
    pub(crate) fn encode(&self) -> String {
        let state = match self.state {
            NodeState::Active => "active",
            NodeState::Standby => "standby",
            NodeState::Leaving => "leaving",
        };
        format!("{FORMAT} {:032x} {state}", u128::from_be_bytes(self.node.0))
    }

    /// Parses a heartbeat. `None` if it is none, or of a later format.
    pub(crate) fn parse(text: &[u8]) -> Option<NodeHeartbeat> {
        let mut words = str::from_utf8(text).ok()?.split(' ');
        if words.next() != Some(FORMAT) {
            return None;
        }
        let node = words.next().filter(|id| id.len() == 32)?;
        let node = NodeId(u128::from_str_radix(node, 16).ok()?.to_be_bytes());
        let state = match words.next()? {
            "active" => NodeState::Active,
            "standby" => NodeState::Standby,
            "leaving" => NodeState::Leaving,
            _ => return None,
        };
        words.next().is_none().then_some(NodeHeartbeat { node, state })
    }
}

/// Heartbeats of the last seconds.
#[derive(Debug)]
pub(crate) struct Membership {
    node: NodeId,
    /// Start of the time in which heartbeats of other nodes would have been received.
    listening_since: Instant,
    last: HashMap<NodeId, (Instant, NodeState)>,
}

impl Membership {
    /// The members as seen by `node`, which begins to listen at `now`.
    pub(crate) fn new(node: NodeId, now: Instant) -> Membership {
        Membership { node, listening_since: now, last: HashMap::new() }
    }

    pub(crate) fn on_heartbeat(&mut self, now: Instant, heartbeat: NodeHeartbeat) {
        // After a gap in its own heartbeats the node may have missed those of others.
        if heartbeat.node == self.node && !self.has_loopback(now) {
            self.listening_since = now;
        }
        if heartbeat.state == NodeState::Leaving {
            self.last.remove(&heartbeat.node);
            return;
        }
        self.last.retain(|_, (at, _)| now - *at < SUSPECT_AFTER);
        if self.last.len() < MAX_NODES || self.last.contains_key(&heartbeat.node) {
            self.last.insert(heartbeat.node, (now, heartbeat.state));
        }
    }

    /// Whether the bus delivers what this node sends.
    pub(crate) fn has_loopback(&self, now: Instant) -> bool {
        self.last.get(&self.node).is_some_and(|(at, _)| now - *at < LOOPBACK_TIMEOUT)
    }

    /// The other live nodes.
    fn others(&self, now: Instant) -> impl Iterator<Item = (NodeId, NodeState)> {
        let live = self.last.iter().filter(move |(_, (at, _))| now - *at < SUSPECT_AFTER);
        live.map(|(node, (_, state))| (*node, *state)).filter(|(node, _)| *node != self.node)
    }

    /// The live node that owns the shards.
    pub(crate) fn active_node(&self, now: Instant) -> Option<NodeId> {
        self.others(now).find(|(_, state)| *state == NodeState::Active).map(|(node, _)| node)
    }

    /// Whether this node may claim the shards: it has listened for long enough, no live node owns them, and none that
    /// waits comes before this one.
    pub(crate) fn may_claim(&self, now: Instant) -> bool {
        let has_listened = now - self.listening_since >= SUSPECT_AFTER;
        let is_first = self.others(now).all(|(node, state)| state == NodeState::Standby && node > self.node);
        has_listened && is_first && self.has_loopback(now)
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    fn node(id: u8) -> NodeId {
        NodeId([id; 16])
    }

    fn heartbeat(id: u8, state: NodeState) -> NodeHeartbeat {
        NodeHeartbeat { node: node(id), state }
    }

    #[test]
    fn a_heartbeat_is_read_as_written() {
        for state in [NodeState::Active, NodeState::Standby, NodeState::Leaving] {
            let written = heartbeat(0x0b, state);
            assert_eq!(NodeHeartbeat::parse(written.encode().as_bytes()), Some(written));
        }
        let id = "0b".repeat(16);
        for text in [
            "",
            "1",
            "1 0b active",
            &format!("2 {id} active"),
            &format!("1 {id} x"),
            &format!("1 {id} active x"),
        ] {
            assert_eq!(NodeHeartbeat::parse(text.as_bytes()), None, "{text}");
        }
        assert_eq!(NodeHeartbeat::parse(&[0xff]), None);
    }

    #[test]
    fn a_node_claims_when_the_active_one_is_silent() {
        let began = Instant::now();
        let mut members = Membership::new(node(2), began);
        let mut now = began;
        let mut claimed_at = None;
        while claimed_at.is_none() {
            now += HEARTBEAT_INTERVAL;
            members.on_heartbeat(now, heartbeat(2, NodeState::Standby));
            if now - began < Duration::from_secs(10) {
                members.on_heartbeat(now, heartbeat(9, NodeState::Active));
                assert_eq!(members.active_node(now), Some(node(9)));
            }
            claimed_at = members.may_claim(now).then_some(now - began);
        }
        let silent_for = claimed_at.unwrap() - Duration::from_secs(10);
        assert!(silent_for <= SUSPECT_AFTER + HEARTBEAT_INTERVAL, "{silent_for:?}");
    }

    #[test]
    fn a_node_that_leaves_is_replaced_at_once() {
        let began = Instant::now();
        let mut members = Membership::new(node(2), began);
        let now = began + SUSPECT_AFTER;
        members.on_heartbeat(now - HEARTBEAT_INTERVAL, heartbeat(2, NodeState::Standby));
        members.on_heartbeat(now, heartbeat(2, NodeState::Standby));
        members.on_heartbeat(now, heartbeat(9, NodeState::Active));
        // The first own heartbeat began a new wait.
        let now = now + SUSPECT_AFTER;
        for state in [NodeState::Active, NodeState::Leaving] {
            members.on_heartbeat(now, heartbeat(2, NodeState::Standby));
            members.on_heartbeat(now, heartbeat(9, state));
            assert_eq!(members.active_node(now).is_some(), state == NodeState::Active);
        }
        assert!(!members.may_claim(now), "own heartbeats were missing");
        for tick in 1..=10 {
            let at = now + tick * HEARTBEAT_INTERVAL;
            members.on_heartbeat(at, heartbeat(2, NodeState::Standby));
            members.on_heartbeat(
                at,
                heartbeat(9, if tick < 10 { NodeState::Active } else { NodeState::Leaving }),
            );
            assert_eq!(members.may_claim(at), tick == 10, "tick {tick}");
        }
    }

    #[test]
    fn a_node_that_receives_nothing_claims_nothing() {
        let began = Instant::now();
        let mut members = Membership::new(node(1), began);
        assert!(!members.may_claim(began + 10 * SUSPECT_AFTER));
        // The first own heartbeat after a gap does not prove that no other node was there.
        let now = began + 10 * SUSPECT_AFTER;
        members.on_heartbeat(now, heartbeat(1, NodeState::Standby));
        assert!(members.has_loopback(now) && !members.may_claim(now));
    }

    proptest! {
        /// Nodes start at random times and hear each other, some heartbeats late. After some time exactly one is active.
        #[test]
        fn one_of_several_nodes_becomes_active(
            starts in vec(0..50u32, 1..6), delays in vec(0..3u32, 64), kill in prop::option::of(60..100u32),
        ) {
            const STEP: Duration = Duration::from_millis(100);
            let began = Instant::now();
            let mut nodes: Vec<(Membership, NodeState)> = starts
                .iter()
                .enumerate()
                .map(|(id, start)| {
                    let begins = began + *start * STEP;
                    (Membership::new(node(id as u8), begins), NodeState::Standby)
                })
                .collect();
            let mut killed = None;
            // By arrival.
            let mut sent: Vec<(u32, NodeHeartbeat)> = Vec::new();
            for step in 0..250u32 {
                let now = began + step * STEP;
                if kill == Some(step) {
                    killed = nodes.iter().position(|(_, state)| *state == NodeState::Active);
                }
                let is_running = |id: usize| starts[id] <= step && killed != Some(id);
                for (_, heartbeat) in sent.extract_if(.., |(at, _)| *at <= step) {
                    for (id, (members, _)) in nodes.iter_mut().enumerate() {
                        if is_running(id) {
                            members.on_heartbeat(now, heartbeat);
                        }
                    }
                }
                for (id, (members, state)) in nodes.iter_mut().enumerate() {
                    if !is_running(id) {
                        continue;
                    }
                    let claims = *state == NodeState::Standby && members.may_claim(now);
                    if claims {
                        *state = NodeState::Active;
                    }
                    if claims || step % 4 == id as u32 % 4 {
                        let delay = delays[(step as usize + id) % delays.len()];
                        sent.push((step + delay, heartbeat(id as u8, *state)));
                    }
                }
                let active = (0..nodes.len()).filter(|id| is_running(*id) && nodes[*id].1 == NodeState::Active).count();
                prop_assert!(active <= 1, "step {step}: {active} nodes are active");
            }
            let live = nodes.len() - usize::from(killed.is_some());
            let active = (0..nodes.len()).filter(|id| killed != Some(*id) && nodes[*id].1 == NodeState::Active).count();
            prop_assert_eq!(active, live.min(1));
        }
    }
}
