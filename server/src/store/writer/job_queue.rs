//! The bounded queue of jobs for a writer, and the futures of their replies.

use futures::FutureExt;
use futures::future::{BoxFuture, ready};
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::{mpsc, oneshot};

use crate::store::LogError;
use crate::store::writer::job::{JobReply, MAX_BATCH_JOBS, WriterJob};

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
