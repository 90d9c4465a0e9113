//! What the windows of a board are worth, and what a stone in one changes: looked up, never computed, while
//! searching.

use std::ops::{Add, AddAssign, Sub, SubAssign};

/// What a window is worth to the seat that may still fill it, by the stones it lacks: for the value of a
/// position, and for the order in which moves are tried.
const VALUE: [i32; 7] = [0, 160, 40, 10, 3, 1, 0];
const ORDER: [i32; 7] = [0, 100_000, 4_000, 400, 30, 5, 1];

/// A number for each seat in one word, so that one addition does for both.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Pair(i64);

impl Pair {
    fn new(seat: usize, own: i32, others: i32) -> Pair {
        let of = if seat == 0 { [own, others] } else { [others, own] };
        Pair(i64::from(of[0]) + (i64::from(of[1]) << 32))
    }

    /// One for each.
    pub(super) const ONES: Pair = Pair(1 + (1 << 32));

    #[inline]
    pub(super) fn of(self, seat: usize) -> i32 {
        let low = self.0 as i32;
        if seat == 0 { low } else { ((self.0 - i64::from(low)) >> 32) as i32 }
    }
}

impl Add for Pair {
    type Output = Pair;

    #[inline]
    fn add(self, other: Pair) -> Pair {
        Pair(self.0 + other.0)
    }
}

impl Sub for Pair {
    type Output = Pair;

    #[inline]
    fn sub(self, other: Pair) -> Pair {
        Pair(self.0 - other.0)
    }
}

impl AddAssign for Pair {
    #[inline]
    fn add_assign(&mut self, other: Pair) {
        *self = *self + other;
    }
}

impl SubAssign for Pair {
    #[inline]
    fn sub_assign(&mut self, other: Pair) {
        *self = *self - other;
    }
}

/// How a window's part in the tiers changes by a stone.
pub(super) mod tier {
    /// It lacked one stone of the mover's: the one that is put.
    pub(in super::super) const OWN_ONE_LEAVES: u8 = 1;
    /// It lacked two.
    pub(in super::super) const OWN_TWO_LEAVES: u8 = 2;
    /// It lacks one now.
    pub(in super::super) const OWN_ONE_COMES: u8 = 4;
    /// It lacks two now.
    pub(in super::super) const OWN_TWO_COMES: u8 = 8;
    /// It lacked one stone of the other's, and can no more be filled.
    pub(in super::super) const OTHERS_ONE_LEAVES: u8 = 16;
    /// It lacked two.
    pub(in super::super) const OTHERS_TWO_LEAVES: u8 = 32;
}

/// What a stone changes in a window.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Change {
    pub(super) value: Pair,
    pub(super) order: Pair,
    /// Windows that a seat may still fill.
    pub(super) alive: Pair,
    pub(super) tiers: u8,
}

/// The changes by the seat that moves and the state of the window. A state is the stones of both seats as one
/// number; see [`Worth::step`].
#[derive(Clone, Debug)]
pub(super) struct Worth {
    k: u16,
    changes: [Box<[Change]>; 2],
    /// An empty window's.
    pub(super) value: Pair,
    pub(super) order: Pair,
}

impl Worth {
    pub(super) fn new(k: usize) -> Worth {
        let of = |table: &[i32], stones: usize| table[(k - stones).min(table.len() - 1)];
        let change = |seat: usize, state: usize| {
            let stones = [state / (k + 1), state % (k + 1)];
            let (own, others) = (stones[seat], stones[1 - seat]);
            let mut change = Change::default();
            if others == 0 && own < k {
                change.value += Pair::new(seat, of(&VALUE, own + 1) - of(&VALUE, own), 0);
                change.order += Pair::new(seat, of(&ORDER, own + 1) - of(&ORDER, own), 0);
                change.tiers |= match k - own {
                    1 => tier::OWN_ONE_LEAVES,
                    2 => tier::OWN_TWO_LEAVES | tier::OWN_ONE_COMES,
                    3 => tier::OWN_TWO_COMES,
                    _ => 0,
                };
            }
            if own == 0 && others < k {
                change.value -= Pair::new(seat, 0, of(&VALUE, others));
                change.order -= Pair::new(seat, 0, of(&ORDER, others));
                change.tiers |= match k - others {
                    1 => tier::OTHERS_ONE_LEAVES,
                    2 => tier::OTHERS_TWO_LEAVES,
                    _ => 0,
                };
            }
            if own == 0 {
                change.alive -= Pair::new(seat, 0, 1);
            }
            change
        };
        Worth {
            k: k as u16,
            changes: [0, 1].map(|seat| (0..(k + 1) * (k + 1)).map(|state| change(seat, state)).collect()),
            value: Pair::new(0, of(&VALUE, 0), of(&VALUE, 0)),
            order: Pair::new(0, of(&ORDER, 0), of(&ORDER, 0)),
        }
    }

    /// By how much a stone of a seat raises the state of its windows.
    pub(super) fn step(&self, seat: usize) -> u16 {
        if seat == 0 { self.k + 1 } else { 1 }
    }

    /// The stones of a seat in a window of this state.
    pub(super) fn stones(&self, state: u16, seat: usize) -> usize {
        usize::from(if seat == 0 { state / (self.k + 1) } else { state % (self.k + 1) })
    }

    /// What a stone of this seat changes in windows, by their states.
    #[inline]
    pub(super) fn changes(&self, seat: usize) -> &[Change] {
        &self.changes[seat]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_numbers_in_a_word_keep_apart() {
        let mut pair = Pair::default();
        let (mut x, mut o) = (0, 0);
        for (own, others) in [(5, -7), (-100_000, 3), (99_995, 4), (-1, -1), (0, 30_000_000)] {
            pair += Pair::new(0, own, others);
            (x, o) = (x + own, o + others);
            assert_eq!((pair.of(0), pair.of(1)), (x, o));
            pair -= Pair::new(1, 2, -3);
            (x, o) = (x + 3, o - 2);
            assert_eq!((pair.of(0), pair.of(1)), (x, o));
        }
    }

    /// Whatever order the stones come in, the sum is that of the state they make.
    #[test]
    fn changes_add_up_to_the_state() {
        for k in 1..8 {
            let worth = Worth::new(k);
            for order in 0_u32..1 << k {
                let (mut state, mut value, mut alive) = (0, worth.value, Pair::new(0, 1, 1));
                let mut stones = [0, 0];
                for ply in 0..k {
                    let seat = (order >> ply & 1) as usize;
                    let change = worth.changes(seat)[usize::from(state)];
                    (value, alive, state) =
                        (value + change.value, alive + change.alive, state + worth.step(seat));
                    stones[seat] += 1;
                    for seat in 0..2 {
                        assert_eq!(worth.stones(state, seat), stones[seat]);
                        let open = stones[1 - seat] == 0;
                        assert_eq!(alive.of(seat), i32::from(open));
                        let lacks = (k - stones[seat]).min(VALUE.len() - 1);
                        assert_eq!(value.of(seat), if open { VALUE[lacks] } else { 0 });
                    }
                }
            }
        }
    }
}
