//! A model of the server's disk: what is synced survives a crash, what is not may not; it is slow, refuses
//! and gives no answer, by the seed. Jobs are done in order, as by the one writer of the real log.

mod log;

use std::any::Any;
use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures::FutureExt;
use futures::future::{BoxFuture, pending};
use noughts_protocol::{Event, Outcome, RoomId, Seat, Stamped};
use noughts_server::log::{EventLog, Finished, Founding, LogError, MemoryLog, Stored};
use noughts_tests::chance::Chance;
use tokio::sync::{Notify, oneshot};
use tokio::time::sleep;

use crate::chronicle::Chronicle;
use crate::notes::Notes;
use crate::plan::{LONGEST, Plan};

pub(crate) use log::DiskLog;

/// What the disk is like.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Weather {
    /// As it should be.
    #[default]
    Fair,
    /// It stores nothing, and says so.
    Refusing,
    /// What it says, and whether it says anything, has little to do with what it does.
    Doubtful,
    /// It takes its time, sometimes more than anybody waits.
    Slow,
}

/// A log that breaks its word, to see that this is found out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lie {
    /// It says that it has stored what a crash then takes away.
    AckUnsynced,
    /// What it stores without an answer, it stores twice.
    StoreTwice,
    /// What it stores without an answer, it stores in another order.
    StoreTurned,
}

/// What becomes of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    Done,
    Refused,
    /// Done, and nobody knows.
    DoneInDoubt,
    /// Done, and no answer comes.
    DoneInSilence,
    LostInDoubt,
    LostInSilence,
}

impl Fate {
    fn has_answer(self) -> bool {
        match self {
            Fate::Done | Fate::Refused | Fate::DoneInDoubt | Fate::LostInDoubt => true,
            Fate::DoneInSilence | Fate::LostInSilence => false,
        }
    }
}

/// Something to be done; what it gives back is kept, so that who waits goes on waiting.
type Job = Box<dyn FnOnce(&Store, Fate) -> Option<Box<dyn Any + Send>> + Send>;

/// The disk, which outlives every server.
pub(crate) struct Disk {
    store: Store,
    state: Mutex<State>,
    wake: Notify,
}

/// What is on it.
pub(crate) struct Store {
    /// As the log has it.
    log: MemoryLog,
    /// The same with all that ever was, also of rooms that have closed.
    rooms: Mutex<BTreeMap<RoomId, Chronicle>>,
    lie: Option<Lie>,
    notes: Arc<Notes>,
    /// A player that was heard of within this time has not been away for too long. None has that in a plan in
    /// which a line may be cut for longer than there is patience: there silence says nothing.
    present: Option<Duration>,
}

struct State {
    /// What is not synced yet.
    queue: VecDeque<(&'static str, Job)>,
    weather: Weather,
    chance: Chance,
    /// The ends of answers that never come.
    silent: Vec<Box<dyn Any + Send>>,
}

impl Disk {
    pub(crate) fn new(plan: &Plan, notes: Arc<Notes>) -> Arc<Disk> {
        let state = State {
            queue: VecDeque::new(),
            weather: Weather::Fair,
            chance: Chance::new(!plan.seed),
            silent: Vec::new(),
        };
        let present = plan.limits.grace.checked_sub(Duration::from_millis(LONGEST + 1_000));
        let store =
            Store { log: MemoryLog::default(), rooms: Mutex::default(), lie: plan.lie, notes, present };
        Arc::new(Disk { store, state: Mutex::new(state), wake: Notify::new() })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// From now on it is like this.
    pub(crate) fn set(&self, weather: Weather) {
        self.state().weather = weather;
    }

    /// What is known of the rooms.
    pub(crate) fn rooms(&self) -> MutexGuard<'_, BTreeMap<RoomId, Chronicle>> {
        self.store.rooms.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The open rooms as a start would find them.
    pub(crate) fn open_rooms(&self) -> Vec<(Founding, Stored)> {
        now(self.store.log.recover()).expect("memory can always be read")
    }

    /// Does what it is asked to, until the process dies.
    pub(crate) async fn work(self: Arc<Disk>) {
        loop {
            let pause = {
                let mut state = self.state();
                let weather = state.weather;
                let chance = &mut state.chance;
                match weather {
                    Weather::Fair if self.store.lie == Some(Lie::AckUnsynced) => chance.between(500, 2_000),
                    Weather::Slow => chance.between(100, 2_500),
                    Weather::Fair | Weather::Refusing | Weather::Doubtful => chance.between(1, 15),
                }
            };
            self.wake.notified().await;
            sleep(Duration::from_millis(pause)).await;
            // One commit for all that has come meanwhile.
            self.commit(usize::MAX);
        }
    }

    /// Makes the first jobs of the queue durable.
    fn commit(&self, most: usize) {
        for _ in 0..most {
            let (name, job, fate) = {
                let mut state = self.state();
                let Some((name, job)) = state.queue.pop_front() else { return };
                let fate = state.fate();
                (name, job, fate)
            };
            if fate != Fate::Done {
                self.store.notes.note("disk", format_args!("{name}: {fate:?}"));
            }
            if let Some(silent) = job(&self.store, fate) {
                self.state().silent.push(silent);
            }
        }
    }

    /// The process is gone in the middle of whatever it did: of what was not synced, a first part is there.
    pub(crate) fn crash(&self) {
        let kept = {
            let mut state = self.state();
            let waiting = state.queue.len() as u64;
            // What was acknowledged and is not synced is what this lie is about.
            let kept =
                if self.store.lie == Some(Lie::AckUnsynced) { 0 } else { state.chance.below(waiting + 1) };
            self.store.notes.note("disk", format_args!("crash: {kept} of {waiting} jobs are kept"));
            kept
        };
        self.commit(usize::try_from(kept).unwrap_or(usize::MAX));
        let mut state = self.state();
        state.queue.clear();
        state.silent.clear();
    }

    /// The process ends in order: all is written first.
    pub(crate) fn flush(&self) {
        self.commit(usize::MAX);
        self.state().silent.clear();
    }

    fn ask<T: Send + 'static>(
        &self,
        name: &'static str,
        work: impl FnOnce(&Store, Fate) -> Result<T, LogError> + Send + 'static,
    ) -> BoxFuture<'static, Result<T, LogError>> {
        let (answer, answered) = oneshot::channel();
        let job = move |store: &Store, fate: Fate| -> Option<Box<dyn Any + Send>> {
            let done = match fate {
                Fate::Done | Fate::DoneInDoubt | Fate::DoneInSilence => work(store, fate),
                Fate::Refused => Err(LogError::Unavailable("the disk refuses".into())),
                Fate::LostInDoubt | Fate::LostInSilence => Err(LogError::Unknown),
            };
            if !fate.has_answer() {
                return Some(Box::new(answer));
            }
            let said = if fate == Fate::DoneInDoubt { done.and(Err(LogError::Unknown)) } else { done };
            // Who has asked may have stopped waiting.
            let (Ok(()) | Err(_)) = answer.send(said);
            None
        };
        self.state().queue.push_back((name, Box::new(job)));
        self.wake.notify_one();
        async move {
            match answered.await {
                Ok(answer) => answer,
                // Only a crash drops it, and then nobody is there to hear.
                Err(_) => pending().await,
            }
        }
        .boxed()
    }
}

impl State {
    fn fate(&mut self) -> Fate {
        match self.weather {
            Weather::Fair | Weather::Slow => Fate::Done,
            Weather::Refusing => Fate::Refused,
            Weather::Doubtful => *self.chance.pick(&[
                Fate::Done,
                Fate::Done,
                Fate::Refused,
                Fate::DoneInDoubt,
                Fate::DoneInDoubt,
                Fate::DoneInSilence,
                Fate::LostInDoubt,
                Fate::LostInSilence,
            ]),
        }
    }
}

impl Store {
    fn append(
        &self,
        room: RoomId,
        events: &[Stamped],
        finished: Option<Finished>,
        fate: Fate,
    ) -> Result<(), LogError> {
        let lie = self.lie.filter(|_| fate != Fate::Done);
        let first = if lie == Some(Lie::StoreTurned) { turned(events) } else { events.to_vec() };
        self.store(room, first, finished)?;
        if lie == Some(Lie::StoreTwice) {
            self.store(room, again(events), None)?;
        }
        Ok(())
    }

    fn store(&self, room: RoomId, events: Vec<Stamped>, finished: Option<Finished>) -> Result<(), LogError> {
        now(self.log.append(room, events.clone(), None))?;
        let mut rooms = self.rooms.lock().unwrap_or_else(PoisonError::into_inner);
        let chronicle = rooms.get_mut(&room).expect("the log has just had it");
        for event in &events {
            if let Event::Ended { outcome, .. } = &event.event {
                self.judge(chronicle, outcome);
            }
        }
        chronicle.extend(events);
        chronicle.kept.extend(finished.map(|finished| finished.number));
        Ok(())
    }

    /// Nobody loses a game for being away who was not, or not for long.
    fn judge(&self, chronicle: &Chronicle, outcome: &Outcome) {
        let room = chronicle.founding.room;
        // A draw is what the one who is there may claim as well: one absence is enough for it.
        let absent: Vec<Seat> = match outcome {
            Outcome::Abandoned { winner: Some(winner) } => vec![winner.other()],
            Outcome::Abandoned { winner: None } => Seat::ALL.to_vec(),
            Outcome::Flag { winner } => {
                let what = format_args!("{winner} wins by time in room {room}: there was enough");
                return self.notes.breach("disk", what);
            }
            Outcome::Line { .. } | Outcome::Full | Outcome::Resigned { .. } | Outcome::Agreed => return,
        };
        self.notes.count("games abandoned");
        let Some(present) = self.present else { return };
        let is_there = |name: &&str| self.notes.stays(name, room) && self.notes.silence(name) < present;
        let names: Vec<&str> = absent.into_iter().filter_map(|seat| chronicle.holder(seat)).collect();
        if names.iter().all(is_there) {
            let silences: Vec<_> = names.iter().map(|name| self.notes.silence(name)).collect();
            let what = format_args!("room {room} is abandoned: {names:?} heard of it {silences:?} ago");
            self.notes.breach("disk", what);
        }
    }
}

/// The same behind themselves.
fn again(events: &[Stamped]) -> Vec<Stamped> {
    let mut seq = events.last().map_or_else(Default::default, |last| last.seq);
    let numbered = events.iter().map(|event| {
        seq = seq.next();
        Stamped { seq, ..event.clone() }
    });
    numbered.collect()
}

/// The last first, under the numbers of the first.
fn turned(events: &[Stamped]) -> Vec<Stamped> {
    let turned = events.iter().zip(events.iter().rev());
    turned.map(|(place, event)| Stamped { seq: place.seq, ..event.clone() }).collect()
}

/// What a log in memory gives, which never waits.
fn now<T>(done: BoxFuture<'_, T>) -> T {
    done.now_or_never().expect("memory does not wait")
}

impl fmt::Debug for Disk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Disk").field("lie", &self.store.lie).finish_non_exhaustive()
    }
}
