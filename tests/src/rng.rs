//! Seeded random numbers.

/// Deterministic random number generator (SplitMix64).
#[derive(Clone, Debug)]
pub struct SeededRng(u64);

impl SeededRng {
    pub fn new(seed: u64) -> SeededRng {
        SeededRng(seed)
    }

    pub fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number below `limit`, which must not be 0.
    pub fn random_below(&mut self, limit: u64) -> u64 {
        self.next_u64() % limit
    }

    /// Returns a number from `min` to below `limit`.
    pub fn random_range(&mut self, min: u64, limit: u64) -> u64 {
        min + self.random_below(limit - min)
    }

    /// Returns `true` with a probability of 1 in `times`.
    pub fn random_one_in(&mut self, times: u64) -> bool {
        self.random_below(times) == 0
    }

    /// Returns an element of a non-empty slice.
    pub fn choose<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.random_below(items.len() as u64) as usize]
    }
}

/// Returns the number in an environment variable, or `default` if it is not set.
///
/// # Panics
///
/// If the variable is not a number.
pub fn env_number(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |text| text.parse().unwrap_or_else(|_| panic!("{name}={text}")))
}
