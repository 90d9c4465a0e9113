//! The running game beside the menu of the home screen, or beside the list of the lobby.

use noughts_protocol::{Phase, RoomId};

use super::{GameView, HomeServer, MAX_GAMES, Mode, Model, Preview, Screen};
use crate::connection::server_url::ServerUrl;

/// Index of the game in messages and effects, above those of several watched games.
pub(crate) const PREVIEW_INDEX: usize = MAX_GAMES;
/// Width of a screen from which a game stands beside a list.
const MIN_PREVIEW_COLUMNS: u16 = 102;

impl Preview {
    /// The earliest time at which the game changes without input, or another one is watched.
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
    /// Returns the room whose game belongs beside the list on the screen, and its server: beside the menu the newest
    /// running game, which stays until its result has been shown; in the lobby the selected room.
    pub(crate) fn previewed_room(&self) -> Option<(ServerUrl, RoomId)> {
        if self.mode != Mode::Full || self.size.0 < MIN_PREVIEW_COLUMNS {
            return None;
        }
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
        let listing = shown
            .and_then(|room| view.room(room.id))
            .or_else(|| view.rooms.iter().find(|room| room.phase == Phase::Playing));
        listing.map(|listing| (self.settings.server.clone(), listing.room))
    }
}
