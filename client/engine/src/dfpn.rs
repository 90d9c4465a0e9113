//! Depth-first proof-number search (df-pn) for forced wins of one seat (Nagai, "Df-pn algorithm for searching AND/OR
//! trees and its applications", 2002). `expand` decides positions without a search, or selects the moves that are worth
//! searching.
//!
//! Proofs and disproofs are exact, because the table stores whole positions rather than hash keys. The search supports
//! normal free placement only.

use std::collections::HashMap;

use noughts_protocol::Geometry;

use crate::budget::SearchBudget;
use crate::strategy_proofs::NoLineProver;
use crate::window_bitboard::{VcfLine, VcfSearch, WindowBitboard, WindowTables, iter_bits};

/// Base-2 logarithm of the size of the cache of positions without a VCF. The cache compares only 64-bit keys. A
/// collision may hide a win, but cannot produce a wrong proof.
const NO_VCF_BITS: u32 = 18;

/// Proof and disproof number of the statement that the attacker wins. A number is 0 when the statement is proven or
/// disproven.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProofNumbers {
    pub proof: u32,
    pub disproof: u32,
}

pub const INFINITY: u32 = 1 << 30;
pub const PROVEN: ProofNumbers = ProofNumbers {
    proof: 0,
    disproof: INFINITY,
};
pub const DISPROVEN: ProofNumbers = ProofNumbers {
    proof: INFINITY,
    disproof: 0,
};
/// The threshold of an unlimited search. Only decided positions reach it.
pub const UNLIMITED: ProofNumbers = ProofNumbers {
    proof: INFINITY,
    disproof: INFINITY,
};

impl ProofNumbers {
    pub fn is_below(self, threshold: ProofNumbers) -> bool {
        self.proof < threshold.proof && self.disproof < threshold.disproof
    }

    /// Creates the numbers from the number of the player to move and the number of the opponent.
    pub fn from_own(own: u32, others: u32, is_attack: bool) -> ProofNumbers {
        let (proof, disproof) = if is_attack {
            (own, others)
        } else {
            (others, own)
        };
        ProofNumbers { proof, disproof }
    }

    /// Returns the number of the player to move, and the number of the opponent.
    pub fn own_first(self, is_attack: bool) -> (u32, u32) {
        let ProofNumbers { proof, disproof } = self;
        if is_attack {
            (proof, disproof)
        } else {
            (disproof, proof)
        }
    }
}

/// Table entry of a position.
#[derive(Clone, Copy, Debug)]
struct Node {
    numbers: ProofNumbers,
    /// Maximum number of plies until the line is complete, over the replies refuted so far.
    plies: u32,
    /// The moves worth searching. After a proof with the attacker to move, the winning move.
    moves: u64,
}

/// A winning move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WinningMove {
    /// The cell of the move.
    pub first: u8,
    /// Maximum number of plies until the line is complete, including this move.
    pub plies: u32,
}

/// Result for a position where the attacker is to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ProofResult {
    Proven(WinningMove),
    /// The defender can prevent a win.
    Disproven,
    Unknown,
}

/// A df-pn search for wins of one seat, with its table.
pub struct DfPn {
    pub tables: WindowTables,
    vcf: VcfSearch,
    no_line_prover: NoLineProver,
    /// Nodes by the stones of the canonical position. The seat to move follows from the number of stones. When the
    /// table is full, the search stops.
    nodes: HashMap<[u64; 2], Node>,
    max_nodes: usize,
    attacker: usize,
}

/// A move and the numbers of the position after it.
struct Child {
    cell: u8,
    stones: WindowBitboard,
    key: [u64; 2],
    numbers: ProofNumbers,
    plies: u32,
}

impl DfPn {
    /// Creates a search for wins of `attacker`; `None` if the board does not fit. The table holds at most 7/8 of
    /// 2^`node_bits` positions, because above this load a hash map of 2^`node_bits` slots would double.
    pub fn new(geometry: &Geometry, attacker: usize, node_bits: u32) -> Option<DfPn> {
        Some(DfPn {
            tables: WindowTables::new(geometry)?,
            vcf: VcfSearch::new(NO_VCF_BITS),
            no_line_prover: NoLineProver::default(),
            nodes: HashMap::new(),
            max_nodes: (1 << node_bits) / 8 * 7,
            attacker,
        })
    }

    /// Returns a win of the attacker, who is to move, if the search finds one within the budget.
    pub fn find_win(
        &mut self,
        stones: &WindowBitboard,
        budget: &mut SearchBudget<'_>,
    ) -> Option<WinningMove> {
        match self.prove(stones, budget) {
            ProofResult::Proven(win) => Some(win),
            ProofResult::Disproven | ProofResult::Unknown => None,
        }
    }

    /// Searches for a proof or a disproof within the budget. The attacker must be to move.
    pub(super) fn prove(
        &mut self,
        stones: &WindowBitboard,
        budget: &mut SearchBudget<'_>,
    ) -> ProofResult {
        let (canonical, _) = stones.canonical(&self.tables);
        let node = self.search(&canonical, self.attacker, UNLIMITED, budget);
        match node.numbers {
            PROVEN => {
                let (_, images) = stones.canonical(&self.tables);
                let is_first = |&cell: &u8| 1 << images[usize::from(cell)] == node.moves;
                let first = iter_bits(stones.free(&self.tables))
                    .find(is_first)
                    .expect("a move wins");
                ProofResult::Proven(WinningMove {
                    first,
                    plies: node.plies,
                })
            }
            DISPROVEN => ProofResult::Disproven,
            ProofNumbers { .. } => ProofResult::Unknown,
        }
    }

    fn is_exhausted(&self, budget: &SearchBudget<'_>) -> bool {
        // Results that are found after the halt may be incomplete.
        budget.halted || self.nodes.len() >= self.max_nodes
    }

    /// Searches a canonical position until its numbers reach the threshold.
    fn search(
        &mut self,
        stones: &WindowBitboard,
        turn: usize,
        threshold: ProofNumbers,
        budget: &mut SearchBudget<'_>,
    ) -> Node {
        budget.count_node();
        let mut node = match self.nodes.get(&stones.by_seat) {
            Some(&node) => node,
            None => self.expand(stones, turn, budget),
        };
        if node.numbers.is_below(threshold) {
            self.search_moves(&mut node, stones, turn, threshold, budget);
        }
        if !self.is_exhausted(budget) {
            self.nodes.insert(stones.by_seat, node);
        }
        node
    }

    /// Searches the moves of a position until its numbers reach the threshold.
    fn search_moves(
        &mut self,
        node: &mut Node,
        stones: &WindowBitboard,
        turn: usize,
        threshold: ProofNumbers,
        budget: &mut SearchBudget<'_>,
    ) {
        let attacks = turn == self.attacker;
        let mut children = self.children(stones, turn, node.moves);
        loop {
            node.numbers = combine_numbers(&children, attacks);
            if !node.numbers.is_below(threshold) || self.is_exhausted(budget) {
                break;
            }
            let numbers = children.iter().map(|child| child.numbers);
            let (index, child_threshold) = select_child(numbers, attacks, node.numbers, threshold);
            let child = &mut children[index];
            let (canonical, _) = child.stones.canonical(&self.tables);
            let found = self.search(&canonical, 1 - turn, child_threshold, budget);
            (child.numbers, child.plies) = (found.numbers, found.plies);
        }
        let mut proven = children.iter().filter(|child| child.numbers == PROVEN);
        if !attacks {
            node.plies = proven.fold(node.plies, |plies, child| plies.max(child.plies + 1));
        } else if let Some(child) = proven.next() {
            (node.plies, node.moves) = (child.plies + 1, 1 << child.cell);
        }
    }

    /// Returns the positions after these moves, with stored or initial numbers. Symmetric positions occur once.
    fn children(&self, stones: &WindowBitboard, turn: usize, moves: u64) -> Vec<Child> {
        let mut children: Vec<Child> = Vec::with_capacity(moves.count_ones() as usize);
        for cell in iter_bits(moves) {
            let next = stones.play(&self.tables, turn, cell);
            let key = next.canonical_words(&self.tables).0;
            if children.iter().any(|child| child.key == key) {
                continue;
            }
            let (numbers, plies) = match self.nodes.get(&key) {
                Some(node) => (node.numbers, node.plies),
                None => (self.initial_numbers(&next, 1 - turn), 0),
            };
            children.push(Child {
                cell,
                stones: next,
                key,
                numbers,
                plies,
            });
        }
        children
    }
}

/// Combines the numbers of a position's moves. The attacker needs one winning move, and the defender must refute all
/// moves.
fn combine_numbers(children: &[Child], attacks: bool) -> ProofNumbers {
    let (mut one, mut all) = (INFINITY, 0);
    for child in children {
        let (own, others) = child.numbers.own_first(attacks);
        (one, all) = (one.min(own), (all + others).min(INFINITY));
    }
    ProofNumbers::from_own(one, all, attacks)
}

/// Returns the most proving move of an undecided position with these numbers, and the threshold for its search.
pub fn select_child(
    children: impl Iterator<Item = ProofNumbers>,
    is_attack: bool,
    numbers: ProofNumbers,
    threshold: ProofNumbers,
) -> (usize, ProofNumbers) {
    let (mut index, mut least, mut others, mut second) = (0, u32::MAX, 0, INFINITY);
    for (at, child) in children.enumerate() {
        let (own, others_of_child) = child.own_first(is_attack);
        if own < least {
            (index, second, least, others) = (at, least.min(INFINITY), own, others_of_child);
        } else {
            second = second.min(own);
        }
    }
    let (own_limit, others_limit) = threshold.own_first(is_attack);
    let (_, all) = numbers.own_first(is_attack);
    // The 1 + epsilon trick (Pawlewicz and Lew, "Improving depth-first PN-search: 1 + epsilon trick", 2007): the limit
    // is a quarter above the second best number, so that the search does not alternate between two moves.
    let own_limit = own_limit.min(second + second / 4 + 1);
    let others_limit = others_limit
        .saturating_sub(all.saturating_sub(others))
        .max(others + 1);
    (
        index,
        ProofNumbers::from_own(own_limit, others_limit, is_attack),
    )
}

/// Maximum number of positions of one VCF search.
const MAX_VCF_NODES: u32 = 500;
/// Initial proof number of a quiet move: the expected number of replies to refute.
const QUIET_PROOF: u32 = 20;
/// Initial proof number of a threat to complete a line: one reply, but many continuations.
const THREAT_PROOF: u32 = 6;
/// Initial proof numbers by the number of windows where a threat can follow. The last number applies to three or more.
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
    /// Expands a position: decides it without a search, or selects the moves worth a search and their initial numbers.
    ///
    /// The same steps apply to both seats, except the pairing strategy, which only refutes the attacker. If the
    /// opponent threatens a VCF, only moves that meet it remain, such as replies to an open three in gomoku, or
    /// "strategic moves" in Qubic. In most positions, few moves remain.
    fn expand(
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

    /// Returns heuristic numbers for a position that is not in the table.
    fn initial_numbers(&self, stones: &WindowBitboard, turn: usize) -> ProofNumbers {
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

    /// Finds a VCF of this seat. The seat must be to move and unable to complete a line with one move.
    fn find_vcf(
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

    /// Returns the moves of a seat when the opponent does not threaten to complete a line with one move.
    fn forced_replies(
        &mut self,
        stones: &WindowBitboard,
        turn: usize,
        budget: &mut SearchBudget<'_>,
    ) -> ForcedReplies {
        // Finds the threat that the opponent would have if the side to move passed.
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
                // The refutation of a reply refutes all other replies that do not meet it.
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

    /// Returns the moves of this seat that may meet a VCF: moves on the cells of the VCF, and moves that form a threat
    /// with the forced replies.
    fn defences(&self, stones: &WindowBitboard, seat: usize, win: &VcfLine) -> u64 {
        let after_replies = iter_bits(win.replies & stones.free(&self.tables))
            .fold(*stones, |then, reply| then.play(&self.tables, seat, reply));
        let lacking = (0..=2).fold(0, |all, lack| {
            all | after_replies.windows_lacking(&self.tables, seat, lack)
        });
        (win.stones | win.replies | self.tables.cells_of(lacking)) & stones.free(&self.tables)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;
    use std::time::Duration;

    use super::*;
    use crate::SearchLimits;

    #[test]
    fn the_table_is_bounded() {
        let geometry = Geometry::new("9x4:4".parse().expect("rules"));
        let stop = AtomicBool::new(false);
        let mut budget = SearchBudget::new(SearchLimits::default(), &|| Duration::ZERO, &stop);
        let mut dfpn = DfPn::new(&geometry, 0, 10).expect("the board fits");
        assert_eq!(
            dfpn.prove(&WindowBitboard::EMPTY, &mut budget),
            ProofResult::Unknown
        );
        assert_eq!(
            (dfpn.nodes.len(), dfpn.nodes.capacity()),
            (896, 896),
            "the map does not grow"
        );
    }
}
