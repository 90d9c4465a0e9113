//! Levels of play.

pub(super) mod move_style;

use std::fmt;
use std::str::FromStr;

/// A level of play, from the weakest to the strongest. The number of a level, 1 to 8, is another name for it.
///
/// A level below `perfect` looks farther at some moves than at others; `level/move_style.rs` has the chances.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Level {
    /// Plays most moves anywhere.
    Novice,
    /// Completes more of its lines.
    Easy,
    /// Blocks lines, and looks at the position after its move now and then.
    Casual,
    /// Looks at the position after most of its moves, and overlooks some lines.
    Medium,
    /// Sees all lines, and overlooks forks.
    Skilled,
    /// Looks several plies ahead at most moves.
    Strong,
    /// Searches without a depth limit at most moves.
    #[default]
    Hard,
    /// Plays the best move that it finds, and among equal ones the one with most traps.
    Perfect,
}

/// Error of reading a [`Level`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the levels are novice, easy, casual, medium, skilled, strong, hard and perfect, or 1 to 8"
)]
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

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for Level {
    type Err = LevelError;

    fn from_str(text: &str) -> Result<Level, LevelError> {
        let numbered = (1..)
            .zip(Level::ALL)
            .map(|(number, level): (u32, Level)| (number.to_string(), level));
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
        assert_eq!(
            ["brutal", "0", "9", "01", ""].map(str::parse::<Level>),
            [Err(LevelError); 5]
        );
    }
}
