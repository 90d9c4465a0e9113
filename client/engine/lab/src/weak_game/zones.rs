//! Relevance zones: the free cells that the winner of a position needs. Everything outside the zone may belong to the
//! loser.

use noughts_engine::internals::BitWord;

use super::hypergraph::CellDominance;
use super::proof_numbers::{ProofNumbers, WeakGameRole};
use super::reduction::ReducedPosition;

/// A move, and the result for the position after it.
#[derive(Clone, Copy, Debug)]
pub(super) struct ChildPosition<B> {
    /// The bit of the move.
    pub(super) bit: u32,
    /// The player to move in the core.
    pub(super) turn: WeakGameRole,
    /// Key of the core, and the symmetry that leads to its canonical image.
    pub(super) key: u128,
    pub(super) symmetry: usize,
    pub(super) numbers: ProofNumbers,
    /// Once decided: the zone of the move and of everything after it.
    pub(super) zone: B,
    /// Cells between the move and the core: of forced moves, and of pairs, which only the breaker needs.
    forced: B,
    pairs: B,
}

impl<B: BitWord> ChildPosition<B> {
    /// Creates the position after a move of `mover`, without a key if the reduction decided it.
    pub(super) fn new(
        bit: u32,
        mover: WeakGameRole,
        reduced: ReducedPosition<B>,
    ) -> ChildPosition<B> {
        let mut child = ChildPosition {
            bit,
            turn: mover.other(),
            key: 0,
            symmetry: 0,
            numbers: ProofNumbers::UNKNOWN,
            zone: B::EMPTY,
            forced: B::EMPTY,
            pairs: B::EMPTY,
        };
        match reduced {
            ReducedPosition::Decided { winner, zone } => {
                child.decide(mover, ProofNumbers::decided(winner), zone);
            }
            ReducedPosition::Open {
                turn,
                forced,
                pairs,
                missing: _,
            } => {
                (child.turn, child.forced, child.pairs) = (turn, forced, pairs);
            }
        }
        child
    }

    /// Creates a move that is not evaluated.
    pub(super) fn estimate(
        bit: u32,
        mover: WeakGameRole,
        numbers: ProofNumbers,
    ) -> ChildPosition<B> {
        let (turn, forced, pairs) = (mover.other(), B::EMPTY, B::EMPTY);
        let open = ReducedPosition::Open {
            turn,
            forced,
            pairs,
            missing: 0,
        };
        ChildPosition {
            numbers,
            ..ChildPosition::new(bit, mover, open)
        }
    }

    /// Returns whether the move is not evaluated.
    pub(super) fn is_estimate(&self) -> bool {
        self.key == 0 && self.numbers.winner().is_none()
    }

    /// Sets the numbers; if they name a winner, also the zone, from the zone of the core.
    pub(super) fn decide(&mut self, mover: WeakGameRole, numbers: ProofNumbers, core_zone: B) {
        self.numbers = numbers;
        let Some(winner) = numbers.winner() else {
            return;
        };
        self.zone = core_zone | self.forced;
        if winner == WeakGameRole::Breaker {
            self.zone |= self.pairs;
        }
        if winner == mover {
            self.zone |= B::from_bit(self.bit);
        }
    }

    /// Returns whether the move wins for its player.
    pub(super) fn wins(&self, mover: WeakGameRole) -> bool {
        self.numbers.winner() == Some(mover)
    }
}

/// Returns the moves that no zone of a refuted move excludes.
pub(super) fn unrefuted_moves<B: BitWord>(children: &[ChildPosition<B>], moves: B) -> B {
    let refuted = children
        .iter()
        .filter(|child| child.numbers.winner().is_some());
    refuted.fold(moves, |moves, child| moves & child.zone)
}

/// Returns a zone that refutes every move of the loser, who is to move: the union of zones of refuted moves with an
/// empty intersection. All undominated moves must be refuted.
pub(super) fn zone_of_refutations<B: BitWord>(
    children: &[ChildPosition<B>],
    dominance: &CellDominance<B>,
    mover: WeakGameRole,
) -> B {
    let zones = || {
        children
            .iter()
            .filter(|child| child.numbers.winner().is_some())
            .map(|child| child.zone)
    };
    let Some(smallest) = zones().min_by_key(|zone| zone.count()) else {
        return B::EMPTY;
    };
    let (mut union, mut unrefuted) = (smallest, smallest & dominance.cells);
    while unrefuted.any() {
        let bit = unrefuted.first_bit();
        let cell = B::from_bit(bit);
        let growth = |zone: &B| (*zone & !union).count();
        let without = |cell: B| zones().filter(move |&zone| (zone & cell).is_empty());
        let zone = without(cell).min_by_key(growth).unwrap_or_else(|| {
            // The refutation of the dominating move refutes the dominated move, with the two cells exchanged. The
            // maker does not need the dominated cell, because the breaker holds all its edges with the dominating cell.
            let better = B::from_bit(dominance.dominating(bit));
            let exchange = |zone: B| {
                let is_needed = mover == WeakGameRole::Maker && (zone & cell).any();
                if is_needed {
                    (zone & !cell) | better
                } else {
                    zone & !cell
                }
            };
            let zone = without(better).map(exchange).min_by_key(growth);
            zone.expect("undominated moves are refuted")
        });
        union |= zone;
        unrefuted &= zone;
    }
    union
}
