//! The [`EventLog`] of a node: sends the jobs of each room to the writer of its shard.
//!
//! One thread of its own runs the client of the log and all writers, as the writer of the SQLite log has one.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use futures::future::{BoxFuture, join, join_all, ready, try_join_all};
use futures::{FutureExt, StreamExt, TryStreamExt, stream};
use noughts_protocol::{EventRecord, RoomId, Seq};
use prometheus_client::registry::Registry;
use tokio::sync::watch;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;
use tracing::{error, info};

use crate::cluster::log::append_budget::AppendBudget;
use crate::cluster::log::shard_log::ShardLog;
use crate::cluster::log::shard_writer::{ShardWriter, WriterEnd, WriterShared};
use crate::cluster::log::take_over::{CorruptShard, OwnedShard, take_over};
use crate::cluster::metered_log::{ClusterMetrics, MeteredLog};
use crate::cluster::shard::{NodeId, ShardMap};
use crate::runtime::sync::wake_chain::WakeChain;
use crate::runtime::time::server_clock::ServerClock;
use crate::runtime::time::uptime::UptimeHistory;
use crate::store::writer::health::WriterHealth;
use crate::store::writer::job::{JobReply, WriterJob};
use crate::store::writer::job_queue::{JobQueue, writer_ended};
use crate::store::{Checkpoint, EventLog, FinishedGame, LogError, RoomSecrets, StoredRoom};

/// Shards that are taken over at the same time.
const TAKE_OVERS_AT_ONCE: usize = 16;

/// Interval in which the thread of the log reports progress.
const STEP_INTERVAL: Duration = Duration::from_millis(500);

/// A log that is connected, and that no other node serves.
pub(crate) struct ConnectedLog {
    pub(crate) log: Arc<dyn ShardLog>,
    pub(crate) map: ShardMap,
    /// Changes when another node claims to serve the cluster, too.
    pub(crate) rivals: watch::Receiver<()>,
    /// Runs until `stopped` is cancelled, and announces then that this node has left.
    pub(crate) background: BoxFuture<'static, ()>,
    pub(crate) stopped: CancellationToken,
}

/// Reason for which the log of a cluster cannot be used.
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

/// All shards of a cluster, which this node owns.
#[derive(Debug)]
pub(crate) struct ClusterLog {
    map: ShardMap,
    /// By shard. Empty only during drop.
    queues: Vec<JobQueue>,
    /// By shard.
    healths: Vec<Arc<WriterHealth>>,
    /// Cancelled when a shard is lost.
    failure: CancellationToken,
    steps: Arc<AtomicU64>,
    /// Uptime history recorded by previous owners.
    uptime: UptimeHistory,
    /// The previous owners released all shards.
    was_released: bool,
    metrics: ClusterMetrics,
    thread: Option<LogThread>,
}

#[derive(Debug)]
struct LogThread {
    handle: thread::JoinHandle<()>,
    /// Disconnected when the thread has ended.
    ended: Mutex<Receiver<()>>,
    stop_timeout: Duration,
}

impl ClusterLog {
    /// Connects to the log by `connect`, takes over all shards, and runs their writers in a thread of their own.
    ///
    /// # Errors
    /// If the log cannot be used, or a shard is corrupt.
    pub(crate) fn open(
        connect: impl Future<Output = Result<ConnectedLog, ClusterError>> + Send + 'static,
        owner: NodeId,
        time: ServerClock,
        write_timeout: Duration,
    ) -> Result<ClusterLog, ClusterError> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let (opened_sender, opened) = sync_channel(1);
        let (running, ended) = sync_channel(0);
        let handle = thread::Builder::new().name("log".into()).spawn(move || {
            // Dropped at the end, even after a panic.
            let _running = running;
            runtime.block_on(async {
                let connected = match connect.await {
                    Ok(connected) => connected,
                    Err(failed) => return report(&opened_sender, Err(failed)),
                };
                let ConnectedLog { log, map, rivals, background, stopped } = connected;
                let run = async {
                    match start(log, map, rivals, owner, time, write_timeout).await {
                        Ok((log, writers)) => {
                            report(&opened_sender, Ok(log));
                            writers.await;
                        }
                        Err(failed) => report(&opened_sender, Err(failed)),
                    }
                    stopped.cancel();
                };
                // The writers go on if the heartbeats end.
                join(run, background).await;
            });
        })?;
        let ended = Mutex::new(ended);
        // Without a message, the thread panicked.
        let opened = opened.recv().unwrap_or_else(|_| Err(ClusterError::Setup("its thread failed".into())));
        let thread = Some(LogThread { handle, ended, stop_timeout: write_timeout });
        let mut log = opened?;
        log.thread = thread;
        Ok(log)
    }

    /// Whether a shard is lost.
    #[cfg(test)]
    pub(crate) fn failure_is_final(&self) -> bool {
        self.failure.is_cancelled()
    }

    fn submit<T: Send + 'static>(
        &self,
        room: RoomId,
        make_job: impl FnOnce(JobReply<T>) -> WriterJob + Send + 'static,
    ) -> BoxFuture<'_, Result<T, LogError>> {
        match self.queues.get(self.map.of_room(room).index()) {
            Some(queue) => queue.submit(make_job),
            None => ready(Err(writer_ended())).boxed(),
        }
    }
}

fn report(opened: &SyncSender<Result<ClusterLog, ClusterError>>, result: Result<ClusterLog, ClusterError>) {
    // The receiver waits for it.
    if opened.send(result).is_err() {
        error!("start of the cluster log was abandoned");
    }
}

/// Takes over all shards. Returns the log and the future that runs its writers.
///
/// # Errors
/// If a shard is corrupt.
pub(crate) async fn start(
    log: Arc<dyn ShardLog>,
    map: ShardMap,
    rivals: watch::Receiver<()>,
    owner: NodeId,
    time: ServerClock,
    write_timeout: Duration,
) -> Result<(ClusterLog, impl Future<Output = ()>), ClusterError> {
    let metrics = ClusterMetrics::default();
    metrics.shards.set(i64::from(map.count()));
    let log: Arc<dyn ShardLog> = Arc::new(MeteredLog::new(log, metrics.clone()));
    let claims = map.shards().map(|shard| take_over(&*log, shard, owner, || time.now()));
    let owned: Vec<OwnedShard> = stream::iter(claims).buffered(TAKE_OVERS_AT_ONCE).try_collect().await?;
    metrics.claims.inc_by(u64::from(map.count()));
    metrics.owned_shards.set(i64::from(map.count()));
    info!(node = %owner, shards = map.count(), "shards claimed");
    let uptime = UptimeHistory::union(owned.iter().map(|owned| owned.state.uptime()));
    let was_released = owned.iter().all(|owned| owned.was_released);
    let wake_chain = Arc::<WakeChain>::default();
    let budget = Arc::new(AppendBudget::new());
    let shared =
        WriterShared { log, wake_chain: Arc::clone(&wake_chain), budget, rivals, time: time.clone() };
    let (mut queues, mut healths, mut writers) = (Vec::new(), Vec::new(), Vec::new());
    for owned in owned {
        let health = Arc::new(WriterHealth::new(time.clone(), write_timeout));
        let (queue, jobs) = JobQueue::new(Arc::clone(&wake_chain));
        writers.push(ShardWriter::new(owned, shared.clone(), Arc::clone(&health)).run(jobs));
        queues.push(queue);
        healths.push(health);
    }
    let (failure, steps) = (CancellationToken::new(), Arc::<AtomicU64>::default());
    let (writer_failure, writer_steps) = (failure.clone(), Arc::clone(&steps));
    let writer_metrics = metrics.clone();
    let run = async move {
        let report_loss = |end| {
            writer_metrics.owned_shards.dec();
            if end == WriterEnd::Replaced {
                writer_metrics.lost_shards.inc();
                writer_failure.cancel();
            }
        };
        let writers = join_all(writers.into_iter().map(|writer| writer.map(report_loss)));
        let count_steps = async {
            loop {
                sleep(STEP_INTERVAL).await;
                writer_steps.fetch_add(1, Ordering::Relaxed);
            }
        };
        tokio::select! {
            _ = writers => wake_chain.wake_all(),
            never = count_steps => never,
        }
    };
    let log =
        ClusterLog { map, queues, healths, failure, steps, uptime, was_released, metrics, thread: None };
    Ok((log, run))
}

impl Drop for ClusterLog {
    /// Waits until the writers have executed their jobs and released their shards, at most for the write timeout.
    fn drop(&mut self) {
        // A writer ends when its queue is dropped.
        self.queues = Vec::new();
        let Some(LogThread { handle, ended, stop_timeout }) = self.thread.take() else { return };
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
    fn create(&self, secrets: RoomSecrets, events: Vec<EventRecord>) -> BoxFuture<'_, Result<(), LogError>> {
        self.submit(secrets.room, move |reply| WriterJob::Create(Box::new(secrets), events, reply))
    }

    fn update_secrets(&self, secrets: RoomSecrets) -> BoxFuture<'_, Result<(), LogError>> {
        self.submit(secrets.room, move |reply| WriterJob::UpdateSecrets(Box::new(secrets), reply))
    }

    fn append(
        &self,
        room: RoomId,
        events: Vec<EventRecord>,
        finished: Option<FinishedGame>,
    ) -> BoxFuture<'_, Result<(), LogError>> {
        self.submit(room, move |reply| WriterJob::Append(room, events, finished, reply))
    }

    fn confirm(&self, room: RoomId) -> Option<BoxFuture<'_, Result<(), LogError>>> {
        self.metrics.confirms.inc();
        Some(self.submit(room, WriterJob::Confirm))
    }

    fn can_be_replaced(&self) -> bool {
        true
    }

    fn confirm_all(&self) -> Option<BoxFuture<'_, Result<(), LogError>>> {
        self.metrics.confirms.inc();
        let shards = self.queues.iter().map(|queue| queue.submit(WriterJob::Confirm));
        Some(try_join_all(shards).map(|shards| shards.map(|_| ())).boxed())
    }

    fn load(&self, room: RoomId) -> BoxFuture<'_, Result<StoredRoom, LogError>> {
        self.submit(room, move |reply| WriterJob::Load(room, reply))
    }

    fn events_since(&self, room: RoomId, after: Seq) -> BoxFuture<'_, Result<Vec<EventRecord>, LogError>> {
        self.submit(room, move |reply| WriterJob::EventsSince(room, after, reply))
    }

    fn checkpoint(&self, room: RoomId, checkpoint: Checkpoint) -> BoxFuture<'_, Result<(), LogError>> {
        self.submit(room, move |reply| WriterJob::Checkpoint(room, checkpoint, reply))
    }

    fn recover(&self) -> BoxFuture<'_, Result<Vec<(RoomSecrets, StoredRoom)>, LogError>> {
        let shards = self.queues.iter().map(|queue| queue.submit(WriterJob::Recover));
        try_join_all(shards).map(|shards| Ok(shards?.concat())).boxed()
    }

    fn delete(&self, room: RoomId) -> BoxFuture<'_, Result<(), LogError>> {
        self.submit(room, move |reply| WriterJob::Delete(room, reply))
    }

    fn record_uptime(&self, uptime: UptimeHistory) {
        for queue in &self.queues {
            queue.record_uptime(uptime.clone());
        }
    }

    fn uptime(&self) -> UptimeHistory {
        self.uptime.clone()
    }

    fn closed_at(&self) -> Option<u64> {
        (self.was_released && !self.uptime.is_empty()).then(|| self.uptime.last_seen())
    }

    fn writer_steps(&self) -> Option<u64> {
        Some(self.steps.load(Ordering::Relaxed))
    }

    /// Finished games are not archived.
    fn archives_games(&self) -> bool {
        false
    }

    fn register_histograms(&self, registry: &mut Registry) {
        self.metrics.register(registry);
    }

    fn is_healthy(&self) -> bool {
        self.healths.iter().all(|health| health.is_healthy())
    }

    fn failed(&self) -> BoxFuture<'_, ()> {
        self.failure.cancelled().boxed()
    }
}
