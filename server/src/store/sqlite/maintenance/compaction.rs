//! Events that nobody needs any more, of closed rooms and behind images. Rows leave in the order in which they came,
//! whole: what an open room still needs of the oldest is written again with the newest, so that a room that
//! rests keeps no others.

use rusqlite::{Connection, params};
use tracing::error;

use crate::store::sqlite::format::commit_row::{CommitEntries, CommitEntry, CommitRowBuilder};
use crate::store::sqlite::format::room_index::RoomIndex;
use crate::store::sqlite::format::row::RowError;

/// So many bytes that nobody needs may lie in the file, beside as many as are needed.
///
/// Beyond that at least half of what is stored is dead. What is written again is never more than what is dropped for it, so
/// that the file grows only by what is new, and for no longer than one round over it takes, in which
/// 1 / [`SCAN_PER_WRITTEN`] of it comes anew: it never holds much more than five halves of the most that was needed, and this.
pub(crate) const MAX_DEAD_BYTES: u64 = 1 << 20;

/// One sweep looks at so many bytes in one go, and at the rest of the last row: a row that is dropped by itself costs
/// as much as one that is written.
const MIN_STEP_BYTES: u64 = 1 << 16;

/// It looks at so many times what its commit wrote, if that is more.
const SCAN_PER_WRITTEN: u64 = 4;

/// In a pause, a few milliseconds' worth.
const IDLE_STEP_BYTES: u64 = 1 << 19;

/// Whether damage was met: nothing is swept any more, and the next start names it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Compactor {
    disabled: bool,
}

impl Compactor {
    /// Beside a commit.
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

    /// When nothing else is to do: nothing is spared. Says whether anything was dropped.
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

    /// Drops the oldest rows, so many bytes of them and the rest of the last, until no more than `spare` is left
    /// that is not needed. What is needed of them goes into `group`.
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
            // Damage gets no fresh checksum: all of a row is looked at before any of it is written again.
            match read_entries(number, row.get_ref(1)?.as_blob().unwrap_or_default()) {
                Ok(entries) => scanned += rewrite_live(index, number, &entries, commit_row),
                Err(damaged) => {
                    self.disabled = true;
                    error!(?damaged, "nothing is dropped any more; a start will refuse these data");
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

/// Writes again what is needed of a row, and says how many bytes it had.
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
            index.extent.stored_bytes += commit_row
                .push(entry.room, entry.first, entry.count, |body| body.extend_from_slice(entry.text));
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

    /// What happens to a room.
    #[derive(Clone, Copy, Debug)]
    enum Change {
        Append { kibibytes: usize },
        Keep,
        Close,
    }

    /// The most that one commit brings.
    const MAX_CHANGES: usize = 6;
    const MAX_KIBIBYTES: usize = 48;

    /// Commits, in each of which something happens to some rooms; and whether the disk takes it.
    fn commits() -> impl Strategy<Value = Vec<(Vec<(u64, Change)>, bool)>> {
        let change = prop_oneof![
            20 => (1..MAX_KIBIBYTES).prop_map(|kibibytes| Change::Append { kibibytes }),
            1 => Just(Change::Keep),
            1 => Just(Change::Close),
        ];
        vec((vec((0..12_u64, change), 1..MAX_CHANGES), proptest::bool::weighted(0.9)), 200)
    }

    /// The entries that each room needs, by the number of their first event.
    type Needed = BTreeMap<u64, BTreeMap<u64, usize>>;

    /// What the rows have of that, and how many bytes in all.
    fn stored(connection: &Connection, ledger: &RoomIndex) -> (Needed, u64) {
        let mut rows = connection.prepare("SELECT id, body FROM commits ORDER BY id").unwrap();
        let mut rows = rows.query([]).unwrap();
        let (mut needed, mut bytes) = (Needed::new(), 0);
        while let Some(row) = rows.next().unwrap() {
            let number = row.get(0).unwrap();
            for entry in read_entries(number, row.get_ref(1).unwrap().as_blob().unwrap()).unwrap() {
                bytes += entry.size();
                if ledger.is_live(number, &entry) {
                    let room = needed.entry(entry.room.bits()).or_default();
                    let before = room.insert(entry.first.get(), entry.text.len());
                    assert!(before.is_none(), "{entry:?} is there twice");
                }
            }
        }
        (needed, bytes)
    }

    /// Does it to the room, as a step does, and to what is needed.
    fn perform(
        room: u64,
        change: Change,
        ledger: &mut RoomIndex,
        group: &mut CommitRowBuilder,
        needed: &mut Needed,
    ) {
        let key = RoomId::from_bits(room);
        let open = ledger.get(key);
        let entries = needed.entry(room).or_default();
        match change {
            Change::Append { kibibytes } => {
                let (seq, founded) = (Seq::ZERO, group.number());
                let new = OpenRoom {
                    last_seq: seq,
                    checkpoint_seq: seq,
                    created_row: founded,
                    last_row: founded,
                    bytes: 0,
                };
                let open = open.unwrap_or(new);
                let (last, text) = (open.last_seq.next(), vec![0; kibibytes << 10]);
                let bytes = group.push(key, last, 1, |body| body.extend_from_slice(&text));
                ledger.extent.stored_bytes += bytes;
                ledger.set(key, Some(OpenRoom { last_seq: last, bytes: open.bytes + bytes, ..open }));
                entries.insert(last.get(), text.len());
            }
            Change::Keep => {
                entries.clear();
                if let Some(open) = open {
                    ledger.set(key, Some(OpenRoom { checkpoint_seq: open.last_seq, bytes: 0, ..open }));
                }
            }
            Change::Close => {
                entries.clear();
                ledger.set(key, None);
            }
        }
        needed.retain(|_, entries| !entries.is_empty());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(6))]

        /// Whatever rooms and disks do, what is needed is there, once, and the file ends at five halves of it and
        /// what is spared.
        #[test]
        fn what_is_needed_stays_and_the_rest_has_an_end(commits in commits()) {
            let mut connection = Connection::open_in_memory().unwrap();
            connection.execute_batch("CREATE TABLE commits (id INTEGER PRIMARY KEY, body BLOB NOT NULL)").unwrap();
            let stock = LogExtent { first_row: 1, next_row: 1, stored_bytes: 0, live_bytes: 0 };
            let mut ledger = RoomIndex::new(HashMap::new(), stock, 1);
            let (mut group, mut sweep, mut needed) = (CommitRowBuilder::default(), Compactor::default(), Needed::new());
            let mut most = 0;
            for (changes, taken) in commits {
                let transaction = connection.transaction().unwrap();
                let (first, before) = (ledger.extent.first_row, needed.clone());
                let mut closed = Vec::new();
                group.reset(ledger.extent.next_row);
                for (room, change) in changes {
                    // In one commit no name is given twice.
                    if !closed.contains(&room) {
                        perform(room, change, &mut ledger, &mut group, &mut needed);
                    }
                    if matches!(change, Change::Close) {
                        closed.push(room);
                    }
                }
                sweep.run_with_commit(&transaction, &mut ledger, &mut group).unwrap();
                ledger.insert_row(&mut group, &transaction).unwrap();
                if taken {
                    transaction.commit().unwrap();
                    ledger.on_commit();
                } else {
                    transaction.rollback().unwrap();
                    ledger.roll_back();
                    needed = before;
                }
                if ledger.extent.first_row != first {
                    let (found, bytes) = stored(&connection, &ledger);
                    prop_assert_eq!(&found, &needed);
                    prop_assert_eq!(bytes, ledger.extent.stored_bytes);
                }
                let bytes = ledger.extent.stored_bytes;
                most = most.max(ledger.extent.live_bytes);
                let bound = 5 * (most + MAX_DEAD_BYTES) / 2 + ((MAX_CHANGES * MAX_KIBIBYTES) << 10) as u64;
                prop_assert!(bytes <= bound, "{} bytes where {} were needed at most", bytes, most);
            }
        }
    }
}
