//! The players of the weak game, their proof numbers with heuristic values, and the table entries with such numbers.

use noughts_engine::internals::BitWord;

use crate::bucket_table::BucketEntry;

/// A player of the weak game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WeakGameRole {
    /// The seat that tries to complete a line.
    Maker,
    /// The seat that only blocks.
    Breaker,
}

impl WeakGameRole {
    pub(super) fn other(self) -> WeakGameRole {
        match self {
            WeakGameRole::Maker => WeakGameRole::Breaker,
            WeakGameRole::Breaker => WeakGameRole::Maker,
        }
    }
}

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

    /// Creates the numbers of both players: `own` for a win of `player`.
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

    /// Returns the player with a proven win.
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

/// Returns heuristic numbers for a position that is not in the table.
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

/// Returns the numbers of a reply of the breaker before its evaluation: the numbers of the best evaluated reply, in the
/// proportion of the weights of the edges that the two replies leave.
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

/// The table entry of a position.
#[derive(Clone, Copy, Debug)]
pub(super) struct ProofEntry<B> {
    pub(super) key: u128,
    pub(super) numbers: ProofNumbers,
    /// Number of positions that were searched below this position; 0 in an empty entry.
    pub(super) work: u32,
    /// Zone of the winner, in the canonical image.
    pub(super) zone: B,
}

impl<B: BitWord> BucketEntry for ProofEntry<B> {
    type Key = u128;
    const EMPTY: Self = ProofEntry {
        key: 0,
        numbers: ProofNumbers::UNKNOWN,
        work: 0,
        zone: B::EMPTY,
    };

    fn key(&self) -> u128 {
        self.key
    }

    fn work(&self) -> u32 {
        self.work
    }

    fn bucket_bits(key: u128) -> usize {
        key as usize
    }
}
