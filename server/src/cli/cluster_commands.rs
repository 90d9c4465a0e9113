//! The subcommands of `cluster`. `status` changes nothing. `balance` and `archive` are safe while nodes run. During
//! `import` and `export`, neither a node nor the server of the data may run.

use std::fs;
use std::io::{ErrorKind, Write};
use std::path::Path;
use std::process::ExitCode;

use anyhow::Context;
use noughts_protocol::RoomId;
use serde::Serialize;
use tokio::runtime::Builder;
use tokio::signal::unix::{SignalKind, signal};
use tracing::error;

use crate::cli::cluster_store::{new_nats_options, new_node_id};
use crate::cluster::nats::operator_access::OperatorAccess;
use crate::cluster::nats::stream_report::StreamReport;
use crate::cluster::nodes::node_heartbeat::NodeHeartbeat;
use crate::cluster::shard::{Shard, ShardSet};
use crate::cluster::transfer::game_archiver::GameArchiver;
use crate::cluster::transfer::room_export::export;
use crate::cluster::transfer::room_import::{ImportSource, import};
use crate::config::{ClusterCommand, ClusterServers, DataLocation};
use crate::runtime::clock::ServerClock;
use crate::store::sqlite::{
    DataDirError, Durability, GameArchive, ImportMark, SqliteLog, SqliteOptions,
};
use crate::store::{EventLog, FinishedGame};

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
                archive_games(servers, *once, &data.directory()?, out).await
            }
            ClusterCommand::Import(servers) => import_rooms(servers, &data.directory()?, out).await,
            ClusterCommand::Export(servers) => export_rooms(servers, &data.directory()?, out).await,
            ClusterCommand::Status { servers, json } => print_status(servers, *json, out).await,
            ClusterCommand::Balance(servers) => move_leaders(servers, out).await,
        }
    })
}

/// A node that sends heartbeats.
#[derive(Debug, Serialize)]
struct NodeStatus {
    node: String,
    activity: &'static str,
    shards: usize,
}

impl NodeStatus {
    fn new(heartbeat: &NodeHeartbeat) -> NodeStatus {
        NodeStatus {
            node: heartbeat.node.to_string(),
            activity: heartbeat.activity.word(),
            shards: heartbeat.owned_shards().count(),
        }
    }
}

/// State of a cluster.
#[derive(Debug, Serialize)]
struct ClusterStatus {
    nodes: Vec<NodeStatus>,
    shards: u16,
    /// The shards that no node serves, except those in `corrupt_shards`.
    unowned_shards: Vec<u16>,
    /// The shards with a log that a node has found damaged.
    corrupt_shards: Vec<u16>,
    /// Heartbeats of nodes of another version.
    unknown_heartbeats: usize,
    streams: Vec<StreamReport>,
}

impl ClusterStatus {
    fn is_healthy(&self) -> bool {
        self.unowned_shards.is_empty()
            && self.corrupt_shards.is_empty()
            && self.streams.iter().all(StreamReport::is_healthy)
    }

    fn write(&self, out: &mut impl Write) -> std::io::Result<()> {
        for NodeStatus {
            node,
            activity,
            shards,
        } in &self.nodes
        {
            writeln!(out, "node {node}: {activity}, {shards} shards")?;
        }
        if self.nodes.is_empty() {
            writeln!(out, "nodes: none")?;
        }
        let unowned: Vec<String> = self.unowned_shards.iter().map(u16::to_string).collect();
        match unowned.len() {
            0 => writeln!(out, "shards: {}, each with an owner", self.shards)?,
            count => {
                writeln!(
                    out,
                    "shards: {}, {count} without an owner: {}",
                    self.shards,
                    unowned.join(" ")
                )?;
            }
        }
        if !self.corrupt_shards.is_empty() {
            let corrupt: Vec<String> = self.corrupt_shards.iter().map(u16::to_string).collect();
            writeln!(out, "corrupt shards: {}", corrupt.join(" "))?;
        }
        if self.unknown_heartbeats > 0 {
            writeln!(
                out,
                "heartbeats of nodes of another version: {}",
                self.unknown_heartbeats
            )?;
        }
        self.streams
            .iter()
            .try_for_each(|stream| write_stream(stream, out))
    }
}

fn write_stream(stream: &StreamReport, out: &mut impl Write) -> std::io::Result<()> {
    let Some(leader) = &stream.leader else {
        return writeln!(out, "stream {}: no leader", stream.name);
    };
    let replicas = stream
        .replicas
        .iter()
        .map(|replica| match replica.is_current {
            true => format!(", replica {}", replica.server),
            false => format!(", replica {} not current", replica.server),
        });
    let replicas: String = replicas.collect();
    let missing = stream.copies.saturating_sub(stream.replicas.len() + 1);
    let missing = if missing > 0 {
        format!(", missing replicas: {missing}")
    } else {
        String::new()
    };
    let StreamReport {
        name,
        messages,
        bytes,
        ..
    } = stream;
    writeln!(
        out,
        "stream {name}: leader {leader}{replicas}{missing}; {messages} messages, {bytes} bytes"
    )
}

/// Prints the nodes, shards and streams of a cluster. The exit code is 1 if a shard has no owner or is corrupt, or a
/// stream has no leader or a replica that is missing or not current.
///
/// # Errors
/// If the cluster does not exist, or no NATS server is reachable.
async fn print_status(
    servers: &ClusterServers,
    prints_json: bool,
    out: &mut impl Write,
) -> anyhow::Result<ExitCode> {
    let options = new_nats_options(&servers.cluster, &servers.access);
    let mut cluster = OperatorAccess::connect(&options)
        .await
        .context("cannot read the cluster")?;
    let (nodes, unknown_heartbeats) = cluster
        .listen()
        .await
        .context("cannot receive heartbeats")?;
    let owned: ShardSet = nodes.iter().flat_map(NodeHeartbeat::owned_shards).collect();
    let corrupt: ShardSet = nodes
        .iter()
        .flat_map(NodeHeartbeat::corrupt_shards)
        .collect();
    let select = |is_selected: &dyn Fn(Shard) -> bool| -> Vec<u16> {
        cluster
            .map()
            .shards()
            .filter(|shard| is_selected(*shard))
            .map(|shard| shard.0)
            .collect()
    };
    let status = ClusterStatus {
        nodes: nodes.iter().map(NodeStatus::new).collect(),
        shards: cluster.map().count(),
        unowned_shards: select(&|shard| !owned.contains(shard) && !corrupt.contains(shard)),
        corrupt_shards: select(&|shard| !owned.contains(shard) && corrupt.contains(shard)),
        unknown_heartbeats,
        streams: cluster
            .read_streams()
            .await
            .context("cannot read the streams")?,
    };
    if prints_json {
        serde_json::to_writer_pretty(&mut *out, &status)?;
        writeln!(out)?;
    } else {
        status.write(out)?;
    }
    Ok(if status.is_healthy() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// Spreads the leaders of the move streams evenly across the NATS servers.
///
/// # Errors
/// If the cluster does not exist or cannot be used, or a stream gets no leader in time.
async fn move_leaders(servers: &ClusterServers, out: &mut impl Write) -> anyhow::Result<ExitCode> {
    let options = new_nats_options(&servers.cluster, &servers.access);
    let cluster = OperatorAccess::connect(&options)
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

/// Adds the finished games of a cluster to the archive in `directory`: either only the existing games, or also new
/// games until SIGINT or SIGTERM. The exit code is 1 if a game of the stream is damaged.
///
/// # Errors
/// If the cluster or the directory cannot be used.
async fn archive_games(
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

/// Writes the rooms and finished games in `directory` to a cluster. The exit code is 1 if the cluster has other
/// versions of some rooms, or finished games are damaged.
///
/// # Errors
/// If the data is missing or in use, nodes run, or the cluster cannot be used.
async fn import_rooms(
    servers: &ClusterServers,
    directory: &Path,
    out: &mut impl Write,
) -> anyhow::Result<ExitCode> {
    let clock = ServerClock::start();
    let mark = ImportMark::in_directory(directory);
    // The archive is opened first, because this fails if the directory does not exist. The next step would create the
    // directory.
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
        error!(%room, "room not imported: the cluster already has a different version of it");
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

/// Reads the finished games. Counts and logs the damaged games.
fn read_games(archive: &GameArchive) -> Result<(Vec<(RoomId, FinishedGame)>, u64), DataDirError> {
    let (mut games, mut damaged) = (Vec::new(), 0);
    archive.for_each(|entry| {
        match entry {
            Ok(game) => {
                let (number, ended_at, record) = (game.number, game.ended_at, game.text());
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
                error!(%damage, "damaged game skipped");
                damaged += 1;
            }
        }
        Ok::<_, DataDirError>(())
    })?;
    Ok((games, damaged))
}

/// Writes the rooms and finished games of a cluster to `directory`. The exit code is 1 if a finished game is damaged.
///
/// # Errors
/// If the directory is not empty or cannot be written, nodes run, or the cluster cannot be used.
async fn export_rooms(
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::nats::stream_report::StreamReplica;

    #[test]
    fn the_text_names_missing_owners_and_replicas() {
        let replica = |server: &str, is_current| StreamReplica {
            server: server.to_owned(),
            is_current,
        };
        let stream = StreamReport {
            name: "LOG".to_owned(),
            leader: Some("n1".to_owned()),
            replicas: vec![replica("n0", false), replica("n2", true)],
            copies: 4,
            messages: 7,
            bytes: 90,
        };
        let status = ClusterStatus {
            nodes: vec![NodeStatus {
                node: "a".to_owned(),
                activity: "active",
                shards: 1,
            }],
            shards: 4,
            unowned_shards: vec![0, 1],
            corrupt_shards: vec![3],
            unknown_heartbeats: 0,
            streams: vec![stream],
        };
        let mut text = Vec::new();
        status.write(&mut text).unwrap();
        let expected = "node a: active, 1 shards\nshards: 4, 2 without an owner: 0 1\ncorrupt shards: 3\n\
            stream LOG: leader n1, replica n0 not current, replica n2, missing replicas: 1; 7 messages, 90 bytes\n";
        assert_eq!(String::from_utf8(text).unwrap(), expected);
        let report = serde_json::to_value(&status).unwrap();
        assert_eq!(report["nodes"][0]["shards"], 1);
    }
}
