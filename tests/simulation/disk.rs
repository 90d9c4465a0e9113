//! Model of the server's disk: synced data survive a crash, other data may be lost; according to the seed it
//! is slow, returns errors or does not reply. Jobs run in order, as with the single writer of the real log.

mod log;

use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use futures::FutureExt;
use futures::future::{BoxFuture, pending};
use noughts_protocol::{Event, EventRecord, Outcome, RoomId, Seat};
use noughts_server::testing::{
    EventLog, FinishedGame, LogError, LogOp, LogReply, LogResult, MemoryLog, RoomSecrets,
    StoredRoom,
};
use noughts_tests::lock::lock;
use noughts_tests::rng::SeededRng;
use tokio::sync::{Notify, oneshot};
use tokio::time::sleep;

use crate::checks::room_log_model::RoomLogModel;
use crate::plan::{DiskConditions, LogMutation, MAX_FAULT_MS, Plan};
use crate::trace::Trace;

pub(crate) use log::DiskLog;

/// Outcome of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum JobOutcome {
    Done,
    Refused,
    /// Done, but the reply says that the outcome is unknown.
    DoneInDoubt,
    /// Done without a reply.
    DoneInSilence,
    LostInDoubt,
    LostInSilence,
}

impl JobOutcome {
    fn has_reply(self) -> bool {
        match self {
            JobOutcome::Done
            | JobOutcome::Refused
            | JobOutcome::DoneInDoubt
            | JobOutcome::LostInDoubt => true,
            JobOutcome::DoneInSilence | JobOutcome::LostInSilence => false,
        }
    }
}

/// An operation on the store, and the channel of its reply.
struct DiskJob {
    op: LogOp,
    reply: oneshot::Sender<LogResult>,
}

/// Disk, which outlives all servers.
pub(crate) struct SimDisk {
    store: DiskStore,
    state: Mutex<DiskState>,
    wake: Notify,
}

/// Contents of the disk.
pub(crate) struct DiskStore {
    log: MemoryLog,
    /// Models of all rooms, including closed ones.
    room_models: Mutex<BTreeMap<RoomId, RoomLogModel>>,
    mutation: Option<LogMutation>,
    trace: Arc<Trace>,
    /// A player that received a message within this time was not absent for too long. `None` in plans with faults that
    /// last longer than the absence timeouts.
    max_silence: Option<Duration>,
}

struct DiskState {
    /// Jobs that are not synced yet.
    queue: VecDeque<DiskJob>,
    conditions: DiskConditions,
    rng: SeededRng,
    /// Reply channels that are never answered.
    unanswered: Vec<oneshot::Sender<LogResult>>,
}

impl SimDisk {
    pub(crate) fn new(plan: &Plan, trace: Arc<Trace>) -> Arc<SimDisk> {
        let state = DiskState {
            queue: VecDeque::new(),
            conditions: DiskConditions::Healthy,
            rng: SeededRng::new(!plan.seed),
            unanswered: Vec::new(),
        };
        let max_silence = plan
            .limits
            .reconnect_grace
            .checked_sub(Duration::from_millis(MAX_FAULT_MS + 1_000));
        let store = DiskStore {
            log: MemoryLog::default(),
            room_models: Mutex::default(),
            mutation: plan.mutation,
            trace,
            max_silence,
        };
        Arc::new(SimDisk {
            store,
            state: Mutex::new(state),
            wake: Notify::new(),
        })
    }

    fn state(&self) -> MutexGuard<'_, DiskState> {
        lock(&self.state)
    }

    /// Changes the behaviour.
    pub(crate) fn set_conditions(&self, conditions: DiskConditions) {
        self.state().conditions = conditions;
    }

    /// Returns the models of the rooms.
    pub(crate) fn room_models(&self) -> MutexGuard<'_, BTreeMap<RoomId, RoomLogModel>> {
        lock(&self.store.room_models)
    }

    /// Returns the stored rooms.
    pub(crate) fn memory_log(&self) -> &MemoryLog {
        &self.store.log
    }

    /// Stores the next events of a room.
    pub(crate) fn store_mirrored(
        &self,
        room: RoomId,
        events: Vec<EventRecord>,
    ) -> Result<(), LogError> {
        self.store.store_events(room, events, None)
    }

    /// Records a violation if an entry of a cluster's log cannot be applied.
    pub(crate) fn report_failed(&self, entry: &str, result: Result<(), String>) {
        if let Err(reason) = result {
            self.store
                .trace
                .record_violation("log", format_args!("{entry}: {reason}"));
        }
    }

    /// Returns the open rooms as a start would load them.
    pub(crate) fn open_rooms(&self) -> Vec<(RoomSecrets, StoredRoom)> {
        poll_ready(self.store.log.recover()).expect("the memory log can be read")
    }

    /// Runs jobs until the process ends.
    pub(crate) async fn run(self: Arc<SimDisk>) {
        loop {
            let pause = {
                let mut state = self.state();
                let conditions = state.conditions;
                let rng = &mut state.rng;
                match conditions {
                    DiskConditions::Healthy
                        if self.store.mutation == Some(LogMutation::AckUnsynced) =>
                    {
                        rng.random_range(500, 2_000)
                    }
                    DiskConditions::Slow => rng.random_range(100, 2_500),
                    DiskConditions::Healthy
                    | DiskConditions::Refusing
                    | DiskConditions::Unreliable => rng.random_range(1, 15),
                }
            };
            self.wake.notified().await;
            sleep(Duration::from_millis(pause)).await;
            // All queued jobs are stored in one commit.
            self.commit(usize::MAX);
        }
    }

    /// Commits the first jobs of the queue.
    fn commit(&self, max_jobs: usize) {
        for _ in 0..max_jobs {
            let (DiskJob { op, reply }, outcome) = {
                let mut state = self.state();
                let Some(job) = state.queue.pop_front() else {
                    return;
                };
                let outcome = state.next_outcome();
                (job, outcome)
            };
            if outcome != JobOutcome::Done {
                self.store
                    .trace
                    .record("disk", format_args!("{}: {outcome:?}", op_name(&op)));
            }
            let result = match outcome {
                JobOutcome::Done | JobOutcome::DoneInDoubt | JobOutcome::DoneInSilence => {
                    self.store.execute(op, outcome)
                }
                JobOutcome::Refused => Err(LogError::Unavailable("the disk refuses".into())),
                JobOutcome::LostInDoubt | JobOutcome::LostInSilence => Err(LogError::Unknown),
            };
            if !outcome.has_reply() {
                // The caller keeps waiting.
                self.state().unanswered.push(reply);
                continue;
            }
            let response = if outcome == JobOutcome::DoneInDoubt {
                result.and(Err(LogError::Unknown))
            } else {
                result
            };
            // The caller may have timed out.
            let (Ok(()) | Err(_)) = reply.send(response);
        }
    }

    /// Ends the process immediately: a random prefix of the queue is stored.
    pub(crate) fn crash(&self) {
        let completed = {
            let mut state = self.state();
            let queued = state.queue.len() as u64;
            // This mutation loses acknowledged jobs that are not synced.
            let completed = if self.store.mutation == Some(LogMutation::AckUnsynced) {
                0
            } else {
                state.rng.random_below(queued + 1)
            };
            self.store.trace.record(
                "disk",
                format_args!("crash: {completed} of {queued} jobs are stored"),
            );
            completed
        };
        self.commit(usize::try_from(completed).unwrap_or(usize::MAX));
        let mut state = self.state();
        state.queue.clear();
        state.unanswered.clear();
    }

    /// Ends the process cleanly: all jobs are stored.
    pub(crate) fn flush(&self) {
        self.commit(usize::MAX);
        self.state().unanswered.clear();
    }

    fn submit(&self, op: LogOp) -> BoxFuture<'static, LogResult> {
        let (reply, reply_receiver) = oneshot::channel();
        self.state().queue.push_back(DiskJob { op, reply });
        self.wake.notify_one();
        async move {
            match reply_receiver.await {
                Ok(response) => response,
                // Only a crash drops a job without a reply, and the crash also drops the caller.
                Err(_) => pending().await,
            }
        }
        .boxed()
    }
}

impl DiskState {
    fn next_outcome(&mut self) -> JobOutcome {
        match self.conditions {
            DiskConditions::Healthy | DiskConditions::Slow => JobOutcome::Done,
            DiskConditions::Refusing => JobOutcome::Refused,
            DiskConditions::Unreliable => *self.rng.choose(&[
                JobOutcome::Done,
                JobOutcome::Done,
                JobOutcome::Refused,
                JobOutcome::DoneInDoubt,
                JobOutcome::DoneInDoubt,
                JobOutcome::DoneInSilence,
                JobOutcome::LostInDoubt,
                JobOutcome::LostInSilence,
            ]),
        }
    }
}

fn op_name(op: &LogOp) -> &'static str {
    match op {
        LogOp::Create { .. } => "create",
        LogOp::UpdateSecrets(_) => "update_secrets",
        LogOp::Append { .. } => "append",
        LogOp::Checkpoint { .. } => "checkpoint",
        LogOp::Delete(_) => "delete",
        LogOp::Load(_) => "load",
        LogOp::EventsSince { .. } => "events_since",
        LogOp::Recover => "recover",
        LogOp::Confirm => "confirm",
    }
}

impl DiskStore {
    fn execute(&self, op: LogOp, outcome: JobOutcome) -> LogResult {
        match op {
            LogOp::Create { secrets, events } => {
                poll_ready(self.log.create(*secrets, events.clone()))?;
                let mut rooms = lock(&self.room_models);
                rooms.insert(secrets.room, RoomLogModel::new(*secrets, events));
                Ok(LogReply::Done)
            }
            LogOp::Append {
                room,
                events,
                finished,
            } => {
                self.append(room, &events, finished, outcome)?;
                Ok(LogReply::Done)
            }
            op @ (LogOp::UpdateSecrets(_)
            | LogOp::Checkpoint { .. }
            | LogOp::Delete(_)
            | LogOp::Load(_)
            | LogOp::EventsSince { .. }
            | LogOp::Recover
            | LogOp::Confirm) => poll_ready(self.log.submit(op)),
        }
    }

    fn append(
        &self,
        room: RoomId,
        events: &[EventRecord],
        finished: Option<FinishedGame>,
        outcome: JobOutcome,
    ) -> Result<(), LogError> {
        let mutation = self.mutation.filter(|_| outcome != JobOutcome::Done);
        let first = if mutation == Some(LogMutation::StoreReordered) {
            reversed(events)
        } else {
            events.to_vec()
        };
        self.store_events(room, first, finished)?;
        if mutation == Some(LogMutation::StoreTwice) {
            self.store_events(room, renumbered_after(events), None)?;
        }
        Ok(())
    }

    fn store_events(
        &self,
        room: RoomId,
        events: Vec<EventRecord>,
        finished: Option<FinishedGame>,
    ) -> Result<(), LogError> {
        poll_ready(self.log.append(room, events.clone(), None))?;
        let mut rooms = lock(&self.room_models);
        let model = rooms.get_mut(&room).expect("the log has stored it");
        for event in &events {
            if let Event::Ended { outcome, .. } = &event.event {
                self.check_outcome(model, outcome);
            }
        }
        model.extend(events);
        model
            .archived_games
            .extend(finished.map(|finished| finished.number));
        Ok(())
    }

    /// Checks that no player lost for an absence that did not happen or was too short.
    fn check_outcome(&self, model: &RoomLogModel, outcome: &Outcome) {
        let room = model.secrets.room;
        // A player who is present may claim a draw too, so one absent player suffices for a draw.
        let absent: Vec<Seat> = match outcome {
            Outcome::Abandoned {
                winner: Some(winner),
            } => vec![winner.other()],
            Outcome::Abandoned { winner: None } => Seat::ALL.to_vec(),
            Outcome::Flag { winner } => {
                let what = format_args!(
                    "{winner} wins on time in room {room}, but the opponent had time left"
                );
                return self.trace.record_violation("disk", what);
            }
            Outcome::Line { .. }
            | Outcome::Full
            | Outcome::Resigned { .. }
            | Outcome::Agreed
            | Outcome::Aborted => return,
        };
        self.trace.count("games abandoned");
        let Some(max_silence) = self.max_silence else {
            return;
        };
        let is_present = |name: &&str| {
            self.trace.is_staying(name, room) && self.trace.silence(name) < max_silence
        };
        let names: Vec<&str> = absent
            .into_iter()
            .filter_map(|seat| model.seat_holder(seat))
            .collect();
        if names.iter().all(is_present) {
            let silences: Vec<_> = names.iter().map(|name| self.trace.silence(name)).collect();
            let what = format_args!(
                "room {room} is abandoned, but {names:?} received messages {silences:?} ago"
            );
            self.trace.record_violation("disk", what);
        }
    }
}

/// Returns the events again, with numbers that continue after the last of them.
fn renumbered_after(events: &[EventRecord]) -> Vec<EventRecord> {
    let mut seq = events.last().map_or_else(Default::default, |last| last.seq);
    let numbered = events.iter().map(|event| {
        seq = seq.next();
        EventRecord {
            seq,
            ..event.clone()
        }
    });
    numbered.collect()
}

/// Returns the events in reverse order, with the numbers in order.
fn reversed(events: &[EventRecord]) -> Vec<EventRecord> {
    let pairs = events.iter().zip(events.iter().rev());
    pairs
        .map(|(original, event)| EventRecord {
            seq: original.seq,
            ..event.clone()
        })
        .collect()
}

/// Returns the result of the memory log, which is always ready.
pub(crate) fn poll_ready<T>(result: impl Future<Output = T>) -> T {
    result
        .now_or_never()
        .expect("the memory log is always ready")
}

impl fmt::Debug for SimDisk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Disk")
            .field("lie", &self.store.mutation)
            .finish_non_exhaustive()
    }
}
