//! What one node knows about the nodes of its cluster: which nodes are live, and which node owns each shard.

pub(crate) mod code_table;
pub(crate) mod heartbeat_channel;
pub(crate) mod live_nodes;
pub(crate) mod node_heartbeat;
pub(crate) mod node_options;
pub(crate) mod own_node_task;
pub(crate) mod shard_owners;
pub(crate) mod shard_table;
#[cfg(test)]
mod tests;
