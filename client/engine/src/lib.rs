//! Search and solvers for every k-in-a-row board: which move to play, and what a position is worth.
//!
//! The crate performs no I/O. Position, limits, elapsed time, seed and the stop flag are arguments, so that equal
//! arguments with a node limit give the same result on every machine.
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
//! [`best_move`] and [`evaluate`] try these stages in this order. Later stages use the results of earlier stages; only
//! book, immediate move, solver and mirror strategy return immediately. On small boards the solver precedes the threat
//! proofs.
//!
//! ```text
//! book            stored moves of Connect Four, and winning moves of Qubic
//!   │
//! immediate move  a line to complete; the center of an empty large board
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
//! Each stage and representation names the flags of rules that it supports (`supports`), and `root_search/stages.rs`
//! chooses by their answers. So rules with a new flag are searched by alpha-beta alone until a stage names the flag.
//!
//! # How a level decides
//!
//! A level looks farther at some moves than at others: `level.rs` has the chances of each look, by the kind of the
//! board, and the seed and the position decide which look applies.
//!
//! | look | stages | choice of the move |
//! |---|---|---|
//! | whim | none | any cell |
//! | own lines | immediate move | any cell near other stones |
//! | lines | immediate move; blocks a line of the opponent, and with gravity does not enable one | the same |
//! | 1 to 4 plies | the same; alpha-beta to this depth with an exact value for each root move (multi-PV) | random among the best moves within a margin; never in place of a win |
//! | full | all | the best move; evaluations carry noise of ±2 points, and moves that are proven equal are drawn by the seed |
//!
//! `perfect` always looks fully and without noise. On a board with at most nine free cells it chooses, among equal
//! moves of a drawn or lost position, the move that makes a random opponent lose most (`strategy_proofs/traps.rs`). Analyses
//! do not set traps. A depth limit in [`SearchLimits`] disables book, solver and mirror strategy.
//!
//! With a depth limit, without a limit, or with a limit of millions of positions and none of time, the stages take
//! turns (`root_search/slices.rs`): alpha-beta comes first, and the slices of alpha-beta, df-pn and solver double with
//! each turn. Otherwise a full search divides the limits of time and nodes among the stages:
//!
//! | stage | applies to | limit |
//! |---|---|---|
//! | VCF | all rules but misère, unless the board is small | 4 000 nodes for each of 1, 2, 3, 4, 6, 8, 12 and 20 threats |
//! | df-pn for the side to move | boards of `WindowBitboard`, unless small, won or drawn by pairing | half of the budget if the solver is expected to finish within it, else a quarter; a table of 2^20 nodes |
//! | solver | boards of `SolverPosition` | half of the budget if it is expected to suffice, nine tenths with gravity and misère, else a twentieth; 50 000 nodes if a win is known and only its distance is not |
//! | alpha-beta | all | the rest, or three quarters of it if the next stage follows; no further iteration after nine tenths of the time |
//! | df-pn for the opponent | boards of `WindowBitboard` | the rest: the six best moves in turn, each with half of what is left, until one has no refutation |
//!
//! A board is *small* if `solver.rs` expects at most 2^20 nodes. The solver then comes first, and the threat proofs
//! follow only if it fails; the same holds with gravity and misère where it is expected to succeed. A solver that fails
//! still removes the moves that it has proven to lose.
//!
//! # How a position is solved
//!
//! The solver (`solver.rs`) finds the game value and the distance to the end by null-window searches: first the winner,
//! then it bisects the range of possible distances. Bounds narrow the range before and during the search: a seat
//! without room for a line cannot win, a pairing strategy (`strategy_proofs.rs`) proves that a seat cannot complete a line,
//! df-pn may have disproven a win, and in normal free placement the first player does not lose the empty board. Results
//! on small boards are exact at full strength:
//!
//! ```
//! use std::sync::atomic::AtomicBool;
//! use std::time::Duration;
//!
//! use noughts_engine::{Evaluation, SearchLimits, evaluate};
//! use noughts_protocol::Position;
//!
//! let limits = SearchLimits { nodes: Some(100_000), ..SearchLimits::default() };
//! let stop = AtomicBool::new(false);
//! for (rules, score) in [("3x3:3", Evaluation::Draw), ("4x3:3", Evaluation::Win(7))] {
//!     let empty = Position::new(rules.parse().unwrap());
//!     let result = evaluate(&empty, limits, &|| Duration::ZERO, &stop).unwrap();
//!     assert_eq!(result.score, score, "{rules}");
//! }
//! ```
//!
//! The result of [`evaluate`] is [`Evaluation::Estimate`] when no stage proves more. Alpha-beta on large boards leaves
//! out moves of both sides, so a win that only it has found is an estimate of 100 000 less its plies.
//!
//! `lab/` proves values that take longer than a game allows.
//!
//! # Board representations
//!
//! The crate uses three representations in addition to [`noughts_protocol::Position`]. Each is fast for one kind of
//! question:
//!
//! | type | module | boards | state | used by | reason |
//! |---|---|---|---|---|---|
//! | `SearchBoard` | `board` | all | stone counts of every window and the evaluation, updated by move and undo | alpha-beta, VCF, root search | any size, any rules, an evaluation and move ordering without a scan |
//! | `WindowBitboard` | `window_bitboard.rs` | up to 64 cells and 128 windows of 3 to 7 cells, normal free placement without `exact`, also on a torus | two words of stones and bit-sliced stone counts of all windows, copied by each move | df-pn and its VCF, the Qubic book | the windows that lack one or two stones are a few word operations |
//! | `SolverPosition` | `solver/bitboard.rs` | boards that fit into 64 or 128 bits with a free bit between rows | words of the mover, the opponent and the landing cells, copied by each move | exact solver | completing cells are shifts of whole boards, without any tables of windows; only on a torus they come from the windows |
//!
//! `Position` validates moves and finds outcomes but has no counts of windows, so a search converts it once at the
//! root. `CellSet` (all boards, several words) and `BitWord` (one word) are the sets of cells that these types use.
//!
//! # Evaluation
//!
//! On boards of two dimensions with more than 64 cells and lines of five, without flags except `exact`, a small network
//! evaluates the stones around each free cell and orders the moves (`line_network.rs`); its weights are trained on
//! 15x15. On all other boards each window has a weight by the stones that it lacks (`board/board_tables.rs`).
//!
//! # Start reading here
//!
//! `root_search` runs the pipeline. `alpha_beta.rs` is the general search, `board.rs` the board of that search.
//! `level.rs` has the chances of the levels. `lab/`, a crate of its own, generates and proves the books, trains the
//! network, and measures the levels; it uses the feature `internals`.
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
