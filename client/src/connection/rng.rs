//! The one place where a connection draws by lot: where its numbers begin, and how long it waits.

use noughts_protocol::PartyKey;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

/// Chance, seeded by the operating system or by a test.
#[derive(Debug)]
pub struct ClientRng(StdRng);

impl Default for ClientRng {
    fn default() -> ClientRng {
        ClientRng(rand::make_rng())
    }
}

impl ClientRng {
    /// Chance that takes the same course every time, for tests.
    pub fn from_seed(seed: u64) -> ClientRng {
        ClientRng(StdRng::seed_from_u64(seed))
    }

    /// A number among all: another process that holds the same seat meets none of those that follow it.
    pub(super) fn request_id_base(&mut self) -> u64 {
        self.0.random()
    }

    /// A party that nobody guesses.
    pub(super) fn new_party_key(&mut self) -> PartyKey {
        PartyKey::from_bits(self.0.random())
    }

    /// A number below 1, to spread what would else happen at once.
    pub(super) fn random_unit(&mut self) -> f64 {
        self.0.random()
    }
}
