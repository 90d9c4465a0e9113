//! What everybody in a run shares: the plan, the disk, the notes, the telephone.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use noughts_protocol::{RoomCode, RoomId, Seq};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use crate::disk::SimDisk;
use crate::plan::{Plan, SimMachine};
use crate::trace::Trace;

/// The world of one run.
#[derive(Debug)]
pub(crate) struct SimState {
    pub(crate) plan: Plan,
    pub(crate) disk: Arc<SimDisk>,
    pub(crate) trace: Arc<Trace>,
    /// Told to the server that is to stop.
    pub(crate) stop: Notify,
    /// Told to the bot at the end.
    pub(crate) bot_stop: CancellationToken,
    /// How often a program of each kind was started, so that each takes a course of its own.
    starts: AtomicUsize,
    finishing: AtomicBool,
    inner: Mutex<SimStateInner>,
}

#[derive(Debug, Default)]
struct SimStateInner {
    connections: Vec<ConnectionTrace>,
    /// What the host of the private room tells the guest.
    shared_code: Option<RoomCode>,
    /// Who has done all that was to be done.
    done: BTreeSet<&'static str>,
}

/// What came over one connection.
#[derive(Debug)]
pub(crate) struct ConnectionTrace {
    pub(crate) actor: &'static str,
    pub(crate) machine: SimMachine,
    /// Every text.
    pub(crate) text: String,
    /// When it last brought anything.
    pub(crate) last_received: Duration,
    pub(crate) welcomed: bool,
    /// The server has said that it restarts, and then with which code it closed.
    pub(crate) restarting: bool,
    pub(crate) closed: Option<u16>,
    /// The line has ended: by the server or the network, or by the client itself.
    pub(crate) ended: bool,
    pub(crate) dropped: bool,
    /// The stays in rooms, each from the view that it began with to the last event.
    pub(crate) stays: Vec<RoomStay>,
}

/// A connection's time in a room.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RoomStay {
    pub(crate) room: RoomId,
    pub(crate) from: Option<Seq>,
    pub(crate) to: Option<Seq>,
}

impl SimState {
    pub(crate) fn new(plan: Plan) -> Arc<SimState> {
        let trace = Arc::new(Trace::default());
        Arc::new(SimState {
            disk: SimDisk::new(&plan, Arc::clone(&trace)),
            trace,
            stop: Notify::new(),
            bot_stop: CancellationToken::new(),
            starts: AtomicUsize::new(0),
            finishing: AtomicBool::new(false),
            inner: Mutex::default(),
            plan,
        })
    }

    fn inner(&self) -> MutexGuard<'_, SimStateInner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn record(&self, actor: &str, what: fmt::Arguments<'_>) {
        self.trace.record(actor, what);
    }

    pub(crate) fn record_violation(&self, actor: &str, what: fmt::Arguments<'_>) {
        self.trace.record_violation(actor, what);
    }

    /// A seed that no program has had in this run.
    pub(crate) fn fresh_seed(&self) -> u64 {
        let starts = self.starts.fetch_add(1, Ordering::Relaxed) as u64;
        self.plan.seed.wrapping_mul(1_000_003).wrapping_add(starts)
    }

    /// Everybody is to come to an end.
    pub(crate) fn finish(&self) {
        self.finishing.store(true, Ordering::Relaxed);
    }

    pub(crate) fn is_finishing(&self) -> bool {
        self.finishing.load(Ordering::Relaxed)
    }

    /// The host of the private room has a new code, or none any more.
    pub(crate) fn share_code(&self, code: Option<RoomCode>) {
        self.inner().shared_code = code;
    }

    pub(crate) fn shared_code(&self) -> Option<RoomCode> {
        self.inner().shared_code
    }

    pub(crate) fn mark_done(&self, actor: &'static str) {
        self.record(actor, format_args!("done"));
        self.inner().done.insert(actor);
    }

    pub(crate) fn finished_actors(&self) -> BTreeSet<&'static str> {
        self.inner().done.clone()
    }

    /// Begins the notes of a connection, and gives their number.
    pub(crate) fn add_connection(&self, actor: &'static str, machine: SimMachine) -> usize {
        let mut inner = self.inner();
        inner.connections.push(ConnectionTrace {
            actor,
            machine,
            text: String::new(),
            last_received: self.trace.now(),
            welcomed: false,
            restarting: false,
            closed: None,
            ended: false,
            dropped: false,
            stays: Vec::new(),
        });
        inner.connections.len() - 1
    }

    pub(crate) fn with_connection<T>(
        &self,
        number: usize,
        update: impl FnOnce(&mut ConnectionTrace) -> T,
    ) -> T {
        update(&mut self.inner().connections[number])
    }

    pub(crate) fn with_connections<T>(&self, read: impl FnOnce(&[ConnectionTrace]) -> T) -> T {
        read(&self.inner().connections)
    }
}
