//! One line through the proxy: two ways, each as its script says.

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};

use super::script::{ConnectionScript, StreamDirection, StreamEnd, TransferScript};

/// What is kept of what was said on a line, for those who want to see it or say it again.
const MAX_RECORDED_BYTES: usize = 64 * 1024;
/// What may be on its way in one direction: beyond it, whoever sends feels it.
const MAX_IN_FLIGHT_BYTES: usize = 16 * 1024;
/// A slow line lets bytes pass this often, or one at a time.
const TICK: Duration = Duration::from_millis(20);

/// A line and what has come of it.
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

    /// How many bytes have passed.
    pub(super) fn transferred_bytes(&self, direction: StreamDirection) -> u64 {
        self.transferred_bytes[direction as usize].load(Ordering::SeqCst)
    }

    /// Whether an end of its script has come about.
    pub(super) fn has_hit_fault(&self) -> bool {
        self.fault_hit.load(Ordering::SeqCst)
    }

    /// What has passed, from the beginning.
    pub(super) fn recorded(&self, direction: StreamDirection) -> Vec<u8> {
        self.recorded[direction as usize].lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn record(&self, direction: StreamDirection, bytes: &[u8]) {
        let mut recorded = self.recorded[direction as usize].lock().unwrap_or_else(PoisonError::into_inner);
        let free = MAX_RECORDED_BYTES.saturating_sub(recorded.len()).min(bytes.len());
        recorded.extend_from_slice(&bytes[..free]);
        self.transferred_bytes[direction as usize].fetch_add(bytes.len() as u64, Ordering::SeqCst);
    }

    /// Carries bytes between a client and `target` until one of them or the script ends it.
    pub(super) async fn run(&self, client: TcpStream, target: SocketAddr) {
        let Ok(server) = TcpStream::connect(target).await else { return reset(&client) };
        for stream in [&client, &server] {
            stream.set_nodelay(true).expect("a socket of our own");
            reset(stream);
        }
        let (from_client, mut to_client) = client.into_split();
        let (from_server, mut to_server) = server.into_split();
        let close_kind = {
            let up = self.pump(StreamDirection::Up, from_client, &mut to_server);
            let down = self.pump(StreamDirection::Down, from_server, &mut to_client);
            tokio::pin!(up, down);
            // A way may be over long before the other.
            tokio::select! {
                over = &mut up => if over == CloseKind::EofForwarded { down.await } else { over },
                over = &mut down => if over == CloseKind::EofForwarded { up.await } else { over },
            }
        };
        match close_kind {
            // Dropped with what is unread in them, and told to reset in any case.
            CloseKind::EofForwarded | CloseKind::Reset => {}
            CloseKind::Closed => {
                for to in [&mut to_client, &mut to_server] {
                    // Whoever is at the other end may have gone first.
                    let (Ok(()) | Err(_)) = to.shutdown().await;
                }
                // The reset that follows must not overtake the end.
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        }
    }

    /// One way.
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
            let end =
                transfer.end.map(|(at, end)| (at.saturating_sub(self.transferred_bytes(direction)), end));
            if let Some((0, end)) = end
                && transfer.is_flowing
                && (queue.next_due(transfer).is_some_and(|due| due <= Instant::now()) || eof_sent)
            {
                self.fault_hit.store(true, Ordering::SeqCst);
                match end {
                    StreamEnd::Stall => {
                        // Until the line is cut; the script may think better of it.
                        if script.changed().await.is_err() {
                            return CloseKind::Reset;
                        }
                        continue;
                    }
                    StreamEnd::HalfClose => {
                        queue.clear();
                        if !eof_sent {
                            eof_sent = true;
                            // Whoever is at the other end may have gone first.
                            let (Ok(()) | Err(_)) = to.shutdown().await;
                        }
                    }
                    StreamEnd::Close => return CloseKind::Closed,
                    StreamEnd::Reset => return CloseKind::Reset,
                }
            }
            if queue.has_read_eof && queue.bytes == 0 && transfer.is_flowing {
                // Whoever is at the other end may have gone first.
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

/// How a way was over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CloseKind {
    /// Its end was read and passed on.
    EofForwarded,
    /// Both sides are to be told.
    Closed,
    /// Both sides are to be reset.
    Reset,
}

/// What is on its way.
#[derive(Debug, Default)]
struct TransferQueue {
    chunks: VecDeque<(Instant, Vec<u8>)>,
    bytes: usize,
    has_read_eof: bool,
    /// A slow line has let something pass until then.
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

    /// When the next bytes are to pass.
    fn next_due(&self, transfer: TransferScript) -> Option<Instant> {
        let (read, _) = self.chunks.front()?;
        let due = *read + transfer.delay;
        Some(self.busy_until.map_or(due, |until| until.max(due)))
    }

    /// The bytes that pass now, `most` at most.
    fn take(&mut self, transfer: TransferScript, max: usize) -> Vec<u8> {
        let (read, mut bytes) = self.chunks.pop_front().unwrap_or_else(|| (Instant::now(), Vec::new()));
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

/// When this is dropped, the other side is reset.
pub(super) fn reset(stream: &TcpStream) {
    // A peer that has gone already needs no reset.
    let (Ok(()) | Err(_)) = stream.set_zero_linger();
}
