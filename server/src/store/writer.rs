//! Parts that every store with group commits uses: the jobs of its writer, their bounded queue, the futures of their
//! replies, and the health of the writer.
//!
//! Other threads read the health without waiting: whether the last write succeeded, and whether the writer has been
//! busy for too long. The second value is needed because a disk that hangs reports no error.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use futures::FutureExt;
use futures::future::{BoxFuture, ready};
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use crate::runtime::clock::{ServerClock, millis};
use crate::store::{LogError, LogOp, LogResult};

/// Maximum number of jobs that wait for the writer, and that one commit executes.
pub(crate) const MAX_BATCH_JOBS: usize = 4096;

/// A job of the writer: an operation, and the receiver of its result.
#[derive(Debug)]
pub(crate) struct WriterJob {
    pub(crate) op: LogOp,
    pub(crate) reply: JobReply,
}

impl WriterJob {
    /// Returns whether the job can be skipped, because its sender does not wait for the reply. A room that stopped
    /// waiting for an append reads the log, by a later job, before it appends again. A deletion is always executed.
    pub(crate) fn is_abandoned(&self) -> bool {
        self.reply.0.is_closed() && !matches!(self.op, LogOp::Delete(_))
    }
}

/// Sends the result of a job to the sender of the job.
#[derive(Debug)]
pub(crate) struct JobReply(pub(crate) oneshot::Sender<LogResult>);

impl JobReply {
    /// Sends the result. The sender of the job may have stopped waiting for it.
    pub(crate) fn send(self, result: LogResult) {
        drop(self.0.send(result));
    }
}

/// The result of a job. The writer sends it after the commit of the group.
pub(crate) struct DeferredReply {
    pub(crate) reply: JobReply,
    pub(crate) result: LogResult,
}

impl DeferredReply {
    /// Sends the result, or the error that the group has failed with.
    pub(crate) fn send(self, group_error: Option<LogError>) {
        self.reply.send(group_error.map_or(self.result, Err));
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

    /// Sends an operation to the writer, and waits for its result.
    pub(crate) fn submit(&self, op: LogOp) -> BoxFuture<'_, LogResult> {
        let (reply_sender, reply_future) = oneshot::channel();
        let reply_future = reply_future.map(|reply| reply.unwrap_or(Err(LogError::Unknown)));
        let job = WriterJob {
            op,
            reply: JobReply(reply_sender),
        };
        // The queue is rarely full, and the future is smaller if it does not wait for capacity.
        match self.jobs.try_send(job) {
            Ok(()) => reply_future.boxed(),
            Err(TrySendError::Closed(_)) => ready(Err(writer_ended())).boxed(),
            Err(TrySendError::Full(job)) => async move {
                self.jobs.send(job).await.map_err(|_| writer_ended())?;
                reply_future.await
            }
            .boxed(),
        }
    }

    /// Returns the sender of the queue, for tests that receive the replies themselves.
    #[cfg(test)]
    pub(crate) fn sender(&self) -> &mpsc::Sender<WriterJob> {
        &self.jobs
    }
}

/// Returns the error of a job that arrives after the writer has ended.
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
    /// Number of steps that the writer has taken.
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

    /// Returns whether events can be stored: the last write succeeded, and the writer is not stuck.
    pub(crate) fn is_healthy(&self) -> bool {
        self.is_writable()
            && self
                .time
                .now()
                .saturating_sub(self.busy_since.load(Ordering::Relaxed))
                < self.write_timeout
    }

    /// Returns whether the last write succeeded.
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

    pub(crate) fn count_step(&self) {
        self.steps.fetch_add(1, Ordering::Relaxed);
    }

    /// Returns the number of steps that the writer has taken.
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

    /// Returns a token that a permanent failure cancels.
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
