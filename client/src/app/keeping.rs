//! What the loop does about unfinished games: the files themselves, beside the runtime's threads.

use crate::unfinished::{Found, Held, Store, TakeError, Unfinished};

/// Where games are kept, and the one that this program plays.
#[derive(Debug)]
pub(super) struct Keeping {
    store: Option<Store>,
    held: Option<Held>,
}

impl Keeping {
    /// Keeps games there; without a place, none.
    pub(super) fn new(store: Option<Store>) -> Keeping {
        Keeping { store, held: None }
    }

    /// What there is to continue. What cannot be read is not offered.
    pub(super) async fn find(&self) -> Found {
        let Some(store) = self.store.clone() else { return Found::default() };
        match on_a_thread(move || Ok(store.find()?)).await {
            Ok(found) => found,
            Err(error) => {
                tracing::warn!(%error, "unfinished games are not to be read");
                Found::default()
            }
        }
    }

    /// Takes a game to play it on.
    pub(super) async fn take(&mut self, game: Unfinished) -> Result<Unfinished, TakeError> {
        let store = self.store.clone().ok_or(TakeError::Gone)?;
        self.held = None;
        let (held, game) = on_a_thread(move || store.take(&game)).await?;
        self.held = Some(held);
        Ok(game)
    }

    /// Keeps the game that is played.
    pub(super) async fn keep(&mut self, game: Unfinished) -> Result<(), TakeError> {
        let Some(store) = self.store.clone() else { return Ok(()) };
        let held = self.held.take();
        self.held = Some(on_a_thread(move || store.keep(held, &game)).await?);
        Ok(())
    }

    /// Forgets the game that is played. One that cannot be removed will be offered, and refused by its server.
    pub(super) async fn forget(&mut self) {
        let (Some(store), Some(held)) = (self.store.clone(), self.held.take()) else { return };
        if let Err(error) = on_a_thread(move || Ok(store.forget(held)?)).await {
            tracing::warn!(%error, "a game is not forgotten");
        }
    }

    /// Lets the game that was played go, to be continued.
    pub(super) fn let_go(&mut self) {
        self.held = None;
    }
}

async fn on_a_thread<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, TakeError> + Send + 'static,
) -> Result<T, TakeError> {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done,
        Err(error) => Err(std::io::Error::other(error).into()),
    }
}
