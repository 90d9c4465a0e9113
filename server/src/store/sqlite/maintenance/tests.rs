use std::collections::{BTreeMap, HashMap};

use noughts_protocol::{RoomId, Seq};
use proptest::collection::vec;
use proptest::prelude::*;

use super::*;
use crate::store::sqlite::room_index::{LogExtent, OpenRoom};

/// Change of a room.
#[derive(Clone, Copy, Debug)]
enum Change {
    Append { kibibytes: usize },
    Checkpoint,
    Close,
}

/// Maximum size of a commit.
const MAX_CHANGES: usize = 6;
const MAX_KIBIBYTES: usize = 48;

/// Commits with changes of rooms, and whether each commit succeeds.
fn commits() -> impl Strategy<Value = Vec<(Vec<(u64, Change)>, bool)>> {
    let change = prop_oneof![
        20 => (1..MAX_KIBIBYTES).prop_map(|kibibytes| Change::Append { kibibytes }),
        1 => Just(Change::Checkpoint),
        1 => Just(Change::Close),
    ];
    vec(
        (
            vec((0..12_u64, change), 1..MAX_CHANGES),
            proptest::bool::weighted(0.9),
        ),
        200,
    )
}

/// Length of the live entries of each room, by the number of their first event.
type LiveEntries = BTreeMap<u64, BTreeMap<u64, usize>>;

/// Returns the live entries in the file, and the size of all entries.
fn stored(connection: &Connection, index: &RoomIndex) -> (LiveEntries, u64) {
    let mut rows = connection
        .prepare("SELECT id, body FROM commits ORDER BY id")
        .unwrap();
    let mut rows = rows.query([]).unwrap();
    let (mut live, mut bytes) = (LiveEntries::new(), 0);
    while let Some(row) = rows.next().unwrap() {
        let number = row.get(0).unwrap();
        for entry in read_entries(number, row.get_ref(1).unwrap().as_blob().unwrap()).unwrap() {
            bytes += entry.size();
            if index.is_live(number, &entry) {
                let room = live.entry(entry.room.bits()).or_default();
                let before = room.insert(entry.first.get(), entry.text.len());
                assert!(before.is_none(), "{entry:?} is stored twice");
            }
        }
    }
    (live, bytes)
}

/// Applies the change to the index and to the model.
fn perform(
    room: u64,
    change: Change,
    index: &mut RoomIndex,
    commit_row: &mut CommitRowBuilder,
    live: &mut LiveEntries,
) {
    let key = RoomId::from_bits(room);
    let open = index.get(key);
    let entries = live.entry(room).or_default();
    match change {
        Change::Append { kibibytes } => {
            let (seq, created_row) = (Seq::ZERO, commit_row.number());
            let new = OpenRoom {
                last_seq: seq,
                checkpoint_seq: seq,
                created_row,
                last_row: created_row,
                bytes: 0,
            };
            let open = open.unwrap_or(new);
            let (last, text) = (open.last_seq.next(), vec![0; kibibytes << 10]);
            let bytes = commit_row.push(key, last, 1, |body| body.extend_from_slice(&text));
            index.extent.stored_bytes += bytes;
            index.set(
                key,
                Some(OpenRoom {
                    last_seq: last,
                    bytes: open.bytes + bytes,
                    ..open
                }),
            );
            entries.insert(last.get(), text.len());
        }
        Change::Checkpoint => {
            entries.clear();
            if let Some(open) = open {
                index.set(
                    key,
                    Some(OpenRoom {
                        checkpoint_seq: open.last_seq,
                        bytes: 0,
                        ..open
                    }),
                );
            }
        }
        Change::Close => {
            entries.clear();
            index.set(key, None);
        }
    }
    live.retain(|_, entries| !entries.is_empty());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(6))]

    #[test]
    fn live_entries_stay_and_the_file_size_is_bounded(commits in commits()) {
        let mut connection = Connection::open_in_memory().unwrap();
        connection.execute_batch("CREATE TABLE commits (id INTEGER PRIMARY KEY, body BLOB NOT NULL)").unwrap();
        let stock = LogExtent { first_row: 1, next_row: 1, stored_bytes: 0, live_bytes: 0 };
        let mut index = RoomIndex::new(HashMap::new(), stock, 1);
        let (mut commit_row, mut compactor, mut live) = (CommitRowBuilder::default(), Compactor::default(), LiveEntries::new());
        let mut most = 0;
        for (changes, taken) in commits {
            let transaction = connection.transaction().unwrap();
            let (first, before) = (index.extent.first_row, live.clone());
            let mut closed = Vec::new();
            commit_row.reset(index.extent.next_row);
            for (room, change) in changes {
                // A commit must not contain two rooms with the same id.
                if !closed.contains(&room) {
                    perform(room, change, &mut index, &mut commit_row, &mut live);
                }
                if matches!(change, Change::Close) {
                    closed.push(room);
                }
            }
            compactor.run_with_commit(&transaction, &mut index, &mut commit_row).unwrap();
            index.insert_row(&mut commit_row, &transaction).unwrap();
            if taken {
                transaction.commit().unwrap();
                index.on_commit();
            } else {
                transaction.rollback().unwrap();
                index.roll_back();
                live = before;
            }
            if index.extent.first_row != first {
                let (found, bytes) = stored(&connection, &index);
                prop_assert_eq!(&found, &live);
                prop_assert_eq!(bytes, index.extent.stored_bytes);
            }
            let bytes = index.extent.stored_bytes;
            most = most.max(index.extent.live_bytes);
            let bound = 5 * (most + MAX_DEAD_BYTES) / 2 + ((MAX_CHANGES * MAX_KIBIBYTES) << 10) as u64;
            prop_assert!(bytes <= bound, "{} bytes stored, at most {} live", bytes, most);
        }
    }
}

#[test]
fn a_clock_jump_counts_as_at_most_the_maximum_gap() {
    let (now, year) = (1_700_000_000_000, 365 * 24 * 60 * 60 * 1000);
    assert_eq!(observed_time(None, now), now);
    assert_eq!(observed_time(Some(now - 5_000), now), now);
    assert_eq!(
        observed_time(Some(now), now + 20 * year),
        now + MAX_COUNTED_GAP_MS
    );
    assert_eq!(
        observed_time(Some(now + MAX_COUNTED_GAP_MS), now),
        now,
        "the clock was corrected"
    );
}

#[test]
fn the_oldest_reader_is_as_old_as_the_first_checkpoint_it_blocked() {
    let mut monitor = WalMonitor::new(100);
    let mut checkpoint = |log_frames, moved_frames, now| {
        monitor.on_checkpoint(
            WalCheckpoint {
                log_frames,
                moved_frames,
            },
            now,
        );
        monitor.oldest_reader_ms(now + 5)
    };
    assert_eq!(checkpoint(7, 7, 1_000), 0);
    assert_eq!(checkpoint(9, 7, 2_000), 5);
    assert_eq!(checkpoint(12, 7, 3_000), 1_005);
    assert_eq!(checkpoint(15, 12, 4_000), 5, "another reader");
    assert_eq!(checkpoint(15, 15, 5_000), 0);
    assert_eq!(checkpoint(3, 0, 6_000), 5, "an emptied log begins again");
}

#[test]
fn warnings_are_due_at_the_limit_and_at_every_doubling() {
    let mut monitor = WalMonitor::new(100);
    let due: Vec<bool> = [99, 100, 101, 199, 200, 300, 400, 50, 99, 120]
        .map(|bytes| monitor.should_warn(bytes))
        .into();
    assert_eq!(
        due,
        [
            false, true, false, false, true, false, true, false, false, true
        ]
    );
}
