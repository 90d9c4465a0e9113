//! The shard log in NATS JetStream. The only module that depends on NATS.

mod code_stream;
pub(crate) mod game_reader;
#[cfg(feature = "faults")]
#[path = "../../../tests/inside_node/handover_watch.rs"]
pub(crate) mod handover_watch;
mod heartbeat_subject;
mod jetstream_games;
mod jetstream_log;
mod node_subject;
pub(crate) mod operator_access;
mod server_version;
#[cfg(feature = "faults")]
#[path = "../../../tests/inside_node/shard_contention.rs"]
pub(crate) mod shard_contention;
pub(crate) mod stream_report;
mod stream_setup;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use async_nats::jetstream::context::{Context, ContextBuilder};
use async_nats::{Client, ConnectOptions, ServerAddr};
use tokio::time::{Instant, sleep, timeout};
use tracing::{info, warn};

use crate::cluster::cluster_error::ClusterError;
use crate::cluster::cluster_log::ConnectedLog;
use crate::cluster::lobby::node_messages::ConnectedBus;
use crate::cluster::log::game_stream::GameStream;
use crate::cluster::log::shard_log::ShardLog;
use crate::cluster::shard::{NodeId, ShardMap};
pub(crate) use code_stream::CodeStream;
pub(crate) use heartbeat_subject::HeartbeatSubject;
use jetstream_games::JetStreamGames;
use jetstream_log::JetStreamLog;
use server_version::ServerVersion;
use stream_setup::StreamSetup;

/// Beginning of the seed of a user's NKey. A credentials file begins differently.
const USER_SEED_PREFIX: &str = "SU";

/// Maximum time at the start until one of the servers is reachable.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// Timeout of one attempt to connect.
const ATTEMPT_TIMEOUT: Duration = Duration::from_secs(1);

/// Interval between two pings to a server. Two missing pongs end the connection.
const PING_INTERVAL: Duration = Duration::from_secs(1);

/// Timeout of all requests except appends.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(2);

/// Time to wait for the acknowledgement of an append. Short, because the node can safely send the same bytes again.
const ACK_TIMEOUT: Duration = Duration::from_millis(400);

/// Maximum delay between two attempts to connect again.
const RECONNECT_DELAY: Duration = Duration::from_millis(250);

/// Maximum number of appends in flight, over all shards.
const MAX_APPENDS_IN_FLIGHT: usize = 4096;

/// Maximum number of finished games in flight, over all shards.
const MAX_GAMES_IN_FLIGHT: usize = 256;

/// How to reach the NATS servers, and which of their streams to use.
#[derive(Clone, Debug)]
pub(crate) struct NatsOptions {
    pub(crate) servers: Vec<String>,
    /// Prefix of subjects and streams.
    pub(crate) name: String,
    /// Number of shards of a cluster that does not exist yet.
    pub(crate) shards: Option<u16>,
    pub(crate) replicas: usize,
    /// File with a user's NKey seed, or with the JWT and the seed.
    pub(crate) credentials: Option<PathBuf>,
    /// File with certificate authorities, in addition to the platform's authorities.
    pub(crate) authorities: Option<PathBuf>,
    /// Appends do not check the last message of the shard. Set by tests only.
    pub(crate) skips_expectation: bool,
    /// The versions of the servers are not checked. Set by tests only.
    pub(crate) accepts_any_version: bool,
}

impl NatsOptions {
    fn addresses(&self) -> Result<Vec<ServerAddr>, ClusterError> {
        let wrong =
            |server: &str| ClusterError::Setup(format!("wrong address of a NATS server: {server}"));
        let parse = |server: &String| server.trim().parse().map_err(|_| wrong(server));
        self.servers.iter().map(parse).collect()
    }

    async fn connect_options(&self) -> Result<ConnectOptions, ClusterError> {
        let mut options = ConnectOptions::new()
            .name("noughts-server")
            .connection_timeout(ATTEMPT_TIMEOUT)
            .ping_interval(PING_INTERVAL)
            .request_timeout(Some(REQUEST_TIMEOUT))
            .reconnect_delay_callback(|attempts| {
                if attempts < 2 {
                    Duration::ZERO
                } else {
                    RECONNECT_DELAY
                }
            });
        if let Some(file) = &self.credentials {
            let failed = |error| ClusterError::Setup(format!("{}: {error}", file.display()));
            let text = std::fs::read_to_string(file).map_err(failed)?;
            options = match text.trim() {
                seed if seed.starts_with(USER_SEED_PREFIX) => options.nkey(seed.to_owned()),
                _ => options.credentials(&text).map_err(failed)?,
            };
        }
        if let Some(file) = &self.authorities {
            options = options
                .add_root_certificates(file.clone())
                .require_tls(true);
        }
        Ok(options)
    }
}

/// The connection of a command of the operator.
pub(crate) struct CommandConnection {
    pub(crate) log: Arc<dyn ShardLog>,
    pub(crate) games: Arc<dyn GameStream>,
    pub(crate) map: ShardMap,
    pub(crate) codes: CodeStream,
    /// Heartbeats of nodes.
    pub(crate) heartbeats: HeartbeatSubject,
}

/// Connects a node to the servers, and checks or creates the streams of the cluster.
///
/// # Errors
/// If no server is reachable, a server is too old, or a stream has another configuration.
pub(crate) async fn connect(options: NatsOptions) -> Result<ConnectedLog, ClusterError> {
    let CommandConnection {
        log,
        games,
        map,
        codes,
        heartbeats,
    } = connect_command(&options).await?;
    // The start is announced before the codes are read. If an import has not received the announcement when it ends, it
    // has stored all its codes before this node reads them.
    heartbeats.announce_start().await?;
    let imported_codes = codes.read().await?;
    Ok(ConnectedLog {
        log,
        games,
        map,
        imported_codes,
        heartbeats: Box::new(heartbeats),
    })
}

/// Connects as [`connect`] does, without an announcement to the nodes.
///
/// # Errors
/// Like [`connect`].
pub(crate) async fn connect_command(
    options: &NatsOptions,
) -> Result<CommandConnection, ClusterError> {
    let servers = options.addresses()?;
    check_versions(options, &servers).await?;
    let client = connect_to(options, servers).await?;
    let context = new_context(&client, ACK_TIMEOUT, MAX_APPENDS_IN_FLIGHT);
    let mut setup = StreamSetup::new(&options.name, options.replicas);
    setup.accepts_missing_metadata = options.accepts_any_version;
    let map = setup.open_streams(&context, options.shards).await?;
    let game_context = new_context(&client, REQUEST_TIMEOUT, MAX_GAMES_IN_FLIGHT);
    let codes = CodeStream::new(game_context.clone(), setup.clone());
    let games = Arc::new(JetStreamGames::new(game_context, setup.clone()));
    let heartbeats = HeartbeatSubject::new(client, &options.name).await?;
    let log = Arc::new(JetStreamLog::new(context, setup, options.skips_expectation));
    Ok(CommandConnection {
        log,
        games,
        map,
        codes,
        heartbeats,
    })
}

fn new_context(client: &Client, ack_timeout: Duration, max_in_flight: usize) -> Context {
    ContextBuilder::new()
        .timeout(REQUEST_TIMEOUT)
        .ack_timeout(ack_timeout)
        .max_ack_inflight(max_in_flight)
        .build(client.clone())
}

/// Connects a node to the other nodes, over a separate connection, because messages of clients must not delay the log.
///
/// # Errors
/// If no server is reachable.
pub(crate) async fn connect_bus(
    options: &NatsOptions,
    node: NodeId,
) -> Result<ConnectedBus, ClusterError> {
    let client = connect_to(options, options.addresses()?).await?;
    node_subject::subscribe(client, &options.name, node).await
}

/// Connects to each of the servers in turn, and checks the version of each reachable server.
async fn check_versions(options: &NatsOptions, servers: &[ServerAddr]) -> Result<(), ClusterError> {
    let began = Instant::now();
    loop {
        let mut reachable = 0;
        let mut last_error = None;
        for server in servers {
            match try_to_connect(options, vec![server.clone()]).await {
                Ok(client) => {
                    let version = ServerVersion::parse(&client.server_info().version)?;
                    if !options.accepts_any_version {
                        version.check(server.host())?;
                    }
                    reachable += 1;
                    if client.drain().await.is_err() {
                        warn!(
                            server = server.host(),
                            "NATS connection ended during the check of the server version"
                        );
                    }
                }
                Err(error) => last_error = Some(error),
            }
        }
        match last_error {
            None => return Ok(()),
            Some(error) if reachable > 0 => {
                info!(%error, reachable, "some NATS servers are not reachable");
                return Ok(());
            }
            Some(error) if began.elapsed() >= CONNECT_TIMEOUT => return Err(error),
            Some(_) => sleep(RECONNECT_DELAY).await,
        }
    }
}

/// Connects to one of the servers. Tries again for a while, because a server on a busy machine may miss the timeout of
/// an attempt.
async fn connect_to(
    options: &NatsOptions,
    servers: Vec<ServerAddr>,
) -> Result<Client, ClusterError> {
    let began = Instant::now();
    loop {
        match try_to_connect(options, servers.clone()).await {
            Err(_) if began.elapsed() < CONNECT_TIMEOUT => sleep(RECONNECT_DELAY).await,
            result => return result,
        }
    }
}

/// Connects to one of the servers with one attempt for each.
async fn try_to_connect(
    options: &NatsOptions,
    servers: Vec<ServerAddr>,
) -> Result<Client, ClusterError> {
    let names = servers
        .iter()
        .map(|server| format!("{}:{}", server.host(), server.port()));
    let names = names.collect::<Vec<_>>().join(", ");
    let connect = options.connect_options().await?.connect(servers);
    match timeout(CONNECT_TIMEOUT, connect).await {
        Ok(Ok(client)) => Ok(client),
        Ok(Err(error)) => Err(ClusterError::Setup(format!(
            "cannot connect to {names}: {error}"
        ))),
        Err(_) => Err(ClusterError::Setup(format!(
            "cannot connect to {names} in time"
        ))),
    }
}
