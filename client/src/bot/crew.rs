//! What the connections of one bot have in common.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The connections of one bot, as far as they mind each other.
#[derive(Clone, Debug)]
pub(super) struct Crew {
    /// Only one seeks at a time: two would be paired with each other.
    turn_to_seek: Arc<Semaphore>,
    /// Set once the server has let any of them in.
    welcomed: Arc<AtomicBool>,
    /// Games with other bots.
    with_bots: Arc<AtomicU32>,
}

/// A game with another bot; ends when it is dropped.
#[derive(Debug)]
pub(super) struct GameWithBot(Arc<AtomicU32>);

impl Crew {
    pub(super) fn new() -> Crew {
        Crew {
            turn_to_seek: Arc::new(Semaphore::new(1)),
            welcomed: Arc::default(),
            with_bots: Arc::default(),
        }
    }

    /// Waits for the turn to seek, and has it as long as the permit lives.
    pub(super) async fn turn(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.turn_to_seek).acquire_owned().await.ok()
    }

    pub(super) fn is_welcomed(&self) {
        self.welcomed.store(true, Ordering::Relaxed);
    }

    pub(super) fn was_welcomed(&self) -> bool {
        self.welcomed.load(Ordering::Relaxed)
    }

    /// Games with other bots that are on.
    pub(super) fn games_with_bots(&self) -> u32 {
        self.with_bots.load(Ordering::Relaxed)
    }

    pub(super) fn plays_a_bot(&self) -> GameWithBot {
        self.with_bots.fetch_add(1, Ordering::Relaxed);
        GameWithBot(Arc::clone(&self.with_bots))
    }
}

impl Drop for GameWithBot {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}
