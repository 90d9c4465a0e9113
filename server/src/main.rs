//! Parses, logs, binds, runs, exits.

use std::io::{IsTerminal, Write};
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context;
use clap::Parser;
use noughts_server::config::{Config, Data};
use noughts_server::dice::Dice;
use noughts_server::log::{EventLog, MemoryLog, SqliteLog};
use noughts_server::shutdown::Signals;
use noughts_server::{archive, reachable};
use tokio::net::TcpListener;
use tracing_subscriber::EnvFilter;

#[tokio::main]
async fn main() -> anyhow::Result<ExitCode> {
    let config = Config::parse();
    if let Some(command) = &config.command {
        archive::run(command, &config.data.directory()?, &mut std::io::stdout().lock())?;
        return Ok(ExitCode::SUCCESS);
    }
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("info"));
    let ansi = std::io::stderr().is_terminal();
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).with_ansi(ansi).init();

    let listen = config.listen;
    let listener = TcpListener::bind(listen).await.with_context(|| {
        format!("cannot listen on {listen}; --listen takes another address, and port 0 a free port")
    })?;
    let log: Arc<dyn EventLog> = match &config.data {
        Data::Memory => Arc::new(MemoryLog::default()),
        Data::Directory(_) | Data::Default => {
            Arc::new(SqliteLog::open(&config.data.directory()?, config.log_options())?)
        }
    };
    let url = format!("ws://{}/ws", reachable(listener.local_addr().context("no local address")?));
    let mut stdout = std::io::stdout();
    writeln!(stdout, "{url}\nnoughts play {url}")
        .and_then(|()| stdout.flush())
        .context("cannot write to stdout")?;

    let mut signals = Signals::listen();
    let (first, told) = tokio::sync::oneshot::channel::<()>();
    let shutdown = async {
        // An error means that the sender below has gone, which is a reason to stop as well.
        let (Ok(()) | Err(_)) = told.await;
    };
    let server = noughts_server::run(listener, config.limits, log, Dice::default(), shutdown);
    let stop = async {
        signals.next().await;
        drop(first);
        signals.next().await;
    };
    tokio::select! {
        ended = server => Ok(ended.map(|()| ExitCode::SUCCESS)?),
        () = stop => Ok(ExitCode::from(130)),
    }
}
