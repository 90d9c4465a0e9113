//! Carries out the requests of the operator, and logs each change.

use std::time::Duration;

use noughts_protocol::wire::{CloseCode, Message, RejectCode};
use noughts_protocol::{PlayerKind, RoomId};
use tokio::sync::oneshot;
use tokio::time::{Instant, timeout, timeout_at};
use tracing::{info, warn};

use crate::operator::bans::{Ban, BanTarget};
use crate::operator::requests::{
    MemberReport, OperatorError, OperatorRequest, OperatorRow, RoomReport, ServerReport,
};
use crate::room::handle::{ConnectionId, RoomHandle, RoomRequest};
use crate::runtime::context::ServerContext;

/// Maximum number of rooms in a response.
const MAX_ROOMS: usize = 1000;
/// Maximum length of the reason to close a room, in characters.
const MAX_REASON_CHARS: usize = 200;
/// Maximum number of rooms that are asked at the same time.
const ROOMS_PER_STEP: usize = 256;
/// Time limit of the responses of the rooms that are asked at the same time. A room that waits for its log is left out
/// of the list.
const ROOM_TIMEOUT: Duration = Duration::from_secs(3);

/// Carries out a request. Returns the rows of the response, and their number or the number of clients that a change has
/// reached.
///
/// # Errors
/// The reason why nothing has changed.
pub(super) async fn execute(
    ctx: &ServerContext,
    request: OperatorRequest,
) -> Result<(Vec<OperatorRow>, u64), OperatorError> {
    let now = ctx.shared.time.now();
    let rows = match request {
        OperatorRequest::Status {} => vec![OperatorRow::Server(report_server(ctx, now))],
        OperatorRequest::Rooms { filter } => report_rooms(ctx, filter).await,
        OperatorRequest::Room { room } => report_room(ctx, room).await?,
        OperatorRequest::Bans {} => {
            let bans = ctx.bans.list(now);
            bans.into_iter().map(OperatorRow::Ban).collect()
        }
        OperatorRequest::Close { room, reason } => return close_room(ctx, room, reason).await,
        OperatorRequest::Kick { connection } => {
            if !ctx
                .clients
                .close(ConnectionId(connection), CloseCode::Kicked)
            {
                return Err(OperatorError::UnknownConnection);
            }
            info!(connection, "connection kicked by the operator");
            return Ok((vec![], 1));
        }
        OperatorRequest::Ban { target, for_ms } => return ban(ctx, target, for_ms, now).await,
        OperatorRequest::Unban { target } => {
            ctx.bans.remove(target, now).await?;
            info!(%target, "ban lifted by the operator");
            return Ok((vec![], 1));
        }
        OperatorRequest::Announce { text } => {
            info!(text = text.as_str(), "announcement by the operator");
            let sent = ctx.clients.broadcast(&Message::Announcement { text }).await;
            return Ok((vec![], sent));
        }
        OperatorRequest::Drain { end } => {
            ctx.shared.set_drained(!end);
            info!(is_drained = !end, "drain changed by the operator");
            return Ok((vec![], u64::from(ctx.shared.population.games.get())));
        }
    };
    let count = rows.len() as u64;
    Ok((rows, count))
}

fn report_server(ctx: &ServerContext, now: u64) -> ServerReport {
    let shared = &ctx.shared;
    let store = shared.event_log.stats();
    let count = |kind| shared.population.connections(kind).get();
    ServerReport {
        version: env!("CARGO_PKG_VERSION"),
        uptime_ms: now.saturating_sub(shared.time.started_at()),
        connections: shared.metrics.connections.get(),
        people: count(PlayerKind::Person),
        bots: count(PlayerKind::Bot),
        rooms: shared.registry.len(),
        rooms_unavailable: shared.registry.unavailable_count(),
        games: shared.population.games.get(),
        seeks: ctx.seek_count(),
        bans: ctx.bans.list(now).len(),
        ready: ctx.is_ready(),
        drained: shared.is_drained(),
        database_bytes: store.database_bytes,
        disk_free_bytes: store.disk_free_bytes,
    }
}

/// Asks a room for its report. `None` if the room has closed, or its queue is full.
fn ask_room(handle: &RoomHandle) -> Option<oneshot::Receiver<Box<RoomReport>>> {
    let (reply, report) = oneshot::channel();
    handle.try_send(RoomRequest::Describe(reply)).ok()?;
    Some(report)
}

async fn report_rooms(ctx: &ServerContext, filter: Option<String>) -> Vec<OperatorRow> {
    let filter = filter.unwrap_or_default().to_lowercase();
    let mut rows = Vec::new();
    for handles in ctx.shared.registry.handles().chunks(ROOMS_PER_STEP) {
        let deadline = Instant::now() + ROOM_TIMEOUT;
        let asked: Vec<_> = handles.iter().filter_map(ask_room).collect();
        for report in asked {
            let Ok(Ok(report)) = timeout_at(deadline, report).await else {
                continue;
            };
            if rows.len() < MAX_ROOMS && report.contains(&filter) {
                rows.push(OperatorRow::Room(report));
            }
        }
    }
    rows
}

async fn report_room(ctx: &ServerContext, room: RoomId) -> Result<Vec<OperatorRow>, OperatorError> {
    let handle = ctx.shared.registry.handle(room);
    let handle = handle.ok_or(OperatorError::UnknownRoom)?;
    let no_response = OperatorError::Unavailable(RejectCode::Unavailable);
    let asked = ask_room(&handle).ok_or_else(|| no_response.clone())?;
    let Ok(Ok(mut report)) = timeout(ROOM_TIMEOUT, asked).await else {
        return Err(no_response);
    };
    let members = std::mem::take(&mut report.members);
    let members = members.into_iter().map(|(connection, seat)| {
        OperatorRow::Member(MemberReport {
            connection,
            seat,
            client: ctx.clients.report(ConnectionId(connection)),
        })
    });
    Ok([OperatorRow::Room(report)]
        .into_iter()
        .chain(members)
        .collect())
}

async fn close_room(
    ctx: &ServerContext,
    room: RoomId,
    reason: Option<String>,
) -> Result<(Vec<OperatorRow>, u64), OperatorError> {
    let reason = reason.unwrap_or_default();
    if reason.chars().nth(MAX_REASON_CHARS).is_some() || reason.chars().any(char::is_control) {
        let detail = format!("the reason is one line of at most {MAX_REASON_CHARS} characters");
        return Err(OperatorError::BadRequest(detail));
    }
    let handle = ctx.shared.registry.handle(room);
    let handle = handle.ok_or(OperatorError::UnknownRoom)?;
    let (reply, closed) = oneshot::channel();
    let sent = handle.try_send(RoomRequest::Close(reply));
    sent.map_err(not_closed)?;
    // The log has a time limit of its own.
    let closed = closed.await.unwrap_or(Err(RejectCode::Unavailable));
    if closed == Err(RejectCode::Unavailable) {
        // The log may have stored the end of the room all the same.
        warn!(%room, reason, "close by the operator not confirmed");
        return Err(OperatorError::Timeout);
    }
    closed.map_err(not_closed)?;
    info!(%room, reason, "room closed by the operator");
    Ok((vec![], 1))
}

fn not_closed(code: RejectCode) -> OperatorError {
    if code == RejectCode::UnknownRoom {
        OperatorError::UnknownRoom
    } else {
        OperatorError::Unavailable(code)
    }
}

async fn ban(
    ctx: &ServerContext,
    target: BanTarget,
    for_ms: Option<u64>,
    now: u64,
) -> Result<(Vec<OperatorRow>, u64), OperatorError> {
    let ban = Ban {
        target,
        since: now,
        until: for_ms.map(|for_ms| now.saturating_add(for_ms)),
    };
    ctx.bans.add(ban).await?;
    // A connection that checks the bans before this one is added is already among the clients.
    let closed = ctx.clients.close_all(CloseCode::Banned, |client| {
        ban.means(client.client_prefix, client.player.identity)
    });
    info!(%target, until = ban.until, closed, "ban added by the operator");
    Ok((vec![], closed))
}
