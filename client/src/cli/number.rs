//! Numbers of the command line, each within its bounds.

use std::str::FromStr;

/// A text is no whole number within these bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a whole number from {least} to {most} is needed")]
pub struct NumberError {
    /// The smallest that will do.
    pub least: u64,
    /// The greatest.
    pub most: u64,
}

/// Reads a number from `least` to `most`.
pub(super) fn number<T: FromStr + Copy + Into<u64>>(
    min: u64,
    max: u64,
) -> impl Fn(&str) -> Result<T, NumberError> + Clone + Send + Sync {
    move |text| {
        let parsed = text.parse::<T>().ok().filter(|&number| (min..=max).contains(&number.into()));
        parsed.ok_or(NumberError { least: min, most: max })
    }
}

/// Reads a number of things.
pub(super) fn count() -> impl Fn(&str) -> Result<u32, NumberError> + Clone + Send + Sync {
    number(0, u64::from(u32::MAX))
}

/// Reads a number that may be large.
pub(super) fn amount() -> impl Fn(&str) -> Result<u64, NumberError> + Clone + Send + Sync {
    number(0, u64::MAX)
}
