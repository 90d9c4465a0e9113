//! Every byte of the files, changed one at a time: the same state, a refusal that names what it is, or
//! SQLite's own; of a write-ahead log, at most a commit that may as well have been torn.

use std::path::Path;

use super::*;
use crate::store::sqlite::startup::data_dir::DataDir;
use crate::store::sqlite::startup::recovery;

/// All that the files say, or why they may not be used.
fn read_state(directory: &Path) -> Result<String, String> {
    let store = DataDir::open(directory, Durability::Power).map_err(|refused| refused.to_string())?;
    let (rooms, _) = recovery::load_open_rooms(&store.connection, Default::default())
        .map_err(|failed| DataDirError::from(failed).to_string())?;
    let rooms: Vec<_> = rooms
        .iter()
        .map(|found| {
            let tokens = found.secrets.tokens.map(|token| token.to_bytes());
            (found.secrets.room, tokens, found.secrets.code.map(|code| code.to_string()), &found.stored)
        })
        .collect();
    let games = GameArchive::open(directory).and_then(|archive| archive.games_after(i64::MIN, 100));
    Ok(format!("{rooms:?} {:?}", games.map_err(|refused| refused.to_string())?))
}

/// A directory with small pages and something of everything in it: rooms with and without an image, rows
/// that wait for the sweep, finished games.
async fn fill(directory: &TempDataDir) {
    let sql = directory.sql();
    sql.pragma_update(None, "page_size", 512).unwrap();
    sql.execute_batch("VACUUM").unwrap();
    drop(sql);
    let log = directory.open().unwrap();
    let text = "[Rules \"3x3:3\"]\n[X \"Ann\"]\n[O \"Bob\"]\n[Result \"X resignation\"]\n\n1. b2\n";
    let finished = |number| Some(FinishedGame { number, ended_at: 7, record: text.into() });
    for room in 1..=3 {
        log.create(room_secrets(room), events(1, 2)).await.unwrap();
        log.append(room_secrets(room).room, events(3, 3), finished(1)).await.unwrap();
    }
    let image = Checkpoint { seq: Seq::new(3), body: b"a room".to_vec() };
    log.checkpoint(room_secrets(1).room, image).await.unwrap();
    log.delete(room_secrets(2).room).await.unwrap();
    for (room, from) in [(1, 4), (3, 4), (1, 6)] {
        log.append(room_secrets(room).room, events(from, from + 1), None).await.unwrap();
    }
}

fn copy(from: &Path, to: &Path) {
    for file in fs::read_dir(from).unwrap() {
        let file = file.unwrap();
        fs::copy(file.path(), to.join(file.file_name())).unwrap();
    }
}

/// Both say the same, or where they differ first.
fn assert_same_state(found: &str, whole: &str, at: usize) {
    let differs = found.bytes().zip(whole.bytes()).position(|(a, b)| a != b);
    let differs = differs.or((found.len() != whole.len()).then_some(found.len().min(whole.len())));
    if let Some(from) = differs {
        let around =
            |text: &str| text.get(from.saturating_sub(60)..(from + 40).min(text.len())).map(str::to_owned);
        panic!("byte {at} changed in silence:\n{:?}\nwas\n{:?}", around(found), around(whole));
    }
}

/// Changes each byte of `file` in turn, each in another bit, and looks at what becomes of it.
fn flip_each_byte(pristine: &Path, file: &str, mut check: impl FnMut(usize, Result<String, String>)) {
    let bytes = fs::read(pristine.join(file)).unwrap();
    for at in 0..bytes.len() {
        let flipped = TempDataDir::new();
        copy(pristine, &flipped.0);
        let mut bytes = bytes.clone();
        bytes[at] ^= 1 << (at % 8);
        fs::write(flipped.0.join(file), bytes).unwrap();
        check(at, read_state(&flipped.0));
    }
}

#[tokio::test]
async fn every_changed_byte_of_the_data_is_detected_or_unused() {
    let directory = TempDataDir::new();
    fill(&directory).await;
    let whole = {
        let copied = TempDataDir::new();
        copy(&directory.0, &copied.0);
        read_state(&copied.0).unwrap()
    };
    assert!(whole.contains("a room") || whole.contains("[97, 32, 114"), "{whole}");
    let (mut named, mut other) = (0, 0);
    flip_each_byte(&directory.0, "noughts.db", |at, found| match found {
        Ok(found) => assert_same_state(&found, &whole, at),
        Err(refused) if refused.contains("data is corrupt") => named += 1,
        Err(refused) => {
            assert!(!refused.is_empty(), "byte {at}");
            other += 1;
        }
    });
    eprintln!("{named} refusals that name the damage, {other} others");
    assert!(named > 1000, "{named} of the changes were named, {other} refused otherwise");
}

#[tokio::test]
async fn every_changed_byte_of_the_wal_is_detected_except_in_the_last_commit() {
    let directory = TempDataDir::new();
    fill(&directory).await;
    let log = directory.open().unwrap();
    let mut states = Vec::new();
    let killed = TempDataDir::new();
    for seq in [8, 9, 10] {
        log.append(room_secrets(1).room, events(seq, seq), None).await.unwrap();
        copy(&directory.0, &killed.0);
        let copied = TempDataDir::new();
        copy(&directory.0, &copied.0);
        states.push(read_state(&copied.0).unwrap());
    }
    drop(log);
    let (mut refused, mut torn) = (0, 0);
    flip_each_byte(&killed.0, "noughts.db-wal", |at, found| match found {
        // The last commit cannot be told from one that a power cut tore.
        Ok(found) if found == states[1] => torn += 1,
        Ok(found) => assert_eq!(found, states[2], "byte {at} cut more than the last commit in silence"),
        Err(what) => {
            assert!(what.contains("write-ahead log at byte"), "byte {at}: {what}");
            refused += 1;
        }
    });
    assert!(refused > torn && torn > 0, "{refused} refused, {torn} cut");
}

#[tokio::test]
async fn a_torn_wal_tail_is_truncated_and_a_missing_wal_is_reported() {
    let directory = TempDataDir::new();
    let log = directory.open().unwrap();
    log.create(room_secrets(1), events(1, 5)).await.unwrap();
    let killed = TempDataDir::new();
    copy(&directory.0, &killed.0);
    log.append(room_secrets(1).room, events(6, 6), None).await.unwrap();
    let torn = TempDataDir::new();
    copy(&directory.0, &torn.0);
    drop(log);

    let wal = torn.0.join("noughts.db-wal");
    let bytes = fs::read(&wal).unwrap();
    fs::write(&wal, &bytes[..bytes.len() - 100]).unwrap();
    let found = recovered_rooms(&torn.open().unwrap()).await;
    assert_eq!(found[0].1.events, events(1, 5));

    fs::remove_file(killed.0.join("noughts.db-wal")).unwrap();
    let refused = killed.open().unwrap_err();
    assert!(matches!(&refused, DataDirError::MissingWal { .. }), "{refused}");
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
    // The operator knows better.
    fs::remove_file(killed.0.join("noughts.lock")).unwrap();
    killed.open().unwrap();
    // After a stop in order there is none, and none is missed.
    assert!(!directory.0.join("noughts.db-wal").exists());
    assert_eq!(recovered_rooms(&directory.open().unwrap()).await[0].1.events, events(1, 6));
}

#[tokio::test]
async fn missing_data_beside_a_wal_is_reported_and_the_wal_is_kept() {
    let directory = TempDataDir::new();
    let log = directory.open().unwrap();
    log.create(room_secrets(1), events(1, 5)).await.unwrap();
    for (empty, unlocked) in [(false, false), (true, false), (false, true), (true, true)] {
        let killed = TempDataDir::new();
        copy(&directory.0, &killed.0);
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
        assert!(matches!(&refused, DataDirError::MissingData { .. }), "{refused}");
        assert_eq!(fs::read(&wal).unwrap(), before);
        fs::write(&data, whole).unwrap();
        assert_eq!(recovered_rooms(&killed.open().unwrap()).await[0].1.events, events(1, 5));
    }
}

#[tokio::test]
async fn reading_the_archive_of_a_killed_server_leaves_its_wal() {
    let directory = TempDataDir::new();
    let log = directory.open().unwrap();
    log.create(room_secrets(1), events(1, 5)).await.unwrap();
    let killed = TempDataDir::new();
    copy(&directory.0, &killed.0);
    drop(log);
    drop(GameArchive::open(&killed.0).unwrap());
    assert_eq!(recovered_rooms(&killed.open().unwrap()).await[0].1.events, events(1, 5));
}

#[tokio::test]
async fn a_misplaced_row_is_reported() {
    let directory = TempDataDir::new();
    let log = directory.open().unwrap();
    for room in 1..=3 {
        log.create(room_secrets(room), events(1, 5)).await.unwrap();
    }
    drop(log);
    // The last one leaves no gap, nor do two that change places.
    for (sql, undo) in [
        ("UPDATE commits SET id = 4 WHERE id = 3", "UPDATE commits SET id = 3 WHERE id = 4"),
        (
            "UPDATE commits SET id = 9 WHERE id = 2; UPDATE commits SET id = 2 WHERE id = 3; UPDATE commits SET id = 3 WHERE id = 9",
            "UPDATE commits SET id = 9 WHERE id = 2; UPDATE commits SET id = 2 WHERE id = 3; UPDATE commits SET id = 3 WHERE id = 9",
        ),
        ("DELETE FROM commits WHERE id >= 2", ""),
    ] {
        let whole = TempDataDir::new();
        copy(&directory.0, &whole.0);
        whole.sql().execute_batch(sql).unwrap();
        let refused = whole.open().unwrap_err().to_string();
        let named = refused.contains("corrupt") && (refused.contains("room") || refused.contains("gap"));
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
        let changed = TempDataDir::new();
        copy(&directory.0, &changed.0);
        changed.sql().execute(sql, []).unwrap();
        let refused = changed.open().unwrap_err().to_string();
        assert!(refused.contains("corrupt") && refused.contains("room"), "{sql}: {refused}");
    }
    directory.open().unwrap();
}

#[tokio::test]
async fn compaction_does_not_hide_corruption() {
    let directory = TempDataDir::new();
    let log = directory.open().unwrap();
    log.create(room_secrets(1), events(1, 50)).await.unwrap();
    log.create(room_secrets(2), events(1, 500)).await.unwrap();
    directory.corrupt_row(1);
    log.append(room_secrets(1).room, events(51, 51), None).await.unwrap();
    log.delete(room_secrets(2).room).await.unwrap();
    // Long enough for the writer to tidy up.
    tokio::time::sleep(Duration::from_millis(1200)).await;
    log.append(room_secrets(1).room, events(52, 52), None).await.unwrap();
    assert!(log.is_healthy());
    drop(log);
    let refused = directory.open().unwrap_err().to_string();
    assert!(refused.contains("row 1") && refused.contains("room 00000001"), "{refused}");
}

#[tokio::test]
async fn a_corrupt_archived_game_is_reported_when_read() {
    let directory = TempDataDir::new();
    fill(&directory).await;
    directory.sql().execute("UPDATE games SET ended = 8 WHERE id = 2", []).unwrap();
    let log = directory.open_with(|options| options.keep_games = Duration::from_secs(1)).unwrap();
    let archive = GameArchive::open(&directory.0).unwrap();
    let refused = archive.games_after(i64::MIN, 10).unwrap_err().to_string();
    assert!(refused.contains("corrupt") && refused.contains("game 2"), "{refused}");
    // Whose age nobody knows is not dropped with the others.
    let left = |sql: &Connection| -> i64 {
        sql.query_row("SELECT count(*) FROM games", [], |row| row.get(0)).unwrap()
    };
    let sql = directory.sql();
    crate::tests::wait_until(|| left(&sql) == 1).await;
    drop(log);
}

#[test]
fn an_unwritable_directory_is_rejected() {
    let directory = TempDataDir::new();
    fs::create_dir(directory.0.join("noughts.lock")).unwrap();
    assert!(matches!(directory.open(), Err(DataDirError::Directory { .. })));
    fs::remove_dir(directory.0.join("noughts.lock")).unwrap();
    fs::write(directory.0.join("noughts.db"), b"no database at all, and long enough to be looked at")
        .unwrap();
    assert!(directory.open().is_err());
}
