//! Tests of the SQLite log through its public interface and its files.

mod check;
mod commits;
mod corruption;
mod game_index;
mod growth;

use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use noughts_protocol::{EventRecord, Party, ResumeToken, RoomCode, RoomId, Seq};
use rusqlite::Connection;
use rusqlite::config::DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE as NO_CHECKPOINT_ON_CLOSE;
use rusqlite::types::FromSql;

use super::rows::FORMAT;
use super::{BackupFile, DataDirError, Durability, GameArchive, SqliteLog, SqliteOptions};
use crate::runtime::clock::ServerClock;
use crate::store::{Checkpoint, EventLog, FinishedGame, LogError, RoomSecrets, StoredRoom};
use crate::tests::event;

/// Record of a finished game.
const RECORD: &str =
    "[Rules \"3x3:3\"]\n[X \"Ann\"]\n[O \"Bob\"]\n[Result \"X resignation\"]\n\n1. b2\n";

/// A temporary data directory, deleted on drop.
struct TempDataDir(PathBuf);

impl TempDataDir {
    fn new() -> TempDataDir {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let name = format!(
            "noughts-log-{}-{}",
            std::process::id(),
            NUMBER.fetch_add(1, Ordering::Relaxed)
        );
        let path = std::env::temp_dir().join(name);
        fs::create_dir_all(&path).unwrap();
        TempDataDir(path)
    }

    fn open(&self) -> Result<SqliteLog, DataDirError> {
        self.open_with(|_| {})
    }

    fn open_with(
        &self,
        change: impl FnOnce(&mut SqliteOptions),
    ) -> Result<SqliteLog, DataDirError> {
        let mut options = SqliteOptions::new(Durability::Process, ServerClock::start());
        change(&mut options);
        SqliteLog::open(&self.0, options)
    }

    /// Changes the last byte of a row of `commits`.
    fn corrupt_row(&self, row: i64) {
        let sql = self.sql();
        let mut body: Vec<u8> = sql
            .query_row("SELECT body FROM commits WHERE id = ?1", [row], |row| {
                row.get(0)
            })
            .unwrap();
        *body.last_mut().unwrap() ^= 1;
        sql.execute(
            "UPDATE commits SET body = ?1 WHERE id = ?2",
            rusqlite::params![body, row],
        )
        .unwrap();
    }

    fn sql(&self) -> Connection {
        Connection::open(self.0.join("noughts.db")).unwrap()
    }

    fn execute(&self, statement: &str) {
        self.sql().execute(statement, []).unwrap();
    }

    /// Returns the value in the first column of the first row of a query.
    fn query<T: FromSql>(&self, query: &str) -> T {
        self.sql().query_row(query, [], |row| row.get(0)).unwrap()
    }

    /// Makes the pages of an empty file as small as SQLite allows.
    fn use_small_pages(&self) {
        let sql = self.sql();
        sql.pragma_update(None, "page_size", 512).unwrap();
        sql.execute_batch("VACUUM").unwrap();
    }

    /// Copies all files while the log is open, so that the copy is as a kill leaves the files.
    fn copied(&self) -> TempDataDir {
        let copy = TempDataDir::new();
        for file in fs::read_dir(&self.0).unwrap() {
            let file = file.unwrap();
            fs::copy(file.path(), copy.0.join(file.file_name())).unwrap();
        }
        copy
    }

    /// Returns the events of the first room after a restart.
    async fn reopened_events(&self) -> Vec<EventRecord> {
        let mut rooms = recovered_rooms(&self.open().unwrap()).await;
        rooms.remove(0).1.events
    }
}

impl Drop for TempDataDir {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).expect("the test's own directory");
    }
}

fn room_secrets(room: u64) -> RoomSecrets {
    let tokens = [
        ResumeToken::from_bits(u128::from(room) + 1),
        ResumeToken::from_bits(7),
    ];
    RoomSecrets {
        room: RoomId::from_bits(room),
        code: Some(RoomCode::from_bits(room)),
        tokens,
        parties: [None; 2],
        left: [false; 2],
    }
}

/// Returns the events `from` to `to`. Their contents do not matter to a log.
fn events(from: u64, to: u64) -> Vec<EventRecord> {
    (from..=to).map(|seq| event(seq, seq)).collect()
}

fn new_log() -> (TempDataDir, SqliteLog) {
    let directory = TempDataDir::new();
    let log = directory.open().unwrap();
    (directory, log)
}

/// Returns a new log with room 1, which has this many events.
async fn log_with_room(last: u64) -> (TempDataDir, SqliteLog, RoomId) {
    let (directory, log) = new_log();
    log.create(room_secrets(1), events(1, last)).await.unwrap();
    (directory, log, room_secrets(1).room)
}

async fn events_after(log: &SqliteLog, room: RoomId, seq: u64) -> Vec<EventRecord> {
    log.events_since(room, Seq::new(seq)).await.unwrap()
}

fn finished_game(ended_at: u64) -> FinishedGame {
    FinishedGame {
        number: 1,
        ended_at,
        record: RECORD.into(),
    }
}

async fn recovered_rooms(log: &SqliteLog) -> Vec<(RoomId, StoredRoom)> {
    let rooms = log.recover().await.unwrap();
    rooms
        .into_iter()
        .map(|(secrets, stored)| (secrets.room, stored))
        .collect()
}

#[tokio::test]
async fn acknowledged_events_survive_a_restart() {
    let (directory, log) = new_log();
    for room in 1..=3 {
        log.create(room_secrets(room), events(1, 2)).await.unwrap();
    }
    log.append(RoomId::from_bits(2), events(3, 9), None)
        .await
        .unwrap();
    log.delete(RoomId::from_bits(3)).await.unwrap();
    drop(log);

    let log = directory.open().unwrap();
    let rooms = log.recover().await.unwrap();
    let tokens: Vec<_> = rooms
        .iter()
        .map(|(found, _)| found.tokens.map(|token| token.to_bytes()))
        .collect();
    let expected: Vec<_> = [1, 2]
        .map(|room| room_secrets(room).tokens.map(|token| token.to_bytes()))
        .into();
    assert_eq!(tokens, expected);
    assert_eq!(rooms[1].0.code, room_secrets(2).code);
    assert_eq!(
        [&rooms[0].1.events, &rooms[1].1.events],
        [&events(1, 2), &events(1, 9)]
    );
    log.append(RoomId::from_bits(2), events(10, 10), None)
        .await
        .unwrap();
    assert_eq!(
        log.load(RoomId::from_bits(2)).await.unwrap().events,
        events(1, 10)
    );
}

#[tokio::test]
async fn out_of_order_events_are_rejected() {
    let (_directory, log) = new_log();
    let room = room_secrets(1).room;
    assert!(matches!(
        log.append(room, events(1, 1), None).await,
        Err(LogError::Unavailable(_))
    ));
    log.create(room_secrets(1), events(1, 2)).await.unwrap();
    assert!(matches!(
        log.create(room_secrets(1), events(1, 1)).await,
        Err(LogError::Unavailable(_))
    ));
    let conflict = |expected| LogError::Conflict {
        expected: Seq::new(expected),
        found: Seq::new(2),
    };
    assert_eq!(log.append(room, events(2, 2), None).await, Err(conflict(1)));
    assert_eq!(log.append(room, events(4, 4), None).await, Err(conflict(3)));
    log.append(room, events(3, 3), None).await.unwrap();
    assert_eq!(log.load(room).await.unwrap().events, events(1, 3));
}

#[tokio::test]
async fn a_checkpoint_replaces_the_events_before_it() {
    let (directory, log, room) = log_with_room(4).await;
    let checkpoint = Checkpoint {
        seq: Seq::new(4),
        body: b"a room".to_vec(),
    };
    let early = Checkpoint {
        seq: Seq::new(3),
        body: vec![],
    };
    assert!(matches!(
        log.checkpoint(room, early).await,
        Err(LogError::Conflict { .. })
    ));
    log.checkpoint(room, checkpoint.clone()).await.unwrap();
    log.append(room, events(5, 6), None).await.unwrap();
    drop(log);
    let found = recovered_rooms(&directory.open().unwrap()).await;
    assert_eq!(
        found,
        [(
            room,
            StoredRoom {
                checkpoint: Some(checkpoint),
                events: events(5, 6)
            }
        )]
    );
}

/// The test `a_corrupt_row_is_named_with_its_room` changes the bytes of commits.
#[tokio::test]
async fn a_flipped_byte_of_the_secrets_is_reported() {
    let (directory, log, _) = log_with_room(5).await;
    drop(log);
    let body: Vec<u8> = directory.query("SELECT founding FROM rooms");
    let write = |body: &[u8]| {
        let sql = directory.sql();
        sql.execute("UPDATE rooms SET founding = ?1", [body])
            .unwrap();
    };
    for at in 0..body.len() {
        let mut flipped = body.clone();
        flipped[at] ^= 1;
        write(&flipped);
        let refused = directory.open().unwrap_err().to_string();
        // A changed room id is reported with the changed id.
        assert!(
            refused.contains("corrupt") && refused.contains("room 0"),
            "byte {at}: {refused}"
        );
    }
    write(&body);
    assert_eq!(recovered_rooms(&directory.open().unwrap()).await.len(), 1);
}

#[tokio::test]
async fn a_data_directory_is_locked_by_one_server() {
    let (directory, log) = new_log();
    assert!(matches!(directory.open(), Err(DataDirError::InUse(_))));
    drop(log);
    directory.open().unwrap();
}

#[tokio::test]
async fn corrupt_data_is_refused_and_stays_as_it_is() {
    let (directory, log, _) = log_with_room(3).await;
    let killed = directory.copied();
    drop(log);
    let sql = killed.sql();
    sql.set_db_config(NO_CHECKPOINT_ON_CLOSE, true).unwrap();
    sql.execute("UPDATE rooms SET founding_crc = founding_crc + 1", [])
        .unwrap();
    drop(sql);
    for attempt in 1..=2 {
        let refused = killed.open().unwrap_err().to_string();
        assert!(refused.contains("corrupt"), "attempt {attempt}: {refused}");
    }
}

#[tokio::test]
async fn data_of_another_format_is_refused_and_stays_as_it_is() {
    let (directory, log, _) = log_with_room(3).await;
    // The copy is as a kill leaves the files: only the write-ahead log has the commit.
    let killed = directory.copied();
    drop(log);
    let set_format = |format: i64| {
        let sql = killed.sql();
        sql.set_db_config(NO_CHECKPOINT_ON_CLOSE, true).unwrap();
        sql.pragma_update(None, "user_version", format).unwrap();
    };
    for other in [1, FORMAT - 1, FORMAT + 1] {
        set_format(other);
        let refused = killed.open().unwrap_err().to_string();
        assert_eq!(
            refused,
            format!(
                "the data has format {other}, written by another version of the server; this version reads only format \
                 {FORMAT}: use the version that wrote the data, or start with an empty directory"
            )
        );
        assert!(matches!(
            GameArchive::open(&killed.0),
            Err(DataDirError::OtherFormat { found, .. }) if found == other
        ));
        let wal = fs::metadata(killed.0.join("noughts.db-wal")).unwrap();
        assert!(wal.len() > 0, "the write-ahead log is gone");
    }
    set_format(FORMAT);
    let rooms = recovered_rooms(&killed.open().unwrap()).await;
    assert_eq!(rooms[0].1.events, events(1, 3));
}

#[tokio::test]
async fn a_full_disk_rejects_appends_until_it_is_emptied() {
    let (directory, log, _) = log_with_room(1).await;
    // For SQLite, reaching the page limit has the same effect as a full disk.
    log.limit_pages(Some(1)).await.unwrap();
    let many = events(2, 3_000);
    assert!(matches!(
        log.append(room_secrets(1).room, many.clone(), None).await,
        Err(LogError::Unavailable(_))
    ));
    assert!(!log.is_healthy());
    log.limit_pages(None).await.unwrap();
    crate::tests::wait_until(|| log.is_healthy()).await;
    log.append(room_secrets(1).room, many, None).await.unwrap();
    drop(log);
    let found = recovered_rooms(&directory.open().unwrap()).await;
    assert_eq!(found[0].1.events, events(1, 3_000));
}

#[tokio::test]
async fn finished_games_are_archived_with_their_events_and_readable_beside_the_server() {
    let (directory, log, room) = log_with_room(1).await;
    for (seq, ended) in [(2, 5), (3, 9)] {
        log.append(room, events(seq, seq), Some(finished_game(ended)))
            .await
            .unwrap();
    }
    // A game is not archived if its last events are not stored.
    assert!(
        log.append(room, events(3, 3), Some(finished_game(10)))
            .await
            .is_err()
    );
    let archive = GameArchive::open(&directory.0).unwrap();
    assert_eq!(newest_ends(&archive), [9, 5]);
    let game = archive.games_after(0, 1).unwrap().remove(0).unwrap();
    assert_eq!(archive.game(game.id).unwrap(), Some(Ok(game)));
    let copy = directory.0.join("copy.db");
    BackupFile::create(&directory.0, &copy)
        .unwrap()
        .publish()
        .unwrap();
    log.append(room, events(4, 4), None).await.unwrap();
    let copied: i64 = Connection::open(&copy)
        .unwrap()
        .query_row("SELECT count(*) FROM games", [], |row| row.get(0))
        .unwrap();
    assert_eq!(copied, 2);
    assert!(
        BackupFile::create(&directory.0, &copy).is_err(),
        "a backup overwrites nothing"
    );
    drop(log);

    let log = directory
        .open_with(|options| options.keep_games = Duration::from_secs(3600))
        .unwrap();
    crate::tests::wait_until(|| newest_ends(&archive).is_empty()).await;
    assert!(log.is_healthy());
}

/// Returns the ends of the newest games, newest first.
fn newest_ends(archive: &GameArchive) -> Vec<u64> {
    let newest = archive.newest_games(100).unwrap();
    newest
        .into_iter()
        .map(|entry| entry.expect("no damage").ended_at)
        .collect()
}

#[tokio::test]
async fn missed_events_are_read_without_the_whole_history() {
    let (directory, log, room) = log_with_room(3).await;
    log.create(room_secrets(2), events(1, 3)).await.unwrap();
    log.append(room, events(4, 6), None).await.unwrap();
    // The last events do not need the corrupt row. Reading the whole history would report the corruption.
    directory.corrupt_row(1);
    assert_eq!(events_after(&log, room, 6).await, []);
    assert_eq!(events_after(&log, room, 3).await, events(4, 6));
    assert_eq!(events_after(&log, room, 5).await, events(6, 6));
    for corrupt in [
        log.events_since(room, Seq::new(2)).await,
        log.load(room).await.map(|stored| stored.events),
    ] {
        assert!(
            matches!(&corrupt, Err(LogError::Corrupt(what)) if what.contains("row 1")),
            "{corrupt:?}"
        );
    }
    // Other rooms are unaffected.
    assert_eq!(
        log.load(room_secrets(2).room).await.unwrap().events,
        events(1, 3)
    );
}

#[tokio::test]
async fn histories_of_many_rooms_are_read_in_one_pass() {
    let (_directory, log) = new_log();
    for room in 1..=50 {
        log.create(room_secrets(room), events(1, room))
            .await
            .unwrap();
    }
    let rooms: Vec<u64> = (0..=50).chain([7, 7]).collect();
    let found =
        futures::future::join_all(rooms.iter().map(|room| log.load(room_secrets(*room).room)))
            .await;
    for (room, found) in rooms.iter().zip(found) {
        match found {
            Ok(stored) => assert_eq!(stored.events, events(1, *room)),
            Err(error) => assert_eq!((*room, error), (0, LogError::unknown_room())),
        }
    }
}

#[tokio::test]
async fn seat_parties_survive_a_restart() {
    let (directory, log) = new_log();
    let [ann, bob] = [1, 2].map(|bits| Some(Party::from_bits(bits)));
    // Room 1 is created without parties, and room 2 with a party. The parties of room 2 change later.
    let (none, one) = (
        room_secrets(1),
        RoomSecrets {
            parties: [ann, None],
            left: [false; 2],
            ..room_secrets(2)
        },
    );
    for secrets in [none, one] {
        log.create(secrets, events(1, 2)).await.unwrap();
    }
    log.update_secrets(RoomSecrets {
        parties: [ann, bob],
        left: [false; 2],
        ..one
    })
    .await
    .unwrap();
    assert!(
        log.update_secrets(room_secrets(3)).await.is_err(),
        "no such room"
    );
    drop(log);
    let body: String = directory.query("SELECT CAST(founding AS TEXT) FROM rooms");
    assert!(!body.contains("parties"), "{body}");
    let rooms = directory.open().unwrap().recover().await.unwrap();
    let parties: Vec<_> = rooms.iter().map(|(found, _)| found.parties).collect();
    assert_eq!(parties, [[None; 2], [ann, bob]]);
}

#[tokio::test]
async fn the_time_of_a_stop_is_known_after_a_run_that_closed_the_data() {
    let (directory, log) = new_log();
    assert_eq!(log.previous_stop(), None, "the first run");
    log.record_stop(1_700_000_000_000);
    log.record_stop(1_700_000_000_001);
    drop(log);
    let log = directory.open().unwrap();
    assert_eq!(log.previous_stop(), Some(1_700_000_000_000));
    drop(log);
    assert_eq!(
        directory.open().unwrap().previous_stop(),
        None,
        "the last run recorded none"
    );
}
