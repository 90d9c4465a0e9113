//! Lookup tables for the evaluation of windows, and for the change that a stone makes in a window.

use std::ops::{Add, AddAssign, Sub, SubAssign};

/// Weights of a live window by the number of stones it lacks: for the evaluation, and for move ordering.
const VALUE_BY_LACKING: [i32; 7] = [0, 160, 42, 14, 2, 1, 0];
const ORDER_BY_LACKING: [i32; 7] = [0, 100_000, 4_000, 400, 30, 5, 1];

/// A number for each seat in one word, so that one addition updates both.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct PackedPair(i64);

impl PackedPair {
    fn new(seat: usize, own: i32, others: i32) -> PackedPair {
        let seats = if seat == 0 {
            [own, others]
        } else {
            [others, own]
        };
        PackedPair(i64::from(seats[0]) + (i64::from(seats[1]) << 32))
    }

    /// 1 for each seat.
    pub(super) const ONES: PackedPair = PackedPair(1 + (1 << 32));

    #[inline]
    pub(super) fn get(self, seat: usize) -> i32 {
        let low = self.0 as i32;
        if seat == 0 {
            low
        } else {
            ((self.0 - i64::from(low)) >> 32) as i32
        }
    }
}

impl Add for PackedPair {
    type Output = PackedPair;

    #[inline]
    fn add(self, other: PackedPair) -> PackedPair {
        PackedPair(self.0 + other.0)
    }
}

impl Sub for PackedPair {
    type Output = PackedPair;

    #[inline]
    fn sub(self, other: PackedPair) -> PackedPair {
        PackedPair(self.0 - other.0)
    }
}

impl AddAssign for PackedPair {
    #[inline]
    fn add_assign(&mut self, other: PackedPair) {
        *self = *self + other;
    }
}

impl SubAssign for PackedPair {
    #[inline]
    fn sub_assign(&mut self, other: PackedPair) {
        *self = *self - other;
    }
}

/// Flags: how a stone changes the membership of a window in the threat sets.
pub(super) mod threat_change {
    /// The window lacked one stone of the mover: this one.
    pub(crate) const OWN_ONE_LEAVES: u8 = 1;
    /// The window lacked two stones of the mover.
    pub(crate) const OWN_TWO_LEAVES: u8 = 2;
    /// After the move the window lacks one stone of the mover.
    pub(crate) const OWN_ONE_COMES: u8 = 4;
    /// After the move the window lacks two stones of the mover.
    pub(crate) const OWN_TWO_COMES: u8 = 8;
    /// The window lacked one stone of the opponent and is now dead.
    pub(crate) const OTHERS_ONE_LEAVES: u8 = 16;
    /// The window lacked two stones of the opponent and is now dead.
    pub(crate) const OTHERS_TWO_LEAVES: u8 = 32;
}

/// Effect of a stone on a window.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct EvalDelta {
    pub(super) value: PackedPair,
    pub(super) order: PackedPair,
    /// Change of the number of live windows.
    pub(super) live_windows: PackedPair,
    pub(super) threat_changes: u8,
}

/// Effects by moving seat and window state. A state encodes the stone counts of both seats in one number; see
/// [`EvalTables::state_step`].
#[derive(Clone, Debug)]
pub(super) struct EvalTables {
    k: u16,
    deltas: [Box<[EvalDelta]>; 2],
    /// Value of an empty window.
    pub(super) value: PackedPair,
    pub(super) order: PackedPair,
}

impl EvalTables {
    pub(super) fn new(k: usize) -> EvalTables {
        let lookup = |table: &[i32], stones: usize| table[(k - stones).min(table.len() - 1)];
        let delta = |seat: usize, state: usize| {
            let stones = [state / (k + 1), state % (k + 1)];
            let (own, others) = (stones[seat], stones[1 - seat]);
            let mut delta = EvalDelta::default();
            if others == 0 && own < k {
                delta.value += PackedPair::new(
                    seat,
                    lookup(&VALUE_BY_LACKING, own + 1) - lookup(&VALUE_BY_LACKING, own),
                    0,
                );
                delta.order += PackedPair::new(
                    seat,
                    lookup(&ORDER_BY_LACKING, own + 1) - lookup(&ORDER_BY_LACKING, own),
                    0,
                );
                delta.threat_changes |= match k - own {
                    1 => threat_change::OWN_ONE_LEAVES,
                    2 => threat_change::OWN_TWO_LEAVES | threat_change::OWN_ONE_COMES,
                    3 => threat_change::OWN_TWO_COMES,
                    _ => 0,
                };
            }
            if own == 0 && others < k {
                delta.value -= PackedPair::new(seat, 0, lookup(&VALUE_BY_LACKING, others));
                delta.order -= PackedPair::new(seat, 0, lookup(&ORDER_BY_LACKING, others));
                delta.threat_changes |= match k - others {
                    1 => threat_change::OTHERS_ONE_LEAVES,
                    2 => threat_change::OTHERS_TWO_LEAVES,
                    _ => 0,
                };
            }
            if own == 0 {
                delta.live_windows -= PackedPair::new(seat, 0, 1);
            }
            delta
        };
        EvalTables {
            k: k as u16,
            deltas: [0, 1].map(|seat| {
                (0..(k + 1) * (k + 1))
                    .map(|state| delta(seat, state))
                    .collect()
            }),
            value: PackedPair::new(
                0,
                lookup(&VALUE_BY_LACKING, 0),
                lookup(&VALUE_BY_LACKING, 0),
            ),
            order: PackedPair::new(
                0,
                lookup(&ORDER_BY_LACKING, 0),
                lookup(&ORDER_BY_LACKING, 0),
            ),
        }
    }

    /// The increase of the window state by a stone of this seat.
    pub(super) fn state_step(&self, seat: usize) -> u16 {
        if seat == 0 { self.k + 1 } else { 1 }
    }

    /// Number of stones of a seat in a window with this state.
    pub(super) fn stones(&self, state: u16, seat: usize) -> usize {
        usize::from(if seat == 0 {
            state / (self.k + 1)
        } else {
            state % (self.k + 1)
        })
    }

    /// Effects of a stone of this seat, by window state.
    #[inline]
    pub(super) fn deltas(&self, seat: usize) -> &[EvalDelta] {
        &self.deltas[seat]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packed_numbers_are_independent() {
        let mut pair = PackedPair::default();
        let (mut x, mut o) = (0, 0);
        for (own, others) in [
            (5, -7),
            (-100_000, 3),
            (99_995, 4),
            (-1, -1),
            (0, 30_000_000),
        ] {
            pair += PackedPair::new(0, own, others);
            (x, o) = (x + own, o + others);
            assert_eq!((pair.get(0), pair.get(1)), (x, o));
            pair -= PackedPair::new(1, 2, -3);
            (x, o) = (x + 3, o - 2);
            assert_eq!((pair.get(0), pair.get(1)), (x, o));
        }
    }

    /// The sum of the effects depends only on the final state, not on the order of stones.
    #[test]
    fn deltas_add_up_to_the_value_of_the_state() {
        for k in 1..8 {
            let tables = EvalTables::new(k);
            for order in 0_u32..1 << k {
                let (mut state, mut value, mut live) = (0, tables.value, PackedPair::new(0, 1, 1));
                let mut stones = [0, 0];
                for ply in 0..k {
                    let seat = (order >> ply & 1) as usize;
                    let delta = tables.deltas(seat)[usize::from(state)];
                    (value, live, state) = (
                        value + delta.value,
                        live + delta.live_windows,
                        state + tables.state_step(seat),
                    );
                    stones[seat] += 1;
                    for seat in 0..2 {
                        assert_eq!(tables.stones(state, seat), stones[seat]);
                        let is_live = stones[1 - seat] == 0;
                        assert_eq!(live.get(seat), i32::from(is_live));
                        let lacking = (k - stones[seat]).min(VALUE_BY_LACKING.len() - 1);
                        assert_eq!(
                            value.get(seat),
                            if is_live {
                                VALUE_BY_LACKING[lacking]
                            } else {
                                0
                            }
                        );
                    }
                }
            }
        }
    }
}
