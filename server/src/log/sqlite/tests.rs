//! The file from outside: closed and opened, damaged, shared, full of old rooms.

mod damage;
mod format;
mod growth;

use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use noughts_protocol::{Code, Event, Party, ResumeToken, RoomId, Seq, Stamped};
use rusqlite::Connection;

use super::{Archive, Durability, OpenError, Options, SqliteLog};
use crate::lived::Lived;
use crate::log::{EventLog, Finished, Founding, Image, LogError, Stored};
use crate::time::Time;

/// A directory of its own, gone with it.
struct Directory(PathBuf);

impl Directory {
    fn new() -> Directory {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let name = format!("noughts-log-{}-{}", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
        let path = std::env::temp_dir().join(name);
        fs::create_dir_all(&path).unwrap();
        Directory(path)
    }

    fn open(&self) -> Result<SqliteLog, OpenError> {
        self.open_with(|_| {})
    }

    fn open_with(&self, change: impl FnOnce(&mut Options)) -> Result<SqliteLog, OpenError> {
        let mut options = Options::new(Durability::Process, Time::start());
        change(&mut options);
        SqliteLog::open(&self.0, options)
    }

    /// Changes the last byte of a row of events.
    fn damage(&self, row: i64) {
        let sql = self.sql();
        let mut body: Vec<u8> =
            sql.query_row("SELECT body FROM commits WHERE id = ?1", [row], |row| row.get(0)).unwrap();
        *body.last_mut().unwrap() ^= 1;
        sql.execute("UPDATE commits SET body = ?1 WHERE id = ?2", rusqlite::params![body, row]).unwrap();
    }

    fn sql(&self) -> Connection {
        Connection::open(self.0.join("noughts.db")).unwrap()
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).expect("the test's own directory");
    }
}

fn founding(room: u64) -> Founding {
    let tokens = [ResumeToken::from_bits(u128::from(room) + 1), ResumeToken::from_bits(7)];
    Founding { room: RoomId::from_bits(room), code: Some(Code::from_bits(room)), tokens, parties: [None; 2] }
}

/// Events `from` to `to`. What they say does not matter to a log.
fn events(from: u64, to: u64) -> Vec<Stamped> {
    let event = |seq| Stamped { seq: Seq::new(seq), at: seq, by: None, event: Event::Started { game: 1 } };
    (from..=to).map(event).collect()
}

async fn recovered(log: &SqliteLog) -> Vec<(RoomId, Stored)> {
    let rooms = log.recover().await.unwrap();
    rooms.into_iter().map(|(founding, stored)| (founding.room, stored)).collect()
}

#[tokio::test]
async fn what_was_acknowledged_is_there_after_a_restart() {
    let directory = Directory::new();
    let log = directory.open().unwrap();
    for room in 1..=3 {
        log.create(founding(room), events(1, 2)).await.unwrap();
    }
    log.append(RoomId::from_bits(2), events(3, 9), None).await.unwrap();
    log.retire(RoomId::from_bits(3)).await.unwrap();
    drop(log);

    let log = directory.open().unwrap();
    let rooms = log.recover().await.unwrap();
    let tokens: Vec<_> = rooms.iter().map(|(found, _)| found.tokens.map(|token| token.to_bytes())).collect();
    let expected: Vec<_> = [1, 2].map(|room| founding(room).tokens.map(|token| token.to_bytes())).into();
    assert_eq!(tokens, expected);
    assert_eq!(rooms[1].0.code, founding(2).code);
    assert_eq!([&rooms[0].1.events, &rooms[1].1.events], [&events(1, 2), &events(1, 9)]);
    log.append(RoomId::from_bits(2), events(10, 10), None).await.unwrap();
    assert_eq!(log.load(RoomId::from_bits(2)).await.unwrap().events, events(1, 10));
}

#[tokio::test]
async fn events_follow_each_other_or_are_refused() {
    let directory = Directory::new();
    let log = directory.open().unwrap();
    let room = founding(1).room;
    assert!(matches!(log.append(room, events(1, 1), None).await, Err(LogError::Unavailable(_))));
    log.create(founding(1), events(1, 2)).await.unwrap();
    assert!(matches!(log.create(founding(1), events(1, 1)).await, Err(LogError::Unavailable(_))));
    let conflict = |expected| LogError::Conflict { expected: Seq::new(expected), found: Seq::new(2) };
    assert_eq!(log.append(room, events(2, 2), None).await, Err(conflict(1)));
    assert_eq!(log.append(room, events(4, 4), None).await, Err(conflict(3)));
    log.append(room, events(3, 3), None).await.unwrap();
    assert_eq!(log.load(room).await.unwrap().events, events(1, 3));
}

#[tokio::test]
async fn appends_that_wait_together_are_all_answered() {
    let directory = Directory::new();
    let log = directory.open().unwrap();
    let rooms: Vec<u64> = (1..=200).collect();
    futures::future::join_all(rooms.iter().map(|room| log.create(founding(*room), events(1, 1)))).await;
    for round in 2..=5 {
        let appends =
            rooms.iter().map(|room| log.append(RoomId::from_bits(*room), events(round, round), None));
        assert!(futures::future::join_all(appends).await.into_iter().all(|done| done.is_ok()));
    }
    drop(log);
    let found = recovered(&directory.open().unwrap()).await;
    assert_eq!(found.len(), 200);
    assert!(found.iter().all(|(_, stored)| stored.events == events(1, 5)));
}

#[tokio::test]
#[expect(
    clippy::disallowed_methods,
    reason = "no timer of the runtime is so short, and nothing else is to happen"
)]
async fn appends_that_follow_each_other_closely_share_commits() {
    let directory = Directory::new();
    let log = directory.open().unwrap();
    let rooms = 1..=400;
    futures::future::join_all(rooms.clone().map(|room| log.create(founding(room), events(1, 1)))).await;
    let rows = || directory.sql().query_row("SELECT max(id) FROM commits", [], |row| row.get(0)).unwrap();
    let (before, began): (u32, _) = (rows(), std::time::Instant::now());
    let appends: Vec<_> = rooms
        .map(|room| {
            std::thread::sleep(Duration::from_micros(200));
            log.append(RoomId::from_bits(room), events(2, 2), None)
        })
        .collect();
    assert!(futures::future::join_all(appends).await.into_iter().all(|done| done.is_ok()));
    let (commits, took) = (rows() - before, began.elapsed());
    // Where they come less often than one a millisecond, as on a busy machine, nobody waits for another; and that is
    // judged by two commits together.
    let most = 2 * u32::try_from(took.as_millis()).unwrap() + 5;
    assert!(commits <= most, "{commits} commits in {took:?}");
}

#[tokio::test]
async fn an_image_stands_for_the_events_before_it() {
    let directory = Directory::new();
    let log = directory.open().unwrap();
    let room = founding(1).room;
    log.create(founding(1), events(1, 4)).await.unwrap();
    let image = Image { seq: Seq::new(4), body: b"a room".to_vec() };
    let early = Image { seq: Seq::new(3), body: vec![] };
    assert!(matches!(log.keep(room, early).await, Err(LogError::Conflict { .. })));
    log.keep(room, image.clone()).await.unwrap();
    log.append(room, events(5, 6), None).await.unwrap();
    drop(log);
    let found = recovered(&directory.open().unwrap()).await;
    assert_eq!(found, [(room, Stored { image: Some(image), events: events(5, 6) })]);
}

#[tokio::test]
async fn a_flipped_byte_is_named() {
    let tables = ["UPDATE commits SET body = ?1 WHERE id = 1", "UPDATE rooms SET founding = ?1"];
    let reads = ["SELECT body FROM commits WHERE id = 1", "SELECT founding FROM rooms"];
    for (update, read) in tables.into_iter().zip(reads) {
        let directory = Directory::new();
        let log = directory.open().unwrap();
        log.create(founding(1), events(1, 5)).await.unwrap();
        drop(log);
        let body: Vec<u8> = directory.sql().query_row(read, [], |row| row.get(0)).unwrap();
        for at in 0..body.len() {
            let mut flipped = body.clone();
            flipped[at] ^= 1;
            directory.sql().execute(update, [&flipped]).unwrap();
            let refused = directory.open().unwrap_err().to_string();
            // Also a changed name of a room is damage to a room.
            assert!(refused.contains("damaged") && refused.contains("room 0"), "byte {at}: {refused}");
        }
        directory.sql().execute(update, [&body]).unwrap();
        assert_eq!(recovered(&directory.open().unwrap()).await.len(), 1);
    }
}

#[tokio::test]
async fn a_missing_event_is_named() {
    let directory = Directory::new();
    let log = directory.open().unwrap();
    log.create(founding(1), events(1, 5)).await.unwrap();
    for seq in 6..=8 {
        log.append(founding(1).room, events(seq, seq), None).await.unwrap();
    }
    drop(log);
    directory.sql().execute("DELETE FROM commits WHERE id = 2", []).unwrap();
    let refused = directory.open().unwrap_err().to_string();
    assert!(refused.contains("gap") && refused.contains("row 3"), "{refused}");
    directory.sql().execute("DELETE FROM commits WHERE id = 1", []).unwrap();
    let refused = directory.open().unwrap_err().to_string();
    assert!(refused.contains("gap") && refused.contains("room 00000001"), "{refused}");
}

#[tokio::test]
async fn a_directory_has_one_server() {
    let directory = Directory::new();
    let log = directory.open().unwrap();
    assert!(matches!(directory.open(), Err(OpenError::InUse(_))));
    drop(log);
    directory.open().unwrap();
}

#[test]
fn a_later_format_is_refused() {
    let directory = Directory::new();
    drop(directory.open().unwrap());
    directory.sql().pragma_update(None, "user_version", 4).unwrap();
    assert!(matches!(directory.open(), Err(OpenError::Newer { found: 4 })));
    assert!(matches!(Archive::open(&directory.0), Err(OpenError::Newer { found: 4 })));
}

#[tokio::test]
async fn a_full_disk_refuses_and_recovers() {
    let directory = Directory::new();
    let log = directory.open().unwrap();
    log.create(founding(1), events(1, 1)).await.unwrap();
    // A page limit is a disk that is full, as far as SQLite can tell.
    log.limit_pages(Some(1)).await.unwrap();
    let many = events(2, 3_000);
    assert!(matches!(log.append(founding(1).room, many.clone(), None).await, Err(LogError::Unavailable(_))));
    assert!(!log.healthy());
    log.limit_pages(None).await.unwrap();
    crate::tests::until(|| log.healthy()).await;
    log.append(founding(1).room, many, None).await.unwrap();
    drop(log);
    let found = recovered(&directory.open().unwrap()).await;
    assert_eq!(found[0].1.events, events(1, 3_000));
}

#[tokio::test]
async fn finished_games_are_kept_with_their_events_and_read_beside_the_server() {
    let directory = Directory::new();
    let log = directory.open().unwrap();
    let room = founding(1).room;
    log.create(founding(1), events(1, 1)).await.unwrap();
    let text = "[Rules \"3x3:3\"]\n[X \"Ann\"]\n[O \"Bob\"]\n[Result \"X resignation\"]\n\n1. b2\n";
    let finished = |ended| Finished { number: 1, ended, record: text.into() };
    for (seq, ended) in [(2, 5), (3, 9)] {
        log.append(room, events(seq, seq), Some(finished(ended))).await.unwrap();
    }
    // A game that ends with events that are not stored has not ended.
    assert!(log.append(room, events(3, 3), Some(finished(10))).await.is_err());
    let archive = Archive::open(&directory.0).unwrap();
    let ended: Vec<u64> = archive.newest(10).unwrap().iter().map(|kept| kept.ended).collect();
    assert_eq!(ended, [9, 5]);
    let kept = archive.after(0, 1).unwrap().remove(0);
    assert_eq!(archive.game(kept.id).unwrap(), Some(kept));
    let copy = directory.0.join("copy.db");
    archive.back_up(&copy).unwrap();
    log.append(room, events(4, 4), None).await.unwrap();
    let copied: i64 = Connection::open(&copy)
        .unwrap()
        .query_row("SELECT count(*) FROM games", [], |row| row.get(0))
        .unwrap();
    assert_eq!(copied, 2);
    assert!(archive.back_up(&copy).is_err(), "a backup overwrites nothing");
    drop(log);

    let log = directory.open_with(|options| options.keep_games = Duration::from_secs(3600)).unwrap();
    crate::tests::until(|| archive.newest(10).unwrap().is_empty()).await;
    assert!(log.healthy());
}

#[tokio::test]
async fn what_a_room_missed_is_read_without_its_history() {
    let directory = Directory::new();
    let log = directory.open().unwrap();
    let room = founding(1).room;
    log.create(founding(1), events(1, 3)).await.unwrap();
    log.create(founding(2), events(1, 3)).await.unwrap();
    log.append(room, events(4, 6), None).await.unwrap();
    // Whoever read the history would see that it is damaged.
    directory.damage(1);
    assert_eq!(log.since(room, Seq::new(6)).await.unwrap(), []);
    assert_eq!(log.since(room, Seq::new(3)).await.unwrap(), events(4, 6));
    assert_eq!(log.since(room, Seq::new(5)).await.unwrap(), events(6, 6));
    for damaged in [log.since(room, Seq::new(2)).await, log.load(room).await.map(|stored| stored.events)] {
        assert!(matches!(&damaged, Err(LogError::Damaged(what)) if what.contains("row 1")), "{damaged:?}");
    }
    // And nobody else's.
    assert_eq!(log.load(founding(2).room).await.unwrap().events, events(1, 3));
}

#[tokio::test]
async fn many_histories_are_read_at_once_and_each_is_its_own() {
    let directory = Directory::new();
    let log = directory.open().unwrap();
    for room in 1..=50 {
        log.create(founding(room), events(1, room)).await.unwrap();
    }
    let rooms: Vec<u64> = (0..=50).chain([7, 7]).collect();
    let found = futures::future::join_all(rooms.iter().map(|room| log.load(founding(*room).room))).await;
    for (room, found) in rooms.iter().zip(found) {
        match found {
            Ok(stored) => assert_eq!(stored.events, events(1, *room)),
            Err(error) => assert_eq!((*room, error), (0, LogError::no_room())),
        }
    }
}

#[tokio::test]
async fn who_asks_in_the_commit_of_an_append_is_told_of_it() {
    let directory = Directory::new();
    let log = directory.open().unwrap();
    let [one, other] = [1, 2].map(|room| founding(room).room);
    log.create(founding(1), events(1, 2)).await.unwrap();
    log.create(founding(2), events(1, 2)).await.unwrap();
    // The writer is at something else until all of it waits.
    let (busy, all) = futures::join!(log.create(founding(3), events(1, 40_000)), async {
        futures::join!(
            log.append(one, events(3, 4), None),
            log.since(one, Seq::new(2)),
            log.since(one, Seq::new(1)),
            log.load(one),
            log.retire(other),
            log.create(founding(2), events(1, 1)),
            log.since(other, Seq::ZERO),
        )
    });
    busy.unwrap();
    let (appended, missed, more, loaded, retired, again, its) = all;
    for done in [appended, retired, again] {
        done.unwrap();
    }
    assert_eq!([missed.unwrap(), more.unwrap()], [events(3, 4), events(2, 4)]);
    assert_eq!(loaded.unwrap().events, events(1, 4));
    assert_eq!(its.unwrap(), events(1, 1));
}

#[tokio::test]
async fn in_one_commit_no_name_is_given_twice() {
    let directory = Directory::new();
    let log = directory.open().unwrap();
    let room = founding(1).room;
    for round in 0..20 {
        // Mostly in one commit: at its end the room is the second's, or the second was refused.
        let (first, retired, second) = futures::join!(
            log.create(founding(1), events(1, 4)),
            log.retire(room),
            log.create(founding(1), events(1, 2)),
        );
        first.and(retired).unwrap();
        let found = history(&log, room).await;
        assert_eq!(found, second.is_ok().then(|| events(1, 2)), "round {round}");
        log.retire(room).await.unwrap();
    }
    drop(log);
    assert_eq!(recovered(&directory.open().unwrap()).await, []);
}

/// What is stored of a room, if it is open.
async fn history(log: &SqliteLog, room: RoomId) -> Option<Vec<Stamped>> {
    match log.load(room).await {
        Ok(stored) => Some(stored.events),
        Err(failed) => {
            assert_eq!(failed, LogError::no_room());
            None
        }
    }
}

#[tokio::test]
async fn a_room_whose_name_was_another_s_has_its_own_history() {
    let directory = Directory::new();
    let log = directory.open().unwrap();
    let room = founding(1).room;
    // Something that stays, so that nothing is swept.
    log.create(founding(2), events(1, 50)).await.unwrap();
    for last in [9, 5, 7] {
        log.create(founding(1), events(1, last)).await.unwrap();
        log.append(room, events(last + 1, last + 1), None).await.unwrap();
        assert_eq!(log.load(room).await.unwrap().events, events(1, last + 1));
        log.retire(room).await.unwrap();
    }
    log.create(founding(1), events(1, 3)).await.unwrap();
    drop(log);
    let log = directory.open().unwrap();
    assert_eq!(recovered(&log).await[0].1.events, events(1, 3));
    assert_eq!(log.since(room, Seq::new(1)).await.unwrap(), events(2, 3));
}

#[tokio::test]
async fn what_nobody_waits_for_is_not_done() {
    let directory = Directory::new();
    let log = directory.open().unwrap();
    log.create(founding(1), events(1, 2)).await.unwrap();
    let abandoned = |work: fn(super::answer::Answer<()>) -> super::work::Work| {
        let (answer, _) = super::answer::answer(&log.sleepers);
        work(answer)
    };
    let room = || founding(1).room;
    let jobs = log.jobs.as_ref().unwrap();
    jobs.send(abandoned(|answer| super::work::Work::Append(founding(1).room, events(3, 3), None, answer)))
        .await
        .unwrap();
    jobs.send(abandoned(|answer| super::work::Work::Create(Box::new(founding(2)), events(1, 1), answer)))
        .await
        .unwrap();
    assert_eq!(log.since(room(), Seq::new(2)).await.unwrap(), []);
    assert_eq!(log.load(founding(2).room).await, Err(LogError::no_room()));
    // A room that is given up stays given up, whether or not anybody hears of it.
    jobs.send(abandoned(|answer| super::work::Work::Retire(founding(1).room, answer))).await.unwrap();
    assert_eq!(log.load(room()).await, Err(LogError::no_room()));
}

#[tokio::test]
async fn whose_a_seat_is_is_kept_and_known_again() {
    let directory = Directory::new();
    let log = directory.open().unwrap();
    let [ann, bob] = [1, 2].map(|bits| Some(Party::from_bits(bits)));
    // As earlier versions wrote it, founded with a party, and taken since.
    let (none, one) = (founding(1), Founding { parties: [ann, None], ..founding(2) });
    for founding in [none, one] {
        log.create(founding, events(1, 2)).await.unwrap();
    }
    log.hold(Founding { parties: [ann, bob], ..one }).await.unwrap();
    assert!(log.hold(founding(3)).await.is_err(), "no such room");
    drop(log);
    let body: String =
        directory.sql().query_row("SELECT CAST(founding AS TEXT) FROM rooms", [], |row| row.get(0)).unwrap();
    assert!(!body.contains("parties"), "{body}");
    let rooms = directory.open().unwrap().recover().await.unwrap();
    let parties: Vec<_> = rooms.iter().map(|(found, _)| found.parties).collect();
    assert_eq!(parties, [[None; 2], [ann, bob]]);
}

#[tokio::test]
async fn when_servers_were_there_is_known_to_the_next() {
    let directory = Directory::new();
    let time = Time::at(1_000_000);
    let log = directory.open_with(|options| options.time = time.clone()).unwrap();
    assert_eq!(log.lived(), Lived::default());
    let [early, late]: [Lived; 2] = ["10-20", "10-20 900000-1000000"].map(|text| text.parse().unwrap());
    log.beat(early);
    log.beat(late.clone());
    assert_eq!(log.lived(), Lived::default(), "of this run it says nothing");
    drop(log);
    assert_eq!(directory.open().unwrap().lived(), late);
    assert_eq!(directory.open().unwrap().lived(), late, "a run without a beat takes nothing away");
}
