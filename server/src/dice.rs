//! The one place that draws by lot: seats, ids, codes and tokens.

use std::sync::{Mutex, MutexGuard, PoisonError};

use noughts_protocol::{Code, ResumeToken, RoomId};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

/// A generator fit for secrets, seeded by the operating system.
#[derive(Debug)]
pub struct Dice(Mutex<StdRng>);

impl Default for Dice {
    fn default() -> Dice {
        Dice(Mutex::new(rand::make_rng()))
    }
}

impl Dice {
    /// Dice that always fall the same way, for tests.
    pub fn from_seed(seed: u64) -> Dice {
        Dice(Mutex::new(StdRng::seed_from_u64(seed)))
    }

    fn rng(&self) -> MutexGuard<'_, StdRng> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Heads or tails.
    pub fn coin(&self) -> bool {
        self.rng().random()
    }

    /// A room's id.
    pub fn room(&self) -> RoomId {
        RoomId::from_bits(self.rng().random())
    }

    /// A private room's code.
    pub fn code(&self) -> Code {
        Code::from_bits(self.rng().random())
    }

    /// The right to a seat.
    pub fn token(&self) -> ResumeToken {
        ResumeToken::from_bits(self.rng().random())
    }

    /// A number below 1, to spread what would else happen at once.
    pub fn fraction(&self) -> f64 {
        self.rng().random()
    }
}
