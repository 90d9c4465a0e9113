//! The program: serving, and the subcommands for stored data.

mod games;
mod serve;
mod shutdown;

use std::process::ExitCode;
use std::thread::available_parallelism;

use anyhow::Context;
use tokio::runtime::Builder;

use crate::config::ServerConfig;

/// Runs the program with the given flags: a subcommand, or a server until it is shut down.
///
/// # Errors
/// If the data cannot be used, the address cannot be bound, or the output cannot be written.
pub fn run_program(config: ServerConfig) -> anyhow::Result<ExitCode> {
    if let Some(command) = &config.command {
        games::run(command, &config.data.directory()?, &mut std::io::stdout().lock())?;
        return Ok(ExitCode::SUCCESS);
    }
    // A single core has no use for work stealing, and saves its cost.
    let single_core = available_parallelism().is_ok_and(|cores| cores.get() == 1);
    let mut runtime = if single_core { Builder::new_current_thread() } else { Builder::new_multi_thread() };
    runtime.enable_all().build().context("cannot create runtime")?.block_on(serve::serve(config))
}
