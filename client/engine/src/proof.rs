//! Whether a side wins whatever the other does: a depth-first proof-number search (Nagai, "Df-pn algorithm for
//! searching AND/OR trees and its applications", 2002). What needs no search, and which moves may be worth one, is
//! found at the first look at a position: [`look`].
//!
//! What is proven is true, and so is what is disproven: positions are told apart by all their stones. In normal free
//! placement only.

mod look;
mod stones;
mod threats;
mod windows;

use std::collections::HashMap;

use noughts_protocol::Geometry;

use super::meter::Meter;
use super::solve::Hold;
pub(super) use stones::{Stones, each};
pub(super) use threats::{Sequence, Threats};
pub(super) use windows::Windows;

/// Positions without a win by threats that are remembered, as a power of two. These are told apart by a key of 64 bits
/// alone: where it is mistaken a win is overlooked, but nothing untrue is proven.
const WITHOUT_BITS: u32 = 18;

/// How hard it is to prove, and to disprove, that the attacker wins: 0 when that is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Numbers {
    proof: u32,
    disproof: u32,
}

const NEVER: u32 = 1 << 30;
const PROVEN: Numbers = Numbers { proof: 0, disproof: NEVER };
const DISPROVEN: Numbers = Numbers { proof: NEVER, disproof: 0 };
/// Only what is decided has such a number.
const UNLIMITED: Numbers = Numbers { proof: NEVER, disproof: NEVER };

impl Numbers {
    fn are_below(self, limit: Numbers) -> bool {
        self.proof < limit.proof && self.disproof < limit.disproof
    }
}

/// What is known of a position.
#[derive(Clone, Copy, Debug)]
struct Node {
    numbers: Numbers,
    /// The most plies until the line is complete, after what is refuted so far.
    plies: u32,
    /// The moves that are worth looking at; where the attacker is to move and wins, the one that does.
    moves: u64,
}

/// A move that wins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Win {
    /// The move to begin with.
    pub(super) first: u8,
    /// The most plies until the line is complete, that move included.
    pub(super) plies: u32,
}

/// What is found out about a position where the attacker is to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outlook {
    Wins(Win),
    /// The other side can keep it from winning.
    Held,
    Unknown,
}

/// Looks for wins of one side, and remembers what it found.
pub(super) struct Prover {
    pub(super) windows: Windows,
    threats: Threats,
    hold: Hold,
    /// By the stones of a position as [`Windows::turned`] has it; who is to move follows from their number. When it is
    /// full no more is found out.
    nodes: HashMap<[u64; 2], Node>,
    most_nodes: usize,
    attacker: usize,
}

/// A move under consideration.
struct Child {
    cell: u8,
    /// The position after it.
    stones: Stones,
    key: [u64; 2],
    numbers: Numbers,
    plies: u32,
}

impl Prover {
    /// None where the board does not fit. At most 7/8 of 2^`node_bits` positions are remembered: as many as a table of
    /// 2^`node_bits` places takes before it doubles.
    pub(super) fn new(geometry: &Geometry, attacker: usize, node_bits: u32) -> Option<Prover> {
        Some(Prover {
            windows: Windows::new(geometry)?,
            threats: Threats::new(WITHOUT_BITS),
            hold: Hold::default(),
            nodes: HashMap::new(),
            most_nodes: (1 << node_bits) / 8 * 7,
            attacker,
        })
    }

    /// A win of the attacker, whose turn it is, if one is found before the meter halts.
    pub(super) fn win(&mut self, stones: &Stones, meter: &mut Meter<'_>) -> Option<Win> {
        match self.outlook(stones, meter) {
            Outlook::Wins(win) => Some(win),
            Outlook::Held | Outlook::Unknown => None,
        }
    }

    /// What is found out before the meter halts; the attacker is to move.
    pub(super) fn outlook(&mut self, stones: &Stones, meter: &mut Meter<'_>) -> Outlook {
        let (turned, _) = self.windows.turned(stones);
        let node = self.search(&turned, self.attacker, UNLIMITED, meter);
        match node.numbers {
            PROVEN => {
                let (_, images) = self.windows.turned(stones);
                let is_first = |&cell: &u8| 1 << images[usize::from(cell)] == node.moves;
                let first = each(stones.free(&self.windows)).find(is_first).expect("a move wins");
                Outlook::Wins(Win { first, plies: node.plies })
            }
            DISPROVEN => Outlook::Held,
            Numbers { .. } => Outlook::Unknown,
        }
    }

    fn has_ended(&self, meter: &Meter<'_>) -> bool {
        // What was seen while the meter halted may be less than what there is.
        meter.halted || self.nodes.len() >= self.most_nodes
    }

    /// Looks at a position, which is turned, until its numbers reach the limit.
    fn search(&mut self, stones: &Stones, turn: usize, limit: Numbers, meter: &mut Meter<'_>) -> Node {
        meter.count();
        let mut node = match self.nodes.get(&stones.of) {
            Some(&node) => node,
            None => self.look(stones, turn, meter),
        };
        if node.numbers.are_below(limit) {
            self.search_moves(&mut node, stones, turn, limit, meter);
        }
        if !self.has_ended(meter) {
            self.nodes.insert(stones.of, node);
        }
        node
    }

    /// Looks at the moves of a position until its numbers reach the limit.
    fn search_moves(
        &mut self,
        node: &mut Node,
        stones: &Stones,
        turn: usize,
        limit: Numbers,
        meter: &mut Meter<'_>,
    ) {
        let attacks = turn == self.attacker;
        let mut children = self.children(stones, turn, node.moves);
        loop {
            node.numbers = sum(&children, attacks);
            if !node.numbers.are_below(limit) || self.has_ended(meter) {
                break;
            }
            let Numbers { proof, disproof } = node.numbers;
            let (place, second) = likeliest(&children, attacks);
            let child = &mut children[place];
            // A quarter more than the next best has: it would be gone back and forth between them otherwise.
            let of_one = |limit: u32| limit.min(second + second / 4 + 1);
            let of_all =
                |limit: u32, all: u32, own: u32| limit.saturating_sub(all.saturating_sub(own)).max(own + 1);
            let next = if attacks {
                Numbers {
                    proof: of_one(limit.proof),
                    disproof: of_all(limit.disproof, disproof, child.numbers.disproof),
                }
            } else {
                Numbers {
                    proof: of_all(limit.proof, proof, child.numbers.proof),
                    disproof: of_one(limit.disproof),
                }
            };
            let (turned, _) = self.windows.turned(&child.stones);
            let found = self.search(&turned, 1 - turn, next, meter);
            (child.numbers, child.plies) = (found.numbers, found.plies);
        }
        let mut proven = children.iter().filter(|child| child.numbers == PROVEN);
        if !attacks {
            node.plies = proven.fold(node.plies, |plies, child| plies.max(child.plies + 1));
        } else if let Some(child) = proven.next() {
            (node.plies, node.moves) = (child.plies + 1, 1 << child.cell);
        }
    }

    /// The positions after these moves with what is known of each, or seems likely.
    fn children(&self, stones: &Stones, turn: usize, moves: u64) -> Vec<Child> {
        let mut children: Vec<Child> = Vec::with_capacity(moves.count_ones() as usize);
        for cell in each(moves) {
            let next = stones.play(&self.windows, turn, cell);
            let key = self.windows.key(&next);
            if children.iter().any(|child| child.key == key) {
                continue;
            }
            let (numbers, plies) = match self.nodes.get(&key) {
                Some(node) => (node.numbers, node.plies),
                None => (self.guess(&next, 1 - turn), 0),
            };
            children.push(Child { cell, stones: next, key, numbers, plies });
        }
        children
    }
}

/// The side to move needs one move that does, the other side has to meet them all.
fn sum(children: &[Child], attacks: bool) -> Numbers {
    let (mut one, mut all) = (NEVER, 0);
    for &Child { numbers: Numbers { proof, disproof }, .. } in children {
        let (own, others) = if attacks { (proof, disproof) } else { (disproof, proof) };
        (one, all) = (one.min(own), (all + others).min(NEVER));
    }
    if attacks { Numbers { proof: one, disproof: all } } else { Numbers { proof: all, disproof: one } }
}

/// The move to look at next, and the number that the next best has.
fn likeliest(children: &[Child], attacks: bool) -> (usize, u32) {
    let (mut place, mut least, mut second) = (0, u32::MAX, NEVER);
    for (at, Child { numbers, .. }) in children.iter().enumerate() {
        let number = if attacks { numbers.proof } else { numbers.disproof };
        if number < least {
            (place, second, least) = (at, least.min(NEVER), number);
        } else {
            second = second.min(number);
        }
    }
    (place, second)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;
    use std::time::Duration;

    use super::*;
    use crate::Limits;

    #[test]
    fn no_more_is_remembered_than_there_are_places_for() {
        let geometry = Geometry::new("9x4:4".parse().expect("rules"));
        let stop = AtomicBool::new(false);
        let mut meter = Meter::new(Limits::default(), &|| Duration::ZERO, &stop);
        let mut prover = Prover::new(&geometry, 0, 10).expect("the board fits");
        assert_eq!(prover.outlook(&Stones::NONE, &mut meter), Outlook::Unknown);
        assert_eq!(
            (prover.nodes.len(), prover.nodes.capacity()),
            (896, 896),
            "it does not double for one more"
        );
    }
}
