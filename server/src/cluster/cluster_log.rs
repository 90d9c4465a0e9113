//! The [`EventLog`] of a node: sends the jobs of each room to the writer of its shard, if this node owns the shard.
//!
//! The client of the log, the heartbeats and all writers run in one thread of their own, like the writer of the SQLite
//! log.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use futures::FutureExt;
use futures::future::{BoxFuture, ready, try_join_all};
use noughts_protocol::{RoomCode, RoomId};
use prometheus_client::registry::Registry;
use tokio::sync::mpsc::Receiver;
use tokio_util::sync::CancellationToken;
use tracing::error;

use crate::cluster::cluster_error::ClusterError;
use crate::cluster::log::game_stream::GameStream;
use crate::cluster::log::shard_log::ShardLog;
use crate::cluster::metered_log::{ClusterMetrics, MeteredGames, MeteredLog};
use crate::cluster::nodes::code_table::CodeTable;
use crate::cluster::nodes::heartbeat_channel::HeartbeatChannel;
use crate::cluster::nodes::node_options::NodeOptions;
use crate::cluster::nodes::own_node_task::{NodeTask, ShardEvent};
use crate::cluster::nodes::shard_table::ShardTable;
use crate::cluster::shard::{Shard, ShardMap};
use crate::store::{EventLog, LogError, LogFuture, LogOp, LogReply, LogResult, SharedLog};

/// The connections of a node to its log.
pub(crate) struct ConnectedLog {
    pub(crate) log: Arc<dyn ShardLog>,
    pub(crate) games: Arc<dyn GameStream>,
    pub(crate) map: ShardMap,
    pub(crate) imported_codes: CodeTable,
    pub(crate) heartbeats: Box<dyn HeartbeatChannel>,
}

/// The shards of a cluster that this node owns.
#[derive(Debug)]
pub(crate) struct ClusterLog {
    table: Arc<ShardTable>,
    /// Cancelled when the node ends without having been stopped.
    failure: CancellationToken,
    /// Cancelled when the node should stop.
    stopping: CancellationToken,
    steps: Arc<AtomicU64>,
    metrics: ClusterMetrics,
    thread: Option<LogThread>,
}

#[derive(Debug)]
struct LogThread {
    handle: thread::JoinHandle<()>,
    /// Disconnected when the thread has ended.
    ended: Mutex<mpsc::Receiver<()>>,
    stop_timeout: Duration,
}

/// A node that has begun to serve: its log, and the changes of its shards.
pub(crate) type StartedNode = (ClusterLog, Receiver<ShardEvent>);

type StartReply = SyncSender<Result<StartedNode, ClusterError>>;

impl ClusterLog {
    /// Connects to the log by `connect`, and runs a node in a thread of its own. Returns when the node has claimed the
    /// shards that no other node owns. The receiver announces every shard of the node. A node that should give up a
    /// shard keeps it until the server drops the announcement of this.
    ///
    /// # Errors
    /// If the log cannot be used, or a shard is corrupt.
    pub(crate) fn open(
        connect: impl Future<Output = Result<ConnectedLog, ClusterError>> + Send + 'static,
        options: NodeOptions,
    ) -> Result<StartedNode, ClusterError> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        let (opened_sender, opened) = sync_channel(1);
        let (running, ended) = sync_channel(0);
        let stop_timeout = options.write_timeout;
        let handle = thread::Builder::new().name("log".into()).spawn(move || {
            // The value is dropped when the thread ends, even after a panic.
            let _running = running;
            runtime.block_on(async {
                match connect.await {
                    Ok(connected) => run_node(connected, options, &opened_sender).await,
                    Err(failed) => report(&opened_sender, Err(failed)),
                }
            });
        })?;
        let ended = Mutex::new(ended);
        // If no message arrives, the thread has panicked.
        let opened = opened
            .recv()
            .unwrap_or_else(|_| Err(ClusterError::Setup("its thread failed".into())));
        let thread = Some(LogThread {
            handle,
            ended,
            stop_timeout,
        });
        let (mut log, events) = opened?;
        log.thread = thread;
        Ok((log, events))
    }

    /// Creates a log over the shards of `table`. `stopping` is cancelled when it is dropped.
    pub(crate) fn new(table: Arc<ShardTable>, stopping: CancellationToken) -> ClusterLog {
        let failure = CancellationToken::new();
        ClusterLog {
            table,
            failure,
            stopping,
            steps: Arc::default(),
            metrics: ClusterMetrics::default(),
            thread: None,
        }
    }

    /// Returns whether another node has replaced this node as the owner of a shard.
    #[cfg(test)]
    pub(crate) fn is_replaced(&self) -> bool {
        self.table
            .all_own()
            .iter()
            .any(|own| own.health.failure_token().is_cancelled())
    }

    pub(crate) fn metrics(&self) -> &ClusterMetrics {
        &self.metrics
    }

    /// Returns the shards of this node and of others.
    pub(crate) fn table(&self) -> &Arc<ShardTable> {
        &self.table
    }

    fn submit_to(&self, shard: Shard, op: LogOp) -> BoxFuture<'_, LogResult> {
        match self.table.own(shard) {
            // The queue lives as long as the future, so that the shard is not released before the reply.
            Some(own) => async move { own.queue.submit(op).await }.boxed(),
            None => ready(Err(not_owned())).boxed(),
        }
    }

    /// Reads the rooms of the shards that this node owns. A server restores the rooms of a shard when the shard is
    /// announced.
    async fn recover_own(&self) -> LogResult {
        let shards = self.table.all_own().into_iter();
        let shards = shards
            .map(|own| async move { LogReply::rooms(own.queue.submit(LogOp::Recover).await) });
        Ok(LogReply::Rooms(try_join_all(shards).await?.concat()))
    }

    /// Waits until the log of a shard has stored something after this call.
    fn confirm_shard(&self, shard: Shard) -> LogFuture<'_, ()> {
        self.metrics.confirms.inc();
        self.submit_to(shard, LogOp::Confirm).map(LogReply::done)
    }
}

fn not_owned() -> LogError {
    LogError::Unavailable("this node does not own the shard".into())
}

fn report(opened: &StartReply, result: Result<StartedNode, ClusterError>) {
    // The function that opened the log waits for this result.
    if opened.send(result).is_err() {
        error!("start of the cluster log was abandoned");
    }
}

/// Runs a node until it is stopped.
async fn run_node(connected: ConnectedLog, options: NodeOptions, opened: &StartReply) {
    let ConnectedLog {
        log,
        games,
        map,
        imported_codes,
        heartbeats,
    } = connected;
    let table = Arc::new(ShardTable::with_codes(map, imported_codes));
    let cluster_log = ClusterLog::new(Arc::clone(&table), CancellationToken::new());
    let (stopping, failure) = (cluster_log.stopping.clone(), cluster_log.failure.clone());
    let metrics = cluster_log.metrics.clone();
    metrics.shards.set(i64::from(map.count()));
    let log = Arc::new(MeteredLog::new(log, metrics.clone()));
    let games = Arc::new(MeteredGames::new(games, metrics.clone()));
    let steps = Arc::clone(&cluster_log.steps);
    let (mut node, events) = NodeTask::new(log, games, heartbeats, table, options, metrics, steps);
    match node.run_until_settled().await {
        Ok(()) => report(opened, Ok((cluster_log, events))),
        Err(failed) => return report(opened, Err(failed)),
    }
    node.run(stopping.clone()).await;
    if !stopping.is_cancelled() {
        error!("node ended: its connection to the NATS servers has failed");
        failure.cancel();
    }
}

impl Drop for ClusterLog {
    /// Waits until the writers have executed their jobs and released their shards. The wait takes at most the write
    /// timeout.
    fn drop(&mut self) {
        self.stopping.cancel();
        // A writer ends when its queue is dropped.
        self.table.clear();
        let Some(LogThread {
            handle,
            ended,
            stop_timeout,
        }) = self.thread.take()
        else {
            return;
        };
        let ended = ended.into_inner().unwrap_or_else(PoisonError::into_inner);
        match ended.recv_timeout(stop_timeout) {
            Ok(()) | Err(RecvTimeoutError::Disconnected) => {
                if handle.join().is_err() {
                    error!("thread of the cluster log panicked");
                }
            }
            Err(RecvTimeoutError::Timeout) => {
                error!("cluster log did not stop in time; skipping clean shutdown");
            }
        }
    }
}

impl EventLog for ClusterLog {
    fn submit(&self, op: LogOp) -> BoxFuture<'_, LogResult> {
        match op.room() {
            Some(room) => self.submit_to(self.table.map().of_room(room), op),
            None if matches!(op, LogOp::Recover) => self.recover_own().boxed(),
            None => ready(Err(LogError::Unavailable(
                "the operation names no room".into(),
            )))
            .boxed(),
        }
    }

    fn shared(&self) -> Option<&dyn SharedLog> {
        Some(self)
    }

    fn writer_steps(&self) -> Option<u64> {
        Some(self.steps.load(Ordering::Relaxed))
    }

    fn register_histograms(&self, registry: &mut Registry) {
        self.metrics.register(registry);
    }

    fn is_healthy(&self) -> bool {
        self.table.is_connected()
            && self
                .table
                .all_own()
                .iter()
                .all(|own| own.health.is_healthy())
    }

    fn failed(&self) -> BoxFuture<'_, ()> {
        self.failure.cancelled().boxed()
    }
}

impl SharedLog for ClusterLog {
    fn confirm(&self, room: RoomId) -> LogFuture<'_, ()> {
        self.confirm_shard(self.table.map().of_room(room))
    }

    fn confirm_code(&self, code: RoomCode) -> LogFuture<'_, ()> {
        self.confirm_shard(self.table.shard_of_code(code))
    }

    fn announce_stop(&self) {
        self.table.announce_stop();
    }
}
