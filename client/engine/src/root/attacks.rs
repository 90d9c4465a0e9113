//! Wins by attacks, one's own and the other side's: far beyond the depth to which everything is looked at.

use super::{Root, WIN};
use crate::proof::{Prover, Stones};
use crate::search::PROVEN;

/// What looking for an attack may take of the limits, as a denominator.
const ATTACK: u32 = 4;
/// Moves that are tried where the other side's attack is to be avoided.
const AVOIDED: usize = 6;
/// Positions of attacks that are remembered, as a power of two: some megabytes.
const NODE_BITS: u32 = 18;

/// What is found out about the attacks of both sides.
pub(super) struct Attacks {
    stones: Stones,
    /// By the side that attacks.
    provers: [Prover; 2],
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
        let mut attacks = Attacks { stones: Stones::of(&provers[0].windows, self.position), provers };
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

    /// The same with quiet moves among the threats.
    fn look_for_attack(&mut self, Attacks { stones, provers }: &mut Attacks) {
        if self.best.0 > PROVEN || self.moves.len() == 1 || self.search.meter.halted {
            return;
        }
        let meter = &mut self.search.meter;
        let limits = meter.begin_part(1, ATTACK);
        let win = provers[self.search.board.turn()].win(stones, meter);
        meter.end_part(limits);
        let Some(win) = win else { return };
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
