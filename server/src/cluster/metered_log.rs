//! The metrics of a node of a cluster, and a shard log and a stream of games that record them.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64};

use futures::FutureExt;
use futures::future::BoxFuture;
use futures::stream::BoxStream;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;
use tokio::time::Instant;
use tokio_util::bytes::Bytes;

use crate::cluster::log::game_stream::GameStream;
use crate::cluster::log::shard_log::{PositionedMessage, ShardLog, ShardLogError};
use crate::cluster::shard::{LogPosition, Shard};

/// Upper bounds of the buckets for durations, in seconds. An acknowledgement is awaited for 0.4 s.
const DURATION_BOUNDS: [f64; 12] = [
    0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5,
];

/// Upper bounds of the buckets for sizes of messages, in bytes.
const SIZE_BOUNDS: [f64; 8] = [
    128.0, 256.0, 512.0, 1024.0, 4096.0, 16_384.0, 65_536.0, 524_288.0,
];

/// Metrics of a node of a cluster, explained in [`ClusterMetrics::register`]. Clones share their values.
#[derive(Clone, Debug)]
pub(crate) struct ClusterMetrics {
    pub(crate) shards: Gauge<i64, AtomicI64>,
    pub(crate) owned_shards: Gauge<i64, AtomicI64>,
    pub(crate) corrupt_shards: Gauge<i64, AtomicI64>,
    pub(crate) live_nodes: Gauge<i64, AtomicI64>,
    pub(crate) remote_clients: Gauge<i64, AtomicI64>,
    pub(crate) remote_members: Gauge<i64, AtomicI64>,
    pub(crate) relay_failures: Counter<u64, AtomicU64>,
    pub(crate) lost_relays: Counter<u64, AtomicU64>,
    pub(crate) claims: Counter<u64, AtomicU64>,
    pub(crate) lost_shards: Counter<u64, AtomicU64>,
    pub(crate) confirms: Counter<u64, AtomicU64>,
    ambiguous_appends: Counter<u64, AtomicU64>,
    published_games: Counter<u64, AtomicU64>,
    game_failures: Counter<u64, AtomicU64>,
    append_time: Histogram,
    message_size: Histogram,
}

impl Default for ClusterMetrics {
    fn default() -> ClusterMetrics {
        ClusterMetrics {
            shards: Gauge::default(),
            owned_shards: Gauge::default(),
            corrupt_shards: Gauge::default(),
            live_nodes: Gauge::default(),
            remote_clients: Gauge::default(),
            remote_members: Gauge::default(),
            relay_failures: Counter::default(),
            lost_relays: Counter::default(),
            claims: Counter::default(),
            lost_shards: Counter::default(),
            confirms: Counter::default(),
            ambiguous_appends: Counter::default(),
            published_games: Counter::default(),
            game_failures: Counter::default(),
            append_time: Histogram::new(DURATION_BOUNDS),
            message_size: Histogram::new(SIZE_BOUNDS),
        }
    }
}

impl ClusterMetrics {
    /// Adds the metrics to a registry.
    pub(crate) fn register(&self, registry: &mut Registry) {
        for (name, help, gauge) in [
            ("shards", "Shards of the cluster", &self.shards),
            (
                "shards_owned",
                "Shards that this node owns",
                &self.owned_shards,
            ),
            (
                "shards_corrupt",
                "Shards whose log this node has found damaged",
                &self.corrupt_shards,
            ),
            (
                "nodes_live",
                "Nodes whose heartbeats arrive, including this node",
                &self.live_nodes,
            ),
            (
                "remote_clients",
                "Clients of this node in rooms and the lobby of other nodes",
                &self.remote_clients,
            ),
            (
                "remote_members",
                "Clients of other nodes in rooms and the lobby of this node",
                &self.remote_members,
            ),
        ] {
            registry.register(name, help, gauge.clone());
        }
        for (name, help, counter) in [
            ("claims", "Shards that this node has claimed", &self.claims),
            (
                "shards_lost",
                "Shards that another node has taken over",
                &self.lost_shards,
            ),
            (
                "relay_failures",
                "Relays to other nodes that could not be opened",
                &self.relay_failures,
            ),
            (
                "relays_lost",
                "Relays that were lost while the client was in a room or the lobby",
                &self.lost_relays,
            ),
            (
                "confirms",
                "Replies that needed a confirmation of the log",
                &self.confirms,
            ),
            (
                "appends_ambiguous",
                "Appends without an acknowledgement",
                &self.ambiguous_appends,
            ),
            (
                "games_published",
                "Finished games that their stream has acknowledged",
                &self.published_games,
            ),
            (
                "game_publish_failures",
                "Failed attempts to publish a finished game",
                &self.game_failures,
            ),
        ] {
            registry.register(name, help, counter.clone());
        }
        registry.register(
            "append_seconds",
            "Duration of an append to a shard log",
            self.append_time.clone(),
        );
        registry.register(
            "append_bytes",
            "Size of a message of a shard log",
            self.message_size.clone(),
        );
    }
}

/// A [`ShardLog`] that measures its appends.
#[derive(Debug)]
pub(crate) struct MeteredLog {
    log: Arc<dyn ShardLog>,
    metrics: ClusterMetrics,
}

impl MeteredLog {
    pub(crate) fn new(log: Arc<dyn ShardLog>, metrics: ClusterMetrics) -> MeteredLog {
        MeteredLog { log, metrics }
    }
}

impl ShardLog for MeteredLog {
    fn last_message(
        &self,
        shard: Shard,
    ) -> BoxFuture<'_, Result<Option<PositionedMessage>, ShardLogError>> {
        self.log.last_message(shard)
    }

    fn append(
        &self,
        shard: Shard,
        after: LogPosition,
        message: Bytes,
    ) -> BoxFuture<'_, Result<LogPosition, ShardLogError>> {
        async move {
            let began = Instant::now();
            self.metrics.message_size.observe(message.len() as f64);
            let result = self.log.append(shard, after, message).await;
            self.metrics
                .append_time
                .observe(began.elapsed().as_secs_f64());
            // A conflict is a reply: the log has stored another message.
            if matches!(
                result,
                Err(ShardLogError::Unknown | ShardLogError::Unavailable(_))
            ) {
                self.metrics.ambiguous_appends.inc();
            }
            result
        }
        .boxed()
    }

    fn read_to(
        &self,
        shard: Shard,
        last: LogPosition,
    ) -> BoxStream<'_, Result<PositionedMessage, ShardLogError>> {
        self.log.read_to(shard, last)
    }

    fn truncate_before(
        &self,
        shard: Shard,
        first: LogPosition,
    ) -> BoxFuture<'_, Result<(), ShardLogError>> {
        self.log.truncate_before(shard, first)
    }
}

/// A [`GameStream`] that measures its publications.
#[derive(Debug)]
pub(crate) struct MeteredGames {
    stream: Arc<dyn GameStream>,
    metrics: ClusterMetrics,
}

impl MeteredGames {
    pub(crate) fn new(stream: Arc<dyn GameStream>, metrics: ClusterMetrics) -> MeteredGames {
        MeteredGames { stream, metrics }
    }
}

impl GameStream for MeteredGames {
    fn publish(
        &self,
        shard: Shard,
        message_id: String,
        message: Bytes,
    ) -> BoxFuture<'_, Result<(), ShardLogError>> {
        async move {
            let result = self.stream.publish(shard, message_id, message).await;
            let count = if result.is_ok() {
                &self.metrics.published_games
            } else {
                &self.metrics.game_failures
            };
            count.inc();
            result
        }
        .boxed()
    }
}
