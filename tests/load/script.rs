//! The games that are played: drawn once by a seed, so that every server has the same to do.

use noughts_protocol::{Position, Rules};

/// The cells of one finished game, in order.
#[derive(Clone, Debug)]
pub(crate) struct Script(pub(crate) Vec<usize>);

/// Games to take in turn.
#[derive(Clone, Debug)]
pub(crate) struct Scripts {
    /// Which game it is.
    pub(crate) rules: Rules,
    games: Vec<Script>,
}

/// How many there are: more than any cache could learn by heart, few enough to be no memory.
const GAMES: usize = 512;

impl Scripts {
    /// Random games of these rules.
    pub(crate) fn new(rules: Rules, seed: u64) -> Scripts {
        let mut state = seed;
        let games = (0..GAMES).map(|_| Script::random(rules, &mut state)).collect();
        Scripts { rules, games }
    }

    /// The `number`th game of the `pair`th pair.
    pub(crate) fn game(&self, pair: usize, number: usize) -> &Script {
        &self.games[(pair * 31 + number) % self.games.len()]
    }
}

impl Script {
    fn random(rules: Rules, state: &mut u64) -> Script {
        let mut position = Position::new(rules);
        while position.outcome().is_none() {
            let legal: Vec<_> = position.legal_moves().collect();
            let cell = legal[(next(state) % legal.len() as u64) as usize];
            position.play(cell).expect("legal");
        }
        Script(position.moves().iter().map(|cell| cell.index()).collect())
    }
}

/// SplitMix64 (Steele, Lea, Flood 2014): a stream of numbers from a seed, the same on every machine.
fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut mixed = *state;
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}
