//! Parties that never read, on a thread of their own: what they do is not to be in the way of those who are
//! measured.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use noughts_protocol::wire::{Lobby, Message, Request};
use noughts_protocol::{RequestId, RoomRef};
use noughts_tests::frame::{Frame, TEXT};
use noughts_tests::program::resident_kib;
use noughts_tests::raw::Raw;
use noughts_tests::wait::{until_in, within};
use tokio::io::AsyncWriteExt;
use tokio::time::timeout;

/// For hundreds of them, on a machine that does much else.
const GATHERING: Duration = Duration::from_secs(180);

/// How many there are, and how long each waits after what it says.
#[derive(Clone, Copy, Debug)]
pub(super) struct Habits {
    pub(super) count: usize,
    pub(super) pause: Duration,
}

#[derive(Debug, Default)]
struct Shared {
    /// How many of them the server has given up, once at least.
    known: AtomicUsize,
    /// How often it has.
    given_up: AtomicU64,
    over: AtomicBool,
}

impl Shared {
    fn is_over(&self) -> bool {
        self.over.load(Ordering::Relaxed)
    }
}

#[derive(Debug)]
pub(super) struct Crowd {
    shared: Arc<Shared>,
    thread: JoinHandle<()>,
}

impl Crowd {
    /// They come. When this returns the server has given each of them up, and they have come again.
    pub(super) async fn gather(address: SocketAddr, rooms: &[RoomRef], habits: Habits) -> Crowd {
        let shared = Arc::new(Shared::default());
        let (theirs, rooms) = (Arc::clone(&shared), rooms.to_vec());
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            runtime.expect("a runtime").block_on(async {
                let all = (0..habits.count).map(|at| {
                    let (shared, room) = (Arc::clone(&theirs), rooms[at % rooms.len()]);
                    tokio::spawn(async move {
                        // Not all in one moment, nor given up in one.
                        tokio::time::sleep(10 * habits.pause * at as u32 / habits.count as u32).await;
                        never_read(address, room, habits.pause, &shared).await;
                    })
                });
                for task in futures::future::join_all(all).await {
                    task.expect("whoever does not read sees nothing wrong");
                }
            });
        });
        until_in(GATHERING, "all of them to be given up", async || {
            assert!(!thread.is_finished(), "one of them saw something wrong");
            (shared.known.load(Ordering::Relaxed) == habits.count).then_some(())
        })
        .await;
        Crowd { shared, thread }
    }

    /// They go. Says how often they were given up.
    pub(super) async fn disperse(self) -> u64 {
        self.shared.over.store(true, Ordering::Relaxed);
        let ended = tokio::task::spawn_blocking(|| self.thread.join());
        within("the end of all of them", ended)
            .await
            .expect("a thread that ends")
            .expect("nothing was wrong");
        self.shared.given_up.load(Ordering::Relaxed)
    }
}

/// Looks on, asks for long answers and reads none, until the server gives it up; and again.
async fn never_read(address: SocketAddr, room: RoomRef, pause: Duration, shared: &Shared) {
    let long =
        Frame::new(TEXT, format!(r#"{{"type":"offer","id":2,"offer":"{}"}}"#, "a".repeat(3900))).bytes();
    let mut known = false;
    while !shared.is_over() {
        let mut raw = Raw::narrow(address).await;
        raw.upgrade().await;
        raw.greet().await;
        raw.request(&Request::lobby(
            RequestId::new(1).expect("small"),
            Lobby::Watch { room, remarks: false },
        ))
        .await;
        while !matches!(raw.message().await, Message::Snapshot { .. }) {}
        let mut at = 0;
        while !shared.is_over() {
            match timeout(Duration::from_millis(200), raw.line.write(&long[at..])).await {
                Ok(Ok(written)) => at = (at + written) % long.len(),
                // Nobody reads on the other side either: it has enough unwritten.
                Err(_) => {}
                Ok(Err(_)) => {
                    shared.given_up.fetch_add(1, Ordering::Relaxed);
                    if !std::mem::replace(&mut known, true) {
                        shared.known.fetch_add(1, Ordering::Relaxed);
                    }
                    break;
                }
            }
            tokio::time::sleep(pause).await;
        }
    }
}

/// The memory of a process, looked at all the time.
#[derive(Debug)]
pub(super) struct Memory {
    before: u64,
    over: Arc<AtomicBool>,
    thread: JoinHandle<u64>,
}

impl Memory {
    pub(super) fn of(pid: u32) -> Memory {
        let (before, over) = (resident_kib(pid), Arc::new(AtomicBool::new(false)));
        let until = Arc::clone(&over);
        let thread = std::thread::spawn(move || {
            let mut peak = 0;
            while !until.load(Ordering::Relaxed) {
                peak = resident_kib(pid).max(peak);
                std::thread::park_timeout(Duration::from_millis(20));
            }
            peak
        });
        Memory { before, over, thread }
    }

    /// By how much it has been more than at the beginning.
    pub(super) fn grown_kib(self) -> u64 {
        self.over.store(true, Ordering::Relaxed);
        self.thread.thread().unpark();
        self.thread.join().expect("the process runs").saturating_sub(self.before)
    }
}
