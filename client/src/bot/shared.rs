//! What the connections of one bot have in common.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The connections of one bot, as far as they mind each other.
#[derive(Clone, Debug)]
pub(super) struct BotShared {
    /// Only one seeks at a time: two would be paired with each other.
    seek_turn: Arc<Semaphore>,
    /// Set once the server has let any of them in.
    connected: Arc<AtomicBool>,
    /// Games with other bots.
    bot_games: Arc<AtomicU32>,
}

/// A game with another bot; ends when it is dropped.
#[derive(Debug)]
pub(super) struct BotGameGuard(Arc<AtomicU32>);

impl BotShared {
    pub(super) fn new() -> BotShared {
        BotShared {
            seek_turn: Arc::new(Semaphore::new(1)),
            connected: Arc::default(),
            bot_games: Arc::default(),
        }
    }

    /// Waits for the turn to seek, and has it as long as the permit lives.
    pub(super) async fn acquire_seek_turn(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.seek_turn).acquire_owned().await.ok()
    }

    pub(super) fn mark_connected(&self) {
        self.connected.store(true, Ordering::Relaxed);
    }

    pub(super) fn has_connected(&self) -> bool {
        self.connected.load(Ordering::Relaxed)
    }

    /// Games with other bots that are on.
    pub(super) fn bot_game_count(&self) -> u32 {
        self.bot_games.load(Ordering::Relaxed)
    }

    pub(super) fn track_bot_game(&self) -> BotGameGuard {
        self.bot_games.fetch_add(1, Ordering::Relaxed);
        BotGameGuard(Arc::clone(&self.bot_games))
    }
}

impl Drop for BotGameGuard {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}
