//! The lobby as clients see it: rooms, seeks and counts, in a cluster those of all nodes.

use noughts_protocol::PlayerKind;
use noughts_protocol::wire::{ListedSeek, LobbyCounts, LobbyView, RoomListing};
use tokio::sync::oneshot;
use tracing::debug;

use super::handle::LobbyMessage;
use crate::runtime::context::ServerContext;

/// Reads the lobby of this server alone. If it is busy, the seeks are `last_seeks`.
pub(crate) async fn read_own_view(ctx: &ServerContext, last_seeks: &[ListedSeek]) -> LobbyView {
    let (sender, receiver) = oneshot::channel();
    let seeks = match ctx.lobby.try_send(LobbyMessage::ListSeeks(sender)) {
        Ok(()) => receiver.await.ok(),
        Err(code) => {
            debug!(%code, "seeks not read");
            None
        }
    };
    let population = &ctx.shared.population;
    let connections = |kind| population.connections(kind).get();
    LobbyView {
        rooms: ctx.shared.registry.list(),
        seeks: seeks.unwrap_or_else(|| last_seeks.to_vec()),
        counts: LobbyCounts {
            people: connections(PlayerKind::Human),
            bots: connections(PlayerKind::Bot),
            waiting: u32::try_from(ctx.seek_count()).unwrap_or(u32::MAX),
            games: population.games.get(),
        },
    }
}

/// Adds what the other nodes of a cluster have.
pub(super) fn with_others(ctx: &ServerContext, own: LobbyView) -> LobbyView {
    match ctx.lobby_placement() {
        None => own,
        Some(placement) => placement.with_others(own),
    }
}

/// Returns the rooms and seeks to list, with `own_seeks` as those of this server.
pub(super) fn rooms_and_seeks(
    ctx: &ServerContext,
    own_seeks: Vec<ListedSeek>,
) -> (Vec<RoomListing>, Vec<ListedSeek>) {
    let rooms = ctx.shared.registry.list();
    let view = with_others(
        ctx,
        LobbyView {
            rooms,
            seeks: own_seeks,
            counts: LobbyCounts::default(),
        },
    );
    (view.rooms, view.seeks)
}
