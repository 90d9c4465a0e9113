//! How a room comes to be: founded with its first events, or taken up from the log. Its task runs from here.

use std::collections::VecDeque;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures::FutureExt;
use futures::future::{BoxFuture, ready};
use noughts_protocol::wire::RejectCode;
use noughts_protocol::{Event, EventRecord, RoomCode, RoomId, Seat, Seq};
use tokio_util::sync::CancellationToken;
use tracing::{debug, info, warn};

use super::store::with_timeout;
use super::{RoomContext, RoomTask, messages, number_events};
use crate::limits::quota::QuotaPermit;
use crate::room::handle::{JoinRequest, RoomHandle, RoomInbox};
use crate::room::members::Role;
use crate::room::{Connectivity, Room};
use crate::store::{LogError, RoomSecrets, StoredRoom};

/// How a new room begins: its first event, and who is in it from the start.
#[derive(Debug)]
pub struct InitialState {
    /// The first event.
    pub opened: Event,
    /// Who takes which seat.
    pub seated: Vec<(JoinRequest, Seat)>,
}

/// Founds a room and runs it until it closes or the server stops. The caller spawns this. Its `places` are held as
/// long as it is there, whoever is still in it.
pub fn run_new(
    secrets: RoomSecrets,
    initial_state: InitialState,
    handle: RoomHandle,
    inbox: RoomInbox,
    ctx: Arc<RoomContext>,
    stop: CancellationToken,
    permits: Vec<QuotaPermit>,
) -> impl Future<Output = ()> + Send + 'static {
    let registration = RegistrationGuard::new(&secrets, &ctx);
    run_to_end(create(secrets, initial_state, handle, inbox, ctx, stop).boxed(), registration, permits)
}

/// The whole life of a room, from how it begins to its end.
///
/// How it begins is on the heap, so that what it takes to found a room is not held as long as the room lives. This
/// future itself is not: it is what is spawned, and a box would lie beside its task. Nor is it an `async fn`, which
/// holds its arguments twice.
fn run_to_end(
    starting: BoxFuture<'static, Option<(Box<RoomTask>, RoomInbox)>>,
    registration: RegistrationGuard,
    permits: Vec<QuotaPermit>,
) -> impl Future<Output = ()> + Send + 'static {
    let boxed_permits = permits.into_boxed_slice();
    async move {
        let gauge_guard = registration.ctx.metrics.room_tasks.enter();
        if let Some((task, inbox)) = starting.await {
            task.run(inbox).await;
        }
        // In this order also when the task is given up in between.
        drop(gauge_guard);
        drop(registration);
        drop(boxed_permits);
    }
}

/// Founds a room and lets in who is in it from the start, or tells them that it could not be founded.
async fn create(
    secrets: RoomSecrets,
    initial_state: InitialState,
    handle: RoomHandle,
    inbox: RoomInbox,
    ctx: Arc<RoomContext>,
    stop: CancellationToken,
) -> Option<(Box<RoomTask>, RoomInbox)> {
    let started_at = ctx.time.now();
    let events = first_events(initial_state.opened, &initial_state.seated, started_at);
    let created = AssertUnwindSafe(persist_creation(secrets, events, &ctx)).catch_unwind().await;
    let (room, tail) = match created.unwrap_or(Err(LogError::Unknown)) {
        Ok(created) => created,
        Err(failed) => {
            warn!(room = %secrets.room, error = %failed, "a room could not be founded");
            if failed == LogError::Unknown {
                // It may have been, all the same: then nobody will ever come.
                let delete = ctx.event_log.delete(secrets.room);
                if with_timeout(ctx.append_timeout, delete).await.is_err() {
                    debug!(room = %secrets.room, "the log may have a room that nobody is in");
                }
            }
            for (joiner, _) in &initial_state.seated {
                messages::reject_joiner(&ctx.metrics, joiner, RejectCode::Unavailable.into());
            }
            // Nobody was a member yet: whoever asks is a newcomer that found the room before it was there.
            for request in inbox.close() {
                if let Some(joiner) = request.joiner() {
                    messages::reject_joiner(&ctx.metrics, joiner, RejectCode::UnknownRoom.into());
                }
            }
            return None;
        }
    };
    info!(room = %secrets.room, rules = %room.game().rules(), public = room.game().is_public(), "room opened");
    let mut task = Box::new(RoomTask::new(secrets, room, tail, Seq::ZERO, handle, ctx, stop));
    for (_, seat) in &initial_state.seated {
        task.room.set_connectivity(*seat, Connectivity::Connected);
    }
    task.run_catching_panic(|task| {
        task.exclude_since(started_at);
        for (joiner, seat) in initial_state.seated {
            task.current_joiner = Some(joiner.send_queue.clone());
            task.admit_with_snapshot(joiner, Role::Player(seat));
        }
    });
    Some((task, inbox))
}

/// Takes up a room that was open when the server stopped, and runs it like any other, in nobody's place.
pub fn restore(
    secrets: RoomSecrets,
    room: Room,
    stored: StoredRoom,
    handle: RoomHandle,
    inbox: RoomInbox,
    ctx: Arc<RoomContext>,
    stop: CancellationToken,
) -> impl Future<Output = ()> + Send + 'static {
    let registration = RegistrationGuard::new(&secrets, &ctx);
    debug!(room = %secrets.room, seq = %room.game().seq(), "room taken up again");
    let checkpoint_seq = stored.checkpoint.map_or(Seq::ZERO, |checkpoint| checkpoint.seq);
    let mut task =
        Box::new(RoomTask::new(secrets, room, stored.events.into(), checkpoint_seq, handle, ctx, stop));
    task.replayable_from = task.replayable_after_restart();
    task.run_catching_panic(|task| task.publish_listing());
    run_to_end(ready(Some((task, inbox))).boxed(), registration, Vec::new())
}

/// Takes the room off the registry when its task ends, however it ends.
struct RegistrationGuard {
    ctx: Arc<RoomContext>,
    room: RoomId,
    code: Option<RoomCode>,
}

impl RegistrationGuard {
    fn new(secrets: &RoomSecrets, ctx: &Arc<RoomContext>) -> RegistrationGuard {
        RegistrationGuard { ctx: Arc::clone(ctx), room: secrets.room, code: secrets.code }
    }
}

impl Drop for RegistrationGuard {
    fn drop(&mut self) {
        self.ctx.registry.remove(self.room, self.code);
    }
}

fn first_events(opened: Event, seated: &[(JoinRequest, Seat)], at: u64) -> Vec<EventRecord> {
    let mut events = vec![opened];
    for (joiner, seat) in seated {
        events.push(Event::Seated { seat: *seat, player: joiner.player.clone() });
    }
    if seated.len() == Seat::ALL.len() {
        events.push(Event::Started { game: 1 });
    }
    number_events(Seq::ZERO, at, None, events)
}

async fn persist_creation(
    secrets: RoomSecrets,
    events: Vec<EventRecord>,
    ctx: &RoomContext,
) -> Result<(Room, VecDeque<EventRecord>), LogError> {
    let create = ctx.event_log.create(secrets, events.clone());
    with_timeout(ctx.append_timeout, create).await?;
    let mut room = Room::open(&events[0], Arc::clone(&ctx.timeouts)).expect("the first event opens the room");
    for event_record in &events[1..] {
        room.apply(event_record);
    }
    ctx.metrics.events.add(events.len() as u64);
    Ok((room, events.into()))
}
