//! Answers to the player's queries about the game.

use noughts_protocol::wire::Presence;
use noughts_protocol::{Cell, Position, Rules, Seat};

use super::PlayerRef;
use crate::input::{DigitOrder, KeyContext};

/// Answer to a query of the player.
#[derive(Clone, Debug)]
pub enum QueryAnswer {
    Board {
        position: Position,
        digit_order: DigitOrder,
    },
    /// A row or column with the stones on it.
    Scan {
        name: ScanLabel,
        cells: Vec<(Cell, Option<Seat>)>,
        rules: Rules,
    },
    /// The stones of one seat.
    Marks {
        who: PlayerRef,
        cells: Vec<Cell>,
        rules: Rules,
    },
    /// The last move; `None` before the first.
    Last(Option<(PlayerRef, Cell, Rules)>),
    /// Milliseconds left on both clocks; `None` for a game without a clock.
    Clocks(Option<[(PlayerRef, u64); 2]>),
    /// The opponent, with the lag in milliseconds.
    Opponent {
        who: PlayerRef,
        bot: bool,
        presence: Presence,
        lag: Option<u32>,
    },
    /// The commands that are available in this context.
    Help(KeyContext),
}

/// The part of the board that a scan covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScanLabel {
    /// Row index, from 0.
    Row(u8),
    /// Column index, from 0.
    Column(u8),
}
