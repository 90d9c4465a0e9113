//! The list of the player's own games.

use crate::io::own_games::{OwnGame, OwnGameList};

/// The screen with the player's finished games, newest first.
#[derive(Debug, Default)]
pub(crate) struct OwnGamesScreen {
    /// The games; `None` until they have been read.
    pub list: Option<OwnGameList>,
    pub selected: usize,
}

impl OwnGamesScreen {
    /// Returns the games in the order of the rows.
    pub(crate) fn games(&self) -> &[OwnGame] {
        self.list.as_ref().map_or(&[], |list| &list.games)
    }

    pub(crate) fn selected_game(&self) -> Option<&OwnGame> {
        self.games().get(self.selected)
    }

    /// Selects this row, or else the last row. Returns whether it was already selected.
    pub(crate) fn select(&mut self, index: usize) -> bool {
        let last = self.games().len().saturating_sub(1);
        let index = index.min(last);
        std::mem::replace(&mut self.selected, index) == index
    }

    /// Replaces the games. After a deletion, the next game is selected.
    pub(crate) fn set_list(&mut self, list: OwnGameList) {
        self.list = Some(list);
        self.select(self.selected);
    }
}
