//! Nodes as processes of their own.

use std::net::SocketAddr;
use std::process::Command;
use std::time::Duration;

use noughts_protocol::wire::RejectCode;
use noughts_tests::client::crash_player::LONG_TIMEOUT_FLAGS;
use noughts_tests::client::test_client::{SeatInfo, TestClient};
use noughts_tests::server::{LOAD_FLAGS, NatsServers, ServerProcess, metric};
use noughts_tests::wait::{wait_until, wait_until_timeout};
use tokio::time::{Instant, sleep};

pub(crate) const NODE: &str = env!("CARGO_BIN_EXE_cluster_node");

/// Timeout of an election of the NATS servers, a takeover, and the return of players on a busy machine.
pub(crate) const RECOVERY_TIMEOUT: Duration = Duration::from_secs(120);

/// Timeout of a node that refuses to start, immediately or after it has tried to reach the servers.
pub(crate) const REFUSAL_TIMEOUT: Duration = Duration::from_secs(60);

/// Number of shards. It is large enough that each of three nodes owns some: a node without a shard waits for its first
/// shard before it serves.
pub(crate) const SHARDS: i64 = 32;

/// If no shard moves for this time, all shards stay at their nodes: a node that gives up shards gives one up every 100
/// ms.
const SETTLED_TIME: Duration = Duration::from_millis(600);

/// Interval of the requests for metrics.
const METRICS_INTERVAL: Duration = Duration::from_millis(100);

/// Returns the command of a node with limits that no test reaches.
pub(crate) fn node_command(servers: &str, flags: &[&str]) -> Command {
    let mut command = Command::new(NODE);
    command
        .args(["--listen", "127.0.0.1:0", "--cluster", servers])
        .args(["--cluster-listen", "127.0.0.1:0"])
        .args(flags)
        .env_remove("NOUGHTS_DATA");
    command.args(LOAD_FLAGS).args(LONG_TIMEOUT_FLAGS);
    command
}

/// Starts a node with extra flags; returns when it owns a shard.
pub(crate) fn start_node(nats: &NatsServers, flags: &[&str]) -> ServerProcess {
    let (replicas, shards) = (nats.count().to_string(), SHARDS.to_string());
    let shape = ["--cluster-replicas", &replicas, "--cluster-shards", &shards];
    let mut command = node_command(&nats.urls(), &[&shape, flags].concat());
    // Without the log, stderr has only the reason of a failed start.
    command.env("RUST_LOG", "off");
    ServerProcess::start_command(command)
}

/// Starts nodes at the same time, so that they share the shards from the start.
pub(crate) fn start_nodes<const COUNT: usize>(
    nats: &NatsServers,
    flags: &[&str],
) -> [ServerProcess; COUNT] {
    std::thread::scope(|scope| {
        let starts = [(); COUNT].map(|()| scope.spawn(move || start_node(nats, flags)));
        starts.map(|start| start.join().expect("the node starts"))
    })
}

/// Waits until these nodes, which have started, are the only nodes, own all shards, and keep them.
pub(crate) async fn wait_until_settled(nodes: impl IntoIterator<Item = SocketAddr>) {
    let nodes: Vec<SocketAddr> = nodes.into_iter().collect();
    let (mut seen, mut seen_since) = (Vec::new(), Instant::now());
    wait_until_timeout(RECOVERY_TIMEOUT, "nodes that keep all shards", async || {
        sleep(METRICS_INTERVAL).await;
        let (mut owned, mut is_complete) = (Vec::new(), true);
        let mut shards = 0;
        for node in &nodes {
            owned.push(metric(*node, "noughts_shards_owned").await);
            shards = metric(*node, "noughts_shards").await;
            is_complete &= metric(*node, "noughts_nodes_live").await == nodes.len() as i64;
        }
        if !is_complete || owned.iter().sum::<i64>() != shards || owned != seen {
            (seen, seen_since) = (owned, Instant::now());
        }
        (seen_since.elapsed() >= SETTLED_TIME).then_some(())
    })
    .await;
}

/// Repeats a request of a new client until the room, which may be moving, is available.
pub(crate) async fn enter(
    server: &ServerProcess,
    name: &str,
    request: impl AsyncFn(&mut TestClient) -> Result<(), RejectCode>,
) -> TestClient {
    wait_until(("the room of", name), async || {
        let mut client = TestClient::connect_as(&server.url, name).await;
        match request(&mut client).await {
            Ok(()) => Some(client),
            Err(code) => {
                assert_eq!(code, RejectCode::Unavailable, "{name}");
                sleep(Duration::from_millis(50)).await;
                None
            }
        }
    })
    .await
}

/// Repeats the request for a seat until the room is available.
pub(crate) async fn resume(server: &ServerProcess, name: &str, seat: &SeatInfo) -> TestClient {
    enter(server, name, async |client| {
        let resumed = client.resume(seat, None).await;
        resumed.map(|_| ()).map_err(|reject| reject.code)
    })
    .await
}
