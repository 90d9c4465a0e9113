//! Numbers of connections and running games, for subscribers to the lobby.

use std::sync::atomic::{AtomicU32, Ordering};

use noughts_protocol::PlayerKind;

/// A number of things that exist at present.
#[derive(Debug, Default)]
pub(crate) struct LiveCount(AtomicU32);

impl LiveCount {
    /// Counts one more.
    pub(crate) fn increment(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts one less. For each call of [`LiveCount::increment`] once.
    pub(crate) fn decrement(&self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }

    /// Returns the number.
    pub(crate) fn get(&self) -> u32 {
        self.0.load(Ordering::Relaxed)
    }
}

/// Connections after their hello, and running games.
#[derive(Debug, Default)]
pub(crate) struct Population {
    people: LiveCount,
    bots: LiveCount,
    /// Running games, private ones included.
    pub games: LiveCount,
}

impl Population {
    /// Connections of this kind.
    pub(crate) fn connections(&self, kind: PlayerKind) -> &LiveCount {
        match kind {
            PlayerKind::Human => &self.people,
            PlayerKind::Bot => &self.bots,
        }
    }
}
