//! The stones of a small board, all in one word: eight rows of eight bits, of which the last of a row is never
//! set, so that no run goes around an edge. Four to seven times as fast as a word for each line.

use super::runs;
use crate::Seat;

/// A board of at most eight rows of seven cells.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Square {
    stones: [u64; 2],
    /// The landing cells.
    pub(super) open: u64,
}

/// What a square board has to know of its rules.
#[derive(Clone, Copy)]
pub(super) struct SquareRules {
    pub(super) line: u8,
    pub(super) exact: bool,
    /// Every bit under gravity, else none: a stone opens the cell above it.
    pub(super) lift: u64,
}

impl Square {
    /// The empty board with these landing cells.
    pub(super) fn new(open: u64) -> Square {
        Square { stones: [0; 2], open }
    }

    /// Whose stone lies on a cell.
    pub(super) fn at(&self, bit: u64) -> Option<Seat> {
        Seat::ALL.into_iter().find(|seat| self.stones[seat.index()] & bit != 0)
    }

    /// Puts a stone on a landing cell, and says whether that completed a line.
    #[inline]
    pub(super) fn put(&mut self, bit: u64, seat: usize, rules: SquareRules) -> bool {
        self.stones[seat] |= bit;
        self.open ^= bit | (bit >> 8 & rules.lift);
        completes_by(rules, self.stones[seat])
    }

    /// Takes the last stone off the board.
    #[inline]
    pub(super) fn take(&mut self, bit: u64, seat: usize, rules: SquareRules) {
        self.stones[seat] ^= bit;
        self.open ^= bit | (bit >> 8 & rules.lift);
    }

    /// Whether a stone on this free cell would complete a line.
    pub(super) fn would_complete(&self, bit: u64, seat: usize, rules: SquareRules) -> bool {
        completes_by(rules, self.stones[seat] | bit)
    }

    /// The seat that completes a line when `choose` names the landing cells; none when the board fills up.
    pub(super) fn playout(
        self,
        seat: usize,
        rules: SquareRules,
        choose: &mut impl FnMut(usize) -> usize,
    ) -> Option<usize> {
        let (mover, other) = (self.stones[seat], self.stones[1 - seat]);
        let plies = match (rules.line, rules.exact) {
            (3, false) => played(mover, other, self.open, rules, choose, |word| completes(word, 3, false)),
            (4, false) => played(mover, other, self.open, rules, choose, |word| completes(word, 4, false)),
            (line, exact) => {
                played(mover, other, self.open, rules, choose, |word| completes(word, line, exact))
            }
        };
        plies.map(|plies| (seat + plies) % 2)
    }

    /// The leaves at this depth, at least 2; see [`crate::perft`]. The board is small enough to be copied.
    pub(super) fn perft(self, seat: usize, depth: u32, rules: SquareRules) -> u64 {
        let (mover, other) = (self.stones[seat], self.stones[1 - seat]);
        match (rules.line, rules.exact) {
            (3, false) => leaves(mover, other, self.open, depth, rules, |word| completes(word, 3, false)),
            (4, false) => leaves(mover, other, self.open, depth, rules, |word| completes(word, 4, false)),
            (line, exact) => {
                leaves(mover, other, self.open, depth, rules, |word| completes(word, line, exact))
            }
        }
    }
}

fn leaves(
    mover: u64,
    other: u64,
    open: u64,
    depth: u32,
    rules: SquareRules,
    completes: impl Fn(u64) -> bool + Copy,
) -> u64 {
    let (mut sum, mut left) = (0, open);
    while left != 0 {
        let bit = left & left.wrapping_neg();
        left ^= bit;
        let word = mover | bit;
        if !completes(word) {
            let next = open ^ (bit | (bit >> 8 & rules.lift));
            sum += match depth {
                2 => u64::from(next.count_ones()),
                _ => leaves(other, word, next, depth - 1, rules, completes),
            };
        }
    }
    sum
}

/// How many stones are put before the one that completes a line, if one does.
#[inline(always)]
fn played(
    mut mover: u64,
    mut other: u64,
    mut open: u64,
    rules: SquareRules,
    choose: &mut impl FnMut(usize) -> usize,
    completes: impl Fn(u64) -> bool,
) -> Option<usize> {
    let (mut places, mut count, mut plies) = ([0_u8; 64], 0, 0);
    while open != 0 {
        places[count] = open.trailing_zeros() as u8;
        open &= open - 1;
        count += 1;
    }
    while count > 0 {
        let chosen = choose(count).min(count - 1) & 63;
        let place = places[chosen];
        let word = mover | 1 << place;
        if completes(word) {
            return Some(plies);
        }
        if rules.lift != 0 && place >= 8 {
            places[chosen] = place - 8;
        } else {
            count -= 1;
            places[chosen] = places[count & 63];
        }
        (mover, other) = (other, word);
        plies += 1;
    }
    None
}

/// Whether there is a run along a row, a column or a diagonal.
#[inline(always)]
fn completes(word: u64, line: u8, exact: bool) -> bool {
    let along = |step| runs(word, step, line, exact);
    (along(1) | along(8)) | (along(9) | along(7)) != 0
}

/// The same, where the common lengths get code of their own: the shifts of the test are constants.
#[inline]
fn completes_by(rules: SquareRules, word: u64) -> bool {
    match (rules.line, rules.exact) {
        (3, false) => completes(word, 3, false),
        (4, false) => completes(word, 4, false),
        (5, false) => completes(word, 5, false),
        (line, exact) => completes(word, line, exact),
    }
}
