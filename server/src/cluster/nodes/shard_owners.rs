//! The shards that this node claims and gives up, and the locations of all other shards. Pure: the time is an argument.
//!
//! All nodes compute the same owner of a shard: the live node with the greatest weight (rendezvous hashing). A node
//! that joins or leaves moves only its own share. No node claims a shard of a live owner; the owner gives the shard up
//! when it should belong to another node.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::time::Duration;

use tokio::time::Instant;

use crate::cluster::nodes::live_nodes::{HEARTBEAT_INTERVAL, LiveNodes};
use crate::cluster::nodes::node_heartbeat::{CORRUPT_EPOCH, NodeActivity, NodeHeartbeat};
use crate::cluster::relay::relay_address::RelayAddress;
use crate::cluster::shard::{Epoch, NodeId, Shard, ShardMap, mix};

/// Time that a node must have been live without a break before other nodes give it shards.
pub(crate) const STEADY_AFTER: Duration = Duration::from_secs(5);

/// Interval between two shards that a node gives up. It spreads the players of these shards, who connect again.
const RELEASE_INTERVAL: Duration = Duration::from_millis(100);

/// Maximum number of shards that a node takes over at the same time.
const MAX_CLAIMS_AT_ONCE: usize = 16;

/// Relation of this node to a shard that it owns, claims or knows to be corrupt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum OwnClaim {
    /// The node is still claiming the shard, or reading its log.
    Claiming,
    /// The node owns the shard.
    Owned(Epoch),
    /// The node still owns the shard, and ends its rooms.
    Releasing(Epoch),
    /// The log is damaged. No node should claim it again before an operator has repaired it.
    Corrupt,
}

/// Action for a shard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OwnershipAction {
    /// Claim the shard if the last claim in its log has this epoch. Then call [`ShardOwners::on_claimed`] or
    /// [`ShardOwners::on_refused`].
    Claim(Shard, Epoch),
    /// Give up the shard. Then call [`ShardOwners::on_lost`].
    Release(Shard),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ShardLocation {
    /// This node owns the shard, or is taking it over.
    Own,
    Remote(NodeId),
    Unowned,
}

/// The owners of all shards, as far as this node knows them.
#[derive(Debug)]
pub(crate) struct ShardOwners {
    node: NodeId,
    map: ShardMap,
    live_nodes: LiveNodes,
    own: BTreeMap<Shard, OwnClaim>,
    /// The latest claim of each shard, by any node, that this node knows.
    latest_claims: BTreeMap<Shard, Epoch>,
    /// By shard, the time when the last claim of this node was refused.
    refused_at: BTreeMap<Shard, Instant>,
    is_leaving: bool,
    released_at: Option<Instant>,
}

impl ShardOwners {
    /// Returns the owners as seen by `node`, which begins to listen at `now`.
    pub(crate) fn new(node: NodeId, map: ShardMap, now: Instant) -> ShardOwners {
        let live_nodes = LiveNodes::new(node, now);
        ShardOwners {
            node,
            map,
            live_nodes,
            own: BTreeMap::new(),
            latest_claims: BTreeMap::new(),
            refused_at: BTreeMap::new(),
            is_leaving: false,
            released_at: None,
        }
    }

    pub(crate) fn live_nodes(&self) -> &LiveNodes {
        &self.live_nodes
    }

    /// Records a heartbeat that arrived at `now`. Returns whether another node has claimed a shard of this node after
    /// this node's own claim.
    pub(crate) fn on_heartbeat(&mut self, now: Instant, heartbeat: NodeHeartbeat) -> bool {
        let is_replaced = |(shard, epoch): &(Shard, Epoch)| matches!(self.own.get(shard), Some(OwnClaim::Owned(own) | OwnClaim::Releasing(own)) if own < epoch);
        for (shard, epoch) in &heartbeat.shards {
            Self::record_claim(&mut self.latest_claims, *shard, *epoch);
        }
        let has_rival = heartbeat.node != self.node && heartbeat.shards.iter().any(is_replaced);
        self.live_nodes.on_heartbeat(now, heartbeat);
        has_rival
    }

    /// Records that the node owns a shard.
    pub(crate) fn on_claimed(&mut self, shard: Shard, epoch: Epoch) {
        self.own.insert(shard, OwnClaim::Owned(epoch));
    }

    fn record_claim(latest_claims: &mut BTreeMap<Shard, Epoch>, shard: Shard, epoch: Epoch) {
        let latest = latest_claims.entry(shard).or_insert(epoch);
        *latest = epoch.max(*latest);
    }

    /// Records that the claim of a shard failed at `now`: `epoch` is its last claim, or another node was faster. The
    /// next claim waits for a heartbeat of that node.
    pub(crate) fn on_refused(&mut self, now: Instant, shard: Shard, epoch: Epoch) {
        Self::record_claim(&mut self.latest_claims, shard, epoch);
        self.on_incomplete(now, shard);
    }

    /// Records that the log of a shard ends before its latest claim.
    pub(crate) fn on_incomplete(&mut self, now: Instant, shard: Shard) {
        self.refused_at.insert(shard, now);
        self.on_lost(shard);
    }

    /// Records that the node does not own a shard any more, because another node has replaced it or the shard was
    /// released.
    pub(crate) fn on_lost(&mut self, shard: Shard) {
        self.own.remove(&shard);
    }

    /// Records that the log of a shard is damaged.
    pub(crate) fn on_corrupt(&mut self, shard: Shard) {
        self.own.insert(shard, OwnClaim::Corrupt);
    }

    /// Records that the node stops and claims no further shards.
    pub(crate) fn leave(&mut self) {
        self.is_leaving = true;
    }

    /// Returns the heartbeat of this node, which accepts relays at `relay`.
    pub(crate) fn heartbeat(&self, now: Instant, relay: RelayAddress) -> NodeHeartbeat {
        let activity = match (self.is_leaving, self.live_nodes.has_listened(now)) {
            (true, _) => NodeActivity::Leaving,
            (false, true) => NodeActivity::Active,
            (false, false) => NodeActivity::Listening,
        };
        NodeHeartbeat {
            node: self.node,
            relay,
            activity,
            shards: self.owned().collect(),
        }
    }

    /// Returns the shards of this node, in order.
    fn owned(&self) -> impl Iterator<Item = (Shard, Epoch)> {
        self.own.iter().filter_map(|(shard, claim)| match claim {
            OwnClaim::Owned(epoch) | OwnClaim::Releasing(epoch) => Some((*shard, *epoch)),
            OwnClaim::Corrupt => Some((*shard, CORRUPT_EPOCH)),
            OwnClaim::Claiming => None,
        })
    }

    /// Returns what to do at `now`.
    pub(crate) fn poll(&mut self, now: Instant) -> Vec<OwnershipAction> {
        if self.is_leaving || !self.live_nodes.has_listened(now) {
            return Vec::new();
        }
        let others: Vec<(NodeId, Instant)> = self.live_nodes.candidates(now);
        let owned_by_others = self.live_nodes.owned_by_others(now);
        let mut claims_left = MAX_CLAIMS_AT_ONCE.saturating_sub(self.claims_in_progress());
        let mut may_release = self
            .released_at
            .is_none_or(|at| now - at >= RELEASE_INTERVAL);
        let mut actions = Vec::new();
        for shard in self.map.shards() {
            let better = others
                .iter()
                .filter(|(id, _)| weight(*id, shard) > weight(self.node, shard));
            match self.own.get(&shard) {
                None if claims_left > 0
                    && better.clone().next().is_none()
                    && self
                        .refused_at
                        .get(&shard)
                        .is_none_or(|at| now - *at >= HEARTBEAT_INTERVAL)
                    && !owned_by_others.contains_key(&shard) =>
                {
                    claims_left -= 1;
                    self.own.insert(shard, OwnClaim::Claiming);
                    actions.push(OwnershipAction::Claim(
                        shard,
                        self.latest_claims.get(&shard).copied().unwrap_or(Epoch(0)),
                    ));
                }
                Some(OwnClaim::Owned(epoch)) if may_release => {
                    let best = better.max_by_key(|(id, _)| weight(*id, shard));
                    if best.is_some_and(|(_, live_since)| now - *live_since >= STEADY_AFTER) {
                        may_release = false;
                        self.released_at = Some(now);
                        self.own.insert(shard, OwnClaim::Releasing(*epoch));
                        actions.push(OwnershipAction::Release(shard));
                    }
                }
                None | Some(_) => {}
            }
        }
        actions
    }

    /// Returns the number of claims that are not complete.
    fn claims_in_progress(&self) -> usize {
        self.own
            .values()
            .filter(|claim| **claim == OwnClaim::Claiming)
            .count()
    }

    /// Returns whether this node has claimed all shards that belong to it at `now`, and other nodes have the other
    /// shards.
    pub(crate) fn is_settled(&self, now: Instant) -> bool {
        let owned_by_others = self.live_nodes.owned_by_others(now);
        let is_claimed = |shard: &Shard| match self.own.get(shard) {
            Some(OwnClaim::Owned(_) | OwnClaim::Releasing(_) | OwnClaim::Corrupt) => true,
            Some(OwnClaim::Claiming) => false,
            None => owned_by_others.contains_key(shard),
        };
        self.live_nodes.has_listened(now) && self.map.shards().all(|shard| is_claimed(&shard))
    }

    /// Returns the number of shards that this node owns.
    pub(crate) fn owned_count(&self) -> usize {
        self.owned().count()
    }

    /// Returns the location of each shard at `now`. A shard with a damaged log is unowned.
    pub(crate) fn locations(&self, now: Instant) -> Vec<ShardLocation> {
        let owned_by_others = self.live_nodes.owned_by_others(now);
        let locate = |shard: Shard| match (self.own.get(&shard), owned_by_others.get(&shard)) {
            (Some(OwnClaim::Corrupt), _) | (None, Some((CORRUPT_EPOCH, _)) | None) => {
                ShardLocation::Unowned
            }
            (Some(OwnClaim::Claiming | OwnClaim::Owned(_) | OwnClaim::Releasing(_)), _) => {
                ShardLocation::Own
            }
            (None, Some((_, node))) => ShardLocation::Remote(*node),
        };
        self.map.shards().map(locate).collect()
    }
}

/// Returns the rank of a node for a shard. All versions must agree on it while they serve one cluster.
fn weight(node: NodeId, shard: Shard) -> (u64, NodeId) {
    let bits = u128::from_be_bytes(node.0);
    let seed = mix(bits as u64) ^ mix((bits >> 64) as u64).rotate_left(32);
    (mix(seed ^ mix(u64::from(shard.0) + 1)), node)
}
