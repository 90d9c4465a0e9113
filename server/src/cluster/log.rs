//! The log of a shard: its messages and their check, the state that they describe, the take-over of a shard, and the
//! only writer of a shard, which also publishes the finished games.

pub(crate) mod append_budget;
pub(crate) mod chain;
pub(crate) mod game_message;
pub(crate) mod game_stream;
pub(crate) mod game_upload;
pub(crate) mod message;
pub(crate) mod pending_append;
pub(crate) mod shard_log;
pub(crate) mod shard_state;
pub(crate) mod shard_truncation;
pub(crate) mod shard_writer;
pub(crate) mod take_over;
