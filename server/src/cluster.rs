//! Storage in a replicated log: rooms are divided into shards, and each shard has one log.
//!
//! ```text
//!  room ── EventLog::append ── ClusterLog ── by shard ── ShardWriter ── groups ── ShardLog (NATS JetStream)
//!                                                            │
//!                                                       ShardState: the open rooms of the shard
//! ```
//!
//! The node that wrote the last claim to the log of a shard owns the shard, and its rooms run there (`node_rooms`).
//! Other nodes reach them over `relay`. Every append names the message that it follows, and the log stores it only
//! there, so a former owner can store nothing. Safety depends neither on a clock nor on a lease.
//!
//! Only `nats` depends on NATS. These parts are pure: `shard`, all of `nodes` except the task, and all of `log` except
//! the writer and the take-over of a shard.

mod cluster_error;
pub(crate) mod cluster_log;
pub(crate) mod cluster_node;
pub(crate) mod lobby;
mod log;
mod metered_log;
#[cfg(any(test, feature = "faults"))]
#[path = "../../tests/inside_node/model/mod.rs"]
pub(crate) mod model;
pub(crate) mod nats;
pub(crate) mod node_rooms;
pub(crate) mod nodes;
pub(crate) mod relay;
pub(crate) mod shard;
#[cfg(test)]
mod tests;
pub(crate) mod transfer;
