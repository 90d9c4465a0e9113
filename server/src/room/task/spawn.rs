//! Creation of a room with its first events, and restoration of a room from the log.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures::FutureExt;
use futures::future::{BoxFuture, ready};
use noughts_protocol::wire::{CloseCode, RejectCode};
use noughts_protocol::{Event, EventRecord, RoomCode, RoomId, Seat, Seq};
use tokio_util::sync::CancellationToken;
use tracing::{debug, error, warn};

use super::run::RoomEnd;
use super::store::with_timeout;
use super::tail::{EventTail, replayable_after_restart};
use super::{RoomTask, messages, number_events};
use crate::limits::archive_budget::ArchiveContributor;
use crate::limits::quota::QuotaPermit;
use crate::room::context::RoomContext;
use crate::room::handle::{JoinRequest, MemberQueue, RoomHandle, RoomInbox};
use crate::room::members::Role;
use crate::room::{Connectivity, Room};
use crate::runtime::time::server_clock::millis;
use crate::store::{LogError, RoomSecrets, StoredRoom};

/// Initial state of a new room.
#[derive(Debug)]
pub(crate) struct InitialState {
    /// The first event, [`Event::Opened`].
    pub opened: Event,
    /// The first players and their seats.
    pub seated: Vec<(JoinRequest, Seat)>,
}

/// Creates a room and runs it until it closes or the server stops. The caller spawns the future, which holds
/// the `permits` until then.
pub(crate) fn run_new(
    secrets: RoomSecrets,
    initial_state: InitialState,
    handle: RoomHandle,
    inbox: RoomInbox,
    ctx: Arc<RoomContext>,
    stop: CancellationToken,
    permits: Vec<QuotaPermit>,
) -> impl Future<Output = ()> + Send + 'static {
    let registration = RegistrationGuard::new(&secrets, &ctx, &stop);
    let creators: Vec<MemberQueue> = initial_state
        .seated
        .iter()
        .map(|(joiner, _)| joiner.send_queue.clone())
        .collect();
    let (room, room_ctx) = (secrets.room, Arc::clone(&ctx));
    let creating =
        AssertUnwindSafe(create(secrets, initial_state, handle, inbox, ctx, stop)).catch_unwind();
    let contributors = permits
        .iter()
        .map(|permit| ArchiveContributor::Client(permit.client_prefix()))
        .collect();
    let starting = creating.map(move |created| {
        let created = created.unwrap_or_else(|_| {
            report_task_panic(&room_ctx, room);
            for send_queue in creators {
                send_queue.close_with(CloseCode::Internal);
            }
            None
        });
        created.map(|(mut task, inbox)| {
            task.contributors = contributors;
            (task, inbox)
        })
    });
    run_to_end(starting.boxed(), registration, permits)
}

/// Reports a panic outside of the handling of a request, which no rebuild follows: the room ends. Its connections are
/// closed with 1011, and its rows are kept for the next start.
fn report_task_panic(ctx: &RoomContext, room: RoomId) {
    error!(%room, "room task panicked; room ended until the next start");
    ctx.metrics.room_task_panics.add(1);
}

/// Starts the task of a room and runs it to its end.
///
/// `starting` is boxed, so that its memory is freed when the room runs. The returned future is not boxed: `spawn`
/// allocates it anyway. Not an `async fn`: that would store the arguments twice in the future.
fn run_to_end(
    starting: BoxFuture<'static, Option<(Box<RoomTask>, RoomInbox)>>,
    mut registration: RegistrationGuard,
    permits: Vec<QuotaPermit>,
) -> impl Future<Output = ()> + Send + 'static {
    let boxed_permits = permits.into_boxed_slice();
    async move {
        let gauge_guard = registration.ctx.metrics.room_tasks.enter();
        if let Some((task, inbox)) = starting.await {
            let ended = AssertUnwindSafe(task.run(inbox)).catch_unwind().await;
            if ended.is_err() {
                report_task_panic(&registration.ctx, registration.room);
            }
            registration.is_room_stored = !matches!(ended, Ok(RoomEnd::Regular));
        }
        // Variables of the future, so that they are dropped in this order also if the task is aborted.
        drop(gauge_guard);
        drop(registration);
        drop(boxed_permits);
    }
}

/// Stores a new room and admits its first players. If the log fails, rejects them and returns `None`.
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
    let created = AssertUnwindSafe(persist_creation(secrets, events, &ctx))
        .catch_unwind()
        .await;
    let (room, tail) = match created.unwrap_or(Err(LogError::Unknown)) {
        Ok(created) => created,
        Err(error) => {
            warn!(room = %secrets.room, %error, "room creation failed");
            for (joiner, _) in &initial_state.seated {
                messages::reject_joiner(&ctx.metrics, joiner, RejectCode::Unavailable.into());
            }
            // The room had no members: only clients that found it in the registry can have sent requests.
            let code = ctx.ended_room_code();
            for request in inbox.close(code) {
                if let Some(joiner) = request.joiner() {
                    messages::reject_joiner(&ctx.metrics, joiner, code.into());
                }
            }
            // After the responses: a log that does not answer delays the deletion as well.
            if error == LogError::Unknown {
                // The log may have stored the room, which no client would ever enter.
                let delete = ctx.event_log.delete(secrets.room);
                if with_timeout(ctx.limits.append_timeout, delete)
                    .await
                    .is_err()
                {
                    debug!(room = %secrets.room, "orphan room may remain in the log");
                }
            }
            return None;
        }
    };
    debug!(room = %secrets.room, rules = %room.game().rules(), public = room.game().is_public(), "room opened");
    let mut task = Box::new(RoomTask::new(
        secrets,
        room,
        EventTail::new(tail.into(), Seq::ZERO),
        Seq::ZERO,
        handle,
        ctx,
        stop,
    ));
    for (_, seat) in &initial_state.seated {
        task.room.set_connectivity(*seat, Connectivity::Connected);
    }
    task.run_catching_panic(|task| {
        task.count_game();
        task.credit_since(started_at);
        for (joiner, seat) in initial_state.seated {
            task.current_joiner = Some(joiner.send_queue.clone());
            task.admit_with_snapshot(joiner, Role::Player(seat));
        }
        task.publish_vacancy(0);
    });
    Some((task, inbox))
}

/// Runs a room that was open when the server stopped, until it closes or the server stops. The room counts
/// against no quota. The caller spawns the future.
pub(crate) fn restore(
    secrets: RoomSecrets,
    room: Room,
    stored: StoredRoom,
    handle: RoomHandle,
    inbox: RoomInbox,
    ctx: Arc<RoomContext>,
    stop: CancellationToken,
) -> impl Future<Output = ()> + Send + 'static {
    let registration = RegistrationGuard::new(&secrets, &ctx, &stop);
    debug!(room = %secrets.room, seq = %room.game().seq(), "room restored");
    let checkpoint_seq = stored
        .checkpoint
        .map_or(Seq::ZERO, |checkpoint| checkpoint.seq);
    let tail = EventTail::new(stored.events.into(), replayable_after_restart(room.game()));
    let mut task = Box::new(RoomTask::new(
        secrets,
        room,
        tail,
        checkpoint_seq,
        handle,
        ctx,
        stop,
    ));
    task.contributors = [ArchiveContributor::Room(secrets.room)].into();
    task.run_catching_panic(|task| {
        task.count_game();
        task.publish_listing();
        // After a restart the players need time to reconnect.
        task.publish_vacancy(millis(task.ctx.limits.drain_timeout));
    });
    run_to_end(ready(Some((task, inbox))).boxed(), registration, Vec::new())
}

/// Removes a room from the registry when its task ends or is aborted.
struct RegistrationGuard {
    ctx: Arc<RoomContext>,
    room: RoomId,
    code: Option<RoomCode>,
    /// The task has ended, but the log keeps the room.
    is_room_stored: bool,
    /// Cancelled when the room must end on this server.
    stop: CancellationToken,
}

impl RegistrationGuard {
    fn new(
        secrets: &RoomSecrets,
        ctx: &Arc<RoomContext>,
        stop: &CancellationToken,
    ) -> RegistrationGuard {
        let (room, code) = (secrets.room, secrets.code);
        RegistrationGuard {
            ctx: Arc::clone(ctx),
            room,
            code,
            is_room_stored: false,
            stop: stop.clone(),
        }
    }
}

impl Drop for RegistrationGuard {
    fn drop(&mut self) {
        let (room, code, registry) = (self.room, self.code, &self.ctx.registry);
        // A single server answers `unknown_room`, so that its clients do not wait for a restart.
        if self.is_room_stored && self.ctx.event_log.can_be_replaced() && !self.stop.is_cancelled()
        {
            registry.make_unavailable(room, code);
        } else {
            registry.remove(room, code);
        }
    }
}

fn first_events(opened: Event, seated: &[(JoinRequest, Seat)], at: u64) -> Vec<EventRecord> {
    let mut events = vec![opened];
    for (joiner, seat) in seated {
        events.push(Event::Seated {
            seat: *seat,
            player: joiner.player.clone(),
        });
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
) -> Result<(Room, Vec<EventRecord>), LogError> {
    let create = ctx.event_log.create(secrets, events.clone());
    with_timeout(ctx.limits.append_timeout, create).await?;
    let mut room =
        Room::open(&events[0], Arc::clone(&ctx.limits)).expect("the first event opens the room");
    for event_record in &events[1..] {
        room.apply(event_record);
    }
    ctx.metrics.events.add(events.len() as u64);
    Ok((room, events))
}
