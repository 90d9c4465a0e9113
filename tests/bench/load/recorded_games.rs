//! Recorded random games: every server plays the same games.

use noughts_protocol::{Position, Rules};
use noughts_tests::rng::SeededRng;

/// Cells of one finished game, in order.
#[derive(Clone, Debug)]
pub(crate) struct RecordedGame(pub(crate) Vec<usize>);

/// Games to play in turn.
#[derive(Clone, Debug)]
pub(crate) struct RecordedGames {
    pub(crate) rules: Rules,
    games: Vec<RecordedGame>,
}

/// Number of games: more than branch predictors and caches can learn, few enough to need little memory.
const GAME_COUNT: usize = 512;

impl RecordedGames {
    /// Generates random games.
    pub(crate) fn new(rules: Rules, seed: u64) -> RecordedGames {
        let mut rng = SeededRng::new(seed);
        let games = (0..GAME_COUNT)
            .map(|_| RecordedGame::random(rules, &mut rng))
            .collect();
        RecordedGames { rules, games }
    }

    /// Returns game `number` of pair `pair`.
    pub(crate) fn game(&self, pair: usize, number: usize) -> &RecordedGame {
        &self.games[(pair * 31 + number) % self.games.len()]
    }
}

impl RecordedGame {
    fn random(rules: Rules, rng: &mut SeededRng) -> RecordedGame {
        let mut position = Position::new(rules);
        while position.outcome().is_none() {
            let legal: Vec<_> = position.legal_moves().collect();
            position.play(*rng.choose(&legal)).expect("legal");
        }
        RecordedGame(position.moves().iter().map(|cell| cell.index()).collect())
    }
}
