//! Corruption of the files. A change of any single byte either leaves the state as it is, or is reported, with the
//! corrupt row or by SQLite. Only the last commit of a write-ahead log may be dropped.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;
use crate::store::sqlite::data_dir::DataDir;
use crate::store::sqlite::room_index;

/// Returns the whole state of a data directory, or the error that opening it returns.
fn read_state(directory: &Path) -> Result<String, String> {
    let options = SqliteOptions::new(Durability::Power, ServerClock::start());
    let store = DataDir::open(directory, &options).map_err(|refused| refused.to_string())?;
    let (rooms, _) = room_index::load_open_rooms(&store.connection)
        .map_err(|failed| DataDirError::from(failed).to_string())?;
    let rooms: Vec<_> = rooms
        .iter()
        .map(|found| {
            let tokens = found.secrets.tokens.map(|token| token.to_bytes());
            (
                found.secrets.room,
                tokens,
                found.secrets.code.map(|code| code.to_string()),
                &found.stored,
            )
        })
        .collect();
    let games = GameArchive::open(directory).and_then(|archive| archive.games_after(i64::MIN, 100));
    let mut intact = Vec::new();
    for entry in games.map_err(|refused| refused.to_string())? {
        intact.push(entry.map_err(|damaged| format!("data is corrupt: {damaged}"))?);
    }
    Ok(format!("{rooms:?} {intact:?}"))
}

/// Fills a directory with small pages: rooms with and without a checkpoint, dead rows, finished games.
async fn fill(directory: &TempDataDir) {
    directory.use_small_pages();
    let log = directory.open().unwrap();
    let finished = |number| {
        Some(FinishedGame {
            number,
            ended_at: 7,
            record: RECORD.into(),
        })
    };
    for room in 1..=3 {
        log.create(room_secrets(room), events(1, 2)).await.unwrap();
        log.append(room_secrets(room).room, events(3, 3), finished(1))
            .await
            .unwrap();
    }
    let checkpoint = Checkpoint {
        seq: Seq::new(3),
        body: b"a room".to_vec(),
    };
    log.checkpoint(room_secrets(1).room, checkpoint)
        .await
        .unwrap();
    log.delete(room_secrets(2).room).await.unwrap();
    for (room, from) in [(1, 4), (3, 4), (1, 6)] {
        log.append(room_secrets(room).room, events(from, from + 1), None)
            .await
            .unwrap();
    }
}

/// Asserts that two states are equal, and prints the first difference.
fn assert_same_state(found: &str, whole: &str, at: usize) {
    let differs = found.bytes().zip(whole.bytes()).position(|(a, b)| a != b);
    let differs = differs.or((found.len() != whole.len()).then_some(found.len().min(whole.len())));
    if let Some(from) = differs {
        let around = |text: &str| {
            text.get(from.saturating_sub(60)..(from + 40).min(text.len()))
                .map(str::to_owned)
        };
        panic!(
            "byte {at} changed in silence:\n{:?}\nwas\n{:?}",
            around(found),
            around(whole)
        );
    }
}

/// Changes one bit of each byte of `file` in turn, and passes the resulting state to `check`. Several threads do so,
/// because each waits for the file system most of the time.
fn flip_each_byte(
    pristine: &TempDataDir,
    file: &str,
    check: impl Fn(usize, Result<String, String>) + Sync,
) {
    const THREADS: usize = 4;
    let bytes = fs::read(pristine.0.join(file)).unwrap();
    let flip = |at: usize| {
        let flipped = pristine.copied();
        let mut bytes = bytes.clone();
        bytes[at] ^= 1 << (at % 8);
        fs::write(flipped.0.join(file), bytes).unwrap();
        check(at, read_state(&flipped.0));
    };
    std::thread::scope(|scope| {
        for first in 0..THREADS {
            let (flip, end) = (&flip, bytes.len());
            scope.spawn(move || (first..end).step_by(THREADS).for_each(flip));
        }
    });
}

#[tokio::test]
async fn every_changed_byte_of_the_data_is_detected_or_unused() {
    let directory = TempDataDir::new();
    fill(&directory).await;
    let whole = {
        let copied = directory.copied();
        read_state(&copied.0).unwrap()
    };
    assert!(
        whole.contains("a room") || whole.contains("[97, 32, 114"),
        "{whole}"
    );
    let (named, other) = (AtomicUsize::new(0), AtomicUsize::new(0));
    flip_each_byte(&directory, "noughts.db", |at, found| match found {
        Ok(found) => assert_same_state(&found, &whole, at),
        Err(refused) if refused.contains("data is corrupt") => {
            named.fetch_add(1, Ordering::Relaxed);
        }
        Err(refused) => {
            assert!(!refused.is_empty(), "byte {at}");
            other.fetch_add(1, Ordering::Relaxed);
        }
    });
    let (named, other) = (named.into_inner(), other.into_inner());
    eprintln!("{named} errors describe the corruption, {other} do not");
    assert!(
        named > 1000,
        "{named} errors describe the corruption, {other} do not"
    );
}

#[tokio::test]
async fn every_changed_byte_of_the_wal_is_detected_except_in_the_last_commit() {
    let directory = TempDataDir::new();
    fill(&directory).await;
    let log = directory.open().unwrap();
    let mut states = Vec::new();
    let mut killed = TempDataDir::new();
    for seq in [8, 9, 10] {
        log.append(room_secrets(1).room, events(seq, seq), None)
            .await
            .unwrap();
        killed = directory.copied();
        let copied = directory.copied();
        states.push(read_state(&copied.0).unwrap());
    }
    drop(log);
    let (refused, torn) = (AtomicUsize::new(0), AtomicUsize::new(0));
    flip_each_byte(&killed, "noughts.db-wal", |at, found| match found {
        // A corrupt last commit looks like a commit that a power failure tore.
        Ok(found) if found == states[1] => {
            torn.fetch_add(1, Ordering::Relaxed);
        }
        Ok(found) => assert_eq!(
            found, states[2],
            "byte {at} silently dropped more than the last commit"
        ),
        Err(what) => {
            assert!(
                what.contains("write-ahead log at byte"),
                "byte {at}: {what}"
            );
            refused.fetch_add(1, Ordering::Relaxed);
        }
    });
    let (refused, torn) = (refused.into_inner(), torn.into_inner());
    assert!(
        refused > torn && torn > 0,
        "{refused} rejected, {torn} dropped"
    );
}

#[tokio::test]
async fn a_torn_wal_tail_is_truncated_and_a_missing_wal_is_reported() {
    let (directory, log, _) = log_with_room(5).await;
    let killed = directory.copied();
    log.append(room_secrets(1).room, events(6, 6), None)
        .await
        .unwrap();
    let torn = directory.copied();
    drop(log);

    let wal = torn.0.join("noughts.db-wal");
    let bytes = fs::read(&wal).unwrap();
    fs::write(&wal, &bytes[..bytes.len() - 100]).unwrap();
    let found = recovered_rooms(&torn.open().unwrap()).await;
    assert_eq!(found[0].1.events, events(1, 5));

    fs::remove_file(killed.0.join("noughts.db-wal")).unwrap();
    let refused = killed.open().unwrap_err();
    assert!(
        matches!(&refused, DataDirError::MissingWal { .. }),
        "{refused}"
    );
    assert!(refused.to_string().contains("noughts.db-wal"), "{refused}");
    let lock = killed.0.join("noughts.lock");
    let note = fs::read(&lock).unwrap();
    for at in 0..note.len() {
        let mut corrupt = note.clone();
        corrupt[at] ^= 1;
        fs::write(&lock, corrupt).unwrap();
        assert!(
            matches!(killed.open(), Err(DataDirError::MissingWal { .. })),
            "byte {at} of its note changed"
        );
    }
    // The operator deletes the lock file.
    fs::remove_file(killed.0.join("noughts.lock")).unwrap();
    killed.open().unwrap();
    // A regular stop leaves no write-ahead log, and the next start requires none.
    assert!(!directory.0.join("noughts.db-wal").exists());
    assert_eq!(directory.reopened_events().await, events(1, 6));
}

#[tokio::test]
async fn missing_data_beside_a_wal_is_reported_and_the_wal_is_kept() {
    let (directory, _log, _) = log_with_room(5).await;
    for (empty, unlocked) in [(false, false), (true, false), (false, true), (true, true)] {
        let killed = directory.copied();
        let [data, wal, lock] =
            ["noughts.db", "noughts.db-wal", "noughts.lock"].map(|file| killed.0.join(file));
        let whole = fs::read(&data).unwrap();
        if empty {
            fs::write(&data, []).unwrap();
        } else {
            fs::remove_file(&data).unwrap();
        }
        if unlocked {
            fs::remove_file(lock).unwrap();
        }
        let before = fs::read(&wal).unwrap();
        let refused = killed.open().unwrap_err();
        assert!(
            matches!(&refused, DataDirError::MissingData { .. }),
            "{refused}"
        );
        assert_eq!(fs::read(&wal).unwrap(), before);
        fs::write(&data, whole).unwrap();
        assert_eq!(killed.reopened_events().await, events(1, 5));
    }
}

#[tokio::test]
async fn reading_the_archive_of_a_killed_server_leaves_its_wal() {
    let (directory, log, _) = log_with_room(5).await;
    let killed = directory.copied();
    drop(log);
    drop(GameArchive::open(&killed.0).unwrap());
    assert_eq!(killed.reopened_events().await, events(1, 5));
}

#[tokio::test]
async fn a_misplaced_row_is_reported() {
    let (directory, log) = new_log();
    for room in 1..=3 {
        log.create(room_secrets(room), events(1, 5)).await.unwrap();
    }
    drop(log);
    // Each statement moves or removes rows. Opening the log must report the change until it is undone.
    for (sql, undo) in [
        (
            "UPDATE commits SET id = 4 WHERE id = 3",
            "UPDATE commits SET id = 3 WHERE id = 4",
        ),
        (
            "UPDATE commits SET id = 9 WHERE id = 2; UPDATE commits SET id = 2 WHERE id = 3; UPDATE commits SET id = 3 WHERE id = 9",
            "UPDATE commits SET id = 9 WHERE id = 2; UPDATE commits SET id = 2 WHERE id = 3; UPDATE commits SET id = 3 WHERE id = 9",
        ),
        ("DELETE FROM commits WHERE id >= 2", ""),
        ("DELETE FROM commits WHERE id = 2", ""),
    ] {
        let whole = directory.copied();
        whole.sql().execute_batch(sql).unwrap();
        let refused = whole.open().unwrap_err().to_string();
        let named =
            refused.contains("corrupt") && (refused.contains("room") || refused.contains("gap"));
        assert!(named, "{sql}: {refused}");
        whole.sql().execute_batch(undo).unwrap();
        assert_eq!(whole.open().is_ok(), !undo.is_empty());
    }
    for sql in [
        "UPDATE rooms SET founded = 2 WHERE room = 1",
        "UPDATE rooms SET image_seq = 9 WHERE room = 2",
        "UPDATE commits SET body = 'text' WHERE id = 3",
        "UPDATE commits SET body = x'' WHERE id = 3",
    ] {
        let changed = directory.copied();
        changed.sql().execute(sql, []).unwrap();
        let refused = changed.open().unwrap_err().to_string();
        assert!(
            refused.contains("corrupt") && refused.contains("room"),
            "{sql}: {refused}"
        );
    }
    directory.open().unwrap();
}

#[tokio::test]
async fn compaction_does_not_hide_corruption() {
    let (directory, log, _) = log_with_room(50).await;
    log.create(room_secrets(2), events(1, 500)).await.unwrap();
    directory.corrupt_row(1);
    log.append(room_secrets(1).room, events(51, 51), None)
        .await
        .unwrap();
    log.delete(room_secrets(2).room).await.unwrap();
    // The time suffices for maintenance to run.
    tokio::time::sleep(Duration::from_millis(1200)).await;
    log.append(room_secrets(1).room, events(52, 52), None)
        .await
        .unwrap();
    assert!(log.is_healthy());
    drop(log);
    let refused = directory.open().unwrap_err().to_string();
    assert!(
        refused.contains("row 1") && refused.contains("room 00000001"),
        "{refused}"
    );
}

#[tokio::test]
async fn a_damaged_game_of_unknown_age_is_not_deleted() {
    let directory = TempDataDir::new();
    fill(&directory).await;
    directory.execute("UPDATE games SET ended = 8 WHERE id = 2");
    let log = directory
        .open_with(|options| options.keep_games = Duration::from_secs(1))
        .unwrap();
    let left = || directory.query::<i64>("SELECT count(*) FROM games");
    crate::tests::wait_until(|| left() == 1).await;
    let archive = GameArchive::open(&directory.0).unwrap();
    let damaged = archive
        .games_after(i64::MIN, 10)
        .unwrap()
        .remove(0)
        .unwrap_err();
    assert_eq!(damaged.to_string(), "game 2: wrong checksum");
    drop(log);
}

#[test]
fn an_unwritable_directory_is_rejected() {
    let directory = TempDataDir::new();
    fs::create_dir(directory.0.join("noughts.lock")).unwrap();
    assert!(matches!(
        directory.open(),
        Err(DataDirError::Directory { .. })
    ));
    fs::remove_dir(directory.0.join("noughts.lock")).unwrap();
    fs::write(
        directory.0.join("noughts.db"),
        b"no database at all, and long enough to be looked at",
    )
    .unwrap();
    assert!(directory.open().is_err());
}
