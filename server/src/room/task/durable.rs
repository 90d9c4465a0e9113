//! The room and its log: events are durable before anyone learns of them.

use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use futures::future::BoxFuture;
use futures::poll;
use noughts_protocol::wire::{CloseCode, Message, Reject, RejectCode};
use noughts_protocol::{By, Event, Seat, Seq, Stamped};
use tokio::time::{Instant, timeout};
use tracing::{debug, error, warn};

use super::{Doubt, RETRY, RoomTask, Truth, stamp};
use crate::fault::Fault;
use crate::log::{Image, LogError};
use crate::outbox::{Frame, Out};
use crate::room::audience::Role;
use crate::room::handle::Ask;
use crate::room::{Attendance, Decision, Room};

/// What the log answers within `limit`, or that it gives no answer. Most answer far sooner, and one in memory at
/// once: a timer is made for one that does not.
pub(super) async fn in_time<T>(
    limit: Duration,
    mut answer: BoxFuture<'_, Result<T, LogError>>,
) -> Result<T, LogError> {
    match poll!(&mut answer) {
        Poll::Ready(answer) => answer,
        // On the heap: every step has a place for it, and a log in memory never needs it.
        Poll::Pending => Box::pin(timeout(limit, answer)).await.unwrap_or(Err(LogError::Unknown)),
    }
}

impl RoomTask {
    /// Makes events that were decided as of `at` durable, applies them and tells everyone. Nothing has
    /// changed on an error.
    pub(super) async fn record(&mut self, at: u64, by: Option<By>, events: Vec<Event>) -> Result<(), Reject> {
        let stamped = stamp(self.room.game().seq(), at, by, events);
        let mut stored = stamped.clone();
        if self.faults().has(Fault::StoreFirstOnly) {
            stored.truncate(1);
        }
        if self.faults().has(Fault::TellBeforeCommit) {
            self.announce(stamped.clone());
        }
        let keeps = self.around.log.keeps_games();
        let finished = if keeps { self.room.finished_by(&stored) } else { None };
        let append = self.around.log.append(self.founding.room, stored, finished);
        match in_time(self.around.append, append).await {
            Ok(()) => {
                if self.faults().has(Fault::WaitForTheSlow) {
                    self.audience.wait_for_all().await;
                }
                self.happen(stamped);
                self.went_on(at);
                self.image_if_due().await;
                Ok(())
            }
            Err(failed) => {
                self.around.metrics.append_failures.add(1);
                if self.faults().has(Fault::ShowUnstored) {
                    self.happen(stamped);
                    return Ok(());
                }
                self.retry = Some(Instant::now() + RETRY);
                self.stand_still(at);
                warn!(room = %self.founding.room, error = %failed, "events were not stored");
                self.truth = match failed {
                    LogError::Unavailable(_) => Truth::Known,
                    LogError::Conflict { .. } | LogError::Unknown | LogError::Damaged(_) => Truth::Behind,
                };
                Err(RejectCode::Unavailable.into())
            }
        }
    }

    /// Takes an image from time to time. Everyone has been told by now: if it fails, nothing is lost
    /// that a later start would not find in the events.
    pub(super) async fn image_if_due(&mut self) {
        if self.room.image_due(self.imaged)
            && !self.faults().has(Fault::NeverTakeImages)
            && let Some(image) = self.room.image()
        {
            // On the heap: it is seldom due, and every step has a place for it.
            Box::pin(self.keep(image)).await;
        }
    }

    async fn keep(&mut self, image: Image) {
        let seq = image.seq;
        let keep = self.around.log.keep(self.founding.room, image);
        match in_time(self.around.append, keep).await {
            Ok(()) => self.imaged = seq,
            Err(failed) => warn!(room = %self.founding.room, error = %failed, "no image was taken"),
        }
    }

    /// Lets the log know whose the seats are, for a next run to tell them.
    pub(super) async fn store_parties(&mut self) -> Result<(), LogError> {
        if !self.unstored {
            return Ok(());
        }
        let hold = self.around.log.hold(self.founding);
        let stored = in_time(self.around.append, hold).await;
        match &stored {
            Ok(()) => self.unstored = false,
            Err(failed) => {
                warn!(room = %self.founding.room, error = %failed, "whose a seat is was not stored");
            }
        }
        stored
    }

    /// The same where somebody has come or gone in any case: who has the token of a seat needs no party.
    pub(super) async fn note_parties(&mut self) {
        if self.around.log.healthy() && self.store_parties().await.is_err() {
            debug!(room = %self.founding.room, "the next who comes or goes tries again");
        }
    }

    /// Takes in durable events and tells everyone.
    pub(super) fn happen(&mut self, events: Vec<Stamped>) {
        let (mut started, mut seated) = (false, false);
        for stamped in &events {
            self.room.apply(stamped);
            match &stamped.event {
                Event::Seated { .. } => seated = true,
                Event::Started { game } => {
                    started = true;
                    if *game > 1 {
                        self.audience.swap_seats();
                    }
                }
                Event::Moved { .. } => self.around.metrics.moves.add(1),
                Event::Ended { .. } => self.around.metrics.games.add(1),
                Event::Opened { .. }
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
        self.announce(events);
        if started {
            // Who is away is now missed: the other one learns for how long.
            for seat in Seat::ALL.into_iter().filter(|seat| self.room.attendance(*seat) != Attendance::Here) {
                self.mention(self.presence(seat));
            }
        }
        // Players come when they are seated, and change places when a game starts.
        if seated || started { self.publish() } else { self.publish_state() }
    }

    /// Tells everyone what happened, in one message encoded once.
    fn announce(&mut self, events: Vec<Stamped>) {
        if self.faults().has(Fault::LoseBroadcasts) && events.iter().any(|event| event.seq.get() % 8 == 7) {
            return;
        }
        let message = Message::Events { re: None, room: self.founding.room, events };
        self.audience.tell(&Frame::from(&message));
    }

    /// Takes in what the log has and the room has not, after an append without an answer.
    pub(super) async fn catch_up(&mut self) {
        let since = self.around.log.since(self.founding.room, self.room.game().seq());
        let events = match in_time(self.around.append, since).await {
            Ok(events) => events,
            Err(failed) => return self.unread(&failed),
        };
        self.truth = Truth::Known;
        let done = matches!(self.in_doubt.as_deref(), Some(Doubt::Command(_, by)) if events.iter().any(|event| event.by.as_ref() == Some(by)));
        if !events.is_empty() {
            self.happen(events);
            self.image_if_due().await;
        }
        if let Some(since) = self.stood_still() {
            self.went_on(since);
        }
        self.settle_doubt(done);
    }

    /// Answers who had to wait for the truth: for the whole view, or for what came of an append without an
    /// answer. `done` tells whether the command in doubt has its event.
    fn settle_doubt(&mut self, done: bool) {
        self.look_round();
        match self.in_doubt.take().map(|doubt| *doubt) {
            None => {}
            Some(Doubt::Seat(newcomer, seat)) if self.room.game().player(seat).is_some() => {
                self.give(seat, newcomer.party);
                self.admit(newcomer, Role::Player(seat));
            }
            Some(Doubt::Seat(newcomer, seat)) => {
                self.reserve(seat, None);
                self.turn_away(&newcomer, RejectCode::Unavailable.into());
            }
            // Its event was the answer.
            Some(Doubt::Command(..)) if done => {}
            Some(Doubt::Command(member, by)) => self.refuse_member(member, by.id, RejectCode::Unavailable),
        }
    }

    /// Answers a command that was sent again, also where the log may have more than the room: `unavailable`, with
    /// nothing changed, would be a lie about one that was done. One in doubt is answered once that is known.
    pub(super) fn is_known(&mut self, ask: &Ask) -> bool {
        let &Ask::Command { member, id, command, .. } = ask else { return false };
        let Some(asker) = self.audience.get(member).filter(|_| self.truth == Truth::Behind) else {
            return false;
        };
        let Role::Player(seat) = asker.role else { return false };
        if let Ok(Decision::Already(seq)) = self.room.decide(self.now(), seat, id, command) {
            asker.outbox.answer(Out::message(&Message::Done { re: id, seq: Some(seq) }));
            return true;
        }
        match self.in_doubt.as_deref_mut() {
            Some(Doubt::Command(waiting, by)) if *by == (By { seat, id }) => {
                *waiting = member;
                true
            }
            Some(Doubt::Command(..) | Doubt::Seat(..)) | None => false,
        }
    }

    /// A bug has stopped the room half-way through something. Connections are closed, to resume what
    /// is true once that is known again.
    pub(super) fn broke(&mut self) {
        error!(room = %self.founding.room, "a bug stopped the room; it is rebuilt from the log");
        self.around.metrics.room_panics.add(1);
        self.stand_still(self.now());
        self.audience.cut_all(CloseCode::Internal);
        // Whoever came in with what was being done is no member yet, and waits all the same.
        if let Some(newcomer) = self.in_hand.take() {
            newcomer.cut(CloseCode::Internal);
        }
        self.truth = Truth::Broken;
        // At once, but a bug that comes again and again is not to keep a core busy.
        let now = Instant::now();
        let again = self.broke_at.replace(now).is_some_and(|before| now - before < RETRY);
        self.retry = again.then(|| now + RETRY);
    }

    /// The room as the log has it.
    pub(super) async fn rebuild(&mut self) {
        let load = self.around.log.load(self.founding.room);
        let stored = match in_time(self.around.append, load).await {
            Ok(stored) => stored,
            Err(failed) => return self.unread(&failed),
        };
        let (patience, pulse) = (&self.around.patience, &self.around.pulse);
        match Room::resume(&stored, Arc::clone(patience), self.time.now(), &pulse.lived()) {
            Ok(room) => {
                self.room = room;
                let skip = stored.events.len().saturating_sub(self.around.tail);
                self.tail = stored.events.into_iter().skip(skip).collect();
                self.told_from = self.after_outage();
                self.unrecorded = None;
                self.around.pulse.leave_out(0, patience.back);
                self.truth = Truth::Known;
                self.publish();
                // Whoever sent the command in doubt was cut off, and is no member now.
                self.settle_doubt(false);
            }
            Err(failed) => self.give_up(&failed),
        }
    }

    /// The log did not say what it has.
    fn unread(&mut self, failed: &LogError) {
        match failed {
            LogError::Unavailable(_) | LogError::Unknown => {
                self.retry = Some(Instant::now() + RETRY);
                warn!(room = %self.founding.room, error = %failed, "the log cannot be read");
            }
            // It has gone on without this room: only all of it tells the truth. What the members have seen is
            // contradicted by it, and they resume once it is known.
            LogError::Conflict { .. } => {
                self.audience.cut_all(CloseCode::Internal);
                self.retry = Some(Instant::now() + RETRY);
                self.truth = Truth::Broken;
                error!(room = %self.founding.room, error = %failed, "the room is rebuilt from the log");
            }
            LogError::Damaged(_) => self.give_up(failed),
        }
    }

    /// What is stored makes no room, and will make none however often it is read: nobody is left to
    /// wait for it. It stays in the log as it is, for the operator, and for the next start to name.
    fn give_up(&mut self, failed: &dyn std::error::Error) {
        error!(room = %self.founding.room, error = %failed, "the history does not hold; the room is lost");
        self.around.metrics.rooms_lost.add(1);
        self.truth = Truth::Lost;
    }

    /// From where on events tell the whole story, just after a replay.
    pub(super) fn after_outage(&self) -> Seq {
        let game = self.room.game();
        if game.clock().is_some_and(|clock| clock.running().is_some()) {
            game.seq().next()
        } else {
            Seq::ZERO
        }
    }
}
