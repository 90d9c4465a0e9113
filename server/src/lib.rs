//! The authority: pairs players into rooms and judges every move over the shared rules.
//!
//! Dependencies point one way: [`run`] → [`net`] → [`connection`] → {[`lobby`], [`registry`],
//! [`room`]'s handle}; `room::task` → [`room`] (pure) → the protocol; `room::task` → [`store`]. The pure
//! room knows no log, no runtime and no socket.

pub mod cli;
pub mod config;
pub mod connection;
pub mod context;
pub mod fault_injection;
pub mod limits;
pub mod lobby;
pub mod metrics;
pub mod net;
pub mod registry;
pub mod rng;
pub mod room;
pub mod send_queue;
pub mod shutdown;
pub mod store;
pub mod sync;
pub mod time;

use std::net::{IpAddr, Ipv4Addr, SocketAddr, UdpSocket};
use std::sync::Arc;

use tokio::time::timeout;
use tokio_util::task::TaskTracker;
use tracing::{info, warn};

use config::ServerLimits;
use context::ServerContext;
use net::http;
use net::listener::Listener;
use net::tls::TlsCertificate;
use rng::ServerRng;
use store::EventLog;
use time::server_clock::ServerClock;

/// Opens the rooms of the log again and runs a server on `listener` until `shutdown` is done or the
/// log has failed for good. Then drains: nothing new begins, every client is told when to come back,
/// what was accepted is finished. Listener, log, dice, time and shutdown come from outside, so that a
/// test brings its own.
///
/// # Errors
/// When the rooms of the log cannot be opened, or the log has failed for good.
pub async fn run(
    listener: impl Listener,
    tls: Option<Arc<TlsCertificate>>,
    limits: ServerLimits,
    log: Arc<dyn EventLog>,
    rng: ServerRng,
    time: ServerClock,
    shutdown: impl Future<Output = ()>,
) -> Result<(), RunError> {
    let drain = limits.drain;
    let (lobby, inbox) = lobby::task::channel(limits.lobby_inbox);
    let ctx = ServerContext::new(limits, log, rng, time, lobby);
    let tasks = TaskTracker::new();
    let reopened_count = lobby::task::reopen_rooms(&ctx).await?;
    if reopened_count > 0 {
        info!(rooms = reopened_count, "rooms of an earlier run are open again");
    }
    ctx.heartbeat.start(config::millis(drain));
    let heartbeat_ctx = ctx.clone();
    ctx.actors.spawn(async move {
        let heartbeat =
            heartbeat_ctx.heartbeat.run(&*heartbeat_ctx.log, || !heartbeat_ctx.registry.is_empty());
        heartbeat_ctx.stopping.run_until_cancelled(heartbeat).await;
    });
    let detector_ctx = ctx.clone();
    ctx.actors.spawn(async move {
        detector_ctx.stopping.run_until_cancelled(detector_ctx.time.detect_suspends()).await;
    });
    ctx.actors.spawn(lobby::task::run(ctx.clone(), inbox, ctx.stopping.clone()));
    tasks.spawn(http::run(listener, tls, ctx.clone(), tasks.clone()));

    let store_failed = tokio::select! {
        biased;
        () = shutdown => false,
        () = ctx.log.failed() => true,
    };
    info!(connections = ctx.metrics.connections.get(), rooms = ctx.registry.len(), "draining");
    // Who thinks is about to be sent away: that is no time to hold against anybody.
    if let Some(uptime) = ctx.heartbeat.stop() {
        ctx.log.record_uptime(uptime);
    }
    // First the connections, so that what they had under way reaches its room; then the rooms.
    ctx.draining.cancel();
    tasks.close();
    if timeout(drain, tasks.wait()).await.is_err() {
        warn!(left = tasks.len(), "connections did not end in time");
    }
    ctx.stopping.cancel();
    ctx.actors.close();
    if timeout(drain, ctx.actors.wait()).await.is_err() {
        warn!(left = ctx.actors.len(), "rooms did not end in time");
    }
    info!("stopped");
    if store_failed { Err(RunError::Log) } else { Ok(()) }
}

/// Why a server ended that was not told to.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The rooms of the log could not be opened.
    #[error("the games of an earlier run cannot be taken up: {0}")]
    Reopen(#[from] lobby::task::ReopenError),
    /// The log has failed in a way that does not pass.
    #[error("the log has failed")]
    Log,
}

/// The address that somebody else can type. Every address is none: then the one by which this
/// machine would reach out. Connecting a datagram socket sends nothing.
pub fn reachable_address(bound: SocketAddr) -> SocketAddr {
    if !bound.ip().is_unspecified() {
        return bound;
    }
    let outward = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0)).and_then(|socket| {
        socket.connect((Ipv4Addr::new(192, 0, 2, 1), 9))?;
        socket.local_addr()
    });
    SocketAddr::new(outward.map_or(IpAddr::V4(Ipv4Addr::LOCALHOST), |address| address.ip()), bound.port())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    /// Waits for a condition of another thread, ten seconds at most.
    pub(crate) async fn wait_until(condition: impl Fn() -> bool) {
        let waited = tokio::time::timeout(Duration::from_secs(10), async {
            while !condition() {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        });
        waited.await.expect("the condition came true in ten seconds");
    }
}
