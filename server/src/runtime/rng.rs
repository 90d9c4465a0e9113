//! The only source of randomness: seats, ids, codes and tokens.

use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

use noughts_protocol::{ResumeToken, RoomCode, RoomId};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use crate::runtime::sync::lock;

/// Cryptographically secure random number generator, seeded by the operating system.
#[derive(Debug)]
pub struct ServerRng(Mutex<StdRng>);

impl Default for ServerRng {
    fn default() -> ServerRng {
        ServerRng(Mutex::new(rand::make_rng()))
    }
}

impl ServerRng {
    /// Creates a deterministic generator, for tests.
    pub fn from_seed(seed: u64) -> ServerRng {
        ServerRng(Mutex::new(StdRng::seed_from_u64(seed)))
    }

    fn lock(&self) -> MutexGuard<'_, StdRng> {
        lock(&self.0)
    }

    /// Returns true with a probability of one half.
    pub fn random_bool(&self) -> bool {
        self.lock().random()
    }

    /// Generates the id of a room.
    pub fn new_room_id(&self) -> RoomId {
        RoomId::from_bits(self.lock().random())
    }

    /// Generates the code of a private room.
    pub fn new_room_code(&self) -> RoomCode {
        RoomCode::from_bits(self.lock().random())
    }

    /// Generates the token of a seat.
    pub fn new_resume_token(&self) -> ResumeToken {
        ResumeToken::from_bits(self.lock().random())
    }

    /// Draws the identity of a node.
    #[cfg(feature = "cluster")]
    pub(crate) fn new_node_id(&self) -> [u8; 16] {
        self.lock().random()
    }

    /// Returns a number in `0.0..1.0`.
    pub fn random_unit(&self) -> f64 {
        self.lock().random()
    }

    /// Returns a time between `1 - spread` and `1 + spread` times `mean`. The time is in whole milliseconds, because a
    /// timer rounds up: a fraction would make a simulated run depend on the microsecond of its start.
    pub(crate) fn jitter(&self, mean: Duration, spread: f64) -> Duration {
        let factor = 1.0 - spread + 2.0 * spread * self.random_unit();
        Duration::from_millis(mean.mul_f64(factor).as_millis() as u64)
    }
}
