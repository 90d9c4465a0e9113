//! Evaluations by a player's engine, for spectators.

use std::fmt;
use std::str::FromStr;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::{Cell, Rules, Seq};

/// Evaluation of a position for the side to move. The text form is `win in 5`, `loss in 4`, `draw`, `+12` or `-3`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Evaluation {
    /// Forced loss in at most this many plies against best play.
    Loss(u32),
    /// Estimate in units of the engine: more is better, 0 is even.
    Estimate(i32),
    /// Neither side can force a win.
    Draw,
    /// Forced win in at most this many plies against best resistance.
    Win(u32),
}

impl Evaluation {
    /// Maximum distance to a win or a loss: no game has more plies.
    pub const MAX_PLIES: u32 = Rules::MAX_CELLS as u32;
    /// Maximum absolute value of an estimate.
    pub const MAX_ESTIMATE: i32 = 1_000_000;

    /// Returns whether a draw is at least as good for the side to move.
    pub fn is_draw_acceptable(self) -> bool {
        match self {
            Evaluation::Loss(_) | Evaluation::Draw => true,
            Evaluation::Estimate(estimate) => estimate <= 0,
            Evaluation::Win(_) => false,
        }
    }
}

impl fmt::Display for Evaluation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Evaluation::Loss(plies) => write!(f, "loss in {plies}"),
            Evaluation::Estimate(estimate) => write!(f, "{estimate:+}"),
            Evaluation::Draw => f.write_str("draw"),
            Evaluation::Win(plies) => write!(f, "win in {plies}"),
        }
    }
}

/// Error of reading an [`Evaluation`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EvaluationError;

impl fmt::Display for EvaluationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a score must be \"win in 5\", \"loss in 4\", \"draw\", \"+12\" or \"-3\"")
    }
}

impl std::error::Error for EvaluationError {}

impl FromStr for Evaluation {
    type Err = EvaluationError;

    fn from_str(text: &str) -> Result<Evaluation, EvaluationError> {
        let plies = |text: &str| {
            let plies = text
                .parse()
                .ok()
                .filter(|plies| (1..=Evaluation::MAX_PLIES).contains(plies));
            plies.ok_or(EvaluationError)
        };
        let evaluation = if text == "draw" {
            Evaluation::Draw
        } else if let Some(text) = text.strip_prefix("win in ") {
            Evaluation::Win(plies(text)?)
        } else if let Some(text) = text.strip_prefix("loss in ") {
            Evaluation::Loss(plies(text)?)
        } else {
            let estimate: i32 = text.parse().map_err(|_| EvaluationError)?;
            if estimate.abs_diff(0) > Evaluation::MAX_ESTIMATE.unsigned_abs() {
                return Err(EvaluationError);
            }
            Evaluation::Estimate(estimate)
        };
        // One text for each value: `5`, `+05` and `win in 05` are errors.
        if evaluation.to_string() == text {
            Ok(evaluation)
        } else {
            Err(EvaluationError)
        }
    }
}

impl Serialize for Evaluation {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Evaluation {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Evaluation, D::Error> {
        String::deserialize(deserializer)?
            .parse()
            .map_err(D::Error::custom)
    }
}

/// The evaluation that a player's engine sends to the server, for spectators who want remarks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "type", rename = "remark")]
pub struct EngineRemark {
    /// The last event of the room at the time of the evaluation. The remark is stale if the board has changed since.
    pub seq: Seq,
    /// The evaluation from the sender's point of view.
    pub evaluation: Evaluation,
    /// The moves that the engine expects from that position: at most [`EngineRemark::MAX_PV_LEN`] cells, possibly none.
    pub pv: Vec<Cell>,
}

impl EngineRemark {
    /// Maximum length of a principal variation in cells.
    pub const MAX_PV_LEN: usize = 16;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn evaluations_round_trip() {
        for text in [
            "win in 5",
            "loss in 1024",
            "draw",
            "+12",
            "-3",
            "+0",
            "-1000000",
        ] {
            assert_eq!(text.parse::<Evaluation>().unwrap().to_string(), text);
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
            assert_eq!(wrong.parse::<Evaluation>(), Err(EvaluationError), "{wrong}");
        }
    }
}
