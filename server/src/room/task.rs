//! The actor round a room: takes requests in order, makes the decided events durable, applies them
//! and tells everyone. One task a room; it never waits for a connection.

mod clock;
mod membership;
mod messages;
mod remarks;
mod run;
mod seat_limits;
mod spawn;
mod spectator_count;
mod store;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use noughts_protocol::wire::{Message, RejectCode, RoomCommand};
use noughts_protocol::{Event, EventRecord, Phase, RequestId, RequestRef, Seat, Seq};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::handle::{JoinRequest, RoomHandle, RoomRequest};
use super::members::{MemberId, Members, Role};
use super::{Decision, Room, RoomTimeouts};
use crate::fault_injection::{InjectedFault, InjectedFaults};
use crate::metrics::Metrics;
use crate::registry::Registry;
use crate::send_queue::{Outgoing, SendQueue};
use crate::store::{EventLog, RoomSecrets};
use crate::time::heartbeat::{ExcludeGuard, Heartbeat};
use crate::time::server_clock::ServerClock;
use seat_limits::SeatRateLimits;
pub use spawn::{InitialState, restore, run_new};
use spectator_count::SpectatorCountThrottle;

/// What all rooms work with.
#[derive(Debug)]
pub struct RoomContext {
    /// The server's time.
    pub time: ServerClock,
    /// Tells the next run which time counted.
    pub heartbeat: Arc<Heartbeat>,
    /// Where events become durable.
    pub event_log: Arc<dyn EventLog>,
    /// What is counted.
    pub metrics: Arc<Metrics>,
    /// Where the room is to be found while it lives.
    pub registry: Arc<Registry>,
    /// Cancelled when the server begins to stop.
    pub draining: CancellationToken,
    /// The limits of its life.
    pub timeouts: Arc<RoomTimeouts>,
    /// For an append or a load.
    pub append_timeout: Duration,
    /// Events kept for those who resume.
    pub tail_capacity: usize,
    /// Spectators.
    pub max_spectators: usize,
    /// Takeovers of a seat at once.
    pub takeover_burst: u32,
}

/// Numbers events after `seq`. The first answers the request.
fn number_events(seq: Seq, at: u64, by: Option<RequestRef>, events: Vec<Event>) -> Vec<EventRecord> {
    let mut seq = seq;
    let mut by = by;
    events
        .into_iter()
        .map(|event| {
            seq = seq.next();
            EventRecord { seq, at, by: by.take(), event }
        })
        .collect()
}

struct RoomTask {
    secrets: RoomSecrets,
    room: Room,
    /// The last events, for those who resume.
    tail: VecDeque<EventRecord>,
    /// Events alone tell the whole story only to who knows this one: after a restart the time of the
    /// outage was credited, which is in no event.
    replayable_from: Seq,
    /// The last event that the log has in an image.
    checkpoint_seq: Seq,
    /// Whose the seats are has changed, and the log may not have it.
    parties_dirty: bool,
    members: Members,
    handle: RoomHandle,
    ctx: Arc<RoomContext>,
    /// The time, never before the room's last event.
    time: ServerClock,
    log_sync: LogSync,
    /// The time up to which the room has recorded: nothing is judged as of an earlier one.
    recorded_until: u64,
    /// Since when nothing can be recorded: no time passes until it can, nor will it have for the next run.
    append_failing_since: Option<(u64, ExcludeGuard)>,
    /// The gaps in time that the room knows of.
    known_gaps: Duration,
    /// After a failure of the log: not to be asked again by the timer before this.
    retry_at: Option<Instant>,
    /// The way to the newcomer whose request is being dealt with.
    current_joiner: Option<SendQueue>,
    /// When a bug last stopped it.
    last_panic: Option<Instant>,
    /// When to tell how many watch.
    spectator_count: SpectatorCountThrottle,
    seat_limits: Option<Box<SeatRateLimits>>,
    /// Who asked for what an append without an answer was to store: it is told once that is known.
    unconfirmed: Option<Box<UnconfirmedRequest>>,
    stop: CancellationToken,
}

/// A request of which nobody knows whether the log has its events.
#[derive(Debug)]
enum UnconfirmedRequest {
    /// A newcomer's, for this seat.
    Join(JoinRequest, Seat),
    /// A player's command.
    Command(MemberId, RequestRef),
}

/// How the room stands to its log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LogSync {
    /// It is what the log has.
    InSync,
    /// An append got no answer: the log may have more.
    Unconfirmed,
    /// A bug stopped it half-way: only the log is to be believed.
    NeedsReload,
    /// What the log has is no room's history.
    Lost,
}

/// How long the timer leaves a log alone that has just failed.
const RETRY_DELAY: Duration = Duration::from_secs(1);

impl RoomTask {
    fn new(
        secrets: RoomSecrets,
        room: Room,
        tail: VecDeque<EventRecord>,
        checkpoint_seq: Seq,
        handle: RoomHandle,
        ctx: Arc<RoomContext>,
        stop: CancellationToken,
    ) -> RoomTask {
        let members = Members::default();
        let (log_sync, replayable_from) = (LogSync::InSync, Seq::ZERO);
        let (retry_at, last_panic, unconfirmed, current_joiner) = (None, None, None, None);
        let time = ctx.time.advanced_to(room.game().last_event_at());
        let (recorded_until, known_gaps) = (room.game().last_event_at(), time.suspended_total());
        RoomTask {
            secrets: secrets,
            room,
            tail,
            replayable_from: replayable_from,
            checkpoint_seq: checkpoint_seq,
            parties_dirty: false,
            members: members,
            handle,
            ctx: ctx,
            time,
            log_sync: log_sync,
            recorded_until: recorded_until,
            append_failing_since: None,
            known_gaps: known_gaps,
            retry_at: retry_at,
            current_joiner: current_joiner,
            last_panic: last_panic,
            spectator_count: SpectatorCountThrottle::default(),
            seat_limits: None,
            unconfirmed: unconfirmed,
            stop,
        }
    }

    /// What is done wrong on purpose.
    fn faults(&self) -> InjectedFaults {
        self.ctx.timeouts.faults
    }

    async fn process(&mut self, request: Option<RoomRequest>) {
        let may_retry = self.retry_at.is_none_or(|at| at <= Instant::now());
        if may_retry {
            self.retry_at = None;
        }
        if may_retry {
            match self.log_sync {
                LogSync::InSync | LogSync::Lost => {}
                LogSync::Unconfirmed => Box::pin(self.reconcile()).await,
                LogSync::NeedsReload => Box::pin(self.rebuild()).await,
            }
        }
        if self.log_sync != LogSync::InSync {
            if let Some(request) = request.filter(|request| !self.try_answer_duplicate(request)) {
                self.reject_request(request, RejectCode::Unavailable);
            }
            return;
        }
        self.resume_if_possible(may_retry, matches!(request, Some(RoomRequest::Command { .. })));
        // First what was due before this was asked: a flag that has fallen is not outrun. Unless it is
        // being pointed out, which then is what made it fall.
        let now = match request {
            Some(RoomRequest::Command { at, .. }) => self.judged_at(at),
            Some(_) | None => self.now(),
        };
        let due = match request {
            Some(RoomRequest::Command { command: RoomCommand::Flag, .. }) => vec![],
            Some(_) | None if self.ctx.draining.is_cancelled() => vec![],
            Some(_) | None => self.room.decide_timeout(now),
        };
        let timeouts_handled =
            due.is_empty() || (may_retry && self.append_and_apply(now, None, due).await.is_ok());
        match request {
            None => {}
            Some(request) if !timeouts_handled => self.reject_request(request, RejectCode::Unavailable),
            Some(request) if self.room.game().phase() == Phase::Closed => {
                self.reject_request(request, RejectCode::UnknownRoom);
            }
            Some(request) => self.dispatch(request).await,
        }
    }

    /// One arm a kind of question.
    async fn dispatch(&mut self, request: RoomRequest) {
        match request {
            RoomRequest::Command { member, at, id, command } => {
                self.on_command(member, at, id, command).await
            }
            RoomRequest::Join(joiner) => Box::pin(self.join(*joiner)).await,
            RoomRequest::Watch(joiner) => self.watch(*joiner),
            RoomRequest::Resume(joiner, token, seq) => {
                self.resume(*joiner, token, seq);
                Box::pin(self.try_persist_parties()).await;
            }
            RoomRequest::Remark(member, id, remark) => self.on_remark(member, id, *remark),
            RoomRequest::Sync(member, id, seq) => {
                if let Some(member) = self.members.get(member) {
                    member.send_queue.send_reply(self.catch_up_message(Some(id), Some(seq), member.role));
                }
            }
            RoomRequest::Leave(member, id) => {
                self.leave(member, id);
                Box::pin(self.try_persist_parties()).await;
            }
            RoomRequest::Lag(member, ms) => {
                if let Some(member) = self.members.get_mut(member) {
                    let changed = member.lag.replace(ms) != Some(ms);
                    if changed && member.role != Role::Spectator {
                        self.broadcast_lossy(self.lag_notice());
                    }
                }
            }
        }
    }

    async fn on_command(&mut self, member: MemberId, at: u64, id: RequestId, command: RoomCommand) {
        let Some(sender) = self.members.get(member) else { return };
        let send_queue = sender.send_queue.clone();
        let trusted = self.faults().has(InjectedFault::SkipTurnCheck);
        let role = if trusted { Role::Player(self.room.game().position().turn()) } else { sender.role };
        let now = self.judged_at(at);
        let result = match role {
            Role::Spectator => Err(RejectCode::NotAPlayer.into()),
            Role::Player(seat) => {
                self.room.decide(now, seat, id, command).map(|decision| (RequestRef { seat, id }, decision))
            }
        };
        let reject = match result {
            Ok((_, Decision::Duplicate(seq))) => {
                send_queue.send_reply(Outgoing::message(&Message::Done { re: id, seq: Some(seq) }));
                return;
            }
            Ok((by, Decision::Events(events))) => match self.append_and_apply(now, Some(by), events).await {
                Ok(()) => return,
                Err(_) if self.log_sync == LogSync::Unconfirmed => {
                    // It may have been done: `unavailable`, with nothing changed, might be a lie.
                    self.unconfirmed = Some(Box::new(UnconfirmedRequest::Command(member, by)));
                    return;
                }
                Err(reject) => reject,
            },
            Err(reject) => reject,
        };
        self.send_reject(&send_queue, Some(id), reject);
    }
}
