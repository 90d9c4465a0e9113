//! The server as the home screen shows it.

use noughts_protocol::wire::{LobbyCounts, Message};

use super::countdown::next_countdown_change;
use crate::connection::ConnectionEvent;

/// Time between two attempts to reach a server, in milliseconds.
const RETRY_INTERVAL_MS: u64 = 8000;

/// State of the server while the home screen is open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum HomeServer {
    /// The screen has just opened, or shows no server.
    #[default]
    Unknown,
    /// Connected, with the numbers that the server told.
    Online(Option<LobbyCounts>),
    /// Not connected. The next attempt is at this time, on the scale of the model's `now`.
    Offline { retry_at: u64 },
}

impl HomeServer {
    /// Updates the state after an event of the connection of the home screen at `now`.
    pub(crate) fn on_event(&mut self, event: &ConnectionEvent, now: u64) {
        match event {
            ConnectionEvent::Connected { .. } => *self = HomeServer::Online(None),
            ConnectionEvent::Message(Message::Lobby { view, .. }) => {
                *self = HomeServer::Online(Some(view.counts));
            }
            ConnectionEvent::Message(Message::LobbyChanged { change, .. }) => {
                if let (HomeServer::Online(counts), Some(changed)) = (self, change.counts) {
                    *counts = Some(changed);
                }
            }
            ConnectionEvent::Disconnected { .. } | ConnectionEvent::Terminated(_) => {
                *self = HomeServer::Offline {
                    retry_at: now.saturating_add(RETRY_INTERVAL_MS),
                };
            }
            ConnectionEvent::Message(_)
            | ConnectionEvent::Connecting { .. }
            | ConnectionEvent::RequestLost(_) => {}
        }
    }

    /// Lets the next attempt start at once.
    pub(crate) fn retry_now(&mut self, now: u64) {
        if let HomeServer::Offline { retry_at } = self {
            *retry_at = now;
        }
    }

    /// Whether a connection may be opened at `now`.
    pub(crate) fn can_connect(&self, now: u64) -> bool {
        match self {
            HomeServer::Offline { retry_at } => *retry_at <= now,
            HomeServer::Unknown | HomeServer::Online(_) => true,
        }
    }

    /// The time at which the countdown to the next attempt changes, or ends.
    pub(super) fn deadline(self, now: u64) -> Option<u64> {
        match self {
            HomeServer::Offline { retry_at } => next_countdown_change(now, retry_at),
            HomeServer::Unknown | HomeServer::Online(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::connection::{DisconnectReason, TerminationReason};

    #[test]
    fn a_lost_server_is_tried_again_after_a_while() {
        let mut server = HomeServer::default();
        assert!(server.can_connect(0));
        let lost = ConnectionEvent::Terminated(TerminationReason::CannotConnect(
            DisconnectReason::Timeout,
        ));
        server.on_event(&lost, 100);
        assert_eq!(server.deadline(100), Some(1100));
        assert_eq!(
            server.deadline(99 + RETRY_INTERVAL_MS),
            Some(100 + RETRY_INTERVAL_MS)
        );
        assert_eq!(server.deadline(100 + RETRY_INTERVAL_MS), None);
        assert!(!server.can_connect(101) && server.can_connect(100 + RETRY_INTERVAL_MS));
    }
}
