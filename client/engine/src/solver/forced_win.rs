//! Depth-first proof-number search (df-pn) for a win of one seat, which it returns as a strategy.
//!
//! [`crate::dfpn`] does the same in free placement, with windows and VCF. This search works on `SolverPosition` and so also with
//! gravity, where a stone enables the cell above it. It considers all moves of both sides: the proof numbers prefer threats, because
//! a threat leaves the loser one reply.

use std::collections::HashMap;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use noughts_protocol::{Cell, Position, Seat, Status};

use super::bitboard::{BitLayout, SolverPosition, SolverTables};
use super::{BoardKind, layout};
use crate::SearchLimits;
use crate::board::bit_word::{BitWord, iter_bits};
use crate::budget::SearchBudget;
use crate::dfpn::{DISPROVEN, INFINITY, PROVEN, ProofNumbers, UNLIMITED};

/// Entries of a bucket of the table.
const BUCKET_SIZE: usize = 2;

/// Result of [`prove_forced_win`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ForcedWinResult {
    /// Whether the seat wins. `None` if the limits did not suffice.
    pub is_won: Option<bool>,
    /// Number of positions visited.
    pub nodes: u64,
}

/// A node of a strategy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct StrategyNode {
    /// The winner's move; `None` in a root where the loser is to move.
    pub(crate) winner_move: Option<Cell>,
    /// By reply after which the winner cannot complete a line at once: the number of the next node, which is less than the
    /// one of this node.
    pub(crate) branches: Vec<(Cell, usize)>,
}

/// A strategy by which a seat wins a position.
#[derive(Clone, Debug)]
pub(crate) struct ForcedWinStrategy {
    /// The root is the last one.
    pub(crate) nodes: Vec<StrategyNode>,
}

/// Finds out by df-pn whether `winner` wins an unfinished position, in a table of 2^`table_bits` entries of 24 bytes. `None` in
/// misère and for boards that do not fit into 128 bits with a free bit between rows.
///
/// The table compares keys of 64 bits: two positions with one key could produce a wrong result. [`crate::write_win_certificate`]
/// returns a strategy that a check accepts or rejects.
///
/// Of the limits only nodes and time apply; equal node limits give equal results.
pub fn prove_forced_win(
    position: &Position,
    winner: Seat,
    table_bits: u32,
    limits: SearchLimits,
    elapsed: &dyn Fn() -> Duration,
    stop: &AtomicBool,
) -> Option<ForcedWinResult> {
    let mut budget = SearchBudget::new(limits, elapsed, stop);
    if position.rules().misere() || position.status() != Status::Ongoing {
        return None;
    }
    let numbers = match layout(position.geometry()) {
        BoardKind::Square(square) => {
            ForcedWinSearch::new(square, position, winner, table_bits, &mut budget).prove(position)
        }
        BoardKind::Padded(padded) => {
            ForcedWinSearch::new(padded, position, winner, table_bits, &mut budget).prove(position)
        }
        BoardKind::None => return None,
    };
    let is_won = match numbers {
        PROVEN => Some(true),
        DISPROVEN => Some(false),
        ProofNumbers { .. } => None,
    };
    Some(ForcedWinResult { is_won, nodes: budget.nodes })
}

/// A strategy by which `winner` wins, of at most `max_nodes` nodes; `None` without one, if the budget does not suffice, and for the
/// positions that [`prove_forced_win`] excludes.
pub(crate) fn find_winning_strategy(
    position: &Position,
    winner: Seat,
    table_bits: u32,
    max_nodes: usize,
    budget: &mut SearchBudget<'_>,
) -> Option<ForcedWinStrategy> {
    if position.rules().misere() || position.status() != Status::Ongoing {
        return None;
    }
    match layout(position.geometry()) {
        BoardKind::Square(square) => {
            let search = ForcedWinSearch::new(square, position, winner, table_bits, budget);
            StrategyWriter::new(search, max_nodes).write(position)
        }
        BoardKind::Padded(padded) => {
            let search = ForcedWinSearch::new(padded, position, winner, table_bits, budget);
            StrategyWriter::new(search, max_nodes).write(position)
        }
        BoardKind::None => None,
    }
}

/// Proof numbers of a position, and the size of its proof.
#[derive(Clone, Copy, Debug)]
struct ProofState {
    numbers: ProofNumbers,
    /// Number of positions with the winner to move in the proof, once the position is proven; equal positions count each time.
    size: u32,
}

impl ProofState {
    const DISPROVEN: ProofState = ProofState { numbers: DISPROVEN, size: 0 };

    fn proven(size: u32) -> ProofState {
        ProofState { numbers: PROVEN, size }
    }
}

/// Table entry of a position.
#[derive(Clone, Copy, Debug)]
struct ProofEntry {
    key: u64,
    state: ProofState,
    /// Positions searched below; 0 in an empty entry.
    work: u32,
}

/// Result of the static check of a position.
enum Expansion<W> {
    Decided(ProofState),
    Moves(W),
}

/// A move, and the position after it.
struct ChildNode<W> {
    bit: u32,
    position: SolverPosition<W>,
    state: ProofState,
}

/// A search with its table.
struct ForcedWinSearch<'m, 'a, L: BitLayout> {
    tables: SolverTables<L>,
    entries: Vec<ProofEntry>,
    budget: &'m mut SearchBudget<'a>,
    /// The parity of the plies at which the winner is to move.
    winner_parity: u32,
    cell_count: u32,
}

impl<'m, 'a, L: BitLayout> ForcedWinSearch<'m, 'a, L> {
    fn new(
        layout: L,
        position: &Position,
        winner: Seat,
        table_bits: u32,
        budget: &'m mut SearchBudget<'a>,
    ) -> Self {
        let empty = ProofEntry { key: 0, state: ProofState::DISPROVEN, work: 0 };
        ForcedWinSearch {
            tables: SolverTables::new(layout, position.geometry()),
            entries: vec![empty; BUCKET_SIZE << (table_bits.clamp(1, 28) - 1)],
            budget,
            winner_parity: winner.index() as u32,
            cell_count: position.rules().cells() as u32,
        }
    }

    fn prove(&mut self, position: &Position) -> ProofNumbers {
        let root = self.tables.position(position);
        self.search(&root, UNLIMITED).numbers
    }

    fn is_attack(&self, position: &SolverPosition<L::Word>) -> bool {
        position.ply % 2 == self.winner_parity
    }

    /// Decides a position without a search, or selects the moves that do not lose at once.
    fn expand(&self, position: &SolverPosition<L::Word>) -> Expansion<L::Word> {
        let is_attack = self.is_attack(position);
        let decided = |is_won: bool| {
            Expansion::Decided(if is_won { ProofState::proven(1) } else { ProofState::DISPROVEN })
        };
        if position.ply == self.cell_count {
            return decided(false);
        }
        if (self.tables.completing(position.mover) & position.open).any() {
            return decided(is_attack);
        }
        let moves = self.tables.safe_moves(position);
        if moves.is_empty() {
            return decided(!is_attack);
        }
        let loser = if is_attack { position.other } else { position.mover };
        let is_held = || {
            self.tables.has_zugzwang
                && is_attack
                && self.winner_parity == 0
                && self.tables.is_held_by_second(position)
        };
        if !self.tables.has_room(self.tables.cells & !loser) || is_held() {
            return decided(false);
        }
        Expansion::Moves(moves)
    }

    /// The state of a position in the table, or an initial one: the numbers are 1 for the player to move and the number of its
    /// moves for the opponent.
    fn initial_state(&self, position: &SolverPosition<L::Word>) -> ProofState {
        if let Some(state) = self.get(position) {
            return state;
        }
        match self.expand(position) {
            Expansion::Decided(state) => state,
            Expansion::Moves(moves) => {
                let count = moves.count();
                let (proof, disproof) = if self.is_attack(position) { (1, count) } else { (count, 1) };
                ProofState { numbers: ProofNumbers { proof, disproof }, size: 0 }
            }
        }
    }

    fn children(&self, position: &SolverPosition<L::Word>, moves: L::Word) -> Vec<ChildNode<L::Word>> {
        let child = |bit| {
            let position = self.tables.play(*position, L::Word::from_bit(bit));
            ChildNode { bit, position, state: self.initial_state(&position) }
        };
        iter_bits(moves).map(child).collect()
    }

    /// Searches a position until its numbers reach the threshold.
    fn search(&mut self, position: &SolverPosition<L::Word>, threshold: ProofNumbers) -> ProofState {
        self.budget.count_node();
        let moves = match self.expand(position) {
            Expansion::Decided(state) => return state,
            Expansion::Moves(moves) => moves,
        };
        let is_attack = self.is_attack(position);
        let started_at = self.budget.nodes;
        let mut children = self.children(position, moves);
        let state = loop {
            let state = combine(&children, is_attack);
            if self.budget.halted || !state.numbers.is_below(threshold) {
                break state;
            }
            let (index, child_threshold) = select_child(&children, is_attack, state.numbers, threshold);
            let next = children[index].position;
            children[index].state = self.search(&next, child_threshold);
        };
        // Values from after the halt may be incomplete.
        if !self.budget.halted {
            let work = (self.budget.nodes - started_at).clamp(1, u64::from(u32::MAX)) as u32;
            self.insert(ProofEntry { key: self.tables.key(position), state, work });
        }
        state
    }

    fn bucket(&self, key: u64) -> usize {
        (key >> 20) as usize & (self.entries.len() - 1) & !(BUCKET_SIZE - 1)
    }

    fn get(&self, position: &SolverPosition<L::Word>) -> Option<ProofState> {
        let key = self.tables.key(position);
        let at = self.bucket(key);
        let found =
            self.entries[at..at + BUCKET_SIZE].iter().find(|entry| entry.work > 0 && entry.key == key);
        found.map(|entry| entry.state)
    }

    /// Stores an entry in place of the older one of the same position, or of the one with the least work.
    fn insert(&mut self, entry: ProofEntry) {
        let at = self.bucket(entry.key);
        let [first, second] = &mut self.entries[at..at + BUCKET_SIZE] else { return };
        let is_first = if entry.key == first.key || entry.key == second.key {
            entry.key == first.key
        } else {
            first.work <= second.work
        };
        *(if is_first { first } else { second }) = entry;
    }
}

/// The state of a position from those after its moves: the player who needs one move has the least of their numbers. The other
/// has the greatest, and one for each further open move, because one plan often refutes many moves (a sum would count it for each).
fn combine<W>(children: &[ChildNode<W>], is_attack: bool) -> ProofState {
    let (mut least, mut greatest, mut open) = (INFINITY, 0, 0);
    for ChildNode { state: ProofState { numbers, .. }, .. } in children {
        let (own, others) = own_first(*numbers, is_attack);
        least = least.min(own);
        greatest = greatest.max(others);
        open += u32::from(others > 0);
    }
    if least == 0 || greatest == 0 {
        let is_won = (least == 0) == is_attack;
        let proven = children.iter().filter(|child| child.state.numbers == PROVEN);
        let sizes = proven.map(|child| child.state.size);
        return match (is_won, is_attack) {
            (false, _) => ProofState::DISPROVEN,
            (true, true) => ProofState::proven(sizes.min().unwrap_or(0).saturating_add(1)),
            (true, false) => ProofState::proven(sizes.fold(0, u32::saturating_add)),
        };
    }
    let all = (greatest + open - 1).min(INFINITY - 1);
    let (proof, disproof) = if is_attack { (least, all) } else { (all, least) };
    ProofState { numbers: ProofNumbers { proof, disproof }, size: 0 }
}

/// The most proving move of an undecided position and the threshold for its search.
fn select_child<W>(
    children: &[ChildNode<W>],
    is_attack: bool,
    numbers: ProofNumbers,
    threshold: ProofNumbers,
) -> (usize, ProofNumbers) {
    let (mut index, mut least, mut second) = (0, u32::MAX, INFINITY);
    for (at, child) in children.iter().enumerate() {
        let (own, _) = own_first(child.state.numbers, is_attack);
        if own < least {
            (index, second, least) = (at, least.min(INFINITY), own);
        } else {
            second = second.min(own);
        }
    }
    let (own_limit, others_limit) = own_first(threshold, is_attack);
    let (_, all) = own_first(numbers, is_attack);
    let (_, others) = own_first(children[index].state.numbers, is_attack);
    // The 1 + epsilon trick (Pawlewicz and Lew, 2007).
    let own_limit = own_limit.min(second + second / 4 + 1);
    let others_limit = others_limit.saturating_sub(all.saturating_sub(others)).max(others + 1);
    let (proof, disproof) = if is_attack { (own_limit, others_limit) } else { (others_limit, own_limit) };
    (index, ProofNumbers { proof, disproof })
}

/// The numbers of the player to move and of the opponent.
fn own_first(numbers: ProofNumbers, is_attack: bool) -> (u32, u32) {
    let ProofNumbers { proof, disproof } = numbers;
    if is_attack { (proof, disproof) } else { (disproof, proof) }
}

/// Writer of the strategy of one win.
struct StrategyWriter<'m, 'a, L: BitLayout> {
    search: ForcedWinSearch<'m, 'a, L>,
    max_nodes: usize,
    nodes: Vec<StrategyNode>,
    /// By the stones of a position with the winner to move, the number of its node.
    numbers: HashMap<[u128; 2], usize>,
}

impl<'m, 'a, L: BitLayout> StrategyWriter<'m, 'a, L> {
    fn new(search: ForcedWinSearch<'m, 'a, L>, max_nodes: usize) -> Self {
        StrategyWriter { search, max_nodes, nodes: Vec::new(), numbers: HashMap::new() }
    }

    fn write(mut self, position: &Position) -> Option<ForcedWinStrategy> {
        if self.search.prove(position) != PROVEN {
            return None;
        }
        let root = self.search.tables.position(position);
        if self.search.is_attack(&root) {
            self.write_attack(&root)?;
        } else {
            let branches = self.write_replies(&root)?;
            self.nodes.push(StrategyNode { winner_move: None, branches });
        }
        Some(ForcedWinStrategy { nodes: self.nodes })
    }

    /// Writes the node of a position with the winner to move and returns its number.
    fn write_attack(&mut self, position: &SolverPosition<L::Word>) -> Option<usize> {
        let key = [position.mover.to_u128(), position.other.to_u128()];
        if let Some(&number) = self.numbers.get(&key) {
            return Some(number);
        }
        let completing = self.search.tables.completing(position.mover) & position.open;
        let (bit, branches) = if completing.any() {
            (completing.first_bit(), Vec::new())
        } else {
            let child = self.winning_child(position)?;
            (child.bit, self.write_replies(&child.position)?)
        };
        if self.nodes.len() == self.max_nodes {
            return None;
        }
        let winner_move = Some(Cell::new(self.search.tables.cell(bit)));
        self.nodes.push(StrategyNode { winner_move, branches });
        self.numbers.insert(key, self.nodes.len() - 1);
        Some(self.nodes.len() - 1)
    }

    /// The move with the smallest proof. The table may have lost it; the position is then searched again.
    fn winning_child(&mut self, position: &SolverPosition<L::Word>) -> Option<ChildNode<L::Word>> {
        let Expansion::Moves(moves) = self.search.expand(position) else { return None };
        let find = |search: &ForcedWinSearch<'m, 'a, L>| {
            let children = search.children(position, moves).into_iter();
            let proven = children.filter(|child| child.state.numbers == PROVEN);
            proven.min_by_key(|child| child.state.size)
        };
        find(&self.search).or_else(|| {
            self.search.search(position, UNLIMITED);
            find(&self.search)
        })
    }

    /// Writes the nodes after the replies that keep the winner from completing a line at once.
    fn write_replies(&mut self, position: &SolverPosition<L::Word>) -> Option<Vec<(Cell, usize)>> {
        let mut branches = Vec::new();
        for bit in iter_bits(position.open) {
            let next = self.search.tables.play(*position, L::Word::from_bit(bit));
            if (self.search.tables.completing(next.mover) & next.open).is_empty() {
                branches.push((Cell::new(self.search.tables.cell(bit)), self.write_attack(&next)?));
            }
        }
        Some(branches)
    }
}
