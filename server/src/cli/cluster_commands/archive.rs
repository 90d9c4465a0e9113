//! The subcommand `cluster archive`. Safe while nodes run.

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use anyhow::Context;
use tokio::signal::unix::{SignalKind, signal};

use crate::cli::cluster_store::new_nats_options;
use crate::cluster::transfer::game_archiver::GameArchiver;
use crate::config::ClusterServers;

/// Adds the finished games of a cluster to the archive in `directory`: those that exist, or all until SIGINT or SIGTERM.
/// The exit code is 1 if a game of the stream is damaged.
///
/// # Errors
/// If the cluster or the directory cannot be used.
pub(super) async fn run(
    servers: &ClusterServers,
    once: bool,
    directory: &Path,
    out: &mut impl Write,
) -> anyhow::Result<ExitCode> {
    let [mut interrupt, mut terminate] = [
        signal(SignalKind::interrupt())?,
        signal(SignalKind::terminate())?,
    ];
    let options = new_nats_options(&servers.cluster, &servers.access);
    let mut archiver = GameArchiver::open(&options, directory)
        .await
        .context("cannot archive games")?;
    let copy = async {
        if once {
            archiver.copy_existing().await
        } else {
            archiver.follow().await
        }
    };
    tokio::select! {
        copied = copy => copied.context("cannot archive games")?,
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
    }
    let counts = archiver.counts;
    drop(archiver);
    writeln!(
        out,
        "{} games archived, {} damaged messages skipped",
        counts.added, counts.damaged
    )?;
    Ok(if counts.damaged == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}
