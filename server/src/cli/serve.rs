//! Serving: opens the store, binds the address, prints it, and runs until a signal.

use std::io::{IsTerminal, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, UdpSocket};
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use tracing::warn;

#[cfg(feature = "cluster")]
use super::cluster_store::{NodeConnections, connect_node, node_options, open_node};
use super::service_manager::{InheritedListeners, ServiceNotifier};
use super::shutdown;
use crate::cli::service_manager::feed_watchdog;
use crate::config::{DataLocation, ServerConfig};
use crate::net::accept::{TlsCertificate, TlsError, bind, inherit};
use crate::operator::OperatorParts;
use crate::operator::bans::BanFile;
use crate::operator::socket::OperatorSocket;
use crate::runtime::clock::ServerClock;
use crate::runtime::rng::ServerRng;
use crate::store::sqlite::{ImportMark, SqliteOptions};
use crate::store::{EventLog, MemoryLog, SqliteLog};
use crate::{ClusterNode, ServerParts};

/// Exit code after a second signal: 128 + SIGINT.
const EXIT_ABORTED: u8 = 130;

/// Runs a server. A listener of the service manager replaces the address of its flag.
pub(super) async fn serve(
    config: ServerConfig,
    inherited: InheritedListeners,
) -> anyhow::Result<ExitCode> {
    let clock = ServerClock::start();
    let notifier = ServiceNotifier::from_env();
    // The node is opened before the address is bound, because clients must not wait for a node without shards.
    let (cluster_log, node) = open_cluster_node(&config, &clock).await?.unzip();
    let listener = match inherited.players {
        Some(inherited) => inherit_listener(inherited)?,
        None => bind_listener(config.listen, "--listen")?,
    };
    let admin_listener = match (inherited.admin, config.admin_listener) {
        (None, None) => None,
        (Some(inherited), _) => Some(inherit_listener(inherited)?),
        (None, Some(address)) => Some(bind_listener(address, "--admin-listener")?),
    };
    let address = listener
        .local_addr()
        .context("cannot determine local address")?;
    let (log, operator) = match cluster_log {
        Some(log) => (log, OperatorParts::default()),
        None => (open_store(&config, &clock)?, open_operator(&config.data)?),
    };
    let tls = load_tls(&config)?;
    if tls.is_none() && !address.ip().is_loopback() {
        warn!(listen = %address, "listening without TLS on a non-loopback address: traffic is not encrypted");
    }
    // The handlers are installed before the address is printed, so that a program that reads the address can send a
    // signal immediately.
    let stop_announced = CancellationToken::new();
    let on_first_signal = || {
        notifier.on_stopping();
        stop_announced.cancel();
    };
    let (drain, abort) = shutdown::shutdown_futures(
        tls.clone(),
        notifier.clone(),
        config.stop_with_stdin,
        config.drain_wait(),
        on_first_signal,
    );
    let reachable = reachable_address(address);
    let mut limits = config.limits;
    if limits.network.public_url.is_none() && !reachable.ip().is_loopback() {
        let scheme = if tls.is_some() { "wss" } else { "ws" };
        let url = format!("{scheme}://{reachable}/ws");
        limits.network.public_url = Some(url.parse().context("address of the server")?);
    }
    let admin_address = admin_listener
        .as_ref()
        .map(TcpListener::local_addr)
        .transpose()
        .context("cannot determine local address")?;
    let mut stdout = std::io::stdout();
    let is_terminal = stdout.is_terminal();
    let is_local_only = address.ip().is_loopback() && limits.network.public_url.is_none();
    let lines = first_lines(
        reachable,
        tls.is_some(),
        admin_address,
        is_local_only,
        is_terminal,
    );
    stdout
        .write_all(lines.as_bytes())
        .and_then(|()| stdout.flush())
        .context("cannot write to stdout")?;

    let watchdog = feed_watchdog(&notifier, Arc::clone(&log));
    let rng = ServerRng::default();
    let stop_announced = stop_announced.clone();
    let parts = ServerParts {
        listener,
        admin_listener,
        tls,
        limits: Arc::new(limits),
        // Stored games continue on the next server, so the end is final only if the games are in memory.
        is_final: config.stop_with_stdin && matches!(config.data, DataLocation::Memory),
        log,
        rng,
        clock,
        node,
        operator,
        stop_announced,
    };
    let server = crate::run_parts(parts, || notifier.on_ready(), drain);
    tokio::select! {
        ended = server => Ok(ended.map(|()| ExitCode::SUCCESS)?),
        () = abort => Ok(ExitCode::from(EXIT_ABORTED)),
        never = watchdog => match never {},
    }
}

/// Returns the lines that the server prints before it serves: one address per line, after a label. On a terminal,
/// further lines say how to stop the server, and how others can reach a server that only this machine reaches.
fn first_lines(
    address: SocketAddr,
    is_tls: bool,
    admin_address: Option<SocketAddr>,
    is_local_only: bool,
    is_terminal: bool,
) -> String {
    let (page_scheme, play_scheme) = if is_tls {
        ("https", "wss://")
    } else {
        ("http", "")
    };
    let mut lines = format!(
        "Browser: {page_scheme}://{address}/\nTerminal: noughts play {play_scheme}{address}\n"
    );
    if let Some(address) = admin_address {
        lines.push_str(&format!("Metrics: http://{address}/metrics\n"));
    }
    if is_terminal && is_local_only {
        let port = address.port();
        lines.push_str(&format!(
            "Only this computer can reach this server. For others: noughts-server --listen 0.0.0.0:{port}\n"
        ));
    }
    if is_terminal {
        lines.push_str("Ctrl-C stops the server.\n");
    }
    lines
}

fn inherit_listener(inherited: std::net::TcpListener) -> anyhow::Result<TcpListener> {
    inherit(inherited).context("cannot use a listener of the service manager")
}

fn bind_listener(address: SocketAddr, flag: &str) -> anyhow::Result<TcpListener> {
    bind(address).with_context(|| {
        format!("cannot listen on {address}; choose another address with {flag}, or port 0 for a free port")
    })
}

/// The log and the other parts of a node of a cluster.
type NodeParts = (Arc<dyn EventLog>, ClusterNode);

#[cfg(feature = "cluster")]
async fn open_cluster_node(
    config: &ServerConfig,
    clock: &ServerClock,
) -> anyhow::Result<Option<NodeParts>> {
    let Some(NodeConnections { node, bus, relays }) = connect_node(config).await? else {
        return Ok(None);
    };
    let options = node_options(config, clock, node, relays.address);
    let (log, events) = open_node(config, options)?;
    let node = ClusterNode::new(node, &log, events, bus, relays);
    Ok(Some((Arc::new(log), node)))
}

/// Returns `None`, because a program without the feature `cluster` has no nodes.
#[cfg(not(feature = "cluster"))]
async fn open_cluster_node(_: &ServerConfig, _: &ServerClock) -> anyhow::Result<Option<NodeParts>> {
    Ok(None)
}

fn open_store(config: &ServerConfig, clock: &ServerClock) -> anyhow::Result<Arc<dyn EventLog>> {
    let options = SqliteOptions {
        keep_games: config.keep_games,
        max_games: config.max_games,
        protect_games: config.limits.protect_games,
        write_timeout: config.limits.append_timeout,
        ..SqliteOptions::new(config.durability, clock.clone())
    };
    Ok(match &config.data {
        DataLocation::Memory => Arc::new(MemoryLog::default()),
        DataLocation::Directory(_) | DataLocation::Default => {
            let directory = config.data.directory()?;
            ImportMark::in_directory(&directory).refuse()?;
            Arc::new(SqliteLog::open(&directory, options)?)
        }
    })
}

/// Opens the bans and the socket of the operator in a data directory that the store has locked. Without a socket, the
/// server still serves, and its bans count.
fn open_operator(data: &DataLocation) -> anyhow::Result<OperatorParts> {
    if matches!(data, DataLocation::Memory) {
        return Ok(OperatorParts::default());
    }
    let directory = data.directory()?;
    let bans = BanFile::open(&directory)?;
    let socket = OperatorSocket::bind(&directory);
    let socket = socket.inspect_err(|error| warn!(%error, "operator's socket not available"));
    Ok(OperatorParts {
        bans: Some(bans),
        socket: socket.ok(),
    })
}

fn load_tls(config: &ServerConfig) -> Result<Option<Arc<TlsCertificate>>, TlsError> {
    let Some((certificate, key)) = config.tls_cert.as_deref().zip(config.tls_key.as_deref()) else {
        return Ok(None);
    };
    TlsCertificate::open(certificate, key).map(|tls| Some(Arc::new(tls)))
}

/// Returns an address that other machines can connect to. For an unspecified address (`0.0.0.0`), this is the source
/// address of outgoing traffic. It is found by connecting a datagram socket, which sends nothing.
fn reachable_address(bound: SocketAddr) -> SocketAddr {
    if !bound.ip().is_unspecified() {
        return bound;
    }
    let outward = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0)).and_then(|socket| {
        socket.connect((Ipv4Addr::new(192, 0, 2, 1), 9))?;
        socket.local_addr()
    });
    SocketAddr::new(
        outward.map_or(IpAddr::V4(Ipv4Addr::LOCALHOST), |address| address.ip()),
        bound.port(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_reads_addresses_and_a_person_also_reads_what_to_do() {
        let address: SocketAddr = "127.0.0.1:7878".parse().unwrap();
        let public: SocketAddr = "192.0.2.7:443".parse().unwrap();
        assert_eq!(
            first_lines(address, false, None, true, true),
            "Browser: http://127.0.0.1:7878/\n\
             Terminal: noughts play 127.0.0.1:7878\n\
             Only this computer can reach this server. For others: noughts-server --listen 0.0.0.0:7878\n\
             Ctrl-C stops the server.\n"
        );
        // A server behind a proxy, or a server that listens on all interfaces of a computer without a network.
        assert!(!first_lines(address, false, None, false, true).contains("Only this computer"));
        assert_eq!(
            first_lines(public, true, Some(address), false, false),
            "Browser: https://192.0.2.7:443/\n\
             Terminal: noughts play wss://192.0.2.7:443\n\
             Metrics: http://127.0.0.1:7878/metrics\n"
        );
    }
}
