//! The authority: pairs players into rooms and judges every move over the shared rules.
//!
//! Dependencies point one way: [`run`] → [`http`] → [`connection`] → {[`lobby`], [`registry`],
//! [`room`]'s handle}; `room::task` → [`room`] (pure) → the protocol; `room::task` → [`log`]. The pure
//! room knows no log, no runtime and no socket.

pub mod config;
pub mod connection;
pub mod dice;
pub mod host;
pub mod http;
pub mod lobby;
pub mod log;
pub mod metrics;
pub mod outbox;
pub mod rate_limit;
pub mod registry;
pub mod room;
pub mod shutdown;
pub mod time;

use std::sync::Arc;

use tokio::net::TcpListener;
use tokio::time::timeout;
use tokio_util::task::TaskTracker;
use tracing::{info, warn};

use config::Limits;
use dice::Dice;
use host::Host;
use log::EventLog;

/// Runs a server on `listener` until `shutdown` is done, then drains: nothing new begins, every
/// client is told when to come back, what was accepted is finished. Listener, log, dice and shutdown
/// come from outside, so that a test brings its own.
pub async fn run(
    listener: TcpListener,
    limits: Limits,
    log: Arc<dyn EventLog>,
    dice: Dice,
    shutdown: impl Future<Output = ()>,
) {
    let drain = limits.drain;
    let (lobby, inbox) = lobby::task::handle(limits.lobby_inbox);
    let host = Host::new(limits, log, dice, lobby);
    let tasks = TaskTracker::new();
    host.actors.spawn(lobby::task::run(host.clone(), inbox, host.stopping.clone()));
    tasks.spawn(http::run(listener, host.clone(), tasks.clone()));

    shutdown.await;
    info!(connections = host.metrics.connections.get(), rooms = host.registry.len(), "draining");
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
}
