//! Recorded random games: every server plays the same games.

use noughts_protocol::{Position, Rules};

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
        let mut state = seed;
        let games = (0..GAME_COUNT).map(|_| RecordedGame::random(rules, &mut state)).collect();
        RecordedGames { rules, games }
    }

    /// Game `number` of pair `pair`.
    pub(crate) fn game(&self, pair: usize, number: usize) -> &RecordedGame {
        &self.games[(pair * 31 + number) % self.games.len()]
    }
}

impl RecordedGame {
    fn random(rules: Rules, state: &mut u64) -> RecordedGame {
        let mut position = Position::new(rules);
        while position.outcome().is_none() {
            let legal: Vec<_> = position.legal_moves().collect();
            let cell = legal[(splitmix64(state) % legal.len() as u64) as usize];
            position.play(cell).expect("legal");
        }
        RecordedGame(position.moves().iter().map(|cell| cell.index()).collect())
    }
}

/// SplitMix64 (Steele, Lea, Flood 2014): a stream of numbers from a seed, the same on every machine.
fn splitmix64(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut mixed = *state;
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}
