//! Node expansion: decides a position without a search, or selects the moves worth one and their initial numbers.
//!
//! The rules apply to both seats, except the pairing strategy, which only refutes the attacker. If the opponent threatens a
//! VCF, only moves that meet it remain: replies to an open three in gomoku, "strategic moves" in Qubic. Few moves remain
//! in most positions.

use super::bitboard::WindowBitboard;
use super::vcf::VcfLine;
use super::window_tables::iter_bits;
use super::{DISPROVEN, DfPn, Node, PROVEN, ProofNumbers};
use crate::budget::SearchBudget;

/// Maximum number of positions of one VCF search.
const MAX_VCF_NODES: u32 = 500;
/// Initial proof number of a quiet move: the expected number of replies to refute.
const QUIET_PROOF: u32 = 20;
/// Initial proof number of a threat to complete a line: one reply, but many continuations.
const THREAT_PROOF: u32 = 6;
/// Initial proof numbers by the number of windows where a threat can follow; the last one for three or more.
const ATTACK_PROOFS: [u32; 4] = [QUIET_PROOF, 10, 6, 5];

/// The moves that a VCF of the opponent does not refute.
struct ForcedReplies {
    moves: u64,
    /// Whether the opponent threatens a VCF, so that other moves lose.
    is_threatened: bool,
    /// Maximum number of plies until the other moves have lost.
    plies: u32,
}

impl DfPn {
    /// Expands a position.
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
            && self.no_line_prover.prove_no_line_in_word(
                &self.tables.window_cells,
                by_seat[0],
                by_seat[1],
                attacks,
            )
        {
            return Node {
                numbers: DISPROVEN,
                plies: 0,
                moves: 0,
            };
        }
        if let Some(win) = self.find_vcf(stones, turn, budget) {
            return self.decided(turn, win.plies, 1 << win.first);
        }
        let ForcedReplies {
            moves,
            is_threatened: threatened,
            plies,
        } = if forced != 0 {
            ForcedReplies {
                moves: forced,
                is_threatened: true,
                plies: 0,
            }
        } else {
            self.forced_replies(stones, turn, budget)
        };
        let count = moves.count_ones();
        let numbers = match (count, attacks) {
            (0, _) => return self.decided(1 - turn, plies, 0),
            (_, true) => ProofNumbers {
                proof: 1,
                disproof: count,
            },
            (_, false) if threatened => ProofNumbers {
                proof: count,
                disproof: 1,
            },
            (_, false) => ProofNumbers {
                proof: count.max(QUIET_PROOF),
                disproof: 1,
            },
        };
        Node {
            numbers,
            plies: if attacks { 0 } else { plies },
            moves,
        }
    }

    fn decided(&self, seat: usize, plies: u32, moves: u64) -> Node {
        let numbers = if seat == self.attacker {
            PROVEN
        } else {
            DISPROVEN
        };
        Node {
            numbers,
            plies,
            moves,
        }
    }

    /// Heuristic numbers of a position that is not in the table.
    pub(super) fn initial_numbers(&self, stones: &WindowBitboard, turn: usize) -> ProofNumbers {
        let (tables, own) = (&self.tables, self.attacker);
        if turn == own {
            return ProofNumbers {
                proof: 1,
                disproof: 1 + stones.weight(tables, own),
            };
        }
        let proof = if stones.completing(tables, own) != 0 {
            THREAT_PROOF
        } else {
            let attacks = stones.windows_lacking(tables, own, 2).count_ones() as usize;
            ATTACK_PROOFS[attacks.min(ATTACK_PROOFS.len() - 1)]
        };
        ProofNumbers { proof, disproof: 1 }
    }

    /// A VCF of this seat, which must be to move and unable to complete a line at once.
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

    /// The moves of a seat when the opponent does not threaten to complete a line at once.
    fn forced_replies(
        &mut self,
        stones: &WindowBitboard,
        turn: usize,
        budget: &mut SearchBudget<'_>,
    ) -> ForcedReplies {
        // The threat of the opponent if the side to move passed.
        let Some(win) = self.find_vcf(stones, 1 - turn, budget) else {
            let moves = stones.undominated(&self.tables, stones.free(&self.tables));
            return ForcedReplies {
                moves,
                is_threatened: false,
                plies: 0,
            };
        };
        let (mut moves, mut plies) = (self.defences(stones, turn, &win), win.plies + 1);
        let mut untried = moves;
        while untried != 0 {
            let reply = untried.trailing_zeros() as u8;
            untried &= untried - 1;
            let next = stones.play(&self.tables, turn, reply);
            if let Some(win) = self.find_vcf(&next, 1 - turn, budget) {
                // The refutation of one reply refutes all other replies that do not meet it.
                moves &= self.defences(stones, turn, &win) & !(1 << reply);
                untried &= moves;
                plies = plies.max(win.plies + 1);
            }
        }
        // If a dominating cell is refuted, so are the cells that it dominates.
        ForcedReplies {
            moves: stones.undominated(&self.tables, moves),
            is_threatened: true,
            plies,
        }
    }

    /// The moves of this seat that may meet a VCF: those that occupy a cell of it, and those with which the forced replies
    /// form a threat.
    fn defences(&self, stones: &WindowBitboard, seat: usize, win: &VcfLine) -> u64 {
        let after_replies = iter_bits(win.replies & stones.free(&self.tables))
            .fold(*stones, |then, reply| then.play(&self.tables, seat, reply));
        let lacking = (0..=2).fold(0, |all, lack| {
            all | after_replies.windows_lacking(&self.tables, seat, lack)
        });
        (win.stones | win.replies | self.tables.cells_of(lacking)) & stones.free(&self.tables)
    }
}
