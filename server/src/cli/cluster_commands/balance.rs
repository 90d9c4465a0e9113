//! The subcommand `cluster balance`. Safe while nodes run.

use std::io::Write;
use std::process::ExitCode;

use anyhow::Context;

use crate::cli::cluster_store::new_nats_options;
use crate::cluster::nats::cluster_view::ClusterView;
use crate::config::ClusterServers;

/// Spreads the leaders of the streams of moves evenly over the NATS servers.
///
/// # Errors
/// If the cluster does not exist or cannot be used, or a stream gets no leader in time.
pub(super) async fn run(
    servers: &ClusterServers,
    out: &mut impl Write,
) -> anyhow::Result<ExitCode> {
    let options = new_nats_options(&servers.cluster, &servers.access);
    let cluster = ClusterView::connect(&options)
        .await
        .context("cannot read the streams")?;
    let (mut moves, mut written) = (0, Ok(()));
    let balanced = cluster.balance(|moved| {
        moves += 1;
        let line = writeln!(
            out,
            "stream {}: leader moved from {} to {}",
            moved.stream, moved.from, moved.to
        );
        written = std::mem::replace(&mut written, Ok(())).and(line);
    });
    let balanced = balanced.await;
    written?;
    writeln!(out, "leaders moved: {moves}")?;
    balanced.context("the leaders are not spread evenly")?;
    Ok(ExitCode::SUCCESS)
}
