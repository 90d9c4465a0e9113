//! The server as the home screen shows it, and the lobby: the open seeks, the public rooms, and the selected row.

use noughts_protocol::Phase;
use noughts_protocol::wire::{LobbyCounts, LobbyView, Message, OpenSeek, RoomListing, SeekId};

use crate::connection::ConnectionEvent;
use crate::model::game_view::{next_countdown_change, next_elapsed_change};

/// Interval between two attempts to reach a server, in milliseconds.
const RETRY_INTERVAL_MS: u64 = 8000;

/// Maximum number of rooms, and of seeks, that a server lists.
const MAX_LISTED: usize = 50;

/// Returns a server's numbers as its lists show them. Private games do not count, because a player cannot find them
/// there.
pub(crate) fn listed_counts(view: &LobbyView) -> LobbyCounts {
    let running = view
        .rooms
        .iter()
        .filter(|room| room.phase == Phase::Playing);
    let listed = |listed: usize, all: u32, is_complete: bool| match is_complete {
        true => u32::try_from(listed).unwrap_or(all),
        false => all,
    };
    let LobbyCounts { waiting, games, .. } = view.counts;
    LobbyCounts {
        games: listed(running.count(), games, view.rooms.len() < MAX_LISTED),
        waiting: listed(view.seeks.len(), waiting, view.seeks.len() < MAX_LISTED),
        ..view.counts
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum HomeServer {
    /// The screen has just opened, or shows no server.
    #[default]
    Unknown,
    /// Connected, with the lobby that the server pushes.
    Online(Option<LobbyView>),
    /// Not connected. The next attempt is at this time, on the scale of the model's `now`.
    Offline { retry_at: u64 },
}

impl HomeServer {
    /// Returns whether the client knows the server's games, or knows that the server does not respond.
    pub(crate) fn is_known(&self) -> bool {
        matches!(
            self,
            HomeServer::Online(Some(_)) | HomeServer::Offline { .. }
        )
    }

    /// Updates the state after an event on the home screen's connection at `now`.
    pub(crate) fn on_event(&mut self, event: &ConnectionEvent, now: u64) {
        match event {
            ConnectionEvent::Connected { .. } => *self = HomeServer::Online(None),
            ConnectionEvent::Message(Message::Lobby { view, .. }) => {
                *self = HomeServer::Online(Some(view.clone()));
            }
            ConnectionEvent::Message(Message::LobbyChanged { change, .. }) => {
                if let HomeServer::Online(Some(view)) = self {
                    view.apply(change.clone());
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

    /// Makes the next attempt due immediately.
    pub(crate) fn retry_now(&mut self, now: u64) {
        if let HomeServer::Offline { retry_at } = self {
            *retry_at = now;
        }
    }

    /// Returns whether a connection may be opened at `now`.
    pub(crate) fn can_connect(&self, now: u64) -> bool {
        match self {
            HomeServer::Offline { retry_at } => *retry_at <= now,
            HomeServer::Unknown | HomeServer::Online(_) => true,
        }
    }

    /// Returns the time when the countdown to the next attempt changes or ends.
    pub(super) fn deadline(&self, now: u64) -> Option<u64> {
        match self {
            HomeServer::Offline { retry_at } => next_countdown_change(now, *retry_at),
            HomeServer::Unknown | HomeServer::Online(_) => None,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LobbySeek {
    /// Number to accept the seek; `None` in a list that the client requested.
    pub number: Option<SeekId>,
    /// Start of the seek, on the scale of the model's `now`, if the server has sent it. Negative if the seek began
    /// before the start of the program.
    pub since: Option<i64>,
    pub open: OpenSeek,
}

impl LobbySeek {
    /// Returns how long the seek has been open, in milliseconds.
    pub(crate) fn age_ms(&self, now: u64) -> Option<u64> {
        let now = i64::try_from(now).unwrap_or(i64::MAX);
        Some(u64::try_from(now.saturating_sub(self.since?)).unwrap_or(0))
    }
}

/// The lobby as the server pushes it.
#[derive(Clone, Debug, Default)]
pub(crate) struct PushedLobby {
    pub view: LobbyView,
    /// The server's time and the model's time at the last message.
    pub at: u64,
    pub received_at: u64,
}

/// The screen with the open seeks and, below them, the public rooms.
#[derive(Debug, Default)]
pub(crate) struct LobbyScreen {
    /// The rooms; `None` before the first response.
    pub rooms: Option<Vec<RoomListing>>,
    pub seeks: Vec<LobbySeek>,
    /// Numbers of the whole server; `None` in a list that the client requested.
    pub counts: Option<LobbyCounts>,
    pub selected: usize,
    /// Whether the selected row has vanished. Then no row is selected, because the player has not chosen the row that
    /// now has its index.
    pub is_selection_gone: bool,
}

/// Moves the rooms of finished games, and closed rooms, to the end of the list.
fn finished_last(mut rooms: Vec<RoomListing>) -> Vec<RoomListing> {
    rooms.sort_by_key(|listing| matches!(listing.phase, Phase::Over | Phase::Closed));
    rooms
}

impl PushedLobby {
    /// Converts a server time to the scale of the model's `now`.
    fn local_time(&self, at: u64) -> i64 {
        let age_ms = i64::try_from(self.at.saturating_sub(at)).unwrap_or(i64::MAX);
        i64::try_from(self.received_at)
            .unwrap_or(i64::MAX)
            .saturating_sub(age_ms)
    }

    /// Returns the time since a server time, in milliseconds.
    pub(crate) fn age_ms(&self, since: u64, now: u64) -> Option<u64> {
        let now = i64::try_from(now).ok()?;
        u64::try_from(now.saturating_sub(self.local_time(since))).ok()
    }

    /// Returns the screen for this lobby.
    pub(crate) fn to_screen(&self) -> LobbyScreen {
        let seeks = self.view.seeks.iter().map(|listed| LobbySeek {
            number: Some(listed.seek),
            since: Some(self.local_time(listed.since)),
            open: listed.open.clone(),
        });
        LobbyScreen {
            rooms: Some(finished_last(self.view.rooms.clone())),
            seeks: seeks.collect(),
            counts: Some(listed_counts(&self.view)),
            selected: 0,
            is_selection_gone: false,
        }
    }
}

impl LobbyScreen {
    /// Creates the screen for a list that the client requested.
    pub(crate) fn requested(rooms: Vec<RoomListing>, seeks: Vec<OpenSeek>) -> LobbyScreen {
        let seeks = seeks.into_iter().map(|open| LobbySeek {
            number: None,
            since: None,
            open,
        });
        LobbyScreen {
            rooms: Some(finished_last(rooms)),
            seeks: seeks.collect(),
            counts: None,
            selected: 0,
            is_selection_gone: false,
        }
    }

    /// Returns the number of rows that can be selected.
    pub(crate) fn row_count(&self) -> usize {
        self.seeks.len() + self.rooms.as_ref().map_or(0, Vec::len)
    }

    pub(crate) fn selected_seek(&self) -> Option<&LobbySeek> {
        self.seeks
            .get(self.selected)
            .filter(|_| !self.is_selection_gone)
    }

    pub(crate) fn selected_room(&self) -> Option<&RoomListing> {
        let index = self
            .selected
            .checked_sub(self.seeks.len())
            .filter(|_| !self.is_selection_gone)?;
        self.rooms.as_ref()?.get(index)
    }

    /// Returns whether the selected row is a room without a free seat.
    pub(crate) fn is_selection_full(&self) -> bool {
        self.selected_room()
            .is_some_and(|room| room.phase != Phase::Waiting)
    }

    pub(crate) fn is_selected(&self, index: usize) -> bool {
        index == self.selected && !self.is_selection_gone
    }

    /// Returns whether the list scrolls to this row: the selected row, or the row in the place of a vanished row.
    pub(crate) fn is_in_view(&self, index: usize) -> bool {
        index == self.selected.min(self.row_count().saturating_sub(1))
    }

    /// Selects a row by its index. Returns whether it was already selected.
    pub(crate) fn select(&mut self, index: usize) -> bool {
        let was_selected = self.is_selected(index);
        (self.selected, self.is_selection_gone) = (index, false);
        was_selected
    }

    /// Selects the next or the previous row. If the selected row has vanished, the rows below it have moved up, so the
    /// next row has its index.
    pub(crate) fn move_selection(&mut self, down: bool) {
        let last = self.row_count().saturating_sub(1);
        let step = usize::from(!self.is_selection_gone);
        self.select(if down {
            (self.selected + step).min(last)
        } else {
            self.selected.saturating_sub(1)
        });
    }

    /// Selects a room by its index.
    pub(crate) fn select_room(&mut self, index: usize) {
        self.select(self.seeks.len() + index);
    }

    /// Replaces the contents. A selected seek or room stays selected if it is still listed. Otherwise no row is
    /// selected.
    pub(crate) fn update(&mut self, contents: LobbyScreen) {
        let seek_index = self.selected_seek().map(|selected| {
            let is_same = |seek: &LobbySeek| match (seek.number, selected.number) {
                (Some(number), Some(known)) => number == known,
                (None, _) | (_, None) => seek.open == selected.open,
            };
            contents.seeks.iter().position(is_same)
        });
        let room_index = self.selected_room().map(|selected| {
            let rooms = contents.rooms.as_deref().unwrap_or_default();
            let index = rooms
                .iter()
                .position(|listing| listing.room == selected.room)?;
            Some(contents.seeks.len() + index)
        });
        let last = contents.row_count().saturating_sub(1);
        let had_selection = self.selected_seek().is_some() || self.selected_room().is_some();
        let index = seek_index.or(room_index).flatten();
        let is_selection_gone = index.is_none() && (had_selection || self.is_selection_gone);
        // The gap of a vanished row may be below the last row.
        let highest = if is_selection_gone {
            contents.row_count()
        } else {
            last
        };
        let selected = index.unwrap_or_else(|| self.selected.min(highest));
        *self = LobbyScreen {
            selected,
            is_selection_gone,
            ..contents
        };
    }

    /// Returns the time when a waiting time shows its next second.
    pub(super) fn deadline(&self, now: u64) -> Option<u64> {
        self.seeks
            .iter()
            .filter_map(|seek| Some(next_elapsed_change(now, seek.age_ms(now)?)))
            .min()
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
