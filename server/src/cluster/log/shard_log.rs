//! A replicated log for each shard: the [`ShardLog`] trait.

use std::fmt;

use futures::future::BoxFuture;
use futures::stream::BoxStream;
use tokio_util::bytes::Bytes;

use crate::cluster::shard::{LogPosition, Shard};

pub(crate) type PositionedMessage = (LogPosition, Bytes);

/// Failure of an access to a shard log.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ShardLogError {
    /// The last message is not the expected message. Nothing was stored, unless an earlier attempt stored the message.
    #[error("the last message of the shard is another one")]
    Conflict,
    /// The message may have been stored, or may still be stored later.
    #[error("no reply in time")]
    Unknown,
    /// The log cannot be accessed at present. An appended message may be stored.
    #[error("{0}")]
    Unavailable(String),
}

/// A replicated log for each shard. All waits are bounded.
///
/// Only [`ShardLog::append`] reliably refers to the current state of the log. Reads may be stale, because a former
/// leader of the log may answer them.
pub(crate) trait ShardLog: Send + Sync + fmt::Debug + 'static {
    /// Returns the last message of the shard. May be stale.
    fn last_message(
        &self,
        shard: Shard,
    ) -> BoxFuture<'_, Result<Option<PositionedMessage>, ShardLogError>>;

    /// Appends `message` if the last message of the shard is at `after`; otherwise stores nothing. Returns the position
    /// of the message, which is greater than `after`.
    fn append(
        &self,
        shard: Shard,
        after: LogPosition,
        message: Bytes,
    ) -> BoxFuture<'_, Result<LogPosition, ShardLogError>>;

    /// Reads all messages up to and including position `last`, oldest first. May be stale, with gaps anywhere.
    fn read_to(
        &self,
        shard: Shard,
        last: LogPosition,
    ) -> BoxStream<'_, Result<PositionedMessage, ShardLogError>>;

    /// Deletes the messages before `first`.
    fn truncate_before(
        &self,
        shard: Shard,
        first: LogPosition,
    ) -> BoxFuture<'_, Result<(), ShardLogError>>;
}
