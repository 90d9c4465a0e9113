//! Random numbers of a connection: the first request id, the party key and the jitter of delays.

use noughts_protocol::Party;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

/// Random number generator, seeded by the operating system or by a test.
#[derive(Debug)]
pub struct ClientRng(StdRng);

impl Default for ClientRng {
    fn default() -> ClientRng {
        ClientRng(rand::make_rng())
    }
}

impl ClientRng {
    /// Creates a reproducible generator for tests.
    pub fn from_seed(seed: u64) -> ClientRng {
        ClientRng(StdRng::seed_from_u64(seed))
    }

    /// Returns a random start for request ids, because processes that share a seat must not use the same ids.
    pub(super) fn request_id_base(&mut self) -> u64 {
        self.0.random()
    }

    /// Returns a new party key: a secret that identifies this client on all its connections.
    pub(super) fn new_party(&mut self) -> Party {
        Party::from_bits(self.0.random())
    }

    /// Returns a number in `0.0..1.0`.
    pub(super) fn random_unit(&mut self) -> f64 {
        self.0.random()
    }
}
