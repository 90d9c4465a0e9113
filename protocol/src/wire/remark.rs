//! What a player's program thinks of a game, for those who watch.

use std::fmt;
use std::str::FromStr;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::{Cell, Rules, Seq};

/// What a position is worth to the side to move. The text form is `win in 5`, `loss in 4`, `draw`, `+12` or `-3`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Score {
    /// Loses by force, in so many plies if the other side plays its best.
    Loss(u32),
    /// An estimate: more is better, 0 is even.
    Estimate(i32),
    /// Neither side can force a win.
    Draw,
    /// Wins by force, in so many plies if the other side resists.
    Win(u32),
}

impl Score {
    /// The most plies to a win or a loss: no game is longer.
    pub const MAX_PLIES: u32 = Rules::MAX_CELLS as u32;
    /// No estimate is greater, nor less than minus this.
    pub const MAX_ESTIMATE: i32 = 1_000_000;

    /// Whether the side to move would not be worse off with a draw.
    pub fn welcomes_draw(self) -> bool {
        match self {
            Score::Loss(_) | Score::Draw => true,
            Score::Estimate(estimate) => estimate <= 0,
            Score::Win(_) => false,
        }
    }
}

impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Score::Loss(plies) => write!(f, "loss in {plies}"),
            Score::Estimate(estimate) => write!(f, "{estimate:+}"),
            Score::Draw => f.write_str("draw"),
            Score::Win(plies) => write!(f, "win in {plies}"),
        }
    }
}

/// A text is no score.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScoreError;

impl fmt::Display for ScoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a score is \"win in 5\", \"loss in 4\", \"draw\", \"+12\" or \"-3\"")
    }
}

impl std::error::Error for ScoreError {}

impl FromStr for Score {
    type Err = ScoreError;

    fn from_str(text: &str) -> Result<Score, ScoreError> {
        let plies = |text: &str| {
            let plies = text.parse().ok().filter(|plies| (1..=Score::MAX_PLIES).contains(plies));
            plies.ok_or(ScoreError)
        };
        let score = if text == "draw" {
            Score::Draw
        } else if let Some(text) = text.strip_prefix("win in ") {
            Score::Win(plies(text)?)
        } else if let Some(text) = text.strip_prefix("loss in ") {
            Score::Loss(plies(text)?)
        } else {
            let estimate: i32 = text.parse().map_err(|_| ScoreError)?;
            if estimate.abs_diff(0) > Score::MAX_ESTIMATE.unsigned_abs() {
                return Err(ScoreError);
            }
            Score::Estimate(estimate)
        };
        // One text for each: `5`, `+05` and `win in 05` are not.
        if score.to_string() == text { Ok(score) } else { Err(ScoreError) }
    }
}

impl Serialize for Score {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Score {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Score, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

/// What a player's program thinks of the game, as it tells its server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "type", rename = "remark")]
pub struct Remark {
    /// The last event of the room when it thought so.
    pub seq: Seq,
    /// What the position is worth to it.
    pub score: Score,
    /// What it expects both sides to play from there: at most [`Remark::MAX_LINE`] cells, possibly none.
    pub line: Vec<Cell>,
}

impl Remark {
    /// The most cells of a line.
    pub const MAX_LINE: usize = 16;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_round_trip() {
        for text in ["win in 5", "loss in 1024", "draw", "+12", "-3", "+0", "-1000000"] {
            assert_eq!(text.parse::<Score>().unwrap().to_string(), text);
        }
        for wrong in [
            "",
            "5",
            "+05",
            "0",
            "-0",
            "win",
            "win in 0",
            "win in 05",
            "win in +5",
            "loss in 1025",
            "Draw",
            "+1000001",
            "-2147483648",
            "win in 5 ",
        ] {
            assert_eq!(wrong.parse::<Score>(), Err(ScoreError), "{wrong}");
        }
    }
}
