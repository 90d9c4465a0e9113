//! The log of a shard: its messages and their check, the state that they describe, taking it over, and its only writer.

pub(crate) mod append_budget;
pub(crate) mod chain;
pub(crate) mod message;
pub(crate) mod pending_append;
pub(crate) mod shard_log;
pub(crate) mod shard_state;
pub(crate) mod shard_writer;
pub(crate) mod take_over;
