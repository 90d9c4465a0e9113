//! Games of self-play as lines of text.

use std::fmt;
use std::str::FromStr;

use noughts_protocol::{Cell, Position, Rules};

/// A move of a game, with the score of the position before it for the side to move. Moves of the opening have no score.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RecordedMove {
    pub(crate) cell: Cell,
    pub(crate) score: Option<i32>,
}

/// A game: `RULES RESULT CELL[:SCORE]...`. The result counts for X: 2 for a win, 1 for a draw, 0 for a loss.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct GameRecord {
    pub(crate) rules: Rules,
    pub(crate) result: u8,
    pub(crate) moves: Vec<RecordedMove>,
}

impl fmt::Display for GameRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.rules, self.result)?;
        for RecordedMove { cell, score } in &self.moves {
            match score {
                Some(score) => write!(f, " {}:{score}", cell.index())?,
                None => write!(f, " {}", cell.index())?,
            }
        }
        Ok(())
    }
}

impl FromStr for GameRecord {
    type Err = Box<dyn std::error::Error + Send + Sync>;

    fn from_str(line: &str) -> Result<GameRecord, Self::Err> {
        let mut words = line.split_whitespace();
        let rules = words.next().ok_or("no rules")?.parse()?;
        let result = words.next().ok_or("no result")?.parse()?;
        if result > 2 {
            return Err("a result is 0, 1 or 2".into());
        }
        let (mut position, mut moves) = (Position::new(rules), Vec::new());
        for word in words {
            let (cell, score) = match word.split_once(':') {
                Some((cell, score)) => (cell, Some(score.parse()?)),
                None => (word, None),
            };
            let cell = Cell::new(cell.parse()?);
            position.play(cell)?;
            moves.push(RecordedMove { cell, score });
        }
        Ok(GameRecord {
            rules,
            result,
            moves,
        })
    }
}
