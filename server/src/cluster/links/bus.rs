//! Messages between two nodes: the [`Bus`] trait.

use std::fmt;

use futures::future::BoxFuture;
use futures::stream::BoxStream;
use tokio_util::bytes::Bytes;

use crate::cluster::shard::NodeId;

/// The bus did not take a batch in time.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("cannot send to node: {0}")]
pub(crate) struct BusError(pub(crate) String);

/// Carries batches between nodes, in order or with gaps. A sender does not detect the loss of a batch.
pub(crate) trait Bus: Send + Sync + fmt::Debug + 'static {
    /// Sends a batch of at most [`MAX_BATCH_BYTES`](super::link_batch::MAX_BATCH_BYTES). The wait is bounded.
    ///
    /// # Errors
    /// If the bus did not take the batch in time.
    fn send(&self, to: NodeId, batch: Bytes) -> BoxFuture<'_, Result<(), BusError>>;

    /// Waits until all batches are sent, for a bounded time.
    fn flush(&self) -> BoxFuture<'_, ()>;
}

/// The bus of a node, and the batches that it receives. The stream ends when the connection has ended for good.
pub(crate) struct ConnectedBus {
    pub(crate) bus: Box<dyn Bus>,
    pub(crate) batches: BoxStream<'static, Bytes>,
}

impl fmt::Debug for ConnectedBus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ConnectedBus")
            .field("bus", &self.bus)
            .finish_non_exhaustive()
    }
}
