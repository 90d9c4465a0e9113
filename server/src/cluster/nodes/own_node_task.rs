//! The task of a node: sends and receives heartbeats, claims and gives up shards, and runs their writers.

use std::collections::HashSet;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

use futures::future::{BoxFuture, LocalBoxFuture};
use futures::stream::FuturesUnordered;
use futures::{FutureExt, StreamExt};
use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, Interval, MissedTickBehavior, interval, sleep_until};
use tokio_util::sync::CancellationToken;
use tracing::{debug, error, info, warn};

use crate::cluster::cluster_error::ClusterError;
use crate::cluster::log::append_budget::AppendBudget;
use crate::cluster::log::game_stream::GameStream;
use crate::cluster::log::shard_log::ShardLog;
use crate::cluster::log::shard_writer::{ShardWriter, WriterEnd, WriterShared};
use crate::cluster::log::take_over::{CorruptShard, OwnedShard, TakeOver, try_take_over};
use crate::cluster::metered_log::ClusterMetrics;
use crate::cluster::nodes::heartbeat_channel::HeartbeatChannel;
use crate::cluster::nodes::live_nodes::{HEARTBEAT_INTERVAL, LOOPBACK_TIMEOUT};
use crate::cluster::nodes::node_heartbeat::NodeHeartbeat;
use crate::cluster::nodes::node_options::NodeOptions;
use crate::cluster::nodes::shard_owners::{OwnershipAction, ShardOwners};
use crate::cluster::nodes::shard_table::{OwnShard, ShardTable};
use crate::cluster::shard::{Epoch, MAX_SHARDS, Shard};
use crate::store::writer::{JobQueue, WriterHealth};
use crate::store::{RoomSecrets, StoredRoom};

/// Interval between checks for shards to claim.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// Interval between progress reports of the log thread.
const STEP_INTERVAL: Duration = Duration::from_millis(500);

/// Time that a starting node without shards waits until other nodes give it a shard.
const FIRST_SHARD_TIMEOUT: Duration = Duration::from_secs(15);

/// Maximum number of changes of shards that the server has not handled. At the maximum, the node waits for its server,
/// and other nodes replace it.
const MAX_WAITING_EVENTS: usize = 4 * MAX_SHARDS as usize;

/// A shard that this node has claimed, and its open rooms.
#[derive(Debug)]
pub(crate) struct ClaimedShard {
    pub(crate) shard: Shard,
    pub(crate) epoch: Epoch,
    pub(crate) rooms: Vec<(RoomSecrets, StoredRoom)>,
}

/// Gives up a claim of a shard when it is dropped.
pub(crate) struct ReleaseGuard {
    table: Arc<ShardTable>,
    shard: Shard,
    /// Queue of the writer of the claim. The writer may have ended; a later claim has a different queue.
    queue: Weak<JobQueue>,
}

impl Drop for ReleaseGuard {
    fn drop(&mut self) {
        self.table.release(self.shard, &self.queue);
    }
}

impl fmt::Debug for ReleaseGuard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ReleaseGuard").field(&self.shard).finish()
    }
}

/// Change of the shards of this node.
#[derive(Debug)]
pub(crate) enum ShardEvent {
    /// The node owns the shard.
    Claimed(ClaimedShard),
    /// The rooms of the shard have to end; then the guard is dropped.
    Releasing(Shard, ReleaseGuard),
    /// Another node owns the shard.
    Lost(Shard),
}

impl ShardEvent {
    /// Returns the shard of the change.
    pub(crate) fn shard(&self) -> Shard {
        match self {
            ShardEvent::Claimed(claimed) => claimed.shard,
            ShardEvent::Releasing(shard, _) | ShardEvent::Lost(shard) => *shard,
        }
    }
}

/// Runs the writer of a shard until it ends.
type WriterFuture = LocalBoxFuture<'static, (Shard, WriterEnd)>;

/// Takes over a shard.
type TakeOverFuture = BoxFuture<'static, (Shard, Result<TakeOver, CorruptShard>)>;

pub(crate) struct NodeTask {
    options: NodeOptions,
    owners: ShardOwners,
    heartbeats: Box<dyn HeartbeatChannel>,
    table: Arc<ShardTable>,
    shared: WriterShared,
    rivals: watch::Sender<()>,
    events: mpsc::Sender<ShardEvent>,
    take_overs: FuturesUnordered<TakeOverFuture>,
    writers: FuturesUnordered<WriterFuture>,
    heartbeat_ticks: Interval,
    poll_ticks: Interval,
    step_ticks: Interval,
    metrics: ClusterMetrics,
    steps: Arc<AtomicU64>,
    /// Time when the node last connected to another NATS server, because its heartbeats did not come back.
    switched_at: Instant,
    /// The first shard that is corrupt.
    corrupt: Option<CorruptShard>,
    /// The shards with a log that lacked the latest claim at the last attempt to claim them.
    incomplete: HashSet<Shard>,
    /// Whether the node has ever owned all shards that are assigned to it.
    has_settled: bool,
}

fn ticks(period: Duration) -> Interval {
    let mut ticks = interval(period);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    ticks
}

impl NodeTask {
    /// Begins to listen. The second value announces the shards of the node.
    pub(crate) fn new(
        log: Arc<dyn ShardLog>,
        games: Arc<dyn GameStream>,
        heartbeats: Box<dyn HeartbeatChannel>,
        table: Arc<ShardTable>,
        options: NodeOptions,
        metrics: ClusterMetrics,
        steps: Arc<AtomicU64>,
    ) -> (NodeTask, mpsc::Receiver<ShardEvent>) {
        let now = Instant::now();
        let (events, event_receiver) = mpsc::channel(MAX_WAITING_EVENTS);
        let (rivals, rival_receiver) = watch::channel(());
        let shared = WriterShared {
            log,
            games,
            budget: Arc::new(AppendBudget::new()),
            rivals: rival_receiver,
            time: options.time.clone(),
        };
        let task = NodeTask {
            owners: ShardOwners::new(options.node, table.map(), now),
            options,
            heartbeats,
            table,
            shared,
            rivals,
            events,
            take_overs: FuturesUnordered::new(),
            writers: FuturesUnordered::new(),
            heartbeat_ticks: ticks(HEARTBEAT_INTERVAL),
            poll_ticks: ticks(POLL_INTERVAL),
            step_ticks: ticks(STEP_INTERVAL),
            metrics,
            steps,
            switched_at: now,
            corrupt: None,
            incomplete: HashSet::new(),
            has_settled: false,
        };
        (task, event_receiver)
    }

    /// Runs until the node owns a shard and has claimed all shards that no other node owns, at most for the settle
    /// timeout after the first claim. If other nodes own shards, it returns with the first shard and claims the others
    /// later. A node that gets no shard returns after a further [`FIRST_SHARD_TIMEOUT`].
    ///
    /// # Errors
    /// If the connection ends for good, or a shard is corrupt.
    pub(crate) async fn run_until_settled(&mut self) -> Result<(), ClusterError> {
        let (mut first_shard_by, mut serves_by, mut is_joining) = (None, None, None);
        loop {
            self.step().await?;
            if let Some(corrupt) = self.corrupt.take() {
                return Err(corrupt.into());
            }
            let now = Instant::now();
            let has_shards = self.owners.owned_count() > 0;
            let is_overdue =
                has_shards && now >= *serves_by.get_or_insert(now + self.options.settle_timeout);
            if self.owners.live_nodes().has_listened(now) {
                // Nodes that start together own no shards at this time.
                is_joining.get_or_insert_with(|| {
                    !self.owners.live_nodes().owned_by_others(now).is_empty()
                });
            }
            let may_serve = has_shards && is_joining == Some(true);
            if is_overdue || may_serve || self.owners.is_settled(now) {
                let deadline = *first_shard_by.get_or_insert(now + FIRST_SHARD_TIMEOUT);
                if has_shards || now >= deadline {
                    info!(node = %self.options.node, shards = self.owners.owned_count(), "node ready");
                    return Ok(());
                }
            }
        }
    }

    /// Runs until `stopping` is cancelled and the shards are released, or the connection ends for good. A node that has
    /// not settled also ends when it finds a corrupt shard, because the previous owner of the shard may still be able
    /// to read it.
    pub(crate) async fn run(mut self, stopping: CancellationToken) {
        let steps = async {
            while self.step().await.is_ok() {
                if !self.has_settled && self.corrupt.is_some() {
                    return error!("node ended: it claimed a corrupt shard at its start");
                }
                self.has_settled |= self.owners.is_settled(Instant::now());
            }
        };
        match stopping.run_until_cancelled(steps).await {
            Some(()) => self.table.set_connected(false),
            None => self.stop().await,
        }
    }

    /// Waits until all writers have ended. Then sends a last heartbeat, so that other nodes take the shards over
    /// immediately.
    async fn stop(&mut self) {
        self.owners.leave();
        // A shard that is claimed but not read has no rooms yet.
        self.take_overs.clear();
        let deadline = Instant::now() + self.options.write_timeout;
        while !self.writers.is_empty() {
            tokio::select! {
                biased;
                () = sleep_until(deadline) => break,
                Some((shard, end)) = self.writers.next() => self.on_writer_end(shard, end).await,
                _ = self.heartbeat_ticks.tick() => self.send_heartbeat().await,
            }
        }
        self.send_heartbeat().await;
        self.heartbeats.flush().await;
    }

    /// Handles the next event.
    async fn step(&mut self) -> Result<(), ClusterError> {
        tokio::select! {
            biased;
            heartbeat = self.heartbeats.receive() => {
                let Some(text) = heartbeat else {
                    return Err(ClusterError::Setup("NATS connection has ended".into()));
                };
                match NodeHeartbeat::parse(&text) {
                    Some(heartbeat) => self.on_heartbeat(heartbeat),
                    None => debug!("heartbeat of another format ignored"),
                }
            }
            Some((shard, taken)) = self.take_overs.next() => self.on_taken_over(shard, taken).await,
            Some((shard, end)) = self.writers.next() => self.on_writer_end(shard, end).await,
            now = self.heartbeat_ticks.tick() => {
                // Only a node with shards leaves now. A leaving node without shards would count as gone, although it
                // still serves its clients.
                if self.table.is_stop_announced() && self.owners.owned_count() > 0 {
                    self.owners.leave();
                }
                self.send_heartbeat().await;
                self.check_connection(now).await;
            }
            now = self.poll_ticks.tick() => self.poll_owners(now).await,
            _ = self.step_ticks.tick() => {
                self.steps.fetch_add(1, Ordering::Relaxed);
            }
        }
        Ok(())
    }

    fn on_heartbeat(&mut self, heartbeat: NodeHeartbeat) {
        let (now, node) = (Instant::now(), heartbeat.node);
        let count_before = self.owners.live_nodes().shard_count(node);
        if self.owners.on_heartbeat(now, heartbeat) {
            self.rivals.send_replace(());
        }
        if self.owners.live_nodes().shard_count(node) < count_before {
            // The next check happens immediately, because players wait for a shard that was released.
            self.poll_ticks.reset_immediately();
        }
        self.publish_locations(now);
    }

    fn publish_locations(&self, now: Instant) {
        self.table.set_locations(self.owners.locations(now));
        self.table
            .set_other_nodes(&self.owners.live_nodes().other_nodes(now));
    }

    async fn send_heartbeat(&self) {
        let heartbeat = self.owners.heartbeat(Instant::now(), self.options.relay);
        self.heartbeats.send(heartbeat.encode()).await;
    }

    async fn check_connection(&mut self, now: Instant) {
        let is_connected = self.owners.live_nodes().has_loopback(now);
        self.metrics
            .live_nodes
            .set(self.owners.live_nodes().live_count(now) as i64);
        self.table.set_connected(is_connected);
        if !is_connected && now - self.switched_at >= 2 * LOOPBACK_TIMEOUT {
            self.switched_at = now;
            warn!("NATS server does not respond; switching to another server");
            self.heartbeats.switch_server().await;
        }
    }

    async fn poll_owners(&mut self, now: Instant) {
        for action in self.owners.poll(now) {
            match action {
                OwnershipAction::Claim(shard, latest_claim) => {
                    let log = Arc::clone(&self.shared.log);
                    let (node, time) = (self.options.node, self.options.time.clone());
                    let take_over = async move {
                        (
                            shard,
                            try_take_over(&*log, shard, node, Some(latest_claim), || time.now())
                                .await,
                        )
                    };
                    self.take_overs.push(take_over.boxed());
                }
                OwnershipAction::Release(shard) => {
                    debug!(%shard, "shard belongs to another node; releasing");
                    let queue = self
                        .table
                        .own(shard)
                        .map_or_else(Weak::new, |own| Arc::downgrade(&own.queue));
                    let guard = ReleaseGuard {
                        table: Arc::clone(&self.table),
                        shard,
                        queue,
                    };
                    // If the server has ended, the event and its guard are dropped here.
                    self.announce(ShardEvent::Releasing(shard, guard)).await;
                }
            }
        }
        self.publish_locations(now);
    }

    async fn announce(&self, event: ShardEvent) {
        if self.events.send(event).await.is_err() {
            debug!("change of a shard dropped: the server has ended");
        }
    }

    async fn on_taken_over(&mut self, shard: Shard, taken: Result<TakeOver, CorruptShard>) {
        match taken {
            Ok(TakeOver::Owned(owned)) => {
                if self.incomplete.remove(&shard) {
                    info!(%shard, "shard log complete again");
                }
                match owned.state.all_rooms() {
                    Ok(rooms) => self.serve(*owned, rooms).await,
                    Err(error) => self.on_corrupt(CorruptShard {
                        shard,
                        reason: error.to_string(),
                    }),
                }
                self.send_heartbeat().await;
            }
            Ok(TakeOver::Refused(epoch)) => self.owners.on_refused(Instant::now(), shard, epoch),
            Ok(TakeOver::Incomplete) => {
                // Logged only once, because the node tries to claim the shard several times a second.
                if self.incomplete.insert(shard) {
                    warn!(%shard, "shard log lacks the latest claim");
                }
                self.owners.on_incomplete(Instant::now(), shard);
            }
            Err(corrupt) => self.on_corrupt(corrupt),
        }
    }

    fn on_corrupt(&mut self, corrupt: CorruptShard) {
        error!(error = %corrupt, "shard cannot be served");
        self.owners.on_corrupt(corrupt.shard);
        self.metrics.corrupt_shards.inc();
        self.corrupt.get_or_insert(corrupt);
    }

    async fn serve(&mut self, owned: OwnedShard, rooms: Vec<(RoomSecrets, StoredRoom)>) {
        let (shard, epoch) = (owned.shard, owned.epoch);
        debug!(%shard, %epoch, rooms = rooms.len(), was_released = owned.was_released, "shard claimed");
        self.writers.push(start_writer(
            owned,
            &self.shared,
            &self.options,
            &self.table,
        ));
        self.owners.on_claimed(shard, epoch);
        self.metrics.claims.inc();
        self.metrics.owned_shards.inc();
        self.announce(ShardEvent::Claimed(ClaimedShard {
            shard,
            epoch,
            rooms,
        }))
        .await;
        self.publish_locations(Instant::now());
    }

    async fn on_writer_end(&mut self, shard: Shard, end: WriterEnd) {
        self.owners.on_lost(shard);
        self.table.set_own(shard, None);
        self.metrics.owned_shards.dec();
        self.publish_locations(Instant::now());
        if end == WriterEnd::Replaced {
            self.metrics.lost_shards.inc();
            self.announce(ShardEvent::Lost(shard)).await;
        }
        // The heartbeat is sent immediately, because a successor waits for it.
        self.send_heartbeat().await;
    }
}

/// Makes a shard that was taken over accessible. Returns the future that runs its writer.
pub(crate) fn start_writer(
    owned: OwnedShard,
    shared: &WriterShared,
    options: &NodeOptions,
    table: &ShardTable,
) -> WriterFuture {
    let (shard, epoch) = (owned.shard, owned.epoch);
    let health = Arc::new(WriterHealth::new(
        options.time.clone(),
        options.write_timeout,
    ));
    let (queue, jobs) = JobQueue::new();
    let writer = ShardWriter::new(owned, shared.clone(), Arc::clone(&health));
    table.set_own(
        shard,
        Some(OwnShard {
            epoch,
            queue: Arc::new(queue),
            health,
        }),
    );
    async move { (shard, writer.run(jobs).await) }.boxed_local()
}
