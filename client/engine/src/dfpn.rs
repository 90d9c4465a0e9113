//! Whether a side wins whatever the other does: a depth-first proof-number search (Nagai, "Df-pn algorithm for
//! searching AND/OR trees and its applications", 2002). What needs no search, and which moves may be worth one, is
//! found at the first look at a position: [`look`].
//!
//! What is proven is true, and so is what is disproven: positions are told apart by all their stones. In normal free
//! placement only.

mod bitboard;
mod expand;
mod tables;
mod vcf;

use std::collections::HashMap;

use noughts_protocol::Geometry;

use crate::alpha_beta::budget::SearchBudget;
use crate::strategies::pairing::PairingStrategy;
pub(super) use bitboard::WindowBitboard;
pub(super) use tables::{WindowTables, iter_bits};
pub(super) use vcf::{VcfLine, VcfSearch};

/// Positions without a win by threats that are remembered, as a power of two. These are told apart by a key of 64 bits
/// alone: where it is mistaken a win is overlooked, but nothing untrue is proven.
const NO_VCF_BITS: u32 = 18;

/// How hard it is to prove, and to disprove, that the attacker wins: 0 when that is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct ProofNumbers {
    proof: u32,
    disproof: u32,
}

const INFINITY: u32 = 1 << 30;
const PROVEN: ProofNumbers = ProofNumbers { proof: 0, disproof: INFINITY };
const DISPROVEN: ProofNumbers = ProofNumbers { proof: INFINITY, disproof: 0 };
/// Only what is decided has such a number.
const UNLIMITED: ProofNumbers = ProofNumbers { proof: INFINITY, disproof: INFINITY };

impl ProofNumbers {
    fn is_below(self, limit: ProofNumbers) -> bool {
        self.proof < limit.proof && self.disproof < limit.disproof
    }
}

/// What is known of a position.
#[derive(Clone, Copy, Debug)]
struct Node {
    numbers: ProofNumbers,
    /// The most plies until the line is complete, after what is refuted so far.
    plies: u32,
    /// The moves that are worth looking at; where the attacker is to move and wins, the one that does.
    moves: u64,
}

/// A move that wins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct WinningMove {
    /// The move to begin with.
    pub(super) first: u8,
    /// The most plies until the line is complete, that move included.
    pub(super) plies: u32,
}

/// What is found out about a position where the attacker is to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ProofResult {
    Proven(WinningMove),
    /// The other side can keep it from winning.
    Disproven,
    Unknown,
}

/// Looks for wins of one side, and remembers what it found.
pub(super) struct DfPn {
    pub(super) tables: WindowTables,
    vcf: VcfSearch,
    pairing: PairingStrategy,
    /// By the stones of a position as [`WindowTables::turned`] has it; who is to move follows from their number. When it is
    /// full no more is found out.
    nodes: HashMap<[u64; 2], Node>,
    max_nodes: usize,
    attacker: usize,
}

/// A move under consideration.
struct Child {
    cell: u8,
    /// The position after it.
    stones: WindowBitboard,
    key: [u64; 2],
    numbers: ProofNumbers,
    plies: u32,
}

impl DfPn {
    /// None where the board does not fit. At most 7/8 of 2^`node_bits` positions are remembered: as many as a table of
    /// 2^`node_bits` places takes before it doubles.
    pub(super) fn new(geometry: &Geometry, attacker: usize, node_bits: u32) -> Option<DfPn> {
        Some(DfPn {
            tables: WindowTables::new(geometry)?,
            vcf: VcfSearch::new(NO_VCF_BITS),
            pairing: PairingStrategy::default(),
            nodes: HashMap::new(),
            max_nodes: (1 << node_bits) / 8 * 7,
            attacker,
        })
    }

    /// A win of the attacker, whose turn it is, if one is found before the meter halts.
    pub(super) fn find_win(
        &mut self,
        stones: &WindowBitboard,
        budget: &mut SearchBudget<'_>,
    ) -> Option<WinningMove> {
        match self.prove(stones, budget) {
            ProofResult::Proven(win) => Some(win),
            ProofResult::Disproven | ProofResult::Unknown => None,
        }
    }

    /// What is found out before the meter halts; the attacker is to move.
    pub(super) fn prove(&mut self, stones: &WindowBitboard, budget: &mut SearchBudget<'_>) -> ProofResult {
        let (canonical, _) = stones.canonical(&self.tables);
        let node = self.search(&canonical, self.attacker, UNLIMITED, budget);
        match node.numbers {
            PROVEN => {
                let (_, images) = stones.canonical(&self.tables);
                let is_first = |&cell: &u8| 1 << images[usize::from(cell)] == node.moves;
                let first = iter_bits(stones.free(&self.tables)).find(is_first).expect("a move wins");
                ProofResult::Proven(WinningMove { first, plies: node.plies })
            }
            DISPROVEN => ProofResult::Disproven,
            ProofNumbers { .. } => ProofResult::Unknown,
        }
    }

    fn is_exhausted(&self, budget: &SearchBudget<'_>) -> bool {
        // What was seen while the meter halted may be less than what there is.
        budget.halted || self.nodes.len() >= self.max_nodes
    }

    /// Looks at a position, which is turned, until its numbers reach the limit.
    fn search(
        &mut self,
        stones: &WindowBitboard,
        turn: usize,
        limit: ProofNumbers,
        budget: &mut SearchBudget<'_>,
    ) -> Node {
        budget.count_node();
        let mut node = match self.nodes.get(&stones.by_seat) {
            Some(&node) => node,
            None => self.expand(stones, turn, budget),
        };
        if node.numbers.is_below(limit) {
            self.search_moves(&mut node, stones, turn, limit, budget);
        }
        if !self.is_exhausted(budget) {
            self.nodes.insert(stones.by_seat, node);
        }
        node
    }

    /// Looks at the moves of a position until its numbers reach the limit.
    fn search_moves(
        &mut self,
        node: &mut Node,
        stones: &WindowBitboard,
        turn: usize,
        limit: ProofNumbers,
        budget: &mut SearchBudget<'_>,
    ) {
        let attacks = turn == self.attacker;
        let mut children = self.children(stones, turn, node.moves);
        loop {
            node.numbers = combine_numbers(&children, attacks);
            if !node.numbers.is_below(limit) || self.is_exhausted(budget) {
                break;
            }
            let ProofNumbers { proof, disproof } = node.numbers;
            let (index, second) = most_proving(&children, attacks);
            let child = &mut children[index];
            // A quarter more than the next best has: it would be gone back and forth between them otherwise.
            let limit_of_one = |limit: u32| limit.min(second + second / 4 + 1);
            let limit_of_all =
                |limit: u32, all: u32, own: u32| limit.saturating_sub(all.saturating_sub(own)).max(own + 1);
            let next = if attacks {
                ProofNumbers {
                    proof: limit_of_one(limit.proof),
                    disproof: limit_of_all(limit.disproof, disproof, child.numbers.disproof),
                }
            } else {
                ProofNumbers {
                    proof: limit_of_all(limit.proof, proof, child.numbers.proof),
                    disproof: limit_of_one(limit.disproof),
                }
            };
            let (canonical, _) = child.stones.canonical(&self.tables);
            let found = self.search(&canonical, 1 - turn, next, budget);
            (child.numbers, child.plies) = (found.numbers, found.plies);
        }
        let mut proven = children.iter().filter(|child| child.numbers == PROVEN);
        if !attacks {
            node.plies = proven.fold(node.plies, |plies, child| plies.max(child.plies + 1));
        } else if let Some(child) = proven.next() {
            (node.plies, node.moves) = (child.plies + 1, 1 << child.cell);
        }
    }

    /// The positions after these moves with what is known of each, or seems likely.
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
            children.push(Child { cell, stones: next, key, numbers, plies });
        }
        children
    }
}

/// The side to move needs one move that does, the other side has to meet them all.
fn combine_numbers(children: &[Child], attacks: bool) -> ProofNumbers {
    let (mut one, mut all) = (INFINITY, 0);
    for &Child { numbers: ProofNumbers { proof, disproof }, .. } in children {
        let (own, others) = if attacks { (proof, disproof) } else { (disproof, proof) };
        (one, all) = (one.min(own), (all + others).min(INFINITY));
    }
    if attacks {
        ProofNumbers { proof: one, disproof: all }
    } else {
        ProofNumbers { proof: all, disproof: one }
    }
}

/// The move to look at next, and the number that the next best has.
fn most_proving(children: &[Child], attacks: bool) -> (usize, u32) {
    let (mut index, mut least, mut second) = (0, u32::MAX, INFINITY);
    for (at, Child { numbers, .. }) in children.iter().enumerate() {
        let number = if attacks { numbers.proof } else { numbers.disproof };
        if number < least {
            (index, second, least) = (at, least.min(INFINITY), number);
        } else {
            second = second.min(number);
        }
    }
    (index, second)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;
    use std::time::Duration;

    use super::*;
    use crate::SearchLimits;

    #[test]
    fn no_more_is_remembered_than_there_are_places_for() {
        let geometry = Geometry::new("9x4:4".parse().expect("rules"));
        let stop = AtomicBool::new(false);
        let mut budget = SearchBudget::new(SearchLimits::default(), &|| Duration::ZERO, &stop);
        let mut dfpn = DfPn::new(&geometry, 0, 10).expect("the board fits");
        assert_eq!(dfpn.prove(&WindowBitboard::NONE, &mut budget), ProofResult::Unknown);
        assert_eq!((dfpn.nodes.len(), dfpn.nodes.capacity()), (896, 896), "it does not double for one more");
    }
}
