//! The life of a room task: its creation with the first events or from the log, its event loop, and its end.

use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::task::Poll;

use futures::FutureExt;
use futures::future::{BoxFuture, ready};
use noughts_protocol::wire::{CloseCode, RejectCode};
use noughts_protocol::{Event, EventRecord, Phase, RoomCode, RoomId, Seat, Seq};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tracing::{debug, error, warn};

use crate::limits::meters::ArchiveContributor;
use crate::limits::slots::QuotaPermit;
use crate::room::handle::{
    InboxEvent, JoinRequest, MemberQueue, RoomHandle, RoomInbox, RoomRequest,
};
use crate::room::members::Role;
use crate::room::task::log_sync::{
    EventTail, LogSync, UnconfirmedRequest, replayable_after_restart, with_timeout,
};
use crate::room::task::{RoomContext, RoomTask, messages, number_events};
use crate::room::{Room, SeatPresence};
use crate::runtime::clock::millis;
use crate::runtime::sync::StopOrDeadline;
use crate::send_queue::Outgoing;
use crate::store::{LogError, RoomSecrets, StoredRoom};

/// Initial state of a new room.
#[derive(Debug)]
pub(crate) struct InitialState {
    /// The first event, [`Event::Opened`].
    pub opened: Event,
    /// The first players and their seats.
    pub seated: Vec<(JoinRequest, Seat)>,
}

/// Creates a room and runs it until it closes or the server stops. The caller spawns the future, which holds the
/// `permits` until its end.
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

/// Reports a panic outside of the handling of a request. No rebuild follows. The room ends, its connections are closed
/// with 1011, and its rows are kept for the next start.
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
        // The guards are variables of the future, so that they are dropped in this order even if the task is aborted.
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
            // The room had no members, so only clients that found it in the registry can have sent requests.
            let code = ctx.ended_room_code();
            for request in inbox.close(code) {
                if let Some(joiner) = request.joiner() {
                    messages::reject_joiner(&ctx.metrics, joiner, code.into());
                }
            }
            // The deletion comes after the responses, because a log that does not answer delays it as well.
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
        task.room.set_presence(*seat, SeatPresence::Connected);
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
        // The room gives way only after a grace time, because the players need time to reconnect after a restart.
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
        if self.is_room_stored && self.ctx.event_log.shared().is_some() && !self.stop.is_cancelled()
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

/// Minimum time until the members of a room that moves to another server should return, in milliseconds; each member
/// waits up to twice as long, at random. The time is longer than a shard usually takes to move.
const MOVE_RETRY_MS: u64 = 200;

/// Reason why the task of a room has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::room) enum RoomEnd {
    /// The room has closed, another server continues it, or the server stops.
    Regular,
    /// The log contains no valid history of the room, which is not closed.
    Lost,
}

enum WakeReason {
    Stop,
    Inbox(InboxEvent),
    Deadline,
}

impl RoomTask {
    /// Runs `first` before the task handles a request. A panic in `first` is handled like a panic in a request.
    fn run_catching_panic(&mut self, first: impl FnOnce(&mut RoomTask)) {
        if catch_unwind(AssertUnwindSafe(|| first(self))).is_err() {
            self.on_panic();
        }
    }

    /// Handles events until the room closes or is lost, or the server stops.
    ///
    /// The task is boxed because a future that takes a value stores it twice. The futures of single steps are
    /// boxed, too: their memory is shared by all rooms through the allocator, stays in the cache, and does not
    /// add to the size of each room.
    pub(in crate::room) async fn run(mut self: Box<Self>, mut inbox: RoomInbox) -> RoomEnd {
        let mut stop_or_deadline = StopOrDeadline::new(&self.stop, Instant::now());
        while self.room.game().phase() != Phase::Closed && self.log_state.sync() != LogSync::Lost {
            let deadline = self.deadline();
            if let Some(deadline) = deadline {
                stop_or_deadline.set_deadline_if_earlier(deadline);
            }
            let wake_reason = poll_fn(|context| {
                if stop_or_deadline.poll_stop(context).is_ready() {
                    return Poll::Ready(WakeReason::Stop);
                }
                match inbox.poll_next(context) {
                    Poll::Ready(event) => Poll::Ready(WakeReason::Inbox(event)),
                    Poll::Pending if stop_or_deadline.take_fired() && deadline.is_some() => {
                        Poll::Ready(WakeReason::Deadline)
                    }
                    Poll::Pending => Poll::Pending,
                }
            });
            let handling = match wake_reason.await {
                WakeReason::Stop => {
                    Box::pin(self.drain_and_close(inbox)).await;
                    return RoomEnd::Regular;
                }
                WakeReason::Inbox(event) => Box::pin(self.handle_event(Some(event))),
                WakeReason::Deadline => Box::pin(self.handle_event(None)),
            };
            handling.await;
        }
        let is_lost = self.log_state.sync() == LogSync::Lost;
        let code = if is_lost {
            self.ctx.ended_room_code()
        } else {
            RejectCode::UnknownRoom
        };
        // Every request is answered, and every member learns that it is in no room.
        for request in inbox.close(code) {
            self.reject_request(request, code);
        }
        match self.log_state.take_unconfirmed() {
            None => {}
            // `unavailable` would promise that nothing changed, but the seat may be taken.
            Some(UnconfirmedRequest::Join(joiner, _)) if is_lost => {
                joiner.send_queue.close_with(CloseCode::Internal);
            }
            Some(UnconfirmedRequest::Join(joiner, _)) => {
                self.reject_joiner(&joiner, RejectCode::UnknownRoom.into());
            }
            Some(UnconfirmedRequest::Command(member, by)) => {
                self.reject_member(member, by.id, RejectCode::NotInRoom);
            }
        }
        if is_lost {
            self.members.close_all(CloseCode::Internal);
            return RoomEnd::Lost;
        }
        // Members with gaps have not received the event that closed the room.
        for member in self.members.members_with_gaps() {
            if let Some(member) = self.members.get(member) {
                member
                    .send_queue()
                    .send_reply(self.snapshot_message(None, member.role()));
            }
        }
        self.members.remove_all();
        if let Some(closing) = self.room.game().close_reason() {
            debug!(room = %self.secrets.room, ?closing, "room closed");
            Box::pin(self.delete_from_log()).await;
        }
        RoomEnd::Regular
    }

    async fn delete_from_log(&self) {
        let delete = self.ctx.event_log.delete(self.secrets.room);
        if let Err(error) = with_timeout(self.ctx.limits.append_timeout, delete).await {
            // The next start deletes closed rooms.
            warn!(room = %self.secrets.room, %error, "cannot delete closed room from log");
        }
    }

    /// Handles one event, or a deadline if there is none. A panic does not affect other rooms, and this room survives:
    /// it is rebuilt from the log.
    fn handle_event(&mut self, event: Option<InboxEvent>) -> impl Future<Output = ()> {
        let (request, sweep) = match event {
            Some(InboxEvent::Request(request)) => (Some(request), false),
            Some(InboxEvent::Sweep) => (None, true),
            None => (None, false),
        };
        self.current_joiner = request
            .as_ref()
            .and_then(RoomRequest::joiner)
            .map(|joiner| joiner.send_queue.clone());
        async move {
            // The future is not bound to a variable, because this future would then store it twice.
            let result = AssertUnwindSafe(async {
                self.process(request).await;
                if sweep {
                    self.sweep_members();
                }
                self.broadcast_spectator_count();
                self.catch_up_thinned_spectators();
            })
            .catch_unwind()
            .await;
            if result.is_err() {
                self.on_panic();
            }
            self.current_joiner = None;
            self.publish_vacancy(0);
        }
    }

    /// Completes the requests in the inbox when the server stops, even if the sender has disconnected. The remaining
    /// members belong to a room that moves to another server.
    async fn drain_and_close(mut self: Box<Self>, inbox: RoomInbox) {
        for request in inbox.close(RejectCode::Unavailable) {
            self.handle_event(Some(InboxEvent::Request(request))).await;
        }
        let rng = Arc::clone(&self.ctx.rng);
        let retry_after_ms = || MOVE_RETRY_MS + (rng.random_unit() * MOVE_RETRY_MS as f64) as u64;
        if let Some(UnconfirmedRequest::Join(joiner, _)) = self.log_state.take_unconfirmed() {
            // The client is not a member yet. The next server learns from the log whether it has the seat.
            joiner.send_queue.send_reply(Outgoing::Restart {
                retry_after_ms: retry_after_ms(),
            });
        }
        self.members.restart_all(retry_after_ms);
    }

    /// Returns the time when the task has to act without a request.
    fn deadline(&self) -> Option<Instant> {
        // A stopping server ends no game, because it disconnects the players that could act in time.
        let game_deadline = self
            .room
            .poll_timeout()
            .filter(|_| !self.ctx.draining.is_cancelled());
        let game_deadline = game_deadline.map(|at| self.clock.instant_at(at));
        let is_stopped = self.clock.stopped_since().is_some();
        let deadline = self
            .log_state
            .deadline(game_deadline, is_stopped, Instant::now);
        [
            deadline,
            self.spectator_count.send_at(),
            self.thinned_retry_at,
        ]
        .into_iter()
        .flatten()
        .min()
    }
}
