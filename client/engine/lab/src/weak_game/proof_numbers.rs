//! Proof numbers of the weak game, and their heuristic values.

use super::role::WeakGameRole;
use noughts_engine::internals::BitWord;

/// Proof and disproof number of the statement that the maker wins; 0 when proven or disproven.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ProofNumbers {
    pub(super) maker: u32,
    pub(super) breaker: u32,
}

pub(super) const INFINITY: u32 = 1 << 30;

impl ProofNumbers {
    pub(super) const UNKNOWN: ProofNumbers = ProofNumbers {
        maker: 1,
        breaker: 1,
    };
    pub(super) const UNLIMITED: ProofNumbers = ProofNumbers {
        maker: INFINITY,
        breaker: INFINITY,
    };

    pub(super) fn decided(winner: WeakGameRole) -> ProofNumbers {
        ProofNumbers::new(winner, 0, INFINITY)
    }

    /// Numbers by player: `own` for a win of `player`.
    pub(super) fn new(player: WeakGameRole, own: u32, others: u32) -> ProofNumbers {
        match player {
            WeakGameRole::Maker => ProofNumbers {
                maker: own,
                breaker: others,
            },
            WeakGameRole::Breaker => ProofNumbers {
                maker: others,
                breaker: own,
            },
        }
    }

    pub(super) fn of(self, player: WeakGameRole) -> u32 {
        match player {
            WeakGameRole::Maker => self.maker,
            WeakGameRole::Breaker => self.breaker,
        }
    }

    /// The player whose win is proven.
    pub(super) fn winner(self) -> Option<WeakGameRole> {
        match self {
            ProofNumbers { maker: 0, .. } => Some(WeakGameRole::Maker),
            ProofNumbers { breaker: 0, .. } => Some(WeakGameRole::Breaker),
            ProofNumbers { .. } => None,
        }
    }

    pub(super) fn is_below(self, threshold: ProofNumbers) -> bool {
        self.maker < threshold.maker && self.breaker < threshold.breaker
    }
}

/// Heuristic numbers of a position that is not in the table.
pub(super) fn initial_numbers<B: BitWord>(
    edges: &[B],
    turn: WeakGameRole,
    missing: u32,
) -> ProofNumbers {
    let weight: u32 = edges.iter().map(|edge| 64 >> edge.count().min(6)).sum();
    let weight = if turn == WeakGameRole::Breaker {
        weight / 2
    } else {
        weight
    };
    ProofNumbers {
        maker: 1 + 600 / (weight + 1),
        breaker: 1 + weight + missing * missing,
    }
}

/// Numbers of a reply of the breaker before its evaluation: those of the best evaluated reply, in the proportion of the weights
/// of the edges that the two leave.
pub(super) fn estimate_numbers<B: BitWord>(
    edges: &[B],
    bit: u32,
    best: Option<(u32, ProofNumbers)>,
) -> ProofNumbers {
    let weight = |bit: u32| {
        let left = edges
            .iter()
            .filter(|&&edge| (edge & B::from_bit(bit)).is_empty());
        left.map(|edge| 64 >> edge.count().min(6)).sum::<u32>() + 1
    };
    match best {
        Some((best, numbers)) => {
            let breaker =
                u64::from(numbers.breaker) * u64::from(weight(bit)) / u64::from(weight(best));
            ProofNumbers {
                breaker: breaker.clamp(1, u64::from(INFINITY - 1)) as u32,
                ..numbers
            }
        }
        None => ProofNumbers {
            breaker: weight(bit),
            ..ProofNumbers::UNKNOWN
        },
    }
}
