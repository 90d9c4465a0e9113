//! Moves, keys and dominance in a hypergraph: the edges are the lines that the maker can still complete, as sets of the
//! free cells that it lacks.

use noughts_engine::internals::{BitWord, iter_bits};
use noughts_protocol::rng::split_mix64;

use super::proof_numbers::WeakGameRole;

/// Maximum number of lines of a board.
pub(super) const MAX_EDGES: usize = 254;

/// Writes the edges after a move to `next`.
pub(super) fn play<B: BitWord>(edges: &[B], turn: WeakGameRole, cell: B, next: &mut Vec<B>) {
    next.clear();
    match turn {
        WeakGameRole::Maker => next.extend(edges.iter().map(|&edge| edge & !cell)),
        WeakGameRole::Breaker => {
            next.extend(
                edges
                    .iter()
                    .copied()
                    .filter(|&edge| (edge & cell).is_empty()),
            );
        }
    }
}

/// Returns the key of a position: the sum of the keys of its edges, so that their order does not matter.
pub(super) fn position_key<B: BitWord>(edges: impl Iterator<Item = B>, turn: WeakGameRole) -> u128 {
    let turn_key = u128::from(split_mix64(turn as u64 + 1));
    edges.fold(turn_key, |key, edge| {
        key.wrapping_add(edge_key(edge.into()))
    })
}

/// Returns a hash by multiplications of words into two words and their exclusive-or (the final steps of wyhash).
fn edge_key(edge: u128) -> u128 {
    let fold = |first: u64, second: u64| {
        let product = u128::from(first) * u128::from(second);
        product as u64 ^ (product >> 64) as u64
    };
    let (low, high) = (edge as u64, (edge >> 64) as u64);
    let both = fold(low ^ 0xa076_1d64_78bd_642f, high ^ 0xe703_7ed1_a0b4_28db);
    let first = fold(both ^ 0x8ebc_6af0_9c88_c6e3, low ^ 0x5899_65cc_7537_4cc3);
    let second = fold(
        both ^ 0x1d8e_4e27_c47d_124f,
        low.rotate_left(32) ^ 0xeb44_acca_b455_d165,
    );
    u128::from(first) << 64 | u128::from(second)
}

/// The free cells that matter, and which of them dominate others.
#[derive(Debug)]
pub(super) struct CellDominance<B> {
    /// The cells of all edges.
    pub(super) cells: B,
    /// The cells that no other cell dominates. Of equal cells the first remains.
    pub(super) undominated: B,
    /// For each cell, the cells that all its edges have in common, itself included.
    shared: Vec<B>,
}

impl<B: BitWord> CellDominance<B> {
    /// Finds the dominated cells. A cell dominates another if it lies in all edges of the other. Both players then
    /// prefer it: exchanging the two cells turns every strategy after the dominated move into a strategy after the
    /// dominating move.
    pub(super) fn new(edges: &[B]) -> CellDominance<B> {
        let mut shared = vec![!B::EMPTY; B::SIZE as usize];
        let mut cells = B::EMPTY;
        for &edge in edges {
            cells |= edge;
            iter_bits(edge).for_each(|bit| shared[bit as usize] &= edge);
        }
        let mut undominated = B::EMPTY;
        for bit in iter_bits(cells) {
            let cell = B::from_bit(bit);
            let is_better = |other: u32| (shared[other as usize] & cell).is_empty() || other < bit;
            if !iter_bits(shared[bit as usize] & !cell).any(is_better) {
                undominated |= cell;
            }
        }
        CellDominance {
            cells,
            undominated,
            shared,
        }
    }

    /// Returns an undominated cell that dominates this cell of an edge, or the cell itself.
    pub(super) fn dominating(&self, bit: u32) -> u32 {
        (self.shared[bit as usize] & self.undominated).first_bit()
    }
}
