//! Why a move is refused by the rules of the game.

use std::fmt;

/// Why a move is not possible. Whose turn it is, the game judges.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MoveError {
    /// The board has no such cell.
    OffBoard,
    /// The cell has a stone.
    Taken,
    /// Every cell of the column has a stone.
    ColumnFull,
    /// The game is over on the board.
    GameOver,
}

impl MoveError {
    /// A stable name for programs, in snake case.
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
        f.write_str(match self {
            MoveError::OffBoard => "the board has no such cell",
            MoveError::Taken => "the cell is taken",
            MoveError::ColumnFull => "the column is full",
            MoveError::GameOver => "the game is over",
        })
    }
}

impl std::error::Error for MoveError {}
