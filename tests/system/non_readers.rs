//! Those who never read, in numbers: `NOUGHTS_NON_READERS=n` of them look on, ask for long answers and read
//! none, and come again whenever they are given up. The players beside them are measured, and the memory.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use noughts_protocol::wire::{Command, Lobby, Message, Request};
use noughts_protocol::{Offer, RequestId, RoomRef, Seat};
use noughts_tests::chance::number;
use noughts_tests::frame::{Frame, TEXT};
use noughts_tests::peer::Peer;
use noughts_tests::program::ServerProcess;
use noughts_tests::raw::Raw;
use tokio::io::AsyncWriteExt;
use tokio::time::{Instant, timeout};

const PAIRS: usize = 4;
/// Requests of each pair, before and beside the others.
const ROUNDS: usize = 400;

/// Rounds of requests, and what was waited for each answer.
async fn measure(pairs: &mut [[Peer; 2]]) -> Vec<Duration> {
    let mut waits = Vec::new();
    for _ in 0..ROUNDS {
        for [x, o] in &mut *pairs {
            let asked = Instant::now();
            x.offer(Offer::Draw).await.expect("none is on the table");
            waits.push(asked.elapsed());
            x.command(Command::Decline { offer: Offer::Draw }).await.expect("its own");
            let seq = x.game().seq();
            o.caught_up(seq).await;
            for peer in [&mut *x, o] {
                while peer.seen(|_| true).is_some() {}
            }
        }
        // A pace that leaves a small machine time for the others.
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    waits.sort_unstable();
    waits
}

/// Looks on, asks for long answers and reads none, until the server gives it up; and again.
async fn never_read(
    server: Arc<ServerProcess>,
    room: RoomRef,
    given_up: Arc<AtomicU64>,
    over: Arc<AtomicBool>,
) {
    let long =
        Frame::new(TEXT, format!(r#"{{"type":"offer","id":2,"offer":"{}"}}"#, "a".repeat(3900))).bytes();
    while !over.load(Ordering::Relaxed) {
        let mut raw = Raw::narrow(server.address()).await;
        raw.upgrade().await;
        raw.greet().await;
        raw.request(&Request::lobby(RequestId::new(1).expect("small"), Lobby::Watch { room })).await;
        while !matches!(raw.message().await, Message::Snapshot { .. }) {}
        let mut at = 0;
        while !over.load(Ordering::Relaxed) {
            match timeout(Duration::from_millis(200), raw.line.write(&long[at..])).await {
                Ok(Ok(written)) => at = (at + written) % long.len(),
                // Nobody reads on the other side either: it has enough unwritten.
                Err(_) => {}
                Ok(Err(_)) => {
                    given_up.fetch_add(1, Ordering::Relaxed);
                    break;
                }
            }
            // As often as a server allows by default: a flood is another matter, and has its own limit.
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }
}

fn ms(waits: &[Duration], of_a_thousand: usize) -> f64 {
    waits[(waits.len() - 1) * of_a_thousand / 1000].as_secs_f64() * 1000.0
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn those_who_never_read_cost_the_others_little() {
    let count = number("NOUGHTS_NON_READERS", 20) as usize;
    let wide = ["--burst", "1000000", "--per-second", "1000000", "--max-per-address", "10000"];
    let server = Arc::new(ServerProcess::start(&wide));
    let (mut pairs, mut rooms) = (Vec::new(), Vec::new());
    for _ in 0..PAIRS {
        let mut x = Peer::hello(&server.url, "Ann").await;
        let room = x.create("5x5:5", None, Some(Seat::X), true).await;
        let mut o = Peer::hello(&server.url, "Bob").await;
        o.join(room).await.expect("free");
        x.caught_up(o.game().seq()).await;
        pairs.push([x, o]);
        rooms.push(room);
    }
    let before = measure(&mut pairs).await;
    let memory = server.resident_kib();
    let (given_up, over) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicBool::new(false)));
    let tasks: Vec<_> = (0..count)
        .map(|at| {
            let (server, room) = (Arc::clone(&server), rooms[at % PAIRS]);
            let (given_up, over) = (Arc::clone(&given_up), Arc::clone(&over));
            tokio::spawn(async move {
                // Not all in one moment, nor given up in one.
                tokio::time::sleep(Duration::from_millis(3_000 * at as u64 / count as u64)).await;
                never_read(server, room, given_up, over).await;
            })
        })
        .collect();
    let peak = {
        let server = Arc::clone(&server);
        let over = Arc::clone(&over);
        tokio::spawn(async move {
            let mut peak = 0;
            while !over.load(Ordering::Relaxed) {
                peak = server.resident_kib().max(peak);
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
            peak
        })
    };
    // Long enough for the first of them to be given up, however fast the rounds go.
    let beside_from = Instant::now();
    let mut beside = Vec::new();
    while beside.is_empty() || beside_from.elapsed() < Duration::from_secs(6) {
        beside.extend(measure(&mut pairs).await);
    }
    beside.sort_unstable();
    over.store(true, Ordering::Relaxed);
    for task in tasks {
        task.await.expect("whoever does not read sees nothing wrong");
    }
    let grown = peak.await.expect("a number").saturating_sub(memory);
    let [p99_before, p99_beside] = [ms(&before, 990), ms(&beside, 990)];
    eprintln!(
        "non-readers: {count}, given up {} times; memory + {:.1} MiB; p50 {:.2} → {:.2} ms, p99 {p99_before:.2} → \
         {p99_beside:.2} ms ({:.2} times)",
        given_up.load(Ordering::Relaxed),
        grown as f64 / 1024.0,
        ms(&before, 500),
        ms(&beside, 500),
        p99_beside / p99_before,
    );
    assert!(grown < 32 * 1024, "memory grew by {grown} KiB");
    // The machine may be busy with other things: what this must see is a player who waits for a non-reader.
    assert!(p99_beside < 10.0 * p99_before + 100.0, "{p99_before} ms became {p99_beside} ms");
}
