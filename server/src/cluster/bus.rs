//! Messages between two nodes that may be lost: the [`Bus`] trait.

use std::fmt;

use futures::future::BoxFuture;
use futures::stream::BoxStream;
use tokio_util::bytes::Bytes;

use crate::cluster::shard::NodeId;

/// The bus did not take a message in time.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("cannot send to node: {0}")]
pub(crate) struct BusError(pub(crate) String);

/// Carries messages between nodes. A sender does not detect the loss of a message.
pub(crate) trait Bus: Send + Sync + fmt::Debug + 'static {
    /// Sends a message. The wait is bounded.
    ///
    /// # Errors
    /// If the bus did not take the message in time.
    fn send(&self, to: NodeId, message: Bytes) -> BoxFuture<'_, Result<(), BusError>>;
}

/// The bus of a node, and the messages that it receives. The stream ends when the connection has ended for good.
pub(crate) struct ConnectedBus {
    pub(crate) bus: Box<dyn Bus>,
    pub(crate) messages: BoxStream<'static, Bytes>,
}

impl fmt::Debug for ConnectedBus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ConnectedBus")
            .field("bus", &self.bus)
            .finish_non_exhaustive()
    }
}
