//! Tests of the check of stored data, of the archive when games are damaged, and of backups.

use std::path::Path;

use super::*;
use crate::store::sqlite::{CheckHooks, DataSummary, check_data};

/// Checks data, with histories that can always be replayed. Returns the summary and the reported damage.
fn check(path: &Path) -> (DataSummary, Vec<String>) {
    let mut damage = Vec::new();
    let mut on_damage = |text: &str| damage.push(text.to_owned());
    let hooks = CheckHooks {
        replay: &|_| Ok(()),
        on_damage: &mut on_damage,
    };
    let summary = check_data(path, hooks).unwrap();
    assert_eq!(summary.damage, damage.len() as u64);
    (summary, damage)
}

/// Fills a directory with `rooms` rooms of three events and `games` finished games, in pages of 512 bytes.
async fn fill(directory: &TempDataDir, rooms: u64, games: u64) -> SqliteLog {
    directory.use_small_pages();
    let log = directory.open().unwrap();
    for room in 1..=rooms {
        log.create(room_secrets(room), events(1, 2)).await.unwrap();
        log.append(room_secrets(room).room, events(3, 3), None)
            .await
            .unwrap();
    }
    log.create(room_secrets(99), events(1, 1)).await.unwrap();
    for seq in 2..2 + games {
        let finished = finished_game(seq);
        log.append(room_secrets(99).room, events(seq, seq), Some(finished))
            .await
            .unwrap();
    }
    log.delete(room_secrets(99).room).await.unwrap();
    log
}

/// Overwrites the page of the file that contains the game `id`. The page also contains other games.
fn destroy_page_of_game(directory: &TempDataDir, id: i64) {
    let crc: i64 = directory
        .sql()
        .query_row("SELECT crc FROM games WHERE id = ?1", [id], |row| {
            row.get(0)
        })
        .unwrap();
    let path = directory.0.join("noughts.db");
    let mut bytes = fs::read(&path).unwrap();
    let needle = &crc.to_be_bytes()[4..];
    let at = bytes
        .windows(4)
        .position(|window| window == needle)
        .expect("the checksum is in the file");
    // The first byte of a page is its type.
    bytes[at / 512 * 512] = 0;
    fs::write(&path, bytes).unwrap();
}

#[tokio::test]
async fn intact_data_is_counted_beside_a_server_after_a_kill_and_after_a_stop() {
    let directory = TempDataDir::new();
    let log = fill(&directory, 4, 30).await;
    let counts = |path: &Path| {
        let (summary, damage) = check(path);
        assert_eq!(damage, Vec::<String>::new());
        (summary.open_rooms, summary.events, summary.games)
    };
    assert_eq!(counts(&directory.0), (4, 12, 30), "beside the server");
    let killed = directory.copied();
    assert_eq!(counts(&killed.0), (4, 12, 30), "after a kill");
    drop(log);
    assert_eq!(counts(&directory.0), (4, 12, 30), "after a stop");
    assert_eq!(
        recovered_rooms(&killed.open().unwrap()).await.len(),
        4,
        "the write-ahead log was kept"
    );
}

#[tokio::test]
async fn every_damage_is_named_and_the_rest_is_counted() {
    let directory = TempDataDir::new();
    drop(fill(&directory, 6, 10).await);
    let sql = directory.sql();
    let number: i64 = directory.query("SELECT founded FROM rooms WHERE room = 3");
    sql.execute_batch(
        "UPDATE rooms SET founding_crc = founding_crc + 1 WHERE room = 1;
         UPDATE rooms SET image_seq = 7 WHERE room = 2;
         UPDATE games SET ended = 1 WHERE id = 4;
         UPDATE games SET record = 'no record' WHERE id = 9;",
    )
    .unwrap();
    drop(sql);
    directory.corrupt_row(number);
    let (summary, damage) = check(&directory.0);
    for name in [
        "secrets of room 00000001",
        "checkpoint of room 00000002",
        "room 00000003",
        "game 4: wrong checksum",
        "game 9: wrong checksum",
    ] {
        assert!(
            damage.iter().any(|text| text.contains(name)),
            "{name} is not named: {damage:?}"
        );
    }
    assert_eq!(
        (summary.open_rooms, summary.events, summary.games),
        (3, 9, 8),
        "{damage:?}"
    );
}

#[tokio::test]
async fn a_history_that_cannot_be_replayed_is_damage() {
    let directory = TempDataDir::new();
    drop(fill(&directory, 2, 0).await);
    let mut damage = Vec::new();
    let mut on_damage = |text: &str| damage.push(text.to_owned());
    let hooks = CheckHooks {
        replay: &|_| Err("no game".into()),
        on_damage: &mut on_damage,
    };
    assert_eq!(check_data(&directory.0, hooks).unwrap().open_rooms, 0);
    assert_eq!(
        damage,
        [
            "history of room 00000001: no game",
            "history of room 00000002: no game"
        ]
    );
}

#[tokio::test]
async fn games_behind_a_destroyed_page_are_read() {
    for id in [1, 40, 100] {
        let directory = TempDataDir::new();
        drop(fill(&directory, 1, 100).await);
        destroy_page_of_game(&directory, id);
        let archive = GameArchive::open(&directory.0).unwrap();
        let entries = archive.games_after(i64::MIN, 1000).unwrap();
        let mut all = entries;
        while let Some(last) = all.last() {
            let after = last
                .as_ref()
                .map_or_else(|damaged| damaged.last_id, |game| game.id);
            let more = archive.games_after(after, 1000).unwrap();
            if more.is_empty() {
                break;
            }
            all.extend(more);
        }
        let damaged: Vec<_> = all
            .iter()
            .filter_map(|entry| entry.as_ref().err())
            .collect();
        assert_eq!(damaged.len(), 1, "{damaged:?}");
        let range = damaged[0].first_id..=damaged[0].last_id;
        assert!(range.contains(&id), "game {id} is not in {range:?}");
        let intact: Vec<i64> = all
            .iter()
            .filter_map(|entry| entry.as_ref().ok())
            .map(|game| game.id)
            .collect();
        assert!(intact.len() > 80, "only {} games", intact.len());
        assert!(
            (1..=100).all(|id| range.contains(&id) != intact.contains(&id)),
            "{range:?} {intact:?}"
        );
        // The search for the newest games visits them in the opposite direction.
        let newest = archive.newest_games(150).unwrap();
        let ids = newest
            .iter()
            .filter_map(|entry| entry.as_ref().ok())
            .map(|game| game.id);
        assert!(ids.eq(intact.iter().rev().copied()));
        assert!(archive.game(id).unwrap().unwrap().is_err());
        let (summary, damage) = check(&directory.0);
        assert_eq!(summary.games, intact.len() as u64);
        assert!(
            damage.iter().any(|text| text.contains("malformed")),
            "{damage:?}"
        );
        assert!(
            damage
                .iter()
                .any(|text| text.contains("structure of the file")),
            "{damage:?}"
        );
    }
}

#[tokio::test]
async fn damage_of_the_write_ahead_log_is_reported() {
    let directory = TempDataDir::new();
    let log = fill(&directory, 3, 3).await;
    let killed = directory.copied();
    drop(log);
    let wal = killed.0.join("noughts.db-wal");
    let mut bytes = fs::read(&wal).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&wal, bytes).unwrap();
    let (_, damage) = check(&killed.0);
    assert!(
        damage
            .iter()
            .any(|text| text.contains("write-ahead log at byte")),
        "{damage:?}"
    );
    fs::remove_file(wal).unwrap();
    let hooks = CheckHooks {
        replay: &|_| Ok(()),
        on_damage: &mut |_| {},
    };
    assert!(matches!(
        check_data(&killed.0, hooks),
        Err(DataDirError::MissingWal { .. })
    ));
}

#[tokio::test]
async fn a_backup_has_its_name_only_when_it_is_complete() {
    let directory = TempDataDir::new();
    let log = fill(&directory, 3, 3).await;
    let (copy, partial) = (
        directory.0.join("a copy?.db"),
        directory.0.join("a copy?.db.partial"),
    );
    // A killed backup has left this file behind.
    fs::write(&partial, vec![7; 100_000]).unwrap();
    let backup = BackupFile::create(&directory.0, &copy).unwrap();
    assert!(!copy.exists() && backup.partial_path() == partial);
    let refused = BackupFile::create(&directory.0, &copy)
        .unwrap_err()
        .to_string();
    assert!(refused.contains("another backup"), "{refused}");
    assert_eq!(check(&partial).0.open_rooms, 3);
    backup.publish().unwrap();
    assert!(copy.exists() && !partial.exists());
    let (summary, damage) = check(&copy);
    assert_eq!((summary.open_rooms, summary.games, damage.len()), (3, 3, 0));
    // The check leaves no file beside the copy.
    let names = fs::read_dir(&directory.0)
        .unwrap()
        .map(|file| file.unwrap().file_name());
    assert_eq!(
        names
            .filter(|name| name.to_string_lossy().starts_with("a copy"))
            .count(),
        1
    );
    // A backup that is not published is deleted.
    drop(BackupFile::create(&directory.0, &directory.0.join("other.db")).unwrap());
    assert!(!directory.0.join("other.db.partial").exists());
    drop(log);
}
