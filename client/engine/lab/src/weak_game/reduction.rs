//! Reduction of a position to its core, or to a winner without a search.

use noughts_engine::internals::BitWord;

use super::pairing::PairingCore;
use super::proof_numbers::WeakGameRole;

/// A position after its reduction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ReducedPosition<B> {
    /// The winner, and the free cells that its strategy needs.
    Decided {
        /// The winner.
        winner: WeakGameRole,
        /// The free cells that its strategy needs.
        zone: B,
    },
    /// The edges are the core of the position.
    Open {
        /// The player to move, after forced moves.
        turn: WeakGameRole,
        /// Cells of forced moves: every strategy needs them.
        forced: B,
        /// Cells of pairs: the strategies of the breaker need them.
        pairs: B,
        /// Number of cells that the core lacks for a pairing.
        missing: u32,
    },
}

/// Reduces positions. Keeps its buffers between calls.
#[derive(Debug)]
pub(super) struct PositionReducer<B> {
    pairing: PairingCore<B>,
}

impl<B: BitWord> PositionReducer<B> {
    pub(super) fn new() -> PositionReducer<B> {
        PositionReducer {
            pairing: PairingCore::new(),
        }
    }

    /// Plays forced moves, and removes the edges that do not matter. The winner stays the same.
    pub(super) fn reduce(
        &mut self,
        edges: &mut Vec<B>,
        mut turn: WeakGameRole,
    ) -> ReducedPosition<B> {
        use WeakGameRole::{Breaker, Maker};
        let (mut forced, mut pairs) = (B::EMPTY, B::EMPTY);
        loop {
            remove_supersets(edges);
            let Some(&first) = edges.first() else {
                return ReducedPosition::Decided {
                    winner: Breaker,
                    zone: forced | pairs,
                };
            };
            if first.without_first().is_empty() {
                let second = edges
                    .get(1)
                    .copied()
                    .filter(|second| second.without_first().is_empty());
                match (turn, second) {
                    (Maker, _) => {
                        return ReducedPosition::Decided {
                            winner: Maker,
                            zone: forced | first,
                        };
                    }
                    _ if first.is_empty() => {
                        return ReducedPosition::Decided {
                            winner: Maker,
                            zone: forced,
                        };
                    }
                    (Breaker, Some(second)) => {
                        return ReducedPosition::Decided {
                            winner: Maker,
                            zone: forced | first | second,
                        };
                    }
                    (Breaker, None) => {
                        edges.swap_remove(0);
                        edges.retain(|&edge| (edge & first).is_empty());
                        (forced, turn) = (forced | first, Maker);
                        continue;
                    }
                }
            }
            if turn == Maker
                && let Some(pair) = play_free_threat(edges)
            {
                forced |= pair;
                continue;
            }
            let count = edges.len();
            let removed = self.pairing.keep_core(edges);
            pairs |= removed.cells;
            if turn == Maker
                && edges.len() < count
                && let Some(pair) = play_free_threat(edges)
            {
                forced |= pair;
                continue;
            }
            let cells = edges.iter().fold(B::EMPTY, |cells, &edge| cells | edge);
            if is_light(edges, turn) {
                return ReducedPosition::Decided {
                    winner: Breaker,
                    zone: forced | pairs | cells,
                };
            }
            if turn == Breaker
                && let Some(reply) = self.pairing.find_blocking_reply(edges, removed.missing)
            {
                let zone = forced | pairs | reply.cell | reply.pairs;
                return ReducedPosition::Decided {
                    winner: Breaker,
                    zone,
                };
            }
            return ReducedPosition::Open {
                turn,
                forced,
                pairs,
                missing: removed.missing,
            };
        }
    }
}

/// Sorts the edges by size, and removes edges that contain a smaller edge: a block of the smaller edge blocks them too,
/// and the maker completes the smaller edge before them.
pub(super) fn remove_supersets<B: BitWord>(edges: &mut Vec<B>) {
    edges.sort_unstable_by_key(|&edge| -> (u32, u128) { (edge.count(), edge.into()) });
    let mut kept = 0;
    for index in 0..edges.len() {
        let edge = edges[index];
        if edges[..kept].iter().all(|&smaller| (smaller & !edge).any()) {
            edges[kept] = edge;
            kept += 1;
        }
    }
    edges.truncate(kept);
}

/// Plays a threat that costs the maker nothing: one cell of an edge of two cells lies in no other edge, so that the
/// breaker's answer blocks nothing else. Returns both cells. The edges must be sorted by size.
pub(super) fn play_free_threat<B: BitWord>(edges: &mut Vec<B>) -> Option<B> {
    let (mut once, mut twice) = (B::EMPTY, B::EMPTY);
    if edges.first()?.count() > 2 {
        return None;
    }
    for &edge in edges.iter() {
        twice |= once & edge;
        once |= edge;
    }
    let mut threats = edges.iter().take_while(|edge| edge.count() == 2);
    let index = threats.position(|&edge| (edge & !twice).any())?;
    let threat = edges.swap_remove(index);
    edges.iter_mut().for_each(|edge| *edge &= !(threat & twice));
    Some(threat)
}

/// Returns whether the breaker holds by taking the heaviest cell: an edge weighs 2 to the power of minus the number of
/// its cells, and the weights sum to less than 1/2 with the maker to move, or less than 1 otherwise (Erdős and
/// Selfridge, "On a combinatorial game", 1973).
fn is_light<B: BitWord>(edges: &[B], turn: WeakGameRole) -> bool {
    let weight: u64 = edges
        .iter()
        .map(|edge| (1 << 40) >> edge.count().min(40))
        .sum();
    weight
        < if turn == WeakGameRole::Maker {
            1 << 39
        } else {
            1 << 40
        }
}
