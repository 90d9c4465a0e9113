//! Parses, logs, binds, runs, exits.

use std::io::{IsTerminal, Write};
use std::process::ExitCode;
use std::thread::available_parallelism;

use anyhow::Context;
use clap::Parser;
use noughts_server::config::Config;
use noughts_server::dice::Dice;
use noughts_server::http::bind;
use noughts_server::time::Time;
use noughts_server::{archive, reachable, shutdown};
use tokio::runtime::Builder;
use tracing::warn;
use tracing_subscriber::EnvFilter;

fn main() -> anyhow::Result<ExitCode> {
    let config = Config::parse();
    if let Some(command) = &config.command {
        archive::run(command, &config.data.directory()?, &mut std::io::stdout().lock())?;
        return Ok(ExitCode::SUCCESS);
    }
    // On one core there is nobody to share work with, and what sharing takes is saved.
    let alone = available_parallelism().is_ok_and(|cores| cores.get() == 1);
    let mut runtime = if alone { Builder::new_current_thread() } else { Builder::new_multi_thread() };
    runtime.enable_all().build().context("no runtime")?.block_on(serve(config))
}

async fn serve(config: Config) -> anyhow::Result<ExitCode> {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("info"));
    let ansi = std::io::stderr().is_terminal();
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).with_ansi(ansi).init();

    let listen = config.listen;
    let listener = bind(listen).with_context(|| {
        format!("cannot listen on {listen}; --listen takes another address, and port 0 a free port")
    })?;
    let time = Time::start();
    let (log, tls) = (config.log(&time)?, config.tls()?);
    let scheme = if tls.is_some() { "wss" } else { "ws" };
    if tls.is_none() && !listen.ip().is_loopback() {
        warn!(%listen, "served without TLS beyond this machine: whoever is on the way can read along");
    }
    // Before anyone learns that the server is there: from here on no signal is missed.
    let (drain, end) = shutdown::watch(tls.clone());
    let url = format!("{scheme}://{}/ws", reachable(listener.local_addr().context("no local address")?));
    let mut stdout = std::io::stdout();
    writeln!(stdout, "{url}\nnoughts play {url}")
        .and_then(|()| stdout.flush())
        .context("cannot write to stdout")?;

    let server = noughts_server::run(listener, tls, config.limits, log, Dice::default(), time, drain);
    tokio::select! {
        ended = server => Ok(ended.map(|()| ExitCode::SUCCESS)?),
        () = end => Ok(ExitCode::from(130)),
    }
}
