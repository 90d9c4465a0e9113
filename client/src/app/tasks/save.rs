//! File operations on resumable games, on blocking threads.

use crate::io::saved_games::{
    SavedGame, SavedGameError, SavedGameList, SavedGameLock, SavedGameStore,
};

/// The store of the resumable games, and the lock of the game in progress.
#[derive(Debug)]
pub(in crate::app) struct SaveTask {
    store: Option<SavedGameStore>,
    lock: Option<SavedGameLock>,
}

impl SaveTask {
    /// Uses this store; without one, nothing is saved.
    pub(in crate::app) fn new(store: Option<SavedGameStore>) -> SaveTask {
        SaveTask { store, lock: None }
    }

    /// Lists the resumable games; on an error, logs it and returns an empty list.
    pub(in crate::app) async fn list(&self) -> SavedGameList {
        let Some(store) = self.store.clone() else {
            return SavedGameList::default();
        };
        match run_blocking(move || Ok(store.list()?)).await {
            Ok(found) => found,
            Err(error) => {
                tracing::warn!(%error, "resumable games not read");
                SavedGameList::default()
            }
        }
    }

    /// Locks a resumable game for this process, and returns its current state.
    pub(in crate::app) async fn lock_game(
        &mut self,
        game: SavedGame,
    ) -> Result<SavedGame, SavedGameError> {
        let store = self.store.clone().ok_or(SavedGameError::NotFound)?;
        self.lock = None;
        let (lock, game) = run_blocking(move || store.lock(&game)).await?;
        self.lock = Some(lock);
        Ok(game)
    }

    /// Saves the game in progress and locks it.
    pub(in crate::app) async fn save(&mut self, game: SavedGame) -> Result<(), SavedGameError> {
        let Some(store) = self.store.clone() else {
            return Ok(());
        };
        let lock = self.lock.take();
        self.lock = Some(run_blocking(move || store.save(lock, &game)).await?);
        Ok(())
    }

    /// Deletes the resumable game. If that fails, the player can still choose it, and its server rejects the request.
    pub(in crate::app) async fn delete(&mut self) {
        let (Some(store), Some(lock)) = (self.store.clone(), self.lock.take()) else {
            return;
        };
        if let Err(error) = run_blocking(move || Ok(store.delete(lock)?)).await {
            tracing::warn!(%error, "resumable game not deleted");
        }
    }

    /// Releases the lock, so that the game can be resumed.
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
