//! Outcomes of games and their text.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::geometry::Direction;
use crate::{Cell, Seat};

/// How a game ended.
///
/// In JSON, `reason` names the variant: `{"reason": "resigned", "winner": "O"}`. The text form is the text of the
/// [`Verdict`]: `O resignation`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "reason", rename_all = "snake_case")]
pub enum Outcome {
    /// A line was completed.
    Line {
        /// The seat that completed the line; in misère the other seat.
        winner: Seat,
        /// The line; the first in the order of directions if one move completed several. Boxed to keep events small.
        line: Box<WinningLine>,
    },
    /// The board is full without a line: a draw.
    Full,
    /// A player resigned.
    Resigned {
        /// The seat of the opponent.
        winner: Seat,
    },
    /// A player ran out of time.
    Flag {
        /// The seat of the opponent.
        winner: Seat,
    },
    /// The players agreed to a draw.
    Agreed,
    /// A player did not return, and the opponent claimed the game.
    Abandoned {
        /// The seat that claimed the win; `None` when it claimed a draw.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        winner: Option<Seat>,
    },
    /// A player ended the game before both had moved, or the operator of the server ended it. It has no winner and does
    /// not count.
    Aborted,
}

/// The run of stones that ended a game.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct WinningLine {
    /// The first of `cells`.
    pub first: Cell,
    /// The step from each cell to the next, towards greater indices.
    pub direction: Direction,
    /// The whole run in order: as many cells as the line length of the rules, or more without `exact`.
    pub cells: Vec<Cell>,
    /// The name of the direction.
    pub name: LineName,
}

/// The name of a line, which its direction determines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LineName {
    /// Along x alone.
    Row,
    /// Along y alone.
    Column,
    /// Along z alone: through the same location in each layer.
    Pillar,
    /// Within a layer, parallel to the diagonal from the top left to the bottom right.
    MainDiagonal,
    /// Within a layer, parallel to the diagonal from the top right to the bottom left.
    OtherDiagonal,
    /// Along three or four axes.
    SpaceDiagonal,
    /// Any other direction: along w alone, or along two axes that leave the layer.
    Direction,
}

/// An outcome without the cells of its line: the winner and the reason.
///
/// The text is the winner or `draw`, then the reason: `X line`, `draw full`, `O resignation`, `X time`,
/// `draw agreement`, `draw abandonment`. A seat in the text is always the winner. The text of an aborted game is
/// `aborted`.
///
/// ```
/// use noughts_protocol::outcome::Verdict;
/// let verdict: Verdict = "O resignation".parse().unwrap();
/// assert_eq!(verdict.to_string(), "O resignation");
/// assert!("X full".parse::<Verdict>().is_err(), "a full board has no winner");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// This seat won by a line.
    Line(Seat),
    /// The board is full without a line.
    Full,
    /// This seat won by resignation of the other seat.
    Resigned(Seat),
    /// This seat won on time.
    Flag(Seat),
    /// The players agreed to a draw.
    Agreed,
    /// A player did not return: this seat won, or `None` for a draw.
    Abandoned(Option<Seat>),
    /// The game ended before both players had moved, and does not count.
    Aborted,
}

/// Error of reading a [`Verdict`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VerdictError;

impl Outcome {
    /// Returns the winner; `None` for a draw and for an aborted game.
    pub fn winner(&self) -> Option<Seat> {
        self.verdict().winner()
    }

    /// Returns the winning line, if the game ended by one.
    pub fn line(&self) -> Option<&WinningLine> {
        match self {
            Outcome::Line { line, .. } => Some(line),
            Outcome::Full
            | Outcome::Resigned { .. }
            | Outcome::Flag { .. }
            | Outcome::Agreed
            | Outcome::Abandoned { .. }
            | Outcome::Aborted => None,
        }
    }

    /// Returns the winner and the reason, without the cells.
    pub fn verdict(&self) -> Verdict {
        match *self {
            Outcome::Line { winner, .. } => Verdict::Line(winner),
            Outcome::Full => Verdict::Full,
            Outcome::Resigned { winner } => Verdict::Resigned(winner),
            Outcome::Flag { winner } => Verdict::Flag(winner),
            Outcome::Agreed => Verdict::Agreed,
            Outcome::Abandoned { winner } => Verdict::Abandoned(winner),
            Outcome::Aborted => Verdict::Aborted,
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.verdict().fmt(f)
    }
}

impl Verdict {
    /// Returns the winner; `None` for a draw and for an aborted game.
    pub fn winner(self) -> Option<Seat> {
        match self {
            Verdict::Line(winner) | Verdict::Resigned(winner) | Verdict::Flag(winner) => {
                Some(winner)
            }
            Verdict::Abandoned(winner) => winner,
            Verdict::Full | Verdict::Agreed | Verdict::Aborted => None,
        }
    }

    /// Returns the outcome, if the verdict determines it. `None` for [`Verdict::Line`], because only the board knows
    /// the cells of the line.
    pub fn outcome(self) -> Option<Outcome> {
        match self {
            Verdict::Line(_) => None,
            Verdict::Full => Some(Outcome::Full),
            Verdict::Resigned(winner) => Some(Outcome::Resigned { winner }),
            Verdict::Flag(winner) => Some(Outcome::Flag { winner }),
            Verdict::Agreed => Some(Outcome::Agreed),
            Verdict::Abandoned(winner) => Some(Outcome::Abandoned { winner }),
            Verdict::Aborted => Some(Outcome::Aborted),
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.winner() {
            Some(winner) => winner.fmt(f)?,
            None if *self == Verdict::Aborted => {}
            None => f.write_str("draw")?,
        }
        f.write_str(match self {
            Verdict::Line(_) => " line",
            Verdict::Full => " full",
            Verdict::Resigned(_) => " resignation",
            Verdict::Flag(_) => " time",
            Verdict::Agreed => " agreement",
            Verdict::Abandoned(_) => " abandonment",
            Verdict::Aborted => "aborted",
        })
    }
}

impl FromStr for Verdict {
    type Err = VerdictError;

    fn from_str(text: &str) -> Result<Verdict, VerdictError> {
        if text == "aborted" {
            return Ok(Verdict::Aborted);
        }
        let (winner, reason) = text.split_once(' ').ok_or(VerdictError)?;
        let winner = match winner {
            "draw" => None,
            seat => Some(seat.parse::<Seat>().map_err(|_| VerdictError)?),
        };
        match (reason, winner) {
            ("line", Some(winner)) => Ok(Verdict::Line(winner)),
            ("full", None) => Ok(Verdict::Full),
            ("resignation", Some(winner)) => Ok(Verdict::Resigned(winner)),
            ("time", Some(winner)) => Ok(Verdict::Flag(winner)),
            ("agreement", None) => Ok(Verdict::Agreed),
            ("abandonment", winner) => Ok(Verdict::Abandoned(winner)),
            _ => Err(VerdictError),
        }
    }
}

crate::id::serde_as_text!(Verdict);

impl fmt::Display for VerdictError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a result is X, O or draw and a reason, e.g. X line or draw agreement")
    }
}

impl std::error::Error for VerdictError {}

impl LineName {
    /// Returns the name of a line in this direction.
    pub fn from_direction(direction: Direction) -> LineName {
        let mut steps = [0; 4];
        steps[..direction.steps().len()].copy_from_slice(direction.steps());
        match steps {
            [_, 0, 0, 0] => LineName::Row,
            [0, _, 0, 0] => LineName::Column,
            [0, 0, _, 0] => LineName::Pillar,
            [x, y, 0, 0] if x == y => LineName::MainDiagonal,
            [_, _, 0, 0] => LineName::OtherDiagonal,
            _ if steps.iter().filter(|&&step| step != 0).count() > 2 => LineName::SpaceDiagonal,
            _ => LineName::Direction,
        }
    }
}

impl fmt::Display for LineName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            LineName::Row => "row",
            LineName::Column => "column",
            LineName::Pillar => "pillar",
            LineName::MainDiagonal => "main diagonal",
            LineName::OtherDiagonal => "other diagonal",
            LineName::SpaceDiagonal => "space diagonal",
            LineName::Direction => "line",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_texts_are_not_verdicts() {
        for text in [
            "",
            "X",
            "line",
            "draw line",
            "X full",
            "X agreement",
            "draw time",
            "Z line",
            "X  line",
            "X line ",
        ] {
            assert_eq!(text.parse::<Verdict>(), Err(VerdictError), "{text:?}");
        }
    }

    #[test]
    fn lines_are_named_by_their_direction() {
        for (steps, name) in [
            (&[1][..], LineName::Row),
            (&[1, 0], LineName::Row),
            (&[0, 1], LineName::Column),
            (&[1, 1], LineName::MainDiagonal),
            (&[-1, 1], LineName::OtherDiagonal),
            (&[1, -1], LineName::OtherDiagonal),
            (&[-1, 1, 0], LineName::OtherDiagonal),
            (&[0, 0, 1], LineName::Pillar),
            (&[1, 0, 1], LineName::Direction),
            (&[0, 0, 0, 1], LineName::Direction),
            (&[0, 1, 0, 1], LineName::Direction),
            (&[1, -1, 1], LineName::SpaceDiagonal),
            (&[1, 1, 1, 1], LineName::SpaceDiagonal),
        ] {
            assert_eq!(
                LineName::from_direction(Direction::new(steps).unwrap()),
                name,
                "{steps:?}"
            );
        }
    }
}
