//! A seeded generator of pseudorandom numbers. This crate draws no randomness itself: the seed is an argument.

/// Returns output number `index` (from 0) of SplitMix64 with seed 0: a fixed hash of 64 bits, for Zobrist keys.
///
/// Steele, Lea and Flood, "Fast splittable pseudorandom number generators" (OOPSLA 2014).
#[inline]
pub const fn split_mix64(index: u64) -> u64 {
    mix(index.wrapping_add(1).wrapping_mul(GAMMA))
}

/// A pseudorandom number generator (SplitMix64) that yields the same numbers for the same seed on every machine.
///
/// For tests, simulations and other work that must be repeatable. The output is predictable: never derive a secret from
/// it.
///
/// ```
/// use noughts_protocol::rng::{SeededRng, split_mix64};
/// let mut rng = SeededRng::new(0);
/// assert_eq!([rng.next_u64(), rng.next_u64()], [split_mix64(0), split_mix64(1)]);
/// assert!(rng.random_below(6) < 6);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeededRng(u64);

impl SeededRng {
    /// Creates a generator with this seed.
    pub const fn new(seed: u64) -> SeededRng {
        SeededRng(seed)
    }

    /// Returns the next number, uniform over all 64 bits.
    #[inline]
    pub const fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(GAMMA);
        mix(self.0)
    }

    /// Returns a number from 0 to `limit - 1`. It is the remainder of a division, so the bias is below `limit / 2^64`.
    ///
    /// # Panics
    /// When `limit` is 0.
    pub const fn random_below(&mut self, limit: u64) -> u64 {
        self.next_u64() % limit
    }

    /// Returns a number from `min` to `limit - 1`.
    ///
    /// # Panics
    /// When `limit` is not more than `min`.
    pub const fn random_range(&mut self, min: u64, limit: u64) -> u64 {
        min + self.random_below(limit - min)
    }

    /// Returns `true` in one of `times` cases on average.
    ///
    /// # Panics
    /// When `times` is 0.
    pub const fn random_one_in(&mut self, times: u64) -> bool {
        self.random_below(times) == 0
    }

    /// Returns one of the items, each with the same probability.
    ///
    /// # Panics
    /// When `items` is empty.
    pub const fn choose<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.random_below(items.len() as u64) as usize]
    }
}

/// The increment of the state: 2^64 divided by the golden ratio, odd.
const GAMMA: u64 = 0x9e37_79b9_7f4a_7c15;

/// Applies the output function of SplitMix64.
#[inline]
const fn mix(state: u64) -> u64 {
    let z = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The outputs of the reference implementation (Vigna, `splitmix64.c`) for seed 1234567.
    #[test]
    fn numbers_are_those_of_the_reference_implementation() {
        let mut rng = SeededRng::new(1_234_567);
        let numbers = [(); 5].map(|()| rng.next_u64());
        assert_eq!(
            numbers,
            [
                6_457_827_717_110_365_317,
                3_203_168_211_198_807_973,
                9_817_491_932_198_370_423,
                4_593_380_528_125_082_431,
                16_408_922_859_458_223_821
            ]
        );
    }

    #[test]
    fn indexed_outputs_are_those_of_seed_zero() {
        let mut rng = SeededRng::new(0);
        assert!((0..1_000).all(|index| split_mix64(index) == rng.next_u64()));
    }

    #[test]
    fn numbers_stay_within_their_bounds() {
        let mut rng = SeededRng::new(7);
        let mut counts = [0; 5];
        for _ in 0..5_000 {
            let number = rng.random_range(3, 8);
            counts[number as usize - 3] += 1;
            assert!([3, 5].contains(rng.choose(&[3, 5])));
        }
        assert!(counts.iter().all(|&count| count > 800), "{counts:?}");
        let hits = (0..6_000).filter(|_| rng.random_one_in(6)).count();
        assert!((800..1_200).contains(&hits), "{hits}");
    }
}
