//! The subcommands of `cluster`.

mod archive;
mod balance;
mod export;
mod import;
mod status;

use std::io::Write;
use std::process::ExitCode;

use anyhow::Context;
use tokio::runtime::Builder;

use crate::config::{ClusterCommand, DataLocation};

/// Runs a subcommand, and prints its result to `out`.
///
/// # Errors
/// If the cluster or the directory cannot be used.
pub(super) fn run(
    command: &ClusterCommand,
    data: &DataLocation,
    out: &mut impl Write,
) -> anyhow::Result<ExitCode> {
    let runtime = Builder::new_current_thread()
        .enable_all()
        .build()
        .context("cannot create runtime")?;
    runtime.block_on(async {
        match command {
            ClusterCommand::Archive { servers, once } => {
                archive::run(servers, *once, &data.directory()?, out).await
            }
            ClusterCommand::Import(servers) => import::run(servers, &data.directory()?, out).await,
            ClusterCommand::Export(servers) => export::run(servers, &data.directory()?, out).await,
            ClusterCommand::Status { servers, json } => status::run(servers, *json, out).await,
            ClusterCommand::Balance(servers) => balance::run(servers, out).await,
        }
    })
}
