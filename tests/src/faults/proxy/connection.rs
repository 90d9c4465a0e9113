//! One proxied connection with two directions, each with its script.

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};

use super::script::{ConnectionScript, StreamDirection, StreamEnd, TransferScript};
use crate::lock::lock;

/// Maximum number of recorded bytes per direction.
const MAX_RECORDED_BYTES: usize = 64 * 1024;
/// Maximum number of delayed bytes per direction; beyond it the sender is held back.
const MAX_IN_FLIGHT_BYTES: usize = 16 * 1024;
/// Interval at which a connection with a limited rate transfers bytes.
const TICK: Duration = Duration::from_millis(20);

/// Connection with its scripts and recorded bytes.
#[derive(Debug)]
pub(super) struct ProxiedConnection {
    pub(super) script: watch::Sender<ConnectionScript>,
    transferred_bytes: [AtomicU64; 2],
    fault_hit: AtomicBool,
    recorded: [Mutex<Vec<u8>>; 2],
}

impl ProxiedConnection {
    pub(super) fn new(script: ConnectionScript) -> ProxiedConnection {
        ProxiedConnection {
            script: watch::Sender::new(script),
            transferred_bytes: Default::default(),
            fault_hit: AtomicBool::new(false),
            recorded: Default::default(),
        }
    }

    /// Number of bytes transferred.
    pub(super) fn transferred_bytes(&self, direction: StreamDirection) -> u64 {
        self.transferred_bytes[direction as usize].load(Ordering::SeqCst)
    }

    /// Returns whether a script ended the connection.
    pub(super) fn has_hit_fault(&self) -> bool {
        self.fault_hit.load(Ordering::SeqCst)
    }

    /// Recorded bytes from the start.
    pub(super) fn recorded(&self, direction: StreamDirection) -> Vec<u8> {
        lock(&self.recorded[direction as usize]).clone()
    }

    fn record(&self, direction: StreamDirection, bytes: &[u8]) {
        let mut recorded = lock(&self.recorded[direction as usize]);
        let free = MAX_RECORDED_BYTES
            .saturating_sub(recorded.len())
            .min(bytes.len());
        recorded.extend_from_slice(&bytes[..free]);
        self.transferred_bytes[direction as usize].fetch_add(bytes.len() as u64, Ordering::SeqCst);
    }

    /// Transfers bytes between a client and `target` until one of them or the script ends the connection.
    pub(super) async fn run(&self, client: TcpStream, target: SocketAddr) {
        let Ok(server) = TcpStream::connect(target).await else {
            return reset(&client);
        };
        for stream in [&client, &server] {
            stream.set_nodelay(true).expect("a socket of this test");
            reset(stream);
        }
        let (from_client, mut to_client) = client.into_split();
        let (from_server, mut to_server) = server.into_split();
        let close_kind = {
            let up = self.pump(StreamDirection::Up, from_client, &mut to_server);
            let down = self.pump(StreamDirection::Down, from_server, &mut to_client);
            tokio::pin!(up, down);
            // One direction may end long before the other.
            tokio::select! {
                over = &mut up => if over == CloseKind::EofForwarded { down.await } else { over },
                over = &mut down => if over == CloseKind::EofForwarded { up.await } else { over },
            }
        };
        match close_kind {
            // The streams are dropped with unread bytes and zero linger time.
            CloseKind::EofForwarded | CloseKind::Reset => {}
            CloseKind::Closed => {
                for to in [&mut to_client, &mut to_server] {
                    // The other end may have closed first.
                    let (Ok(()) | Err(_)) = to.shutdown().await;
                }
                // The reset that follows must not overtake the FIN.
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        }
    }

    /// Transfers one direction.
    async fn pump(
        &self,
        direction: StreamDirection,
        mut from: OwnedReadHalf,
        to: &mut OwnedWriteHalf,
    ) -> CloseKind {
        let mut script = self.script.subscribe();
        let mut queue = TransferQueue::default();
        let mut eof_sent = false;
        loop {
            let mut now = *script.borrow_and_update();
            let transfer = *now.transfer(direction);
            let end = transfer
                .end
                .map(|(at, end)| (at.saturating_sub(self.transferred_bytes(direction)), end));
            if let Some((0, end)) = end
                && transfer.is_flowing
                && (queue
                    .next_due(transfer)
                    .is_some_and(|due| due <= Instant::now())
                    || eof_sent)
            {
                self.fault_hit.store(true, Ordering::SeqCst);
                match end {
                    StreamEnd::Stall => {
                        // The script may change until the connection is cut.
                        if script.changed().await.is_err() {
                            return CloseKind::Reset;
                        }
                        continue;
                    }
                    StreamEnd::HalfClose => {
                        queue.clear();
                        if !eof_sent {
                            eof_sent = true;
                            // The other end may have closed first.
                            let (Ok(()) | Err(_)) = to.shutdown().await;
                        }
                    }
                    StreamEnd::Close => return CloseKind::Closed,
                    StreamEnd::Reset => return CloseKind::Reset,
                }
            }
            if queue.has_read_eof && queue.bytes == 0 && transfer.is_flowing {
                // The other end may have closed first.
                let (Ok(()) | Err(_)) = to.shutdown().await;
                return CloseKind::EofForwarded;
            }
            let due = queue.next_due(transfer).filter(|_| transfer.is_flowing);
            let mut chunk = [0; 4096];
            tokio::select! {
                changed = script.changed() => if changed.is_err() { return CloseKind::Reset },
                read = from.read(&mut chunk), if queue.bytes < MAX_IN_FLIGHT_BYTES && !queue.has_read_eof => match read {
                    Ok(0) => queue.has_read_eof = true,
                    Ok(read) => queue.push(&chunk[..read]),
                    Err(_) => return CloseKind::Reset,
                },
                () = sleep_until(due.unwrap_or_else(Instant::now)), if due.is_some() => {
                    let most = end.map_or(usize::MAX, |(left, _)| usize::try_from(left).unwrap_or(usize::MAX));
                    let bytes = queue.take(transfer, most);
                    if to.write_all(&bytes).await.is_err() {
                        return CloseKind::Reset;
                    }
                    self.record(direction, &bytes);
                }
            }
        }
    }
}

/// End of one direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CloseKind {
    /// The end of the stream was forwarded.
    EofForwarded,
    /// Both sides are to be closed.
    Closed,
    /// Both sides are to be reset.
    Reset,
}

/// Delayed bytes of one direction.
#[derive(Debug, Default)]
struct TransferQueue {
    chunks: VecDeque<(Instant, Vec<u8>)>,
    bytes: usize,
    has_read_eof: bool,
    /// The rate limit holds bytes until this instant.
    busy_until: Option<Instant>,
}

impl TransferQueue {
    fn push(&mut self, bytes: &[u8]) {
        self.bytes += bytes.len();
        self.chunks.push_back((Instant::now(), bytes.to_vec()));
    }

    fn clear(&mut self) {
        self.chunks.clear();
        self.bytes = 0;
    }

    /// Time at which the next bytes are due.
    fn next_due(&self, transfer: TransferScript) -> Option<Instant> {
        let (read, _) = self.chunks.front()?;
        let due = *read + transfer.delay;
        Some(self.busy_until.map_or(due, |until| until.max(due)))
    }

    /// Takes the bytes that are due, at most `max`.
    fn take(&mut self, transfer: TransferScript, max: usize) -> Vec<u8> {
        let (read, mut bytes) = self
            .chunks
            .pop_front()
            .unwrap_or_else(|| (Instant::now(), Vec::new()));
        let mut now = bytes.len().min(max);
        if let Some(rate) = transfer.rate {
            let bytes_per_tick = (TICK * rate).as_secs() as usize;
            now = now.min(bytes_per_tick.max(1));
            let duration = Duration::from_secs(now as u64) / rate;
            self.busy_until = Some(Instant::now() + duration);
        }
        let rest = bytes.split_off(now);
        if !rest.is_empty() {
            self.chunks.push_front((read, rest));
        }
        self.bytes -= bytes.len();
        bytes
    }
}

/// Makes the stream reset the connection when it is dropped.
pub(super) fn reset(stream: &TcpStream) {
    // Setting the option fails only if the connection is gone.
    let (Ok(()) | Err(_)) = stream.set_zero_linger();
}
