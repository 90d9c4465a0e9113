//! The server of Noughts: pairs players into rooms, and is the authority over every move.
//!
//! ```text
//!  client ── TCP/TLS ── net ── WebSocket ── connection ──┬── lobby ──── pairs seekers, opens rooms
//!                        │                  one task     │
//!                        │                               └── room ───── one task: decide → append → apply → broadcast
//!                 limits, origin                               │  ▲
//!                                                              ▼  │
//!                     send_queue ◄── broadcast ──────────── store (EventLog: SQLite or memory)
//!                     to each member
//! ```
//!
//! - `net` accepts connections, terminates TLS, responds to HTTP and performs the WebSocket handshake.
//! - `connection` is one task per WebSocket. It parses requests, applies rate limits and forwards them. It makes no
//!   decision about games and never waits for a room.
//! - `lobby` pairs seekers. Its task opens rooms and registers them in `room::registry`.
//! - `room` is split: `room` itself is pure (`decide` turns a command into events, `apply` folds events), `room::task`
//!   stores the events before it applies and broadcasts them.
//! - `store` is the only storage interface: [`testing::EventLog`].
//! - `send_queue` is the bounded path from rooms and lobby to a connection.
//! - `limits` is admission control: quotas, message rates and failed key look-ups.
//! - `operator` is the socket of the operator in the data directory: bans, announcements, drain.
//! - `runtime` contains the parts that the tasks share. `runtime::clock` is the only reader of the system clock,
//!   `runtime::rng` the only source of randomness. Both are arguments of [`run`].
//!
//! # Order of a run
//!
//! [`run_program`] reads the settings and the stored data, binds the listener and calls the same code as [`run`]:
//!
//! 1. It reopens the rooms that the log has open.
//! 2. It starts the tasks of the lobby and of the feed, and accepts connections.
//! 3. After `shutdown`, or when the log fails permanently, it announces the end to every client. It waits for the
//!    connections first and for the rooms after them, because accepted requests still reach their rooms.
//!
//! # Start reading here
//!
//! [`run`] in this file, then `connection.rs` (`Connection::poll` and its state table), `connection/requests.rs`,
//! `room.rs` (`decide`, `apply`) and `room/task.rs`. `config/server_limits.rs` lists every limit. Hand-written
//! replacements of standard parts explain themselves at their top: `runtime/sync.rs`, `send_queue.rs`,
//! `connection/socket.rs`.

mod cli;
#[cfg(feature = "cluster")]
mod cluster;
mod config;
mod connection;
mod identity;
mod limits;
mod lobby;
mod net;
#[cfg(not(feature = "cluster"))]
mod no_cluster;
mod operator;
mod room;
mod runtime;
mod send_queue;
mod store;

use std::convert::Infallible;
use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::task::JoinSet;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tracing::{info, warn};

pub use cli::run_program;
#[cfg(feature = "cluster")]
pub use config::{ClusterAccess, ClusterCommand, ClusterConfig, ClusterServers};
pub use config::{
    CtlArgs, DataLocation, GamesCommand, NetworkConfig, PublicUrl, ServerCommand, ServerConfig,
    ServerLimits,
};
#[cfg(any(test, not(feature = "cluster")))]
pub use config::{NoCluster, NoClusterCommand};

use crate::net::accept::{Listener, TlsCertificate};
use crate::net::status;
use crate::runtime::clock;
use crate::runtime::clock::{RestartSchedule, ServerClock};
#[cfg(feature = "cluster")]
use cluster::cluster_node::ClusterNode;
use net::http;
use net::status::StatusPages;
#[cfg(not(feature = "cluster"))]
use no_cluster::NoClusterNode as ClusterNode;
use operator::OperatorParts;
use runtime::context::{ServerContext, ServerEnd};
use runtime::rng::ServerRng;
use store::EventLog;

/// Interfaces for tests of the whole server, and the arguments of [`run`]. Not a stable API.
pub mod testing {
    #[cfg(all(feature = "cluster", feature = "faults"))]
    pub use crate::cli::read_cluster;
    #[cfg(all(feature = "cluster", feature = "faults"))]
    pub use crate::cluster::model::{ModelCluster, ModelServer, PlantedFault, StoredChange};
    #[cfg(all(feature = "cluster", feature = "faults"))]
    pub use crate::cluster::nats::handover_watch::{HandoverWatch, ShardHandover, stream_of_room};
    #[cfg(all(feature = "cluster", feature = "faults"))]
    pub use crate::cluster::nats::shard_contention::{ContentionReport, compete_for_shards};
    #[cfg(feature = "cluster")]
    pub use crate::config::DisabledCheck;
    pub use crate::net::accept::{Listener, bind};
    pub use crate::net::accept::{TlsCertificate, TlsError};
    pub use crate::room::Room;
    pub use crate::runtime::clock::ServerClock;
    pub use crate::runtime::fault_injection::{InjectedFault, InjectedFaults};
    pub use crate::runtime::rng::ServerRng;
    pub use crate::store::sqlite::{DataDirError, Durability, SqliteLog, SqliteOptions};
    pub use crate::store::{
        ArchiveReader, Checkpoint, EventLog, FinishedGame, LogError, LogOp, LogReply, LogResult,
        MemoryLog, RoomSecrets, StoreStats, StoredRoom,
    };
}

/// Runs a server on `listener` until `shutdown` completes or the log fails permanently, then drains it.
///
/// A draining server starts no new work: it sends every client the time to reconnect, and completes accepted requests.
/// The connections and the rooms each have `limits.drain_timeout` to end. The announced time is the duration of the
/// last restart, so `clock` must have started with the process.
///
/// # Errors
/// If the rooms cannot be reopened, or the log has failed permanently.
pub async fn run(
    listener: impl Listener,
    tls: Option<Arc<TlsCertificate>>,
    limits: ServerLimits,
    log: Arc<dyn EventLog>,
    rng: ServerRng,
    clock: ServerClock,
    shutdown: impl Future<Output = ()>,
) -> Result<(), RunError> {
    let stop_announced = CancellationToken::new();
    let parts = ServerParts {
        listener,
        admin_listener: None,
        tls,
        limits: Arc::new(limits),
        is_final: false,
        log,
        rng,
        clock,
        node: None,
        operator: OperatorParts::default(),
        stop_announced,
    };
    run_parts(parts, || {}, shutdown).await
}

/// Parts of a server. The program passes more parts than the arguments of [`run`].
struct ServerParts<L> {
    listener: L,
    /// Listener of the status pages. If it exists, the port of the players has no `/metrics`.
    admin_listener: Option<TcpListener>,
    tls: Option<Arc<TlsCertificate>>,
    limits: Arc<ServerLimits>,
    /// Whether no server follows the end of this server.
    is_final: bool,
    log: Arc<dyn EventLog>,
    rng: ServerRng,
    clock: ServerClock,
    /// Makes the server a node of a cluster.
    node: Option<ClusterNode>,
    operator: OperatorParts,
    /// Cancelled some time before the shutdown. From then on the server reports that it is not ready, but it still
    /// serves.
    stop_announced: CancellationToken,
}

/// Runs a server as [`run`] does, and calls a function when the server accepts connections.
async fn run_parts(
    parts: ServerParts<impl Listener>,
    on_ready: impl FnOnce(),
    shutdown: impl Future<Output = ()>,
) -> Result<(), RunError> {
    let ServerParts {
        listener,
        admin_listener,
        tls,
        limits,
        is_final,
        log,
        rng,
        clock,
        mut node,
        operator,
        stop_announced,
    } = parts;
    let drain_timeout = limits.drain_timeout;
    let (lobby, inbox) = lobby::handle::lobby_channel(limits.lobby_inbox);
    let (feed, feed_inbox) = lobby::handle::feed_channel(limits.lobby_inbox);
    let ctx = ServerContext::new(limits, log, rng, clock, lobby, feed);
    let connections = TaskTracker::new();
    let reopened_count = match &mut node {
        Some(node) => node.start(&ctx).await,
        None => lobby::restoration::reopen_rooms(&ctx).await?,
    };
    if reopened_count > 0 {
        info!(rooms = reopened_count, "rooms restored");
    }
    let inbox = match &mut node {
        Some(node) => node.join_lobby(&ctx, inbox),
        None => inbox,
    };
    if let Some(node) = node {
        let node_ctx = ctx.clone();
        ctx.actors.spawn(async move {
            node.run(node_ctx).await;
        });
    }
    let detector_ctx = ctx.clone();
    ctx.actors.spawn(async move {
        detector_ctx
            .stopping
            .run_until_cancelled(detector_ctx.shared.time.detect_suspends())
            .await;
    });
    ctx.actors
        .spawn(lobby::task::run(ctx.clone(), inbox, ctx.stopping.clone()));
    ctx.actors.spawn(lobby::feed::run(
        ctx.clone(),
        feed_inbox,
        ctx.stopping.clone(),
    ));
    let shows_metrics = admin_listener.is_none();
    // The admin listener runs until the end of this function, because its pages report the progress of draining.
    let mut admin = JoinSet::new();
    if let Some(listener) = admin_listener {
        let hosts = ctx.limits.network.allow_host.clone();
        admin.spawn(status::run(
            listener,
            hosts,
            StatusPages::new(ctx.clone(), tls.clone()),
        ));
    }
    if let Some(bans) = operator.bans {
        // Before the first client.
        ctx.bans.use_file(bans).await;
    }
    if let Some(socket) = operator.socket {
        admin.spawn(socket.serve(ctx.clone()));
    }
    connections.spawn(http::run(
        listener,
        tls,
        ctx.clone(),
        connections.clone(),
        shows_metrics,
    ));
    let restart = if ctx.placement().is_some() {
        OTHER_NODE_TIME
    } else {
        expected_restart(&ctx)
    };
    on_ready();

    let announcement = async {
        stop_announced.cancelled().await;
        ctx.announce_stop();
        pending::<Infallible>().await
    };
    let store_failed = tokio::select! {
        biased;
        () = shutdown => false,
        () = ctx.shared.event_log.failed() => true,
        never = announcement => match never {},
    };
    info!(
        connections = ctx.shared.metrics.connections.get(),
        rooms = ctx.shared.registry.len(),
        "drain started"
    );
    let stop = ctx.shared.time.now();
    ctx.shared.event_log.record_stop(stop);
    let connection_count = ctx.shared.metrics.connections.get().unsigned_abs();
    ctx.announce_end(if is_final {
        ServerEnd::Final
    } else {
        ServerEnd::Restart(RestartSchedule::new(stop, restart, connection_count))
    });
    // The connections end before the rooms, so that accepted requests reach the rooms.
    connections.close();
    if timeout(drain_timeout, connections.wait()).await.is_err() {
        warn!(
            remaining = connections.len(),
            "drain timeout: aborting connections"
        );
    }
    ctx.stopping.cancel();
    ctx.actors.close();
    if timeout(drain_timeout, ctx.actors.wait()).await.is_err() {
        warn!(
            remaining = ctx.actors.len(),
            "drain timeout: aborting rooms"
        );
    }
    // While the store locks the directory: later, the socket could be the next server's.
    admin.shutdown().await;
    info!("server stopped");
    if store_failed {
        Err(RunError::Log)
    } else {
        Ok(())
    }
}

/// Time until the clients of a stopping node should return to the cluster, where other nodes serve them.
const OTHER_NODE_TIME: Duration = Duration::from_millis(250);

/// Returns the time that the next restart is expected to take. The server accepts connections now.
fn expected_restart(ctx: &ServerContext) -> Duration {
    let time = &ctx.shared.time;
    let outage = ctx
        .shared
        .event_log
        .previous_stop()
        .and_then(|stop| time.now().checked_sub(stop));
    let longest_stop = ctx.limits.drain_timeout.saturating_mul(2);
    let start = Duration::from_millis(time.now().saturating_sub(time.started_at()));
    clock::expected_restart(start, outage.map(Duration::from_millis), longest_stop)
}

/// Failure of a server.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The stored rooms could not be reopened.
    #[error("cannot restore rooms: {0}")]
    Reopen(#[from] lobby::restoration::ReopenError),
    /// The log has failed permanently.
    #[error("log failed permanently")]
    Log,
}

#[cfg(test)]
mod tests;
