//! The durable facts of a room. Everything that anyone may know of a game is a fold over these.

use serde::{Deserialize, Serialize};

use crate::{Cell, Outcome, Player, RequestId, Rules, Seat, Seq, TimeControl};

/// A thing that one player proposes and the other accepts or declines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Offer {
    /// To call the running game drawn.
    Draw,
    /// To take back the proposer's last move, and the answer to it if there was one.
    Takeback,
    /// To play again with the seats swapped.
    Rematch,
}

impl Offer {
    /// All of them, in the order of [`Offer::index`].
    pub const ALL: [Offer; 3] = [Offer::Draw, Offer::Takeback, Offer::Rematch];

    /// 0, 1 or 2.
    pub fn index(self) -> usize {
        self as usize
    }
}

/// Why a room came to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RoomCloseReason {
    /// Both players have gone.
    Deserted,
    /// Nothing happened for as long as a room may wait.
    Idle,
}

/// A durable fact of a room.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Event {
    /// The room exists. Always the first event.
    Opened {
        /// What is played here.
        rules: Rules,
        /// The time for each side; absent without a clock.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        clock: Option<TimeControl>,
        /// Whether anyone may find, join and watch it, or only who has the code.
        public: bool,
    },
    /// Somebody took a free seat.
    Seated {
        /// The seat, for the first game.
        seat: Seat,
        /// Who took it.
        player: Player,
    },
    /// A game begins on an empty board: X is to move and the clock of X runs. From the second
    /// game on the players have swapped seats just before.
    Started {
        /// 1 for the first game of the room.
        game: u32,
    },
    /// A mark was placed.
    Moved {
        /// Whose mark.
        seat: Seat,
        /// Where; with gravity, where it came to rest.
        cell: Cell,
        /// Milliseconds left to X and to O after it, with the increment; absent without a clock.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        left: Option<[u64; 2]>,
    },
    /// A player proposes something.
    Offered {
        /// Who proposes.
        seat: Seat,
        /// What.
        offer: Offer,
    },
    /// A player turned the other's proposal down, or took back its own.
    Declined {
        /// Who spoke.
        seat: Seat,
        /// What is off the table.
        offer: Offer,
    },
    /// The last moves were taken back.
    TakenBack {
        /// How many: 1 or 2.
        plies: u8,
        /// Milliseconds left to X and to O: used time is not given back.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        left: Option<[u64; 2]>,
    },
    /// The running game is over.
    Ended {
        /// How.
        outcome: Outcome,
        /// Milliseconds left to X and to O when the clock stopped.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        left: Option<[u64; 2]>,
    },
    /// The room is no more. Always the last event.
    Closed {
        /// Why.
        #[serde(rename = "closing")]
        reason: RoomCloseReason,
    },
}

/// Whose request an event answers. For that client this is the answer: no other follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequestRef {
    /// The seat that the requester held when it asked.
    pub seat: Seat,
    /// The number that it gave its request.
    pub id: RequestId,
}

/// An event with its place in the room's history.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EventRecord {
    /// Its number: one more than the event before it.
    pub seq: Seq,
    /// When the server decided it: milliseconds since 1970-01-01 UTC. Never goes back within a room.
    pub at: u64,
    /// The request that it answers, if a player asked for it.
    #[serde(rename = "by", default, skip_serializing_if = "Option::is_none")]
    pub request: Option<RequestRef>,
    /// What happened.
    pub event: Event,
}
