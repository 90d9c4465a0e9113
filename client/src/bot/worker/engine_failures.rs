//! Engine failures of one connection.

use crate::engines::player_engine::child_process::EngineError;

/// Number of consecutive games with an engine failure that stops the bot.
const MAX_FAILED_GAMES: u32 = 3;

/// Engine failures on one connection. A game is identified by the number of games that were finished before it.
#[derive(Default)]
pub(super) struct EngineFailures {
    /// Number of consecutive games with a failure.
    consecutive_games: u32,
    last_failed_game: Option<u32>,
    last_error: Option<EngineError>,
}

impl EngineFailures {
    pub(super) fn record_failure(&mut self, game: u32, error: EngineError) {
        let is_consecutive = self.last_failed_game.is_some_and(|last| last + 1 >= game);
        self.consecutive_games = if is_consecutive {
            self.consecutive_games + 1
        } else {
            1
        };
        (self.last_failed_game, self.last_error) = (Some(game), Some(error));
    }

    /// Returns the last error if [`MAX_FAILED_GAMES`] games in a row had a failure.
    pub(super) fn fatal_error(&self) -> Option<&EngineError> {
        self.last_error
            .as_ref()
            .filter(|_| self.consecutive_games >= MAX_FAILED_GAMES)
    }
}
