//! Size of the file: compaction of dead rows, and deletion of excess games.

use super::*;

#[tokio::test]
async fn events_after_a_checkpoint_survive_compaction() {
    let (directory, log, room) = log_with_room(20).await;
    log.checkpoint(
        room,
        Checkpoint {
            seq: Seq::new(20),
            body: b"a room".to_vec(),
        },
    )
    .await
    .unwrap();
    let left = || directory.query::<i64>("SELECT count(*) FROM commits");
    crate::tests::wait_until(|| left() == 0).await;
    drop(log);
    for seq in 21..=23 {
        let log = directory.open().unwrap();
        log.append(room, events(seq, seq), None).await.unwrap();
        // The time suffices for maintenance to run.
        tokio::time::sleep(Duration::from_millis(700)).await;
        drop(log);
        assert_eq!(directory.reopened_events().await, events(21, seq));
    }
}

#[tokio::test]
async fn dead_rows_around_an_idle_room_are_compacted() {
    let (directory, log) = new_log();
    for room in 1..=5 {
        log.create(room_secrets(room), events(1, 50)).await.unwrap();
    }
    let bytes = || directory.query::<i64>("SELECT coalesce(sum(length(body)), 0) FROM commits");
    let each = bytes() / 5;
    // Another row follows the row that will be rewritten.
    let room = room_secrets(3).room;
    log.append(room, events(51, 52), None).await.unwrap();
    for room in [1, 2, 4, 5] {
        log.delete(room_secrets(room).room).await.unwrap();
    }
    crate::tests::wait_until(|| bytes() < 5 * each / 2).await;
    // The third row had events of the room, which have been written again in a later row.
    let oldest: i64 = directory.query("SELECT min(id) FROM commits");
    assert_eq!(oldest, 5);
    assert_eq!(events_after(&log, room, 48).await, events(49, 52));
    log.append(room, events(53, 54), None).await.unwrap();
    assert_eq!(log.load(room).await.unwrap().events, events(1, 54));
    drop(log);
    let whole = StoredRoom {
        checkpoint: None,
        events: events(1, 54),
    };
    assert_eq!(
        recovered_rooms(&directory.open().unwrap()).await,
        [(room, whole)]
    );
}

#[tokio::test]
async fn the_oldest_of_too_many_games_are_evicted() {
    let (directory, log) = new_log();
    let room = room_secrets(1).room;
    log.create(room_secrets(1), events(1, 1)).await.unwrap();
    for seq in 2..40 {
        log.append(room, events(seq, seq), Some(finished_game(seq)))
            .await
            .unwrap();
    }
    drop(log);
    let archive = GameArchive::open(&directory.0).unwrap();
    let archived = || newest_ends(&archive);
    assert_eq!(archived().len(), 38);
    // Maintenance deletes the excess games of an earlier run with a higher limit.
    let log = directory
        .open_with(|options| options.max_games = 5)
        .unwrap();
    crate::tests::wait_until(|| archived() == [39, 38, 37, 36, 35]).await;
    // A new game evicts the oldest game in the same commit.
    for seq in 40..50 {
        log.append(room, events(seq, seq), Some(finished_game(seq)))
            .await
            .unwrap();
        assert_eq!(archived(), [seq, seq - 1, seq - 2, seq - 3, seq - 4]);
    }
}

#[tokio::test]
async fn a_recent_game_is_not_deleted_for_a_new_one() {
    const DAY_MS: u64 = 24 * 60 * 60 * 1000;
    let directory = TempDataDir::new();
    let time = ServerClock::from_unix_ms(100 * DAY_MS);
    let limits = |options: &mut SqliteOptions| {
        (options.max_games, options.time) = (3, time.clone());
        options.protect_games = Duration::from_secs(7 * 24 * 60 * 60);
    };
    let log = directory.open_with(limits).unwrap();
    let room = room_secrets(1).room;
    log.create(room_secrets(1), events(1, 1)).await.unwrap();
    let archive = GameArchive::open(&directory.0).unwrap();
    let mut seq = 1;
    let mut end_game = async |day: u64| {
        seq += 1;
        let finished = finished_game(day * DAY_MS);
        log.append(room, events(seq, seq), Some(finished))
            .await
            .unwrap();
        newest_ends(&archive)
            .iter()
            .map(|at| at / DAY_MS)
            .collect::<Vec<_>>()
    };
    // There are two old games and a recent game. The old games are deleted to make room.
    assert_eq!(end_game(80).await, [80]);
    assert_eq!(end_game(93).await, [93, 80]);
    assert_eq!(end_game(94).await, [94, 93, 80]);
    assert_eq!(end_game(100).await, [100, 94, 93]);
    assert_eq!(end_game(100).await, [100, 100, 94]);
    // The oldest game is younger than seven days, so it stays, and the new game is not kept.
    for _ in 0..50 {
        assert_eq!(end_game(100).await, [100, 100, 94]);
    }
    assert_eq!(
        log.load(room).await.unwrap().events.len(),
        56,
        "the games themselves are stored"
    );
    drop(log);
    // Protected games stay even if the maximum is below their number.
    let log = directory.open_with(|options| {
        limits(options);
        options.max_games = 1;
    });
    tokio::time::sleep(Duration::from_millis(1200)).await;
    assert_eq!(newest_ends(&archive).len(), 3);
    drop(log);
}

#[tokio::test]
async fn an_idle_server_deletes_many_games_without_pauses() {
    let directory = TempDataDir::new();
    drop(directory.open().unwrap());
    let sql = directory.sql();
    sql.execute_batch("BEGIN").unwrap();
    for id in 1..=30_000 {
        let game = finished_game(1);
        crate::store::sqlite::game_index::write_game(&sql, id, room_secrets(1).room, &game)
            .unwrap();
    }
    sql.execute_batch("COMMIT").unwrap();
    let began = tokio::time::Instant::now();
    let log = directory
        .open_with(|options| options.max_games = 10)
        .unwrap();
    let left = || directory.query::<i64>("SELECT count(*) FROM games");
    // If the writer paused for half a second after each batch, the deletion would take fifteen seconds.
    while left() > 10 {
        assert!(
            began.elapsed() < Duration::from_secs(14),
            "{} games are left",
            left()
        );
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert!(log.is_healthy());
}

#[tokio::test]
async fn a_reader_that_stays_grows_the_write_ahead_log_until_it_ends() {
    let directory = TempDataDir::new();
    let log = directory
        .open_with(|options| {
            (options.wal_kept_bytes, options.wal_warning_bytes) = (1 << 20, 2 << 20);
        })
        .unwrap();
    let room = room_secrets(1).room;
    log.create(room_secrets(1), events(1, 1)).await.unwrap();
    let reader = directory.sql();
    reader
        .execute_batch("BEGIN; SELECT count(*) FROM commits")
        .unwrap();
    let wal_bytes = || {
        fs::metadata(directory.0.join("noughts.db-wal"))
            .unwrap()
            .len()
    };
    let mut last = 1;
    while wal_bytes() < 4 << 20 {
        log.append(room, events(last + 1, last + 2_000), None)
            .await
            .unwrap();
        last += 2_000;
    }
    // When the reader has ended, the log can be emptied, and the next commits truncate it.
    reader.execute_batch("COMMIT").unwrap();
    let began = tokio::time::Instant::now();
    while wal_bytes() > 1 << 20 {
        assert!(
            began.elapsed() < Duration::from_secs(60),
            "{} bytes",
            wal_bytes()
        );
        // The time suffices for maintenance to run.
        tokio::time::sleep(Duration::from_millis(700)).await;
        last += 1;
        log.append(room, events(last, last), None).await.unwrap();
    }
    assert_eq!(log.load(room).await.unwrap().events.len() as u64, last);
}

#[tokio::test]
async fn the_file_size_is_bounded_under_constant_load() {
    let (directory, log) = new_log();
    let bytes = || directory.query::<i64>("SELECT sum(length(body)) FROM commits");
    // There is an active room with checkpoints, an inactive room, and a succession of rooms that close.
    let [active, idle] = [room_secrets(10_000), room_secrets(10_001)];
    log.create(active, events(1, 1)).await.unwrap();
    log.create(idle, events(1, 300)).await.unwrap();
    let (live, each) = (40, 40);
    let (mut most, mut alive) = (0, 0);
    for generation in 0..100_u64 {
        let before = bytes();
        let rooms: Vec<u64> = (generation * live..(generation + 1) * live).collect();
        let seq = Seq::new(generation + 2);
        log.append(active.room, events(seq.get(), seq.get()), None)
            .await
            .unwrap();
        if generation % 8 == 0 {
            log.checkpoint(
                active.room,
                Checkpoint {
                    seq,
                    body: vec![0; 10],
                },
            )
            .await
            .unwrap();
        }
        futures::future::join_all(rooms.iter().map(|room| async {
            log.create(room_secrets(*room), events(1, 1)).await.unwrap();
            log.append(room_secrets(*room).room, events(2, each), None)
                .await
                .unwrap();
            log.delete(room_secrets(*room).room).await.unwrap();
        }))
        .await;
        if generation == 0 {
            alive = bytes();
        }
        most = most.max(before);
    }
    let spare = i64::try_from(crate::store::sqlite::maintenance::MAX_DEAD_BYTES).unwrap();
    let bound = 5 * (alive + spare) / 2;
    assert!(
        100 * alive > 3 * bound,
        "all of it would be {} bytes",
        100 * alive
    );
    assert!(
        most <= bound,
        "{most} bytes where {alive} are alive at most"
    );
    assert_eq!(log.load(idle.room).await.unwrap().events, events(1, 300));
    drop(log);
    let found = recovered_rooms(&directory.open().unwrap()).await;
    let checkpoint = Checkpoint {
        seq: Seq::new(98),
        body: vec![0; 10],
    };
    let checkpointed = StoredRoom {
        checkpoint: Some(checkpoint),
        events: events(99, 101),
    };
    let whole = StoredRoom {
        checkpoint: None,
        events: events(1, 300),
    };
    assert_eq!(found, [(active.room, checkpointed), (idle.room, whole)]);
}
