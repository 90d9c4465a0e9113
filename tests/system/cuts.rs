//! Lines that break in the worst of moments, under the client that people have: after the commit and before
//! its answer has come, at any byte of it. The client comes back by itself and sends again what has no
//! answer; nothing is lost by that, and nothing is done twice.
//!
//! `NOUGHTS_CUTS=n` sets how many answers are cut off, `NOUGHTS_LINES=n` how many lines are lost that go as
//! chance has them from their first byte on, and `NOUGHTS_SEED=n` what chance is.

mod player;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use noughts_tests::chance::number;
use noughts_tests::journal::Journal;
use noughts_tests::program::{Folder, ServerProcess};
use noughts_tests::wait::within;

use player::{Counts, How, Player};

/// How many pairs play: many, since a client waits longer after each line that it loses.
const PAIRS: [u64; 2] = [16, 400];

/// Plays until `cuts` answers have been cut off, or as many lines were lost by chance, and looks into the files
/// then.
async fn cut(how: How, durability: &str, cuts: u64, seed: u64) {
    let data = Folder::default();
    let mut server = ServerProcess::durable(data.path(), durability, how.flags());
    let journal = Arc::new(Journal::default());
    let counts = Arc::new(Counts { wanted: cuts, ..Counts::default() });
    let pairs = (cuts / 8).clamp(PAIRS[0], PAIRS[1]);
    let mut tasks = Vec::new();
    for pair in 0..pairs {
        for player in Player::pair(&server, pair, how, seed, &journal, &counts).await {
            tasks.push(tokio::spawn(player.live()));
        }
    }
    let mut accepted = Vec::new();
    for task in tasks {
        accepted.extend(task.await.expect("no player saw anything wrong"));
    }
    server.signal("TERM");
    assert_eq!(server.ended().await.code(), Some(0));
    within("the files", journal.check_files(data.path())).await;
    for (room, id, seq) in &accepted {
        assert_eq!(journal.done(*room, *id), Some(*seq), "request {id} in room {room}");
    }
    let [again, _] = journal.again();
    assert!(again > 0, "no line was lost under a request");
    let of = |count: &AtomicU64| count.load(Ordering::Relaxed);
    eprintln!(
        "{how:?}, {durability}: {} lines lost under a request, {} of them by a cut on the way down, {} lost under \
         none; told to wait {} times; {} requests were answered, each done once, {}",
        of(&counts.cut),
        of(&counts.down),
        of(&counts.idle),
        of(&counts.told_to_wait),
        accepted.len(),
        journal.summary()
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_line_cut_before_the_answer_costs_nothing_and_doubles_nothing() {
    cut(How::UnderRequests, "process", number("NOUGHTS_CUTS", 60), number("NOUGHTS_SEED", 1)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn lines_as_chance_has_them_cost_nothing_and_double_nothing() {
    cut(How::ByChance, "process", number("NOUGHTS_LINES", 40), number("NOUGHTS_SEED", 1)).await;
}
