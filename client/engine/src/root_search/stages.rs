//! The stages of the search that apply to the rules of a board, and their shares of the limits.
//!
//! With a depth limit, without a limit, or with a limit of millions of positions and no time limit, the stages take
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
//! follow only if it fails; the same holds with gravity and misère where the solver is expected to succeed. A solver
//! that fails still removes the moves that it has proven to lose.

use noughts_protocol::Rules;

use crate::alpha_beta::vcf::SearchBoardVcf;
use crate::solver;
use crate::strategy_proofs::{misere_mirror, take_even};
use crate::window_bitboard::WindowTables;

/// The stages that apply to the rules of a board. Each stage names the flags that it supports. Rules with a new flag
/// therefore use only what supports all rules: alpha-beta, and the weaker levels' looks (see `Look` in `level.rs`).
#[derive(Clone, Copy, Debug)]
pub(super) struct Stages {
    pub(super) take_even: bool,
    pub(super) vcf: bool,
    pub(super) proof_numbers: bool,
    pub(super) solver: bool,
    pub(super) misere_mirror: bool,
}

impl Stages {
    pub(super) fn new(rules: &Rules) -> Stages {
        Stages {
            take_even: take_even::supports(rules),
            vcf: SearchBoardVcf::supports(rules),
            proof_numbers: WindowTables::supports(rules),
            solver: solver::supports(rules),
            misere_mirror: misere_mirror::supports(rules),
        }
    }
}
