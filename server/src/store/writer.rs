//! Parts of every store that commits in groups: the jobs of its writer, their bounded queue, the futures of their replies,
//! and the health of the writer.
//!
//! Other threads read the health without waiting: whether the last write succeeded, and whether the writer has been busy
//! for too long. A disk that hangs reports no error.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use futures::FutureExt;
use futures::future::{BoxFuture, ready};
use noughts_protocol::{EventRecord, RoomId, Seq};
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use crate::runtime::clock::{ServerClock, millis};
use crate::store::{Checkpoint, FinishedGame, LogError, RoomSecrets, StoredRoom};

/// Maximum number of jobs that wait for the writer, and that one commit executes.
pub(crate) const MAX_BATCH_JOBS: usize = 4096;

/// Sends the result of a job to its sender.
pub(crate) type JobReply<T> = oneshot::Sender<Result<T, LogError>>;

/// Sends a reply after the commit of the group, or with its error.
pub(crate) type DeferredReply = Box<dyn FnOnce(Option<LogError>)>;

/// Keeps a reply until the result of the group is known.
pub(crate) fn defer_reply<T: 'static>(
    reply: JobReply<T>,
    result: Result<T, LogError>,
) -> DeferredReply {
    Box::new(move |error| send_reply(reply, error.map_or(result, Err)))
}

/// Sends a reply. The sender of the job may have stopped waiting for it.
fn send_reply<T>(reply: JobReply<T>, result: Result<T, LogError>) {
    drop(reply.send(result));
}

/// A job of the writer thread, with the sender of its reply. Large, rare variants are boxed so that moving a job stays
/// cheap.
#[derive(Debug)]
pub(crate) enum WriterJob {
    Create(Box<RoomSecrets>, Vec<EventRecord>, JobReply<()>),
    UpdateSecrets(Box<RoomSecrets>, JobReply<()>),
    Append(RoomId, Vec<EventRecord>, Option<FinishedGame>, JobReply<()>),
    Checkpoint(RoomId, Checkpoint, JobReply<()>),
    Delete(RoomId, JobReply<()>),
    Load(RoomId, JobReply<StoredRoom>),
    EventsSince(RoomId, Seq, JobReply<Vec<EventRecord>>),
    Recover(JobReply<Vec<(RoomSecrets, StoredRoom)>>),
    /// Replies after the commit of its group.
    #[cfg(feature = "cluster")]
    Confirm(JobReply<()>),
    #[cfg(test)]
    LimitPages(Option<u32>, JobReply<()>),
}

impl WriterJob {
    /// The room of the job, if it concerns a single room.
    pub(crate) fn room(&self) -> Option<RoomId> {
        match self {
            WriterJob::Create(secrets, ..) | WriterJob::UpdateSecrets(secrets, _) => {
                Some(secrets.room)
            }
            WriterJob::Append(room, ..)
            | WriterJob::Checkpoint(room, ..)
            | WriterJob::Delete(room, _)
            | WriterJob::Load(room, _)
            | WriterJob::EventsSince(room, ..) => Some(*room),
            WriterJob::Recover(_) => None,
            #[cfg(feature = "cluster")]
            WriterJob::Confirm(_) => None,
            #[cfg(test)]
            WriterJob::LimitPages(..) => None,
        }
    }

    /// Whether the job changes nothing in the file.
    pub(crate) fn is_read(&self) -> bool {
        match self {
            WriterJob::Load(..) | WriterJob::EventsSince(..) | WriterJob::Recover(_) => true,
            #[cfg(feature = "cluster")]
            WriterJob::Confirm(_) => true,
            WriterJob::Create(..)
            | WriterJob::UpdateSecrets(..)
            | WriterJob::Append(..)
            | WriterJob::Checkpoint(..)
            | WriterJob::Delete(..) => false,
            #[cfg(test)]
            WriterJob::LimitPages(..) => false,
        }
    }

    /// Whether the job can be skipped, because its sender does not wait for the reply. A room that stopped waiting
    /// for an append reads the log, by a later job, before it goes on. A deletion is always executed.
    pub(crate) fn is_abandoned(&self) -> bool {
        match self {
            WriterJob::Create(_, _, reply)
            | WriterJob::UpdateSecrets(_, reply)
            | WriterJob::Append(_, _, _, reply)
            | WriterJob::Checkpoint(_, _, reply) => reply.is_closed(),
            WriterJob::Load(_, reply) => reply.is_closed(),
            WriterJob::EventsSince(_, _, reply) => reply.is_closed(),
            WriterJob::Recover(reply) => reply.is_closed(),
            #[cfg(feature = "cluster")]
            WriterJob::Confirm(reply) => reply.is_closed(),
            WriterJob::Delete(_, _) => false,
            #[cfg(test)]
            WriterJob::LimitPages(_, _) => false,
        }
    }

    /// Answers the job with an error instead of executing it. Returns a job that must be executed nevertheless.
    #[cfg(feature = "cluster")]
    pub(crate) fn refuse(self, error: LogError) -> Result<(), WriterJob> {
        match self {
            WriterJob::Create(_, _, reply)
            | WriterJob::UpdateSecrets(_, reply)
            | WriterJob::Append(_, _, _, reply)
            | WriterJob::Checkpoint(_, _, reply)
            | WriterJob::Confirm(reply) => send_reply(reply, Err(error)),
            WriterJob::Load(_, reply) => send_reply(reply, Err(error)),
            WriterJob::EventsSince(_, _, reply) => send_reply(reply, Err(error)),
            WriterJob::Recover(reply) => send_reply(reply, Err(error)),
            job @ WriterJob::Delete(..) => return Err(job),
            #[cfg(test)]
            WriterJob::LimitPages(_, reply) => send_reply(reply, Err(error)),
        }
        Ok(())
    }
}

/// Sending half of the queue of a writer, which ends when the queue is dropped.
#[derive(Debug)]
pub(crate) struct JobQueue {
    jobs: mpsc::Sender<WriterJob>,
}

impl JobQueue {
    pub(crate) fn new() -> (JobQueue, mpsc::Receiver<WriterJob>) {
        let (jobs, job_receiver) = mpsc::channel(MAX_BATCH_JOBS);
        (JobQueue { jobs }, job_receiver)
    }

    /// Sends a job to the writer, and waits for its reply.
    pub(crate) fn submit<T: Send + 'static>(
        &self,
        make_job: impl FnOnce(JobReply<T>) -> WriterJob + Send + 'static,
    ) -> BoxFuture<'_, Result<T, LogError>> {
        let (reply_sender, reply_future) = oneshot::channel();
        let reply_future = reply_future.map(|reply| reply.unwrap_or(Err(LogError::Unknown)));
        // The queue is rarely full, and the future is smaller if it does not wait for capacity.
        match self.jobs.try_send(make_job(reply_sender)) {
            Ok(()) => reply_future.boxed(),
            Err(TrySendError::Closed(_)) => ready(Err(writer_ended())).boxed(),
            Err(TrySendError::Full(job)) => async move {
                self.jobs.send(job).await.map_err(|_| writer_ended())?;
                reply_future.await
            }
            .boxed(),
        }
    }

    /// The bare queue, for jobs with replies of a test.
    #[cfg(test)]
    pub(crate) fn sender(&self) -> &mpsc::Sender<WriterJob> {
        &self.jobs
    }
}

/// Error of a job whose writer has ended.
pub(crate) fn writer_ended() -> LogError {
    LogError::Unavailable("log writer has ended".into())
}

/// Value of `busy_since` while the writer is idle.
const IDLE: u64 = u64::MAX;

#[derive(Debug)]
pub(crate) struct WriterHealth {
    writable: AtomicBool,
    /// Start of the current work, or [`IDLE`].
    busy_since: AtomicU64,
    time: ServerClock,
    /// Time limit of the current work, in milliseconds.
    write_timeout: u64,
    /// Passes of the writer through its loop.
    steps: AtomicU64,
    failure: CancellationToken,
}

impl WriterHealth {
    pub(crate) fn new(time: ServerClock, write_timeout: Duration) -> WriterHealth {
        WriterHealth {
            writable: AtomicBool::new(true),
            busy_since: AtomicU64::new(IDLE),
            time,
            write_timeout: millis(write_timeout),
            steps: AtomicU64::new(0),
            failure: CancellationToken::new(),
        }
    }

    /// Whether events can be stored: the last write succeeded, and the writer is not stuck.
    pub(crate) fn is_healthy(&self) -> bool {
        self.is_writable()
            && self
                .time
                .now()
                .saturating_sub(self.busy_since.load(Ordering::Relaxed))
                < self.write_timeout
    }

    /// Whether the last write succeeded.
    pub(crate) fn is_writable(&self) -> bool {
        self.writable.load(Ordering::Relaxed)
    }

    /// Records whether a write succeeded, and returns the previous value.
    pub(crate) fn set_writable(&self, writable: bool) -> bool {
        self.writable.swap(writable, Ordering::Relaxed)
    }

    /// Marks the writer as busy until the guard is dropped.
    pub(crate) fn mark_busy(&self) -> BusyGuard<'_> {
        self.busy_since.store(self.time.now(), Ordering::Relaxed);
        BusyGuard(self)
    }

    /// Counts a step of the writer.
    pub(crate) fn count_step(&self) {
        self.steps.fetch_add(1, Ordering::Relaxed);
    }

    /// Number of steps that the writer has taken.
    pub(crate) fn step_count(&self) -> u64 {
        self.steps.load(Ordering::Relaxed)
    }

    /// Records a permanent failure: nothing will be written until the next start.
    pub(crate) fn fail_permanently(&self) {
        self.set_writable(false);
        self.failure.cancel();
    }

    /// Records a permanent failure if the thread panics while it holds the guard.
    pub(crate) fn fail_on_panic(&self) -> PanicGuard<'_> {
        PanicGuard(self)
    }

    /// Cancelled by a permanent failure.
    pub(crate) fn failure_token(&self) -> &CancellationToken {
        &self.failure
    }
}

/// Marks the writer as busy.
#[must_use = "the writer is idle as soon as the guard is dropped"]
pub(crate) struct BusyGuard<'a>(&'a WriterHealth);

impl Drop for BusyGuard<'_> {
    fn drop(&mut self) {
        self.0.busy_since.store(IDLE, Ordering::Relaxed);
    }
}

/// Records a permanent failure of the log if the writer panics.
#[must_use = "it reports a panic only while it is held"]
pub(crate) struct PanicGuard<'a>(&'a WriterHealth);

impl Drop for PanicGuard<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.fail_permanently();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_writer_busy_for_too_long_is_unhealthy_until_it_is_done() {
        let write_timeout = Duration::from_secs(5);
        let health = WriterHealth::new(ServerClock::from_unix_ms(0), write_timeout);
        tokio::time::advance(10 * write_timeout).await;
        assert!(health.is_healthy(), "idle for any time");
        let guard = health.mark_busy();
        tokio::time::advance(write_timeout - Duration::from_millis(1)).await;
        assert!(health.is_healthy());
        tokio::time::advance(Duration::from_millis(1)).await;
        assert!(!health.is_healthy());
        assert!(health.is_writable(), "nothing has failed");
        drop(guard);
        assert!(health.is_healthy());
    }
}
