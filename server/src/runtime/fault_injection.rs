//! Deliberate bugs for the guarantee suite: the test of each guarantee must fail on a server that violates it.
//!
//! Faults exist only with the feature `faults`, which no program enables. Without it, [`InjectedFaults::is_on`] is the
//! constant `false`, and the compiler removes every site.

/// A violation of one guarantee of tests/README.md that only code of a room can produce. All other faults of the suite
/// change the limits of a server, its log, or the bytes between it and its clients.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InjectedFault {
    /// P2: executes a repeated request again. Only the room knows the ids of executed requests.
    RepeatDuplicateRequests,
    /// P6: accepts moves out of turn. Only the room checks the turn.
    SkipTurnCheck,
    /// P6: rooms ignore the end of a connection. Only rooms can have this fault: outside a room, a connection without
    /// pongs is closed anyway.
    IgnoreDisconnects,
    /// P8: keeps the older connection of a seat open. That connection also gets the events of the room.
    ShareSeats,
}

/// The fault that a test has injected into a server, if any.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct InjectedFaults {
    #[cfg(feature = "faults")]
    fault: Option<InjectedFault>,
}

impl InjectedFaults {
    /// No fault: the value in every program.
    pub const NONE: InjectedFaults = InjectedFaults {
        #[cfg(feature = "faults")]
        fault: None,
    };

    /// Injects one fault.
    #[cfg(feature = "faults")]
    pub fn from_fault(fault: InjectedFault) -> InjectedFaults {
        tracing::warn!(?fault, "this server has an injected fault");
        InjectedFaults { fault: Some(fault) }
    }

    #[cfg(feature = "faults")]
    pub(crate) fn is_on(self, fault: InjectedFault) -> bool {
        self.fault == Some(fault)
    }

    #[cfg(not(feature = "faults"))]
    pub(crate) fn is_on(self, _: InjectedFault) -> bool {
        false
    }
}
