//! Deliberate bugs for the guarantee suite: the test of each guarantee must fail on a server that violates it.
//!
//! Faults exist only with the feature `faults`, which no program enables. Without it, [`InjectedFaults::is_on`] is the
//! constant `false`, and the compiler removes every site.

/// A violation of one guarantee of tests/README.md.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InjectedFault {
    /// P1: broadcasts events before they are stored.
    BroadcastBeforeCommit,
    /// P2: executes a repeated request again.
    RepeatDuplicateRequests,
    /// P3: skips some broadcasts.
    DropBroadcasts,
    /// P4: stores only the first event of a request.
    PersistFirstEventOnly,
    /// P5: accepts any token for a seat.
    AcceptAnyToken,
    /// P5: sends a player's token to spectators.
    LeakTokensToSpectators,
    /// P5: logs a token.
    LogTokens,
    /// P6: accepts moves out of turn.
    SkipTurnCheck,
    /// P6: rooms ignore the end of a connection.
    IgnoreDisconnects,
    /// P7: omits the first missed event on resume.
    GapOnResume,
    /// P7: omits events that are no longer buffered, instead of sending a snapshot.
    ResumeWithoutSnapshot,
    /// P7: lets the opponent claim the game immediately after a disconnect.
    ForfeitOnDisconnect,
    /// P8: keeps the older connection of a seat open.
    ShareSeats,
    /// P9: a room waits for clients that do not read.
    BlockOnSlowClients,
    /// P9: the send queue is unbounded.
    UnboundedSendQueue,
    /// P10: keeps connections that answer no ping.
    IgnoreMissingPongs,
    /// P11: closes with the wrong code.
    WrongCloseCode,
    /// P11: rejects with the wrong code.
    WrongRejectCode,
    /// P12: accepts unmasked frames of a client.
    AcceptUnmaskedFrames,
    /// P13: shuts down without notice to the clients.
    OmitRestartNotice,
    /// P14: broadcasts events that could not be stored.
    ShowUncommitted,
    /// P15: skips corrupt rows.
    IgnoreCorruption,
    /// P16: charges an outage to the running clock.
    ChargeOutageOnReplay,
    /// P17: never checkpoints, so that a start reads all events.
    NeverCheckpoint,
}

impl InjectedFault {
    /// All faults.
    pub const ALL: [InjectedFault; 24] = [
        InjectedFault::BroadcastBeforeCommit,
        InjectedFault::RepeatDuplicateRequests,
        InjectedFault::DropBroadcasts,
        InjectedFault::PersistFirstEventOnly,
        InjectedFault::AcceptAnyToken,
        InjectedFault::LeakTokensToSpectators,
        InjectedFault::LogTokens,
        InjectedFault::SkipTurnCheck,
        InjectedFault::IgnoreDisconnects,
        InjectedFault::GapOnResume,
        InjectedFault::ResumeWithoutSnapshot,
        InjectedFault::ForfeitOnDisconnect,
        InjectedFault::ShareSeats,
        InjectedFault::BlockOnSlowClients,
        InjectedFault::UnboundedSendQueue,
        InjectedFault::IgnoreMissingPongs,
        InjectedFault::WrongCloseCode,
        InjectedFault::WrongRejectCode,
        InjectedFault::AcceptUnmaskedFrames,
        InjectedFault::OmitRestartNotice,
        InjectedFault::ShowUncommitted,
        InjectedFault::IgnoreCorruption,
        InjectedFault::ChargeOutageOnReplay,
        InjectedFault::NeverCheckpoint,
    ];
}

/// The fault of a server, if a test has injected one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct InjectedFaults {
    #[cfg(feature = "faults")]
    fault: Option<InjectedFault>,
}

impl InjectedFaults {
    /// No fault, as in every program.
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
