//! The task of a room: handles requests in order, stores the events that the room decides, applies them and
//! sends them to the members. It never waits for a connection.
//!
//! [`RoomTask`] consists of components that own their state and do not depend on each other: the clock and the limits
//! of the seats here, the state of the log and the last events in `log_sync`, and the members. The other modules
//! contain the operations of the task. `run` creates the task and is its loop, `membership` lets members in and out and
//! replaces an absent player, `events` stores and applies events and handles panics and failures of the log, and
//! `messages` builds the messages.
//!
//! # Time
//!
//! [`RoomClock`] owns the time of the room. This time never goes back to before the last event of the room, and stands
//! still while no event can be stored. Requests are timed by their arrival. Neither the time spent on storing events
//! nor the wait until events can be stored is charged to a clock of the game. [`RoomClock`] does not change the game:
//! the caller credits the excluded time. No event records a credit; the next event contains the time left, so that a
//! replay yields the same clocks.
//!
//! # Limits of the seats
//!
//! Each seat has rate limits of takeovers by newer connections, remarks of the player's engine, offers and phrases.

mod events;
mod log_sync;
mod membership;
mod messages;
mod run;
#[cfg(test)]
mod tests;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use noughts_protocol::rate_limit::Gcra;
use noughts_protocol::wire::{CloseCode, Message, Reject, RejectCode, RoomCommand};
use noughts_protocol::{Event, EventRecord, Offer, Phase, RequestId, RequestRef, Seat, Seq};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::config::ServerLimits;
use crate::limits::meters::{
    ArchiveBudget, ArchiveContributor, ByteBudgets, RateLimit, RateLimitDecision,
};
use crate::room::handle::{MemberQueue, RoomHandle, RoomRequest};
use crate::room::members::{ConnectionId, Members, Role, SpectatorCountThrottle};
use crate::room::registry::Registry;
use crate::room::{Decision, Room};
use crate::runtime::clock::ServerClock;
use crate::runtime::fault_injection::{InjectedFault, InjectedFaults};
use crate::runtime::ignore;
use crate::runtime::metrics::{Metrics, Population};
use crate::runtime::rng::ServerRng;
use crate::send_queue::Outgoing;
use crate::store::{EventLog, RoomSecrets};
use log_sync::{EventTail, LogState, LogSync, UnconfirmedRequest};

pub(crate) use messages::{confirm_in_log, reject_entry};
pub(crate) use run::{InitialState, restore, run_new};

struct RoomTask {
    secrets: RoomSecrets,
    room: Room,
    ctx: Arc<RoomContext>,
    members: Members,
    clock: RoomClock,
    log_state: LogState,
    tail: EventTail,
    spectator_count: SpectatorCountThrottle,
    seat_limits: SeatRateLimits,
    handle: RoomHandle,
    /// Clients that pay for the finished games of the room from their budgets.
    contributors: Box<[ArchiveContributor]>,
    /// The registry knows that the room has no members.
    is_vacancy_published: bool,
    /// Time of the next attempt to catch up thinned spectators.
    thinned_retry_at: Option<Instant>,
    /// The running game is counted.
    is_game_counted: bool,
    /// Seat of an absent player that a bot may take, because the opponent agrees.
    open_seat: Option<Seat>,
    /// Send queue of the client that requests to enter, while the task handles its request.
    current_joiner: Option<MemberQueue>,
    stop: CancellationToken,
}

impl RoomTask {
    fn new(
        secrets: RoomSecrets,
        room: Room,
        tail: EventTail,
        checkpoint_seq: Seq,
        handle: RoomHandle,
        ctx: Arc<RoomContext>,
        stop: CancellationToken,
    ) -> RoomTask {
        RoomTask {
            secrets,
            members: Members::default(),
            clock: RoomClock::new(&ctx.time, room.game().last_event_at()),
            log_state: LogState::new(checkpoint_seq),
            tail,
            spectator_count: SpectatorCountThrottle::default(),
            seat_limits: SeatRateLimits::new(&ctx.limits),
            room,
            handle,
            ctx,
            contributors: Box::default(),
            is_vacancy_published: false,
            thinned_retry_at: None,
            is_game_counted: false,
            open_seat: None,
            current_joiner: None,
            stop,
        }
    }

    fn faults(&self) -> InjectedFaults {
        self.ctx.limits.faults
    }

    /// Handles a request, or a deadline if there is none.
    async fn process(&mut self, request: Option<RoomRequest>) {
        let may_retry = self.log_state.try_end_delay(Instant::now);
        if may_retry {
            match self.log_state.sync() {
                LogSync::InSync | LogSync::Lost => {}
                LogSync::Unconfirmed => Box::pin(self.reconcile()).await,
                LogSync::NeedsReload => Box::pin(self.rebuild()).await,
            }
        }
        if self.log_state.sync() != LogSync::InSync {
            if let Some(request) = request.filter(|request| !self.try_answer_duplicate(request)) {
                self.reject_request(request, RejectCode::Unavailable);
            }
            return;
        }
        self.resume_time(
            may_retry,
            matches!(request, Some(RoomRequest::Command { .. })),
        );
        // Deadlines that passed before the request arrived are handled first, so that a move cannot come before a flag
        // that has fallen. A `flag` command decides about the flag itself.
        let now = match request {
            Some(RoomRequest::Command { at, .. }) => self.clock.judged_at(at),
            Some(_) | None => self.clock.now(),
        };
        let due = match request {
            Some(RoomRequest::Command {
                command: RoomCommand::Flag,
                ..
            }) => vec![],
            Some(_) | None if self.ctx.draining.is_cancelled() => vec![],
            Some(_) | None => self.room.decide_timeout(now),
        };
        let timeouts_handled =
            due.is_empty() || (may_retry && self.append_and_apply(now, None, due).await.is_ok());
        match request {
            None => {}
            Some(request) if !timeouts_handled && self.try_answer_duplicate(&request) => {}
            Some(request) if !timeouts_handled => {
                self.reject_request(request, RejectCode::Unavailable);
            }
            Some(request) if self.room.game().phase() == Phase::Closed => {
                self.reject_request(request, RejectCode::UnknownRoom);
            }
            Some(
                request @ (RoomRequest::Join(_)
                | RoomRequest::Watch(_)
                | RoomRequest::Resume(..)
                | RoomRequest::Sync(..)),
            ) => match Box::pin(self.confirm_state()).await {
                Ok(()) => self.dispatch(request).await,
                Err(reject) => self.reject_request(request, reject.code),
            },
            // The events of an executed command confirm the state.
            Some(request) => self.dispatch(request).await,
        }
    }

    async fn dispatch(&mut self, request: RoomRequest) {
        match request {
            RoomRequest::Command {
                member,
                at,
                id,
                command,
            } => {
                self.on_command(member, at, id, command).await;
            }
            RoomRequest::Join(joiner) => Box::pin(self.join(*joiner)).await,
            RoomRequest::Watch(joiner) => self.watch(*joiner),
            RoomRequest::Resume(joiner, token, seq) => {
                self.resume(*joiner, token, seq);
                Box::pin(self.try_persist_parties()).await;
            }
            RoomRequest::Remark(member, id, remark) => self.on_remark(member, id, *remark),
            RoomRequest::Say(member, id, phrase) => self.on_say(member, id, phrase),
            RoomRequest::Substitute(member, id, end) => self.on_substitute(member, id, end),
            RoomRequest::Sync(member, id, seq) => {
                if let Some(member) = self.members.get(member) {
                    let (role, features) = (member.role(), member.features());
                    let message = self.catch_up_message(Some(id), Some(seq), role, features);
                    member.send_queue().send_priced_reply(message);
                }
            }
            RoomRequest::Leave(member, id) => {
                self.leave(member, id);
                Box::pin(self.try_persist_parties()).await;
            }
            RoomRequest::GiveWay => Box::pin(self.give_way()).await,
            RoomRequest::Describe(reply) => {
                ignore(reply.send(self.report()), "the operator has not waited");
            }
            RoomRequest::Close(reply) => {
                let closed = Box::pin(self.close_for_operator()).await;
                ignore(reply.send(closed), "the operator has not waited");
            }
            RoomRequest::Lag(member, ms) => {
                if self.members.set_rtt(member, ms) {
                    self.broadcast_lossy(self.lag_notice());
                }
            }
        }
    }

    async fn on_command(
        &mut self,
        member: ConnectionId,
        at: u64,
        id: RequestId,
        command: RoomCommand,
    ) {
        let Some(sender) = self.members.get(member) else {
            return;
        };
        let send_queue = sender.send_queue().clone();
        let skips_turn_check = self.faults().is_on(InjectedFault::SkipTurnCheck);
        let role = if skips_turn_check {
            Role::Player(self.room.game().position().turn())
        } else {
            sender.role()
        };
        let now = self.clock.judged_at(at);
        let result = match role {
            Role::Spectator => Err(RejectCode::NotAPlayer.into()),
            Role::Player(seat) => {
                let decision = self.room.decide(now, seat, id, command);
                let allowed =
                    decision.and_then(|decision| self.limit_offers(seat, command, decision));
                let allowed = allowed.and_then(|decision| match decision {
                    // A server that stops accepts a rematch: the room continues after the restart.
                    Decision::Events(_) if is_rematch(command) && self.ctx.is_drained() => {
                        Err(RejectCode::Draining.into())
                    }
                    Decision::Events(_) | Decision::Duplicate(_) => Ok(decision),
                });
                allowed.map(|decision| (RequestRef { seat, id }, decision))
            }
        };
        let reject = match result {
            Ok((_, Decision::Duplicate(seq))) => {
                send_queue.send_reply(Outgoing::message(&Message::Done {
                    re: id,
                    seq: Some(seq),
                }));
                return;
            }
            Ok((by, Decision::Events(events))) => {
                match self.append_and_apply(now, Some(by), events).await {
                    Ok(()) => return,
                    Err(_) if self.log_state.sync() == LogSync::Unconfirmed => {
                        // `unavailable` promises that nothing changed, but the events may be stored.
                        self.log_state
                            .set_unconfirmed(UnconfirmedRequest::Command(member, by));
                        return;
                    }
                    Err(reject) => reject,
                }
            }
            // The rejection may come from an old state of the room, so the state is confirmed first.
            Err(reject) => Box::pin(self.confirm_state()).await.err().unwrap_or(reject),
        };
        self.send_reject(&send_queue, Some(id), reject);
    }
}

impl Drop for RoomTask {
    /// Stops counting the game. After a panic that ends the task, closes the connections: their requests get no
    /// response.
    fn drop(&mut self) {
        if self.is_game_counted {
            self.ctx.population.games.decrement();
        }
        if std::thread::panicking() {
            self.members.close_all(CloseCode::Internal);
        }
    }
}

impl RoomTask {
    /// Rejects an offer that follows too many others.
    fn limit_offers(
        &mut self,
        seat: Seat,
        command: RoomCommand,
        decision: Decision,
    ) -> Result<Decision, Reject> {
        if let (RoomCommand::Offer { .. }, Decision::Events(_)) = (command, &decision) {
            let charged = self.seat_limits.try_offer(seat, self.clock.server_now());
            charged.map_err(|wait_ms| Reject::new(RejectCode::RateLimited).wait_ms(wait_ms))?;
        }
        Ok(decision)
    }
}

/// Returns whether a command leads to a further game.
fn is_rematch(command: RoomCommand) -> bool {
    let offer = match command {
        RoomCommand::Offer { offer } | RoomCommand::Accept { offer } => offer,
        RoomCommand::Move { .. }
        | RoomCommand::Resign
        | RoomCommand::Decline { .. }
        | RoomCommand::Claim { .. }
        | RoomCommand::Flag
        | RoomCommand::Abort => return false,
    };
    offer == Offer::Rematch
}

/// Numbers events, beginning after `seq`. The first event answers the request `by`.
fn number_events(
    mut seq: Seq,
    at: u64,
    mut by: Option<RequestRef>,
    events: Vec<Event>,
) -> Vec<EventRecord> {
    events
        .into_iter()
        .map(|event| {
            seq = seq.next();
            EventRecord {
                seq,
                at,
                by: by.take(),
                event,
            }
        })
        .collect()
}

/// Data and limits shared by the tasks of all rooms.
#[derive(Debug)]
pub(crate) struct RoomContext {
    pub time: ServerClock,
    /// Store that makes events durable.
    pub event_log: Arc<dyn EventLog>,
    /// Budgets of the clients for finished games that are kept.
    pub archive_budget: Mutex<ArchiveBudget>,
    /// Budgets of the clients for the messages to their spectators.
    pub spectator_budgets: ByteBudgets,
    /// Counters of the server.
    pub metrics: Arc<Metrics>,
    /// Counts of connections and of running games.
    pub population: Population,
    /// Source of the tokens of substitutes.
    pub rng: Arc<ServerRng>,
    /// Index of the open rooms.
    pub registry: Arc<Registry>,
    /// Cancelled when the server begins to stop.
    pub draining: CancellationToken,
    /// The operator lets no new game start.
    pub is_drained: AtomicBool,
    pub limits: Arc<ServerLimits>,
}

impl RoomContext {
    pub(crate) fn is_drained(&self) -> bool {
        self.is_drained.load(Ordering::Relaxed)
    }

    pub(crate) fn set_drained(&self, is_drained: bool) {
        self.is_drained.store(is_drained, Ordering::Relaxed);
    }

    /// Returns whether no game may start, because the server stops or is drained.
    pub(crate) fn starts_no_game(&self) -> bool {
        self.draining.is_cancelled() || self.is_drained()
    }

    /// Returns the reject code for a room that does not run and that the log may contain. If another server can replace
    /// this server, it may restore the room. The code is then `unavailable`: `unknown_room` would make a client give up
    /// its seat.
    fn ended_room_code(&self) -> RejectCode {
        if self.event_log.shared().is_some() {
            RejectCode::Unavailable
        } else {
            RejectCode::UnknownRoom
        }
    }
}

#[derive(Debug)]
pub(super) struct RoomClock {
    /// The clock of the server. If it is behind the last event of the room, it is set forward to the time of that
    /// event.
    time: ServerClock,
    /// Earliest time of a request. No stored event is later.
    recorded_until: u64,
    /// Server time when the time of the room stopped. `None` while the time of the room runs.
    stopped_since: Option<u64>,
    /// Total time of the suspensions of the process that the members have been informed about.
    known_suspensions: Duration,
}

impl RoomClock {
    pub(super) fn new(server_clock: &ServerClock, last_event_at: u64) -> RoomClock {
        let time = server_clock.advanced_to(last_event_at);
        let known_suspensions = time.suspended_total();
        RoomClock {
            time,
            recorded_until: last_event_at,
            stopped_since: None,
            known_suspensions,
        }
    }

    /// Returns the server time, which advances while the time of the room stands still.
    fn server_now(&self) -> u64 {
        self.time.now()
    }

    /// Returns the time of the room.
    pub(super) fn now(&self) -> u64 {
        self.stopped_since
            .unwrap_or_else(|| self.time.now())
            .max(self.recorded_until)
    }

    /// Returns the time of the room that counts for a request. `at`: server time when a connection received the
    /// request.
    fn judged_at(&self, at: u64) -> u64 {
        self.stopped_since
            .unwrap_or_else(|| self.time.to_local(at))
            .max(self.recorded_until)
    }

    pub(super) fn instant_at(&self, at: u64) -> Instant {
        self.time.instant_at(at)
    }

    /// Returns the time when the time of the room stopped, if it stands still.
    fn stopped_since(&self) -> Option<u64> {
        self.stopped_since
    }

    /// Stops the time of the room at `at`, unless it stands still already.
    fn stop_at(&mut self, at: u64) {
        self.stopped_since.get_or_insert(at);
    }

    /// Lets time run again from now on, after an access to the log that began at `started_at`. Returns the
    /// milliseconds since then, which the caller credits to the game.
    fn resume(&mut self, started_at: u64) -> u64 {
        let now = self.time.now();
        self.stopped_since = None;
        self.recorded_until = self.recorded_until.max(now);
        now.saturating_sub(started_at)
    }

    /// Lets time run again without a credit: the room was rebuilt from the log, which excludes the period.
    pub(super) fn restart(&mut self) {
        self.stopped_since = None;
    }

    /// Returns whether the process was suspended since the last call. With `cached`, does not read the clock: this
    /// suffices for a request, because the clock was read when the request arrived.
    fn take_suspension(&mut self, cached: bool) -> bool {
        let total = if cached {
            self.time.suspended_total_cached()
        } else {
            self.time.suspended_total()
        };
        std::mem::replace(&mut self.known_suspensions, total) != total
    }
}

const REMARK_BURST: u32 = 10;
const REMARKS_PER_SECOND: u32 = 2;
const TAKEOVERS_PER_SECOND: u32 = 1;

/// Mean interval between the offers that a player may make, in milliseconds.
const OFFER_INTERVAL_MS: u64 = 5000;

/// Mean interval between the phrases that a player may say, in milliseconds.
const PHRASE_INTERVAL_MS: u64 = 4000;

/// Number of phrases that may follow each other without delay.
const PHRASE_BURST: u64 = 3;

/// Delay for a client that has ignored the delays in earlier rejections.
const FLOOD_DELAY_MS: u64 = 1000;

/// Rate limits of both seats. Allocated on first use, because most rooms never need them.
#[derive(Debug)]
pub(super) struct SeatRateLimits {
    takeover_burst: u32,
    offer_burst: u32,
    limits: Option<Box<Limits>>,
}

/// By seat.
#[derive(Debug)]
struct Limits {
    takeovers: [RateLimit; 2],
    remarks: [RateLimit; 2],
    /// See [`Gcra`].
    offers_full_at: [u64; 2],
    phrases_full_at: [u64; 2],
}

impl SeatRateLimits {
    pub(super) fn new(limits: &ServerLimits) -> SeatRateLimits {
        SeatRateLimits {
            takeover_burst: limits.takeovers,
            offer_burst: limits.offer_burst,
            limits: None,
        }
    }

    /// Charges an offer of the player of `seat`. Offers that are made and withdrawn without end would make the room
    /// send events to all of its spectators.
    ///
    /// # Errors
    /// The milliseconds to wait if the limit is exceeded.
    fn try_offer(&mut self, seat: Seat, now: u64) -> Result<(), u64> {
        let limit = Gcra::new(
            OFFER_INTERVAL_MS,
            OFFER_INTERVAL_MS * u64::from(self.offer_burst.max(1)),
        );
        try_charge(
            limit,
            &mut self.limits_mut(now).offers_full_at[seat.index()],
            now,
        )
    }

    /// Charges a phrase of the player in `seat`.
    ///
    /// # Errors
    /// The milliseconds to wait if the limit is exceeded.
    fn try_say(&mut self, seat: Seat, now: u64) -> Result<(), u64> {
        let limit = Gcra::new(PHRASE_INTERVAL_MS, PHRASE_INTERVAL_MS * PHRASE_BURST);
        try_charge(
            limit,
            &mut self.limits_mut(now).phrases_full_at[seat.index()],
            now,
        )
    }

    /// Allows both players the whole burst of offers again, in a new game.
    fn reset_offers(&mut self) {
        if let Some(limits) = &mut self.limits {
            limits.offers_full_at = [0; 2];
        }
    }

    /// Charges a takeover of `seat`. Two programs that take the seat from each other would otherwise keep
    /// the room busy.
    ///
    /// # Errors
    /// The milliseconds to wait if the limit is exceeded.
    pub(super) fn try_take_over(&mut self, seat: Seat, now: u64) -> Result<(), u64> {
        check(self.limits_mut(now).takeovers[seat.index()].try_take(now))
    }

    /// Charges a remark of the player in `seat`.
    ///
    /// # Errors
    /// The milliseconds to wait if the limit is exceeded.
    fn try_remark(&mut self, seat: Seat, now: u64) -> Result<(), u64> {
        check(self.limits_mut(now).remarks[seat.index()].try_take(now))
    }

    fn limits_mut(&mut self, now: u64) -> &mut Limits {
        let takeover_burst = self.takeover_burst;
        self.limits.get_or_insert_with(|| {
            Box::new(Limits {
                takeovers: [RateLimit::new(takeover_burst, TAKEOVERS_PER_SECOND, now); 2],
                remarks: [RateLimit::new(REMARK_BURST, REMARKS_PER_SECOND, now); 2],
                offers_full_at: [0; 2],
                phrases_full_at: [0; 2],
            })
        })
    }
}

fn try_charge(limit: Gcra, full_at: &mut u64, now: u64) -> Result<(), u64> {
    match limit.wait(*full_at, 1, now) {
        0 => {
            *full_at = limit.charge(*full_at, 1, now);
            Ok(())
        }
        wait_ms => Err(wait_ms),
    }
}

fn check(decision: RateLimitDecision) -> Result<(), u64> {
    match decision {
        RateLimitDecision::Allow => Ok(()),
        RateLimitDecision::Reject { wait_ms } => Err(wait_ms),
        // The rate limit of the connection closes it.
        RateLimitDecision::Flood => Err(FLOOD_DELAY_MS),
    }
}
