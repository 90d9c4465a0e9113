//! The real server, killed with SIGKILL again and again while games are on. Whatever anybody was told
//! is there afterwards, once, and in its place; everybody goes on where they were.
//!
//! `NOUGHTS_KILLS=n` sets how often it is killed, `NOUGHTS_STOPS=n` how often it is told to stop, and is killed as
//! it does, `NOUGHTS_PAIRS=n` how many pairs play, `NOUGHTS_SEED=n` which moves and instants chance takes.

mod archive;
mod player;

use std::os::unix::process::ExitStatusExt;
use std::sync::Arc;
use std::time::Duration;

use noughts_tests::chance::{Chance, number};
use noughts_tests::journal::Journal;
use noughts_tests::program::{Folder, ServerProcess, kill_at_start};
use noughts_tests::wait::until_in;
use rustix::process::Signal;
use tokio::sync::watch;
use tokio::time::Instant;

use player::Player;

/// How a server ends in a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Blow {
    Kill,
    Term,
    /// Told to stop, and killed before it has.
    KillInStop,
}

/// A stop under load, in the normal suite on a busy machine and at length on one that is not.
const STOP: Duration = Duration::from_secs(5);

/// For hundreds of players, on a machine that does much else.
const RETURN: Duration = Duration::from_secs(180);

/// What runs out for a party that gets no turn is no matter here.
const PATIENT: [&str; 8] = ["--ping", "10m", "--hello", "2m", "--handshake", "2m", "--write", "2m"];

/// Rounds of load, each ended by a blow at a random instant.
async fn rounds(durability: &str, blows: &[Blow], seed: u64) {
    let data = Folder::default();
    let journal = Arc::new(Journal::default());
    let mut chance = Chance::new(seed);
    // Each pair in a room of its own.
    let pairs = number("NOUGHTS_PAIRS", 12) as usize;
    let began = Instant::now();
    let mut server = ServerProcess::durable(data.path(), durability, &PATIENT);
    let url = watch::Sender::new(Some(server.url.clone()));
    let players = Player::pairs(pairs, seed, &journal, &url).await;
    let tasks: Vec<_> =
        players.into_iter().map(|player| tokio::spawn(player.live(url.subscribe()))).collect();
    let mut slowest_stop = Duration::ZERO;
    let mut killed_in_stop = 0;
    for (round, blow) in blows.iter().enumerate() {
        // Under load, and everybody there again after the last blow.
        let from = journal.told();
        until_in(RETURN, (durability, "everybody is back, and events come", round), async || {
            assert!(!tasks.iter().any(|task| task.is_finished()), "a player gave up");
            let back = journal.back() == 2 * pairs * (round + 1);
            (back && journal.told() > from + 40).then_some(())
        })
        .await;
        tokio::time::sleep(Duration::from_millis(chance.below(250))).await;
        url.send_replace(None);
        match blow {
            Blow::Kill => assert_eq!(server.kill().signal(), Some(Signal::KILL.as_raw())),
            Blow::KillInStop => {
                server.signal("TERM");
                // The first at once; some stops are over sooner than others are killed.
                tokio::time::sleep(Duration::from_millis(chance.below(1 + 2 * round as u64))).await;
                killed_in_stop += usize::from(server.kill().signal().is_some());
            }
            Blow::Term => {
                let told = Instant::now();
                server.signal("TERM");
                assert_eq!(server.ended().await.code(), Some(0));
                slowest_stop = told.elapsed().max(slowest_stop);
            }
        }
        journal.check_files(data.path()).await;
        // Often it does not even get through its recovery, which takes some ten milliseconds here.
        while *blow != Blow::Term && chance.below(2) == 0 {
            kill_at_start(data.path(), durability, Duration::from_micros(chance.below(40_000))).await;
            journal.check_files(data.path()).await;
        }
        server = ServerProcess::durable(data.path(), durability, &PATIENT);
        url.send_replace(Some(server.url.clone()));
    }
    until_in(RETURN, "everybody is back", async || {
        assert!(!tasks.iter().any(|task| task.is_finished()), "a player gave up");
        (journal.back() == 2 * pairs * (blows.len() + 1)).then_some(())
    })
    .await;
    journal.finish();
    for task in tasks {
        noughts_tests::wait::within("a player's end", task).await.expect("no player saw anything wrong");
    }
    server.signal("TERM");
    assert_eq!(server.ended().await.code(), Some(0));
    journal.check_files(data.path()).await;
    let stops = blows.iter().filter(|blow| **blow == Blow::Term).count();
    if stops > 0 {
        let told = journal.all_sent_away();
        assert_eq!(told, 2 * pairs * stops, "not everybody was told to come back");
        assert!(slowest_stop < STOP, "a stop took {slowest_stop:?}");
        eprintln!("SIGTERM under load: {stops} times, {slowest_stop:?} at most, {told} of {told} told");
    }
    let in_stop = blows.iter().filter(|blow| **blow == Blow::KillInStop).count();
    if in_stop > 0 {
        assert!(killed_in_stop > 0, "every stop was over before the kill came");
        eprintln!("SIGKILL after SIGTERM: {killed_in_stop} of {in_stop} before the stop was over");
    }
    let rate = journal.told() as f64 / began.elapsed().as_secs_f64();
    eprintln!(
        "{durability}, {} blows, {pairs} rooms, {rate:.0} events a second with all pauses: {}",
        blows.len(),
        journal.summary()
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_told_survives_kills_when_every_commit_reaches_the_disk() {
    let kills = number("NOUGHTS_KILLS", 5) as usize;
    rounds("power", &vec![Blow::Kill; kills], number("NOUGHTS_SEED", 1)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_told_survives_kills_when_commits_wait_for_no_disk() {
    let kills = number("NOUGHTS_KILLS", 5) as usize;
    rounds("process", &vec![Blow::Kill; kills], number("NOUGHTS_SEED", 2)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stop_under_load_loses_nothing() {
    let stops = number("NOUGHTS_STOPS", 2) as usize;
    rounds("power", &vec![Blow::Term; stops], number("NOUGHTS_SEED", 3)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_kill_in_the_middle_of_a_stop_loses_nothing() {
    let stops = number("NOUGHTS_STOPS", 2) as usize;
    rounds("process", &vec![Blow::KillInStop; 2 * stops], number("NOUGHTS_SEED", 4)).await;
}
