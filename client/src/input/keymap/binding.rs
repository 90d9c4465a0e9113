//! Actions, the contexts in which keys have them, and the bindings between both.

use std::borrow::Cow;

use serde::Serialize;

use crate::input::Key;

/// Meaning of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Moves the cursor right and down by these amounts; among several games, moves the focus.
    MoveCursor(i8, i8),
    /// Moves the cursor along the third dimension.
    MoveLayer(i8),
    /// Moves the cursor along the fourth dimension; with three dimensions, along the third.
    MoveDepth(i8),
    /// Plays a move on the cell under the cursor.
    PlayCursor,
    /// Plays a move on the cell with this digit.
    PlayDigit(u8),
    /// Shows or hides the lines through the cursor.
    ToggleGuideLines,
    OpenPrompt,
    Help,
    /// Leaves the screen.
    Leave,
    /// Closes the help or the form; elsewhere, leaves the screen.
    Close,
    /// Evaluates the free cells.
    ShowValues,
    /// Opens the analysis of the finished game; in an analysis, shows the next mistake.
    Review,
    /// Offers a draw; claims one if the opponent is gone.
    OfferDraw,
    /// Asks to take back the last move.
    Takeback,
    Resign,
    /// Writes the record of the game to a file.
    Save,
    /// Draws the board with smaller cells, and after the smallest with the largest.
    Zoom,
    /// Shows boards with their last row at the top, or back. The names of the cells stay.
    TurnBoard,
    /// Opens the filter of the lobby.
    Filter,
    /// Shows the list of all moves.
    AllMoves,
    /// Steps through a record by itself, or stops that.
    Autoplay,
    /// Accepts the opponent's proposal.
    Accept,
    /// Declines the opponent's proposal.
    Decline,
    Rematch,
    /// Leaves the finished game and looks for another opponent.
    NextOpponent,
    /// Leaves the local game for the opponent who was found meanwhile.
    MeetOpponent,
    /// Shows the command that lets others watch the game.
    ShowInvite,
    /// Leaves the lobby and opens a room.
    NewRoom,
    /// Invites a bot into the player's room.
    InviteBot,
    /// Claims the win over an absent opponent.
    Claim,
    /// Previous item, field or move.
    Previous,
    /// Next item, field or move.
    Next,
    /// Previous option or page.
    PreviousOption,
    /// Next option or page.
    NextOption,
    /// Chooses the selected item.
    Choose,
    /// Chooses the item of the home menu with this number.
    ChooseNumber(u8),
    /// Watches the selected room.
    Watch,
    /// Watches all games in progress side by side.
    WatchAll,
    /// Refreshes the room list, or reconnects a watched game.
    Refresh,
    /// First position.
    First,
    /// Last position.
    Last,
    Yes,
    No,
    /// Ends the program and keeps the seat, so that the game can be resumed.
    KeepSeat,
    /// Copies the link of the player's room for a browser.
    CopyLink,
    /// Copies the command that joins the player's room.
    CopyCommand,
    /// Opens the menu of phrases.
    Say,
    /// Says the phrase with this index.
    SayPhrase(u8),
    /// Hides or shows the phrases of the other players in this room.
    Mute,
    /// Ends the program; asks once while a game is in progress.
    Interrupt,
    /// Suspends the process.
    Suspend,
    /// Redraws the whole screen.
    Redraw,
}

/// Context in which a key is interpreted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum KeyContext {
    /// The home menu.
    Home,
    Form,
    /// The list of games, whose letters are those of a filter.
    GamePicker,
    /// The room list.
    Lobby,
    /// The room list, while letters are those of a filter.
    LobbyFilter,
    /// Waiting for a server or an opponent.
    Waiting,
    /// Waiting in the player's own room.
    OwnRoom,
    /// The player has a seat in a game in progress.
    Playing,
    GameOver,
    /// A game without a seat of the player.
    Watching,
    /// Several watched games.
    MultiWatch,
    /// Stepping through a record.
    Replay,
    /// Trying moves on a record.
    Analysis,
    /// A yes/no question.
    Confirmation,
    /// The menu of phrases.
    Say,
    /// The list of all moves.
    Moves,
    Help,
}

impl KeyContext {
    pub const ALL: [KeyContext; 17] = [
        KeyContext::Home,
        KeyContext::Form,
        KeyContext::GamePicker,
        KeyContext::Lobby,
        KeyContext::LobbyFilter,
        KeyContext::Waiting,
        KeyContext::OwnRoom,
        KeyContext::Playing,
        KeyContext::GameOver,
        KeyContext::Watching,
        KeyContext::MultiWatch,
        KeyContext::Replay,
        KeyContext::Analysis,
        KeyContext::Confirmation,
        KeyContext::Say,
        KeyContext::Moves,
        KeyContext::Help,
    ];

    /// Whether characters are text.
    pub(crate) fn has_text_input(self) -> bool {
        matches!(
            self,
            KeyContext::Form | KeyContext::GamePicker | KeyContext::LobbyFilter
        )
    }
}

/// Keys with the same action in the same contexts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct KeyBinding {
    /// Empty: all contexts.
    pub(in crate::input::keymap) contexts: &'static [KeyContext],
    pub keys: Cow<'static, [Key]>,
    pub action: Action,
}
