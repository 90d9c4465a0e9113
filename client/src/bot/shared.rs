//! State shared by the connections of one bot.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Coordinates the connections of one bot. Clones share the state.
#[derive(Clone, Debug)]
pub(super) struct BotShared {
    /// Permit for the connection that seeks. Two seeks of one bot would be paired with each other.
    seek_turn: Arc<Semaphore>,
    /// Whether any connection has ever been accepted by the server.
    connected: Arc<AtomicBool>,
}

impl BotShared {
    pub(super) fn new() -> BotShared {
        BotShared {
            seek_turn: Arc::new(Semaphore::new(1)),
            connected: Arc::default(),
        }
    }

    /// Waits for this connection's turn to seek. The turn ends when the permit is dropped.
    pub(super) async fn acquire_seek_turn(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.seek_turn).acquire_owned().await.ok()
    }

    pub(super) fn mark_connected(&self) {
        self.connected.store(true, Ordering::Relaxed);
    }

    pub(super) fn has_connected(&self) -> bool {
        self.connected.load(Ordering::Relaxed)
    }
}
