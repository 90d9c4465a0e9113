//! The first look at a position: whether it is decided without a search, and if not, which moves may be worth one. All
//! of it holds for both sides alike, but for the pairs, which only ever keep the attacker from its line.
//!
//! Where the other side would win by threats if the side to move did nothing, only moves that meet that win are left.
//! In gomoku that is how a three is answered, in Qubic a "strategic move": of most positions few moves remain.

use super::stones::{Stones, each};
use super::threats::Sequence;
use super::{DISPROVEN, Node, Numbers, PROVEN, Prover};
use crate::meter::Meter;

/// Positions that one look for threats alone may take.
const THREATS: u32 = 500;
/// How hard it is to prove that a move wins which threatens nothing yet, in replies that have to be refuted.
const QUIET: u32 = 20;
/// The same for a threat to complete a line. It has one reply only, but leads on to any number of others.
const THREAT: u32 = 6;
/// The same for moves that leave so many windows, or more, where a threat can follow.
const ATTACK: [u32; 4] = [QUIET, 10, 6, 5];

/// The moves that do not lose by threats alone.
struct Replies {
    moves: u64,
    /// The others do.
    threatened: bool,
    /// The most plies until they have lost.
    plies: u32,
}

impl Prover {
    /// What is seen of a position without a search.
    pub(super) fn look(&mut self, stones: &Stones, turn: usize, meter: &mut Meter<'_>) -> Node {
        let completing = stones.completing(&self.windows, turn);
        if completing != 0 {
            return self.won(turn, 1, completing & completing.wrapping_neg());
        }
        let must = stones.completing(&self.windows, 1 - turn);
        if must.count_ones() > 1 {
            return self.won(1 - turn, 2, 0);
        }
        let attacks = turn == self.attacker;
        let of = [self.attacker, 1 - self.attacker].map(|seat| stones.of[seat]);
        if must == 0 && self.hold.holds(&self.windows.cells, of[0], of[1], attacks) {
            return Node { numbers: DISPROVEN, plies: 0, moves: 0 };
        }
        if let Some(win) = self.by_threats(stones, turn, meter) {
            return self.won(turn, win.plies, 1 << win.first);
        }
        let Replies { moves, threatened, plies } = if must != 0 {
            Replies { moves: must, threatened: true, plies: 0 }
        } else {
            self.replies(stones, turn, meter)
        };
        let count = moves.count_ones();
        let numbers = match (count, attacks) {
            (0, _) => return self.won(1 - turn, plies, 0),
            (_, true) => Numbers { proof: 1, disproof: count },
            (_, false) if threatened => Numbers { proof: count, disproof: 1 },
            (_, false) => Numbers { proof: count.max(QUIET), disproof: 1 },
        };
        Node { numbers, plies: if attacks { 0 } else { plies }, moves }
    }

    fn won(&self, seat: usize, plies: u32, moves: u64) -> Node {
        let numbers = if seat == self.attacker { PROVEN } else { DISPROVEN };
        Node { numbers, plies, moves }
    }

    /// What the numbers of a position may be that was not looked at yet.
    pub(super) fn guess(&self, stones: &Stones, turn: usize) -> Numbers {
        let (windows, own) = (&self.windows, self.attacker);
        if turn == own {
            return Numbers { proof: 1, disproof: 1 + stones.weight(windows, own) };
        }
        let proof = if stones.completing(windows, own) != 0 {
            THREAT
        } else {
            let attacks = stones.lacking(windows, own, 2).count_ones() as usize;
            ATTACK[attacks.min(ATTACK.len() - 1)]
        };
        Numbers { proof, disproof: 1 }
    }

    /// A win of this seat by threats alone; it is to move and can complete no line at once.
    pub(super) fn by_threats(
        &mut self,
        stones: &Stones,
        seat: usize,
        meter: &mut Meter<'_>,
    ) -> Option<Sequence> {
        if meter.halted {
            return None;
        }
        let found = self.threats.win(&self.windows, stones, seat, THREATS);
        meter.count_more(self.threats.looked());
        found
    }

    /// What a side may play whose lines nobody threatens to complete.
    fn replies(&mut self, stones: &Stones, turn: usize, meter: &mut Meter<'_>) -> Replies {
        // As if the side to move did nothing.
        let Some(win) = self.by_threats(stones, 1 - turn, meter) else {
            let moves = stones.best_of(&self.windows, stones.free(&self.windows));
            return Replies { moves, threatened: false, plies: 0 };
        };
        let (mut moves, mut plies) = (self.met_by(stones, turn, &win), win.plies + 1);
        let mut unseen = moves;
        while unseen != 0 {
            let reply = unseen.trailing_zeros() as u8;
            unseen &= unseen - 1;
            let next = stones.play(&self.windows, turn, reply);
            if let Some(win) = self.by_threats(&next, 1 - turn, meter) {
                // What refutes one reply refutes all others that do not meet it.
                moves &= self.met_by(stones, turn, &win) & !(1 << reply);
                unseen &= moves;
                plies = plies.max(win.plies + 1);
            }
        }
        // Where a better cell is refuted, a worse one is.
        Replies { moves: stones.best_of(&self.windows, moves), threatened: true, plies }
    }

    /// The moves of this seat that may meet a win by threats: those that take a cell of it, and those with which the
    /// forced replies come to a threat of their own.
    fn met_by(&self, stones: &Stones, seat: usize, win: &Sequence) -> u64 {
        let then = each(win.replies & stones.free(&self.windows))
            .fold(*stones, |then, reply| then.play(&self.windows, seat, reply));
        let lacking = (0..=2).fold(0, |all, lack| all | then.lacking(&self.windows, seat, lack));
        (win.stones | win.replies | self.windows.union(lacking)) & stones.free(&self.windows)
    }
}
