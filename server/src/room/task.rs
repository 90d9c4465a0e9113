//! The actor round a room: takes requests in order, makes the decided events durable, applies them
//! and tells everyone. One task a room; it never waits for a connection.

mod crowd;
mod durable;
mod entrance;
mod life;
mod limits;
mod opening;
mod pace;
mod remarks;
mod telling;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use noughts_protocol::wire::{Command, Message, RejectCode};
use noughts_protocol::{By, Event, Phase, RequestId, Seat, Seq, Stamped};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::audience::{Audience, MemberId, Role};
use super::handle::{Ask, Newcomer, RoomHandle};
use super::{Decision, Patience, Room};
use crate::fault::{Fault, Faults};
use crate::log::{EventLog, Founding};
use crate::metrics::Metrics;
use crate::outbox::{Out, Outbox};
use crate::pulse::{Pause, Pulse};
use crate::registry::Registry;
use crate::time::Time;
use crowd::Crowd;
use limits::Limits;
pub use opening::{Beginning, revive, run};

/// What all rooms work with.
#[derive(Debug)]
pub struct Surroundings {
    /// The server's time.
    pub time: Time,
    /// Tells the next run which time counted.
    pub pulse: Arc<Pulse>,
    /// Where events become durable.
    pub log: Arc<dyn EventLog>,
    /// What is counted.
    pub metrics: Arc<Metrics>,
    /// Where the room is to be found while it lives.
    pub registry: Arc<Registry>,
    /// Cancelled when the server begins to stop.
    pub draining: CancellationToken,
    /// The limits of its life.
    pub patience: Arc<Patience>,
    /// For an append or a load.
    pub append: Duration,
    /// Events kept for those who resume.
    pub tail: usize,
    /// Spectators.
    pub max_watching: usize,
    /// Takeovers of a seat at once.
    pub takeovers: u32,
}

/// Numbers events after `seq`. The first answers the request.
fn stamp(seq: Seq, at: u64, by: Option<By>, events: Vec<Event>) -> Vec<Stamped> {
    let mut seq = seq;
    let mut by = by;
    events
        .into_iter()
        .map(|event| {
            seq = seq.next();
            Stamped { seq, at, by: by.take(), event }
        })
        .collect()
}

struct RoomTask {
    founding: Founding,
    room: Room,
    /// The last events, for those who resume.
    tail: VecDeque<Stamped>,
    /// Events alone tell the whole story only to who knows this one: after a restart the time of the
    /// outage was credited, which is in no event.
    told_from: Seq,
    /// The last event that the log has in an image.
    imaged: Seq,
    /// Whose the seats are has changed, and the log may not have it.
    unstored: bool,
    audience: Audience,
    handle: RoomHandle,
    around: Arc<Surroundings>,
    /// The time, never before the room's last event.
    time: Time,
    truth: Truth,
    /// The time up to which the room has recorded: nothing is judged as of an earlier one.
    recorded: u64,
    /// Since when nothing can be recorded: no time passes until it can, nor will it have for the next run.
    unrecorded: Option<(u64, Pause)>,
    /// The gaps in time that the room knows of.
    lost: Duration,
    /// After a failure of the log: not to be asked again by the timer before this.
    retry: Option<Instant>,
    /// The way to the newcomer whose request is being dealt with.
    in_hand: Option<Outbox>,
    /// When a bug last stopped it.
    broke_at: Option<Instant>,
    /// When to tell how many watch.
    crowd: Crowd,
    limits: Option<Box<Limits>>,
    /// Who asked for what an append without an answer was to store: it is told once that is known.
    in_doubt: Option<Box<Doubt>>,
    stop: CancellationToken,
}

/// A request of which nobody knows whether the log has its events.
#[derive(Debug)]
enum Doubt {
    /// A newcomer's, for this seat.
    Seat(Newcomer, Seat),
    /// A player's command.
    Command(MemberId, By),
}

/// How the room stands to its log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Truth {
    /// It is what the log has.
    Known,
    /// An append got no answer: the log may have more.
    Behind,
    /// A bug stopped it half-way: only the log is to be believed.
    Broken,
    /// What the log has is no room's history.
    Lost,
}

/// How long the timer leaves a log alone that has just failed.
const RETRY: Duration = Duration::from_secs(1);

impl RoomTask {
    fn new(
        founding: Founding,
        room: Room,
        tail: VecDeque<Stamped>,
        imaged: Seq,
        handle: RoomHandle,
        around: Arc<Surroundings>,
        stop: CancellationToken,
    ) -> RoomTask {
        let audience = Audience::default();
        let (truth, told_from) = (Truth::Known, Seq::ZERO);
        let (retry, broke_at, in_doubt, in_hand) = (None, None, None, None);
        let time = around.time.not_before(room.game().at());
        let (recorded, lost) = (room.game().at(), time.lost());
        RoomTask {
            founding,
            room,
            tail,
            told_from,
            imaged,
            unstored: false,
            audience,
            handle,
            around,
            time,
            truth,
            recorded,
            unrecorded: None,
            lost,
            retry,
            in_hand,
            broke_at,
            crowd: Crowd::default(),
            limits: None,
            in_doubt,
            stop,
        }
    }

    /// What is done wrong on purpose.
    fn faults(&self) -> Faults {
        self.around.patience.faults
    }

    async fn step(&mut self, ask: Option<Ask>) {
        let rested = self.retry.is_none_or(|retry| retry <= Instant::now());
        if rested {
            self.retry = None;
        }
        if rested {
            match self.truth {
                Truth::Known | Truth::Lost => {}
                Truth::Behind => Box::pin(self.catch_up()).await,
                Truth::Broken => Box::pin(self.rebuild()).await,
            }
        }
        if self.truth != Truth::Known {
            if let Some(ask) = ask.filter(|ask| !self.is_known(ask)) {
                self.refuse_all(ask, RejectCode::Unavailable);
            }
            return;
        }
        self.look_at_time(rested, matches!(ask, Some(Ask::Command { .. })));
        // First what was due before this was asked: a flag that has fallen is not outrun. Unless it is
        // being pointed out, which then is what made it fall.
        let now = match ask {
            Some(Ask::Command { at, .. }) => self.judged(at),
            Some(_) | None => self.now(),
        };
        let due = match ask {
            Some(Ask::Command { command: Command::Flag, .. }) => vec![],
            Some(_) | None if self.around.draining.is_cancelled() => vec![],
            Some(_) | None => self.room.decide_timeout(now),
        };
        let dealt_with = due.is_empty() || (rested && self.record(now, None, due).await.is_ok());
        match ask {
            None => {}
            Some(ask) if !dealt_with => self.refuse_all(ask, RejectCode::Unavailable),
            Some(ask) if self.room.game().phase() == Phase::Closed => {
                self.refuse_all(ask, RejectCode::UnknownRoom);
            }
            Some(ask) => self.answer(ask).await,
        }
    }

    /// One arm a kind of question.
    async fn answer(&mut self, ask: Ask) {
        match ask {
            Ask::Command { member, at, id, command } => self.command(member, at, id, command).await,
            Ask::Join(newcomer) => Box::pin(self.join(*newcomer)).await,
            Ask::Watch(newcomer) => self.watch(*newcomer),
            Ask::Resume(newcomer, token, seq) => {
                self.resume(*newcomer, token, seq);
                Box::pin(self.note_parties()).await;
            }
            Ask::Remark(member, id, remark) => self.remark(member, id, *remark),
            Ask::Sync(member, id, seq) => {
                if let Some(member) = self.audience.get(member) {
                    member.outbox.answer(self.catch_up_message(Some(id), Some(seq), member.role));
                }
            }
            Ask::Leave(member, id) => {
                self.leave(member, id);
                Box::pin(self.note_parties()).await;
            }
            Ask::Lag(member, ms) => {
                if let Some(member) = self.audience.get_mut(member) {
                    let news = member.lag.replace(ms) != Some(ms);
                    if news && member.role != Role::Spectator {
                        self.mention(self.lag());
                    }
                }
            }
        }
    }

    async fn command(&mut self, member: MemberId, at: u64, id: RequestId, command: Command) {
        let Some(asker) = self.audience.get(member) else { return };
        let outbox = asker.outbox.clone();
        let trusted = self.faults().has(Fault::TrustTheMover);
        let role = if trusted { Role::Player(self.room.game().position().turn()) } else { asker.role };
        let now = self.judged(at);
        let decided = match role {
            Role::Spectator => Err(RejectCode::NotAPlayer.into()),
            Role::Player(seat) => {
                self.room.decide(now, seat, id, command).map(|decision| (By { seat, id }, decision))
            }
        };
        let reject = match decided {
            Ok((_, Decision::Already(seq))) => {
                outbox.answer(Out::message(&Message::Done { re: id, seq: Some(seq) }));
                return;
            }
            Ok((by, Decision::Events(events))) => match self.record(now, Some(by), events).await {
                Ok(()) => return,
                Err(_) if self.truth == Truth::Behind => {
                    // It may have been done: `unavailable`, with nothing changed, might be a lie.
                    self.in_doubt = Some(Box::new(Doubt::Command(member, by)));
                    return;
                }
                Err(reject) => reject,
            },
            Err(reject) => reject,
        };
        self.refuse(&outbox, Some(id), reject);
    }
}
