//! The subcommand `cluster export`. No node may run.

use std::fs;
use std::io::{ErrorKind, Write};
use std::path::Path;
use std::process::ExitCode;

use anyhow::Context;

use crate::cli::cluster_store::{new_nats_options, new_node_id};
use crate::cluster::transfer::room_export::export;
use crate::config::ClusterServers;
use crate::runtime::clock::ServerClock;

/// Writes the rooms and finished games of a cluster to `directory`. The exit code is 1 if a finished game is damaged.
///
/// # Errors
/// If the directory is not empty or cannot be written, nodes run, or the cluster cannot be used.
pub(super) async fn run(
    servers: &ClusterServers,
    directory: &Path,
    out: &mut impl Write,
) -> anyhow::Result<ExitCode> {
    require_empty(directory)?;
    let options = new_nats_options(&servers.cluster, &servers.access);
    let report = export(&options, directory, new_node_id(), &ServerClock::start()).await;
    let report = report.context("cannot export cluster")?;
    writeln!(
        out,
        "{} rooms and {} finished games exported to {}, {} damaged messages skipped",
        report.rooms,
        report.games,
        directory.display(),
        report.damaged
    )?;
    Ok(if report.damaged == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// Accepts a directory that has no entries or does not exist.
fn require_empty(directory: &Path) -> anyhow::Result<()> {
    let has_entries = match fs::read_dir(directory) {
        Ok(mut entries) => entries.next().is_some(),
        Err(error) if error.kind() == ErrorKind::NotFound => false,
        Err(error) => {
            return Err(error).with_context(|| format!("cannot read {}", directory.display()));
        }
    };
    anyhow::ensure!(
        !has_entries,
        "{} is not empty: export to a new directory",
        directory.display()
    );
    Ok(())
}
