//! Serving: opens the store, binds the address, prints it, and runs until a signal.

use std::io::Write;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, UdpSocket};
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context;
use tracing::warn;

use super::shutdown;
use crate::ServerParts;
use crate::config::{DataLocation, ServerConfig};
use crate::net::listener::bind;
use crate::net::tls::{TlsCertificate, TlsError};
use crate::runtime::rng::ServerRng;
use crate::runtime::time::server_clock::ServerClock;
use crate::store::sqlite::SqliteOptions;
use crate::store::{EventLog, MemoryLog, SqliteLog};

/// Exit code after a second signal: 128 + SIGINT.
const EXIT_ABORTED: u8 = 130;

pub(super) async fn serve(config: ServerConfig) -> anyhow::Result<ExitCode> {
    let listen = config.listen;
    let listener = bind(listen).with_context(|| {
        format!("cannot listen on {listen}; choose another address with --listen, or port 0 for a free port")
    })?;
    let admin_listener = config.admin_listener.map(|address| {
        bind(address).with_context(|| {
            format!("cannot listen on {address}; choose another address with --admin-listener")
        })
    });
    let admin_listener = admin_listener.transpose()?;
    let clock = ServerClock::start();
    let (log, tls) = (open_store(&config, &clock)?, load_tls(&config)?);
    let scheme = if tls.is_some() { "wss" } else { "ws" };
    if tls.is_none() && !listen.ip().is_loopback() {
        warn!(%listen, "listening without TLS on a non-loopback address: traffic is not encrypted");
    }
    // Before the address is printed, so that no signal sent by its reader is missed.
    let (drain, abort) = shutdown::shutdown_futures(tls.clone());
    let address = listener.local_addr().context("cannot determine local address")?;
    let url = format!("{scheme}://{}/ws", reachable_address(address));
    let mut stdout = std::io::stdout();
    let mut lines = format!("{url}\nnoughts play {url}\n");
    if let Some(listener) = &admin_listener {
        let address = listener.local_addr().context("cannot determine local address")?;
        lines.push_str(&format!("http://{address}/metrics\n"));
    }
    stdout.write_all(lines.as_bytes()).and_then(|()| stdout.flush()).context("cannot write to stdout")?;

    let (limits, rng) = (config.limits, ServerRng::default());
    let parts = ServerParts { listener, admin_listener, tls, limits, log, rng, clock };
    let server = crate::run_parts(parts, drain);
    tokio::select! {
        ended = server => Ok(ended.map(|()| ExitCode::SUCCESS)?),
        () = abort => Ok(ExitCode::from(EXIT_ABORTED)),
    }
}

fn open_store(config: &ServerConfig, clock: &ServerClock) -> anyhow::Result<Arc<dyn EventLog>> {
    let options = SqliteOptions {
        keep_games: config.keep_games,
        max_games: config.max_games,
        protect_games: config.protect_games,
        write_timeout: config.limits.append_timeout,
        ..SqliteOptions::new(config.durability, clock.clone())
    };
    Ok(match &config.data {
        DataLocation::Memory => Arc::new(MemoryLog::default()),
        DataLocation::Directory(_) | DataLocation::Default => {
            Arc::new(SqliteLog::open(&config.data.directory()?, options)?)
        }
    })
}

fn load_tls(config: &ServerConfig) -> Result<Option<Arc<TlsCertificate>>, TlsError> {
    let Some((certificate, key)) = config.tls_cert.as_deref().zip(config.tls_key.as_deref()) else {
        return Ok(None);
    };
    TlsCertificate::open(certificate, key).map(|tls| Some(Arc::new(tls)))
}

/// Returns an address that other machines can connect to. For an unspecified address (`0.0.0.0`) that is the source
/// address of outgoing traffic. Connecting a datagram socket sends nothing.
fn reachable_address(bound: SocketAddr) -> SocketAddr {
    if !bound.ip().is_unspecified() {
        return bound;
    }
    let outward = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0)).and_then(|socket| {
        socket.connect((Ipv4Addr::new(192, 0, 2, 1), 9))?;
        socket.local_addr()
    });
    SocketAddr::new(outward.map_or(IpAddr::V4(Ipv4Addr::LOCALHOST), |address| address.ip()), bound.port())
}
