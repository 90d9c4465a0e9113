//! Depth-first proof-number search of the weak game, with relevance zones.

use noughts_engine::internals::{BitWord, SearchBudget, iter_bits};
use noughts_protocol::Cell;

use super::hypergraph::{CellDominance, play, position_key};
use super::proof_numbers::{
    INFINITY, ProofEntry, ProofNumbers, WeakGameRole, estimate_numbers, initial_numbers,
};
use super::reduction::{PositionReducer, ReducedPosition};
use super::zones::{ChildPosition, unrefuted_moves, zone_of_refutations};
use crate::bucket_table::BucketTable;

/// Maximum number of moves of a position that shares an entry with its symmetric images.
const MAX_SYMMETRY_PLY: usize = 4;
/// Replies of the breaker that an expansion evaluates; the search evaluates the others when it selects them.
const MAX_EVALUATED_REPLIES: usize = 6;
/// Base-2 logarithm of the maximum size of the table, in entries.
const MAX_TABLE_BITS: u32 = 26;
/// Moves to try first at each ply, because they decided similar positions.
const MAX_KILLERS: usize = 4;

/// A decided position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct WeakGameProof<B> {
    pub(super) winner: WeakGameRole,
    /// The free cells that the strategy of the winner needs.
    pub(super) zone: B,
}

/// The core of a position in the search.
#[derive(Clone, Copy)]
struct CoreNode<'e, B> {
    edges: &'e [B],
    turn: WeakGameRole,
    /// Key and symmetry of the canonical image.
    key: u128,
    symmetry: usize,
    ply: usize,
}

/// Numbers of a position, and the zone once it is decided.
#[derive(Clone, Copy)]
struct NodeValue<B> {
    numbers: ProofNumbers,
    zone: B,
}

/// The move to search next.
struct SelectedMove {
    index: usize,
    numbers: ProofNumbers,
    threshold: ProofNumbers,
}

/// A search with its table.
#[derive(Debug)]
pub(super) struct WeakGameSearch<B> {
    reducer: PositionReducer<B>,
    table: BucketTable<ProofEntry<B>>,
    expansions: ExpansionCache<B>,
    /// For each symmetry, the image of every cell, and the cell with this image. The first symmetry is the identity.
    symmetries: Vec<[Vec<u8>; 2]>,
    /// Killer moves for each turn and ply.
    killers: [Vec<[u32; MAX_KILLERS]>; 2],
}

impl<B: BitWord> WeakGameSearch<B> {
    pub(super) fn new(symmetries: &[Vec<Cell>], table_bits: u32) -> WeakGameSearch<B> {
        let cells = B::SIZE as usize;
        let both = |symmetry: &Vec<Cell>| {
            let mut images = [vec![0; symmetry.len()], vec![0; symmetry.len()]];
            for (cell, image) in symmetry.iter().enumerate() {
                images[0][cell] = image.index() as u8;
                images[1][image.index()] = cell as u8;
            }
            images
        };
        let mut symmetries: Vec<[Vec<u8>; 2]> = symmetries.iter().map(both).collect();
        let is_identity = |[images, _]: &[Vec<u8>; 2]| {
            images
                .iter()
                .enumerate()
                .all(|(cell, &to)| cell == usize::from(to))
        };
        symmetries.sort_by_key(|images| !is_identity(images));
        WeakGameSearch {
            reducer: PositionReducer::new(),
            table: BucketTable::new(table_bits.clamp(1, MAX_TABLE_BITS)),
            expansions: ExpansionCache::new(),
            symmetries,
            killers: [(); 2].map(|()| vec![[u32::MAX; MAX_KILLERS]; cells + 1]),
        }
    }

    /// Finds the winner of a position, `ply` moves after the first position of this search. Returns `None` if the
    /// budget does not suffice.
    pub(super) fn solve(
        &mut self,
        mut edges: Vec<B>,
        turn: WeakGameRole,
        ply: usize,
        budget: &mut SearchBudget<'_>,
    ) -> Option<WeakGameProof<B>> {
        budget.count_node();
        let (turn, forced, pairs) = match self.reducer.reduce(&mut edges, turn) {
            ReducedPosition::Decided { winner, zone } => {
                return Some(WeakGameProof { winner, zone });
            }
            ReducedPosition::Open {
                turn,
                forced,
                pairs,
                missing: _,
            } => (turn, forced, pairs),
        };
        let (key, symmetry) = self.canonical_key(&edges, turn, ply);
        let node = CoreNode {
            edges: &edges,
            turn,
            key,
            symmetry,
            ply,
        };
        let NodeValue { numbers, zone } = self.search(node, ProofNumbers::UNLIMITED, budget);
        let winner = numbers.winner()?;
        let pairs = if winner == WeakGameRole::Breaker {
            pairs
        } else {
            B::EMPTY
        };
        Some(WeakGameProof {
            winner,
            zone: zone | forced | pairs,
        })
    }

    /// Returns a reply that holds for the breaker, with a small zone. Returns `None` if the maker wins or the budget
    /// does not suffice.
    pub(super) fn find_holding_reply(
        &mut self,
        edges: &[B],
        ply: usize,
        budget: &mut SearchBudget<'_>,
    ) -> Option<u32> {
        let proof = self.solve(edges.to_vec(), WeakGameRole::Breaker, ply, budget)?;
        if proof.winner == WeakGameRole::Maker {
            return None;
        }
        let (key, symmetry) = self.canonical_key(edges, WeakGameRole::Breaker, ply);
        let node = CoreNode {
            edges,
            turn: WeakGameRole::Breaker,
            key,
            symmetry,
            ply,
        };
        let mut next = Vec::new();
        let cells = iter_bits(CellDominance::new(edges).cells);
        let mut replies: Vec<ChildPosition<B>> = cells
            .map(|bit| self.evaluate(node, bit, &mut next, budget))
            .collect();
        // The table may have lost the reply of the proof: the most promising replies are searched again.
        replies.sort_by_key(|reply| (reply.numbers.breaker, reply.zone.count()));
        replies.into_iter().map(|reply| reply.bit).find(|&bit| {
            play(edges, WeakGameRole::Breaker, B::from_bit(bit), &mut next);
            let proof = self.solve(next.clone(), WeakGameRole::Maker, ply + 1, budget);
            proof.is_some_and(|proof| proof.winner == WeakGameRole::Breaker)
        })
    }

    /// Searches a position until its numbers reach the threshold.
    fn search(
        &mut self,
        node: CoreNode<'_, B>,
        threshold: ProofNumbers,
        budget: &mut SearchBudget<'_>,
    ) -> NodeValue<B> {
        let started_at = budget.nodes;
        let CoreNode { edges, turn, .. } = node;
        let dominance = CellDominance::new(edges);
        let mut next = Vec::with_capacity(edges.len());
        let is_cached = node.ply > MAX_SYMMETRY_PLY;
        let cached = if is_cached {
            self.expansions.take(node.key)
        } else {
            None
        };
        let mut children = match cached {
            Some(mut children) => {
                children
                    .iter_mut()
                    .for_each(|child| self.refresh(child, turn));
                children
            }
            None => self.expand(node, &dominance, &mut next, budget),
        };
        let value = loop {
            if let Some(value) = decided_value(&children, &dominance, turn) {
                break value;
            }
            let selected = select_move(&children, &dominance, turn, threshold);
            let SelectedMove {
                index,
                numbers,
                threshold: child_threshold,
            } = selected;
            if budget.halted || !numbers.is_below(threshold) {
                break NodeValue {
                    numbers,
                    zone: B::EMPTY,
                };
            }
            if children[index].is_estimate() {
                children[index] = self.evaluate(node, children[index].bit, &mut next, budget);
                continue;
            }
            let ChildPosition {
                bit,
                turn: child_turn,
                key,
                symmetry,
                ..
            } = children[index];
            play(edges, turn, B::from_bit(bit), &mut next);
            self.reducer.reduce(&mut next, turn.other());
            let child = CoreNode {
                edges: &next,
                turn: child_turn,
                key,
                symmetry,
                ply: node.ply + 1,
            };
            let found = self.search(child, child_threshold, budget);
            if found.numbers.winner() == Some(turn) {
                self.remember_killer(node, bit);
            }
            let canonical_zone = self.image(symmetry, found.zone);
            for child in &mut children {
                if child.key == key && child.numbers.winner().is_none() {
                    child.decide(
                        turn,
                        found.numbers,
                        self.preimage(child.symmetry, canonical_zone),
                    );
                }
            }
        };
        // Values that were computed after the halt may be incomplete.
        if !budget.halted {
            let work = (budget.nodes - started_at).clamp(1, u64::from(u32::MAX)) as u32;
            let zone = self.image(node.symmetry, value.zone);
            self.table.insert(ProofEntry {
                key: node.key,
                numbers: value.numbers,
                work,
                zone,
            });
        }
        if is_cached && value.numbers.winner().is_none() {
            self.expansions.put(node.key, children);
        }
        value
    }

    /// Returns the positions after the undominated moves that no zone of a decided move excludes, up to the first
    /// winning move.
    fn expand(
        &mut self,
        node: CoreNode<'_, B>,
        dominance: &CellDominance<B>,
        next: &mut Vec<B>,
        budget: &mut SearchBudget<'_>,
    ) -> Vec<ChildPosition<B>> {
        let CoreNode { edges, turn, .. } = node;
        let moves = self.ordered_moves(node, dominance);
        let mut children: Vec<ChildPosition<B>> = Vec::with_capacity(moves.len());
        let mut unrefuted = dominance.undominated;
        for (_, bit) in moves {
            if (unrefuted & B::from_bit(bit)).is_empty() {
                continue;
            }
            if turn == WeakGameRole::Breaker && children.len() >= MAX_EVALUATED_REPLIES {
                let open = children
                    .iter()
                    .filter(|child| child.numbers.winner().is_none());
                let best = open.min_by_key(|child| child.numbers.breaker);
                let numbers =
                    estimate_numbers(edges, bit, best.map(|best| (best.bit, best.numbers)));
                children.push(ChildPosition::estimate(bit, turn, numbers));
                continue;
            }
            let child = self.evaluate(node, bit, next, budget);
            children.push(child);
            if child.wins(turn) {
                break;
            }
            if child.numbers.winner().is_some() {
                unrefuted &= child.zone;
            }
        }
        children
    }

    /// Returns the position after a move, with numbers of the table or initial numbers.
    fn evaluate(
        &mut self,
        node: CoreNode<'_, B>,
        bit: u32,
        next: &mut Vec<B>,
        budget: &mut SearchBudget<'_>,
    ) -> ChildPosition<B> {
        play(node.edges, node.turn, B::from_bit(bit), next);
        let reduced = self.reducer.reduce(next, node.turn.other());
        budget.count_node();
        let mut child = ChildPosition::new(bit, node.turn, reduced);
        if let ReducedPosition::Open { turn, missing, .. } = reduced {
            (child.key, child.symmetry) = self.canonical_key(next, turn, node.ply + 1);
            child.numbers = initial_numbers(next, turn, missing);
            self.refresh(&mut child, node.turn);
        }
        if child.wins(node.turn) {
            self.remember_killer(node, bit);
        }
        child
    }

    /// Sets the numbers of an undecided child to the numbers in the table.
    fn refresh(&self, child: &mut ChildPosition<B>, mover: WeakGameRole) {
        if child.numbers.winner().is_none()
            && let Some(entry) = self.table.get(child.key)
        {
            child.decide(
                mover,
                entry.numbers,
                self.preimage(child.symmetry, entry.zone),
            );
        }
    }

    /// Returns the undominated moves with their order, the best first: killers, then the moves of the heaviest edges.
    fn ordered_moves(
        &self,
        node: CoreNode<'_, B>,
        dominance: &CellDominance<B>,
    ) -> Vec<(u32, u32)> {
        let killers = &self.killers[node.turn as usize][node.ply];
        let order = |bit: u32| {
            let through = node
                .edges
                .iter()
                .filter(|&&edge| (edge & B::from_bit(bit)).any());
            let weight: u32 = through.map(|edge| 4096 >> (2 * edge.count().min(6))).sum();
            let killer = killers.iter().rev().position(|&killer| killer == bit);
            killer.map_or(weight, |rank| (1 << 24) + rank as u32)
        };
        let mut moves: Vec<(u32, u32)> = iter_bits(dominance.undominated)
            .map(|bit| (order(bit), bit))
            .collect();
        moves.sort_unstable_by_key(|&ordered| std::cmp::Reverse(ordered));
        moves
    }

    fn remember_killer(&mut self, node: CoreNode<'_, B>, bit: u32) {
        let killers = &mut self.killers[node.turn as usize][node.ply];
        let index = killers
            .iter()
            .position(|&killer| killer == bit)
            .unwrap_or(MAX_KILLERS - 1);
        killers[..=index].rotate_right(1);
        killers[0] = bit;
    }

    /// Returns the least key among the images of a position with few moves, and the symmetry that leads there.
    fn canonical_key(&self, edges: &[B], turn: WeakGameRole, ply: usize) -> (u128, usize) {
        let count = if ply > MAX_SYMMETRY_PLY {
            1
        } else {
            self.symmetries.len()
        };
        let key =
            |symmetry| position_key(edges.iter().map(|&edge| self.image(symmetry, edge)), turn);
        (0..count)
            .map(|symmetry| (key(symmetry), symmetry))
            .min()
            .unwrap_or((key(0), 0))
    }

    fn image(&self, symmetry: usize, cells: B) -> B {
        if symmetry == 0 {
            cells
        } else {
            map_cells(&self.symmetries[symmetry][0], cells)
        }
    }

    fn preimage(&self, symmetry: usize, cells: B) -> B {
        if symmetry == 0 {
            cells
        } else {
            map_cells(&self.symmetries[symmetry][1], cells)
        }
    }
}

fn map_cells<B: BitWord>(images: &[u8], cells: B) -> B {
    iter_bits(cells).fold(B::EMPTY, |to, bit| {
        to | B::from_bit(u32::from(images[bit as usize]))
    })
}

/// Returns the value of a position if a move wins, or if all moves are refuted.
fn decided_value<B: BitWord>(
    children: &[ChildPosition<B>],
    dominance: &CellDominance<B>,
    turn: WeakGameRole,
) -> Option<NodeValue<B>> {
    let wins = children.iter().filter(|child| child.wins(turn));
    if let Some(child) = wins.min_by_key(|child| child.zone.count()) {
        return Some(NodeValue {
            numbers: child.numbers,
            zone: child.zone,
        });
    }
    if unrefuted_moves(children, dominance.undominated).any() {
        return None;
    }
    let zone = zone_of_refutations(children, dominance, turn);
    Some(NodeValue {
        numbers: ProofNumbers::decided(turn.other()),
        zone,
    })
}

/// Returns the most proving move, and the numbers of the position: for the player to move, the least number of the
/// moves; for its opponent, the greatest, plus one for each further move, because one zone refutes many moves (a sum
/// would count it for each of them).
fn select_move<B: BitWord>(
    children: &[ChildPosition<B>],
    dominance: &CellDominance<B>,
    turn: WeakGameRole,
    threshold: ProofNumbers,
) -> SelectedMove {
    let unrefuted = unrefuted_moves(children, dominance.undominated);
    let is_open = |child: &ChildPosition<B>| {
        child.numbers.winner().is_none() && (unrefuted & B::from_bit(child.bit)).any()
    };
    let (mut index, mut least, mut second) = (0, INFINITY, INFINITY);
    let (mut greatest, mut count) = (0, 0);
    for (at, child) in children
        .iter()
        .enumerate()
        .filter(|(_, child)| is_open(child))
    {
        // Symmetric positions count once.
        let is_same = |other: &ChildPosition<B>| other.key == child.key && is_open(other);
        if !child.is_estimate() && children[..at].iter().any(is_same) {
            continue;
        }
        let own = child.numbers.of(turn);
        if own < least {
            (index, second, least) = (at, least, own);
        } else {
            second = second.min(own);
        }
        greatest = child.numbers.of(turn.other()).max(greatest);
        count += 1;
    }
    let all = (greatest + count - 1).min(INFINITY - 1);
    let others = children[index].numbers.of(turn.other());
    // The 1 + epsilon trick (Pawlewicz and Lew, 2007) with twice the second best number, because an expansion is
    // expensive.
    let own_limit = threshold.of(turn).min(2 * second + 1);
    let others_limit = threshold
        .of(turn.other())
        .saturating_sub(all - others)
        .max(others + 1);
    SelectedMove {
        index,
        numbers: ProofNumbers::new(turn, least, all),
        threshold: ProofNumbers::new(turn, own_limit, others_limit),
    }
}

/// Base-2 logarithm of the number of slots: some 16 MB on boards of up to 64 cells.
const SLOT_BITS: u32 = 13;

/// The children of the positions that the search has left undecided. They are kept because the search returns to such
/// positions, and because an expansion is expensive: it reduces the position after each move.
#[derive(Debug)]
struct ExpansionCache<B> {
    /// The low bits of a key select the slot with the key and the children.
    slots: Vec<(u128, Vec<ChildPosition<B>>)>,
}

impl<B> ExpansionCache<B> {
    fn new() -> ExpansionCache<B> {
        ExpansionCache {
            slots: (0..1 << SLOT_BITS).map(|_| (0, Vec::new())).collect(),
        }
    }

    /// Removes the children of a position.
    fn take(&mut self, key: u128) -> Option<Vec<ChildPosition<B>>> {
        let slot = self.slot(key);
        let is_found = slot.0 == key && !slot.1.is_empty();
        is_found.then(|| std::mem::take(&mut slot.1))
    }

    /// Stores the children of a position in place of the children of another position.
    fn put(&mut self, key: u128, children: Vec<ChildPosition<B>>) {
        *self.slot(key) = (key, children);
    }

    fn slot(&mut self, key: u128) -> &mut (u128, Vec<ChildPosition<B>>) {
        let at = key as usize & (self.slots.len() - 1);
        &mut self.slots[at]
    }
}
