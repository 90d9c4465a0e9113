//! Replies to jobs that are sent after the commit of their group.

use crate::runtime::sync::wake_chain::PendingWake;
use crate::store::LogError;
use crate::store::writer::job::JobReply;

/// Sends a reply after the commit of the group, or with its error, and returns the task to wake.
pub(crate) type DeferredReply = Box<dyn FnOnce(Option<LogError>) -> PendingWake>;

/// Keeps a reply until the result of the group is known.
pub(crate) fn defer_reply<T: 'static>(
    reply: JobReply<T>,
    result: Result<T, LogError>,
) -> DeferredReply {
    Box::new(move |error| reply.send(error.map_or(result, Err)))
}
