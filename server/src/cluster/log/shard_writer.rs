//! The only writer of a shard that this node owns: commits waiting jobs as one message, and replies.
//!
//! At most one message is in flight. The writer answers its jobs when its result is certain, and immediately rejects
//! jobs that arrive while the log does not answer. The writer ends when its queue is dropped, or when another node owns
//! the shard.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{mpsc, watch};
use tokio::time::timeout;
use tokio_util::bytes::Bytes;
use tracing::{debug, error, info, warn};

use crate::cluster::log::append_budget::AppendBudget;
use crate::cluster::log::game_stream::GameStream;
use crate::cluster::log::game_upload::GameUpload;
use crate::cluster::log::message::{MessageBuilder, MessageHeader, MessageKind};
use crate::cluster::log::pending_append::{AppendOutcome, append_until_certain};
use crate::cluster::log::shard_log::ShardLog;
use crate::cluster::log::shard_truncation::ShardTruncation;
use crate::cluster::log::take_over::OwnedShard;
use crate::cluster::shard::LogPosition;
use crate::runtime::clock::ServerClock;
use crate::store::writer::{DeferredReply, MAX_BATCH_JOBS, WriterHealth, WriterJob};
use crate::store::{LogError, LogOp, LogReply};

/// While no job arrives, the writer checks for other work at this interval.
const IDLE_INTERVAL: Duration = Duration::from_millis(500);

/// New jobs are rejected when the result of a message has been unknown for this time.
const STALL_TIME: Duration = Duration::from_secs(1);

/// Timeout of the release of the shard. A successor can take over without a release: it needs only the next heartbeat.
const RELEASE_TIMEOUT: Duration = Duration::from_secs(2);

/// Reason why a writer has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WriterEnd {
    /// The queue of the writer was dropped.
    Closed,
    /// Another node owns the shard.
    Replaced,
}

/// State that the writers of a node share.
#[derive(Clone, Debug)]
pub(crate) struct WriterShared {
    pub(crate) log: Arc<dyn ShardLog>,
    /// Takes the finished games.
    pub(crate) games: Arc<dyn GameStream>,
    pub(crate) budget: Arc<AppendBudget>,
    /// Changes when another node names a later claim of a shard that this node owns.
    pub(crate) rivals: watch::Receiver<()>,
    pub(crate) time: ServerClock,
}

#[derive(Debug)]
pub(crate) struct ShardWriter {
    owned: OwnedShard,
    shared: WriterShared,
    health: Arc<WriterHealth>,
    uploads: GameUpload,
    /// Finished games are dropped at present, because too many are waiting to be archived.
    is_game_queue_full: bool,
    /// Jobs that did not fit into the last message.
    waiting: VecDeque<WriterJob>,
    truncation: ShardTruncation,
}

/// A commit under construction.
#[derive(Default)]
struct ShardGroup {
    message: MessageBuilder,
    replies: Vec<DeferredReply>,
    /// The message is stored even if it has no entries.
    is_needed: bool,
}

impl ShardWriter {
    pub(crate) fn new(
        owned: OwnedShard,
        shared: WriterShared,
        health: Arc<WriterHealth>,
    ) -> ShardWriter {
        let truncation =
            ShardTruncation::new(owned.shard, Arc::clone(&shared.log), owned.state.floor());
        let uploads = GameUpload::new(owned.shard, Arc::clone(&shared.games));
        ShardWriter {
            owned,
            shared,
            health,
            uploads,
            is_game_queue_full: false,
            waiting: VecDeque::new(),
            truncation,
        }
    }

    /// Executes jobs until the queue is dropped or the shard is lost.
    pub(crate) async fn run(mut self, mut jobs: mpsc::Receiver<WriterJob>) -> WriterEnd {
        let mut batch = Vec::new();
        loop {
            self.uploads.start(&self.owned.state);
            if self.waiting.is_empty() {
                let received = tokio::select! {
                    biased;
                    // The next message records the result.
                    () = self.uploads.next() => continue,
                    () = self.truncation.next() => continue,
                    received = timeout(IDLE_INTERVAL, jobs.recv_many(&mut batch, MAX_BATCH_JOBS)) => received,
                };
                match received {
                    Ok(0) => return self.release().await,
                    Ok(_) => self.waiting.extend(batch.drain(..)),
                    Err(_) => self.truncation.start(self.owned.state.floor()),
                }
            } else {
                self.uploads.poll_ended();
            }
            let is_idle = self.waiting.is_empty();
            if !is_idle || self.uploads.has_acknowledged() {
                self.shared.budget.wait().await;
                // Jobs that have arrived in the meantime go into the same message.
                while self.waiting.len() < MAX_BATCH_JOBS
                    && let Ok(job) = jobs.try_recv()
                {
                    self.waiting.push_back(job);
                }
            }
            let mut group = self.execute_jobs();
            // An idle writer would not notice that it was replaced.
            group.is_needed |= is_idle && self.take_rival();
            let floor = self
                .owned
                .state
                .compact(&mut group.message, self.owned.tail);
            if !group.is_needed && group.message.is_empty() {
                reply(group.replies, None);
                continue;
            }
            if self.commit(group, floor, &mut jobs).await == WriterEnd::Replaced {
                warn!(shard = %self.owned.shard, epoch = %self.owned.epoch, "shard lost to another node");
                self.health.fail_permanently();
                return WriterEnd::Replaced;
            }
            self.truncation.start_if_due(self.owned.state.floor());
        }
    }

    /// Returns whether another node has claimed a shard of this node since the last call.
    fn take_rival(&mut self) -> bool {
        let has_rival = self.shared.rivals.has_changed().unwrap_or(false);
        self.shared.rivals.mark_unchanged();
        has_rival
    }

    /// Executes waiting jobs until the message is full.
    fn execute_jobs(&mut self) -> ShardGroup {
        let mut group = ShardGroup::default();
        while !group.message.is_full() {
            let Some(job) = self.waiting.pop_front() else {
                break;
            };
            if !job.is_abandoned() {
                self.execute(job, &mut group);
            }
        }
        while !group.message.is_full()
            && let Some(key) = self.uploads.take_acknowledged()
        {
            self.owned.state.record_published(&mut group.message, key);
        }
        group
    }

    fn execute(&mut self, job: WriterJob, group: &mut ShardGroup) {
        let (state, message) = (&mut self.owned.state, &mut group.message);
        let WriterJob { op, reply } = job;
        let done = |()| LogReply::Done;
        let result = match op {
            LogOp::Create { secrets, events } => state.create(message, &secrets, &events).map(done),
            LogOp::UpdateSecrets(secrets) => state.update_secrets(message, &secrets).map(done),
            LogOp::Append {
                room,
                events,
                finished,
            } => {
                let appended = state.append(message, room, &events);
                if let Some(game) = finished.filter(|_| appended.is_ok()) {
                    let is_kept = state.finish_game(message, room, &game);
                    if !is_kept && !self.is_game_queue_full {
                        error!(shard = %self.owned.shard, "too many finished games are waiting to be archived; further finished games are dropped");
                    }
                    self.is_game_queue_full = !is_kept;
                }
                appended.map(done)
            }
            LogOp::Checkpoint { room, checkpoint } => {
                state.checkpoint(message, room, &checkpoint).map(done)
            }
            LogOp::Delete(room) => {
                state.delete(message, room);
                Ok(LogReply::Done)
            }
            LogOp::Load(room) => state.load(room).map(LogReply::Room),
            LogOp::EventsSince { room, after } => {
                state.events_since(room, after).map(LogReply::Events)
            }
            LogOp::Recover => state.all_rooms().map(LogReply::Rooms),
            LogOp::Confirm => Ok(LogReply::Done),
            #[cfg(test)]
            LogOp::LimitPages(_) => Ok(LogReply::Done),
        };
        // The message is needed even if all jobs are reads or fail: their replies state the contents of the shard, and
        // the message proves that this node still owns it.
        group.is_needed = true;
        group.replies.push(DeferredReply { reply, result });
    }

    fn header(&self, kind: MessageKind, floor: LogPosition) -> MessageHeader {
        self.owned.next_header(kind, floor, self.shared.time.now())
    }

    /// Appends the message of a group, and replies to its jobs.
    async fn commit(
        &mut self,
        group: ShardGroup,
        floor: LogPosition,
        jobs: &mut mpsc::Receiver<WriterJob>,
    ) -> WriterEnd {
        let header = self.header(MessageKind::Group, floor);
        let message = group.message.finish(&header);
        let bytes = message.len() as u64;
        let health = Arc::clone(&self.health);
        let busy_guard = health.mark_busy();
        let outcome = self.append(message, jobs).await;
        drop(busy_guard);
        let (error, end) = match outcome {
            AppendOutcome::Stored(tail) => {
                self.owned.on_stored(tail, bytes, &header);
                (None, WriterEnd::Closed)
            }
            AppendOutcome::StoredThenReplaced => (None, WriterEnd::Replaced),
            AppendOutcome::Replaced => (Some(replaced()), WriterEnd::Replaced),
            AppendOutcome::ReplacedUnknown => (Some(LogError::Unknown), WriterEnd::Replaced),
        };
        reply(group.replies, error);
        end
    }

    /// Appends a message. Rejects new jobs while the log does not answer.
    async fn append(
        &mut self,
        message: Bytes,
        jobs: &mut mpsc::Receiver<WriterJob>,
    ) -> AppendOutcome {
        let (shard, after) = (self.owned.shard, self.owned.tail);
        let log = Arc::clone(&self.shared.log);
        let append = append_until_certain(&*log, shard, after, message);
        tokio::pin!(append);
        if let Ok(outcome) = timeout(STALL_TIME, &mut append).await {
            return outcome;
        }
        warn!(%shard, "shard log unavailable");
        self.health.set_writable(false);
        for job in std::mem::take(&mut self.waiting) {
            self.reject(job);
        }
        let outcome = loop {
            tokio::select! {
                biased;
                outcome = &mut append => break outcome,
                job = jobs.recv(), if !jobs.is_closed() => if let Some(job) = job {
                    self.reject(job);
                },
            }
        };
        self.health.set_writable(true);
        info!(%shard, "shard log available again");
        outcome
    }

    /// Rejects a job while the log does not answer. A deletion waits, because an abandoned room must not come back.
    fn reject(&mut self, job: WriterJob) {
        if !matches!(job.op, LogOp::Delete(_)) {
            let error = LogError::Unavailable("the shard log does not answer".into());
            job.reply.send(Err(error));
        } else if self.waiting.len() < MAX_BATCH_JOBS {
            self.waiting.push_back(job);
        } else {
            debug!(shard = %self.owned.shard, ?job, "deletion dropped: too many deletions wait for the shard log");
        }
    }

    /// Gives up the shard.
    async fn release(self) -> WriterEnd {
        let message = MessageBuilder::default()
            .finish(&self.header(MessageKind::Release, self.owned.state.floor()));
        let append = append_until_certain(
            &*self.shared.log,
            self.owned.shard,
            self.owned.tail,
            message,
        );
        match timeout(RELEASE_TIMEOUT, append).await {
            Ok(AppendOutcome::Stored(_) | AppendOutcome::StoredThenReplaced) => WriterEnd::Closed,
            Ok(AppendOutcome::Replaced | AppendOutcome::ReplacedUnknown) => WriterEnd::Replaced,
            Err(_) => {
                warn!(shard = %self.owned.shard, "cannot release shard in time");
                WriterEnd::Closed
            }
        }
    }
}

fn reply(replies: Vec<DeferredReply>, error: Option<LogError>) {
    for reply in replies {
        reply.send(error.clone());
    }
}

fn replaced() -> LogError {
    LogError::Unavailable("another node owns the shard".into())
}
