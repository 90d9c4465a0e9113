//! Storage in a replicated log: rooms are divided into shards, and each shard has one log.
//!
//! ```text
//!  room ── EventLog::append ── ClusterLog ── by shard ── ShardWriter ── groups ── ShardLog (NATS JetStream)
//!                                                            │
//!                                                       ShardState: the open rooms of the shard
//! ```
//!
//! The node that wrote the last claim to the log of a shard owns the shard. Every append names the message that it
//! follows, and the log stores it only there, so that a former owner can store nothing. Safety depends on no clock and
//! on no lease.
//!
//! Only `nats` knows the product. Pure parts: `shard`, `nodes`, and in `log` all but the writer and taking over.

pub(crate) mod cluster_log;
mod log;
mod metered_log;
#[cfg(any(test, feature = "faults"))]
pub(crate) mod model;
pub(crate) mod nats;
mod nodes;
pub(crate) mod shard;
#[cfg(test)]
mod tests;
