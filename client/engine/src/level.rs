//! Levels of play and their parameters.

use std::fmt;
use std::str::FromStr;

/// A level of play: limits the depth, and lets weaker levels choose among several good moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Level {
    /// Sees immediate wins and threats, and little more.
    Easy,
    /// Searches a few plies.
    Medium,
    /// Searches without a depth limit, with some variety among equal moves.
    #[default]
    Hard,
    /// Plays the best move that it finds.
    Perfect,
}

/// Error of reading a [`Level`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the levels are easy, medium, hard and perfect")]
pub struct LevelError;

impl Level {
    /// All levels, the weakest first.
    pub const ALL: [Level; 4] = [Level::Easy, Level::Medium, Level::Hard, Level::Perfect];

    /// The name, as on the command line.
    pub fn as_str(self) -> &'static str {
        match self {
            Level::Easy => "easy",
            Level::Medium => "medium",
            Level::Hard => "hard",
            Level::Perfect => "perfect",
        }
    }
}

/// Search parameters of a level.
#[derive(Clone, Copy, Debug)]
pub(super) struct LevelParams {
    /// Maximum depth in plies; `None` for no limit.
    pub(super) depth: Option<u32>,
    /// Maximum number of positions of the VCF search at one leaf; 0 disables threat searches.
    pub(super) vcf_nodes: u32,
    /// Number of best moves to choose among, and their maximum distance from the best value.
    pub(super) candidate_moves: usize,
    pub(super) margin: i32,
    /// Maximum random offset of evaluations, for variety.
    pub(super) noise: u32,
}

impl Level {
    pub(super) fn params(self) -> LevelParams {
        match self {
            Level::Easy => {
                LevelParams { depth: Some(1), vcf_nodes: 0, candidate_moves: 16, margin: 400, noise: 0 }
            }
            Level::Medium => {
                LevelParams { depth: Some(2), vcf_nodes: 0, candidate_moves: 3, margin: 20, noise: 0 }
            }
            Level::Hard => {
                LevelParams { depth: None, vcf_nodes: 60, candidate_moves: 1, margin: 0, noise: 2 }
            }
            Level::Perfect => {
                LevelParams { depth: None, vcf_nodes: 60, candidate_moves: 1, margin: 0, noise: 0 }
            }
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for Level {
    type Err = LevelError;

    fn from_str(text: &str) -> Result<Level, LevelError> {
        Level::ALL.into_iter().find(|level| level.as_str().eq_ignore_ascii_case(text)).ok_or(LevelError)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip() {
        for level in Level::ALL {
            assert_eq!(level.to_string().parse(), Ok(level));
            assert_eq!(level.to_string().to_uppercase().parse(), Ok(level));
        }
        assert_eq!("brutal".parse::<Level>(), Err(LevelError));
    }
}
