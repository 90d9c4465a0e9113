//! Writes the rooms and finished games of a cluster without nodes into a data directory.

use std::path::Path;

use noughts_protocol::RoomId;

use super::game_archiver::GameArchiver;
use super::shard_editor::ShardEditor;
use super::transfer_error::{ARRIVAL_TIMEOUT, TransferError, require_silence};
use crate::cluster::log::shard_log::ShardLog;
use crate::cluster::log::take_over::CorruptShard;
use crate::cluster::nats::game_reader::GameReader;
use crate::cluster::nats::{CommandConnection, NatsOptions, connect_command};
use crate::cluster::nodes::live_nodes::SUSPECT_AFTER;
use crate::cluster::shard::{NodeId, ShardMap};
use crate::runtime::clock::ServerClock;
use crate::store::sqlite::DataDirWriter;
use crate::store::{FinishedGame, LogError, RoomSecrets, StoredRoom};

/// Counts of an export.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ExportReport {
    pub(crate) rooms: usize,
    pub(crate) games: usize,
    /// Messages of the stream that are not finished games.
    pub(crate) damaged: usize,
}

/// The rooms of a cluster, and the finished games that are not in their stream.
#[derive(Debug, Default)]
pub(crate) struct ExportedRooms {
    pub(crate) rooms: Vec<(RoomSecrets, StoredRoom)>,
    pub(super) waiting_games: Vec<(RoomId, FinishedGame)>,
}

/// Exports rooms and games to a directory, which is empty or does not exist. `node` is the name of the command in the
/// logs of the shards. The cluster keeps its rooms.
///
/// # Errors
/// If nodes run, the cluster cannot be used, or the directory cannot be written. After a failure to write, the
/// directory is incomplete.
pub(crate) async fn export(
    options: &NatsOptions,
    directory: &Path,
    node: NodeId,
    clock: &ServerClock,
) -> Result<ExportReport, TransferError> {
    // The stream is opened first, because the next step would create a cluster that does not exist.
    drop(GameReader::connect(options).await?);
    let CommandConnection {
        log,
        map,
        mut heartbeats,
        ..
    } = connect_command(options).await?;
    require_silence(&mut heartbeats, SUSPECT_AFTER).await?;
    let ExportedRooms {
        rooms,
        waiting_games,
    } = read_rooms(&*log, map, node, clock).await?;
    let reader = GameReader::connect(options).await?;
    // A node that has started in the meantime may have changed a room after it was read. Such a node has sent a
    // heartbeat by now, because a node sends heartbeats long before it changes a room.
    require_silence(&mut heartbeats, ARRIVAL_TIMEOUT).await?;
    let mut archiver = GameArchiver::with_writer(reader, DataDirWriter::open(directory)?)?;
    archiver.copy_existing().await?;
    let counts = archiver.counts;
    let mut writer = archiver.into_writer();
    let waiting = waiting_games.iter().map(|(room, game)| (*room, game));
    let games = counts.added + writer.add_games(waiting, None)?;
    writer.add_rooms(&rooms)?;
    Ok(ExportReport {
        rooms: rooms.len(),
        games,
        damaged: counts.damaged,
    })
}

/// Reads all shards. Claims them, because a read without a claim may be stale.
///
/// # Errors
/// As [`export`].
pub(crate) async fn read_rooms(
    log: &dyn ShardLog,
    map: ShardMap,
    node: NodeId,
    clock: &ServerClock,
) -> Result<ExportedRooms, TransferError> {
    let mut exported = ExportedRooms::default();
    for shard in map.shards() {
        let editor = ShardEditor::claim(log, shard, node, clock).await?;
        let corrupt = |error: LogError| CorruptShard {
            shard,
            reason: error.to_string(),
        };
        exported
            .rooms
            .extend(editor.state().all_rooms().map_err(corrupt)?);
        let waiting = editor.state().waiting_games();
        exported
            .waiting_games
            .extend(waiting.map(|(key, game)| (key.room, game.clone())));
        editor.release().await?;
    }
    Ok(exported)
}
