//! Rules of every k-in-a-row game, the events of a room, and the JSON messages that carry them.
//!
//! The server, the terminal client, the bots and the tests share this crate. It performs no I/O, reads no clock and
//! draws no randomness: time and random bits are arguments. Equal inputs give equal results on every machine.
//!
//! ```text
//!   text               value                    state                      wire
//!   "7x6:4+gravity" ── Rules ── Geometry ──┐
//!   "d4" ───────────── Cell ───────────────┴── Position ──┐
//!                                                         ├── Game ◄── Event ◄── Message   (server to client)
//!   "5+3" ──────────── TimeControl ─────────── Clock ─────┘     │
//!                                                               └────► Snapshot
//!                                              Referee ◄────────────── Request   (client to server)
//! ```
//!
//! # Start reading here
//!
//! 1. [`Rules`] describes one game of the family, [`Cell`] a location, [`Seat`] a side.
//! 2. [`Position`] plays moves and finds lines; [`Geometry`] holds the lines of the board.
//! 3. [`Game`] is the state of a room: a fold over [`Event`]s, or a [`Snapshot`] and the events after it.
//! 4. [`game::referee::Referee`] decides which events follow a player's request.
//! 5. [`wire`] holds the messages. `README.md` beside this crate describes them for every language, and a test compares
//!    the page with the code.
//!
//! # Fold events into a game
//!
//! A client applies the events of a room in order and without gaps.
//!
//! ```
//! use noughts_protocol::{Cell, Event, EventRecord, Game, Phase, Player, PlayerKind, Seat, Seq};
//!
//! let player = |name: &str| Player::guest(name.parse().unwrap(), PlayerKind::Person);
//! let events = [
//!     Event::Opened { rules: "3x3:3".parse().unwrap(), clock: None, public: true, free_first_moves: false },
//!     Event::Seated { seat: Seat::X, player: player("Ann") },
//!     Event::Seated { seat: Seat::O, player: player("Bob") },
//!     Event::Started { game: 1 },
//!     Event::Moved { seat: Seat::X, cell: Cell::new(4), left: None },
//! ];
//! let mut records =
//!     (1..).zip(events).map(|(seq, event)| EventRecord { seq: Seq::new(seq), at: 0, by: None, event });
//!
//! let mut game = Game::open(&records.next().unwrap()).unwrap();
//! for record in records {
//!     game.apply(&record).unwrap();
//! }
//! assert_eq!(game.phase(), Phase::Playing);
//! assert_eq!(game.position().turn(), Seat::O);
//! assert_eq!(game.position().stone_at(Cell::new(4)), Some(Seat::X));
//! ```
//!
//! # Parse a message
//!
//! ```
//! use noughts_protocol::wire::{Message, RejectCode, Request, RequestBody, RoomCommand};
//! use noughts_protocol::{Cell, Seq};
//!
//! let text = r#"{"type":"reject","re":7,"code":"cell_taken","field":"cell","seq":5}"#;
//! let Message::Reject { re: Some(id), reject } = Message::parse(text).unwrap() else { panic!() };
//! assert_eq!((id.get(), reject.code), (7, RejectCode::CellTaken));
//!
//! let request = Request::parse(r#"{"type":"move","id":8,"cell":2,"seq":5}"#).unwrap();
//! let RequestBody::Command(command) = request.body else { panic!() };
//! assert_eq!(command, RoomCommand::Move { cell: Cell::new(2), seq: Seq::new(5) });
//! ```
//!
//! The examples `random_game` and `replay_record` are complete programs.
#![warn(missing_docs)]

mod board;
pub mod clock;
pub mod game;
pub mod id;
pub mod outcome;
pub mod player;
pub mod rate_limit;
pub mod record;
pub mod rng;
pub mod seat;
pub mod wire;

pub use board::{cell, geometry, position, rules};
pub use cell::{Cell, CellError};
pub use clock::TimeControl;
pub use game::event::{Event, EventRecord, Offer, RequestRef, RoomCloseReason};
pub use game::phase::{MatchScore, Phase};
pub use game::snapshot::Snapshot;
pub use game::{FoldError, Game, IllegalMove};
pub use geometry::Geometry;
pub use id::{
    Identity, IdentitySecret, Party, RequestId, ResumeToken, RoomCode, RoomId, RoomRef, Seq,
};
pub use outcome::{LineName, Outcome, WinningLine};
pub use player::{Name, Player, PlayerKind};
pub use position::perft::perft;
pub use position::playout::playout;
pub use position::{MoveError, Position, Status};
pub use record::{Record, RecordError};
pub use rules::{RuleFlag, Rules, RulesError};
pub use seat::Seat;
