//! Whether the player of a seat is connected. Not part of the history: events do not record it.

/// Connectivity of the player of a seat. Times are server milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Connectivity {
    /// A connection of the player is in the room.
    Connected,
    /// The connection was lost at this time.
    Disconnected(u64),
    /// The player left the room on purpose at this time.
    Left(u64),
}

impl Connectivity {
    /// The time since which the player has been absent; `None` for a connected player.
    pub fn absent_since(self) -> Option<u64> {
        match self {
            Connectivity::Connected => None,
            Connectivity::Disconnected(since) | Connectivity::Left(since) => Some(since),
        }
    }
}
