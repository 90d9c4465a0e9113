//! Non-reading clients on a thread of their own, so that they do not disturb the measured players.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use noughts_protocol::wire::{Message, Request, SessionRequest};
use noughts_protocol::{RequestId, RoomRef};
use noughts_tests::client::frame::{ClientFrame, TEXT};
use noughts_tests::client::raw_websocket::RawWebSocket;
use noughts_tests::program::resident_kib;
use noughts_tests::wait::{wait_until_timeout, with_timeout};
use tokio::io::AsyncWriteExt;
use tokio::time::timeout;

/// Timeout until hundreds of clients are connected on a busy machine.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(180);

/// Number of clients, and the pause between their requests.
#[derive(Clone, Copy, Debug)]
pub(super) struct ReadBehaviour {
    pub(super) count: usize,
    pub(super) write_interval: Duration,
}

#[derive(Debug, Default)]
struct GroupState {
    /// Number of clients that the server has disconnected at least once.
    disconnected_clients: AtomicUsize,
    /// Number of disconnects.
    disconnects: AtomicU64,
    stopped: AtomicBool,
}

impl GroupState {
    fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }
}

#[derive(Debug)]
pub(super) struct ClientGroup {
    shared: Arc<GroupState>,
    thread: JoinHandle<()>,
}

impl ClientGroup {
    /// Connects all clients; returns when each was disconnected once and has reconnected.
    pub(super) async fn connect_all(
        address: SocketAddr,
        rooms: &[RoomRef],
        behaviour: ReadBehaviour,
    ) -> ClientGroup {
        let state = Arc::new(GroupState::default());
        let (group_state, rooms) = (Arc::clone(&state), rooms.to_vec());
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build();
            runtime.expect("a runtime").block_on(async {
                let clients = (0..behaviour.count).map(|index| {
                    let (state, room) = (Arc::clone(&group_state), rooms[index % rooms.len()]);
                    tokio::spawn(async move {
                        // The clients connect one after another, so that the server also disconnects them one after
                        // another.
                        tokio::time::sleep(
                            10 * behaviour.write_interval * index as u32 / behaviour.count as u32,
                        )
                        .await;
                        run_non_reading_client(address, room, behaviour.write_interval, &state)
                            .await;
                    })
                });
                for task in futures::future::join_all(clients).await {
                    task.expect("no client reported a violation");
                }
            });
        });
        wait_until_timeout(
            CONNECT_TIMEOUT,
            "all clients to be disconnected once",
            async || {
                assert!(!thread.is_finished(), "a client reported a violation");
                (state.disconnected_clients.load(Ordering::Relaxed) == behaviour.count)
                    .then_some(())
            },
        )
        .await;
        ClientGroup {
            shared: state,
            thread,
        }
    }

    /// Stops all clients; returns the number of disconnects.
    pub(super) async fn stop(self) -> u64 {
        self.shared.stopped.store(true, Ordering::Relaxed);
        let joined = tokio::task::spawn_blocking(|| self.thread.join());
        with_timeout("all clients to end", joined)
            .await
            .expect("a thread that ends")
            .expect("no client failed");
        self.shared.disconnects.load(Ordering::Relaxed)
    }
}

/// Watches a room and requests long responses without reading them; reconnects when disconnected.
async fn run_non_reading_client(
    address: SocketAddr,
    room: RoomRef,
    write_interval: Duration,
    state: &GroupState,
) {
    let long_request = ClientFrame::new(
        TEXT,
        format!(
            r#"{{"type":"offer","id":2,"offer":"{}"}}"#,
            "a".repeat(3900)
        ),
    )
    .to_bytes();
    let mut was_disconnected = false;
    while !state.is_stopped() {
        let mut raw = RawWebSocket::connect_with_small_buffer(address).await;
        raw.upgrade().await;
        raw.greet().await;
        raw.write_request(&Request::lobby(
            RequestId::new(1).expect("fits the type"),
            SessionRequest::Watch {
                room,
                remarks: false,
            },
        ))
        .await;
        while !matches!(raw.next_message().await, Message::Snapshot { .. }) {}
        let mut offset = 0;
        while !state.is_stopped() {
            match timeout(
                Duration::from_millis(200),
                raw.stream.write(&long_request[offset..]),
            )
            .await
            {
                Ok(Ok(written)) => offset = (offset + written) % long_request.len(),
                // The server has stopped reading, because enough output is queued.
                Err(_) => {}
                Ok(Err(_)) => {
                    state.disconnects.fetch_add(1, Ordering::Relaxed);
                    if !std::mem::replace(&mut was_disconnected, true) {
                        state.disconnected_clients.fetch_add(1, Ordering::Relaxed);
                    }
                    break;
                }
            }
            tokio::time::sleep(write_interval).await;
        }
    }
}

/// Samples the memory of a process continuously.
#[derive(Debug)]
pub(super) struct MemoryWatch {
    before_kib: u64,
    stopped: Arc<AtomicBool>,
    thread: JoinHandle<u64>,
}

impl MemoryWatch {
    pub(super) fn start(pid: u32) -> MemoryWatch {
        let (before_kib, stopped) = (resident_kib(pid), Arc::new(AtomicBool::new(false)));
        let stop_flag = Arc::clone(&stopped);
        let thread = std::thread::spawn(move || {
            let mut peak = 0;
            while !stop_flag.load(Ordering::Relaxed) {
                peak = resident_kib(pid).max(peak);
                std::thread::park_timeout(Duration::from_millis(20));
            }
            peak
        });
        MemoryWatch {
            before_kib,
            stopped,
            thread,
        }
    }

    /// Returns the maximum growth since the start.
    pub(super) fn growth_kib(self) -> u64 {
        self.stopped.store(true, Ordering::Relaxed);
        self.thread.thread().unpark();
        self.thread
            .join()
            .expect("the process runs")
            .saturating_sub(self.before_kib)
    }
}
