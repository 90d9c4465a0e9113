//! Small boards as one word per seat: eight rows of eight bits. The last bit of a row is never set, so that no run
//! wraps around an edge.
//!
//! Replaces the line bitboard on boards of at most 7 × 8 cells, where it is four to seven times as fast.
//! `tests/perft.rs` and `tests/properties.rs` compare both with a naive board.

use super::bits::runs;
use crate::Seat;

/// A board of at most eight rows of seven cells.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct WordBitboard {
    stones: [u64; 2],
    /// The landing cells.
    pub(super) landings: u64,
}

/// The rules of a one-word board.
#[derive(Clone, Copy)]
pub(super) struct WordRules {
    pub(super) line: u8,
    pub(super) exact: bool,
    /// All bits under gravity, where a stone opens the cell above it; otherwise 0.
    pub(super) gravity_mask: u64,
}

impl WordBitboard {
    /// Returns the empty board with these landing cells.
    pub(super) fn new(landings: u64) -> WordBitboard {
        WordBitboard {
            stones: [0; 2],
            landings,
        }
    }

    /// Returns the owner of the stone on a cell.
    pub(super) fn stone_at(&self, bit: u64) -> Option<Seat> {
        Seat::ALL
            .into_iter()
            .find(|seat| self.stones[seat.index()] & bit != 0)
    }

    /// Places a stone on a landing cell; `true` if it completes a line.
    #[inline]
    pub(super) fn put(&mut self, bit: u64, seat: usize, rules: WordRules) -> bool {
        self.stones[seat] |= bit;
        self.landings ^= bit | (bit >> 8 & rules.gravity_mask);
        completes_line(rules, self.stones[seat])
    }

    /// Removes the last stone.
    #[inline]
    pub(super) fn remove(&mut self, bit: u64, seat: usize, rules: WordRules) {
        self.stones[seat] ^= bit;
        self.landings ^= bit | (bit >> 8 & rules.gravity_mask);
    }

    /// Returns whether a stone on this free cell would complete a line.
    pub(super) fn would_complete(&self, bit: u64, seat: usize, rules: WordRules) -> bool {
        completes_line(rules, self.stones[seat] | bit)
    }

    /// Plays to the end with moves that `choose` selects. Returns the seat that completes a line, `None` for a full
    /// board.
    pub(super) fn playout(
        self,
        seat: usize,
        rules: WordRules,
        choose: &mut impl FnMut(usize) -> usize,
    ) -> Option<usize> {
        let (mover, other) = (self.stones[seat], self.stones[1 - seat]);
        let plies = match (rules.line, rules.exact) {
            (3, false) => play_to_end(mover, other, self.landings, rules, choose, |word| {
                completes_k(word, 3, false)
            }),
            (4, false) => play_to_end(mover, other, self.landings, rules, choose, |word| {
                completes_k(word, 4, false)
            }),
            (line, exact) => play_to_end(mover, other, self.landings, rules, choose, |word| {
                completes_k(word, line, exact)
            }),
        };
        plies.map(|plies| (seat + plies) % 2)
    }

    /// Counts leaves at this depth, at least 2; see [`crate::perft()`].
    pub(super) fn perft(self, seat: usize, depth: u32, rules: WordRules) -> u64 {
        let (mover, other) = (self.stones[seat], self.stones[1 - seat]);
        match (rules.line, rules.exact) {
            (3, false) => perft_leaves(mover, other, self.landings, depth, rules, |word| {
                completes_k(word, 3, false)
            }),
            (4, false) => perft_leaves(mover, other, self.landings, depth, rules, |word| {
                completes_k(word, 4, false)
            }),
            (line, exact) => perft_leaves(mover, other, self.landings, depth, rules, |word| {
                completes_k(word, line, exact)
            }),
        }
    }
}

fn perft_leaves(
    mover: u64,
    other: u64,
    open: u64,
    depth: u32,
    rules: WordRules,
    completes: impl Fn(u64) -> bool + Copy,
) -> u64 {
    let (mut sum, mut left) = (0, open);
    while left != 0 {
        let bit = left & left.wrapping_neg();
        left ^= bit;
        let word = mover | bit;
        if !completes(word) {
            let next = open ^ (bit | (bit >> 8 & rules.gravity_mask));
            sum += match depth {
                2 => u64::from(next.count_ones()),
                _ => perft_leaves(other, word, next, depth - 1, rules, completes),
            };
        }
    }
    sum
}

/// Returns the number of stones placed before the stone that completes a line; `None` for a full board.
#[inline(always)]
fn play_to_end(
    mut mover: u64,
    mut other: u64,
    mut open: u64,
    rules: WordRules,
    choose: &mut impl FnMut(usize) -> usize,
    completes: impl Fn(u64) -> bool,
) -> Option<usize> {
    let (mut landing_bits, mut count, mut plies) = ([0_u8; 64], 0, 0);
    while open != 0 {
        landing_bits[count] = open.trailing_zeros() as u8;
        open &= open - 1;
        count += 1;
    }
    while count > 0 {
        let chosen = choose(count).min(count - 1) & 63;
        let bit_index = landing_bits[chosen];
        let word = mover | 1 << bit_index;
        if completes(word) {
            return Some(plies);
        }
        if rules.gravity_mask != 0 && bit_index >= 8 {
            landing_bits[chosen] = bit_index - 8;
        } else {
            count -= 1;
            landing_bits[chosen] = landing_bits[count & 63];
        }
        (mover, other) = (other, word);
        plies += 1;
    }
    None
}

/// Returns whether a row, a column or a diagonal has a run.
#[inline(always)]
fn completes_k(word: u64, line: u8, exact: bool) -> bool {
    let has_run = |step| runs(word, step, line, exact);
    (has_run(1) | has_run(8)) | (has_run(9) | has_run(7)) != 0
}

/// Like [`completes_k`], with separate code for the common lengths, where all shifts are constants.
#[inline]
fn completes_line(rules: WordRules, word: u64) -> bool {
    match (rules.line, rules.exact) {
        (3, false) => completes_k(word, 3, false),
        (4, false) => completes_k(word, 4, false),
        (5, false) => completes_k(word, 5, false),
        (line, exact) => completes_k(word, line, exact),
    }
}
