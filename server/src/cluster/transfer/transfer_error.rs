//! Failures of an import or export.

use std::time::Duration;

use noughts_protocol::RoomId;
use tokio::time::timeout;

use crate::cluster::cluster_error::ClusterError;
use crate::cluster::log::take_over::CorruptShard;
use crate::cluster::nodes::heartbeat_channel::HeartbeatChannel;
use crate::cluster::shard::Shard;
use crate::cluster::transfer::game_archiver::ArchiveError;
use crate::store::LogError;
use crate::store::sqlite::DataDirError;

/// Reason why rooms cannot be moved.
#[derive(Debug, thiserror::Error)]
pub(crate) enum TransferError {
    #[error("nodes of the cluster are running: stop all of them, and try again")]
    NodesRun,
    #[error("shard {0} changed meanwhile: stop all nodes, and try again")]
    ShardChanged(Shard),
    #[error("the log of shard {0} does not respond: nothing is lost, try again")]
    NoReply(Shard),
    #[error("room {room}: {error}")]
    Room { room: RoomId, error: LogError },
    #[error("finished games are not accepted: {0}; try again")]
    Games(String),
    #[error(transparent)]
    Corrupt(#[from] CorruptShard),
    #[error(transparent)]
    Cluster(#[from] ClusterError),
    #[error(transparent)]
    Data(#[from] DataDirError),
    #[error(transparent)]
    Archive(#[from] ArchiveError),
}

/// Maximum time that a message from a node is under way.
pub(super) const ARRIVAL_TIMEOUT: Duration = Duration::from_secs(1);

/// Waits for `time`, and checks that no heartbeat and no announcement of a node has arrived since the command
/// connected.
///
/// # Errors
/// If a node runs or starts.
pub(super) async fn require_silence(
    heartbeats: &mut dyn HeartbeatChannel,
    time: Duration,
) -> Result<(), TransferError> {
    match timeout(time, heartbeats.receive()).await {
        Err(_) => Ok(()),
        Ok(Some(_)) => Err(TransferError::NodesRun),
        Ok(None) => Err(ClusterError::Setup("NATS connection has ended".into()).into()),
    }
}
