//! Several nodes in place of the server, over a model of the replicated log.

pub(crate) mod mirror;
pub(crate) mod node;
pub(crate) mod plan;
pub(crate) mod unconfirmed_log;
