//! The shard log in NATS JetStream. The only module that knows the product.

mod jetstream_log;
mod node_presence;
mod server_version;
mod stream_setup;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use async_nats::jetstream::context::ContextBuilder;
use async_nats::{Client, ConnectOptions, ServerAddr};
use futures::FutureExt;
use tokio::time::{Instant, sleep, timeout};
use tokio_util::sync::CancellationToken;
use tracing::{info, warn};

use crate::cluster::cluster_log::{ClusterError, ConnectedLog};
use crate::cluster::shard::NodeId;
use jetstream_log::JetStreamLog;
use node_presence::NodePresence;
use server_version::ServerVersion;
use stream_setup::StreamSetup;

/// Begin of the seed of a user's NKey. A file of credentials begins otherwise.
const USER_SEED_PREFIX: &str = "SU";

/// Time in which one of the servers must be reachable at the start.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// Time for one attempt to connect.
const ATTEMPT_TIMEOUT: Duration = Duration::from_secs(1);

/// Time between two pings of a server. Two missing pongs end the connection.
const PING_INTERVAL: Duration = Duration::from_secs(1);

/// Time for a request that is no append.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(2);

/// Time for the acknowledgement of an append. Short, since the same bytes are sent again.
const ACK_TIMEOUT: Duration = Duration::from_millis(400);

/// Maximum delay between two attempts to connect again.
const RECONNECT_DELAY: Duration = Duration::from_millis(250);

/// Appends in flight, over all shards.
const MAX_APPENDS_IN_FLIGHT: usize = 4096;

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
    /// Certificates of authorities, in addition to those of the platform.
    pub(crate) authorities: Option<PathBuf>,
}

impl NatsOptions {
    fn addresses(&self) -> Result<Vec<ServerAddr>, ClusterError> {
        let wrong = |server: &str| ClusterError::Setup(format!("wrong address of a NATS server: {server}"));
        let parse = |server: &String| server.trim().parse().map_err(|_| wrong(server));
        self.servers.iter().map(parse).collect()
    }

    async fn connect_options(&self) -> Result<ConnectOptions, ClusterError> {
        let mut options = ConnectOptions::new()
            .name("noughts-server")
            .connection_timeout(ATTEMPT_TIMEOUT)
            .ping_interval(PING_INTERVAL)
            .request_timeout(Some(REQUEST_TIMEOUT))
            .reconnect_delay_callback(|attempts| if attempts < 2 { Duration::ZERO } else { RECONNECT_DELAY });
        if let Some(file) = &self.credentials {
            let failed = |error| ClusterError::Setup(format!("{}: {error}", file.display()));
            let text = std::fs::read_to_string(file).map_err(failed)?;
            options = match text.trim() {
                seed if seed.starts_with(USER_SEED_PREFIX) => options.nkey(seed.to_owned()),
                _ => options.credentials(&text).map_err(failed)?,
            };
        }
        if let Some(file) = &self.authorities {
            options = options.add_root_certificates(file.clone()).require_tls(true);
        }
        Ok(options)
    }
}

/// Connects to the servers, waits until no other node serves the cluster, and checks or creates its streams.
///
/// # Errors
/// If no server is reachable, a server is too old, or a stream has another configuration.
pub(crate) async fn connect(options: NatsOptions, node: NodeId) -> Result<ConnectedLog, ClusterError> {
    let servers = options.addresses()?;
    check_versions(&options, &servers).await?;
    let client = connect_to(&options, servers).await?;
    let context = ContextBuilder::new()
        .timeout(REQUEST_TIMEOUT)
        .ack_timeout(ACK_TIMEOUT)
        .max_ack_inflight(MAX_APPENDS_IN_FLIGHT)
        .build(client.clone());
    let setup = StreamSetup::new(&options.name, options.replicas);
    let map = setup.open_streams(&context, options.shards).await?;
    let (mut presence, rivals) = NodePresence::new(client, &options.name, node).await?;
    presence.wait_for_turn().await?;
    let log = Arc::new(JetStreamLog::new(context, setup));
    let stopped = CancellationToken::new();
    let background = presence.run(stopped.clone()).boxed();
    Ok(ConnectedLog { log, map, rivals, background, stopped })
}

/// Connects to each of the servers in turn, and checks the versions of those that are reachable.
async fn check_versions(options: &NatsOptions, servers: &[ServerAddr]) -> Result<(), ClusterError> {
    let began = Instant::now();
    loop {
        let mut reachable = 0;
        let mut last_error = None;
        for server in servers {
            match connect_to(options, vec![server.clone()]).await {
                Ok(client) => {
                    let version = ServerVersion::parse(&client.server_info().version)?;
                    version.check(server.host())?;
                    reachable += 1;
                    if client.drain().await.is_err() {
                        warn!(
                            server = server.host(),
                            "NATS connection ended during the check of its version"
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

async fn connect_to(options: &NatsOptions, servers: Vec<ServerAddr>) -> Result<Client, ClusterError> {
    let names = servers.iter().map(|server| format!("{}:{}", server.host(), server.port()));
    let names = names.collect::<Vec<_>>().join(", ");
    let connect = options.connect_options().await?.connect(servers);
    match timeout(CONNECT_TIMEOUT, connect).await {
        Ok(Ok(client)) => Ok(client),
        Ok(Err(error)) => Err(ClusterError::Setup(format!("cannot connect to {names}: {error}"))),
        Err(_) => Err(ClusterError::Setup(format!("cannot connect to {names} in time"))),
    }
}
