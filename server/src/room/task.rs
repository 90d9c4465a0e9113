//! The task of a room: handles requests in order, stores the events that the room decides, applies them and
//! sends them to the members. It never waits for a connection.
//!
//! [`RoomTask`] is made of components that own their state and know nothing of each other: `clock`, `store`,
//! `tail`, `spectator_count` and `seat_limits` here, and the members. The other modules contain the operations
//! of the task: `run` is its loop, `spawn` creates it, `membership` lets members in and out, `substitution` replaces an
//! absent player, `events` stores and applies events, `thinned_spectators` catches up spectators whose budget was
//! exhausted, `recovery` deals with failures of the log and with panics, and `messages` builds messages.

mod clock;
mod events;
mod membership;
mod messages;
mod recovery;
mod run;
mod seat_limits;
mod spawn;
mod spectator_count;
mod store;
mod substitution;
mod tail;
#[cfg(test)]
mod tests;
mod thinned_spectators;

use std::sync::Arc;

use noughts_protocol::wire::{CloseCode, Message, Reject, RejectCode, RoomCommand};
use noughts_protocol::{Event, EventRecord, Phase, RequestId, RequestRef, Seat, Seq};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::context::RoomContext;
use super::handle::{MemberQueue, RoomHandle, RoomRequest};
use super::members::{MemberId, Members, Role};
use super::{Decision, Room};
use crate::limits::archive_budget::ArchiveContributor;
use crate::runtime::fault_injection::{InjectedFault, InjectedFaults};
use crate::send_queue::Outgoing;
use crate::store::RoomSecrets;
use clock::RoomClock;
pub(crate) use messages::{confirm_in_log, reject_entry};
use seat_limits::SeatRateLimits;
pub(crate) use spawn::{InitialState, restore, run_new};
use spectator_count::SpectatorCountThrottle;
use store::{LogSync, RoomStore, UnconfirmedRequest};
use tail::EventTail;

struct RoomTask {
    secrets: RoomSecrets,
    room: Room,
    ctx: Arc<RoomContext>,
    members: Members,
    clock: RoomClock,
    store: RoomStore,
    tail: EventTail,
    spectator_count: SpectatorCountThrottle,
    seat_limits: SeatRateLimits,
    handle: RoomHandle,
    /// Clients to whose budgets the finished games of the room are charged.
    contributors: Box<[ArchiveContributor]>,
    /// The registry knows that the room has no members.
    is_vacancy_published: bool,
    /// Time of the next attempt to catch up thinned spectators.
    thinned_retry_at: Option<Instant>,
    /// The running game is counted.
    is_game_counted: bool,
    /// Seat of an absent player that a bot may take, because the opponent agrees.
    open_seat: Option<Seat>,
    /// Send queue of the client whose request to enter is being handled.
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
            store: RoomStore::new(checkpoint_seq),
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
        let may_retry = self.store.try_end_delay(Instant::now);
        if may_retry {
            match self.store.sync() {
                LogSync::InSync | LogSync::Lost => {}
                LogSync::Unconfirmed => Box::pin(self.reconcile()).await,
                LogSync::NeedsReload => Box::pin(self.rebuild()).await,
            }
        }
        if self.store.sync() != LogSync::InSync {
            if let Some(request) = request.filter(|request| !self.try_answer_duplicate(request)) {
                self.reject_request(request, RejectCode::Unavailable);
            }
            return;
        }
        self.resume_time(
            may_retry,
            matches!(request, Some(RoomRequest::Command { .. })),
        );
        // Deadlines that passed before the request arrived come first: a move cannot outrun a fallen flag. A
        // flag command itself decides on the flag.
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
            // A command that is executed is confirmed by its own events.
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
            RoomRequest::Lag(member, ms) => {
                if self.members.set_rtt(member, ms) {
                    self.broadcast_lossy(self.lag_notice());
                }
            }
        }
    }

    async fn on_command(&mut self, member: MemberId, at: u64, id: RequestId, command: RoomCommand) {
        let Some(sender) = self.members.get(member) else {
            return;
        };
        let send_queue = sender.send_queue().clone();
        let trusted = self.faults().is_on(InjectedFault::SkipTurnCheck);
        let role = if trusted {
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
                    Err(_) if self.store.sync() == LogSync::Unconfirmed => {
                        // `unavailable` promises that nothing changed, but the events may be stored.
                        self.store
                            .set_unconfirmed(UnconfirmedRequest::Command(member, by));
                        return;
                    }
                    Err(reject) => reject,
                }
            }
            // The decision may be due to an old state of the room.
            Err(reject) => Box::pin(self.confirm_state()).await.err().unwrap_or(reject),
        };
        self.send_reject(&send_queue, Some(id), reject);
    }
}

impl Drop for RoomTask {
    /// Stops counting the game. After a panic that ends the task, closes the connections: their requests get no response.
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

/// Numbers events from the one after `seq`. The first answers the request `by`.
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
                request: by.take(),
                event,
            }
        })
        .collect()
}
