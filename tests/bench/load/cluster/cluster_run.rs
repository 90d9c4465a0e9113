//! One run: pairs that play at a rate on a new cluster.

use std::rc::Rc;
use std::time::Duration;

use anyhow::Context;
use futures::FutureExt;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout};

use super::cluster_report::{ClusterMeasurements, ClusterMetric};
use super::running_cluster::{COUNT, ClusterUsage, RunningCluster};
use super::{ClusterLoad, PlayerLocations, START_TIMEOUT};
use crate::counters::LoadCounters;
use crate::pacer::Pacer;
use crate::pair::PlayerPair;
use crate::player::{GameEndpoint, LoadPlayer, PlayerProtocol};
use crate::recorded_games::RecordedGames;
use crate::scenario::{MeasureWindow, join_all, play_games};
use crate::websocket::Framing;

/// Plays games on a new cluster.
pub(super) async fn run(
    load: &ClusterLoad,
    locations: PlayerLocations,
    recorded_games: &Rc<RecordedGames>,
    window: MeasureWindow,
) -> anyhow::Result<ClusterMeasurements> {
    let cluster = RunningCluster::start(&load.node_command()?, load.shards).await?;
    let endpoints: Vec<GameEndpoint> = cluster
        .addresses()
        .into_iter()
        .map(|address| {
            let protocol = PlayerProtocol::Noughts(Framing::WebSocket);
            GameEndpoint {
                address,
                protocol,
                rules: recorded_games.rules,
            }
        })
        .collect();
    sleep(window.warm_up).await;
    let (idle_before, began) = (cluster.usage().await?, Instant::now());
    sleep(window.measured_time).await;
    let idle = Usage {
        counters: cluster.usage().await?.since(idle_before),
        wall: began.elapsed(),
    };

    let connection_bytes = measure_connections(&cluster, endpoints[0], load.idle, window).await?;
    let members_before = cluster.all_nodes_bytes()?;
    let pairs = timeout(
        START_TIMEOUT,
        connect_pairs(&endpoints, locations, load.pairs),
    );
    let pairs = pairs.await.context("the nodes do not respond")??;
    sleep(window.warm_up).await;
    let pair_bytes = (cluster.all_nodes_bytes()? - members_before) / load.pairs as f64;
    let remote_members = cluster.sum("noughts_remote_members").await?;

    let (counters, pacer) = (LoadCounters::new()?, Pacer::start());
    let mut tasks = JoinSet::new();
    let start = Instant::now();
    for (index, pair) in pairs.into_iter().enumerate() {
        let schedule = pacer.schedule(index, load.pairs, load.rate, start);
        tasks.spawn_local(play_games(
            pair,
            index,
            schedule,
            Rc::clone(recorded_games),
            Rc::clone(&counters),
        ));
    }
    tasks.spawn_local(pacer.clone().run().map(Ok));
    sleep(window.warm_up).await;
    let (before, began) = (cluster.usage().await?, Instant::now());
    counters.start_window();
    sleep(window.measured_time).await;
    counters.finish_window();
    let played = Usage {
        wall: began.elapsed(),
        counters: cluster.usage().await?.since(before),
    };
    pacer.stop();
    timeout(START_TIMEOUT, join_all(tasks))
        .await
        .context("the nodes do not respond")??;

    let mut measurements = played.measurements(&idle, &counters);
    measurements.extend([
        (ClusterMetric::BytesPerConnection, connection_bytes),
        (ClusterMetric::BytesPerPair, pair_bytes),
        (ClusterMetric::RemoteMembers, remote_members),
    ]);
    Ok(measurements)
}

/// Measures the memory of a node for each connection.
async fn measure_connections(
    cluster: &RunningCluster,
    endpoint: GameEndpoint,
    count: usize,
    window: MeasureWindow,
) -> anyhow::Result<f64> {
    let mut connections = vec![LoadPlayer::connect_idle(endpoint).await?];
    sleep(window.warm_up).await;
    let before = cluster.node_bytes(0)?;
    while connections.len() <= count {
        connections.push(LoadPlayer::connect_idle(endpoint).await?);
    }
    sleep(window.warm_up).await;
    Ok((cluster.node_bytes(0)? - before) / count as f64)
}

/// Connects pairs, with rooms on each node in turn.
async fn connect_pairs(
    endpoints: &[GameEndpoint],
    locations: PlayerLocations,
    count: usize,
) -> anyhow::Result<Vec<PlayerPair>> {
    let mut pairs = Vec::with_capacity(count);
    for index in 0..count {
        let endpoint = |distance: usize| endpoints[(index + distance) % COUNT];
        pairs.push(match locations {
            PlayerLocations::Local => {
                PlayerPair::connect_room(endpoint(0), endpoint(0), None).await?
            }
            PlayerLocations::OneRemote => {
                PlayerPair::connect_room(endpoint(0), endpoint(1), None).await?
            }
            PlayerLocations::BothRemote => {
                PlayerPair::connect_room(endpoint(0), endpoint(1), Some(endpoint(2))).await?
            }
        });
    }
    Ok(pairs)
}

/// Resources that a period used.
struct Usage {
    counters: ClusterUsage,
    wall: Duration,
}

impl Usage {
    fn measurements(&self, idle: &Usage, counters: &LoadCounters) -> ClusterMeasurements {
        let (moves, wall) = (counters.moves().max(1) as f64, self.wall.as_secs_f64());
        let (used, unloaded) = (&self.counters, &idle.counters);
        // The idle usage is subtracted in proportion to the duration.
        let share = wall / idle.wall.as_secs_f64();
        let cpu = |used: Duration, unloaded: Duration| {
            (used.as_secs_f64() - share * unloaded.as_secs_f64()) * 1e6 / moves
        };
        let idle_ms = |used: Duration| used.as_secs_f64() * 1e3 / idle.wall.as_secs_f64();
        let [p50, p99] = counters.latency_us([0.5, 0.99]);
        vec![
            (ClusterMetric::MovesPerSecond, moves / wall),
            (ClusterMetric::P50, p50),
            (ClusterMetric::P99, p99),
            (
                ClusterMetric::NodeCpuPerMove,
                cpu(used.nodes.total(), unloaded.nodes.total()),
            ),
            (
                ClusterMetric::NodeUserPerMove,
                cpu(used.nodes.user, unloaded.nodes.user),
            ),
            (
                ClusterMetric::NatsCpuPerMove,
                cpu(used.nats.total(), unloaded.nats.total()),
            ),
            (ClusterMetric::IdleNodesMs, idle_ms(unloaded.nodes.total())),
            (ClusterMetric::IdleNatsMs, idle_ms(unloaded.nats.total())),
            (
                ClusterMetric::CpuShare,
                (used.nodes.total() + used.nats.total()).as_secs_f64() / wall,
            ),
            (ClusterMetric::AppendsPerSecond, used.appends / wall),
            (ClusterMetric::MovesPerAppend, moves / used.appends.max(1.0)),
            (
                ClusterMetric::BytesPerAppend,
                used.append_bytes / used.appends.max(1.0),
            ),
            (ClusterMetric::LogBytesPerMove, used.append_bytes / moves),
            (
                ClusterMetric::AppendMs,
                used.append_seconds * 1e3 / used.appends.max(1.0),
            ),
            (
                ClusterMetric::DiskBytesPerMove,
                used.disk_bytes / moves / COUNT as f64,
            ),
        ]
    }
}
