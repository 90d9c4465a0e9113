//! The stream of finished games: the [`GameStream`] trait.

use std::fmt;

use futures::future::BoxFuture;
use tokio_util::bytes::Bytes;

use crate::cluster::log::shard_log::ShardLogError;
use crate::cluster::shard::Shard;

/// A stream that takes the finished games of all shards. A game that was published twice may occur twice: readers
/// compare keys.
pub(crate) trait GameStream: Send + Sync + fmt::Debug + 'static {
    /// Publishes a game of a shard. The game may be stored even if an error is returned. The wait is bounded.
    fn publish(
        &self,
        shard: Shard,
        message_id: String,
        message: Bytes,
    ) -> BoxFuture<'_, Result<(), ShardLogError>>;
}
