//! Chance that can be had again: the same seed gives the same numbers.

/// Numbers that look like chance, and are the same for the same seed (SplitMix64).
#[derive(Clone, Debug)]
pub struct SeededRng(u64);

impl SeededRng {
    /// The chance of this seed.
    pub fn new(seed: u64) -> SeededRng {
        SeededRng(seed)
    }

    /// Any number.
    pub fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `limit`, which is not 0.
    pub fn random_below(&mut self, limit: u64) -> u64 {
        self.next_u64() % limit
    }

    /// A number from `least` up to below `limit`, which is more.
    pub fn random_range(&mut self, min: u64, limit: u64) -> u64 {
        min + self.random_below(limit - min)
    }

    /// True once in so many times.
    pub fn random_one_in(&mut self, times: u64) -> bool {
        self.random_below(times) == 0
    }

    /// One of these, of which there are some.
    pub fn choose<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.random_below(items.len() as u64) as usize]
    }
}

/// How much of something the environment asks for.
///
/// # Panics
/// When it says so in anything but a number.
pub fn env_number(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |text| text.parse().unwrap_or_else(|_| panic!("{name}={text}")))
}
