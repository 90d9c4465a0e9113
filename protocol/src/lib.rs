//! The rules of every k-in-a-row game, the events of a room, and the JSON messages that carry them.
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
//! # Order of calls
//!
//! A server handles a request in these steps:
//!
//! 1. [`Request::parse`](wire::Request::parse) reads it, or returns the [`Reject`](wire::Reject) to send.
//! 2. [`Referee`](game::referee::Referee) decides: events, or a reject. The [`Game`] does not change.
//! 3. The server numbers the events, stores them, and passes them to [`Game::apply`] and to every client.
//!
//! A client reads with [`Message::parse`](wire::Message::parse). [`Game::from_snapshot`] makes a game of the first
//! snapshot, and [`Game::apply`] folds each later event. [`FoldError::Gap`] means that events are missing: request them
//! with `sync`. `README.md` beside this crate describes every message for authors in any language, and a test compares
//! the page with the code.
//!
//! # Play on a board
//!
//! ```
//! use noughts_protocol::{Position, Record, Rules, Seat, Status};
//!
//! let rules: Rules = "3x3:3".parse()?;
//! let mut position = Position::new(rules);
//! for name in ["b2", "a1", "c1", "b1"] {
//!     assert_eq!(position.play(rules.parse_cell(name)?)?, Status::Ongoing);
//! }
//! assert_eq!(position.play(rules.parse_cell("a3")?)?, Status::Won(Seat::X));
//!
//! // The parser of records plays the moves, so that a record is a possible game.
//! let record: Record = "[Rules \"3x3:3\"]\n[Result \"X line\"]\n\n1. b2 a1 2. c1 b1 3. a3".parse()?;
//! assert_eq!(record.moves, position.moves());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Decide requests and fold events
//!
//! ```
//! use noughts_protocol::game::referee::Referee;
//! use noughts_protocol::wire::{Reject, RejectCode};
//! use noughts_protocol::{Cell, Event, EventRecord, Game, Player, PlayerKind, Seat, Seq};
//!
//! let record = |seq, event| EventRecord { seq, at: 0, by: None, event };
//! let player = |name: &str| Player::guest(name.parse().unwrap(), PlayerKind::Person);
//! let opened = Event::Opened { rules: "3x3:3".parse()?, clock: None, public: true, free_first_moves: false };
//! let mut game = Game::open(&record(Seq::new(1), opened))?;
//! for event in [
//!     Event::Seated { seat: Seat::X, player: player("Ann") },
//!     Event::Seated { seat: Seat::O, player: player("Bob") },
//!     Event::Started { game: 1 },
//! ] {
//!     game.apply(&record(game.seq().next(), event))?;
//! }
//!
//! let move_to = |game: &Game, seat, cell| Referee::new(game, 0).play(seat, Cell::new(cell));
//! assert_eq!(move_to(&game, Seat::O, 0), Err(Reject::new(RejectCode::NotYourTurn)));
//! for event in move_to(&game, Seat::X, 4)? {
//!     game.apply(&record(game.seq().next(), event))?;
//! }
//! assert_eq!(game.position().stone_at(Cell::new(4)), Some(Seat::X));
//!
//! // A client that enters now has the same game.
//! assert_eq!(Game::from_snapshot(&game.snapshot(0))?.position().turn(), Seat::O);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Parse a message
//!
//! ```
//! use noughts_protocol::wire::{Message, RejectCode, Request, RequestBody, RoomCommand};
//! use noughts_protocol::{Cell, Seq};
//!
//! let request = Request::parse(r#"{"type":"move","id":8,"cell":2,"seq":5}"#).unwrap();
//! let RequestBody::Command(command) = request.body else { panic!() };
//! assert_eq!(command, RoomCommand::Move { cell: Cell::new(2), seq: Seq::new(5) });
//!
//! let text = r#"{"type":"reject","re":8,"code":"cell_taken","field":"cell","seq":5}"#;
//! let Message::Reject { re: Some(id), reject } = Message::parse(text).unwrap() else { panic!() };
//! assert_eq!((id, reject.code), (request.id, RejectCode::CellTaken));
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
