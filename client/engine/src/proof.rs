//! Whether a side wins whatever the other does: a depth-first proof-number search (Nagai, "Df-pn algorithm for
//! searching AND/OR trees and its applications", 2002) over the quiet moves of an attack. At its leaves are wins by
//! threats alone, and between them every move threatens such a win, so that the other side has few replies. In
//! gomoku these moves are the threes, in Qubic the "strategic" ones of which its solution consists.
//!
//! What is proven is true; that nothing is found proves nothing. In normal free placement only.

mod stones;
mod threats;
mod windows;

use std::collections::HashMap;

use noughts_protocol::Geometry;

use super::meter::Meter;
pub(super) use stones::{Stones, each};
pub(super) use threats::{Sequence, Threats};
pub(super) use windows::Windows;

/// Positions that one look for threats alone may take.
const THREATS: u32 = 500;
/// Positions without such a win that are remembered, as a power of two.
const WITHOUT_BITS: u32 = 18;
/// Attacks that are tried at one move: those that seem best.
const ATTACKS: u32 = 10;
/// With so few stones the attacker may also play what threatens nothing yet.
const OPENING: u32 = 3;
/// How hard that is to prove, in replies that have to be refuted.
const QUIET: u32 = 40;
/// The same for a threat to complete a line. It has one reply only, but leads on to any number of others.
const THREAT: u32 = 6;

/// How hard it is to prove, and to disprove, that the attacker wins: 0 when that is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Numbers {
    proof: u32,
    disproof: u32,
}

const NEVER: u32 = 1 << 30;
const PROVEN: Numbers = Numbers { proof: 0, disproof: NEVER };
const DISPROVEN: Numbers = Numbers { proof: NEVER, disproof: 0 };
const UNKNOWN: Numbers = Numbers { proof: 1, disproof: 1 };

/// What is known of a position.
#[derive(Clone, Copy, Debug)]
struct Node {
    numbers: Numbers,
    /// The most plies until the line is complete, after what is refuted so far.
    plies: u32,
    /// The moves that are worth looking at; none before the first look.
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

/// Looks for wins of one side, and remembers what it found.
#[derive(Debug)]
pub(super) struct Prover {
    pub(super) windows: Windows,
    threats: Threats,
    /// By the key of a position as [`Windows::turned`] has it. When it is full no more is found out.
    nodes: HashMap<u64, Node>,
    most_nodes: usize,
    attacker: usize,
}

/// A move under consideration.
struct Child {
    /// The position after it.
    stones: Stones,
    numbers: Numbers,
    plies: u32,
}

impl Prover {
    /// None where the board does not fit. At most 2^`node_bits` positions are remembered.
    pub(super) fn new(geometry: &Geometry, attacker: usize, node_bits: u32) -> Option<Prover> {
        Some(Prover {
            windows: Windows::new(geometry)?,
            threats: Threats::new(WITHOUT_BITS),
            nodes: HashMap::new(),
            most_nodes: 1 << node_bits,
            attacker,
        })
    }

    /// A win of the attacker, whose turn it is, if one is found before the meter halts.
    pub(super) fn win(&mut self, stones: &Stones, meter: &mut Meter<'_>) -> Option<Win> {
        let completing = stones.completing(&self.windows, self.attacker);
        if completing != 0 {
            return Some(Win { first: completing.trailing_zeros() as u8, plies: 1 });
        }
        if let Some(Sequence { first, plies, .. }) = self.by_threats(stones, self.attacker, meter) {
            return Some(Win { first, plies });
        }
        let (turned, _) = self.windows.turned(stones);
        let limit = Numbers { proof: NEVER, disproof: NEVER };
        if self.search(&turned, self.attacker, limit, meter).numbers != PROVEN {
            return None;
        }
        let proven = |cell: u8| {
            let next = stones.play(&self.windows, self.attacker, cell);
            let node = self.nodes.get(&self.windows.turned(&next).0.key(1 - self.attacker))?;
            (node.numbers == PROVEN).then_some(Win { first: cell, plies: node.plies + 1 })
        };
        each(stones.free(&self.windows)).filter_map(proven).min_by_key(|win| win.plies)
    }

    /// A win of this seat by threats alone; it is to move and can complete no line at once.
    fn by_threats(&mut self, stones: &Stones, seat: usize, meter: &mut Meter<'_>) -> Option<Sequence> {
        if meter.halted {
            return None;
        }
        let found = self.threats.win(&self.windows, stones, seat, THREATS);
        meter.count_more(self.threats.looked());
        found
    }

    fn has_ended(&self, meter: &Meter<'_>) -> bool {
        meter.halted || self.nodes.len() >= self.most_nodes
    }

    /// Looks at a position until its numbers reach the limit.
    fn search(&mut self, stones: &Stones, turn: usize, limit: Numbers, meter: &mut Meter<'_>) -> Node {
        let attacks = turn == self.attacker;
        let (mut node, mut children) = self.open(stones, turn, meter);
        loop {
            node.numbers = sum(&children, attacks);
            let Numbers { proof, disproof } = node.numbers;
            if proof >= limit.proof || disproof >= limit.disproof || self.has_ended(meter) {
                let plies =
                    children.iter().filter(|child| child.numbers == PROVEN).map(|child| child.plies + 1);
                node.plies = node.plies.max(plies.max().unwrap_or(0));
                if !meter.halted {
                    self.nodes.insert(stones.key(turn), node);
                }
                return node;
            }
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
            let found = self.search(&child.stones, 1 - turn, next, meter);
            (child.numbers, child.plies) = (found.numbers, found.plies);
        }
    }

    /// What is known of a position, and the moves that are worth looking at.
    fn open(&mut self, stones: &Stones, turn: usize, meter: &mut Meter<'_>) -> (Node, Vec<Child>) {
        let attacks = turn == self.attacker;
        let mut node = match self.nodes.get(&stones.key(turn)) {
            Some(&node) if node.moves != 0 => node,
            Some(_) | None if attacks => {
                Node { numbers: UNKNOWN, plies: 0, moves: self.attacks(stones, meter) }
            }
            Some(_) | None => self.after_attack(stones, meter),
        };
        let mut children: Vec<Child> = Vec::new();
        for cell in each(node.moves) {
            let (next, _) = self.windows.turned(&stones.play(&self.windows, turn, cell));
            let known = self.nodes.get(&next.key(1 - turn));
            let (numbers, plies) = known.map_or((UNKNOWN, 0), |node| (node.numbers, node.plies));
            let decides_nothing = numbers == if attacks { DISPROVEN } else { PROVEN };
            if decides_nothing && !attacks {
                node.plies = node.plies.max(plies + 1);
            }
            if decides_nothing || children.iter().any(|child| child.stones == next) {
                node.moves &= !(1 << cell);
            } else {
                children.push(Child { stones: next, numbers, plies });
            }
        }
        (node, children)
    }

    /// The attacks that seem best. The attacker has no line to complete, and no win by threats alone.
    fn attacks(&mut self, stones: &Stones, meter: &mut Meter<'_>) -> u64 {
        let (own, other) = (self.attacker, 1 - self.attacker);
        let must = stones.completing(&self.windows, other);
        let cells = if must != 0 { must } else { stones.free(&self.windows) };
        let mut ranked: Vec<(u32, u8)> =
            each(cells).map(|cell| (stones.worth(&self.windows, own, cell), cell)).collect();
        ranked.sort_unstable_by_key(|&(worth, cell)| (std::cmp::Reverse(worth), cell));
        let mut seen: Vec<u64> = Vec::new();
        let mut moves = 0_u64;
        for (_, cell) in ranked {
            let (next, _) = self.windows.turned(&stones.play(&self.windows, own, cell));
            let key = next.key(other);
            if seen.contains(&key) {
                continue;
            }
            seen.push(key);
            let numbers = match self.nodes.get(&key) {
                Some(node) => node.numbers,
                None => {
                    let node = self.after_attack(&next, meter);
                    // Most attacks come to nothing: these are not worth remembering.
                    if node.numbers != DISPROVEN && !meter.halted {
                        self.nodes.insert(key, node);
                    }
                    node.numbers
                }
            };
            match numbers {
                PROVEN => return 1 << cell,
                DISPROVEN => {}
                Numbers { .. } => moves |= 1 << cell,
            }
            if moves.count_ones() == ATTACKS || self.has_ended(meter) {
                break;
            }
        }
        moves
    }

    /// A position after an attack: the replies that do not lose by threats alone.
    fn after_attack(&mut self, stones: &Stones, meter: &mut Meter<'_>) -> Node {
        let (own, other) = (self.attacker, 1 - self.attacker);
        let nothing = Node { numbers: DISPROVEN, plies: 0, moves: 0 };
        if stones.completing(&self.windows, other) != 0 {
            return nothing;
        }
        let threats = stones.completing(&self.windows, own);
        if threats.count_ones() > 1 {
            return Node { numbers: PROVEN, plies: 2, moves: 0 };
        }
        if threats != 0 {
            return self.after_threat(stones, threats, meter);
        }
        let opening = stones.of[own].count_ones() <= OPENING;
        let (mut open, mut plies) = match self.by_threats(stones, own, meter) {
            // As if the other side did nothing.
            Some(win) => (self.met_by(stones, &win), win.plies + 1),
            None if opening => (stones.free(&self.windows), 0),
            None => return nothing,
        };
        if self.by_threats(stones, other, meter).is_some() {
            return nothing;
        }
        let mut unseen = open;
        while unseen != 0 {
            let reply = unseen.trailing_zeros() as u8;
            unseen &= unseen - 1;
            let next = stones.play(&self.windows, other, reply);
            if let Some(win) = self.by_threats(&next, own, meter) {
                // What refutes one reply refutes all others that do not meet it.
                open &= self.met_by(stones, &win) & !(1 << reply);
                unseen &= open;
                plies = plies.max(win.plies + 1);
            }
        }
        let numbers = match open.count_ones() {
            0 => PROVEN,
            replies if opening => Numbers { proof: replies.min(QUIET), disproof: 1 },
            replies => Numbers { proof: replies, disproof: 1 },
        };
        Node { numbers, plies, moves: open }
    }

    /// A position where the attacker threatens to complete a line: there is one reply.
    fn after_threat(&mut self, stones: &Stones, reply: u64, meter: &mut Meter<'_>) -> Node {
        let next = stones.play(&self.windows, 1 - self.attacker, reply.trailing_zeros() as u8);
        if next.completing(&self.windows, 1 - self.attacker).count_ones() > 1 {
            return Node { numbers: DISPROVEN, plies: 0, moves: 0 };
        }
        match self.by_threats(&next, self.attacker, meter) {
            Some(win) => Node { numbers: PROVEN, plies: win.plies + 1, moves: 0 },
            None => Node { numbers: Numbers { proof: THREAT, disproof: 1 }, plies: 0, moves: reply },
        }
    }

    /// The replies that may meet a win by threats: those that take a cell of it, and those with which the forced
    /// replies come to a threat of their own.
    fn met_by(&self, stones: &Stones, win: &Sequence) -> u64 {
        let other = 1 - self.attacker;
        let then = each(win.replies & stones.free(&self.windows))
            .fold(*stones, |then, reply| then.play(&self.windows, other, reply));
        let lacking = (0..=2).fold(0, |all, lack| all | then.lacking(&self.windows, other, lack));
        (win.stones | win.replies | self.windows.union(lacking)) & stones.free(&self.windows)
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
