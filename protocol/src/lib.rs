//! The rules of every k-in-a-row game, and the wire that carries them.
//!
//! This crate does no IO, reads no clock and draws no randomness: time and chance come in as
//! arguments, so that the server, the terminal client and the bot fold the same events into the
//! same game. `README.md` beside this crate describes the wire completely.
#![warn(missing_docs)]

pub mod cell;
pub mod clock;
pub mod game;
pub mod geometry;
pub mod id;
pub mod outcome;
pub mod player;
pub mod position;
pub mod rate_limit;
pub mod record;
pub mod rng;
pub mod rules;
pub mod seat;
pub mod wire;

pub use cell::{Cell, CellError};
pub use clock::TimeControl;
pub use game::event::{Event, EventRecord, Offer, RequestRef, RoomCloseReason};
pub use game::snapshot::Snapshot;
pub use game::phase::{MatchScore, Phase};
pub use game::{FoldError, Game, IllegalMove};
pub use geometry::Geometry;
pub use id::{PartyKey, RequestId, ResumeToken, RoomCode, RoomId, RoomRef, Seq};
pub use outcome::{LineName, Outcome, WinningLine};
pub use player::{Name, Player, PlayerKind};
pub use position::perft::perft;
pub use position::playout::playout;
pub use position::{MoveError, Position, Status};
pub use record::{Record, RecordError};
pub use rules::{Rules, RulesError};
pub use seat::Seat;
