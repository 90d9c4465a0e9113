//! The players of the weak game.

/// A player of the weak game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WeakGameRole {
    /// The seat that tries to complete a line.
    Maker,
    /// The seat that only blocks.
    Breaker,
}

impl WeakGameRole {
    pub(super) fn other(self) -> WeakGameRole {
        match self {
            WeakGameRole::Maker => WeakGameRole::Breaker,
            WeakGameRole::Breaker => WeakGameRole::Maker,
        }
    }
}
