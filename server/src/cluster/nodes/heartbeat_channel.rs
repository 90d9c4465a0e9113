//! The channel that carries the heartbeats of all nodes: the [`HeartbeatChannel`] trait.

use futures::future::BoxFuture;
use tokio_util::bytes::Bytes;

/// Heartbeats of all nodes, including this one. Messages may be lost.
pub(crate) trait HeartbeatChannel: Send {
    /// Receives the next heartbeat. `None` after the connection has ended for good. Cancel safe.
    fn receive(&mut self) -> BoxFuture<'_, Option<Bytes>>;

    /// Sends a heartbeat to all nodes.
    fn send(&self, heartbeat: String) -> BoxFuture<'_, ()>;

    /// Waits for a bounded time until the heartbeats are sent.
    fn flush(&self) -> BoxFuture<'_, ()>;

    /// Connects to another server. Called when the heartbeats of this node do not come back.
    fn switch_server(&self) -> BoxFuture<'_, ()>;
}
