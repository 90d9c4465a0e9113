//! Depth-first proof-number search (df-pn) for a win of one seat. It can return the win as a strategy.
//!
//! The df-pn of the engine searches free placement only, with tables of windows and VCF. This search uses
//! `SolverPosition`, which also supports gravity. It searches all moves that do not lose immediately. It prefers
//! threats, because threats leave few replies and so have small proof numbers.

use std::collections::HashMap;

use noughts_engine::internals::{
    BitLayout, BitWord, BoardKind, DISPROVEN, INFINITY, PROVEN, ProofNumbers, SearchBudget,
    SolverPosition, SolverTables, UNLIMITED, iter_bits, layout, select_child,
};
use noughts_protocol::{Cell, Position, Seat, Status};

use crate::bucket_table::{BucketEntry, BucketTable};
use crate::with_node_limit;

/// Base-2 logarithm of the maximum size of the table, in entries of 24 bytes.
const MAX_TABLE_BITS: u32 = 26;

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
    /// For each reply that keeps the winner from completing a line immediately, the number of the next node, smaller
    /// than the number of this node.
    pub(crate) branches: Vec<(Cell, usize)>,
}

/// A strategy that wins a position for a seat.
#[derive(Clone, Debug)]
pub(crate) struct ForcedWinStrategy {
    /// The root is the last node.
    pub(crate) nodes: Vec<StrategyNode>,
}

/// Finds out by df-pn whether `attacker` wins an unfinished position, in a table of 2^`table_bits` entries of 24 bytes;
/// `table_bits` is limited to 1 to 26. Returns `None` in misère and for boards that do not fit into 128 bits with a
/// free bit between rows.
///
/// The table compares keys of 64 bits: two positions with the same key could produce a wrong result.
/// [`crate::write_win_certificate`] returns a strategy that a check accepts or rejects.
///
/// Equal numbers of nodes give equal results.
pub fn prove_forced_win(
    position: &Position,
    attacker: Seat,
    table_bits: u32,
    max_nodes: Option<u64>,
) -> Option<ForcedWinResult> {
    let goal = SearchGoal {
        attacker,
        table_bits,
        max_nodes: None,
    };
    with_node_limit(max_nodes, |budget| {
        let SearchOutcome { numbers, .. } = search_for_win(position, goal, budget)?;
        let is_won = match numbers {
            PROVEN => Some(true),
            DISPROVEN => Some(false),
            ProofNumbers { .. } => None,
        };
        Some(ForcedWinResult {
            is_won,
            nodes: budget.nodes,
        })
    })
}

/// Returns a strategy of at most `max_nodes` nodes that wins for `attacker`. Returns `None` if such a strategy does not
/// exist, if the budget does not suffice, and for the positions that [`prove_forced_win`] excludes.
pub(crate) fn find_winning_strategy(
    position: &Position,
    attacker: Seat,
    table_bits: u32,
    max_nodes: usize,
    budget: &mut SearchBudget<'_>,
) -> Option<ForcedWinStrategy> {
    search_for_win(
        position,
        SearchGoal {
            attacker,
            table_bits,
            max_nodes: Some(max_nodes),
        },
        budget,
    )?
    .strategy
}

#[derive(Clone, Copy, Debug)]
struct SearchGoal {
    /// The seat that tries to win.
    attacker: Seat,
    table_bits: u32,
    /// Maximum number of nodes of the strategy; `None` for a proof without a strategy.
    max_nodes: Option<usize>,
}

struct SearchOutcome {
    numbers: ProofNumbers,
    strategy: Option<ForcedWinStrategy>,
}

fn search_for_win(
    position: &Position,
    goal: SearchGoal,
    budget: &mut SearchBudget<'_>,
) -> Option<SearchOutcome> {
    if position.rules().misere() || position.status() != Status::Ongoing {
        return None;
    }
    match layout(position.geometry()) {
        BoardKind::Square(square) => Some(search_in_layout(square, position, goal, budget)),
        BoardKind::Padded(padded) => Some(search_in_layout(padded, position, goal, budget)),
        BoardKind::None => None,
    }
}

fn search_in_layout<L: BitLayout>(
    layout: L,
    position: &Position,
    goal: SearchGoal,
    budget: &mut SearchBudget<'_>,
) -> SearchOutcome {
    let mut search = ForcedWinSearch::new(layout, position, goal, budget);
    let root = search.tables.position(position);
    let numbers = search.search(&root, UNLIMITED).numbers;
    let strategy = match goal.max_nodes {
        Some(max_nodes) if numbers == PROVEN => StrategyWriter::new(search, max_nodes).write(&root),
        Some(_) | None => None,
    };
    SearchOutcome { numbers, strategy }
}

/// Proof numbers of a position, and the size of its proof.
#[derive(Clone, Copy, Debug)]
struct ProofState {
    numbers: ProofNumbers,
    /// Estimated number of certificate nodes of the proof, once the position is proven: equal positions count each
    /// time, and a position without a safe move of the defender counts as one.
    size: u32,
}

impl ProofState {
    const DISPROVEN: ProofState = ProofState {
        numbers: DISPROVEN,
        size: 0,
    };

    fn proven(size: u32) -> ProofState {
        ProofState {
            numbers: PROVEN,
            size,
        }
    }
}

/// Table entry of a position.
#[derive(Clone, Copy, Debug)]
struct ProofEntry {
    key: u64,
    state: ProofState,
    /// Number of positions that were searched below this position; 0 in an empty entry.
    work: u32,
}

impl BucketEntry for ProofEntry {
    type Key = u64;
    const EMPTY: ProofEntry = ProofEntry {
        key: 0,
        state: ProofState::DISPROVEN,
        work: 0,
    };

    fn key(&self) -> u64 {
        self.key
    }

    fn work(&self) -> u32 {
        self.work
    }

    fn bucket_bits(key: u64) -> usize {
        (key >> 20) as usize
    }
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
    table: BucketTable<ProofEntry>,
    budget: &'m mut SearchBudget<'a>,
    /// The parity of the plies of the attacker.
    attacker_parity: u32,
    cell_count: u32,
}

impl<'m, 'a, L: BitLayout> ForcedWinSearch<'m, 'a, L> {
    fn new(
        layout: L,
        position: &Position,
        goal: SearchGoal,
        budget: &'m mut SearchBudget<'a>,
    ) -> ForcedWinSearch<'m, 'a, L> {
        ForcedWinSearch {
            tables: SolverTables::new(layout, position.geometry()),
            table: BucketTable::new(goal.table_bits.clamp(1, MAX_TABLE_BITS)),
            budget,
            attacker_parity: goal.attacker.index() as u32,
            cell_count: position.rules().cells() as u32,
        }
    }

    fn is_attack(&self, position: &SolverPosition<L::Word>) -> bool {
        position.ply % 2 == self.attacker_parity
    }

    /// Decides a position without a search, or selects the moves that do not lose immediately.
    fn expand(&self, position: &SolverPosition<L::Word>) -> Expansion<L::Word> {
        let is_attack = self.is_attack(position);
        let decided = |is_won: bool| {
            Expansion::Decided(if is_won {
                ProofState::proven(1)
            } else {
                ProofState::DISPROVEN
            })
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
        let defender = if is_attack {
            position.other
        } else {
            position.mover
        };
        let is_held = || {
            self.tables.has_zugzwang
                && is_attack
                && self.attacker_parity == 0
                && self.tables.is_held_by_second(position)
        };
        if !self.tables.has_room(self.tables.cells & !defender) || is_held() {
            return decided(false);
        }
        Expansion::Moves(moves)
    }

    /// Returns the state of a position in the table, or an initial state: the numbers are 1 for the player to move and
    /// the number of its moves for the opponent.
    fn initial_state(&self, position: &SolverPosition<L::Word>) -> ProofState {
        if let Some(entry) = self.table.get(self.tables.key(position)) {
            return entry.state;
        }
        match self.expand(position) {
            Expansion::Decided(state) => state,
            Expansion::Moves(moves) => {
                let count = moves.count();
                ProofState {
                    numbers: ProofNumbers::from_own(1, count, self.is_attack(position)),
                    size: 0,
                }
            }
        }
    }

    fn children(
        &self,
        position: &SolverPosition<L::Word>,
        moves: L::Word,
    ) -> Vec<ChildNode<L::Word>> {
        let child = |bit| {
            let position = self.tables.play(*position, L::Word::from_bit(bit));
            ChildNode {
                bit,
                position,
                state: self.initial_state(&position),
            }
        };
        iter_bits(moves).map(child).collect()
    }

    /// Searches a position until its numbers reach the threshold.
    fn search(
        &mut self,
        position: &SolverPosition<L::Word>,
        threshold: ProofNumbers,
    ) -> ProofState {
        self.budget.count_node();
        let moves = match self.expand(position) {
            Expansion::Decided(state) => return state,
            Expansion::Moves(moves) => moves,
        };
        let started_at = self.budget.nodes;
        let mut children = self.children(position, moves);
        let state = self.search_children(&mut children, self.is_attack(position), threshold);
        // Values that were computed after the halt may be incomplete.
        if !self.budget.halted {
            let work = (self.budget.nodes - started_at).clamp(1, u64::from(u32::MAX)) as u32;
            self.table.insert(ProofEntry {
                key: self.tables.key(position),
                state,
                work,
            });
        }
        state
    }

    /// Searches the moves of a position until its numbers reach the threshold.
    fn search_children(
        &mut self,
        children: &mut [ChildNode<L::Word>],
        is_attack: bool,
        threshold: ProofNumbers,
    ) -> ProofState {
        loop {
            let state = combine(children, is_attack);
            if self.budget.halted || !state.numbers.is_below(threshold) {
                return state;
            }
            let numbers = children.iter().map(|child| child.state.numbers);
            let (index, child_threshold) =
                select_child(numbers, is_attack, state.numbers, threshold);
            let next = children[index].position;
            children[index].state = self.search(&next, child_threshold);
        }
    }
}

/// Returns the state of a position from the states after its moves.
///
/// The player to move needs one move: its number is the least of its moves. The number of the opponent is the greatest,
/// plus one for each further undecided move; a sum would count a plan that refutes many moves several times.
fn combine<W>(children: &[ChildNode<W>], is_attack: bool) -> ProofState {
    let (mut least, mut greatest, mut undecided) = (INFINITY, 0, 0);
    for child in children {
        let (own, others) = child.state.numbers.own_first(is_attack);
        least = least.min(own);
        greatest = greatest.max(others);
        undecided += u32::from(others > 0);
    }
    if least == 0 || greatest == 0 {
        let is_won = (least == 0) == is_attack;
        let proven = children
            .iter()
            .filter(|child| child.state.numbers == PROVEN);
        let sizes = proven.map(|child| child.state.size);
        return match (is_won, is_attack) {
            (false, _) => ProofState::DISPROVEN,
            (true, true) => ProofState::proven(sizes.min().unwrap_or(0).saturating_add(1)),
            (true, false) => ProofState::proven(sizes.fold(0, u32::saturating_add)),
        };
    }
    let all = (greatest + undecided - 1).min(INFINITY - 1);
    ProofState {
        numbers: ProofNumbers::from_own(least, all, is_attack),
        size: 0,
    }
}

/// Writer of the strategy of one win.
struct StrategyWriter<'m, 'a, L: BitLayout> {
    search: ForcedWinSearch<'m, 'a, L>,
    max_nodes: usize,
    nodes: Vec<StrategyNode>,
    /// For the stones of each position with the winner to move, the number of its node.
    numbers: HashMap<[u128; 2], usize>,
}

impl<'m, 'a, L: BitLayout> StrategyWriter<'m, 'a, L> {
    fn new(search: ForcedWinSearch<'m, 'a, L>, max_nodes: usize) -> Self {
        StrategyWriter {
            search,
            max_nodes,
            nodes: Vec::new(),
            numbers: HashMap::new(),
        }
    }

    /// Writes the strategy from a proven position.
    fn write(mut self, root: &SolverPosition<L::Word>) -> Option<ForcedWinStrategy> {
        if self.search.is_attack(root) {
            self.write_attack(root)?;
        } else {
            let branches = self.write_replies(root)?;
            self.push_node(StrategyNode {
                winner_move: None,
                branches,
            })?;
        }
        Some(ForcedWinStrategy { nodes: self.nodes })
    }

    /// Writes the node of a position with the winner to move and returns its number.
    fn write_attack(&mut self, position: &SolverPosition<L::Word>) -> Option<usize> {
        let key = [position.mover.into(), position.other.into()];
        if let Some(&number) = self.numbers.get(&key) {
            return Some(number);
        }
        self.search.budget.count_node();
        if self.search.budget.halted {
            return None;
        }
        let completing = self.search.tables.completing(position.mover) & position.open;
        let (bit, branches) = if completing.any() {
            (completing.first_bit(), Vec::new())
        } else {
            let child = self.winning_child(position)?;
            (child.bit, self.write_replies(&child.position)?)
        };
        let winner_move = Some(Cell::new(self.search.tables.cell(bit)));
        let number = self.push_node(StrategyNode {
            winner_move,
            branches,
        })?;
        self.numbers.insert(key, number);
        Some(number)
    }

    /// Appends a node and returns its number; `None` if the strategy has the maximum number of nodes.
    fn push_node(&mut self, node: StrategyNode) -> Option<usize> {
        if self.nodes.len() == self.max_nodes {
            return None;
        }
        self.nodes.push(node);
        Some(self.nodes.len() - 1)
    }

    /// Returns the move with the smallest proof. The table may have lost it; the position is then searched again.
    fn winning_child(&mut self, position: &SolverPosition<L::Word>) -> Option<ChildNode<L::Word>> {
        let Expansion::Moves(moves) = self.search.expand(position) else {
            return None;
        };
        let mut children = self.search.children(position, moves);
        // The children keep the proof that the search finds, even if the table replaces it.
        self.search.search_children(&mut children, true, UNLIMITED);
        let proven = children
            .into_iter()
            .filter(|child| child.state.numbers == PROVEN);
        proven.min_by_key(|child| child.state.size)
    }

    /// Writes the nodes after the replies that keep the winner from completing a line immediately.
    fn write_replies(&mut self, position: &SolverPosition<L::Word>) -> Option<Vec<(Cell, usize)>> {
        let mut branches = Vec::new();
        for bit in iter_bits(position.open) {
            let next = self.search.tables.play(*position, L::Word::from_bit(bit));
            if (self.search.tables.completing(next.mover) & next.open).is_empty() {
                branches.push((
                    Cell::new(self.search.tables.cell(bit)),
                    self.write_attack(&next)?,
                ));
            }
        }
        Some(branches)
    }
}
