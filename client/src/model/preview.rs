//! The running game beside the menu of the home screen, or beside the list of the lobby.

use noughts_protocol::wire::{Feature, FeatureSet, RoomListing};
use noughts_protocol::{Phase, RoomId};

use super::layout::board_layout::{CellSize, Layout};
use super::layout::tiles::MIN_HEADER_ROWS;
use super::{GameView, HomeServer, MAX_GAMES, Mode, Model, Preview, Screen, layout};
use crate::connection::server_url::ServerUrl;

/// Index of the game in messages and effects. Several watched games have smaller indices.
pub(crate) const PREVIEW_INDEX: usize = MAX_GAMES;

impl Preview {
    /// Returns the time when the game changes without input, or when the client starts to watch the next game.
    pub(super) fn deadline(&self, now: u64) -> Option<u64> {
        let game = self.game.as_ref();
        let result = game
            .and_then(|game| game.result_until)
            .filter(|until| *until > now);
        let changes = game.and_then(|game| game.model.deadline());
        let next = self.next.map(|(_, at)| at);
        [result, changes, next].into_iter().flatten().min()
    }
}

impl Model {
    /// Returns the features that the connection of a watched game requests. With these features, the server counts only
    /// one connection of this program as a person, and counts a game as watched only if the player has chosen it.
    pub(crate) fn features_of_watched_game(&self, index: usize) -> FeatureSet {
        let is_only = index == 0 && self.session.is_none();
        let second = (!is_only).then_some(Feature::Second);
        let preview = (index == PREVIEW_INDEX).then_some(Feature::Preview);
        second.into_iter().chain(preview).collect()
    }

    /// Returns the room of the game that belongs beside the displayed list, and its server. Beside the menu it is a
    /// running game with a board that fits, until its result has been shown. In the lobby it is the selected room.
    pub(crate) fn previewed_room(&self) -> Option<(ServerUrl, RoomId)> {
        if self.mode != Mode::Full {
            return None;
        }
        let area = layout::preview_area(self)?;
        if let Screen::Lobby(lobby) = &self.screen {
            let room = lobby.selected_room()?;
            let is_watchable = matches!(room.phase, Phase::Playing | Phase::Over);
            let server = self.session.as_ref()?.server.clone();
            return is_watchable.then_some((server, room.room));
        }
        let (true, HomeServer::Online(Some(view))) = (self.screen.is_home(), &self.home_server)
        else {
            return None;
        };
        let shown = self.preview.game.as_ref().filter(|game| {
            let is_over = game.result_until.is_some_and(|until| until <= self.now);
            !is_over && game.exit.is_none()
        });
        let shown = shown.and_then(|game| game.model.game_view().and_then(GameView::room));
        let running = || {
            view.rooms
                .iter()
                .filter(|room| room.phase == Phase::Playing)
        };
        let board_size = (area.width, area.height.saturating_sub(MIN_HEADER_ROWS));
        let fits = |room: &&RoomListing| Layout::fits(&room.rules, CellSize::TIGHT, board_size);
        let listing = shown
            .and_then(|room| view.room(room.id))
            .or_else(|| running().find(fits))
            .or_else(|| running().next());
        listing.map(|listing| (self.settings.server.clone(), listing.room))
    }
}
