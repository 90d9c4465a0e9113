//! The one place where a connection draws by lot: where its numbers begin, and how long it waits.

use noughts_protocol::Party;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

/// Chance, seeded by the operating system or by a test.
#[derive(Debug)]
pub struct Chance(StdRng);

impl Default for Chance {
    fn default() -> Chance {
        Chance(rand::make_rng())
    }
}

impl Chance {
    /// Chance that takes the same course every time, for tests.
    pub fn from_seed(seed: u64) -> Chance {
        Chance(StdRng::seed_from_u64(seed))
    }

    /// A number among all: another process that holds the same seat meets none of those that follow it.
    pub(super) fn number(&mut self) -> u64 {
        self.0.random()
    }

    /// A party that nobody guesses.
    pub(super) fn party(&mut self) -> Party {
        Party::from_bits(self.0.random())
    }

    /// A number below 1, to spread what would else happen at once.
    pub(super) fn fraction(&mut self) -> f64 {
        self.0.random()
    }
}
