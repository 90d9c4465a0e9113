//! Messages between nodes that concern no client: the [`NodeMessages`] trait.

use std::fmt;

use super::link_batch::LinkEntry;
use crate::cluster::shard::NodeId;
use crate::runtime::context::ServerContext;

/// Handles the messages of other nodes that concern no client.
pub(crate) trait NodeMessages: Send + Sync + fmt::Debug + 'static {
    /// Handles a message without waiting.
    fn on_message(&self, peer: NodeId, entry: &LinkEntry, ctx: &ServerContext);
}
