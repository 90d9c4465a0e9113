//! Faults of a server: each violates one guarantee of README.md, so that its check is seen to fail. Most need no code
//! in the server: they change its limits, its log, or the bytes between it and its clients.

use std::sync::Arc;
use std::time::Duration;

use noughts_server::ServerLimits;
use noughts_server::testing::{EventLog, InjectedFault, InjectedFaults};

use super::faulty_log::{FaultyLog, LogFault};
use super::faulty_wire::WireFault;

/// One fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// A deliberate bug in the rooms of the server.
    Room(InjectedFault),
    Limit(LimitFault),
    Log(LogFault),
    Wire(WireFault),
}

/// A limit that does not limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LimitFault {
    /// P7: lets the opponent claim the game immediately after a disconnect.
    ForfeitOnDisconnect,
    /// P9: the send queue is unbounded.
    UnboundedSendQueue,
    /// P10: sends no ping, so that no pong can be missing.
    SendNoPings,
}

impl Fault {
    /// Changes the limits of a server, if the fault is in a limit or a room.
    pub fn change_limits(self, limits: &mut ServerLimits) {
        match self {
            Fault::Room(fault) => limits.faults = InjectedFaults::from_fault(fault),
            Fault::Limit(LimitFault::ForfeitOnDisconnect) => {
                limits.reconnect_grace = Duration::ZERO;
            }
            Fault::Limit(LimitFault::UnboundedSendQueue) => limits.send_queue = 1 << 20,
            Fault::Limit(LimitFault::SendNoPings) => {
                limits.ping_interval = Duration::from_secs(100_000);
            }
            Fault::Log(_) | Fault::Wire(_) => {}
        }
    }

    /// Wraps the log of a server, if the fault is in the log.
    pub fn wrap_log(self, log: Arc<dyn EventLog>) -> Arc<dyn EventLog> {
        match self {
            Fault::Log(fault) => Arc::new(FaultyLog::new(log, fault)),
            Fault::Room(_) | Fault::Limit(_) | Fault::Wire(_) => log,
        }
    }

    /// Returns the fault, if it lies between the server and its clients.
    pub fn wire(self) -> Option<WireFault> {
        match self {
            Fault::Wire(fault) => Some(fault),
            Fault::Room(_) | Fault::Limit(_) | Fault::Log(_) => None,
        }
    }
}
