//! Options of this node.

use std::time::Duration;

use crate::cluster::relay::relay_address::RelayAddress;
use crate::cluster::shard::NodeId;
use crate::runtime::clock::ServerClock;

/// Properties of a node.
#[derive(Clone, Debug)]
pub(crate) struct NodeOptions {
    pub(crate) node: NodeId,
    /// Where the node accepts relays.
    pub(crate) relay: RelayAddress,
    pub(crate) time: ServerClock,
    pub(crate) write_timeout: Duration,
    /// Maximum time from the first claim until a starting node serves, even if some shards still have no owner.
    pub(crate) settle_timeout: Duration,
}
