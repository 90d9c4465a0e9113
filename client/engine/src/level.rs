//! Levels of play and their parameters.

use std::fmt;
use std::str::FromStr;

/// A level of play, from the weakest to the strongest. The number of a level, 1 to 8, is another name for it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Level {
    /// Overlooks half of its own lines and most threats.
    Novice,
    /// Overlooks many threats.
    Easy,
    /// Sees most lines and threats.
    Casual,
    /// Looks two plies ahead, and overlooks few threats.
    Medium,
    /// Looks three plies ahead.
    Skilled,
    /// Looks four plies ahead.
    Strong,
    /// Searches without a depth limit, with some variety among equal moves.
    #[default]
    Hard,
    /// Plays the best move that it finds.
    Perfect,
}

/// Error of reading a [`Level`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the levels are novice, easy, casual, medium, skilled, strong, hard and perfect, or 1 to 8")]
pub struct LevelError;

impl Level {
    /// All levels, the weakest first.
    pub const ALL: [Level; 8] = [
        Level::Novice,
        Level::Easy,
        Level::Casual,
        Level::Medium,
        Level::Skilled,
        Level::Strong,
        Level::Hard,
        Level::Perfect,
    ];

    /// The name, as on the command line.
    pub fn as_str(self) -> &'static str {
        match self {
            Level::Novice => "novice",
            Level::Easy => "easy",
            Level::Casual => "casual",
            Level::Medium => "medium",
            Level::Skilled => "skilled",
            Level::Strong => "strong",
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
    /// The same distance in percent of that between the best and the worst move; the greater of both counts.
    pub(super) spread_percent: i32,
    /// Maximum random offset of evaluations, for variety.
    pub(super) noise: u32,
    /// Chance in 100 that a move considers lines that the mover could complete.
    pub(super) own_sight: u32,
    /// Chance in 100 that a move considers lines that the opponent could complete next.
    pub(super) threat_sight: u32,
}

impl Level {
    pub(super) fn params(self) -> LevelParams {
        let weak = |depth, own_sight, threat_sight, candidate_moves, margin, spread_percent| LevelParams {
            depth: Some(depth),
            vcf_nodes: 0,
            candidate_moves,
            margin,
            spread_percent,
            noise: 0,
            own_sight,
            threat_sight,
        };
        let strong = |noise| LevelParams {
            depth: None,
            vcf_nodes: 60,
            candidate_moves: 1,
            margin: 0,
            spread_percent: 0,
            noise,
            own_sight: 100,
            threat_sight: 100,
        };
        match self {
            Level::Novice => weak(1, 60, 25, 400, 600, 100),
            Level::Easy => weak(1, 85, 60, 32, 150, 50),
            Level::Casual => weak(1, 95, 88, 16, 80, 20),
            Level::Medium => weak(2, 100, 93, 8, 40, 10),
            Level::Skilled => weak(3, 100, 100, 4, 30, 0),
            Level::Strong => weak(4, 100, 100, 3, 10, 0),
            Level::Hard => strong(2),
            Level::Perfect => strong(0),
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
        let numbered = (1..).zip(Level::ALL).map(|(number, level): (u32, Level)| (number.to_string(), level));
        let mut named = numbered.map(|(number, level)| {
            (number == text || level.as_str().eq_ignore_ascii_case(text)).then_some(level)
        });
        named.find_map(|level| level).ok_or(LevelError)
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
        assert_eq!(
            ["1", "2", "7", "8"].map(str::parse),
            [Level::Novice, Level::Easy, Level::Hard, Level::Perfect].map(Ok)
        );
        assert_eq!(["brutal", "0", "9", "01", ""].map(str::parse::<Level>), [Err(LevelError); 5]);
    }
}
