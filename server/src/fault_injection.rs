//! Promises broken on purpose, so that the test of each promise is seen to fail.
//!
//! Only the feature `faults`, which no program turns on, lets a server have one. Without it
//! `InjectedFaults::has` is false as the compiler knows, and nothing of this is left in what it builds.

/// A promise of tests/README.md, and how it is broken. One site each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InjectedFault {
    /// P1: everybody is told before the log has it.
    BroadcastBeforeCommit,
    /// P2: a request sent again is done again.
    RepeatDuplicateRequests,
    /// P3: now and then the audience is not told.
    DropBroadcasts,
    /// P4: of what a request leads to only the first event is stored.
    PersistFirstEventOnly,
    /// P5: a seat is anybody's who knows that there is one.
    AcceptAnyToken,
    /// P5: spectators are told a player's token.
    LeakTokensToSpectators,
    /// P5: a token stands in the log lines.
    LogTokens,
    /// P6: whoever sends a move is taken for the one whose turn it is.
    SkipTurnCheck,
    /// P6: a room does not learn that a connection has ended.
    IgnoreDisconnects,
    /// P7: the first of the missed events stays missing.
    GapOnResume,
    /// P7: events that are no longer at hand are left out in silence.
    ResumeWithoutSnapshot,
    /// P7: who is lost has lost.
    ForfeitOnDisconnect,
    /// P8: the older connection of a seat stays beside the newer.
    ShareSeats,
    /// P9: a room waits for those who do not read.
    BlockOnSlowClients,
    /// P9: whatever is not read waits in memory.
    UnboundedSendQueue,
    /// P10: a connection that answers no ping is kept.
    IgnoreMissingPongs,
    /// P11: connections are closed with another code than is documented.
    WrongCloseCode,
    /// P11: a refusal says another code than is documented.
    WrongRejectCode,
    /// P12: frames that a client has not masked are taken.
    AcceptUnmaskedFrames,
    /// P13: a server that stops says nothing of it.
    OmitRestartNotice,
    /// P14: what could not be stored is shown all the same.
    ShowUncommitted,
    /// P15: a row that is not what was written is left out.
    IgnoreCorruption,
    /// P16: a replay charges the time since to whoever's clock ran.
    ChargeOutageOnReplay,
    /// P18: a start reads every event that there ever was.
    NeverCheckpoint,
}

impl InjectedFault {
    /// All of them.
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

/// What a server does wrong on purpose: nothing, but in tests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct InjectedFaults {
    #[cfg(feature = "faults")]
    fault: Option<InjectedFault>,
}

impl InjectedFaults {
    /// Nothing, as in every program.
    pub const NONE: InjectedFaults = InjectedFaults {
        #[cfg(feature = "faults")]
        fault: None,
    };

    /// This one.
    #[cfg(feature = "faults")]
    pub fn from_fault(fault: InjectedFault) -> InjectedFaults {
        tracing::warn!(?fault, "{BROKEN_ON_PURPOSE}");
        InjectedFaults { fault: Some(fault) }
    }

    #[cfg(feature = "faults")]
    pub(crate) fn has(self, fault: InjectedFault) -> bool {
        self.fault == Some(fault)
    }

    #[cfg(not(feature = "faults"))]
    pub(crate) fn has(self, _: InjectedFault) -> bool {
        false
    }
}

/// Stands in every program that can be broken on purpose, and in no other.
#[cfg(feature = "faults")]
pub const BROKEN_ON_PURPOSE: &str = "this server breaks a promise on purpose";
