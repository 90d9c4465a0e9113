//! Parses, logs, binds, runs, exits.

use std::io::{IsTerminal, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, UdpSocket};
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context;
use clap::Parser;
use noughts_server::config::Config;
use noughts_server::dice::Dice;
use noughts_server::log::MemoryLog;
use noughts_server::shutdown::Signals;
use tokio::net::TcpListener;
use tracing_subscriber::EnvFilter;

#[tokio::main]
async fn main() -> anyhow::Result<ExitCode> {
    let config = Config::parse();
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("info"));
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal())
        .init();

    let listen = config.listen;
    let listener = TcpListener::bind(listen).await.with_context(|| {
        format!("cannot listen on {listen}; --listen takes another address, and port 0 a free port")
    })?;
    let url = format!("ws://{}/ws", reachable(listener.local_addr().context("no local address")?));
    let mut stdout = std::io::stdout();
    writeln!(stdout, "{url}\nnoughts play {url}")
        .and_then(|()| stdout.flush())
        .context("cannot write to stdout")?;

    let mut signals = Signals::listen();
    let (first, drain) = tokio::sync::oneshot::channel::<()>();
    let shutdown = async {
        // An error means that the sender below has gone, which is a reason to stop as well.
        let (Ok(()) | Err(_)) = drain.await;
    };
    let server = noughts_server::run(
        listener,
        config.limits,
        Arc::new(MemoryLog::default()),
        Dice::default(),
        shutdown,
    );
    let stop = async {
        signals.next().await;
        drop(first);
        signals.next().await;
    };
    tokio::select! {
        () = server => Ok(ExitCode::SUCCESS),
        () = stop => Ok(ExitCode::from(130)),
    }
}

/// The address that somebody else can type. Every address is none: then the one by which this
/// machine would reach out. Connecting a datagram socket sends nothing.
fn reachable(bound: SocketAddr) -> SocketAddr {
    if !bound.ip().is_unspecified() {
        return bound;
    }
    let outward = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0)).and_then(|socket| {
        socket.connect((Ipv4Addr::new(192, 0, 2, 1), 9)).and_then(|()| socket.local_addr())
    });
    SocketAddr::new(outward.map_or(IpAddr::V4(Ipv4Addr::LOCALHOST), |address| address.ip()), bound.port())
}
