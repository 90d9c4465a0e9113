//! Jobs that share a commit.

use tokio::sync::oneshot;

use super::*;
use crate::store::LogOp;
use crate::store::writer::{JobReply, WriterJob};

#[tokio::test]
async fn concurrent_appends_are_all_acknowledged() {
    let (directory, log) = new_log();
    let rooms: Vec<u64> = (1..=200).collect();
    futures::future::join_all(
        rooms
            .iter()
            .map(|room| log.create(room_secrets(*room), events(1, 1))),
    )
    .await;
    for round in 2..=5 {
        let appends = rooms
            .iter()
            .map(|room| log.append(RoomId::from_bits(*room), events(round, round), None));
        assert!(
            futures::future::join_all(appends)
                .await
                .into_iter()
                .all(|done| done.is_ok())
        );
    }
    drop(log);
    let found = recovered_rooms(&directory.open().unwrap()).await;
    assert_eq!(found.len(), 200);
    assert!(
        found
            .iter()
            .all(|(_, stored)| stored.events == events(1, 5))
    );
}

#[tokio::test]
#[expect(
    clippy::disallowed_methods,
    reason = "shorter than a timer of the runtime, and nothing else has to run"
)]
async fn appends_in_quick_succession_share_commits() {
    let (directory, log) = new_log();
    let rooms = 1..=400;
    futures::future::join_all(
        rooms
            .clone()
            .map(|room| log.create(room_secrets(room), events(1, 1))),
    )
    .await;
    let rows = || directory.query("SELECT max(id) FROM commits");
    let (before, began): (u32, _) = (rows(), std::time::Instant::now());
    let appends: Vec<_> = rooms
        .map(|room| {
            std::thread::sleep(Duration::from_micros(200));
            log.append(RoomId::from_bits(room), events(2, 2), None)
        })
        .collect();
    assert!(
        futures::future::join_all(appends)
            .await
            .into_iter()
            .all(|done| done.is_ok())
    );
    let (commits, took) = (rows() - before, began.elapsed());
    // On a busy machine, requests may arrive less than once per millisecond. The writer does not delay such commits; it
    // measures the load over two commits.
    let most = 2 * u32::try_from(took.as_millis()).unwrap() + 5;
    assert!(commits <= most, "{commits} commits in {took:?}");
}

#[tokio::test]
async fn a_read_in_the_commit_of_an_append_sees_it() {
    let (_directory, log) = new_log();
    let [one, other] = [1, 2].map(|room| room_secrets(room).room);
    log.create(room_secrets(1), events(1, 2)).await.unwrap();
    log.create(room_secrets(2), events(1, 2)).await.unwrap();
    // Keeps the writer busy until all jobs are queued.
    let (busy, all) = futures::join!(log.create(room_secrets(3), events(1, 40_000)), async {
        futures::join!(
            log.append(one, events(3, 4), None),
            log.events_since(one, Seq::new(2)),
            log.events_since(one, Seq::new(1)),
            log.load(one),
            log.delete(other),
            log.create(room_secrets(2), events(1, 1)),
            log.events_since(other, Seq::ZERO),
        )
    });
    busy.unwrap();
    let (appended, recent, earlier, loaded, deleted, recreated, other_events) = all;
    for done in [appended, deleted, recreated] {
        done.unwrap();
    }
    assert_eq!(
        [recent.unwrap(), earlier.unwrap()],
        [events(3, 4), events(2, 4)]
    );
    assert_eq!(loaded.unwrap().events, events(1, 4));
    assert_eq!(other_events.unwrap(), events(1, 1));
}

#[tokio::test]
async fn a_room_id_is_not_reused_within_one_commit() {
    let (directory, log) = new_log();
    let room = room_secrets(1).room;
    for round in 0..20 {
        // The three jobs usually share a commit. Afterwards the id belongs to the second room, or the second room was
        // rejected.
        let (first, deleted, second) = futures::join!(
            log.create(room_secrets(1), events(1, 4)),
            log.delete(room),
            log.create(room_secrets(1), events(1, 2)),
        );
        first.and(deleted).unwrap();
        let found = history(&log, room).await;
        assert_eq!(found, second.is_ok().then(|| events(1, 2)), "round {round}");
        log.delete(room).await.unwrap();
    }
    drop(log);
    assert_eq!(recovered_rooms(&directory.open().unwrap()).await, []);
}

/// Returns the stored events of a room, if it is open.
async fn history(log: &SqliteLog, room: RoomId) -> Option<Vec<EventRecord>> {
    match log.load(room).await {
        Ok(stored) => Some(stored.events),
        Err(failed) => {
            assert_eq!(failed, LogError::unknown_room());
            None
        }
    }
}

#[tokio::test]
async fn a_room_with_a_reused_id_has_its_own_history() {
    let (directory, log) = new_log();
    let room = room_secrets(1).room;
    // The live room keeps the compaction from starting.
    log.create(room_secrets(2), events(1, 50)).await.unwrap();
    for last in [9, 5, 7] {
        log.create(room_secrets(1), events(1, last)).await.unwrap();
        log.append(room, events(last + 1, last + 1), None)
            .await
            .unwrap();
        assert_eq!(log.load(room).await.unwrap().events, events(1, last + 1));
        log.delete(room).await.unwrap();
    }
    log.create(room_secrets(1), events(1, 3)).await.unwrap();
    drop(log);
    let log = directory.open().unwrap();
    assert_eq!(recovered_rooms(&log).await[0].1.events, events(1, 3));
    assert_eq!(events_after(&log, room, 1).await, events(2, 3));
}

#[tokio::test]
async fn abandoned_jobs_are_skipped() {
    let (_directory, log, _) = log_with_room(2).await;
    let [room, other] = [1, 2].map(|room| room_secrets(room).room);
    let jobs = log.jobs.as_ref().unwrap().sender();
    let abandon = async |op| {
        let reply = JobReply(oneshot::channel().0);
        jobs.send(WriterJob { op, reply }).await.unwrap();
    };
    abandon(LogOp::Append {
        room,
        events: events(3, 3),
        finished: None,
    })
    .await;
    abandon(LogOp::Create {
        secrets: Box::new(room_secrets(2)),
        events: events(1, 1),
    })
    .await;
    assert_eq!(events_after(&log, room, 2).await, []);
    assert_eq!(log.load(other).await, Err(LogError::unknown_room()));
    // A deletion is executed even if its sender has stopped waiting.
    abandon(LogOp::Delete(room)).await;
    assert_eq!(log.load(room).await, Err(LogError::unknown_room()));
}
