//! The list of finished games: the player's own games, or the profile of another player with the latest games.

use noughts_protocol::Identity;
use noughts_protocol::wire::{FinishedListing, GameId, PlayerProfile};

use crate::connection::server_url::ServerUrl;
use crate::facts::archive::{ProfileSubject, ServerGame};
use crate::io::own_games::{OwnGame, OwnGameList};

/// The screen of a profile.
#[derive(Debug)]
pub(crate) struct ProfileView {
    pub subject: ProfileSubject,
    /// `None` until the server has responded.
    pub profile: Option<Box<PlayerProfile>>,
    /// The list that the profile was opened from.
    pub back: Option<Box<OwnGamesScreen>>,
}

/// The screen with finished games, newest first.
#[derive(Debug, Default)]
pub(crate) struct OwnGamesScreen {
    /// The games that this computer keeps; `None` until they have been read.
    pub list: Option<OwnGameList>,
    /// The games on a server: those that this computer does not keep, or in a profile the latest games. They follow the
    /// kept games.
    pub on_server: Vec<ServerGame>,
    /// The profile of another player. The list then contains the games of that player.
    pub profile: Option<ProfileView>,
    pub selected: usize,
}

impl OwnGamesScreen {
    /// Creates the screen of a profile.
    pub(crate) fn of_player(
        subject: ProfileSubject,
        back: Option<Box<OwnGamesScreen>>,
    ) -> OwnGamesScreen {
        OwnGamesScreen {
            list: Some(OwnGameList::default()),
            profile: Some(ProfileView {
                subject,
                profile: None,
                back,
            }),
            ..OwnGamesScreen::default()
        }
    }

    /// Returns the kept games in the order of the rows.
    pub(crate) fn games(&self) -> &[OwnGame] {
        self.list.as_ref().map_or(&[], |list| &list.games)
    }

    /// Returns the number of rows with a game.
    pub(crate) fn row_count(&self) -> usize {
        self.games().len() + self.on_server.len()
    }

    /// Returns the selected game, if this computer keeps it.
    pub(crate) fn selected_game(&self) -> Option<&OwnGame> {
        self.games().get(self.selected)
    }

    /// Returns the selected game, if it is one of the games on a server.
    pub(crate) fn selected_server_game(&self) -> Option<&ServerGame> {
        let index = self.selected.checked_sub(self.games().len())?;
        self.on_server.get(index)
    }

    /// Returns the opponent of the selected game, unless the opponent is a guest.
    pub(crate) fn selected_opponent(&self) -> Option<ProfileSubject> {
        if let Some(game) = self.selected_game() {
            let seat = game.seat?.other();
            return Some(ProfileSubject {
                server: game.server.clone()?,
                identity: game.record.identities[seat.index()]?,
                name: game.names()[seat.index()].clone(),
            });
        }
        let game = self.selected_server_game()?;
        let opponent = game.opponent();
        Some(ProfileSubject {
            server: game.server.clone(),
            identity: opponent.identity?,
            name: opponent.name.clone(),
        })
    }

    /// Selects this row, or else the last row. Returns whether it was already selected.
    pub(crate) fn select(&mut self, index: usize) -> bool {
        let last = self.row_count().saturating_sub(1);
        let index = index.min(last);
        std::mem::replace(&mut self.selected, index) == index
    }

    /// Replaces the kept games. After a deletion, the next game is selected.
    pub(crate) fn set_list(&mut self, list: OwnGameList) {
        self.list = Some(list);
        self.select(self.selected);
    }

    /// Sets the games of the player on a server, without the games that this computer keeps.
    pub(crate) fn set_server_games(
        &mut self,
        server: &ServerUrl,
        games: Vec<FinishedListing>,
        player: Identity,
    ) {
        let kept: Vec<_> = self.games().iter().filter_map(OwnGame::room).collect();
        let missing = games
            .into_iter()
            .filter(|game| !kept.contains(&(game.room, game.number)));
        self.on_server = missing
            .map(|game| ServerGame::of(server, game, player))
            .collect();
        self.select(self.selected);
    }

    /// Returns whether this game of a server is selected.
    pub(crate) fn has_selected(&self, server: &ServerUrl, game: GameId) -> bool {
        let selected = self.selected_server_game();
        selected.is_some_and(|row| row.listing.game == game && row.server == *server)
    }
}
