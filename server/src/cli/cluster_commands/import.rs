//! The subcommand `cluster import`. Neither the server of the data nor a node may run.

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use anyhow::Context;
use noughts_protocol::RoomId;
use tracing::error;

use crate::cli::cluster_store::{new_nats_options, new_node_id};
use crate::cluster::transfer::room_import::{ImportSource, import};
use crate::config::ClusterServers;
use crate::runtime::clock::ServerClock;
use crate::store::sqlite::{
    DataDirError, Durability, GameArchive, ImportMark, SqliteLog, SqliteOptions,
};
use crate::store::{EventLog, FinishedGame};

/// Writes the rooms and finished games in `directory` to a cluster. The exit code is 1 if the cluster has other versions of
/// some rooms, or finished games are damaged.
///
/// # Errors
/// If the data is missing or in use, nodes run, or the cluster cannot be used.
pub(super) async fn run(
    servers: &ClusterServers,
    directory: &Path,
    out: &mut impl Write,
) -> anyhow::Result<ExitCode> {
    let clock = ServerClock::start();
    let mark = ImportMark::in_directory(directory);
    // First, because it creates no directory.
    let archive = GameArchive::open(directory).context("cannot read data")?;
    let log = SqliteLog::open(
        directory,
        SqliteOptions::new(Durability::Power, clock.clone()),
    )
    .context("cannot read data")?;
    let (games, damaged) = read_games(&archive).context("cannot read finished games")?;
    let source = ImportSource {
        rooms: log.recover().await.context("cannot read rooms")?,
        games,
        was_imported: mark.exists(),
    };
    let options = new_nats_options(&servers.cluster, &servers.access);
    let report = import(&options, &source, new_node_id(), &clock).await;
    let report = report.context("cannot import data")?;
    mark.create().context("cannot mark data as imported")?;
    for room in &report.rooms_different {
        error!(%room, "room differs from that of the cluster, which is kept");
    }
    writeln!(
        out,
        "rooms: {} written, {} present, {} different, {} closed since an earlier import",
        report.rooms_written,
        report.rooms_present,
        report.rooms_different.len(),
        report.rooms_closed
    )?;
    writeln!(
        out,
        "finished games: {} written, {} present, {damaged} damaged",
        report.games_written, report.games_present
    )?;
    let is_complete = report.rooms_different.is_empty() && damaged == 0;
    Ok(if is_complete {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// Reads the finished games, and counts the damaged ones, which are logged.
fn read_games(archive: &GameArchive) -> Result<(Vec<(RoomId, FinishedGame)>, u64), DataDirError> {
    let (mut games, mut damaged) = (Vec::new(), 0);
    archive.for_each(|entry| {
        match entry {
            Ok(game) => {
                let (number, ended_at, record) =
                    (game.number, game.ended_at, game.record.to_string());
                games.push((
                    game.room,
                    FinishedGame {
                        number,
                        ended_at,
                        record,
                    },
                ));
            }
            Err(damage) => {
                error!(%damage, "damaged games skipped");
                damaged += 1;
            }
        }
        Ok::<_, DataDirError>(())
    })?;
    Ok((games, damaged))
}
