//! The life of a room's task: what wakes it, one thing at a time, and its end.

use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::task::Poll;

use futures::FutureExt;
use noughts_protocol::Phase;
use noughts_protocol::wire::{CloseCode, RejectCode};
use tokio::time::Instant;
use tracing::{info, warn};

use super::durable::in_time;
use super::{Doubt, RoomTask, Truth};
use crate::besides::Besides;
use crate::room::handle::{Ask, Inbox, Knock};

/// What has woken a room.
enum Woken {
    End,
    Knock(Knock),
    Time,
}

impl RoomTask {
    /// Something to do before anybody asks; a bug in it is one like any other.
    pub(super) fn begin(&mut self, first: impl FnOnce(&mut RoomTask)) {
        if catch_unwind(AssertUnwindSafe(|| first(self))).is_err() {
            self.broke();
        }
    }

    /// On the heap, here and below: a future that takes its actor by value holds it twice. And what a future keeps
    /// across its waits lies with the room, out of the cache, as long as the room lives; what is on the heap for the
    /// time of one step lies where that of the last room lay.
    pub(super) async fn live(mut self: Box<Self>, mut inbox: Inbox) {
        let mut besides = Besides::new(&self.stop, Instant::now());
        while self.room.game().phase() != Phase::Closed && self.truth != Truth::Lost {
            let deadline = self.deadline();
            if let Some(deadline) = deadline {
                besides.wake_by(deadline);
            }
            let woken = poll_fn(|context| {
                if besides.poll_end(context).is_ready() {
                    return Poll::Ready(Woken::End);
                }
                match inbox.poll_next(context) {
                    Poll::Ready(knock) => Poll::Ready(Woken::Knock(knock)),
                    Poll::Pending if besides.due() && deadline.is_some() => Poll::Ready(Woken::Time),
                    Poll::Pending => Poll::Pending,
                }
            });
            let dealing = match woken.await {
                Woken::End => return Box::pin(self.finish(inbox)).await,
                Woken::Knock(knock) => Box::pin(self.deal(Some(knock))),
                Woken::Time => Box::pin(self.deal(None)),
            };
            dealing.await;
        }
        // Nobody who has asked is left without an answer, nor in a room that is no more.
        for ask in inbox.close() {
            self.refuse_all(ask, RejectCode::UnknownRoom);
        }
        match self.in_doubt.take().map(|doubt| *doubt) {
            None => {}
            Some(Doubt::Seat(newcomer, _)) => self.turn_away(&newcomer, RejectCode::UnknownRoom.into()),
            Some(Doubt::Command(member, by)) => self.refuse_member(member, by.id, RejectCode::NotInRoom),
        }
        if self.truth == Truth::Lost {
            return self.audience.cut_all(CloseCode::Internal);
        }
        self.audience.dismiss();
        if let Some(closing) = self.room.game().closing() {
            info!(room = %self.founding.room, ?closing, "room closed");
            Box::pin(self.retire()).await;
        }
    }

    /// Nobody will ask the log for the room again.
    async fn retire(&self) {
        let retire = self.around.log.retire(self.founding.room);
        if let Err(failed) = in_time(self.around.append, retire).await {
            // The next start finds it closed, and retires it then.
            warn!(room = %self.founding.room, error = %failed, "a closed room stays in the log");
        }
    }

    /// Deals with one thing. A bug in one room must not take the others along, nor this one for good.
    fn deal(&mut self, knock: Option<Knock>) -> impl Future<Output = ()> {
        let (ask, look) = match knock {
            Some(Knock::Ask(ask)) => (Some(ask), false),
            Some(Knock::Look) => (None, true),
            None => (None, false),
        };
        self.in_hand = ask.as_ref().and_then(Ask::newcomer).map(|newcomer| newcomer.outbox.clone());
        async move {
            // Awaited where it is made: given a name, it would be held twice.
            let stepped = AssertUnwindSafe(async {
                self.step(ask).await;
                if look {
                    self.look_round();
                }
                self.tell_crowd();
            })
            .catch_unwind()
            .await;
            if stepped.is_err() {
                self.broke();
            }
            self.in_hand = None;
        }
    }

    /// The server stops. What was asked by now is done all the same: whoever asked finds it done when it is
    /// back, as it was told.
    async fn finish(mut self: Box<Self>, inbox: Inbox) {
        for ask in inbox.close() {
            self.deal(Some(Knock::Ask(ask))).await;
        }
    }

    /// When to wake without being asked.
    fn deadline(&self) -> Option<Instant> {
        // A server that stops ends no games: those who would act in time are being sent away.
        let due = self.room.poll_timeout().filter(|_| !self.around.draining.is_cancelled());
        let due = due.map(|at| self.time.instant(at));
        let due = match (self.truth, self.retry) {
            (Truth::Known, None) => due,
            // Until the log can be written again, no time passes.
            (Truth::Known, Some(retry)) if self.unrecorded.is_some() => Some(retry),
            (Truth::Known, Some(retry)) => due.map(|due| due.max(retry)),
            (Truth::Behind | Truth::Broken | Truth::Lost, retry) => Some(retry.unwrap_or_else(Instant::now)),
        };
        [due, self.crowd.due()].into_iter().flatten().min()
    }
}
