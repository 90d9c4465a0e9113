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
//! Pure parts: `shard`, `message`, `chain`, `pending_append`, `shard_state`. Only `nats` knows the product.

mod append_budget;
mod chain;
pub(crate) mod cluster_log;
mod membership;
mod message;
pub(crate) mod nats;
mod pending_append;
pub(crate) mod shard;
mod shard_log;
mod shard_state;
mod shard_writer;
mod take_over;
#[cfg(test)]
mod tests;
