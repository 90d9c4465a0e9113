//! Reopens the rooms of the log after a restart.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use noughts_protocol::wire::{RejectCode, SeatGrant};
use noughts_protocol::{FoldError, Phase, RoomId, Seat};
use tokio::time::timeout;
use tracing::{debug, warn};

use crate::room::handle::SeatHolder;
use crate::room::{Room, handle, task};
use crate::runtime::context::ServerContext;
use crate::store::{LogError, RoomSecrets, StoredRoom};

/// Reopens all rooms that are open in the log, after a restart. Returns their number.
///
/// # Errors
/// If the log cannot be read, or a room cannot be restored.
pub(crate) async fn reopen_rooms(ctx: &ServerContext) -> Result<usize, ReopenError> {
    let rooms = ctx.shared.event_log.recover().await?;
    let count = rooms.len();
    let failed = restore_rooms(ctx, rooms);
    failed
        .into_iter()
        .next()
        .map_or(Ok(count), |(_, error)| Err(error))
}

/// Reopens rooms of the log. Returns the rooms that cannot be restored.
pub(crate) fn restore_rooms(
    ctx: &ServerContext,
    rooms: Vec<(RoomSecrets, StoredRoom)>,
) -> Vec<(RoomSecrets, ReopenError)> {
    let (mut grants, mut failed) = (Vec::new(), Vec::new());
    for (secrets, stored) in rooms {
        // A panic must not affect other rooms.
        let restored = catch_unwind(AssertUnwindSafe(|| {
            restore_room(ctx, secrets, stored, &mut grants)
        }));
        if let Err(error) = restored.unwrap_or(Err(ReopenError::Panic { room: secrets.room })) {
            failed.push((secrets, error));
        }
    }
    // A party gets only one seat. If it has several, it gets the seat in the room with the latest event.
    grants.sort_by_key(|held| held.since);
    for StoredSeat {
        since,
        grant,
        holder,
    } in grants
    {
        ctx.shared.registry.assign_seat(grant, holder, since);
    }
    failed
}

/// A seat that a client held before the restart.
struct StoredSeat {
    /// Time of the last event of the room.
    since: u64,
    grant: SeatGrant,
    holder: SeatHolder,
}

/// Reopens a room, and adds its seats to `grants`.
fn restore_room(
    ctx: &ServerContext,
    secrets: RoomSecrets,
    stored: StoredRoom,
    grants: &mut Vec<StoredSeat>,
) -> Result<(), ReopenError> {
    let room =
        Room::replay(&stored, Arc::clone(&ctx.limits), ctx.shared.time.now()).map_err(|error| {
            ReopenError::Fold {
                room: secrets.room,
                error,
            }
        })?;
    if room.game().phase() == Phase::Closed {
        ctx.actors
            .spawn(delete_closed_room(ctx.clone(), secrets.room));
        return Ok(());
    }
    let hold = ctx
        .placement()
        .and_then(|placement| placement.hold(secrets.room));
    if hold.is_none() && ctx.placement().is_some() {
        debug!(room = %secrets.room, "room not restored: its shard was lost");
        return Ok(());
    }
    let (handle, inbox) = handle::room_channel(secrets.room, ctx.limits.room_inbox);
    let public = room.game().is_public();
    ctx.shared
        .registry
        .restore(handle.clone(), &secrets, public)
        .map_err(|code| ReopenError::Register {
            room: secrets.room,
            code,
        })?;
    let (game, room_ctx) = (room.game(), Arc::clone(&ctx.shared));
    grants.extend(Seat::ALL.iter().map(|seat| {
        let grant = SeatGrant {
            room: secrets.room,
            token: secrets.token(*seat, game.number()),
        };
        let holder = SeatHolder::of(&secrets, game, *seat);
        StoredSeat {
            since: game.last_event_at(),
            grant,
            holder,
        }
    }));
    ctx.spawn_room(hold, |stop| {
        task::restore(secrets, room, stored, handle, inbox, room_ctx, stop)
    });
    Ok(())
}

/// Deletes from the log a room that had closed before the server stopped, but that was not deleted then.
async fn delete_closed_room(ctx: ServerContext, room: RoomId) {
    let deleted = timeout(ctx.limits.append_timeout, ctx.shared.event_log.delete(room)).await;
    if let Err(error) = deleted.unwrap_or(Err(LogError::Unknown)) {
        warn!(%room, %error, "cannot delete room that closed before the restart");
    }
}

/// Failure to reopen the rooms of the log.
#[derive(Debug, thiserror::Error)]
pub enum ReopenError {
    /// The log cannot be read.
    #[error(transparent)]
    Log(#[from] LogError),
    /// The stored events are not the history of a room.
    #[error("log of room {room} is corrupt: {error}")]
    Fold { room: RoomId, error: FoldError },
    /// Another room has the same id or code, or an earlier task of the room has not ended.
    #[error("cannot restore room {room}: {code}")]
    Register { room: RoomId, code: RejectCode },
    /// A bug: the restoration panicked.
    #[error("restoration of room {room} panicked")]
    Panic { room: RoomId },
}

impl ReopenError {
    /// Returns whether a later attempt may succeed.
    #[cfg(feature = "cluster")]
    pub(crate) fn is_transient(&self) -> bool {
        match self {
            ReopenError::Log(_) | ReopenError::Register { .. } => true,
            ReopenError::Fold { .. } | ReopenError::Panic { .. } => false,
        }
    }
}
