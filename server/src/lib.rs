//! The authority: pairs players into rooms and judges every move over the shared rules.
//!
//! Dependencies point one way: [`run`] → [`http`] → [`connection`] → {[`lobby`], [`registry`],
//! [`room`]'s handle}; `room::task` → [`room`] (pure) → the protocol; `room::task` → [`log`]. The pure
//! room knows no log, no runtime and no socket.

pub mod archive;
pub mod besides;
pub mod config;
pub mod connection;
pub mod dice;
pub mod fault;
pub mod guesses;
pub mod host;
pub mod http;
pub mod lived;
pub mod lobby;
pub mod log;
pub mod mailbox;
pub mod metrics;
pub mod network;
pub mod outbox;
pub mod places;
pub mod pulse;
pub mod rate_limit;
pub mod registry;
pub mod room;
pub mod seldom;
pub mod shutdown;
pub mod time;
pub mod tls;

use std::net::{IpAddr, Ipv4Addr, SocketAddr, UdpSocket};
use std::sync::Arc;

use tokio::time::timeout;
use tokio_util::task::TaskTracker;
use tracing::{info, warn};

use config::Limits;
use dice::Dice;
use host::Host;
use http::Listen;
use log::EventLog;
use time::Time;
use tls::Tls;

/// Opens the rooms of the log again and runs a server on `listener` until `shutdown` is done or the
/// log has failed for good. Then drains: nothing new begins, every client is told when to come back,
/// what was accepted is finished. Listener, log, dice, time and shutdown come from outside, so that a
/// test brings its own.
///
/// # Errors
/// When the rooms of the log cannot be opened, or the log has failed for good.
pub async fn run(
    listener: impl Listen,
    tls: Option<Arc<Tls>>,
    limits: Limits,
    log: Arc<dyn EventLog>,
    dice: Dice,
    time: Time,
    shutdown: impl Future<Output = ()>,
) -> Result<(), RunError> {
    let drain = limits.drain;
    let (lobby, inbox) = lobby::task::handle(limits.lobby_inbox);
    let host = Host::new(limits, log, dice, time, lobby);
    let tasks = TaskTracker::new();
    let reopened = lobby::task::reopen(&host).await?;
    if reopened > 0 {
        info!(rooms = reopened, "rooms of an earlier run are open again");
    }
    host.pulse.begin(config::millis(drain));
    let beating = host.clone();
    host.actors.spawn(async move {
        let beat = beating.pulse.run(&*beating.log, || !beating.registry.is_empty());
        beating.stopping.run_until_cancelled(beat).await;
    });
    let watched = host.clone();
    host.actors.spawn(async move {
        watched.stopping.run_until_cancelled(watched.time.watch()).await;
    });
    host.actors.spawn(lobby::task::run(host.clone(), inbox, host.stopping.clone()));
    tasks.spawn(http::run(listener, tls, host.clone(), tasks.clone()));

    let broken = tokio::select! {
        biased;
        () = shutdown => false,
        () = host.log.broken() => true,
    };
    info!(connections = host.metrics.connections.get(), rooms = host.registry.len(), "draining");
    // Who thinks is about to be sent away: that is no time to hold against anybody.
    if let Some(lived) = host.pulse.end() {
        host.log.beat(lived);
    }
    // First the connections, so that what they had under way reaches its room; then the rooms.
    host.draining.cancel();
    tasks.close();
    if timeout(drain, tasks.wait()).await.is_err() {
        warn!(left = tasks.len(), "connections did not end in time");
    }
    host.stopping.cancel();
    host.actors.close();
    if timeout(drain, host.actors.wait()).await.is_err() {
        warn!(left = host.actors.len(), "rooms did not end in time");
    }
    info!("stopped");
    if broken { Err(RunError::Log) } else { Ok(()) }
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
pub fn reachable(bound: SocketAddr) -> SocketAddr {
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
    pub(crate) async fn until(condition: impl Fn() -> bool) {
        let waited = tokio::time::timeout(Duration::from_secs(10), async {
            while !condition() {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        });
        waited.await.expect("the condition came true in ten seconds");
    }
}
