//! Migration of files in earlier formats.

use super::*;
use crate::store::sqlite::format::row::{self, RowChecksum};
use crate::store::stored_secrets::encode_secrets;

/// Schema of format 1.
const FORMAT_1: &str = "
    CREATE TABLE events (id INTEGER PRIMARY KEY, room INTEGER NOT NULL, body BLOB NOT NULL, crc INTEGER NOT NULL);
    CREATE TABLE rooms (
        room INTEGER PRIMARY KEY, founding BLOB NOT NULL, crc INTEGER NOT NULL, first_event INTEGER NOT NULL,
        image_seq INTEGER NOT NULL DEFAULT 0, image BLOB, image_crc INTEGER
    );
    CREATE TABLE games (
        id INTEGER PRIMARY KEY, room INTEGER NOT NULL, number INTEGER NOT NULL, ended INTEGER NOT NULL,
        record TEXT NOT NULL, UNIQUE (room, number, ended)
    );
    CREATE INDEX games_by_end ON games (ended);
    CREATE TABLE probe (at INTEGER NOT NULL);
    INSERT INTO probe VALUES (0);
    PRAGMA user_version = 1;
    PRAGMA journal_mode = wal;
";

fn create_format_1(directory: &TempDataDir) {
    let sql = directory.sql();
    sql.execute_batch(FORMAT_1).unwrap();
    let mut id = 0_i64;
    for room in [1_i64, 2] {
        let founding = room_secrets(room.unsigned_abs());
        let body = encode_secrets(&founding);
        let image = (room == 2).then(|| b"a room".to_vec());
        let image_crc = image
            .as_ref()
            .map(|body| RowChecksum::new(founding.room).bytes(body).finish());
        let crc = RowChecksum::new(founding.room).bytes(&body).finish();
        let seq = if room == 2 { 4_i64 } else { 0 };
        sql.execute(
            "INSERT INTO rooms VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
            rusqlite::params![room, body, crc, id + 1, seq, image, image_crc],
        )
        .unwrap();
        for event in events(seq.unsigned_abs() + 1, 7) {
            id += 1;
            let body = serde_json::to_vec(&event).unwrap();
            let crc = RowChecksum::new(founding.room).bytes(&body).finish();
            sql.execute(
                "INSERT INTO events VALUES (?1, ?2, ?3, ?4)",
                rusqlite::params![id, room, body, crc],
            )
            .unwrap();
        }
    }
    sql.execute("INSERT INTO games VALUES (17, 1, 1, 99, ?1)", [RECORD])
        .unwrap();
}

/// Schema of format 2.
const FORMAT_2: &str = "
    CREATE TABLE events (
        id INTEGER PRIMARY KEY,
        room INTEGER NOT NULL,
        body BLOB NOT NULL,
        crc INTEGER NOT NULL
    );
    CREATE TABLE rooms (
        room INTEGER PRIMARY KEY,
        founding BLOB NOT NULL,
        founding_crc INTEGER NOT NULL,
        first_event INTEGER NOT NULL,
        image_seq INTEGER NOT NULL DEFAULT 0,
        image BLOB,
        image_crc INTEGER NOT NULL
    );
    CREATE TABLE games (
        id INTEGER PRIMARY KEY,
        room INTEGER NOT NULL,
        number INTEGER NOT NULL,
        ended INTEGER NOT NULL,
        record TEXT NOT NULL,
        crc INTEGER NOT NULL
    );
    CREATE TABLE witness (at INTEGER NOT NULL);
    PRAGMA user_version = 2;
    PRAGMA journal_mode = wal;
";

/// The same rooms and game in format 2, with dead rows of a checkpointed and of a closed room.
fn create_format_2(directory: &TempDataDir) {
    let sql = directory.sql();
    sql.execute_batch(FORMAT_2).unwrap();
    let mut id = 40_i64;
    for (room, first, open) in [(2, 1, true), (3, 1, false), (1, 1, true)] {
        let (founding, key) = (room_secrets(room), room.cast_signed());
        let image = (room == 2).then(|| b"a room".to_vec());
        let seq = if room == 2 { 4 } else { 0 };
        if open {
            let (body, first_event) = (encode_secrets(&founding), id + 1 + seq);
            let sum = RowChecksum::new(founding.room).number(first_event);
            let image_sum = image.as_ref().map_or(
                RowChecksum::new(founding.room).number(first_event),
                |image| sum.number(seq).bytes(image),
            );
            let sums = (
                RowChecksum::new(founding.room).bytes(&body).finish(),
                image_sum.finish(),
            );
            sql.execute(
                "INSERT INTO rooms VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
                rusqlite::params![key, body, sums.0, first_event, seq, image, sums.1],
            )
            .unwrap();
        }
        for event in events(first, 7) {
            id += 1;
            let body = serde_json::to_vec(&event).unwrap();
            let sum = RowChecksum::new(founding.room)
                .number(id)
                .bytes(&body)
                .finish();
            sql.execute(
                "INSERT INTO events VALUES (?1, ?2, ?3, ?4)",
                rusqlite::params![id, key, body, sum],
            )
            .unwrap();
        }
    }
    let game = FinishedGame {
        number: 1,
        ended_at: 99,
        record: RECORD.into(),
    };
    row::write_game(&sql, 17, room_secrets(1).room, &game).unwrap();
}

#[tokio::test]
async fn format_1_is_migrated() {
    assert_migrated(create_format_1, "format 1").await;
}

#[tokio::test]
async fn format_2_is_migrated() {
    assert_migrated(create_format_2, "format 2").await;
}

async fn assert_migrated(old: fn(&TempDataDir), format: &str) {
    let directory = TempDataDir::new();
    old(&directory);
    let beside = GameArchive::open(&directory.0).unwrap_err().to_string();
    assert!(beside.contains(format), "{beside}");
    for _ in 0..2 {
        let log = directory.open().unwrap();
        let found = recovered_rooms(&log).await;
        let image = Checkpoint {
            seq: Seq::new(4),
            body: b"a room".to_vec(),
        };
        let whole = StoredRoom {
            checkpoint: None,
            events: events(1, 7),
        };
        let imaged = StoredRoom {
            checkpoint: Some(image),
            events: events(5, 7),
        };
        assert_eq!(
            found,
            [
                (room_secrets(1).room, whole),
                (room_secrets(2).room, imaged)
            ]
        );
        let kept = GameArchive::open(&directory.0)
            .unwrap()
            .game(17)
            .unwrap()
            .unwrap()
            .unwrap();
        assert_eq!(
            (kept.room, kept.number, kept.ended_at),
            (room_secrets(1).room, 1, 99)
        );
        assert_eq!(kept.record, RECORD.parse().unwrap());
    }
    let log = directory.open().unwrap();
    let ended = Some(FinishedGame {
        number: 2,
        ended_at: 100,
        record: RECORD.into(),
    });
    log.append(room_secrets(1).room, events(8, 8), ended)
        .await
        .unwrap();
    assert_eq!(
        GameArchive::open(&directory.0)
            .unwrap()
            .newest_games(1)
            .unwrap()
            .remove(0)
            .unwrap()
            .id,
        18
    );
}

#[tokio::test]
async fn the_older_data_is_kept_until_a_start_finds_the_new_format_closed() {
    let directory = TempDataDir::new();
    create_format_2(&directory);
    let copy = directory.0.join("noughts.db.format-2");
    let log = directory.open().unwrap();
    log.append(room_secrets(1).room, events(8, 8), None)
        .await
        .unwrap();
    let killed = TempDataDir::new();
    for file in fs::read_dir(&directory.0).unwrap() {
        let file = file.unwrap();
        fs::copy(file.path(), killed.0.join(file.file_name())).unwrap();
    }
    drop(log);
    assert!(copy.exists(), "after the first stop");
    // A start after a kill proves nothing.
    drop(killed.open().unwrap());
    assert!(killed.0.join("noughts.db.format-2").exists());
    drop(killed.open().unwrap());
    assert!(!killed.0.join("noughts.db.format-2").exists());

    // The copy is the older data, with which a program of the older version, or this one, goes on.
    let back = TempDataDir::new();
    fs::copy(&copy, back.0.join("noughts.db")).unwrap();
    let version: i64 = back
        .sql()
        .query_row("PRAGMA user_version", [], |row| row.get(0))
        .unwrap();
    assert_eq!(version, 2);
    let found = recovered_rooms(&back.open().unwrap()).await;
    assert_eq!(found[0].1.events, events(1, 7));
    drop(directory.open().unwrap());
    assert!(!copy.exists());
}

#[tokio::test]
async fn corruption_in_an_old_format_is_reported() {
    let [founding, image] = [
        "UPDATE rooms SET founding = x'7b7d' WHERE room = 1",
        "UPDATE rooms SET image = x'00' WHERE room = 2",
    ];
    for (old, damage) in [
        (
            create_format_1 as fn(&TempDataDir),
            "UPDATE events SET room = 2 WHERE id = 3",
        ),
        (create_format_1, founding),
        (create_format_1, image),
        (create_format_2, "UPDATE events SET room = 2 WHERE id = 60"),
        // Also in a dead row.
        (
            create_format_2,
            "UPDATE events SET body = x'7b7d' WHERE id = 50",
        ),
        (create_format_2, "UPDATE events SET id = 70 WHERE id = 61"),
        (create_format_2, "DELETE FROM events WHERE id = 58"),
        (
            create_format_2,
            "UPDATE rooms SET first_event = 42 WHERE room = 2",
        ),
        (
            create_format_2,
            "UPDATE rooms SET image_seq = 5 WHERE room = 2",
        ),
        (create_format_2, founding),
        (create_format_2, image),
    ] {
        let directory = TempDataDir::new();
        old(&directory);
        directory.sql().execute(damage, []).unwrap();
        for _ in 0..2 {
            let refused = directory.open().unwrap_err().to_string();
            assert!(refused.contains("corrupt"), "{damage}: {refused}");
        }
    }
}
