//! Resumable games: unfinished games that can be continued after the program was killed.

mod saved_game;
mod store;

pub(crate) use saved_game::{ParseSavedGameError, SavedGame};
pub(crate) use store::{SavedGameError, SavedGameList, SavedGameLock, SavedGameStore};

#[cfg(test)]
pub(crate) use saved_game::tests;
