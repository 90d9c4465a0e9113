//! State of a connection between hello and close.

use noughts_protocol::wire::RejectCode;

use super::keepalive::LobbyPing;
use crate::room::handle::RoomHandle;

/// State of a connection. The table of [`super`] lists the transitions.
#[derive(Debug)]
pub(super) enum ConnState {
    AwaitingHello,
    InLobby,
    /// With the ping of the lobby that the peer has not answered yet. Boxed: rare, and short-lived.
    Seeking(Option<Box<LobbyPing>>),
    Joining(RoomHandle),
    Creating,
    InRoom(RoomHandle),
    Leaving(RoomHandle),
}

impl ConnState {
    /// Returns the room of the connection.
    pub(super) fn room(&self) -> Result<&RoomHandle, RejectCode> {
        match self {
            ConnState::InRoom(handle) => Ok(handle),
            ConnState::AwaitingHello
            | ConnState::InLobby
            | ConnState::Seeking(_)
            | ConnState::Joining(_)
            | ConnState::Creating
            | ConnState::Leaving(_) => Err(RejectCode::NotInRoom),
        }
    }

    /// Checks that the connection may seek, create or enter a room.
    pub(super) fn ensure_idle(&self) -> Result<(), RejectCode> {
        match self {
            ConnState::InLobby => Ok(()),
            ConnState::AwaitingHello => Err(RejectCode::HelloFirst),
            ConnState::Seeking(_) => Err(RejectCode::AlreadySeeking),
            ConnState::Joining(_)
            | ConnState::Creating
            | ConnState::InRoom(_)
            | ConnState::Leaving(_) => Err(RejectCode::AlreadyInRoom),
        }
    }
}
