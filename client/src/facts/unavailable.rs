//! Reasons why a command is not available.

use super::LeaveEffect;

/// Reason why a command is not available.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unavailable {
    /// The previous move is not confirmed yet.
    MovePending,
    /// Spectators cannot act.
    Watching,
    /// There is no board on the screen.
    NoBoard,
    /// There is no proposal.
    NoPendingOffer,
    /// There is more than one proposal.
    AmbiguousOffer,
    /// There is no game in progress.
    NoGame,
    /// The game is still in progress.
    GameInProgress,
    /// It is a bot's turn.
    BotToMove,
    /// The bot declines a draw.
    BotDeclinesDraw,
    /// Available only while the player waits in a room of their own.
    NotWaiting,
    /// There is no connection to the server.
    Offline,
    /// There is no move to take back.
    NothingToTakeBack,
    /// Available only in a local game.
    LocalOnly,
    /// Available only in a room of a server.
    NotOnServer,
    /// The opponent is not absent.
    NotClaimable,
    /// A yes or a no is expected.
    ConfirmationRequired,
    /// A number from the list is expected.
    NumberRequired,
    /// None of the watched games has this room.
    UnknownRoom,
    /// Leaving the game in progress needs a confirmation.
    LeaveConfirmation { effect: LeaveEffect },
    /// There is no single opponent.
    NoOpponent,
    /// No opponent was found yet.
    NoOpponentFound,
    /// A request to enter a room, or to answer a seek, waits for the server.
    RequestPending,
    /// The selected row of the lobby has vanished, and no other one was selected since.
    SelectionGone,
    /// No field, menu or list expects this input.
    NothingPrompted,
    /// The player of the chosen seek has found another opponent, or has left.
    SeekGone,
    /// The position has changed since the command was written.
    PositionChanged,
}
