//! A node of a model cluster, as a server.

use std::fmt;
use std::sync::Arc;

use tokio::task::spawn_local;
use tokio_util::sync::CancellationToken;

use crate::cluster::cluster_node::ClusterNode;
use crate::cluster::nodes::own_node_task::NodeTask;
use crate::cluster::nodes::shard_table::ShardTable;
use crate::net::accept::Listener;
use crate::runtime::clock::ServerClock;
use crate::runtime::rng::ServerRng;
use crate::store::EventLog;
use crate::{RunError, ServerLimits, ServerParts, run_parts};

/// A process of a node that has claimed its shards.
pub struct ModelServer {
    /// The log of its rooms. A test may wrap it in another log.
    pub log: Arc<dyn EventLog>,
    pub(super) node: ClusterNode,
    pub(super) task: NodeTask,
    pub(super) table: Arc<ShardTable>,
    pub(super) stopping: CancellationToken,
}

impl ModelServer {
    /// Runs the server as a node, like [`run`](crate::run), in a [`LocalSet`](tokio::task::LocalSet). Returns when the
    /// node has released its shards.
    ///
    /// # Errors
    /// Returns the errors of [`run`](crate::run).
    pub async fn run(
        self,
        listener: impl Listener,
        limits: ServerLimits,
        rng: ServerRng,
        clock: ServerClock,
        shutdown: impl Future<Output = ()>,
    ) -> Result<(), RunError> {
        let ModelServer {
            log,
            node,
            task,
            table,
            stopping,
        } = self;
        let task = spawn_local(task.run(stopping.clone()));
        let parts = ServerParts {
            listener,
            admin_listener: None,
            tls: None,
            limits: Arc::new(limits),
            is_final: false,
            log,
            rng,
            clock,
            node: Some(node),
            operator: crate::operator::OperatorParts::default(),
            stop_announced: CancellationToken::new(),
        };
        let served = run_parts(parts, || {}, shutdown).await;
        stopping.cancel();
        table.clear();
        task.await.expect("the task of a node does not panic");
        served
    }
}

impl fmt::Debug for ModelServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ModelServer")
            .field("table", &self.table)
            .finish_non_exhaustive()
    }
}
