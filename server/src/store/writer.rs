//! Parts of every store that commits in groups: jobs, their queue, their replies, and the health of the writer.

pub(crate) mod health;
pub(crate) mod job;
pub(crate) mod job_queue;
