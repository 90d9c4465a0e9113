//! Jobs of the writer thread.

use noughts_protocol::{EventRecord, RoomId, Seq};
use tokio::sync::oneshot;

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
