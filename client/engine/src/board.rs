//! The board of the search: stone counts of every window, updated with each move, and the completing cells, threats and
//! evaluation that follow from them.
//!
//! # Representations of the board
//!
//! The crate uses three representations in addition to [`noughts_protocol::Position`]. Each is fast for one kind of
//! question:
//!
//! | type | module | boards | state | used by | reason |
//! |---|---|---|---|---|---|
//! | `SearchBoard` | `board` | all | stone counts of every window and the evaluation, updated by move and undo | alpha-beta, VCF, root search | any size, any rules, an evaluation and move ordering without a scan |
//! | `WindowBitboard` | `window_bitboard.rs` | up to 64 cells and 128 windows of 3 to 7 cells, normal free placement without `exact`, also on a torus | two words of stones and bit-sliced stone counts of all windows, copied by each move | df-pn and its VCF, the Qubic book | the windows that lack one or two stones are a few word operations |
//! | `SolverPosition` | `solver/bitboard.rs` | boards that fit into 64 or 128 bits with a free bit between rows | words of the mover, the opponent and the landing cells, copied by each move | exact solver | completing cells are shifts of whole boards, without any tables of windows; only on a torus they come from the windows |
//!
//! `Position` validates moves and finds outcomes but has no counts of windows, so a search converts it once at the
//! root. `CellSet` (all boards, several words) and `BitWord` (one word) are the sets of cells that these types use.
//!
//! # Evaluation
//!
//! On boards of two dimensions with more than 64 cells and lines of five, without flags except `exact`, a small network
//! evaluates the stones around each free cell and orders the moves (`line_network.rs`); its weights are trained on
//! 15x15. On all other boards each window has a weight by the stones that it lacks (`board/board_tables.rs`).

pub(crate) mod board_tables;
pub(crate) mod cell_sets;
mod network_state;
mod threat_queries;
mod threat_sets;

use noughts_protocol::{Position, Seat};

use crate::board::board_tables::{BoardTables, NO_CELL};
use crate::board::board_tables::{EvalTables, PackedPair};
use crate::board::cell_sets::CellSet;
pub(crate) use crate::board::threat_queries::{CompletingCells, ThreatKind};
use crate::board::threat_sets::{ThreatSets, WindowChange};
use network_state::NetworkState;

const NO_OWNER: u8 = 2;

/// The state of a board in searches. Seats are 0 and 1.
#[derive(Clone, Debug)]
pub(super) struct SearchBoard<'s> {
    pub(super) tables: &'s BoardTables,
    eval: EvalTables,
    windows: Box<[Window]>,
    owners: Box<[u8]>,
    /// For each cell, the move ordering score of its windows; unused with a network. Moves from ply `ordered_plies`
    /// onwards are not included yet, because the search leaves most positions before it needs the scores.
    order: Box<[PackedPair]>,
    ordered_plies: usize,
    /// The states of each move's windows before the move, in the order of the moves, and the number of states that
    /// belong to ordered moves. Unused with a network.
    window_states: Vec<u16>,
    ordered_states: usize,
    /// Cells of windows that lack one or two stones.
    pub(super) threat_sets: ThreatSets,
    /// For each seat, the number of windows without a stone of the opponent.
    live_windows: PackedPair,
    value: PackedPair,
    /// The evaluation and move ordering on boards that have a network. Queries add the moves that it lacks.
    network: Option<NetworkState<'s>>,
    /// The landing cells.
    pub(super) open: CellSet,
    pub(super) free_cells: usize,
    /// On a large board, the cells near any stone, for each number of ordered moves.
    near_stones: Vec<CellSet>,
    turn: usize,
    key: u64,
    undo_stack: Vec<Undo>,
}

#[derive(Clone, Copy, Debug)]
struct Window {
    /// The stone counts of both seats, see [`EvalTables`].
    state: u16,
    /// The exclusive or of the free cells. If one cell is free, it is that cell.
    free_xor: u16,
}

/// A move and the values before it.
#[derive(Clone, Copy, Debug)]
struct Undo {
    cell: u16,
    live_windows: PackedPair,
    value: PackedPair,
}

impl<'s> SearchBoard<'s> {
    /// Creates the board of a position. `tables` must belong to its geometry.
    pub(super) fn new(tables: &'s BoardTables, position: &Position) -> SearchBoard<'s> {
        let (k, cells, count) = (tables.k, tables.cells, tables.window_count());
        let eval = EvalTables::new(k);
        let mut threat_sets = ThreatSets::new(cells);
        let (mut live_windows, mut value) = (PackedPair::default(), PackedPair::default());
        let windows = (0..count).map(|window| {
            let window = tables.window(window);
            threat_sets.add_window(window);
            (live_windows, value) = (live_windows + PackedPair::ONES, value + eval.value);
            Window {
                state: 0,
                free_xor: window.iter().fold(0, |rest, cell| rest ^ cell),
            }
        });
        let windows = windows.collect();
        let order = |cell: u16| {
            let windows = tables
                .runs(cell)
                .iter()
                .map(|run| run.windows().len())
                .sum();
            std::iter::repeat_n(eval.order, windows)
                .fold(PackedPair::default(), |sum, order| sum + order)
        };
        let mut board = SearchBoard {
            order: (0..cells as u16).map(order).collect(),
            tables,
            eval,
            windows,
            owners: vec![NO_OWNER; cells].into(),
            ordered_plies: 0,
            window_states: Vec::new(),
            ordered_states: 0,
            threat_sets,
            live_windows,
            value,
            network: tables.patterns.as_ref().map(NetworkState::new),
            open: CellSet::default(),
            free_cells: cells,
            near_stones: vec![CellSet::default()],
            turn: 0,
            key: 0,
            undo_stack: Vec::with_capacity(cells),
        };
        for cell in 0..cells as u16 {
            if !tables.rules.gravity() || tables.height(cell) == 0 {
                board.open.insert(cell);
            }
        }
        for cell in position.moves() {
            board.play(cell.index() as u16);
        }
        debug_assert_eq!(board.turn == 0, position.turn() == Seat::X);
        board
    }

    /// Returns the seat to move.
    pub(super) fn turn(&self) -> usize {
        self.turn
    }

    /// Returns a hash key of the stones. The seat to move follows from their number.
    pub(super) fn key(&self) -> u64 {
        self.key
    }

    pub(super) fn is_empty(&self) -> bool {
        self.undo_stack.is_empty()
    }

    pub(super) fn has_network(&self) -> bool {
        self.network.is_some()
    }

    /// Returns the number of windows that a seat can still fill.
    pub(super) fn live_window_count(&self, seat: usize) -> usize {
        self.live_windows.get(seat) as usize
    }

    /// Returns the candidate moves: landing cells near stones on a large board, otherwise all landing cells. Requires
    /// an ordered board.
    pub(super) fn candidates(&self) -> impl Iterator<Item = u16> + '_ {
        debug_assert_eq!(self.ordered_plies, self.undo_stack.len());
        let near = if self.tables.is_large() {
            self.near_stones.last()
        } else {
            None
        };
        near.unwrap_or(&self.open)
            .intersection(&self.open, self.tables.words)
    }

    /// Plays a stone of the seat to move on a landing cell.
    pub(super) fn play(&mut self, cell: u16) {
        let (tables, seat) = (self.tables, self.turn);
        self.undo_stack.push(Undo {
            cell,
            live_windows: self.live_windows,
            value: self.value,
        });
        self.owners[usize::from(cell)] = seat as u8;
        let (deltas, step) = (self.eval.deltas(seat), self.eval.state_step(seat));
        let has_network = self.has_network();
        for &run in tables.runs(cell) {
            for (number, window) in run.windows().zip(&mut self.windows[run.windows()]) {
                let delta = &deltas[usize::from(window.state)];
                if !has_network {
                    self.window_states.push(window.state);
                }
                window.state += step;
                window.free_xor ^= cell;
                self.value += delta.value;
                self.live_windows += delta.live_windows;
                if delta.threat_changes != 0 {
                    let change = WindowChange {
                        threat_changes: delta.threat_changes,
                        seat,
                        cell,
                        free_xor: window.free_xor,
                    };
                    self.threat_sets
                        .apply(&change, || first_free(tables.window(number), &self.owners));
                }
            }
        }
        self.open.remove(cell);
        if let Some(above) = tables.above(cell) {
            self.open.insert(above);
        }
        self.free_cells -= 1;
        self.key ^= tables.key(cell, seat);
        self.turn = 1 - seat;
    }

    /// Takes back the last move.
    pub(super) fn undo(&mut self) {
        let Some(undo) = self.undo_stack.pop() else {
            return;
        };
        let (tables, seat, cell) = (self.tables, 1 - self.turn, undo.cell);
        let (deltas, step) = (self.eval.deltas(seat), self.eval.state_step(seat));
        let mut states = 0;
        for &run in tables.runs(cell) {
            states += if self.network.is_none() {
                run.windows().len()
            } else {
                0
            };
            for (number, window) in run.windows().zip(&mut self.windows[run.windows()]) {
                window.state -= step;
                let delta = &deltas[usize::from(window.state)];
                if delta.threat_changes != 0 {
                    let change = WindowChange {
                        threat_changes: delta.threat_changes,
                        seat,
                        cell,
                        free_xor: window.free_xor,
                    };
                    self.threat_sets
                        .revert(&change, || first_free(tables.window(number), &self.owners));
                }
                window.free_xor ^= cell;
            }
        }
        if let Some(network) = &mut self.network
            && network.plies() > self.undo_stack.len()
        {
            network.undo(cell);
        }
        let first_state = self.window_states.len() - states;
        if self.ordered_plies > self.undo_stack.len() {
            if self.network.is_none() {
                self.apply_ordering(cell, seat, first_state, |order, sum| order - sum);
                self.ordered_states = first_state;
            }
            self.ordered_plies = self.undo_stack.len();
            if tables.is_large() {
                self.near_stones.pop();
            }
        }
        self.window_states.truncate(first_state);
        self.owners[usize::from(cell)] = NO_OWNER;
        self.open.insert(cell);
        if let Some(above) = tables.above(cell) {
            self.open.remove(above);
        }
        (self.live_windows, self.value) = (undo.live_windows, undo.value);
        self.free_cells += 1;
        self.key ^= tables.key(cell, seat);
        self.turn = seat;
    }

    /// Updates move scores and the cells near stones to the current position.
    pub(super) fn update_move_ordering(&mut self) {
        if let Some(network) = &mut self.network {
            network.play_missing(self.undo_stack.iter().map(|undo| undo.cell));
        }
        while let Some(&Undo { cell, .. }) = self.undo_stack.get(self.ordered_plies) {
            if self.network.is_none() {
                let seat = self.ordered_plies % 2;
                self.ordered_states =
                    self.apply_ordering(cell, seat, self.ordered_states, |order, sum| order + sum);
            }
            self.ordered_plies += 1;
            if self.tables.is_large()
                && let Some(mut near) = self.near_stones.last().copied()
            {
                near.union_with(self.tables.neighbourhood(cell), self.tables.words);
                self.near_stones.push(near);
            }
        }
    }

    /// Adds a move's effect to the scores of the cells in its windows, or subtracts it. The window states before the
    /// move begin at `from`. Returns the start of the next move's states.
    #[inline]
    fn apply_ordering(
        &mut self,
        cell: u16,
        seat: usize,
        mut from: usize,
        with: impl Fn(PackedPair, PackedPair) -> PackedPair,
    ) -> usize {
        let (tables, k, deltas) = (self.tables, self.tables.k, self.eval.deltas(seat));
        for &run in tables.runs(cell) {
            let states = &self.window_states[from..from + run.windows().len()];
            from += states.len();
            // A cell is in the k windows that begin at most k - 1 cells before it.
            let mut sum = PackedPair::default();
            for (offset, &cell) in tables.run_cells(run).iter().enumerate() {
                if let Some(&state) = states.get(offset) {
                    sum += deltas[usize::from(state)].order;
                }
                if let Some(&state) = offset.checked_sub(k).and_then(|place| states.get(place)) {
                    sum -= deltas[usize::from(state)].order;
                }
                let order = &mut self.order[usize::from(cell)];
                *order = with(*order, sum);
            }
        }
        from
    }

    /// Returns the windows that `seat` can still fill.
    pub(super) fn live_windows(&self, seat: usize) -> impl Iterator<Item = u16> + '_ {
        let alive = self.windows.iter().enumerate();
        let alive = alive.filter(move |(_, window)| self.eval.stones(window.state, 1 - seat) == 0);
        alive.map(|(window, _)| window as u16)
    }

    /// Gives the move to the other seat. The caller must pass again before the next evaluation or move ordering.
    pub(super) fn pass(&mut self) {
        self.turn = 1 - self.turn;
    }

    /// Returns the move ordering score of a cell: by the network, or else its value for the mover and against the
    /// opponent. Requires an ordered board.
    pub(super) fn move_score(&self, cell: u16) -> i32 {
        debug_assert_eq!(self.ordered_plies, self.undo_stack.len());
        if let Some(network) = &self.network {
            return network.move_score(cell);
        }
        let order = self.order[usize::from(cell)];
        let (own, others) = (order.get(self.turn), order.get(1 - self.turn));
        if self.tables.rules.misere() {
            -(own + others / 2)
        } else {
            own + own / 2 + others
        }
    }

    /// Returns the static evaluation for the seat to move.
    pub(super) fn evaluate(&mut self) -> i32 {
        if let Some(network) = &mut self.network {
            return network.evaluate(self.key, self.undo_stack.iter().map(|undo| undo.cell));
        }
        let (own, others) = (self.value.get(self.turn), self.value.get(1 - self.turn));
        if self.tables.rules.misere() {
            return others - own;
        }
        let mut estimate = own - others;
        if self.tables.rules.gravity() {
            estimate += self.zugzwang_score(self.turn) - self.zugzwang_score(1 - self.turn);
        } else {
            // The right to move is worth about one eighth of the mover's own value.
            estimate += own / 8;
        }
        estimate
    }

    /// Returns the value of cells that would complete a line but are not reachable yet, with gravity. Zugzwang decides
    /// which seat gets them: on boards of even height, the first seat finally fills odd rows and the second even rows
    /// (Allis, "A Knowledge-based Approach of Connect-Four", 1988). Lower cells count more.
    fn zugzwang_score(&self, seat: usize) -> i32 {
        let tables = self.tables;
        let completing = &self.threat_sets.lacking_one.cells[seat];
        completing
            .intersection(completing, tables.words)
            .filter(|&cell| !self.open.contains(cell))
            .map(|cell| {
                let row = i32::from(tables.height(cell));
                let own_parity = row % 2 == seat as i32;
                (if own_parity { 240 } else { 60 }) - 8 * row
            })
            .sum()
    }
}

/// Returns the first free cell of a window; [`NO_CELL`] if the window is full.
fn first_free(window: &[u16], owners: &[u8]) -> u16 {
    window
        .iter()
        .copied()
        .find(|&cell| owners[usize::from(cell)] == NO_OWNER)
        .unwrap_or(NO_CELL)
}
