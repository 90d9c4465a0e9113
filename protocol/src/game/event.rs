//! Events: the durable facts of a room. The state of a game is a fold over them.

use serde::{Deserialize, Serialize};

use crate::{Cell, Outcome, Player, RequestId, Rules, Seat, Seq, TimeControl};

/// A proposal of one player that the other accepts or declines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Offer {
    /// End the running game as a draw.
    Draw,
    /// Take back the last move of the proposer, and the opponent's reply, if any.
    Takeback,
    /// Play another game with the seats swapped.
    Rematch,
}

impl Offer {
    /// All offers, in the order of [`Offer::index`].
    pub const ALL: [Offer; 3] = [Offer::Draw, Offer::Takeback, Offer::Rematch];

    /// Returns the index of the offer in an array of three.
    pub fn index(self) -> usize {
        self as usize
    }
}

/// Reason why a room closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RoomCloseReason {
    /// Both players left or did not return.
    Deserted,
    /// The room was inactive for longer than its idle timeout.
    Idle,
    /// The operator of the server closed the room.
    Operator,
}

/// A durable fact of a room.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Event {
    /// The room was opened. Always the first event.
    Opened {
        /// Rules of all games in the room.
        rules: Rules,
        /// Time control; absent without a clock.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        clock: Option<TimeControl>,
        /// `true` if any client may find, join and watch the room; `false` if only clients with the room code may.
        public: bool,
        /// `true` if the first move of each side costs no time; otherwise absent, as in every game without a clock.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        free_first_moves: bool,
    },
    /// A player took a free seat, or in a running game the seat of an absent player.
    Seated {
        /// The seat; before the first game, the player's seat in that game.
        seat: Seat,
        /// The new holder of the seat.
        player: Player,
    },
    /// A game begins on an empty board: X is to move, and the clock of X runs. Before every game but the first, the
    /// players swap seats.
    Started {
        /// Number of the game, from 1.
        game: u32,
    },
    /// A stone was placed.
    Moved {
        /// The seat that moved.
        seat: Seat,
        /// The cell of the stone; with gravity, the cell where it landed.
        cell: Cell,
        /// Milliseconds left to X and to O after the move, increment included; absent without a clock.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        left: Option<[u64; 2]>,
    },
    /// A player made an offer.
    Offered {
        /// The proposer.
        seat: Seat,
        /// The offer.
        offer: Offer,
    },
    /// A player declined the opponent's offer, or withdrew its own.
    Declined {
        /// The player who declined or withdrew.
        seat: Seat,
        /// The offer that ends.
        offer: Offer,
    },
    /// The last moves were taken back by agreement.
    TakenBack {
        /// Number of moves: 1 or 2.
        plies: u8,
        /// Milliseconds left to X and to O; used time is not refunded.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        left: Option<[u64; 2]>,
    },
    /// The running game is over.
    Ended {
        /// The outcome.
        outcome: Outcome,
        /// Milliseconds left to X and to O when the clock stopped.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        left: Option<[u64; 2]>,
    },
    /// The room closed. Always the last event.
    Closed {
        /// Why the room closed.
        reason: RoomCloseReason,
    },
}

/// The request that an event answers. For that client the event is the response; no other response follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequestRef {
    /// The seat of the client when it sent the request.
    pub seat: Seat,
    /// The id of the request.
    pub id: RequestId,
}

/// An event with its number and time: the unit that the server stores and broadcasts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EventRecord {
    /// Number of the event: consecutive from 1.
    pub seq: Seq,
    /// Time of the decision on the server in milliseconds since 1970-01-01 UTC. Never decreases within a room.
    pub at: u64,
    /// The request that the event answers; absent for events without one, such as a timeout.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<RequestRef>,
    /// The event.
    pub event: Event,
}

impl EventRecord {
    /// Returns whether a substitute took the seat of an absent player. The first players take their seats with the
    /// first three events of a room.
    pub fn is_substitution(&self) -> bool {
        const LAST_FIRST_SEATING: u64 = 3;
        matches!(self.event, Event::Seated { .. }) && self.seq.get() > LAST_FIRST_SEATING
    }
}
