//! Access to the state of each kind of screen.

use super::{Analysis, Form, GameView, LobbyScreen, MultiWatch, OwnGamesScreen, Screen};

/// Defines shared and exclusive access to the state of one kind of screen.
macro_rules! screen_state {
    ($($variant:ident: $state:ty, $shared:ident, $exclusive:ident;)*) => {
        impl Screen {
            $(
                pub(crate) fn $shared(&self) -> Option<&$state> {
                    if let Screen::$variant(state) = self {
                        Some(state)
                    } else {
                        None
                    }
                }

                pub(crate) fn $exclusive(&mut self) -> Option<&mut $state> {
                    if let Screen::$variant(state) = self {
                        Some(state)
                    } else {
                        None
                    }
                }
            )*
        }
    };
}

screen_state! {
    Form: Form, as_form, as_form_mut;
    Lobby: LobbyScreen, as_lobby, as_lobby_mut;
    OwnGames: OwnGamesScreen, as_own_games, as_own_games_mut;
    Game: GameView, as_game, as_game_mut;
    MultiWatch: MultiWatch, as_multi_watch, as_multi_watch_mut;
}

impl Screen {
    pub(crate) fn is_home(&self) -> bool {
        matches!(self, Screen::Home { .. })
    }

    /// Returns whether the client waits for a server or an opponent.
    pub(crate) fn is_waiting(&self) -> bool {
        matches!(self, Screen::Waiting)
    }

    pub(crate) fn into_lobby(self) -> Option<LobbyScreen> {
        if let Screen::Lobby(lobby) = self {
            Some(lobby)
        } else {
            None
        }
    }

    /// Returns the displayed analysis, of a record or of a game that has just ended.
    pub(crate) fn as_analysis(&self) -> Option<&Analysis> {
        match self {
            Screen::Analysis(analysis) => Some(analysis),
            Screen::Game(view) => view.analysis.as_deref(),
            Screen::Home { .. }
            | Screen::Form(_)
            | Screen::Waiting
            | Screen::Lobby(_)
            | Screen::OwnGames(_)
            | Screen::MultiWatch(_) => None,
        }
    }

    pub(crate) fn as_analysis_mut(&mut self) -> Option<&mut Analysis> {
        match self {
            Screen::Analysis(analysis) => Some(analysis),
            Screen::Game(view) => view.analysis.as_deref_mut(),
            Screen::Home { .. }
            | Screen::Form(_)
            | Screen::Waiting
            | Screen::Lobby(_)
            | Screen::OwnGames(_)
            | Screen::MultiWatch(_) => None,
        }
    }
}
