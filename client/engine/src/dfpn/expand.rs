//! The first look at a position: whether it is decided without a search, and if not, which moves may be worth one. All
//! of it holds for both sides alike, but for the pairs, which only ever keep the attacker from its line.
//!
//! Where the other side would win by threats if the side to move did nothing, only moves that meet that win are left.
//! In gomoku that is how a three is answered, in Qubic a "strategic move": of most positions few moves remain.

use super::bitboard::WindowBitboard;
use super::tables::iter_bits;
use super::vcf::VcfLine;
use super::{DISPROVEN, DfPn, Node, PROVEN, ProofNumbers};
use crate::alpha_beta::budget::SearchBudget;

/// Positions that one look for threats alone may take.
const MAX_VCF_NODES: u32 = 500;
/// How hard it is to prove that a move wins which threatens nothing yet, in replies that have to be refuted.
const QUIET_PROOF: u32 = 20;
/// The same for a threat to complete a line. It has one reply only, but leads on to any number of others.
const THREAT_PROOF: u32 = 6;
/// The same for moves that leave so many windows, or more, where a threat can follow.
const ATTACK_PROOFS: [u32; 4] = [QUIET_PROOF, 10, 6, 5];

/// The moves that do not lose by threats alone.
struct ForcedReplies {
    moves: u64,
    /// The others do.
    is_threatened: bool,
    /// The most plies until they have lost.
    plies: u32,
}

impl DfPn {
    /// What is seen of a position without a search.
    pub(super) fn expand(
        &mut self,
        stones: &WindowBitboard,
        turn: usize,
        budget: &mut SearchBudget<'_>,
    ) -> Node {
        let completing = stones.completing(&self.tables, turn);
        if completing != 0 {
            return self.decided(turn, 1, completing & completing.wrapping_neg());
        }
        let forced = stones.completing(&self.tables, 1 - turn);
        if forced.count_ones() > 1 {
            return self.decided(1 - turn, 2, 0);
        }
        let attacks = turn == self.attacker;
        let by_seat = [self.attacker, 1 - self.attacker].map(|seat| stones.by_seat[seat]);
        if forced == 0
            && self.pairing.prove_no_line_in_word(&self.tables.window_cells, by_seat[0], by_seat[1], attacks)
        {
            return Node { numbers: DISPROVEN, plies: 0, moves: 0 };
        }
        if let Some(win) = self.find_vcf(stones, turn, budget) {
            return self.decided(turn, win.plies, 1 << win.first);
        }
        let ForcedReplies { moves, is_threatened: threatened, plies } = if forced != 0 {
            ForcedReplies { moves: forced, is_threatened: true, plies: 0 }
        } else {
            self.forced_replies(stones, turn, budget)
        };
        let count = moves.count_ones();
        let numbers = match (count, attacks) {
            (0, _) => return self.decided(1 - turn, plies, 0),
            (_, true) => ProofNumbers { proof: 1, disproof: count },
            (_, false) if threatened => ProofNumbers { proof: count, disproof: 1 },
            (_, false) => ProofNumbers { proof: count.max(QUIET_PROOF), disproof: 1 },
        };
        Node { numbers, plies: if attacks { 0 } else { plies }, moves }
    }

    fn decided(&self, seat: usize, plies: u32, moves: u64) -> Node {
        let numbers = if seat == self.attacker { PROVEN } else { DISPROVEN };
        Node { numbers, plies, moves }
    }

    /// What the numbers of a position may be that was not looked at yet.
    pub(super) fn initial_numbers(&self, stones: &WindowBitboard, turn: usize) -> ProofNumbers {
        let (tables, own) = (&self.tables, self.attacker);
        if turn == own {
            return ProofNumbers { proof: 1, disproof: 1 + stones.weight(tables, own) };
        }
        let proof = if stones.completing(tables, own) != 0 {
            THREAT_PROOF
        } else {
            let attacks = stones.windows_lacking(tables, own, 2).count_ones() as usize;
            ATTACK_PROOFS[attacks.min(ATTACK_PROOFS.len() - 1)]
        };
        ProofNumbers { proof, disproof: 1 }
    }

    /// A win of this seat by threats alone; it is to move and can complete no line at once.
    pub(super) fn find_vcf(
        &mut self,
        stones: &WindowBitboard,
        seat: usize,
        budget: &mut SearchBudget<'_>,
    ) -> Option<VcfLine> {
        if budget.halted {
            return None;
        }
        let vcf_line = self.vcf.find(&self.tables, stones, seat, MAX_VCF_NODES);
        budget.count_nodes(self.vcf.nodes_used());
        vcf_line
    }

    /// What a side may play whose lines nobody threatens to complete.
    fn forced_replies(
        &mut self,
        stones: &WindowBitboard,
        turn: usize,
        budget: &mut SearchBudget<'_>,
    ) -> ForcedReplies {
        // As if the side to move did nothing.
        let Some(win) = self.find_vcf(stones, 1 - turn, budget) else {
            let moves = stones.undominated(&self.tables, stones.free(&self.tables));
            return ForcedReplies { moves, is_threatened: false, plies: 0 };
        };
        let (mut moves, mut plies) = (self.defences(stones, turn, &win), win.plies + 1);
        let mut untried = moves;
        while untried != 0 {
            let reply = untried.trailing_zeros() as u8;
            untried &= untried - 1;
            let next = stones.play(&self.tables, turn, reply);
            if let Some(win) = self.find_vcf(&next, 1 - turn, budget) {
                // What refutes one reply refutes all others that do not meet it.
                moves &= self.defences(stones, turn, &win) & !(1 << reply);
                untried &= moves;
                plies = plies.max(win.plies + 1);
            }
        }
        // Where a better cell is refuted, a worse one is.
        ForcedReplies { moves: stones.undominated(&self.tables, moves), is_threatened: true, plies }
    }

    /// The moves of this seat that may meet a win by threats: those that take a cell of it, and those with which the
    /// forced replies come to a threat of their own.
    fn defences(&self, stones: &WindowBitboard, seat: usize, win: &VcfLine) -> u64 {
        let after_replies = iter_bits(win.replies & stones.free(&self.tables))
            .fold(*stones, |then, reply| then.play(&self.tables, seat, reply));
        let lacking =
            (0..=2).fold(0, |all, lack| all | after_replies.windows_lacking(&self.tables, seat, lack));
        (win.stones | win.replies | self.tables.cells_of(lacking)) & stones.free(&self.tables)
    }
}
