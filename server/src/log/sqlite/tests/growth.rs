//! What the file holds no more: rows behind images and of closed rooms, and the oldest of too many games.

use super::*;

#[tokio::test]
async fn what_follows_an_image_stays_also_when_all_before_it_is_swept() {
    let directory = Directory::new();
    let log = directory.open().unwrap();
    let room = founding(1).room;
    log.create(founding(1), events(1, 20)).await.unwrap();
    log.keep(room, Image { seq: Seq::new(20), body: b"a room".to_vec() }).await.unwrap();
    let sql = directory.sql();
    let left = || -> i64 { sql.query_row("SELECT count(*) FROM events", [], |row| row.get(0)).unwrap() };
    crate::tests::until(|| left() == 0).await;
    drop(log);
    for seq in 21..=23 {
        let log = directory.open().unwrap();
        log.append(room, events(seq, seq), None).await.unwrap();
        // Long enough for the writer to tidy up.
        tokio::time::sleep(Duration::from_millis(700)).await;
        drop(log);
        assert_eq!(recovered(&directory.open().unwrap()).await[0].1.events, events(21, seq));
    }
}

#[tokio::test]
async fn what_nobody_needs_is_swept_away() {
    let directory = Directory::new();
    let log = directory.open().unwrap();
    log.create(founding(1), events(1, 50)).await.unwrap();
    log.create(founding(2), events(1, 50)).await.unwrap();
    log.retire(founding(1).room).await.unwrap();
    let left = |sql: &Connection| -> i64 {
        sql.query_row("SELECT count(*) FROM events", [], |row| row.get(0)).unwrap()
    };
    let sql = directory.sql();
    crate::tests::until(|| left(&sql) == 50).await;
    drop(log);
    assert_eq!(recovered(&directory.open().unwrap()).await.len(), 1);
}

#[tokio::test]
async fn of_too_many_games_the_oldest_give_way() {
    let directory = Directory::new();
    let log = directory.open().unwrap();
    let room = founding(1).room;
    let text = "[Rules \"3x3:3\"]\n[X \"Ann\"]\n[O \"Bob\"]\n[Result \"X resignation\"]\n\n1. b2\n";
    let finished = |ended| Finished { number: 1, ended, record: text.into() };
    log.create(founding(1), events(1, 1)).await.unwrap();
    for seq in 2..40 {
        log.append(room, events(seq, seq), Some(finished(seq))).await.unwrap();
    }
    drop(log);
    let archive = Archive::open(&directory.0).unwrap();
    let kept = || archive.newest(100).unwrap().iter().map(|kept| kept.ended).collect::<Vec<_>>();
    assert_eq!(kept().len(), 38);
    // What an earlier run was allowed to keep goes when the writer tidies up.
    let log = directory.open_with(|options| options.max_games = 5).unwrap();
    crate::tests::until(|| kept() == [39, 38, 37, 36, 35]).await;
    // And what comes new makes room for itself, in the same commit.
    for seq in 40..50 {
        log.append(room, events(seq, seq), Some(finished(seq))).await.unwrap();
        assert_eq!(kept(), [seq, seq - 1, seq - 2, seq - 3, seq - 4]);
    }
}

#[tokio::test]
async fn under_a_load_that_never_rests_the_file_stops_growing() {
    let directory = Directory::new();
    let log = directory.open().unwrap();
    let sql = directory.sql();
    let rows = || -> i64 { sql.query_row("SELECT count(*) FROM events", [], |row| row.get(0)).unwrap() };
    // One room that stays, with images; and generations of others, each with as many rows as any.
    let stays = founding(10_000);
    log.create(stays, events(1, 1)).await.unwrap();
    let (live, each) = (40, 10);
    let mut most = 0;
    for generation in 0..200_u64 {
        let rooms: Vec<u64> = (generation * live..(generation + 1) * live).collect();
        let seq = Seq::new(generation + 2);
        log.append(stays.room, events(seq.get(), seq.get()), None).await.unwrap();
        if generation % 8 == 0 {
            log.keep(stays.room, Image { seq, body: vec![0; 10] }).await.unwrap();
        }
        futures::future::join_all(rooms.iter().map(|room| async {
            log.create(founding(*room), events(1, 1)).await.unwrap();
            log.append(founding(*room).room, events(2, each), None).await.unwrap();
            log.retire(founding(*room).room).await.unwrap();
        }))
        .await;
        most = most.max(rows());
    }
    let alive = (live * each) as i64 + 9;
    assert!(most <= 3 * alive, "{most} rows where {alive} are alive at most, of {}", 200 * live * each);
}
