//! Search and solvers for every k-in-a-row board: which move to play, and what a position is worth.
//!
//! The crate performs no I/O. Position, limits, elapsed time, seed and the stop flag are arguments, so that equal
//! arguments with a node limit give the same result on every machine. Only [`best_move_timed`] reads a clock.
//!
//! ```
//! use std::sync::atomic::AtomicBool;
//! use std::time::Duration;
//!
//! use noughts_engine::{Evaluation, Level, SearchLimits, best_move};
//! use noughts_protocol::{Position, Rules};
//!
//! let rules: Rules = "tictactoe".parse().unwrap();
//! let mut position = Position::new(rules);
//! for cell in ["b2", "a1", "c1", "a2"] {
//!     position.play(rules.parse_cell(cell).unwrap()).unwrap();
//! }
//! let limits = SearchLimits { nodes: Some(10_000), ..SearchLimits::default() };
//! let stop = AtomicBool::new(false);
//! let result = best_move(&position, Level::Perfect, limits, 1, &|| Duration::ZERO, &stop).unwrap();
//! // X completes its diagonal.
//! assert_eq!(rules.cell_text(result.best), "a3");
//! assert_eq!(result.score, Evaluation::Win(1));
//! ```
//!
//! # Pipeline
//!
//! [`best_move`] tries the stages in this order; the first that decides ends the search.
//!
//! ```text
//! book            stored first moves of Connect Four and Qubic (full strength only)
//!   │
//! immediate move  a line to complete, the center of an empty large board
//!   │
//! strategies      pairing: a proof that neither side can force a line
//!   │
//! threat proofs   VCF (vcf), then df-pn (dfpn): wins by sequences of threats
//!   │
//! solver          exact value of small boards; the mirror strategy if that fails
//!   │
//! alpha-beta      iterative deepening with evaluation; then df-pn against the opponent's threats
//! ```
//!
//! # Start reading here
//!
//! `root_search` runs the pipeline. `alpha_beta/search.rs` is the general search, `board.rs` the board that it plays on.
//! `level.rs` lists the parameters of the levels. `tools/` generates the books.
//!
//! # Board representations
//!
//! The crate uses three representations beside [`noughts_protocol::Position`]. Each is fast for one kind of question:
//!
//! | type | module | boards | state | used by | reason |
//! |---|---|---|---|---|---|
//! | `SearchBoard` | `board` | all | stone counts and evaluation of every window, updated by move and undo | alpha-beta, VCF, root search | any size, any rules, an evaluation and move ordering without a scan |
//! | `WindowBitboard` | `dfpn/bitboard.rs` | up to 64 cells and 128 windows of up to 7 cells, normal free placement | two words of stones and bit-sliced stone counts of all windows, copied by each move | df-pn and its VCF, the Qubic book | the windows that lack one or two stones are a few word operations |
//! | `SolverPosition` | `solver/bitboard.rs` | boards that fit into 64 or 128 bits with a free bit between rows | words of the mover, the opponent and the landing cells, copied by each move | exact solver | completing cells are shifts of whole boards, without any tables of windows |
//!
//! `Position` validates moves and finds outcomes but knows nothing about windows, so a search converts it once at the
//! root. `CellSet` (all boards, several words) and `BitWord` (one word) are the sets of cells that these types use.
#![warn(missing_docs)]

mod alpha_beta;
mod board;
pub mod book;
mod dfpn;
mod level;
mod limits;
mod root_search;
mod solver;
mod strategies;
#[cfg(test)]
mod tests;
mod vcf;

pub use level::{Level, LevelError};
pub use limits::{SearchLimits, SearchResult};
pub use noughts_protocol::wire::Evaluation;
pub use root_search::{best_move, best_move_timed, evaluate};
