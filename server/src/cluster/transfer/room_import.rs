//! Writes the rooms and finished games of a data directory into a cluster without nodes.
//!
//! Every step can be repeated, because a room that the cluster has is compared and not written, and a game that the
//! stream has is not published again. The codes of private rooms come first, since nodes read them at their start.

use std::collections::{BTreeMap, HashSet};

use futures::{StreamExt, stream};
use noughts_protocol::RoomId;

use super::game_archiver::read_all_games;
use super::shard_editor::ShardEditor;
use super::transfer_error::{ARRIVAL_TIMEOUT, TransferError, require_silence};
use crate::cluster::log::game_message::{GameKey, GameMessage};
use crate::cluster::log::game_stream::GameStream;
use crate::cluster::log::message::MessageBuilder;
use crate::cluster::log::shard_log::ShardLog;
use crate::cluster::log::shard_state::RoomComparison;
use crate::cluster::nats::game_reader::GameReader;
use crate::cluster::nats::{CommandConnection, NatsOptions, connect_command};
use crate::cluster::nodes::code_table::CodeTable;
use crate::cluster::nodes::live_nodes::SUSPECT_AFTER;
use crate::cluster::shard::{NodeId, Shard, ShardMap};
use crate::runtime::clock::ServerClock;
use crate::store::{FinishedGame, RoomSecrets, StoredRoom};

/// Maximum number of codes of one message.
const MAX_CODES_PER_MESSAGE: usize = 4096;

/// Maximum number of games that are published concurrently.
const MAX_CONCURRENT_GAMES: usize = 64;

/// Maximum number of attempts to publish a game.
const MAX_GAME_ATTEMPTS: u32 = 5;

/// Content of a data directory.
#[derive(Debug, Default)]
pub(crate) struct ImportSource {
    pub(crate) rooms: Vec<(RoomSecrets, StoredRoom)>,
    pub(crate) games: Vec<(RoomId, FinishedGame)>,
    /// An earlier import was completed. A room that the cluster does not have was therefore closed there.
    pub(crate) was_imported: bool,
}

/// Counts of an import.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ImportReport {
    pub(crate) rooms_written: usize,
    /// Rooms that the cluster has, with the same history.
    pub(crate) rooms_present: usize,
    /// Rooms that the cluster has with another history, which stays.
    pub(crate) rooms_different: Vec<RoomId>,
    /// Rooms of a completed import that have since closed in the cluster.
    pub(crate) rooms_closed: usize,
    pub(crate) games_written: usize,
    pub(crate) games_present: usize,
}

/// Imports rooms and games. `node` is the name of the command in the logs of the shards.
///
/// # Errors
/// If nodes run, or the cluster cannot be used. Nothing is lost: the import can be repeated.
pub(crate) async fn import(
    options: &NatsOptions,
    source: &ImportSource,
    node: NodeId,
    clock: &ServerClock,
) -> Result<ImportReport, TransferError> {
    let CommandConnection {
        log,
        games,
        map,
        codes,
        mut heartbeats,
    } = connect_command(options).await?;
    require_silence(&mut heartbeats, SUSPECT_AFTER).await?;
    let known = codes.read().await?;
    for message in foreign_codes(map, &source.rooms, &known) {
        codes.add(&message).await?;
    }
    let mut report = import_rooms(&*log, map, source, node, clock).await?;
    let reader = GameReader::connect(options).await?;
    let published: HashSet<GameKey> = read_all_games(&reader)
        .await?
        .iter()
        .map(|game| GameKey::of(game.room, &game.game))
        .collect();
    let missing = source
        .games
        .iter()
        .filter(|(room, game)| !published.contains(&GameKey::of(*room, game)));
    let missing: Vec<&(RoomId, FinishedGame)> = missing.collect();
    report.games_present = source.games.len() - missing.len();
    report.games_written = missing.len();
    publish_games(&*games, map, &missing).await?;
    // A node that read the codes before they were stored announced its start even earlier, so the announcement has
    // arrived.
    require_silence(&mut heartbeats, ARRIVAL_TIMEOUT).await?;
    Ok(report)
}

/// Returns the codes that do not lead to the shards of their rooms and that the cluster does not know, in messages.
fn foreign_codes(
    map: ShardMap,
    rooms: &[(RoomSecrets, StoredRoom)],
    known: &CodeTable,
) -> Vec<CodeTable> {
    let mut messages: Vec<CodeTable> = Vec::new();
    for (secrets, _) in rooms {
        let Some(code) = secrets.code else { continue };
        if map.of_code(code) == map.of_room(secrets.room) || known.room(code) == Some(secrets.room)
        {
            continue;
        }
        match messages
            .last_mut()
            .filter(|last| last.len() < MAX_CODES_PER_MESSAGE)
        {
            Some(last) => last.insert(code, secrets.room),
            None => {
                let mut next = CodeTable::default();
                next.insert(code, secrets.room);
                messages.push(next);
            }
        }
    }
    messages
}

/// Writes the rooms that the cluster does not have.
///
/// # Errors
/// As [`import`].
pub(super) async fn import_rooms(
    log: &dyn ShardLog,
    map: ShardMap,
    source: &ImportSource,
    node: NodeId,
    clock: &ServerClock,
) -> Result<ImportReport, TransferError> {
    let mut by_shard: BTreeMap<Shard, Vec<&(RoomSecrets, StoredRoom)>> = BTreeMap::new();
    for room in &source.rooms {
        by_shard
            .entry(map.of_room(room.0.room))
            .or_default()
            .push(room);
    }
    let mut report = ImportReport::default();
    for (shard, rooms) in by_shard {
        let mut editor = ShardEditor::claim(log, shard, node, clock).await?;
        let mut message = MessageBuilder::default();
        for (secrets, stored) in rooms {
            let room_error = |error| TransferError::Room {
                room: secrets.room,
                error,
            };
            match editor
                .state()
                .compare_room(secrets, stored)
                .map_err(room_error)?
            {
                RoomComparison::Same => report.rooms_present += 1,
                RoomComparison::Different => report.rooms_different.push(secrets.room),
                RoomComparison::Missing if source.was_imported => report.rooms_closed += 1,
                RoomComparison::Missing => {
                    if !editor
                        .state_mut()
                        .import_room(&mut message, secrets, stored)
                        .map_err(room_error)?
                    {
                        editor.commit(std::mem::take(&mut message)).await?;
                        editor
                            .state_mut()
                            .import_room(&mut message, secrets, stored)
                            .map_err(room_error)?;
                    }
                    report.rooms_written += 1;
                }
            }
        }
        editor.commit(message).await?;
        editor.release().await?;
    }
    Ok(report)
}

/// Publishes games, [`MAX_CONCURRENT_GAMES`] at a time.
async fn publish_games(
    stream: &dyn GameStream,
    map: ShardMap,
    games: &[&(RoomId, FinishedGame)],
) -> Result<(), TransferError> {
    let publish = |(room, game): &(RoomId, FinishedGame)| {
        let (shard, id) = (map.of_room(*room), GameKey::of(*room, game).message_id());
        let bytes = GameMessage::encode(*room, game);
        async move {
            let mut attempt = 1;
            loop {
                match stream.publish(shard, id.clone(), bytes.clone()).await {
                    Ok(()) => return Ok(()),
                    Err(error) if attempt == MAX_GAME_ATTEMPTS => {
                        return Err(TransferError::Games(error.to_string()));
                    }
                    Err(_) => attempt += 1,
                }
            }
        }
    };
    let mut published =
        stream::iter(games.iter().map(|game| publish(game))).buffer_unordered(MAX_CONCURRENT_GAMES);
    while let Some(result) = published.next().await {
        result?;
    }
    Ok(())
}
