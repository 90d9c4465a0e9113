//! Players as notifications refer to them.

use noughts_protocol::{Name, Seat};

/// A player in a notification.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlayerRef {
    pub seat: Seat,
    pub name: Name,
    /// Whether this is the only person at this terminal, so that texts can say "you".
    pub you: bool,
}

/// The side to move, in the detail that notifications need.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NextMove {
    /// The only person at this terminal.
    You,
    /// One of two people at this terminal.
    Local(PlayerRef),
    /// Another player, or no player at all.
    Other,
}
