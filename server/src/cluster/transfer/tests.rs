//! Import and export of rooms over a model of the log.

use std::sync::Arc;

use noughts_protocol::{RoomCode, RoomId, Seq};
use tokio::task::LocalSet;

use super::room_export::read_rooms;
use super::room_import::{ImportReport, ImportSource, import_rooms};
use crate::cluster::model::{ModelFaults, ModelLog};
use crate::cluster::shard::{NodeId, ShardMap};
use crate::cluster::tests::{event, room_secrets, start_node};
use crate::runtime::clock::ServerClock;
use crate::store::{Checkpoint, EventLog, RoomSecrets, StoredRoom, encode_secrets};

/// Creates a room with a checkpoint, or without one.
fn room(number: u64) -> (RoomSecrets, StoredRoom) {
    let secrets = RoomSecrets {
        code: Some(RoomCode::from_bits(number << 20)),
        ..room_secrets(number)
    };
    let first = if number.is_multiple_of(2) { 1 } else { 257 };
    let checkpoint = Checkpoint {
        seq: Seq::new(first - 1),
        body: vec![b'x'; 3000 * (number % 80) as usize],
    };
    let events = (first..first + number % 150)
        .map(|seq| event(seq, seq))
        .collect();
    (
        secrets,
        StoredRoom {
            checkpoint: Some(checkpoint).filter(|_| first > 1),
            events,
        },
    )
}

/// Returns the rooms in the order of their ids, with secrets that can be compared.
fn comparable(rooms: &[(RoomSecrets, StoredRoom)]) -> Vec<(RoomId, Vec<u8>, StoredRoom)> {
    let mut rooms: Vec<_> = rooms
        .iter()
        .map(|(secrets, stored)| (secrets.room, encode_secrets(secrets), stored.clone()))
        .collect();
    rooms.sort_by_key(|(room, _, _)| *room);
    rooms
}

#[tokio::test(start_paused = true)]
async fn rooms_are_imported_once_and_exported_unchanged() {
    LocalSet::new()
        .run_until(async {
            for seed in 0..3 {
                let faults = ModelFaults {
                    percent: [0, 10][seed as usize % 2],
                    planted: None,
                };
                let model = Arc::new(ModelLog::new(seed, faults));
                let (map, time) = (
                    ShardMap::new(4).unwrap(),
                    ServerClock::from_unix_ms(1_000_000),
                );
                let rooms: Vec<_> = (1..120).map(room).collect();
                let mut source = ImportSource {
                    rooms: rooms.clone(),
                    ..ImportSource::default()
                };
                // Two imports are interrupted.
                for written in [20, 70] {
                    let part = ImportSource {
                        rooms: rooms[..written].to_vec(),
                        ..ImportSource::default()
                    };
                    import_rooms(&*model, map, &part, NodeId([7; 16]), &time)
                        .await
                        .unwrap();
                }
                let node = NodeId([8; 16]);
                let report = import_rooms(&*model, map, &source, node, &time)
                    .await
                    .unwrap();
                let expected = ImportReport {
                    rooms_written: 49,
                    rooms_present: 70,
                    ..ImportReport::default()
                };
                assert_eq!(report, expected);
                let stored: usize = map.shards().map(|shard| model.stored(shard).len()).sum();
                let report = import_rooms(&*model, map, &source, node, &time)
                    .await
                    .unwrap();
                assert_eq!(
                    report,
                    ImportReport {
                        rooms_present: 119,
                        ..ImportReport::default()
                    }
                );
                let stored_again: usize = map.shards().map(|shard| model.stored(shard).len()).sum();
                assert_eq!(stored_again, stored + 8, "claims and releases only");
                for shard in map.shards() {
                    assert_eq!(model.audit(shard), Ok(()), "seed {seed}");
                }

                let exported = read_rooms(&*model, map, NodeId([9; 16]), &time)
                    .await
                    .unwrap();
                assert_eq!(comparable(&exported.rooms), comparable(&rooms));
                let served = start_node(&model, map, 1, &time).await;
                assert_eq!(
                    comparable(&served.recover().await.unwrap()),
                    comparable(&rooms)
                );

                // The nodes have changed rooms since the import.
                served.delete(RoomId::from_bits(3)).await.unwrap();
                served.update_secrets(room_secrets(4)).await.unwrap();
                source.was_imported = true;
                drop(served);
                let report = import_rooms(&*model, map, &source, node, &time)
                    .await
                    .unwrap();
                assert_eq!((report.rooms_present, report.rooms_closed), (117, 1));
                assert_eq!(report.rooms_different, [RoomId::from_bits(4)]);
            }
        })
        .await;
}
