//! What the loop does about unfinished games: the files themselves, beside the runtime's threads.

use crate::saved_games::{SavedGame, SavedGameError, SavedGameList, SavedGameLock, SavedGameStore};

/// Where games are kept, and the one that this program plays.
#[derive(Debug)]
pub(in crate::app) struct SaveTask {
    store: Option<SavedGameStore>,
    lock: Option<SavedGameLock>,
}

impl SaveTask {
    /// Keeps games there; without a place, none.
    pub(in crate::app) fn new(store: Option<SavedGameStore>) -> SaveTask {
        SaveTask { store, lock: None }
    }

    /// What there is to continue. What cannot be read is not offered.
    pub(in crate::app) async fn list(&self) -> SavedGameList {
        let Some(store) = self.store.clone() else { return SavedGameList::default() };
        match run_blocking(move || Ok(store.list()?)).await {
            Ok(found) => found,
            Err(error) => {
                tracing::warn!(%error, "unfinished games are not to be read");
                SavedGameList::default()
            }
        }
    }

    /// Takes a game to play it on.
    pub(in crate::app) async fn lock_game(&mut self, game: SavedGame) -> Result<SavedGame, SavedGameError> {
        let store = self.store.clone().ok_or(SavedGameError::NotFound)?;
        self.lock = None;
        let (lock, game) = run_blocking(move || store.lock(&game)).await?;
        self.lock = Some(lock);
        Ok(game)
    }

    /// Keeps the game that is played.
    pub(in crate::app) async fn save(&mut self, game: SavedGame) -> Result<(), SavedGameError> {
        let Some(store) = self.store.clone() else { return Ok(()) };
        let lock = self.lock.take();
        self.lock = Some(run_blocking(move || store.save(lock, &game)).await?);
        Ok(())
    }

    /// Forgets the game that is played. One that cannot be removed will be offered, and refused by its server.
    pub(in crate::app) async fn delete(&mut self) {
        let (Some(store), Some(lock)) = (self.store.clone(), self.lock.take()) else { return };
        if let Err(error) = run_blocking(move || Ok(store.delete(lock)?)).await {
            tracing::warn!(%error, "a game is not forgotten");
        }
    }

    /// Lets the game that was played go, to be continued.
    pub(in crate::app) fn release(&mut self) {
        self.lock = None;
    }
}

async fn run_blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, SavedGameError> + Send + 'static,
) -> Result<T, SavedGameError> {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done,
        Err(error) => Err(std::io::Error::other(error).into()),
    }
}
