//! The actor round a room: takes requests in order, makes the decided events durable, applies them
//! and tells everyone. One task a room; it never waits for a connection.

use std::collections::VecDeque;
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures::FutureExt;
use noughts_protocol::wire::{
    CloseCode, Command, Listing, MAX_MESSAGE_BYTES, Message, Notice, Reject, RejectCode, You,
};
use noughts_protocol::{By, Event, Phase, Player, RequestId, ResumeToken, RoomId, Seat, Seq, Stamped};
use subtle::ConstantTimeEq;
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until, timeout};
use tokio_util::sync::CancellationToken;
use tracing::{debug, error, info, warn};

use super::audience::{Audience, MemberId, Role};
use super::{Attendance, Decision, Patience, Room};
use crate::log::{EventLog, Finished, Founding, LogError, Stored};
use crate::metrics::Metrics;
use crate::outbox::{Out, Outbox};
use crate::registry::Registry;
use crate::time::Time;

/// A party that wants to be in a room.
#[derive(Debug)]
pub struct Newcomer {
    /// Its connection.
    pub member: MemberId,
    /// The way to it.
    pub outbox: Outbox,
    /// Who it is.
    pub player: Player,
    /// The request that brought it here.
    pub asked: RequestId,
    /// Whether that has been answered, as a seek is when it begins to wait.
    pub answered: bool,
}

impl Newcomer {
    /// The request that the first view of the room answers.
    fn re(&self) -> Option<RequestId> {
        (!self.answered).then_some(self.asked)
    }
}

/// What a room is asked. Newcomers are boxed: an inbox holds its places ready, and a room has many.
#[derive(Debug)]
pub enum Ask {
    /// By a player, to do something.
    Command(MemberId, RequestId, Command),
    /// By a newcomer, for the free seat.
    Join(Box<Newcomer>),
    /// By a newcomer, for a place in the audience.
    Watch(Box<Newcomer>),
    /// By a player that was here before.
    Resume(Box<Newcomer>, ResumeToken, Option<Seq>),
    /// By a member that misses events.
    Sync(MemberId, RequestId, Seq),
    /// By a member whose outbox was full and is empty again.
    Refresh(MemberId),
    /// By a member that wants to go.
    Leave(MemberId, RequestId),
    /// A connection has ended.
    Gone(MemberId),
    /// A connection measured its round trip, in milliseconds.
    Lag(MemberId, u32),
}

/// The way to a room, and its public face for the list.
#[derive(Clone, Debug)]
pub struct RoomHandle {
    id: RoomId,
    inbox: mpsc::Sender<Ask>,
    listing: Arc<Mutex<Option<Listing>>>,
}

impl RoomHandle {
    /// The room's id.
    pub fn id(&self) -> RoomId {
        self.id
    }

    /// Asks without waiting.
    ///
    /// # Errors
    /// `busy` when the inbox is full, `unknown_room` when the room is no more.
    pub fn ask(&self, ask: Ask) -> Result<(), RejectCode> {
        self.inbox.try_send(ask).map_err(|error| match error {
            mpsc::error::TrySendError::Full(_) => RejectCode::Busy,
            mpsc::error::TrySendError::Closed(_) => RejectCode::UnknownRoom,
        })
    }

    /// Asks for the whole view, waiting for a place in the inbox: it must not be lost.
    pub async fn refresh(&self, member: MemberId) {
        if self.inbox.send(Ask::Refresh(member)).await.is_err() {
            debug!(room = %self.id, "the room was gone first");
        }
    }

    /// Tells the room that a connection has ended, waiting for a place in its inbox. A room that is
    /// no more has no need to know.
    pub async fn gone(&self, member: MemberId) {
        if self.inbox.send(Ask::Gone(member)).await.is_err() {
            debug!(room = %self.id, "the room was gone first");
        }
    }

    /// What the list shows of it; nothing for a private or not yet founded room.
    pub fn listing(&self) -> Option<Listing> {
        self.listing.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// What a room's task works with besides the room.
#[derive(Clone, Debug)]
pub struct Surroundings {
    /// The time.
    pub time: Time,
    /// Where events become durable.
    pub log: Arc<dyn EventLog>,
    /// What is counted.
    pub metrics: Arc<Metrics>,
    /// Where the room is to be found while it lives.
    pub registry: Arc<Registry>,
    /// The limits of its life.
    pub patience: Patience,
    /// For an append or a load.
    pub append: Duration,
    /// Events kept for those who resume.
    pub tail: usize,
    /// Spectators.
    pub max_watching: usize,
}

/// How a new room begins: its first event, and who is in it from the start.
#[derive(Debug)]
pub struct Beginning {
    /// The first event.
    pub opened: Event,
    /// Who takes which seat.
    pub seated: Vec<(Newcomer, Seat)>,
}

/// A room's inbox, to be given to its task.
#[derive(Debug)]
pub struct Inbox(mpsc::Receiver<Ask>);

/// A handle for a room that is about to be, and the inbox behind it.
pub fn handle(id: RoomId, limit: usize) -> (RoomHandle, Inbox) {
    let (inbox, receiver) = mpsc::channel(limit.max(1));
    (RoomHandle { id, inbox, listing: Arc::default() }, Inbox(receiver))
}

/// Founds a room and runs it until it closes or the server stops. The caller spawns this.
pub async fn run(
    founding: Founding,
    beginning: Beginning,
    handle: RoomHandle,
    inbox: Inbox,
    around: Surroundings,
    stop: CancellationToken,
) {
    // On any way out of here the room is no longer to be found.
    let _listed = Listed { registry: Arc::clone(&around.registry), room: founding.room, code: founding.code };
    let events = first_events(beginning.opened, &beginning.seated, around.time.now());
    let (room, tail) = match found(founding, events, &around).await {
        Ok(founded) => founded,
        Err(failed) => {
            warn!(room = %founding.room, error = %failed, "a room could not be founded");
            for (newcomer, _) in beginning.seated {
                let reject = Reject::new(RejectCode::Unavailable);
                newcomer.outbox.answer(Out::Idle);
                newcomer.outbox.answer(Out::message(&Message::Reject { re: Some(newcomer.asked), reject }));
            }
            return;
        }
    };
    info!(room = %founding.room, rules = %room.game().rules(), public = room.game().is_public(), "room opened");
    let mut task = RoomTask::new(founding, room, tail, Seq::ZERO, handle, around, stop);
    for (_, seat) in &beginning.seated {
        task.room.attend(*seat, Attendance::Here);
    }
    for (newcomer, seat) in beginning.seated {
        task.admit(newcomer, Role::Player(seat));
    }
    task.live(inbox.0).await;
}

/// Takes up a room that was open when the server stopped, and runs it like any other.
pub async fn revive(
    founding: Founding,
    room: Room,
    stored: Stored,
    handle: RoomHandle,
    inbox: Inbox,
    around: Surroundings,
    stop: CancellationToken,
) {
    let _listed = Listed { registry: Arc::clone(&around.registry), room: founding.room, code: founding.code };
    debug!(room = %founding.room, seq = %room.game().seq(), "room taken up again");
    let imaged = stored.image.map_or(Seq::ZERO, |image| image.seq);
    let mut task = RoomTask::new(founding, room, stored.events.into(), imaged, handle, around, stop);
    // The server may have stopped between the end of a game and the keeping of it.
    task.told_from = task.after_outage();
    let ended = task.room.game().phase() == Phase::Over;
    task.keep_what_is_due(ended).await;
    task.publish();
    task.live(inbox.0).await;
}

/// Takes the room off the registry when its task ends, however it ends.
struct Listed {
    registry: Arc<Registry>,
    room: RoomId,
    code: Option<noughts_protocol::Code>,
}

impl Drop for Listed {
    fn drop(&mut self) {
        self.registry.remove(self.room, self.code);
    }
}

fn first_events(opened: Event, seated: &[(Newcomer, Seat)], at: u64) -> Vec<Stamped> {
    let mut events = vec![opened];
    for (newcomer, seat) in seated {
        events.push(Event::Seated { seat: *seat, player: newcomer.player.clone() });
    }
    if seated.len() == Seat::ALL.len() {
        events.push(Event::Started { game: 1 });
    }
    stamp(Seq::ZERO, at, None, events)
}

async fn found(
    founding: Founding,
    events: Vec<Stamped>,
    around: &Surroundings,
) -> Result<(Room, VecDeque<Stamped>), LogError> {
    let create = around.log.create(founding, events.clone());
    timeout(around.append, create).await.unwrap_or(Err(LogError::Unknown))?;
    let mut room = Room::open(&events[0], around.patience).expect("the first event opens the room");
    for stamped in &events[1..] {
        room.apply(stamped);
    }
    around.metrics.events.add(events.len() as u64);
    Ok((room, events.into()))
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
    audience: Audience,
    handle: RoomHandle,
    around: Surroundings,
    /// An append got no answer: the log may have more than the room has.
    unsure: bool,
    /// After a failure of the log: not to be asked again by the timer before this.
    retry: Option<Instant>,
    stop: CancellationToken,
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
        around: Surroundings,
        stop: CancellationToken,
    ) -> RoomTask {
        let audience = Audience::default();
        let (unsure, retry, told_from) = (false, None, Seq::ZERO);
        RoomTask { founding, room, tail, told_from, imaged, audience, handle, around, unsure, retry, stop }
    }

    /// From where on events tell the whole story, just after a replay.
    fn after_outage(&self) -> Seq {
        let game = self.room.game();
        if game.clock().is_some_and(|clock| clock.running().is_some()) {
            game.seq().next()
        } else {
            Seq::ZERO
        }
    }

    async fn live(mut self, mut inbox: mpsc::Receiver<Ask>) {
        let sleep = sleep_until(Instant::now());
        let stop = self.stop.clone().cancelled_owned();
        tokio::pin!(sleep, stop);
        while self.room.game().phase() != Phase::Closed {
            let deadline = self.deadline();
            // Most deadlines move away with every event: a timer that fires early costs one look,
            // re-arming it for every move would cost more.
            if let Some(deadline) = deadline
                && (sleep.is_elapsed() || deadline < sleep.deadline())
            {
                sleep.as_mut().reset(deadline);
            }
            let ask = tokio::select! {
                biased;
                () = &mut stop => return,
                ask = inbox.recv() => ask,
                () = &mut sleep, if deadline.is_some() && !sleep.is_elapsed() => None,
            };
            // A bug in one room must not take the others along, nor this one for good.
            let step = AssertUnwindSafe(self.step(ask)).catch_unwind();
            if step.await.is_err() && !self.rebuild().await {
                return;
            }
        }
        inbox.close();
        while let Ok(ask) = inbox.try_recv() {
            self.refuse_all(ask, RejectCode::UnknownRoom);
        }
        if let Err(failed) = self.around.log.retire(self.founding.room).await {
            warn!(room = %self.founding.room, error = %failed, "a closed room stays in the log");
        }
        self.audience.dismiss();
        info!(room = %self.founding.room, closing = ?self.room.game().closing(), "room closed");
    }

    /// When to wake without being asked.
    fn deadline(&self) -> Option<Instant> {
        let due = self.room.poll_timeout().map(|at| self.around.time.instant(at));
        match self.retry {
            Some(retry) if self.unsure => Some(retry),
            Some(retry) => due.map(|due| due.max(retry)),
            None => due,
        }
    }

    async fn step(&mut self, ask: Option<Ask>) {
        let rested = self.retry.is_none_or(|retry| retry <= Instant::now());
        if rested {
            self.retry = None;
        }
        if self.unsure && !(rested && self.catch_up().await) {
            if let Some(ask) = ask {
                self.refuse_all(ask, RejectCode::Unavailable);
            }
            return;
        }
        // First what was due before this was asked: a flag that has fallen is not outrun. Unless it is
        // being pointed out, which then is what made it fall.
        let due = match ask {
            Some(Ask::Command(_, _, Command::Flag)) => vec![],
            Some(_) | None => self.room.decide_timeout(self.around.time.now()),
        };
        let dealt_with = due.is_empty() || (rested && self.record(None, due).await.is_ok());
        match ask {
            Some(ask) if !dealt_with || self.room.game().phase() == Phase::Closed => {
                self.refuse_all(ask, RejectCode::Unavailable);
            }
            Some(ask) => self.answer(ask).await,
            None => {}
        }
    }

    /// One arm a kind of question.
    async fn answer(&mut self, ask: Ask) {
        match ask {
            Ask::Command(member, id, command) => self.command(member, id, command).await,
            Ask::Join(newcomer) => self.join(*newcomer).await,
            Ask::Watch(newcomer) => self.watch(*newcomer),
            Ask::Resume(newcomer, token, seq) => self.resume(*newcomer, token, seq),
            Ask::Sync(member, id, seq) => {
                if let Some(member) = self.audience.get(member) {
                    member.outbox.answer(self.catch_up_message(Some(id), Some(seq), member.role));
                }
            }
            Ask::Refresh(member) => {
                if let Some(member) = self.audience.get(member) {
                    member.outbox.answer(self.snapshot(None, member.role));
                }
            }
            Ask::Leave(member, id) => self.leave(member, id),
            Ask::Gone(member) => self.gone(member),
            Ask::Lag(member, ms) => {
                if let Some(member) = self.audience.get_mut(member) {
                    member.lag = Some(ms);
                    if member.role != Role::Spectator {
                        self.mention(self.lag());
                    }
                }
            }
        }
    }

    async fn command(&mut self, member: MemberId, id: RequestId, command: Command) {
        let Some(asker) = self.audience.get(member) else { return };
        let outbox = asker.outbox.clone();
        let decided = match asker.role {
            Role::Spectator => Err(RejectCode::NotAPlayer.into()),
            Role::Player(seat) => self
                .room
                .decide(self.around.time.now(), seat, id, command)
                .map(|decision| (By { seat, id }, decision)),
        };
        let reject = match decided {
            Ok((_, Decision::Already(seq))) => {
                outbox.answer(Out::message(&Message::Done { re: id, seq: Some(seq) }));
                return;
            }
            Ok((by, Decision::Events(events))) => match self.record(Some(by), events).await {
                Ok(()) => return,
                Err(reject) => reject,
            },
            Err(reject) => reject,
        };
        self.refuse(&outbox, Some(id), reject);
    }

    async fn join(&mut self, newcomer: Newcomer) {
        match self.room.decide_seating(newcomer.player.clone(), None) {
            Err(code) => self.turn_away(&newcomer, code.into()),
            Ok((seat, events)) => {
                // The clock of the first game may start with this: the newcomer counts as here.
                let before = self.room.attendance(seat);
                self.room.attend(seat, Attendance::Here);
                match self.record(None, events).await {
                    Ok(()) => self.admit(newcomer, Role::Player(seat)),
                    Err(reject) => {
                        self.room.attend(seat, before);
                        self.turn_away(&newcomer, reject);
                    }
                }
            }
        }
    }

    fn watch(&mut self, newcomer: Newcomer) {
        if self.audience.watching() >= self.around.max_watching {
            self.turn_away(&newcomer, RejectCode::RoomFull.into());
        } else {
            self.admit(newcomer, Role::Spectator);
        }
    }

    fn resume(&mut self, newcomer: Newcomer, token: ResumeToken, seq: Option<Seq>) {
        let number = self.room.game().number();
        // Both are compared whatever the first says, in constant time: an answer's delay tells
        // nothing of a token.
        let held = Seat::ALL.map(|seat| {
            let taken = self.room.game().player(seat).is_some();
            let same = self.founding.token(seat, number).to_bytes().ct_eq(&token.to_bytes());
            taken & bool::from(same)
        });
        let Some(seat) = Seat::ALL.into_iter().find(|seat| held[seat.index()]) else {
            self.turn_away(&newcomer, RejectCode::UnknownRoom.into());
            return;
        };
        if let Some(older) = self.audience.holder(seat).map(|member| member.id)
            && let Some(older) = self.audience.leave(older)
        {
            info!(room = %self.founding.room, %seat, "a newer connection took the seat");
            older.outbox.cut(CloseCode::Replaced);
        }
        newcomer.outbox.answer(Out::Enter(self.handle.clone()));
        newcomer.outbox.answer(self.catch_up_message(newcomer.re(), seq, Role::Player(seat)));
        self.settle(newcomer, Role::Player(seat));
    }

    /// Lets a newcomer in, with the whole view.
    fn admit(&mut self, newcomer: Newcomer, role: Role) {
        newcomer.outbox.answer(Out::Enter(self.handle.clone()));
        newcomer.outbox.answer(self.snapshot(newcomer.re(), role));
        self.settle(newcomer, role);
    }

    fn settle(&mut self, newcomer: Newcomer, role: Role) {
        self.audience.enter(newcomer.member, role, newcomer.outbox);
        match role {
            Role::Player(seat) => {
                let was_away = self.room.attendance(seat) != Attendance::Here;
                self.room.attend(seat, Attendance::Here);
                if was_away {
                    self.mention(self.presence(seat));
                }
            }
            Role::Spectator => self.mention(self.crowd()),
        }
        // What a snapshot does not say: who is away, and how many watch.
        if let Some(member) = self.audience.get(newcomer.member) {
            for seat in Seat::ALL {
                if self.room.game().player(seat).is_some() && self.room.attendance(seat) != Attendance::Here {
                    member.outbox.answer(self.notice(self.presence(seat)));
                }
            }
            if self.audience.watching() > 0 {
                member.outbox.answer(self.notice(self.crowd()));
            }
        }
        self.publish();
        // It may have gone before it could learn that it is in this room: nobody else will say so.
        if self.audience.get(newcomer.member).is_some_and(|member| member.outbox.is_gone()) {
            self.gone(newcomer.member);
        }
    }

    fn leave(&mut self, member: MemberId, id: RequestId) {
        if let Some(left) = self.audience.leave(member) {
            left.outbox.answer(Out::Exit);
            left.outbox.answer(Out::message(&Message::Done { re: id, seq: None }));
            self.departed(left.role, true);
        }
    }

    fn gone(&mut self, member: MemberId) {
        if let Some(left) = self.audience.leave(member) {
            self.departed(left.role, false);
        }
    }

    fn departed(&mut self, role: Role, on_purpose: bool) {
        match role {
            Role::Player(seat) => {
                let now = self.around.time.now();
                let attendance = if on_purpose { Attendance::Left(now) } else { Attendance::Away(now) };
                self.room.attend(seat, attendance);
                self.mention(self.presence(seat));
            }
            Role::Spectator => self.mention(self.crowd()),
        }
        self.publish();
    }

    /// Makes events durable, applies them and tells everyone. Nothing has changed on an error.
    async fn record(&mut self, by: Option<By>, events: Vec<Event>) -> Result<(), Reject> {
        // After a restart the machine's clock may be behind the history: that never goes back.
        let at = self.around.time.now().max(self.room.game().at());
        let stamped = stamp(self.room.game().seq(), at, by, events);
        let append = self.around.log.append(self.founding.room, stamped.clone());
        match timeout(self.around.append, append).await.unwrap_or(Err(LogError::Unknown)) {
            Ok(()) => {
                let ended = stamped.iter().any(|stamped| matches!(stamped.event, Event::Ended { .. }));
                self.happen(stamped);
                self.keep_what_is_due(ended).await;
                Ok(())
            }
            Err(failed) => {
                self.around.metrics.append_failures.add(1);
                self.retry = Some(Instant::now() + RETRY);
                warn!(room = %self.founding.room, error = %failed, "events were not stored");
                self.unsure = match failed {
                    LogError::Unavailable(_) => false,
                    LogError::Conflict { .. } | LogError::Unknown => true,
                };
                Err(RejectCode::Unavailable.into())
            }
        }
    }

    /// Keeps a game that has just ended, and from time to time the whole room. Everyone has been told
    /// by now: if it fails, nothing is lost that a later start would not find in the events.
    async fn keep_what_is_due(&mut self, ended: bool) {
        let game = self.room.game();
        if let Some(record) = game.record().filter(|_| ended) {
            let finished =
                Finished { number: game.number(), ended: game.ended_at(), record: record.to_string() };
            let archive = self.around.log.archive(self.founding.room, finished);
            if let Err(failed) = timeout(self.around.append, archive).await.unwrap_or(Err(LogError::Unknown))
            {
                warn!(room = %self.founding.room, error = %failed, "a finished game was not kept");
            }
        }
        if self.room.image_due(self.imaged)
            && let Some(image) = self.room.image()
        {
            let seq = image.seq;
            let keep = self.around.log.keep(self.founding.room, image);
            match timeout(self.around.append, keep).await.unwrap_or(Err(LogError::Unknown)) {
                Ok(()) => self.imaged = seq,
                Err(failed) => warn!(room = %self.founding.room, error = %failed, "no image was taken"),
            }
        }
    }

    /// Takes in durable events and tells everyone, in one message encoded once.
    fn happen(&mut self, events: Vec<Stamped>) {
        let mut started = false;
        for stamped in &events {
            self.room.apply(stamped);
            match &stamped.event {
                Event::Started { game } => {
                    started = true;
                    if *game > 1 {
                        self.audience.swap_seats();
                    }
                }
                Event::Moved { .. } => self.around.metrics.moves.add(1),
                Event::Ended { .. } => self.around.metrics.games.add(1),
                Event::Opened { .. }
                | Event::Seated { .. }
                | Event::Offered { .. }
                | Event::Declined { .. }
                | Event::TakenBack { .. }
                | Event::Closed { .. } => {}
            }
        }
        self.around.metrics.events.add(events.len() as u64);
        self.tail.extend(events.iter().cloned());
        while self.tail.len() > self.around.tail {
            self.tail.pop_front();
        }
        let message = Message::Events { re: None, room: self.founding.room, events };
        self.audience.tell(&message.to_json().into());
        if started {
            // Who is away is now missed: the other one learns for how long.
            for seat in Seat::ALL.into_iter().filter(|seat| self.room.attendance(*seat) != Attendance::Here) {
                self.mention(self.presence(seat));
            }
        }
        self.publish();
    }

    /// Takes in what the log has and the room has not, after an append without an answer.
    async fn catch_up(&mut self) -> bool {
        let load = self.around.log.load(self.founding.room);
        match timeout(self.around.append, load).await.unwrap_or(Err(LogError::Unknown)) {
            Ok(stored) => {
                self.unsure = false;
                let known = self.room.game().seq();
                let events: Vec<_> = stored.events.into_iter().filter(|event| event.seq > known).collect();
                if !events.is_empty() {
                    self.happen(events);
                }
                true
            }
            Err(failed) => {
                self.retry = Some(Instant::now() + RETRY);
                warn!(room = %self.founding.room, error = %failed, "the log cannot be read");
                false
            }
        }
    }

    /// After a bug: the room as the log has it. Connections are closed, to resume what is true.
    async fn rebuild(&mut self) -> bool {
        error!(room = %self.founding.room, "a bug stopped the room; it is rebuilt from the log");
        self.around.metrics.room_panics.add(1);
        self.audience.cut_all(CloseCode::Internal);
        let load = self.around.log.load(self.founding.room);
        let stored = match timeout(self.around.append, load).await.unwrap_or(Err(LogError::Unknown)) {
            Ok(stored) => stored,
            Err(failed) => {
                error!(room = %self.founding.room, error = %failed, "and the log cannot be read");
                return false;
            }
        };
        match Room::replay(&stored, self.around.patience, self.around.time.now()) {
            Ok(room) => {
                self.room = room;
                let skip = stored.events.len().saturating_sub(self.around.tail);
                self.tail = stored.events.into_iter().skip(skip).collect();
                self.told_from = self.after_outage();
                self.unsure = false;
                true
            }
            Err(failed) => {
                error!(room = %self.founding.room, error = %failed, "and its history does not hold");
                false
            }
        }
    }

    /// The events after `seq` if they are at hand and fit a message, else the whole view.
    fn catch_up_message(&self, re: Option<RequestId>, seq: Option<Seq>, role: Role) -> Out {
        let now = self.room.game().seq();
        let oldest = self.tail.front().map_or(now.next(), |first| first.seq);
        let Some(seq) = seq.filter(|seq| *seq <= now && seq.next() >= oldest && *seq >= self.told_from)
        else {
            return self.snapshot(re, role);
        };
        let events = self.tail.iter().filter(|stamped| stamped.seq > seq).cloned().collect();
        let text = Message::Events { re, room: self.founding.room, events }.to_json();
        if text.len() > MAX_MESSAGE_BYTES { self.snapshot(re, role) } else { Out::Text(text.into()) }
    }

    fn snapshot(&self, re: Option<RequestId>, role: Role) -> Out {
        let game = self.room.game();
        let you = match role {
            Role::Spectator => You::default(),
            Role::Player(seat) => You {
                seat: Some(seat),
                token: Some(self.founding.token(seat, game.number())),
                code: self.founding.code,
            },
        };
        let state = game.snapshot(self.around.time.now());
        Out::message(&Message::Snapshot { re, room: self.founding.room, you, state })
    }

    fn presence(&self, seat: Seat) -> Notice {
        let (presence, claim_in_ms) = self.room.presence(seat, self.around.time.now());
        // A claim is a matter of a running game.
        let claim_in_ms = claim_in_ms.filter(|_| self.room.game().phase() == Phase::Playing);
        Notice::Presence { seat, presence, claim_in_ms }
    }

    fn crowd(&self) -> Notice {
        Notice::Crowd { watching: u32::try_from(self.audience.watching()).unwrap_or(u32::MAX) }
    }

    fn lag(&self) -> Notice {
        Notice::Lag { ms: Seat::ALL.map(|seat| self.audience.holder(seat).and_then(|member| member.lag)) }
    }

    fn notice(&self, notice: Notice) -> Out {
        Out::message(&Message::Notice { room: self.founding.room, notice })
    }

    fn mention(&self, notice: Notice) {
        let message = Message::Notice { room: self.founding.room, notice };
        self.audience.mention(&message.to_json().into());
    }

    fn refuse(&self, outbox: &Outbox, re: Option<RequestId>, reject: Reject) {
        self.around.metrics.rejected(reject.code);
        let reject = reject.at_seq(self.room.game().seq());
        outbox.answer(Out::message(&Message::Reject { re, reject }));
    }

    /// Refuses somebody who is not in the room: with nothing about the room.
    fn turn_away(&self, newcomer: &Newcomer, reject: Reject) {
        self.around.metrics.rejected(reject.code);
        newcomer.outbox.answer(Out::Idle);
        newcomer.outbox.answer(Out::message(&Message::Reject { re: Some(newcomer.asked), reject }));
    }

    /// Refuses what needs the room's true state while that is not to be had, or is no more; goings
    /// are noted all the same.
    fn refuse_all(&mut self, ask: Ask, code: RejectCode) {
        match ask {
            Ask::Command(member, id, _) | Ask::Sync(member, id, _) => {
                if let Some(member) = self.audience.get(member) {
                    let outbox = member.outbox.clone();
                    self.refuse(&outbox, Some(id), code.into());
                }
            }
            Ask::Join(newcomer) | Ask::Watch(newcomer) | Ask::Resume(newcomer, _, _) => {
                self.turn_away(&newcomer, code.into());
            }
            Ask::Leave(member, id) => self.leave(member, id),
            Ask::Gone(member) => self.gone(member),
            Ask::Refresh(_) | Ask::Lag(_, _) => {}
        }
    }

    /// Shows the room's public face to the list. On the path of every move: nothing is
    /// allocated unless a player has changed.
    fn publish(&self) {
        let game = self.room.game();
        if !game.is_public() {
            return;
        }
        let mut listing = self.handle.listing.lock().unwrap_or_else(PoisonError::into_inner);
        let listing = listing.get_or_insert_with(|| Listing {
            room: self.founding.room,
            rules: *game.rules(),
            clock: game.control(),
            phase: Phase::Waiting,
            players: [None, None],
            moves: 0,
            watching: 0,
        });
        for seat in Seat::ALL {
            if listing.players[seat.index()].as_ref() != game.player(seat) {
                listing.players[seat.index()] = game.player(seat).cloned();
            }
        }
        listing.phase = game.phase();
        listing.moves = u32::try_from(game.position().ply()).unwrap_or(u32::MAX);
        listing.watching = u32::try_from(self.audience.watching()).unwrap_or(u32::MAX);
    }
}
