//! In-memory event log with injected failures.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use futures::FutureExt;
use futures::future::{BoxFuture, pending};
use noughts_protocol::{EventRecord, RoomId};
use noughts_server::testing::{EventLog, LogError, LogOp, LogResult, MemoryLog};
use tokio::sync::watch;

use crate::lock::lock;
use crate::server::{TestServer, TestServerOptions};

/// Failure of one append.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AppendFailure {
    /// Stores nothing and returns an error.
    Unavailable,
    /// Stores nothing and never replies.
    LostWithoutReply,
    /// Stores the events and never replies.
    StoredWithoutReply,
    /// Stores the events and returns that the outcome is unknown.
    StoredOutcomeUnknown,
    /// Stores nothing and panics in the calling task.
    Panic,
}

/// Event log with injected failures.
#[derive(Debug)]
pub struct FailingStore {
    inner: MemoryLog,
    failures: Mutex<VecDeque<AppendFailure>>,
    appends: AtomicUsize,
    creates_fail: AtomicBool,
    loads_fail: AtomicBool,
    corrupt: AtomicBool,
    creates_panic: AtomicBool,
    deletes_hang: AtomicBool,
    healthy: AtomicBool,
    unblocked: watch::Sender<bool>,
}

impl FailingStore {
    /// Creates a log without failures.
    pub fn new() -> Arc<FailingStore> {
        Arc::new(FailingStore {
            inner: MemoryLog::default(),
            failures: Mutex::default(),
            appends: AtomicUsize::new(0),
            creates_fail: AtomicBool::new(false),
            loads_fail: AtomicBool::new(false),
            corrupt: AtomicBool::new(false),
            creates_panic: AtomicBool::new(false),
            deletes_hang: AtomicBool::new(false),
            healthy: AtomicBool::new(true),
            unblocked: watch::Sender::new(true),
        })
    }

    fn failures(&self) -> MutexGuard<'_, VecDeque<AppendFailure>> {
        lock(&self.failures)
    }

    /// Sets the failures of the next appends, in order.
    pub fn fail_next_appends(&self, failures: &[AppendFailure]) {
        self.failures().extend(failures);
    }

    /// Blocks all following appends.
    pub fn block_appends(&self) {
        self.unblocked.send_replace(false);
    }

    /// Unblocks all appends.
    pub fn unblock_appends(&self) {
        self.unblocked.send_replace(true);
    }

    /// Returns the number of appends requested.
    pub fn append_count(&self) -> usize {
        self.appends.load(Ordering::SeqCst)
    }

    /// Sets whether creating a room fails.
    pub fn fail_creates(&self, fail: bool) {
        self.creates_fail.store(fail, Ordering::SeqCst);
    }

    /// Sets whether loading a room fails.
    pub fn fail_loads(&self, fail: bool) {
        self.loads_fail.store(fail, Ordering::SeqCst);
    }

    /// Sets whether loading a room returns a corrupt history.
    pub fn corrupt_loads(&self, corrupt: bool) {
        self.corrupt.store(corrupt, Ordering::SeqCst);
    }

    /// Sets whether creating a room panics in the calling task.
    pub fn panic_creates(&self, panic: bool) {
        self.creates_panic.store(panic, Ordering::SeqCst);
    }

    /// Sets whether retiring a room never completes.
    pub fn hang_deletes(&self, hang: bool) {
        self.deletes_hang.store(hang, Ordering::SeqCst);
    }

    /// Sets the health that the log reports.
    pub fn set_healthy(&self, healthy: bool) {
        self.healthy.store(healthy, Ordering::SeqCst);
    }

    /// Returns the stored events of a room.
    pub async fn events(&self, room: RoomId) -> Vec<EventRecord> {
        self.inner
            .load(room)
            .await
            .map(|stored| stored.events)
            .unwrap_or_default()
    }

    async fn append_or_fail(&self, append: LogOp) -> LogResult {
        self.appends.fetch_add(1, Ordering::SeqCst);
        let failure = self.failures().pop_front();
        self.wait_unblocked().await;
        match failure {
            None => self.inner.submit(append).await,
            Some(AppendFailure::Unavailable) => {
                Err(LogError::Unavailable("injected failure".into()))
            }
            Some(AppendFailure::LostWithoutReply) => pending().await,
            Some(AppendFailure::StoredWithoutReply) => {
                self.inner.submit(append).await?;
                pending().await
            }
            Some(AppendFailure::StoredOutcomeUnknown) => {
                self.inner.submit(append).await?;
                Err(LogError::Unknown)
            }
            Some(AppendFailure::Panic) => panic!("injected panic"),
        }
    }

    async fn wait_unblocked(&self) {
        let mut open = self.unblocked.subscribe();
        open.wait_for(|open| *open)
            .await
            .expect("the log keeps the sender");
    }
}

impl EventLog for FailingStore {
    fn submit(&self, op: LogOp) -> BoxFuture<'_, LogResult> {
        async move {
            let injected = || Err(LogError::Unavailable("injected failure".into()));
            match op {
                LogOp::Append { .. } => return self.append_or_fail(op).await,
                LogOp::Create { .. } => {
                    self.wait_unblocked().await;
                    assert!(!self.creates_panic.load(Ordering::SeqCst), "injected panic");
                    if self.creates_fail.load(Ordering::SeqCst) {
                        return injected();
                    }
                }
                LogOp::Load(_) | LogOp::EventsSince { .. }
                    if self.loads_fail.load(Ordering::SeqCst) =>
                {
                    return injected();
                }
                LogOp::Load(_) if self.corrupt.load(Ordering::SeqCst) => {
                    return Err(LogError::Corrupt("injected failure".into()));
                }
                LogOp::Delete(_) if self.deletes_hang.load(Ordering::SeqCst) => {
                    return pending().await;
                }
                LogOp::UpdateSecrets(_)
                | LogOp::Checkpoint { .. }
                | LogOp::Delete(_)
                | LogOp::Load(_)
                | LogOp::EventsSince { .. }
                | LogOp::Recover
                | LogOp::Confirm => {}
            }
            self.inner.submit(op).await
        }
        .boxed()
    }

    fn is_healthy(&self) -> bool {
        self.healthy.load(Ordering::SeqCst)
    }

    fn failed(&self) -> BoxFuture<'_, ()> {
        self.inner.failed()
    }
}

/// Starts a server with a failing log and a short append timeout.
pub async fn start_with_failing_store() -> (TestServer, Arc<FailingStore>) {
    let log = FailingStore::new();
    let mut options = TestServerOptions {
        log: log.clone(),
        ..TestServerOptions::default()
    };
    options.limits.append_timeout = Duration::from_millis(200);
    (TestServer::start_with(options).await, log)
}

/// Starts a server with a failing log and an append timeout longer than any test.
pub async fn start_with_blocking_store() -> (TestServer, Arc<FailingStore>) {
    let log = FailingStore::new();
    let mut options = TestServerOptions {
        log: log.clone(),
        ..TestServerOptions::default()
    };
    options.limits.append_timeout = Duration::from_secs(600);
    (TestServer::start_with(options).await, log)
}
