//! Parses, logs, binds, runs, exits.

use std::io::{IsTerminal, Write};
use std::process::ExitCode;
use std::thread::available_parallelism;

use anyhow::Context;
use clap::Parser;
use noughts_server::cli::games;
use noughts_server::config::ServerConfig;
use noughts_server::net::listener::bind;
use noughts_server::rng::ServerRng;
use noughts_server::time::server_clock::ServerClock;
use noughts_server::{reachable_address, shutdown};
use tokio::runtime::Builder;
use tracing::warn;
use tracing_subscriber::EnvFilter;

fn main() -> anyhow::Result<ExitCode> {
    let config = ServerConfig::parse();
    if let Some(command) = &config.command {
        games::run(command, &config.data.directory()?, &mut std::io::stdout().lock())?;
        return Ok(ExitCode::SUCCESS);
    }
    // On one core there is nobody to share work with, and what sharing takes is saved.
    let single_core = available_parallelism().is_ok_and(|cores| cores.get() == 1);
    let mut runtime = if single_core { Builder::new_current_thread() } else { Builder::new_multi_thread() };
    runtime.enable_all().build().context("no runtime")?.block_on(serve(config))
}

async fn serve(config: ServerConfig) -> anyhow::Result<ExitCode> {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("info"));
    let ansi = std::io::stderr().is_terminal();
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).with_ansi(ansi).init();

    let listen = config.listen;
    let listener = bind(listen).with_context(|| {
        format!("cannot listen on {listen}; --listen takes another address, and port 0 a free port")
    })?;
    let time = ServerClock::start();
    let (log, tls) = (config.open_store(&time)?, config.load_tls()?);
    let scheme = if tls.is_some() { "wss" } else { "ws" };
    if tls.is_none() && !listen.ip().is_loopback() {
        warn!(%listen, "served without TLS beyond this machine: whoever is on the way can read along");
    }
    // Before anyone learns that the server is there: from here on no signal is missed.
    let (drain, abort) = shutdown::shutdown_futures(tls.clone());
    let url =
        format!("{scheme}://{}/ws", reachable_address(listener.local_addr().context("no local address")?));
    let mut stdout = std::io::stdout();
    writeln!(stdout, "{url}\nnoughts play {url}")
        .and_then(|()| stdout.flush())
        .context("cannot write to stdout")?;

    let server = noughts_server::run(listener, tls, config.limits, log, ServerRng::default(), time, drain);
    tokio::select! {
        ended = server => Ok(ended.map(|()| ExitCode::SUCCESS)?),
        () = abort => Ok(ExitCode::from(130)),
    }
}
