//! Division of the lobby among the nodes of a cluster: the [`LobbyPlacement`] trait. A single server has one lobby.

use std::fmt;

use futures::future::BoxFuture;
use noughts_protocol::wire::{LobbyView, SeatGrant};
use noughts_protocol::{PartyKey, Rules, TimeControl};

use crate::room::task::RoomContext;

/// Division of the lobby among servers.
pub(crate) trait LobbyPlacement: Send + Sync + fmt::Debug + 'static {
    /// Whether the seeks of this game meet on this server.
    fn is_here(&self, rules: Rules, clock: Option<TimeControl>) -> bool;

    /// Announces to the other servers that this one stops: they place no further seeks here.
    fn announce_leaving(&self);

    /// Distance between the numbers of the seeks of this server and those of a single one.
    fn seek_number_offset(&self) -> u64;

    /// Adds the rooms, seeks and counts of the other servers, of the last seconds, to those of this one.
    fn with_others(&self, own: LobbyView) -> LobbyView;

    /// Finds the last seat that a party took on any server. The wait is bounded: a server that does not answer counts as one
    /// without a seat.
    fn find_seat<'a>(
        &'a self,
        ctx: &'a RoomContext,
        party: PartyKey,
    ) -> BoxFuture<'a, Option<SeatGrant>>;
}
