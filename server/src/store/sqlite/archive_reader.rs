//! The reader of finished games: a thread with a connection of its own, which responds to clients.
//!
//! The writer and the reader do not wait for each other. A query reads a bounded number of rows. After a query the
//! reader rests for as long as the query took, at most `MAX_REST`. SQLite cannot reset the write-ahead log while a
//! query reads, so without rests the log could grow without limit.

use std::collections::HashSet;
use std::fmt;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use rusqlite::InterruptHandle;
use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;
use tracing::{debug, error, warn};

use crate::limits::client_prefix::Network;
use crate::runtime::sync::lock;
use crate::store::sqlite::archive_queries::{ArchiveQuery, ArchiveResponse, respond};
use crate::store::sqlite::data_dir;

/// Maximum number of queries that wait.
const MAX_WAITING_QUERIES: usize = 64;

/// Maximum time that the reader rests after a query.
const MAX_REST: Duration = Duration::from_millis(100);

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ArchiveQueryError {
    #[error("this network already has a query, or too many queries wait")]
    Busy,
    #[error("finished games cannot be read")]
    Unavailable,
}

type ArchiveResult = Result<ArchiveResponse, ArchiveQueryError>;

struct ArchiveJob {
    query: ArchiveQuery,
    reply: oneshot::Sender<ArchiveResult>,
    turn: NetworkTurn,
}

/// The networks with a waiting or running query.
pub(crate) type BusyNetworks = Arc<Mutex<HashSet<Network>>>;

/// The only query that a network may have at a time. Ends when it is dropped.
pub(crate) struct NetworkTurn {
    network: Network,
    busy: BusyNetworks,
}

impl NetworkTurn {
    pub(crate) fn begin(network: Network, busy: &BusyNetworks) -> Option<NetworkTurn> {
        lock(busy).insert(network).then(|| NetworkTurn {
            network,
            busy: Arc::clone(busy),
        })
    }
}

impl Drop for NetworkTurn {
    fn drop(&mut self) {
        lock(&self.busy).remove(&self.network);
    }
}

/// Answers queries about the finished games of a data directory until it is dropped.
pub struct ArchiveReader {
    /// `None` only during drop.
    jobs: Option<mpsc::Sender<ArchiveJob>>,
    busy: BusyNetworks,
    thread: Option<thread::JoinHandle<()>>,
    /// Disconnected when the thread has ended.
    ended: Mutex<Receiver<()>>,
    /// Maximum time that a drop waits for the thread.
    stop_timeout: Duration,
    /// Set by `drop`: the thread then discards the waiting queries.
    is_stopping: Arc<AtomicBool>,
    /// Ends the running query.
    interrupt: Arc<Mutex<Option<InterruptHandle>>>,
}

impl fmt::Debug for ArchiveReader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ArchiveReader").finish_non_exhaustive()
    }
}

impl ArchiveReader {
    /// Starts the thread. It opens the file for the first query.
    pub(crate) fn start(
        directory: PathBuf,
        stop_timeout: Duration,
    ) -> std::io::Result<ArchiveReader> {
        let (jobs, mut receiver) = mpsc::channel::<ArchiveJob>(MAX_WAITING_QUERIES);
        let interrupt = Arc::<Mutex<Option<InterruptHandle>>>::default();
        let shared_interrupt = Arc::clone(&interrupt);
        let is_stopping = Arc::<AtomicBool>::default();
        let stops = Arc::clone(&is_stopping);
        let (running, ended) = sync_channel(0);
        let thread = thread::Builder::new()
            .name("archive".into())
            .spawn(move || {
                // Dropped after the connection, even if a query panics.
                let _running = running;
                let mut connection = None;
                while let Some(ArchiveJob { query, reply, turn }) = receiver.blocking_recv() {
                    // A client that waited for too long has got a rejection.
                    if reply.is_closed() || stops.load(Ordering::Relaxed) {
                        continue;
                    }
                    let began = Instant::now();
                    let result = match &connection {
                        Some(open) => respond(open, &query),
                        None => data_dir::open_read_only(&directory).and_then(|opened| {
                            *lock(&shared_interrupt) = Some(opened.get_interrupt_handle());
                            respond(connection.insert(opened), &query)
                        }),
                    };
                    let result = result.map_err(|error| {
                        warn!(%error, "cannot read finished games");
                        // Opened again for the next query.
                        connection = None;
                        ArchiveQueryError::Unavailable
                    });
                    let rest = began.elapsed().min(MAX_REST);
                    // The turn ends first, because a client may ask again as soon as it has the response.
                    drop(turn);
                    if reply.send(result).is_err() {
                        debug!("response to a query of finished games is late");
                    }
                    sleep(rest);
                }
            })?;
        Ok(ArchiveReader {
            jobs: Some(jobs),
            busy: BusyNetworks::default(),
            thread: Some(thread),
            ended: Mutex::new(ended),
            stop_timeout,
            is_stopping,
            interrupt,
        })
    }

    /// Queues a query of a client. The receiver gets [`ArchiveQueryError::Unavailable`] if the file cannot be read.
    ///
    /// # Errors
    /// [`ArchiveQueryError::Busy`] if the client's network already has a query, or if too many queries wait.
    pub(crate) fn query(
        &self,
        network: Network,
        query: ArchiveQuery,
    ) -> Result<oneshot::Receiver<ArchiveResult>, ArchiveQueryError> {
        let (reply, receiver) = oneshot::channel();
        let jobs = self.jobs.as_ref().ok_or(ArchiveQueryError::Unavailable)?;
        let turn = NetworkTurn::begin(network, &self.busy).ok_or(ArchiveQueryError::Busy)?;
        match jobs.try_send(ArchiveJob { query, reply, turn }) {
            Ok(()) => Ok(receiver),
            Err(mpsc::error::TrySendError::Full(_)) => Err(ArchiveQueryError::Busy),
            Err(mpsc::error::TrySendError::Closed(_)) => Err(ArchiveQueryError::Unavailable),
        }
    }
}

impl Drop for ArchiveReader {
    /// Ends the running query, and waits until the connection is closed, for a limited time, because a disk may hang.
    fn drop(&mut self) {
        self.is_stopping.store(true, Ordering::Relaxed);
        self.jobs = None;
        if let Some(interrupt) = &*lock(&self.interrupt) {
            interrupt.interrupt();
        }
        let Some(thread) = self.thread.take() else {
            return;
        };
        let ended = self.ended.get_mut().unwrap_or_else(PoisonError::into_inner);
        match ended.recv_timeout(self.stop_timeout) {
            Ok(()) | Err(RecvTimeoutError::Disconnected) => {
                if thread.join().is_err() {
                    error!("reader of finished games panicked");
                }
            }
            Err(RecvTimeoutError::Timeout) => {
                error!("reader of finished games did not stop in time");
            }
        }
    }
}

/// Blocks the thread for `time`.
#[expect(
    clippy::disallowed_methods,
    reason = "the thread has no other work, and its runtime-free loop has no timer"
)]
fn sleep(time: Duration) {
    thread::sleep(time);
}
