//! Proofs of wins by threats of either side, at depths far beyond the alpha-beta search.

use super::{RootSearch, ThreatProofs};
use crate::SearchLimits;
use crate::alpha_beta::{PROVEN, WIN};
use crate::budget::SearchBudget;
use crate::dfpn::{DfPn, ProofResult};
use crate::solver::time_share;
use crate::window_bitboard::WindowBitboard;

/// Denominator of the share of the budget for the proof of an attack. If the solver's share is larger, that share
/// applies instead.
const PROOF_SHARE: u32 = 4;
/// Maximum number of moves to try against an attack of the opponent.
const MAX_DEFENCE_MOVES: usize = 6;
/// Base-2 logarithm of the maximum size of the table of each proof search. A full table takes 43 MB, and half as much
/// again while it doubles for the last time.
const MAX_NODE_BITS: u32 = 20;

impl RootSearch<'_> {
    /// Searches for a forced win of the side to move within a share of the budget. Returns the proof searches for later
    /// use.
    pub(super) fn prove_win(&mut self, is_proven_draw: bool) -> Option<ThreatProofs> {
        let mut proofs = self.new_proofs(is_proven_draw)?;
        let share = time_share(self.position, self.search.budget.limits).min(PROOF_SHARE);
        self.prove_attack(&mut proofs, |budget| budget.push_share(1, share));
        Some(proofs)
    }

    /// Searches for a win by threats alone, and returns proof searches for wins with quiet moves. Returns `None` if the
    /// board does not fit, or if a pairing proves that neither side can force a line.
    pub(super) fn new_proofs(&mut self, is_proven_draw: bool) -> Option<ThreatProofs> {
        if is_proven_draw || self.search.budget.halted {
            return None;
        }
        self.prove_forced_win();
        if !self.stages.proof_numbers {
            return None;
        }
        let new_prover = |attacker| DfPn::new(self.position.geometry(), attacker, MAX_NODE_BITS);
        let provers = [new_prover(0)?, new_prover(1)?];
        Some(ThreatProofs {
            stones: WindowBitboard::from_position(&provers[0].tables, self.position),
            provers,
            cannot_win: false,
        })
    }

    /// Searches for a win by threats alone, with a growing number of threats.
    fn prove_forced_win(&mut self) {
        if !self.stages.vcf {
            return;
        }
        for threats in [1, 2, 3, 4, 6, 8, 12, 20] {
            if let Some(vcf_win) = self.search.find_vcf(threats, 4_000) {
                if self.moves.iter().any(|&(_, cell)| cell == vcf_win.first) {
                    self.best = (WIN - vcf_win.plies, vcf_win.first);
                    self.has_proven_win = true;
                    let index = self
                        .moves
                        .iter()
                        .position(|&(_, cell)| cell == vcf_win.first);
                    self.moves[..=index.unwrap_or(0)].rotate_right(1);
                }
                return;
            }
            if self.search.budget.halted || self.search.is_vcf_exhausted() {
                return;
            }
        }
    }

    /// Searches, within the limits that `push` sets, for a win with quiet moves among the threats, or for a proof that
    /// none exists. Does nothing if the result is known or only one move is left.
    pub(super) fn prove_attack(
        &mut self,
        ThreatProofs {
            stones,
            provers,
            cannot_win,
        }: &mut ThreatProofs,
        push: impl FnOnce(&mut SearchBudget<'_>) -> SearchLimits,
    ) {
        if *cannot_win || self.best.0 > PROVEN || self.moves.len() == 1 || self.search.budget.halted
        {
            return;
        }
        let budget = &mut self.search.budget;
        let saved_limits = push(budget);
        let result = provers[self.search.board.turn()].prove(stones, budget);
        budget.pop(saved_limits);
        *cannot_win = result == ProofResult::Disproven;
        let ProofResult::Proven(win) = result else {
            return;
        };
        if let Some(index) = self
            .moves
            .iter()
            .position(|&(_, cell)| cell == u16::from(win.first))
        {
            self.best = (WIN - win.plies as i32, u16::from(win.first));
            self.has_proven_win = true;
            self.moves[..=index].rotate_right(1);
        }
    }

    /// Prefers the first of the best moves that leaves the opponent no winning attack.
    pub(super) fn refute_losing_moves(&mut self, proofs: &mut ThreatProofs) {
        if self.best.0.abs() > PROVEN || self.moves.len() == 1 || self.search.budget.halted {
            return;
        }
        let turn = self.search.board.turn();
        let prover = &mut proofs.provers[1 - turn];
        for &(_, cell) in self.moves.iter().take(MAX_DEFENCE_MOVES) {
            let next = proofs.stones.play(&prover.tables, turn, cell as u8);
            let saved_limits = self.search.budget.push_share(1, 2);
            let win = prover.find_win(&next, &mut self.search.budget);
            self.search.budget.pop(saved_limits);
            if win.is_none() {
                self.best.1 = cell;
                return;
            }
        }
    }
}
