//! A log that fails in the way and at the time of the test's choice; what it stores, it stores in memory.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::server::{TestServer, TestServerOptions};
use futures::FutureExt;
use futures::future::{BoxFuture, pending};
use noughts_protocol::{EventRecord, RoomId, Seq};
use noughts_server::store::{
    Checkpoint, EventLog, FinishedGame, LogError, MemoryLog, RoomSecrets, StoredRoom,
};
use noughts_server::time::uptime::UptimeHistory;
use tokio::sync::watch;

/// What goes wrong with one append.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AppendFailure {
    /// Nothing is stored, and the log says so.
    Unavailable,
    /// Nothing is stored, and no answer comes.
    LostWithoutReply,
    /// It is stored, and no answer comes.
    StoredWithoutReply,
    /// It is stored, and the log says that nobody knows.
    StoredOutcomeUnknown,
    /// Nothing is stored, and whoever asked dies of it.
    Panic,
}

/// The log.
#[derive(Debug)]
pub struct FailingStore {
    inner: MemoryLog,
    failures: Mutex<VecDeque<AppendFailure>>,
    appends: AtomicUsize,
    creates_fail: AtomicBool,
    loads_fail: AtomicBool,
    corrupt: AtomicBool,
    creates_panic: AtomicBool,
    retires_hang: AtomicBool,
    healthy: AtomicBool,
    unblocked: watch::Sender<bool>,
}

impl FailingStore {
    /// A log in order.
    pub fn new() -> Arc<FailingStore> {
        Arc::new(FailingStore {
            inner: MemoryLog::default(),
            failures: Mutex::default(),
            appends: AtomicUsize::new(0),
            creates_fail: AtomicBool::new(false),
            loads_fail: AtomicBool::new(false),
            corrupt: AtomicBool::new(false),
            creates_panic: AtomicBool::new(false),
            retires_hang: AtomicBool::new(false),
            healthy: AtomicBool::new(true),
            unblocked: watch::Sender::new(true),
        })
    }

    fn failures(&self) -> MutexGuard<'_, VecDeque<AppendFailure>> {
        self.failures.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next appends go wrong like this, one after the other.
    pub fn fail_next_appends(&self, failures: &[AppendFailure]) {
        self.failures().extend(failures);
    }

    /// Appends wait from now on.
    pub fn block_appends(&self) {
        self.unblocked.send_replace(false);
    }

    /// Those that wait go on.
    pub fn unblock_appends(&self) {
        self.unblocked.send_replace(true);
    }

    /// How many appends have been asked for.
    pub fn append_count(&self) -> usize {
        self.appends.load(Ordering::SeqCst)
    }

    /// Whether rooms can be founded.
    pub fn fail_creates(&self, fail: bool) {
        self.creates_fail.store(fail, Ordering::SeqCst);
    }

    /// Whether histories can be read.
    pub fn fail_loads(&self, fail: bool) {
        self.loads_fail.store(fail, Ordering::SeqCst);
    }

    /// Whether histories are not what was written.
    pub fn corrupt_loads(&self, corrupt: bool) {
        self.corrupt.store(corrupt, Ordering::SeqCst);
    }

    /// Whether whoever founds a room dies of it.
    pub fn panic_creates(&self, panic: bool) {
        self.creates_panic.store(panic, Ordering::SeqCst);
    }

    /// Whether the end of a room is never acknowledged.
    pub fn hang_retires(&self, hang: bool) {
        self.retires_hang.store(hang, Ordering::SeqCst);
    }

    /// What it says of itself.
    pub fn set_healthy(&self, healthy: bool) {
        self.healthy.store(healthy, Ordering::SeqCst);
    }

    /// What is stored of a room.
    pub async fn events(&self, room: RoomId) -> Vec<EventRecord> {
        self.inner.load(room).await.map(|stored| stored.events).unwrap_or_default()
    }

    async fn wait_unblocked(&self) {
        let mut open = self.unblocked.subscribe();
        open.wait_for(|open| *open).await.expect("the log holds the sending end");
    }
}

impl EventLog for FailingStore {
    fn create(&self, founding: RoomSecrets, events: Vec<EventRecord>) -> BoxFuture<'_, Result<(), LogError>> {
        async move {
            self.wait_unblocked().await;
            assert!(!self.creates_panic.load(Ordering::SeqCst), "as the test wants");
            if self.creates_fail.load(Ordering::SeqCst) {
                return Err(LogError::Unavailable("as the test wants".into()));
            }
            self.inner.create(founding, events).await
        }
        .boxed()
    }

    fn update_secrets(&self, founding: RoomSecrets) -> BoxFuture<'_, Result<(), LogError>> {
        self.inner.update_secrets(founding)
    }

    fn append(
        &self,
        room: RoomId,
        events: Vec<EventRecord>,
        finished: Option<FinishedGame>,
    ) -> BoxFuture<'_, Result<(), LogError>> {
        async move {
            self.appends.fetch_add(1, Ordering::SeqCst);
            let failure = self.failures().pop_front();
            self.wait_unblocked().await;
            match failure {
                None => self.inner.append(room, events, finished).await,
                Some(AppendFailure::Unavailable) => Err(LogError::Unavailable("as the test wants".into())),
                Some(AppendFailure::LostWithoutReply) => pending().await,
                Some(AppendFailure::StoredWithoutReply) => {
                    self.inner.append(room, events, finished).await?;
                    pending().await
                }
                Some(AppendFailure::StoredOutcomeUnknown) => {
                    self.inner.append(room, events, finished).await?;
                    Err(LogError::Unknown)
                }
                Some(AppendFailure::Panic) => panic!("as the test wants"),
            }
        }
        .boxed()
    }

    fn load(&self, room: RoomId) -> BoxFuture<'_, Result<StoredRoom, LogError>> {
        async move {
            if self.loads_fail.load(Ordering::SeqCst) {
                return Err(LogError::Unavailable("as the test wants".into()));
            }
            if self.corrupt.load(Ordering::SeqCst) {
                return Err(LogError::Corrupt("as the test wants".into()));
            }
            self.inner.load(room).await
        }
        .boxed()
    }

    fn events_since(&self, room: RoomId, after: Seq) -> BoxFuture<'_, Result<Vec<EventRecord>, LogError>> {
        async move {
            if self.loads_fail.load(Ordering::SeqCst) {
                return Err(LogError::Unavailable("as the test wants".into()));
            }
            self.inner.events_since(room, after).await
        }
        .boxed()
    }

    fn checkpoint(&self, room: RoomId, image: Checkpoint) -> BoxFuture<'_, Result<(), LogError>> {
        self.inner.checkpoint(room, image)
    }

    fn recover(&self) -> BoxFuture<'_, Result<Vec<(RoomSecrets, StoredRoom)>, LogError>> {
        self.inner.recover()
    }

    fn delete(&self, room: RoomId) -> BoxFuture<'_, Result<(), LogError>> {
        async move {
            if self.retires_hang.load(Ordering::SeqCst) {
                pending::<()>().await;
            }
            self.inner.delete(room).await
        }
        .boxed()
    }

    fn record_uptime(&self, lived: UptimeHistory) {
        self.inner.record_uptime(lived);
    }

    fn uptime(&self) -> UptimeHistory {
        self.inner.uptime()
    }

    fn is_healthy(&self) -> bool {
        self.healthy.load(Ordering::SeqCst)
    }

    fn failed(&self) -> BoxFuture<'_, ()> {
        self.inner.failed()
    }
}

/// A server whose log does as it is told, and is given up soon when it does not answer.
pub async fn start_with_failing_store() -> (TestServer, Arc<FailingStore>) {
    let log = FailingStore::new();
    let mut options = TestServerOptions { log: log.clone(), ..TestServerOptions::default() };
    options.limits.append = Duration::from_millis(200);
    (TestServer::start_with(options).await, log)
}

/// The same with a patience that no test exhausts.
pub async fn start_with_blocking_store() -> (TestServer, Arc<FailingStore>) {
    let log = FailingStore::new();
    let mut options = TestServerOptions { log: log.clone(), ..TestServerOptions::default() };
    options.limits.append = Duration::from_secs(60);
    (TestServer::start_with(options).await, log)
}
