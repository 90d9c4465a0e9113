//! Promises broken on purpose, so that the test of each promise is seen to fail.
//!
//! Only the feature `faults`, which no program turns on, lets a server have one. Without it
//! `Faults::has` is false as the compiler knows, and nothing of this is left in what it builds.

/// A promise of tests/README.md, and how it is broken. One site each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// P1: everybody is told before the log has it.
    TellBeforeCommit,
    /// P2: a request sent again is done again.
    ForgetAnswers,
    /// P3: now and then the audience is not told.
    LoseBroadcasts,
    /// P4: of what a request leads to only the first event is stored.
    StoreFirstOnly,
    /// P5: a seat is anybody's who knows that there is one.
    TakeAnyToken,
    /// P5: spectators are told a player's token.
    TellTokens,
    /// P5: a token stands in the log lines.
    LogTokens,
    /// P6: whoever sends a move is taken for the one whose turn it is.
    TrustTheMover,
    /// P6: a room does not learn that a connection has ended.
    KeepGhosts,
    /// P7: the first of the missed events stays missing.
    GapOnResume,
    /// P7: events that are no longer at hand are left out in silence.
    TailWithoutView,
    /// P7: who is lost has lost.
    ForfeitAtOnce,
    /// P8: the older connection of a seat stays beside the newer.
    ShareSeats,
    /// P9: a room waits for those who do not read.
    WaitForTheSlow,
    /// P9: whatever is not read waits in memory.
    EndlessOutbox,
    /// P10: a connection that answers no ping is kept.
    IgnoreSilence,
    /// P11: connections are closed with another code than is documented.
    CloseWithAnyCode,
    /// P11: a refusal says another code than is documented.
    RejectWithAnyCode,
    /// P12: frames that a client has not masked are taken.
    TakeUnmasked,
    /// P13: a server that stops says nothing of it.
    RestartInSilence,
    /// P14: what could not be stored is shown all the same.
    ShowUnstored,
    /// P15: a row that is not what was written is left out.
    SkipDamage,
    /// P16: a replay charges the time since to whoever's clock ran.
    ReplayByTheClock,
    /// P18: a start reads every event that there ever was.
    NeverTakeImages,
}

impl Fault {
    /// All of them.
    pub const ALL: [Fault; 24] = [
        Fault::TellBeforeCommit,
        Fault::ForgetAnswers,
        Fault::LoseBroadcasts,
        Fault::StoreFirstOnly,
        Fault::TakeAnyToken,
        Fault::TellTokens,
        Fault::LogTokens,
        Fault::TrustTheMover,
        Fault::KeepGhosts,
        Fault::GapOnResume,
        Fault::TailWithoutView,
        Fault::ForfeitAtOnce,
        Fault::ShareSeats,
        Fault::WaitForTheSlow,
        Fault::EndlessOutbox,
        Fault::IgnoreSilence,
        Fault::CloseWithAnyCode,
        Fault::RejectWithAnyCode,
        Fault::TakeUnmasked,
        Fault::RestartInSilence,
        Fault::ShowUnstored,
        Fault::SkipDamage,
        Fault::ReplayByTheClock,
        Fault::NeverTakeImages,
    ];
}

/// What a server does wrong on purpose: nothing, but in tests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Faults {
    #[cfg(feature = "faults")]
    fault: Option<Fault>,
}

impl Faults {
    /// Nothing, as in every program.
    pub const NONE: Faults = Faults {
        #[cfg(feature = "faults")]
        fault: None,
    };

    /// This one.
    #[cfg(feature = "faults")]
    pub fn of(fault: Fault) -> Faults {
        tracing::warn!(?fault, "{BROKEN}");
        Faults { fault: Some(fault) }
    }

    #[cfg(feature = "faults")]
    pub(crate) fn has(self, fault: Fault) -> bool {
        self.fault == Some(fault)
    }

    #[cfg(not(feature = "faults"))]
    pub(crate) fn has(self, _: Fault) -> bool {
        false
    }
}

/// Stands in every program that can be broken on purpose, and in no other.
#[cfg(feature = "faults")]
pub const BROKEN: &str = "this server breaks a promise on purpose";
