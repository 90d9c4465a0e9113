//! Failures that end a node.

use crate::cluster::log::take_over::CorruptShard;

/// Reason why the log of a cluster cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ClusterError {
    /// The servers of the log cannot be used.
    #[error("cannot use cluster: {0}")]
    Setup(String),
    #[error("cannot serve cluster: {0}")]
    Corrupt(#[from] CorruptShard),
    #[error("cannot start thread of the cluster log: {0}")]
    Thread(#[from] std::io::Error),
}
