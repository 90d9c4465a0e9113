//! The one place that draws by lot: seats, ids, codes and tokens.

use std::sync::{Mutex, MutexGuard, PoisonError};

use noughts_protocol::{ResumeToken, RoomCode, RoomId};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

/// A generator fit for secrets, seeded by the operating system.
#[derive(Debug)]
pub struct ServerRng(Mutex<StdRng>);

impl Default for ServerRng {
    fn default() -> ServerRng {
        ServerRng(Mutex::new(rand::make_rng()))
    }
}

impl ServerRng {
    /// Dice that always fall the same way, for tests.
    pub fn from_seed(seed: u64) -> ServerRng {
        ServerRng(Mutex::new(StdRng::seed_from_u64(seed)))
    }

    fn lock(&self) -> MutexGuard<'_, StdRng> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Heads or tails.
    pub fn random_bool(&self) -> bool {
        self.lock().random()
    }

    /// A room's id.
    pub fn new_room_id(&self) -> RoomId {
        RoomId::from_bits(self.lock().random())
    }

    /// A private room's code.
    pub fn new_room_code(&self) -> RoomCode {
        RoomCode::from_bits(self.lock().random())
    }

    /// The right to a seat.
    pub fn new_resume_token(&self) -> ResumeToken {
        ResumeToken::from_bits(self.lock().random())
    }

    /// A number below 1, to spread what would else happen at once.
    pub fn random_unit(&self) -> f64 {
        self.lock().random()
    }
}
