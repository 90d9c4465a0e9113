//! Seeded random numbers.

pub use noughts_protocol::rng::SeededRng;

/// Returns the number in an environment variable, or `default` if it is not set.
///
/// # Panics
///
/// If the variable is not a number.
pub fn env_number(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |text| {
        text.parse().unwrap_or_else(|_| panic!("{name}={text}"))
    })
}
