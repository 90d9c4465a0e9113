//! How strong the bot plays: honest handicaps, chosen by name.

use std::fmt;
use std::str::FromStr;

/// A handicap: how far to look ahead, and how freely to choose among good moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Level {
    /// Sees its own win and the other's threat, and little more.
    Easy,
    /// Looks a few plies ahead.
    Medium,
    /// Uses its time well, with a little variety where moves are as good as each other.
    #[default]
    Hard,
    /// The best move it can find.
    Perfect,
}

/// A text names no level.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the levels are easy, medium, hard and perfect")]
pub struct LevelError;

impl Level {
    /// All of them, the weakest first.
    pub const ALL: [Level; 4] = [Level::Easy, Level::Medium, Level::Hard, Level::Perfect];

    /// The name, as typed on a command line.
    pub fn as_str(self) -> &'static str {
        match self {
            Level::Easy => "easy",
            Level::Medium => "medium",
            Level::Hard => "hard",
            Level::Perfect => "perfect",
        }
    }
}

/// What a level means to the search.
#[derive(Clone, Copy, Debug)]
pub(super) struct LevelParams {
    /// Plies to look ahead at most.
    pub(super) depth: Option<u32>,
    /// Positions to spend on forced sequences at a leaf.
    pub(super) vcf_nodes: u32,
    /// How many of the best moves to choose among, and how much worse than the best they may be.
    pub(super) candidate_moves: usize,
    pub(super) margin: i32,
    /// By how much estimates are off, for variety.
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
