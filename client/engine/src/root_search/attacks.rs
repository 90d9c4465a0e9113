//! Wins by attacks, one's own and the other side's: far beyond the depth to which everything is looked at.

use super::RootSearch;
use super::threat_proofs::ThreatProofs;
use crate::alpha_beta::search::{PROVEN, WIN};
use crate::dfpn::{DfPn, ProofResult, WindowBitboard};
use crate::solver::time_share;

/// What looking for an attack may take of the limits, as a denominator: more where it may well be the whole solution.
const PROOF_SHARE: u32 = 4;
/// Moves that are tried where the other side's attack is to be avoided.
const MAX_DEFENCE_MOVES: usize = 6;
/// Places for positions of attacks that are remembered, as a power of two. For each side, where there is time to fill
/// them: 43 megabytes, and half as many again while the table doubles for the last time.
const MAX_NODE_BITS: u32 = 20;

impl RootSearch<'_> {
    /// Looks for a win that cannot be averted, and gives what may be found out about the other side's; not at levels
    /// that know nothing of attacks, nor where neither side can force anything.
    pub(super) fn prove_win(&mut self, settled: bool) -> Option<ThreatProofs> {
        if self.params.vcf_nodes == 0 || settled || self.search.budget.halted {
            return None;
        }
        self.prove_forced_win();
        let dfpn = |attacker| DfPn::new(self.position.geometry(), attacker, MAX_NODE_BITS);
        let provers = [dfpn(0)?, dfpn(1)?];
        let mut attacks = ThreatProofs {
            stones: WindowBitboard::from_position(&provers[0].tables, self.position),
            provers,
            cannot_win: false,
        };
        self.prove_attack(&mut attacks);
        Some(attacks)
    }

    /// A win by threats alone is found far beyond the depth of the search.
    fn prove_forced_win(&mut self) {
        if self.search.board.tables.rules.misere() {
            return;
        }
        for threats in [1, 2, 3, 4, 6, 8, 12, 20] {
            if let Some(vcf_win) = self.search.find_vcf(threats, 4_000) {
                if self.moves.iter().any(|&(_, cell)| cell == vcf_win.first) {
                    self.best = (WIN - vcf_win.plies, vcf_win.first);
                    let index = self.moves.iter().position(|&(_, cell)| cell == vcf_win.first);
                    self.moves[..=index.unwrap_or(0)].rotate_right(1);
                }
                return;
            }
            if self.search.budget.halted || self.search.is_vcf_exhausted() {
                return;
            }
        }
    }

    /// Looks for a win with quiet moves among the threats, or for a proof that there is none; not where one is known
    /// already, or there is no choice.
    fn prove_attack(&mut self, ThreatProofs { stones, provers, cannot_win: held }: &mut ThreatProofs) {
        if self.best.0 > PROVEN || self.moves.len() == 1 || self.search.budget.halted {
            return;
        }
        let budget = &mut self.search.budget;
        let saved_limits = budget.push_share(1, time_share(self.position, budget.limits).min(PROOF_SHARE));
        let result = provers[self.search.board.turn()].prove(stones, budget);
        budget.pop(saved_limits);
        *held = result == ProofResult::Disproven;
        let ProofResult::Proven(win) = result else { return };
        if let Some(index) = self.moves.iter().position(|&(_, cell)| cell == u16::from(win.first)) {
            self.best = (WIN - win.plies as i32, u16::from(win.first));
            self.moves[..=index].rotate_right(1);
        }
    }

    /// Prefers of the moves that seemed best the first one after which the other side has no such attack.
    pub(super) fn refute_losing_moves(&mut self, attacks: &mut ThreatProofs) {
        if self.best.0.abs() > PROVEN || self.moves.len() == 1 || self.search.budget.halted {
            return;
        }
        let turn = self.search.board.turn();
        let dfpn = &mut attacks.provers[1 - turn];
        for &(_, cell) in self.moves.iter().take(MAX_DEFENCE_MOVES) {
            let next = attacks.stones.play(&dfpn.tables, turn, cell as u8);
            let saved_limits = self.search.budget.push_share(1, 2);
            let win = dfpn.find_win(&next, &mut self.search.budget);
            self.search.budget.pop(saved_limits);
            if win.is_none() {
                self.best.1 = cell;
                return;
            }
        }
    }
}
