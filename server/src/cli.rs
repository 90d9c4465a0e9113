//! The program: runs a server or a subcommand.
//!
//! Subcommands of this file print the files of a package, which are generated from the flags, and ask a server on this
//! machine whether it responds, for service managers of containers.

#[cfg(feature = "cluster")]
mod cluster_commands;
#[cfg(feature = "cluster")]
mod cluster_store;
mod ctl;
mod data_commands;
mod serve;
mod service_manager;
mod shutdown;

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::ExitCode;
use std::thread::available_parallelism;
use std::time::Duration;

use anyhow::{Context, ensure};
use clap::CommandFactory;
#[cfg(feature = "cluster")]
use clap::error::ErrorKind;
use clap_complete::Shell;
use clap_mangen::Man;
use tokio::runtime::Builder;

use crate::config::{LIMITS, ServerCommand, ServerConfig};
use crate::runtime::logging::LogOutput;
use service_manager::InheritedListeners;

#[cfg(all(feature = "cluster", feature = "faults"))]
pub(crate) use cluster_store::nats_options;
#[cfg(all(feature = "cluster", feature = "faults"))]
pub use cluster_store::read_cluster;

/// Exit code for a closed output pipe. A shell reports the same code for a program that SIGPIPE has ended.
const CLOSED_PIPE: u8 = 141;

/// Runs the program with these flags: a subcommand, or a server until it is shut down.
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
    #[cfg(feature = "cluster")]
    if !config.cluster.cluster.is_empty() && config.cluster.cluster_listen.is_none() {
        // Exits with the code of a refused flag, because a service manager does not restart a program that ends with
        // this code.
        ServerConfig::command()
            .error(
                ErrorKind::MissingRequiredArgument,
                cluster_store::NO_ADDRESS,
            )
            .exit();
    }
    // The listeners are taken before any thread starts, because this changes the environment.
    let inherited = InheritedListeners::take()?;
    let log = LogOutput::install(config.log_format).context("cannot use stderr")?;
    let served = run_server(config, inherited);
    // The error is not returned: the standard library would print it to stderr, and wait forever for a pipe that
    // nothing reads.
    Ok(served.unwrap_or_else(|error| {
        log.report_error(&error);
        ExitCode::FAILURE
    }))
}

fn run_server(config: ServerConfig, inherited: InheritedListeners) -> anyhow::Result<ExitCode> {
    // On a single core, work stealing costs time and gains nothing.
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
            data_commands::show_games(command, &data.directory()?, &mut out, &mut messages)
        }
        ServerCommand::Backup { file } => {
            data_commands::back_up(&data.directory()?, file, &mut messages)
        }
        ServerCommand::Check { path: Some(path) } => {
            data_commands::check_stored_data(path, &mut out)
        }
        ServerCommand::Check { path: None } => {
            data_commands::check_stored_data(&data.directory()?, &mut out)
        }
        ServerCommand::Ctl(args) => ctl::run(args, &data.directory()?, &mut out),
        ServerCommand::Health { address } => ask_health(address.unwrap_or(config.status_address())),
        #[cfg(feature = "cluster")]
        ServerCommand::Cluster(command) => {
            let _log = LogOutput::install(config.log_format).context("cannot use stderr")?;
            cluster_commands::run(command, data, &mut out)
        }
        #[cfg(not(feature = "cluster"))]
        ServerCommand::Cluster(refused) => match refused.command {},
        ServerCommand::Man => print_manual_page(&mut out),
        ServerCommand::Completions { shell } => print_completions(*shell, &mut out),
    };
    let is_closed_pipe = |error: &anyhow::Error| {
        error
            .downcast_ref::<std::io::Error>()
            .is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
    };
    match done {
        // The reader may stop early, as in `games list | head`.
        Err(error) if is_closed_pipe(&error) => Ok(ExitCode::from(CLOSED_PIPE)),
        done => done,
    }
}

/// Prints the manual page.
///
/// # Errors
/// If the output cannot be written.
fn print_manual_page(out: &mut impl Write) -> anyhow::Result<ExitCode> {
    let limits = LIMITS.iter().filter(|field| field.flag.is_none());
    let rows = limits.map(|field| {
        let (name, default) = (&field.name, field.shown_default());
        format!("{name}={default} ({})\n{}\n", field.range, field.document())
    });
    let list = rows.collect::<Vec<_>>().join("\n");
    let text = format!("Limits that --set sets, with their defaults:\n\n{list}");
    Man::new(ServerConfig::command().after_long_help(text)).render(out)?;
    Ok(ExitCode::SUCCESS)
}

/// Prints a completion script for a shell.
///
/// # Errors
/// If the output cannot be written.
fn print_completions(shell: Shell, out: &mut impl Write) -> anyhow::Result<ExitCode> {
    let mut script = Vec::new();
    clap_complete::generate(
        shell,
        &mut ServerConfig::command(),
        "noughts-server",
        &mut script,
    );
    out.write_all(&script)?;
    Ok(ExitCode::SUCCESS)
}

/// Timeout of the connection attempt, and of each read and write.
const TIMEOUT: Duration = Duration::from_secs(5);

/// Maximum number of bytes of the status line that are read.
const STATUS_LINE_BYTES_MAX: u64 = 128;

/// Requests `/health`.
///
/// # Errors
/// If the server does not respond, or responds with a status other than 200.
fn ask_health(address: SocketAddr) -> anyhow::Result<ExitCode> {
    let status_line =
        request_status_line(address).with_context(|| format!("no response from {address}"))?;
    let status = status_line.split(' ').nth(1).unwrap_or_default();
    ensure!(
        status == "200",
        "unexpected response from {address}: {status_line:?}; with TLS, check the admin listener"
    );
    Ok(ExitCode::SUCCESS)
}

fn request_status_line(address: SocketAddr) -> std::io::Result<String> {
    let mut stream = TcpStream::connect_timeout(&address, TIMEOUT)?;
    stream.set_read_timeout(Some(TIMEOUT))?;
    stream.set_write_timeout(Some(TIMEOUT))?;
    write!(
        stream,
        "GET /health HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n"
    )?;
    let mut status_line = String::new();
    BufReader::new(stream.take(STATUS_LINE_BYTES_MAX)).read_line(&mut status_line)?;
    Ok(status_line.trim_end().to_owned())
}
