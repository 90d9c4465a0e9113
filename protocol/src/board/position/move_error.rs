//! Reasons why the board rejects a move.

use std::fmt;

/// Reason why a move is impossible on the board. Turns are checked by the game: see [`crate::IllegalMove`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MoveError {
    /// The board has no such cell.
    OffBoard,
    /// The cell has a stone.
    Taken,
    /// Every cell of the column has a stone.
    ColumnFull,
    /// A line is complete or the board is full.
    GameOver,
}

impl MoveError {
    /// Returns a stable name for programs, in snake case.
    pub fn code(self) -> &'static str {
        match self {
            MoveError::OffBoard => "off_board",
            MoveError::Taken => "taken",
            MoveError::ColumnFull => "column_full",
            MoveError::GameOver => "game_over",
        }
    }
}

impl fmt::Display for MoveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}

impl std::error::Error for MoveError {}
