//! Wins by attacks, one's own and the other side's: far beyond the depth to which everything is looked at.

use super::{Root, WIN};
use crate::proof::{Outlook, Prover, Stones};
use crate::search::PROVEN;
use crate::solve::part_for;

/// What looking for an attack may take of the limits, as a denominator: more where it may well be the whole solution.
const ATTACK: u32 = 4;
/// Moves that are tried where the other side's attack is to be avoided.
const AVOIDED: usize = 6;
/// Places for positions of attacks that are remembered, as a power of two. For each side, where there is time to fill
/// them: 43 megabytes, and half as many again while the table doubles for the last time.
const NODE_BITS: u32 = 20;

/// What is found out about the attacks of both sides.
pub(super) struct Attacks {
    stones: Stones,
    /// By the side that attacks.
    provers: [Prover; 2],
    /// The side to move does not win.
    pub(super) held: bool,
}

impl Root<'_> {
    /// Looks for a win that cannot be averted, and gives what may be found out about the other side's; not at levels
    /// that know nothing of attacks, nor where neither side can force anything.
    pub(super) fn look_for_wins(&mut self, settled: bool) -> Option<Attacks> {
        if self.style.force == 0 || settled || self.search.meter.halted {
            return None;
        }
        self.look_for_forced();
        let prover = |attacker| Prover::new(self.position.geometry(), attacker, NODE_BITS);
        let provers = [prover(0)?, prover(1)?];
        let mut attacks =
            Attacks { stones: Stones::of(&provers[0].windows, self.position), provers, held: false };
        self.look_for_attack(&mut attacks);
        Some(attacks)
    }

    /// A win by threats alone is found far beyond the depth of the search.
    fn look_for_forced(&mut self) {
        if self.search.board.shape.rules.misere() {
            return;
        }
        for threats in [1, 2, 3, 4, 6, 8, 12, 20] {
            self.search.force_left = 4_000;
            if let Some(forced) = self.search.force(threats) {
                if self.moves.iter().any(|&(_, cell)| cell == forced.first) {
                    self.best = (WIN - forced.plies, forced.first);
                    let place = self.moves.iter().position(|&(_, cell)| cell == forced.first);
                    self.moves[..=place.unwrap_or(0)].rotate_right(1);
                }
                return;
            }
            if self.search.meter.halted || self.search.force_left == 0 {
                return;
            }
        }
    }

    /// Looks for a win with quiet moves among the threats, or for a proof that there is none; not where one is known
    /// already, or there is no choice.
    fn look_for_attack(&mut self, Attacks { stones, provers, held }: &mut Attacks) {
        if self.best.0 > PROVEN || self.moves.len() == 1 || self.search.meter.halted {
            return;
        }
        let meter = &mut self.search.meter;
        let limits = meter.begin_part(1, part_for(self.position, meter.limits).min(ATTACK));
        let outlook = provers[self.search.board.turn()].outlook(stones, meter);
        meter.end_part(limits);
        *held = outlook == Outlook::Held;
        let Outlook::Wins(win) = outlook else { return };
        if let Some(place) = self.moves.iter().position(|&(_, cell)| cell == u16::from(win.first)) {
            self.best = (WIN - win.plies as i32, u16::from(win.first));
            self.moves[..=place].rotate_right(1);
        }
    }

    /// Prefers of the moves that seemed best the first one after which the other side has no such attack.
    pub(super) fn avoid_attacks(&mut self, attacks: &mut Attacks) {
        if self.best.0.abs() > PROVEN || self.moves.len() == 1 || self.search.meter.halted {
            return;
        }
        let turn = self.search.board.turn();
        let prover = &mut attacks.provers[1 - turn];
        for &(_, cell) in self.moves.iter().take(AVOIDED) {
            let next = attacks.stones.play(&prover.windows, turn, cell as u8);
            let limits = self.search.meter.begin_part(1, 2);
            let win = prover.win(&next, &mut self.search.meter);
            self.search.meter.end_part(limits);
            if win.is_none() {
                self.best.1 = cell;
                return;
            }
        }
    }
}
