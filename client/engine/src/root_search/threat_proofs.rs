//! The proof-number searches of both seats, kept for one search of the root.

use crate::dfpn::{DfPn, WindowBitboard};

/// Proof-number searches for the attacks of both seats.
pub(super) struct ThreatProofs {
    pub(super) stones: WindowBitboard,
    /// By attacking seat.
    pub(super) provers: [DfPn; 2],
    /// Whether a proof exists that the side to move cannot win.
    pub(super) cannot_win: bool,
}
