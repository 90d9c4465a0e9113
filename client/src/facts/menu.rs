//! Choices that a screen offers: items of the home menu, and yes/no questions.

/// An item of the home menu.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MenuItem {
    /// Resumes the saved game with this index.
    Continue(usize),
    Quick,
    Private,
    Join,
    Watch,
    Local,
    Bot,
    Settings,
    /// Starts a server on this computer for a friend.
    Host,
    Quit,
}

impl MenuItem {
    /// The items below the saved games.
    pub const ALWAYS_SHOWN: [MenuItem; 9] = [
        MenuItem::Quick,
        MenuItem::Private,
        MenuItem::Join,
        MenuItem::Watch,
        MenuItem::Local,
        MenuItem::Bot,
        MenuItem::Settings,
        MenuItem::Host,
        MenuItem::Quit,
    ];

    /// All items from the top, for this number of saved games.
    pub fn all(saved_game_count: usize) -> Vec<MenuItem> {
        (0..saved_game_count)
            .map(MenuItem::Continue)
            .chain(MenuItem::ALWAYS_SHOWN)
            .collect()
    }
}

/// A yes/no question to the player.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Confirmation {
    /// Leave the game in progress.
    Leave {
        effect: LeaveEffect,
    },
    Resign,
    /// End the game without a result, before both players have moved.
    Abort,
    /// End a local game of two people as a draw.
    AgreeDraw,
    /// Stop looking for an opponent, and show the lobby.
    OpenLobby,
    /// Stop looking for an opponent, and open a room for a friend.
    InviteFriend,
    /// End the game of an absent opponent as a draw.
    ClaimDraw,
}

/// Effect on a game in progress when the player leaves it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeaveEffect {
    /// A local game ends without a result. Without a connection, the seat on the server stays.
    Nothing,
    /// The game ends without a result: both players have not moved yet.
    Aborts,
    Resigns,
}

impl LeaveEffect {
    /// Whether the player gives up a seat on a server.
    pub fn is_final(self) -> bool {
        match self {
            LeaveEffect::Nothing => false,
            LeaveEffect::Aborts | LeaveEffect::Resigns => true,
        }
    }
}
