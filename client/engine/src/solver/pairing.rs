//! Proofs that a side can complete no line, in normal free placement.
//!
//! Pairs: if its windows can be given two free cells each, none shared, the defender answers every stone in such
//! a pair with the other cell of the pair (Hales and Jewett, "Regularity and positional games", 1963). Weights:
//! if the windows, each weighed 2 to the power of minus its free cells, sum to less than a half where the
//! attacker is to move, or less than one where it is not, the defender takes the heaviest cell each time and
//! the sum never reaches one (Erdős and Selfridge, "On a combinatorial game", 1973).

use super::bits::{BitWord, iter_bits};

/// Room for the matching, kept between calls.
#[derive(Default)]
pub(crate) struct BitboardPairing {
    /// By place: the window that has it, counted from 1.
    matched_to: Vec<u8>,
}

/// More windows than this cannot have two cells each.
const MAX_WINDOWS: usize = 64;

impl BitboardPairing {
    /// Whether the attacker can be kept from every line.
    pub(crate) fn prove_no_line<B: BitWord>(
        &mut self,
        windows: &[B],
        attacker: B,
        defender: B,
        attacker_moves: bool,
    ) -> bool {
        let mut alive = [B::EMPTY; MAX_WINDOWS];
        let (mut count, mut weight, mut free, mut pairs) = (0, 0_u64, B::EMPTY, true);
        for &window in windows {
            if (window & defender).any() {
                continue;
            }
            let cells = window & !attacker;
            weight += (1 << 40) >> cells.count().min(40);
            free |= cells;
            // A window with one free cell has no pair: it has to be answered first.
            pairs &= cells.without_first().any() && count < MAX_WINDOWS;
            if pairs {
                alive[count] = cells;
            }
            count += 1;
        }
        let threshold = if attacker_moves { 1 << 39 } else { 1 << 40 };
        if weight < threshold {
            return true;
        }
        if !pairs || 2 * count > free.count() as usize {
            return false;
        }
        self.matched_to.clear();
        self.matched_to.resize(B::SIZE as usize, 0);
        let alive = &mut alive[..count];
        // The windows with the least choice first.
        alive.sort_unstable_by_key(|cells| cells.count());
        (0..count).all(|window| [(); 2].iter().all(|()| self.augment(alive, window, &mut { free })))
    }

    /// Finds one more cell for a window, moving others to other cells if need be (Kuhn 1955).
    fn augment<B: BitWord>(&mut self, alive: &[B], window: usize, unseen: &mut B) -> bool {
        let own = window as u8 + 1;
        for bit in iter_bits(alive[window]) {
            let matched_to = self.matched_to[bit as usize];
            if (*unseen & B::from_bit(bit)).is_empty() || matched_to == own {
                continue;
            }
            *unseen &= !B::from_bit(bit);
            if matched_to == 0 || self.augment(alive, usize::from(matched_to) - 1, unseen) {
                self.matched_to[bit as usize] = own;
                return true;
            }
        }
        false
    }
}
