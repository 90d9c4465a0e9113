//! Everything that the tasks of all rooms share.

use std::sync::{Arc, Mutex};

use noughts_protocol::wire::RejectCode;
use tokio_util::sync::CancellationToken;

use crate::config::ServerLimits;
use crate::limits::archive_budget::ArchiveBudget;
use crate::limits::byte_budget::ByteBudgets;
use crate::room::registry::Registry;
use crate::runtime::metrics::Metrics;
use crate::runtime::population::Population;
use crate::runtime::rng::ServerRng;
use crate::runtime::time::server_clock::ServerClock;
use crate::store::EventLog;

/// Data and limits shared by the tasks of all rooms.
#[derive(Debug)]
pub(crate) struct RoomContext {
    /// Clock of the server.
    pub time: ServerClock,
    /// Store in which events become durable.
    pub event_log: Arc<dyn EventLog>,
    /// Budgets of the clients for finished games that are kept.
    pub archive_budget: Mutex<ArchiveBudget>,
    /// Budgets of the clients for what their spectators are sent.
    pub spectator_budgets: ByteBudgets,
    /// Counters of the server.
    pub metrics: Arc<Metrics>,
    /// Numbers of connections and running games.
    pub population: Population,
    /// Source of the tokens of substitutes.
    pub rng: Arc<ServerRng>,
    /// Index of the open rooms.
    pub registry: Arc<Registry>,
    /// Cancelled when the server begins to stop.
    pub draining: CancellationToken,
    pub limits: Arc<ServerLimits>,
}

impl RoomContext {
    /// Returns the reject code for a room that does not run and that the log may contain. `unknown_room` would make a client
    /// give up its seat; if another server can replace this one, that server may restore the room, so the code is `unavailable`.
    pub(crate) fn ended_room_code(&self) -> RejectCode {
        if self.event_log.can_be_replaced() {
            RejectCode::Unavailable
        } else {
            RejectCode::UnknownRoom
        }
    }
}
