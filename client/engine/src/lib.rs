//! Search and solvers for every k-in-a-row board: which move to play, and what a position is worth.
//!
//! The crate performs no I/O. Position, limits, elapsed time, seed and the stop flag are arguments, so that equal
//! arguments with a node limit give the same result on every machine.
//!
//! ```
//! use std::sync::atomic::AtomicBool;
//! use std::time::Duration;
//!
//! use noughts_engine::{Evaluation, Level, SearchLimits, best_move, evaluate};
//! use noughts_protocol::{Position, Rules};
//!
//! let limits = SearchLimits { nodes: Some(100_000), ..SearchLimits::default() };
//! let stop = AtomicBool::new(false);
//! let elapsed = || Duration::ZERO;
//!
//! // Chooses the move of a level. The seed decides between equal moves.
//! let rules: Rules = "tictactoe".parse()?;
//! let mut position = Position::new(rules);
//! for cell in ["b2", "a1", "c1", "a2"] {
//!     position.play(rules.parse_cell(cell)?)?;
//! }
//! let result = best_move(&position, Level::Perfect, limits, 1, &elapsed, &stop).expect("the game is not over");
//! // X completes its diagonal.
//! assert_eq!(rules.cell_text(result.best), "a3");
//! assert_eq!(result.score, Evaluation::Win(1));
//!
//! // Evaluates a position at full strength. On small boards the result is exact.
//! for (rules, score) in [("3x3:3", Evaluation::Draw), ("4x3:3", Evaluation::Win(7))] {
//!     let empty = Position::new(rules.parse()?);
//!     assert_eq!(evaluate(&empty, limits, &elapsed, &stop).map(|result| result.score), Some(score));
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A caller needs one function: [`best_move`] to play, [`best_move_with_progress`] to show the search as well, or
//! [`evaluate`] to analyse. All three return `None` when the game is over. `elapsed` reads the caller's clock, and
//! another thread may set `stop`.
//!
//! # Pipeline
//!
//! A search runs these stages in this order. Later stages use the results of earlier stages; only book, immediate
//! move, solver and mirror strategy return immediately. On small boards the solver precedes the threat proofs.
//!
//! ```text
//! book            stored moves of Connect Four, and winning moves of Qubic
//!   │
//! immediate move  a line to complete; the centre of an empty large board
//!   │
//! strategies      pairing: a proof that neither side can force a line; take-even: wins of misère with gravity
//!   │
//! threat proofs   VCF, then df-pn: wins by sequences of threats
//!   │
//! solver          exact value and distance; in misère, the mirror strategy if the solver fails
//!   │
//! alpha-beta      iterative deepening with evaluation; then df-pn against the opponent's threats
//! ```
//!
//! Each stage and representation names the flags of rules that it supports (`supports`). Rules with a new flag are
//! searched by alpha-beta alone until a stage names the flag.
//!
//! # Start reading here
//!
//! | module | explains |
//! |---|---|
//! | `root_search` | the pipeline |
//! | `root_search/stages.rs` | which stages apply to a board, and how they share the limits |
//! | `level` | how far each level looks |
//! | `solver` | how a position is solved |
//! | `board` | the representations of the board, and the evaluation |
//! | `alpha_beta` | the general search |
//!
//! `lab/`, a crate of its own, generates and proves the books, trains the network, measures the levels, and proves
//! values that take longer than a game allows. It uses the feature `internals`.
#![warn(missing_docs)]
#![allow(
    unreachable_pub,
    reason = "the feature `internals` exports items of private modules"
)]
#![cfg_attr(
    feature = "internals",
    allow(missing_docs, missing_debug_implementations)
)]

mod alpha_beta;
mod board;
mod book;
mod budget;
mod dfpn;
mod level;
mod line_network;
mod root_search;
mod search_types;
mod solver;
mod strategy_proofs;
#[cfg(test)]
mod tests;
mod transposition;
mod window_bitboard;

pub use level::{Level, LevelError};
pub use noughts_protocol::wire::Evaluation;
pub use root_search::{best_move, best_move_with_progress, evaluate};
pub use search_types::{SearchLimits, SearchResult, SearchScore, claims_win};

/// The parts of the engine that the programs of `lab/` use: solver, df-pn, books and network. They change with the
/// engine.
#[cfg(feature = "internals")]
pub mod internals {
    pub use crate::board::cell_sets::{BitWord, iter_bits};
    pub use crate::book::{connect4, probe, qubic};
    pub use crate::budget::SearchBudget;
    pub use crate::dfpn::{
        DISPROVEN, DfPn, INFINITY, PROVEN, ProofNumbers, UNLIMITED, select_child,
    };
    pub use crate::solver::{
        BitLayout, BoardKind, RootMove, SolveQuery, Solver, SolverPosition, SolverTables,
        SquareLayout, StaticResult, guaranteed_nodes, is_solver_first, layout, solve,
    };
    pub use crate::window_bitboard::WindowBitboard;

    /// The network of gomoku.
    pub mod line_network {
        pub use crate::line_network::*;
    }
}
