//! Access to the state of each kind of screen.

use super::{Analysis, Form, GameView, LobbyScreen, MultiWatch, OwnGamesScreen, Screen};

impl Screen {
    /// Whether this is the home menu.
    pub(crate) fn is_home(&self) -> bool {
        matches!(self, Screen::Home { .. })
    }

    /// Whether the client waits for a server or an opponent.
    pub(crate) fn is_waiting(&self) -> bool {
        matches!(self, Screen::Waiting)
    }

    pub(crate) fn as_form(&self) -> Option<&Form> {
        if let Screen::Form(form) = self {
            Some(form)
        } else {
            None
        }
    }

    pub(crate) fn as_form_mut(&mut self) -> Option<&mut Form> {
        if let Screen::Form(form) = self {
            Some(form)
        } else {
            None
        }
    }

    pub(crate) fn as_lobby(&self) -> Option<&LobbyScreen> {
        if let Screen::Lobby(lobby) = self {
            Some(lobby)
        } else {
            None
        }
    }

    pub(crate) fn as_lobby_mut(&mut self) -> Option<&mut LobbyScreen> {
        if let Screen::Lobby(lobby) = self {
            Some(lobby)
        } else {
            None
        }
    }

    pub(crate) fn into_lobby(self) -> Option<LobbyScreen> {
        if let Screen::Lobby(lobby) = self {
            Some(lobby)
        } else {
            None
        }
    }

    pub(crate) fn as_own_games(&self) -> Option<&OwnGamesScreen> {
        if let Screen::OwnGames(games) = self {
            Some(games)
        } else {
            None
        }
    }

    pub(crate) fn as_own_games_mut(&mut self) -> Option<&mut OwnGamesScreen> {
        if let Screen::OwnGames(games) = self {
            Some(games)
        } else {
            None
        }
    }

    pub(crate) fn as_game(&self) -> Option<&GameView> {
        if let Screen::Game(view) = self {
            Some(view)
        } else {
            None
        }
    }

    pub(crate) fn as_game_mut(&mut self) -> Option<&mut GameView> {
        if let Screen::Game(view) = self {
            Some(view)
        } else {
            None
        }
    }

    /// The analysis on the screen: of a record, or of a game that has just ended.
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

    pub(crate) fn as_multi_watch(&self) -> Option<&MultiWatch> {
        if let Screen::MultiWatch(multi_watch) = self {
            Some(multi_watch)
        } else {
            None
        }
    }

    pub(crate) fn as_multi_watch_mut(&mut self) -> Option<&mut MultiWatch> {
        if let Screen::MultiWatch(multi_watch) = self {
            Some(multi_watch)
        } else {
            None
        }
    }
}
