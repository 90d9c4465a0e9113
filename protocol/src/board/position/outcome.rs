//! The outcome of a game that ended on the board.

use super::{Position, Status};
use crate::{Cell, LineName, Outcome, WinningLine};

impl Position {
    /// Returns the outcome on the board; `None` while the game continues. Each call searches for the winning line.
    pub fn outcome(&self) -> Option<Outcome> {
        match self.status {
            Status::Ongoing => None,
            Status::Drawn => Some(Outcome::Full),
            Status::Won(winner) => Some(Outcome::Line {
                winner,
                line: Box::new(self.last_line()?),
            }),
        }
    }

    /// Returns whether a game at this position can end by `outcome`: a finished board allows only its own outcome, an
    /// unfinished board every outcome except a line and a full board.
    pub fn allows_outcome(&self, outcome: &Outcome) -> bool {
        match self.outcome() {
            Some(own) => own == *outcome,
            None => match outcome {
                Outcome::Line { .. } | Outcome::Full => false,
                Outcome::Resigned { .. }
                | Outcome::Flag { .. }
                | Outcome::Agreed
                | Outcome::Abandoned { .. }
                | Outcome::Aborted => true,
            },
        }
    }

    /// Returns the line that the last move completed. If the move completed several lines, returns the first in the
    /// order of directions.
    fn last_line(&self) -> Option<WinningLine> {
        let last = *self.moves().last()?;
        let seat = self.turn().other();
        let (k, exact) = (usize::from(self.rules().line()), self.rules().exact());
        let is_own = |cell: Cell| self.stone_at(cell) == Some(seat);
        self.geometry.line_directions().find_map(|direction| {
            let (first, length) = self.geometry.run_through(last, direction, is_own);
            let is_line = if exact { length == k } else { length >= k };
            is_line.then(|| WinningLine {
                first,
                direction,
                cells: self
                    .geometry
                    .cells_from(first, direction)
                    .take(length)
                    .collect(),
                name: LineName::from_direction(direction),
            })
        })
    }
}
