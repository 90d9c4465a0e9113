//! A log that fails in the way and at the time of the test's choice; what it stores, it stores in memory.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::server::{Server, Setup};
use futures::FutureExt;
use futures::future::{BoxFuture, pending};
use noughts_protocol::{RoomId, Seq, Stamped};
use noughts_server::lived::Lived;
use noughts_server::log::{EventLog, Finished, Founding, Image, LogError, MemoryLog, Stored};
use tokio::sync::watch;

/// What goes wrong with one append.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Nothing is stored, and the log says so.
    Fail,
    /// Nothing is stored, and no answer comes.
    Lose,
    /// It is stored, and no answer comes.
    Hush,
    /// It is stored, and the log says that nobody knows.
    Doubt,
    /// Nothing is stored, and whoever asked dies of it.
    Panic,
}

/// The log.
#[derive(Debug)]
pub struct FaultyLog {
    inner: MemoryLog,
    faults: Mutex<VecDeque<Fault>>,
    appends: AtomicUsize,
    creates_fail: AtomicBool,
    loads_fail: AtomicBool,
    damaged: AtomicBool,
    creates_panic: AtomicBool,
    retires_hang: AtomicBool,
    healthy: AtomicBool,
    open: watch::Sender<bool>,
}

impl FaultyLog {
    /// A log in order.
    pub fn new() -> Arc<FaultyLog> {
        Arc::new(FaultyLog {
            inner: MemoryLog::default(),
            faults: Mutex::default(),
            appends: AtomicUsize::new(0),
            creates_fail: AtomicBool::new(false),
            loads_fail: AtomicBool::new(false),
            damaged: AtomicBool::new(false),
            creates_panic: AtomicBool::new(false),
            retires_hang: AtomicBool::new(false),
            healthy: AtomicBool::new(true),
            open: watch::Sender::new(true),
        })
    }

    fn faults(&self) -> MutexGuard<'_, VecDeque<Fault>> {
        self.faults.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next appends go wrong like this, one after the other.
    pub fn next(&self, faults: &[Fault]) {
        self.faults().extend(faults);
    }

    /// Appends wait from now on.
    pub fn shut(&self) {
        self.open.send_replace(false);
    }

    /// Those that wait go on.
    pub fn open(&self) {
        self.open.send_replace(true);
    }

    /// How many appends have been asked for.
    pub fn appends(&self) -> usize {
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
    pub fn damage(&self, damaged: bool) {
        self.damaged.store(damaged, Ordering::SeqCst);
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
    pub async fn events(&self, room: RoomId) -> Vec<Stamped> {
        self.inner.load(room).await.map(|stored| stored.events).unwrap_or_default()
    }

    async fn opened(&self) {
        let mut open = self.open.subscribe();
        open.wait_for(|open| *open).await.expect("the log holds the sending end");
    }
}

impl EventLog for FaultyLog {
    fn create(&self, founding: Founding, events: Vec<Stamped>) -> BoxFuture<'_, Result<(), LogError>> {
        async move {
            self.opened().await;
            assert!(!self.creates_panic.load(Ordering::SeqCst), "as the test wants");
            if self.creates_fail.load(Ordering::SeqCst) {
                return Err(LogError::Unavailable("as the test wants".into()));
            }
            self.inner.create(founding, events).await
        }
        .boxed()
    }

    fn hold(&self, founding: Founding) -> BoxFuture<'_, Result<(), LogError>> {
        self.inner.hold(founding)
    }

    fn append(
        &self,
        room: RoomId,
        events: Vec<Stamped>,
        finished: Option<Finished>,
    ) -> BoxFuture<'_, Result<(), LogError>> {
        async move {
            self.appends.fetch_add(1, Ordering::SeqCst);
            let fault = self.faults().pop_front();
            self.opened().await;
            match fault {
                None => self.inner.append(room, events, finished).await,
                Some(Fault::Fail) => Err(LogError::Unavailable("as the test wants".into())),
                Some(Fault::Lose) => pending().await,
                Some(Fault::Hush) => {
                    self.inner.append(room, events, finished).await?;
                    pending().await
                }
                Some(Fault::Doubt) => {
                    self.inner.append(room, events, finished).await?;
                    Err(LogError::Unknown)
                }
                Some(Fault::Panic) => panic!("as the test wants"),
            }
        }
        .boxed()
    }

    fn load(&self, room: RoomId) -> BoxFuture<'_, Result<Stored, LogError>> {
        async move {
            if self.loads_fail.load(Ordering::SeqCst) {
                return Err(LogError::Unavailable("as the test wants".into()));
            }
            if self.damaged.load(Ordering::SeqCst) {
                return Err(LogError::Damaged("as the test wants".into()));
            }
            self.inner.load(room).await
        }
        .boxed()
    }

    fn since(&self, room: RoomId, after: Seq) -> BoxFuture<'_, Result<Vec<Stamped>, LogError>> {
        async move {
            if self.loads_fail.load(Ordering::SeqCst) {
                return Err(LogError::Unavailable("as the test wants".into()));
            }
            self.inner.since(room, after).await
        }
        .boxed()
    }

    fn keep(&self, room: RoomId, image: Image) -> BoxFuture<'_, Result<(), LogError>> {
        self.inner.keep(room, image)
    }

    fn recover(&self) -> BoxFuture<'_, Result<Vec<(Founding, Stored)>, LogError>> {
        self.inner.recover()
    }

    fn retire(&self, room: RoomId) -> BoxFuture<'_, Result<(), LogError>> {
        async move {
            if self.retires_hang.load(Ordering::SeqCst) {
                pending::<()>().await;
            }
            self.inner.retire(room).await
        }
        .boxed()
    }

    fn beat(&self, lived: Lived) {
        self.inner.beat(lived);
    }

    fn lived(&self) -> Lived {
        self.inner.lived()
    }

    fn healthy(&self) -> bool {
        self.healthy.load(Ordering::SeqCst)
    }

    fn broken(&self) -> BoxFuture<'_, ()> {
        self.inner.broken()
    }
}

/// A server whose log does as it is told, and is given up soon when it does not answer.
pub async fn faulty() -> (Server, Arc<FaultyLog>) {
    let log = FaultyLog::new();
    let mut setup = Setup { log: log.clone(), ..Setup::default() };
    setup.limits.append = Duration::from_millis(200);
    (Server::with(setup).await, log)
}

/// The same with a patience that no test exhausts.
pub async fn gated() -> (Server, Arc<FaultyLog>) {
    let log = FaultyLog::new();
    let mut setup = Setup { log: log.clone(), ..Setup::default() };
    setup.limits.append = Duration::from_secs(60);
    (Server::with(setup).await, log)
}
