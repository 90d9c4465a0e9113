//! Those who never read, in numbers: `NOUGHTS_NON_READERS=n` of them look on, ask for long answers and read
//! none, and come again whenever they are given up. The players of a server's own process are measured, in turn
//! without them and beside them, and so is its memory.
//!
//! How long the players wait is asserted with 200 and more of them, at the server's own limits and for a
//! minute; a few, for a second, show that nobody is cut off and that memory is bounded.

mod crowd;

use std::pin::pin;
use std::task::Poll;
use std::time::Duration;

use futures::poll;
use noughts_protocol::wire::Command;
use noughts_protocol::{Offer, RoomRef, Seat};
use noughts_tests::chance::number;
use noughts_tests::peer::Peer;
use noughts_tests::program::ServerProcess;
use noughts_tests::wait::until;
use tokio::time::Instant;

use crowd::{Crowd, Habits, Memory};

const PAIRS: usize = 4;
/// From so many on the figures count.
const FULL: usize = 200;

/// How they are measured.
struct Plan {
    flags: &'static [&'static str],
    habits: Habits,
    /// Turns without and beside the others, and how long each half of one is.
    turns: usize,
    half: Duration,
}

impl Plan {
    fn of(count: usize) -> Plan {
        if count >= FULL {
            // As often as a server allows by default: a flood is another matter, and has its own limit.
            let habits = Habits { count, pause: Duration::from_millis(100) };
            Plan { flags: &[], habits, turns: 10, half: Duration::from_secs(3) }
        } else {
            let habits = Habits { count, pause: Duration::from_millis(10) };
            Plan { flags: &["--write", "500ms"], habits, turns: 1, half: Duration::from_millis(700) }
        }
    }
}

/// Requests for so long, and what was waited for each answer, in order.
async fn measure(pairs: &mut [[Peer; 2]], for_so_long: Duration) -> Vec<Duration> {
    let (began, mut waits) = (Instant::now(), Vec::new());
    while began.elapsed() < for_so_long {
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

/// Waits for something while the players play on: they answer no ping otherwise.
async fn meanwhile<T>(pairs: &mut [[Peer; 2]], work: impl Future<Output = T>) -> T {
    let mut work = pin!(work);
    loop {
        if let Poll::Ready(done) = poll!(&mut work) {
            return done;
        }
        measure(pairs, Duration::from_millis(1)).await;
    }
}

async fn pair(server: &ServerProcess) -> ([Peer; 2], RoomRef) {
    let mut x = Peer::hello(&server.url, "Ann").await;
    let room = x.create("5x5:5", None, Some(Seat::X), true).await;
    let mut o = Peer::hello(&server.url, "Bob").await;
    o.join(room).await.expect("free");
    x.caught_up(o.game().seq()).await;
    ([x, o], room)
}

fn ms(waits: &[Duration], of_a_thousand: usize) -> f64 {
    waits[(waits.len() - 1) * of_a_thousand / 1000].as_secs_f64() * 1000.0
}

fn median(mut of: Vec<f64>) -> f64 {
    of.sort_unstable_by(f64::total_cmp);
    of[of.len() / 2]
}

#[tokio::test]
async fn those_who_never_read_cost_the_others_little() {
    let plan = Plan::of(number("NOUGHTS_NON_READERS", 20) as usize);
    let count = plan.habits.count;
    let wide = ["--burst", "1000000", "--per-second", "1000000", "--max-per-address", "10000"];
    let server = ServerProcess::start(&[&wide, plan.flags].concat());
    let (mut pairs, mut rooms) = (Vec::new(), Vec::new());
    for _ in 0..PAIRS {
        let (pair, room) = pair(&server).await;
        pairs.push(pair);
        rooms.push(room);
    }
    // What is set up once is no matter here.
    measure(&mut pairs, plan.half / 2).await;
    let memory = Memory::of(server.pid());
    let (mut without, mut beside, mut given_up) = (Vec::new(), Vec::new(), 0);
    for _ in 0..plan.turns {
        without.push(measure(&mut pairs, plan.half).await);
        let crowd = meanwhile(&mut pairs, Crowd::gather(server.address(), &rooms, plan.habits)).await;
        beside.push(measure(&mut pairs, plan.half).await);
        given_up += meanwhile(&mut pairs, crowd.disperse()).await;
        let players = 2 * PAIRS as i64;
        until("only the players", async || {
            (server.metric("noughts_connections").await == players).then_some(())
        })
        .await;
    }
    let grown = memory.grown_kib();
    let ratio = |of_a_thousand| {
        let turns = without.iter().zip(&beside);
        median(turns.map(|(a, b)| ms(b, of_a_thousand) / ms(a, of_a_thousand)).collect())
    };
    let time = |turns: &[Vec<Duration>], of_a_thousand| {
        median(turns.iter().map(|waits| ms(waits, of_a_thousand)).collect())
    };
    eprintln!(
        "non-readers: {count}, given up {given_up} times; memory + {:.1} MiB; medians of {} turns: p50 {:.3} → {:.3} ms \
         ({:.2} times), p99 {:.3} → {:.3} ms ({:.2} times)",
        grown as f64 / 1024.0,
        plan.turns,
        time(&without, 500),
        time(&beside, 500),
        ratio(500),
        time(&without, 990),
        time(&beside, 990),
        ratio(990),
    );
    assert!(grown < 32 * 1024, "memory grew by {grown} KiB");
    assert!(given_up >= (count * plan.turns) as u64, "given up {given_up} times");
    for code in ["4200", "4201", "1008"] {
        let cut = server.metric(&format!(r#"noughts_closes_total{{code="{code}"}}"#)).await;
        assert_eq!(cut, 0, "closed with {code}");
    }
    if count >= FULL {
        assert!(ratio(990) <= 1.5, "p99 beside them is {:.2} times what it is without", ratio(990));
    }
}
