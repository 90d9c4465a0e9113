//! Log compaction: frees the space of events that no open room needs, because the room has closed or has a later
//! checkpoint.
//!
//! The oldest rows are deleted; their live entries are appended to the newest row, so that an inactive room keeps
//! no other entries in the file. Guarded by the property test `live_entries_stay_and_the_file_size_is_bounded`.

use rusqlite::{Connection, params};
use tracing::error;

use crate::store::sqlite::error::RowError;
use crate::store::sqlite::format::commit_row::{CommitEntries, CommitEntry, CommitRowBuilder};
use crate::store::sqlite::format::room_index::RoomIndex;

/// Dead bytes that the file may contain in addition to as many as there are live ones.
///
/// Beyond that, at least half of the stored bytes are dead. Compaction never appends more than it deletes, so that the
/// file grows only by new events, and only until one pass over the file is complete, during which it grows by
/// 1 / [`SCAN_PER_WRITTEN`]. Its size is therefore bounded by about 5/2 of the maximum of the live bytes plus this value.
pub(crate) const MAX_DEAD_BYTES: u64 = 1 << 20;

/// Minimum number of bytes that one step scans; the last row is always completed. Deleting a single row costs as much
/// as inserting one.
const MIN_STEP_BYTES: u64 = 1 << 16;

/// Bytes that a step scans per byte that its commit writes, if that is more.
const SCAN_PER_WRITTEN: u64 = 4;

/// Bytes that a step scans while the writer is idle: a few milliseconds of work.
const IDLE_STEP_BYTES: u64 = 1 << 19;

/// Compacts the log step by step. Disabled by corruption, which the next start reports.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Compactor {
    disabled: bool,
}

impl Compactor {
    /// Compacts as part of a commit, in proportion to its size.
    pub(crate) fn run_with_commit(
        &mut self,
        connection: &Connection,
        index: &mut RoomIndex,
        commit_row: &mut CommitRowBuilder,
    ) -> rusqlite::Result<()> {
        if index.extent.excess_bytes() < MAX_DEAD_BYTES {
            return Ok(());
        }
        self.compact(
            connection,
            index,
            commit_row,
            MAX_DEAD_BYTES - MIN_STEP_BYTES,
            MIN_STEP_BYTES.max(SCAN_PER_WRITTEN * commit_row.size()),
        )
    }

    /// Compacts while the writer is idle, down to as many dead as live bytes. Returns whether it deleted a row.
    pub(crate) fn run_idle(
        &mut self,
        connection: &Connection,
        index: &mut RoomIndex,
        commit_row: &mut CommitRowBuilder,
    ) -> rusqlite::Result<bool> {
        let first = index.extent.first_row;
        self.compact(connection, index, commit_row, 0, IDLE_STEP_BYTES)?;
        Ok(index.extent.first_row != first)
    }

    /// Deletes about `bytes` bytes of the oldest rows, until at most `max_dead` excess bytes are left. Appends live
    /// entries to `commit_row`.
    fn compact(
        &mut self,
        connection: &Connection,
        index: &mut RoomIndex,
        commit_row: &mut CommitRowBuilder,
        max_dead: u64,
        bytes: u64,
    ) -> rusqlite::Result<()> {
        if self.disabled || index.extent.excess_bytes() <= max_dead {
            return Ok(());
        }
        let mut oldest =
            connection.prepare_cached("SELECT id, body FROM commits WHERE id >= ?1 ORDER BY id")?;
        let mut rows = oldest.query(params![index.extent.first_row])?;
        let (first, mut scanned) = (index.extent.first_row, 0);
        while scanned < bytes && index.extent.excess_bytes() > max_dead {
            let Some(row) = rows.next()? else { break };
            let number = row.get(0)?;
            // The whole row is verified first: corruption must not get a valid checksum.
            match read_entries(number, row.get_ref(1)?.as_blob().unwrap_or_default()) {
                Ok(entries) => scanned += rewrite_live(index, number, &entries, commit_row),
                Err(error) => {
                    self.disabled = true;
                    error!(
                        ?error,
                        "corruption found; compaction disabled, next start will fail"
                    );
                    break;
                }
            }
            index.extent.first_row = number + 1;
        }
        drop(rows);
        if index.extent.first_row > first {
            connection
                .prepare_cached("DELETE FROM commits WHERE id < ?1")?
                .execute(params![index.extent.first_row])?;
        }
        Ok(())
    }
}

fn read_entries(number: i64, body: &[u8]) -> Result<Vec<CommitEntry<'_>>, RowError> {
    CommitEntries::parse(number, body)
        .map(|entry| {
            let entry = entry?;
            entry.verify()?;
            Ok(entry)
        })
        .collect()
}

/// Appends the live entries of a row, and returns the size of the row.
fn rewrite_live(
    index: &mut RoomIndex,
    number: i64,
    entries: &[CommitEntry<'_>],
    commit_row: &mut CommitRowBuilder,
) -> u64 {
    let mut size = 0;
    for entry in entries {
        size += entry.size();
        if index.is_live(number, entry) {
            index.extent.stored_bytes +=
                commit_row.push(entry.room, entry.first, entry.count, |body| {
                    body.extend_from_slice(entry.text);
                });
        }
    }
    index.extent.stored_bytes -= size;
    size
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, HashMap};

    use noughts_protocol::{RoomId, Seq};
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;
    use crate::store::sqlite::format::room_index::{LogExtent, OpenRoom};

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

    /// Commits with changes of rooms, and whether each one succeeds.
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

    /// The live entries in the file, and the size of all entries.
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
                    // No id is used twice in one commit.
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
}
