//! The proof-number searches of both seats, kept for one search of the root.

use crate::dfpn::{DfPn, WindowBitboard};

/// What is found out about the attacks of both sides.
pub(super) struct ThreatProofs {
    pub(super) stones: WindowBitboard,
    /// By the side that attacks.
    pub(super) provers: [DfPn; 2],
    /// The side to move does not win.
    pub(super) cannot_win: bool,
}
