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

use super::script::{End, Passage, Script, Way};

/// What is kept of what was said on a line, for those who want to see it or say it again.
const KEPT: usize = 64 * 1024;
/// What may be on its way in one direction: beyond it, whoever sends feels it.
const UNDER_WAY: usize = 16 * 1024;
/// A slow line lets bytes pass this often, or one at a time.
const TICK: Duration = Duration::from_millis(20);

/// A line and what has come of it.
#[derive(Debug)]
pub(super) struct Line {
    pub(super) script: watch::Sender<Script>,
    passed: [AtomicU64; 2],
    struck: AtomicBool,
    said: [Mutex<Vec<u8>>; 2],
}

impl Line {
    pub(super) fn new(script: Script) -> Line {
        Line {
            script: watch::Sender::new(script),
            passed: Default::default(),
            struck: AtomicBool::new(false),
            said: Default::default(),
        }
    }

    /// How many bytes have passed.
    pub(super) fn passed(&self, way: Way) -> u64 {
        self.passed[way as usize].load(Ordering::SeqCst)
    }

    /// Whether an end of its script has come about.
    pub(super) fn struck(&self) -> bool {
        self.struck.load(Ordering::SeqCst)
    }

    /// What has passed, from the beginning.
    pub(super) fn said(&self, way: Way) -> Vec<u8> {
        self.said[way as usize].lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn note(&self, way: Way, bytes: &[u8]) {
        let mut said = self.said[way as usize].lock().unwrap_or_else(PoisonError::into_inner);
        let room = KEPT.saturating_sub(said.len()).min(bytes.len());
        said.extend_from_slice(&bytes[..room]);
        self.passed[way as usize].fetch_add(bytes.len() as u64, Ordering::SeqCst);
    }

    /// Carries bytes between a client and `target` until one of them or the script ends it.
    pub(super) async fn carry(&self, client: TcpStream, target: SocketAddr) {
        let Ok(server) = TcpStream::connect(target).await else { return reset(&client) };
        for stream in [&client, &server] {
            stream.set_nodelay(true).expect("a socket of our own");
            reset(stream);
        }
        let (from_client, mut to_client) = client.into_split();
        let (from_server, mut to_server) = server.into_split();
        let over = {
            let up = self.pump(Way::Up, from_client, &mut to_server);
            let down = self.pump(Way::Down, from_server, &mut to_client);
            tokio::pin!(up, down);
            // A way may be over long before the other.
            tokio::select! {
                over = &mut up => if over == Over::Told { down.await } else { over },
                over = &mut down => if over == Over::Told { up.await } else { over },
            }
        };
        match over {
            // Dropped with what is unread in them, and told to reset in any case.
            Over::Told | Over::Reset => {}
            Over::Closed => {
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
    async fn pump(&self, way: Way, mut from: OwnedReadHalf, to: &mut OwnedWriteHalf) -> Over {
        let mut script = self.script.subscribe();
        let mut queue = Queue::default();
        let mut told = false;
        loop {
            let mut now = *script.borrow_and_update();
            let passage = *now.way(way);
            let end = passage.end.map(|(at, end)| (at.saturating_sub(self.passed(way)), end));
            if let Some((0, end)) = end
                && passage.flows
                && (queue.due(passage).is_some_and(|due| due <= Instant::now()) || told)
            {
                self.struck.store(true, Ordering::SeqCst);
                match end {
                    End::Stall => {
                        // Until the line is cut; the script may think better of it.
                        if script.changed().await.is_err() {
                            return Over::Reset;
                        }
                        continue;
                    }
                    End::HalfClose => {
                        queue.clear();
                        if !told {
                            told = true;
                            // Whoever is at the other end may have gone first.
                            let (Ok(()) | Err(_)) = to.shutdown().await;
                        }
                    }
                    End::Close => return Over::Closed,
                    End::Reset => return Over::Reset,
                }
            }
            if queue.ended && queue.bytes == 0 && passage.flows {
                // Whoever is at the other end may have gone first.
                let (Ok(()) | Err(_)) = to.shutdown().await;
                return Over::Told;
            }
            let due = queue.due(passage).filter(|_| passage.flows);
            let mut chunk = [0; 4096];
            tokio::select! {
                changed = script.changed() => if changed.is_err() { return Over::Reset },
                read = from.read(&mut chunk), if queue.bytes < UNDER_WAY && !queue.ended => match read {
                    Ok(0) => queue.ended = true,
                    Ok(read) => queue.push(&chunk[..read]),
                    Err(_) => return Over::Reset,
                },
                () = sleep_until(due.unwrap_or_else(Instant::now)), if due.is_some() => {
                    let most = end.map_or(usize::MAX, |(left, _)| usize::try_from(left).unwrap_or(usize::MAX));
                    let bytes = queue.take(passage, most);
                    if to.write_all(&bytes).await.is_err() {
                        return Over::Reset;
                    }
                    self.note(way, &bytes);
                }
            }
        }
    }
}

/// How a way was over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Over {
    /// Its end was read and passed on.
    Told,
    /// Both sides are to be told.
    Closed,
    /// Both sides are to be reset.
    Reset,
}

/// What is on its way.
#[derive(Debug, Default)]
struct Queue {
    chunks: VecDeque<(Instant, Vec<u8>)>,
    bytes: usize,
    ended: bool,
    /// A slow line has let something pass until then.
    busy_until: Option<Instant>,
}

impl Queue {
    fn push(&mut self, bytes: &[u8]) {
        self.bytes += bytes.len();
        self.chunks.push_back((Instant::now(), bytes.to_vec()));
    }

    fn clear(&mut self) {
        self.chunks.clear();
        self.bytes = 0;
    }

    /// When the next bytes are to pass.
    fn due(&self, passage: Passage) -> Option<Instant> {
        let (read, _) = self.chunks.front()?;
        let due = *read + passage.delay;
        Some(self.busy_until.map_or(due, |until| until.max(due)))
    }

    /// The bytes that pass now, `most` at most.
    fn take(&mut self, passage: Passage, most: usize) -> Vec<u8> {
        let (read, mut bytes) = self.chunks.pop_front().unwrap_or_else(|| (Instant::now(), Vec::new()));
        let mut now = bytes.len().min(most);
        if let Some(rate) = passage.rate {
            let a_tick = (TICK * rate).as_secs() as usize;
            now = now.min(a_tick.max(1));
            let takes = Duration::from_secs(now as u64) / rate;
            self.busy_until = Some(Instant::now() + takes);
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
