//! The purpose of a request that waits for its response.

use noughts_protocol::{Cell, Offer};

use crate::engine::Level;

/// Purpose of a request that waits for its response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PendingRequest {
    /// The goal of the session.
    Goal,
    Move(Cell),
    Resign,
    Abort,
    Offer(Offer),
    Accept(Offer),
    Decline(Offer),
    /// Claims the game of an absent player.
    Claim,
    /// Reports that the opponent's time is up.
    Flag,
    /// Fetches missing events.
    Sync,
    /// Fetches the room list.
    List,
    /// Says a phrase.
    Say,
    /// Lets a bot of this level take the seat of the absent opponent.
    Substitute(Level),
}
