//! The stages of the search that apply to the rules of a board.

use noughts_protocol::Rules;

use crate::alpha_beta::vcf::SearchBoardVcf;
use crate::solver;
use crate::strategy_proofs::{misere_mirror, take_even};
use crate::window_bitboard::WindowTables;

/// The stages that apply to the rules of a board. Each stage names the flags that it supports. Rules with a new flag
/// therefore use only the stages that apply to all rules: alpha-beta, and shorter looks.
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
