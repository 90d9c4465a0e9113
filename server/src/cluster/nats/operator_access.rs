//! Read access to a cluster for operator commands: its streams and its live nodes. Creates no stream.

use std::collections::BTreeMap;
use std::time::Duration;

use async_nats::Client;
use async_nats::jetstream::context::Context;
use serde_json::{Value, json};
use tokio::time::{Instant, sleep, timeout};
use tokio_util::bytes::Bytes;
use tracing::debug;

use super::heartbeat_subject::{HeartbeatSubject, START_ANNOUNCEMENT};
use super::stream_report::{LeaderMove, StreamReplica, StreamReport, next_move};
use super::stream_setup::{RETRY_DELAY, SETUP_TIMEOUT, StreamSetup, is_missing};
use super::{
    ACK_TIMEOUT, MAX_APPENDS_IN_FLIGHT, NatsOptions, check_versions, connect_to, new_context,
};
use crate::cluster::cluster_error::ClusterError;
use crate::cluster::nodes::heartbeat_channel::HeartbeatChannel;
use crate::cluster::nodes::live_nodes::SUSPECT_AFTER;
use crate::cluster::nodes::node_heartbeat::NodeHeartbeat;
use crate::cluster::shard::{NodeId, ShardMap};

/// Maximum number of leaders that one command moves. A limit is needed, because servers before 2.11 choose the new
/// leader at random.
const MAX_LEADER_MOVES: usize = 12;

/// Timeout of the change of a stream's leader.
const MOVE_TIMEOUT: Duration = Duration::from_secs(15);

/// Maximum number of readings of a stream that seems to have a replica that is not current. While events are being
/// stored, a replica is usually a few messages behind.
const MAX_READINGS: usize = 10;

/// Interval between the readings of a stream.
const READING_INTERVAL: Duration = Duration::from_millis(200);

/// Error code of servers before 2.11, which do not accept a preferred leader.
const BAD_REQUEST: u64 = 10003;

/// A cluster that exists.
pub(crate) struct OperatorAccess {
    client: Client,
    context: Context,
    setup: StreamSetup,
    map: ShardMap,
    heartbeats: HeartbeatSubject,
}

impl OperatorAccess {
    /// Connects to a cluster.
    ///
    /// # Errors
    /// If no server is reachable, a server is too old, or the streams do not exist or have another configuration.
    pub(crate) async fn connect(options: &NatsOptions) -> Result<OperatorAccess, ClusterError> {
        let servers = options.addresses()?;
        check_versions(options, &servers).await?;
        let client = connect_to(options, servers).await?;
        let context = new_context(&client, ACK_TIMEOUT, MAX_APPENDS_IN_FLIGHT);
        let setup = StreamSetup::new(&options.name, options.replicas);
        let map = setup.read_shards(&context).await?;
        let heartbeats = HeartbeatSubject::new(client.clone(), &options.name).await?;
        Ok(OperatorAccess {
            client,
            context,
            setup,
            map,
            heartbeats,
        })
    }

    /// Returns all shards.
    pub(crate) fn map(&self) -> ShardMap {
        self.map
    }

    /// Listens to the heartbeats of the nodes for the longest time that a live node can be silent. Returns the last
    /// heartbeat of each node, and the number of heartbeats in an unknown format.
    ///
    /// # Errors
    /// If the connection ends.
    pub(crate) async fn listen(&mut self) -> Result<(Vec<NodeHeartbeat>, usize), ClusterError> {
        let mut unknown_count = 0;
        let mut nodes: BTreeMap<NodeId, NodeHeartbeat> = BTreeMap::new();
        let deadline = Instant::now() + SUSPECT_AFTER;
        while let Ok(text) = timeout(deadline - Instant::now(), self.heartbeats.receive()).await {
            let Some(text) = text else {
                return Err(ClusterError::Setup("NATS connection has ended".into()));
            };
            match NodeHeartbeat::parse(&text) {
                Some(heartbeat) if heartbeat.is_last() => drop(nodes.remove(&heartbeat.node)),
                Some(heartbeat) => drop(nodes.insert(heartbeat.node, heartbeat)),
                None => unknown_count += usize::from(*text != *START_ANNOUNCEMENT.as_bytes()),
            }
        }
        Ok((nodes.into_values().collect(), unknown_count))
    }

    /// Reads the state of all streams of the cluster.
    ///
    /// # Errors
    /// If a stream does not exist.
    pub(crate) async fn read_streams(&self) -> Result<Vec<StreamReport>, ClusterError> {
        let mut reports = self.read_log_streams().await?;
        reports.extend(self.read_stream(&self.setup.games_stream()).await);
        // The stream of imported codes is optional, because most clusters do not have it.
        reports.extend(
            self.read_stream(&self.setup.codes_stream())
                .await
                .filter(|report| report.leader.is_some()),
        );
        Ok(reports)
    }

    /// Reads the state of the move streams.
    async fn read_log_streams(&self) -> Result<Vec<StreamReport>, ClusterError> {
        let mut reports = Vec::new();
        for name in self.setup.log_streams() {
            let report = self.read_stream(&name).await;
            reports.push(
                report
                    .ok_or_else(|| ClusterError::Setup(format!("stream {name} does not exist")))?,
            );
        }
        Ok(reports)
    }

    /// Reads the state of a stream, several times unless it is healthy. `None` if it does not exist.
    async fn read_stream(&self, name: &str) -> Option<StreamReport> {
        let mut report = self.read_stream_once(name).await?;
        for _ in 1..MAX_READINGS {
            if report.leader.is_none() || report.is_healthy() {
                break;
            }
            sleep(READING_INTERVAL).await;
            report = self.read_stream_once(name).await?.or_current_in(&report);
        }
        Some(report)
    }

    async fn read_stream_once(&self, name: &str) -> Option<StreamReport> {
        let stream = match self.context.get_stream(name).await {
            Ok(stream) => stream,
            Err(error) if is_missing(&error) => return None,
            Err(error) => {
                debug!(stream = name, %error, "stream does not respond");
                return Some(StreamReport::without_leader(
                    name.to_owned(),
                    self.setup.replicas(),
                ));
            }
        };
        let info = stream.cached_info();
        let (leader, peers) = match &info.cluster {
            Some(cluster) => (cluster.leader.clone(), cluster.replicas.as_slice()),
            // The NATS server is not part of a cluster of servers.
            None => (Some(self.client.server_info().server_name), &[][..]),
        };
        let replicas = peers.iter().map(|peer| StreamReplica {
            server: peer.name.clone(),
            is_current: peer.current && !peer.offline,
        });
        Some(StreamReport {
            name: name.to_owned(),
            leader: leader.filter(|leader| !leader.is_empty()),
            replicas: replicas.collect(),
            copies: info.config.num_replicas.max(1),
            messages: info.state.messages,
            bytes: info.state.bytes,
        })
    }

    /// Spreads the leaders of the move streams evenly across the servers. Moves one leader at a time, and reports each
    /// move.
    ///
    /// # Errors
    /// If a stream gets no leader in time, or the leaders are not spread evenly after many attempts.
    pub(crate) async fn balance(
        &self,
        mut on_move: impl FnMut(&LeaderMove),
    ) -> Result<(), ClusterError> {
        let mut last_error = None;
        for _ in 0..MAX_LEADER_MOVES {
            let Some(next) = next_move(&self.read_log_streams_with_leaders().await?) else {
                return Ok(());
            };
            // The servers may have elected another leader meanwhile, so the next attempt begins with the new state.
            match self.move_leader(&next).await {
                Ok(to) => on_move(&LeaderMove { to, ..next }),
                Err(error) => {
                    debug!(%error, "cannot move stream leader");
                    last_error = Some(error);
                }
            }
        }
        let failed =
            || ClusterError::Setup("the servers elected other leaders than requested".into());
        Err(last_error.unwrap_or_else(failed))
    }

    /// Reads the state of the move streams when all of them have a leader.
    async fn read_log_streams_with_leaders(&self) -> Result<Vec<StreamReport>, ClusterError> {
        let deadline = Instant::now() + SETUP_TIMEOUT;
        loop {
            let reports = self.read_log_streams().await?;
            match reports.iter().find(|report| report.leader.is_none()) {
                None => return Ok(reports),
                Some(report) if Instant::now() >= deadline => {
                    return Err(ClusterError::Setup(format!(
                        "stream {}: no leader",
                        report.name
                    )));
                }
                Some(_) => sleep(RETRY_DELAY).await,
            }
        }
    }

    /// Requests the leader of a stream to hand over. Returns the new leader.
    async fn move_leader(&self, next: &LeaderMove) -> Result<String, ClusterError> {
        let preferred = json!({ "placement": { "preferred": next.to } }).to_string();
        let mut response = self
            .request_step_down(&next.stream, preferred.into())
            .await?;
        if response["error"]["err_code"] == BAD_REQUEST {
            response = self.request_step_down(&next.stream, Bytes::new()).await?;
        }
        let error = &response["error"];
        if error.is_null() {
            return self.wait_for_other_leader(next).await;
        }
        Err(ClusterError::Setup(format!(
            "stream {}: {}",
            next.stream, error["description"]
        )))
    }

    async fn request_step_down(&self, stream: &str, request: Bytes) -> Result<Value, ClusterError> {
        let failed = |error: String| ClusterError::Setup(format!("stream {stream}: {error}"));
        let subject = format!("$JS.API.STREAM.LEADER.STEPDOWN.{stream}");
        let reply = self
            .client
            .request(subject, request)
            .await
            .map_err(|error| failed(error.to_string()))?;
        serde_json::from_slice(&reply.payload).map_err(|error| failed(error.to_string()))
    }

    /// Waits until a stream has another leader, and returns it.
    async fn wait_for_other_leader(&self, moved: &LeaderMove) -> Result<String, ClusterError> {
        let deadline = Instant::now() + MOVE_TIMEOUT;
        while Instant::now() < deadline {
            let report = self.read_stream(&moved.stream).await;
            let leader = report.and_then(|report| report.leader);
            if let Some(leader) = leader.filter(|leader| *leader != moved.from) {
                return Ok(leader);
            }
            sleep(RETRY_DELAY).await;
        }
        Err(ClusterError::Setup(format!(
            "stream {}: {} remains the leader",
            moved.stream, moved.from
        )))
    }
}
