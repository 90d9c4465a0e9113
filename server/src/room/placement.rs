//! Division of the rooms among the nodes of a cluster: the [`RoomPlacement`] trait. A single server has all rooms.

use std::fmt;

use noughts_protocol::wire::RejectCode;
use noughts_protocol::{RoomCode, RoomId, RoomRef};
use tokio_util::sync::CancellationToken;
use tokio_util::task::task_tracker::TaskTrackerToken;

use crate::limits::client_prefix::ClientPrefix;
use crate::room::handle::RoomHandle;
use crate::runtime::rng::ServerRng;

/// Permission to run a room on this server. The server gives up the rooms of a shard when no such permission exists.
#[derive(Debug)]
pub(crate) struct RoomHold {
    stop: CancellationToken,
    _running: TaskTrackerToken,
}

impl RoomHold {
    #[cfg(feature = "cluster")]
    pub(crate) fn new(stop: CancellationToken, running: TaskTrackerToken) -> RoomHold {
        RoomHold {
            stop,
            _running: running,
        }
    }

    /// Cancelled when the room has to end on this server.
    pub(crate) fn stop(&self) -> CancellationToken {
        self.stop.clone()
    }
}

/// Division of the rooms among servers.
pub(crate) trait RoomPlacement: Send + Sync + fmt::Debug + 'static {
    /// Draws the id of a room that this server may open, and the code of a private one.
    ///
    /// # Errors
    /// `unavailable` if this server may open no room at present.
    fn draw_room(
        &self,
        rng: &ServerRng,
        is_private: bool,
    ) -> Result<(RoomId, Option<RoomCode>), RejectCode>;

    /// Permits a room to run on this server. `None` if it may not.
    fn hold(&self, room: RoomId) -> Option<RoomHold>;

    /// Number of the claim by which the rooms of this key are open on this server, if they exist. `None` if they are not.
    fn claim(&self, room: RoomRef) -> Option<u64>;

    /// Finds a room that is not open on this server. `None` if it is open nowhere.
    ///
    /// # Errors
    /// `unavailable` if the room may exist and cannot be reached.
    fn find_elsewhere(
        &self,
        room: RoomRef,
        client: ClientPrefix,
    ) -> Result<Option<RoomHandle>, RejectCode>;
}
