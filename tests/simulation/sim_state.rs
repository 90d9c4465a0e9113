//! State shared by all parts of a run: plan, disk, trace, connections.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use noughts_protocol::{RoomCode, RoomId, Seq};
use noughts_server::testing::ModelCluster;
use noughts_tests::lock::lock;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use crate::cluster::plan::{ClusterPlan, NODES, SHARDS};
use crate::disk::SimDisk;
use crate::network::SERVER;
use crate::plan::{Plan, SimMachine};
use crate::trace::Trace;

/// Shared state of a run.
#[derive(Debug)]
pub(crate) struct SimState {
    pub(crate) plan: Plan,
    pub(crate) disk: Arc<SimDisk>,
    pub(crate) trace: Arc<Trace>,
    /// Notified to stop the server.
    pub(crate) stop: Notify,
    /// The nodes in place of the server, in a plan with nodes.
    pub(crate) cluster: Option<SimCluster>,
    /// Cancelled to stop the bot.
    pub(crate) bot_stop: CancellationToken,
    /// Number of program starts, which seeds the next program.
    starts: AtomicUsize,
    /// Number of attempts to connect. It selects the node that each attempt tries first.
    connects: AtomicUsize,
    finishing: AtomicBool,
    inner: Mutex<SimStateInner>,
}

/// The nodes of a run and their log.
#[derive(Debug)]
pub(crate) struct SimCluster {
    pub(crate) plan: ClusterPlan,
    pub(crate) model: ModelCluster,
    /// For each node, notified to stop it.
    pub(crate) stops: [Notify; NODES.len()],
}

#[derive(Debug, Default)]
struct SimStateInner {
    connections: Vec<ConnectionTrace>,
    /// Code of the private room, which the host passes to the guest outside the network.
    shared_code: Option<RoomCode>,
    /// Clients that have finished.
    done: BTreeSet<&'static str>,
    /// Last event of each room that any client has received.
    received: BTreeMap<RoomId, Seq>,
}

/// Observations on one connection.
#[derive(Debug)]
pub(crate) struct ConnectionTrace {
    pub(crate) actor: &'static str,
    pub(crate) machine: SimMachine,
    /// All received text.
    pub(crate) text: String,
    /// Time of the last receipt.
    pub(crate) last_received: Duration,
    pub(crate) welcomed: bool,
    /// Whether a restart was announced, and the close code.
    pub(crate) restarting: bool,
    pub(crate) closed: Option<u16>,
    /// Whether the connection has ended, on either side.
    pub(crate) ended: bool,
    pub(crate) dropped: bool,
    /// Periods in rooms, each from its first snapshot to its last event.
    pub(crate) stays: Vec<RoomStay>,
}

/// Period of a connection in a room.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RoomStay {
    pub(crate) room: RoomId,
    pub(crate) from: Option<Seq>,
    pub(crate) to: Option<Seq>,
}

impl SimState {
    pub(crate) fn new(plan: Plan) -> Arc<SimState> {
        let trace = Arc::new(Trace::default());
        let disk = SimDisk::new(&plan, Arc::clone(&trace));
        let cluster = plan.cluster.map(|cluster| {
            let (clock, mirror) = (Arc::clone(&trace), Arc::clone(&disk));
            let shape = [NODES.len() as u16, SHARDS];
            let on_stored = move |change| mirror.mirror(change);
            let model = ModelCluster::new(
                plan.seed,
                shape,
                cluster.planted,
                move || clock.now(),
                on_stored,
            );
            SimCluster {
                plan: cluster,
                model,
                stops: Default::default(),
            }
        });
        Arc::new(SimState {
            disk,
            cluster,
            trace,
            stop: Notify::new(),
            bot_stop: CancellationToken::new(),
            starts: AtomicUsize::new(0),
            connects: AtomicUsize::new(0),
            finishing: AtomicBool::new(false),
            inner: Mutex::default(),
            plan,
        })
    }

    fn inner(&self) -> MutexGuard<'_, SimStateInner> {
        lock(&self.inner)
    }

    pub(crate) fn record(&self, actor: &str, what: fmt::Arguments<'_>) {
        self.trace.record(actor, what);
    }

    pub(crate) fn record_violation(&self, actor: &str, what: fmt::Arguments<'_>) {
        self.trace.record_violation(actor, what);
    }

    /// Returns a seed that no other program of the run uses.
    pub(crate) fn fresh_seed(&self) -> u64 {
        let starts = self.starts.fetch_add(1, Ordering::Relaxed) as u64;
        self.plan.seed.wrapping_mul(1_000_003).wrapping_add(starts)
    }

    /// Returns the host names of the server or of the nodes.
    pub(crate) fn hosts(&self) -> &'static [&'static str] {
        if self.cluster.is_some() {
            &NODES
        } else {
            &[SERVER]
        }
    }

    /// Checks the log of the nodes.
    pub(crate) fn audit(&self) -> Result<(), String> {
        self.cluster
            .as_ref()
            .map_or(Ok(()), |cluster| cluster.model.audit())
    }

    /// Returns the index of the host that the next connection tries first.
    pub(crate) fn next_host(&self) -> usize {
        self.connects.fetch_add(1, Ordering::Relaxed)
    }

    /// Returns the last event of each room that any client has received.
    pub(crate) fn received_seqs(&self) -> BTreeMap<RoomId, Seq> {
        self.inner().received.clone()
    }

    /// Records that a client has received the state of a room after an event.
    pub(crate) fn record_received(&self, room: RoomId, seq: Seq) {
        let mut inner = self.inner();
        let last = inner.received.entry(room).or_default();
        *last = seq.max(*last);
    }

    /// Requests all clients to finish.
    pub(crate) fn finish(&self) {
        self.finishing.store(true, Ordering::Relaxed);
    }

    pub(crate) fn is_finishing(&self) -> bool {
        self.finishing.load(Ordering::Relaxed)
    }

    /// Shares a new code of the private room, or removes it.
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

    /// Adds a connection; returns its number.
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
