//! The program: serving, and the subcommands.

mod backup;
mod check;
#[cfg(feature = "cluster")]
mod cluster_commands;
#[cfg(feature = "cluster")]
mod cluster_store;
mod games;
mod health;
mod packaging;
mod serve;
mod service_manager;
mod shutdown;
mod watchdog;

use std::io::ErrorKind;
use std::process::ExitCode;
use std::thread::available_parallelism;

use anyhow::Context;
use tokio::runtime::Builder;

use crate::config::{ServerCommand, ServerConfig};
use crate::runtime::logging::LogOutput;
#[cfg(all(feature = "cluster", feature = "faults"))]
pub(crate) use cluster_store::nats_options;
#[cfg(all(feature = "cluster", feature = "faults"))]
pub use cluster_store::read_cluster;
use service_manager::InheritedListeners;

/// Exit code for a closed output pipe, as for an end by SIGPIPE.
const CLOSED_PIPE: u8 = 141;

/// Runs the program with the given flags: a subcommand, or a server until it is shut down.
///
/// # Errors
/// If the data cannot be used, the address cannot be bound, or the output cannot be written.
pub fn run_program(config: ServerConfig) -> anyhow::Result<ExitCode> {
    shutdown::survive_file_size_limit().context("cannot handle signals")?;
    if let Some(command) = &config.command {
        #[cfg(feature = "cluster")]
        anyhow::ensure!(
            config.cluster.cluster.is_empty() || matches!(command, ServerCommand::Cluster(_)),
            "subcommands read a data directory, not a cluster"
        );
        return run_command(command, &config);
    }
    // Before any thread starts.
    let inherited = InheritedListeners::take()?;
    let log = LogOutput::install(config.log_format).context("cannot use stderr")?;
    let served = run_server(config, inherited);
    // Not returned: the standard library would print it to stderr, and wait for ever for a pipe that nothing reads.
    Ok(served.unwrap_or_else(|error| {
        log.report_error(&error);
        ExitCode::FAILURE
    }))
}

fn run_server(config: ServerConfig, inherited: InheritedListeners) -> anyhow::Result<ExitCode> {
    // A single core has no use for work stealing, and saves its cost.
    let single_core = available_parallelism().is_ok_and(|cores| cores.get() == 1);
    let mut runtime = if single_core {
        Builder::new_current_thread()
    } else {
        Builder::new_multi_thread()
    };
    runtime
        .enable_all()
        .build()
        .context("cannot create runtime")?
        .block_on(serve::serve(config, inherited))
}

fn run_command(command: &ServerCommand, config: &ServerConfig) -> anyhow::Result<ExitCode> {
    let data = &config.data;
    let (mut out, mut messages) = (std::io::stdout().lock(), std::io::stderr().lock());
    let done = match command {
        ServerCommand::Games(command) => {
            games::run(command, &data.directory()?, &mut out, &mut messages)
        }
        ServerCommand::Backup { file } => backup::run(&data.directory()?, file, &mut messages),
        ServerCommand::Check { path: Some(path) } => check::run(path, &mut out),
        ServerCommand::Check { path: None } => check::run(&data.directory()?, &mut out),
        ServerCommand::Health { address } => {
            health::run(address.unwrap_or(config.status_address()))
        }
        #[cfg(feature = "cluster")]
        ServerCommand::Cluster(command) => {
            let _log = LogOutput::install(config.log_format).context("cannot use stderr")?;
            cluster_commands::run(command, data, &mut out)
        }
        #[cfg(not(feature = "cluster"))]
        ServerCommand::Cluster(refused) => match refused.command {},
        ServerCommand::Man => packaging::print_manual_page(&mut out),
        ServerCommand::Completions { shell } => packaging::print_completions(*shell, &mut out),
    };
    let is_closed_pipe = |error: &anyhow::Error| {
        error
            .downcast_ref::<std::io::Error>()
            .is_some_and(|error| error.kind() == ErrorKind::BrokenPipe)
    };
    match done {
        // As in `games list | head`.
        Err(error) if is_closed_pipe(&error) => Ok(ExitCode::from(CLOSED_PIPE)),
        done => done,
    }
}
