//! The board of a search: counts of stones per window, kept up to date move by move, and what follows
//! from them: which cells complete a line, which would threaten to, and what each cell is worth.

pub(crate) mod bit_word;
pub(crate) mod board_tables;
pub(crate) mod cell_set;
mod eval_tables;
mod threat_sets;

use noughts_protocol::{Position, Seat};

use crate::board::board_tables::{BoardTables, NO_CELL};
use crate::board::cell_set::CellSet;
use eval_tables::{EvalTables, PackedPair};
use threat_sets::{ThreatSets, WindowChange};

const NO_OWNER: u8 = 2;

/// Stones on a [`BoardTables`], with seats as 0 and 1.
#[derive(Clone, Debug)]
pub(super) struct SearchBoard<'s> {
    pub(super) tables: &'s BoardTables,
    eval: EvalTables,
    windows: Box<[Window]>,
    owners: Box<[u8]>,
    /// What the windows through each cell are worth together when a move is chosen. The moves from `settled` on
    /// are not in it yet: most positions are left before anybody asks.
    order: Box<[PackedPair]>,
    ordered_plies: usize,
    /// By move, one after the other, the states in which it found the windows of its runs; and how many of these
    /// belong to moves that are settled.
    window_states: Vec<u16>,
    ordered_states: usize,
    /// Cells of windows that lack one stone, and two.
    pub(super) threat_sets: ThreatSets,
    /// Windows that a seat may still fill.
    live_windows: PackedPair,
    value: PackedPair,
    /// The cells that may be played.
    pub(super) open: CellSet,
    pub(super) free_cells: usize,
    /// On a roomy board the cells near any stone, for each number of settled moves.
    near_stones: Vec<CellSet>,
    turn: usize,
    key: u64,
    undo_stack: Vec<Undo>,
}

/// A window as it stands.
#[derive(Clone, Copy, Debug)]
struct Window {
    /// The stones of both seats: see [`EvalTables`].
    state: u16,
    /// The exclusive or of its free cells: with one free cell, that one.
    free_xor: u16,
}

/// A move, and what was before it.
#[derive(Clone, Copy, Debug)]
struct Undo {
    cell: u16,
    live_windows: PackedPair,
    value: PackedPair,
}

/// The cells where a seat completes a line at once: none, one or more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CompletingCells {
    None,
    One(u16),
    More(u16),
}

impl<'s> SearchBoard<'s> {
    /// The board of a position, whose shape this is.
    pub(super) fn new(tables: &'s BoardTables, position: &Position) -> SearchBoard<'s> {
        let (k, cells, count) = (tables.k, tables.cells, tables.window_count());
        let eval = EvalTables::new(k);
        let mut threat_sets = ThreatSets::new(cells);
        let (mut live_windows, mut value) = (PackedPair::default(), PackedPair::default());
        let windows = (0..count).map(|window| {
            let window = tables.window(window);
            threat_sets.add_window(window);
            (live_windows, value) = (live_windows + PackedPair::ONES, value + eval.value);
            Window { state: 0, free_xor: window.iter().fold(0, |rest, cell| rest ^ cell) }
        });
        let windows = windows.collect();
        let order = |cell: u16| {
            let windows = tables.runs(cell).iter().map(|run| run.windows().len()).sum();
            std::iter::repeat_n(eval.order, windows).fold(PackedPair::default(), |sum, order| sum + order)
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

    /// The seat to move.
    pub(super) fn turn(&self) -> usize {
        self.turn
    }

    /// A key of the stones; the seat to move follows from their number.
    pub(super) fn key(&self) -> u64 {
        self.key
    }

    pub(super) fn is_empty(&self) -> bool {
        self.undo_stack.is_empty()
    }

    /// Windows that a seat may still fill.
    pub(super) fn live_window_count(&self, seat: usize) -> usize {
        self.live_windows.get(seat) as usize
    }

    /// The cells that are looked at first, if not alone: near the stones, or all.
    pub(super) fn candidates(&self) -> impl Iterator<Item = u16> + '_ {
        debug_assert_eq!(self.ordered_plies, self.undo_stack.len());
        let near = if self.tables.is_large() { self.near_stones.last() } else { None };
        near.unwrap_or(&self.open).intersection(&self.open, self.tables.words)
    }

    /// Puts a stone of the seat to move on an open cell.
    pub(super) fn play(&mut self, cell: u16) {
        let (tables, seat) = (self.tables, self.turn);
        self.undo_stack.push(Undo { cell, live_windows: self.live_windows, value: self.value });
        self.owners[usize::from(cell)] = seat as u8;
        let (deltas, step) = (self.eval.deltas(seat), self.eval.state_step(seat));
        for &run in tables.runs(cell) {
            for (number, window) in run.windows().zip(&mut self.windows[run.windows()]) {
                let delta = &deltas[usize::from(window.state)];
                self.window_states.push(window.state);
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
                    self.threat_sets.apply(&change, || first_free(tables.window(number), &self.owners));
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

    /// Takes the last stone back.
    pub(super) fn undo(&mut self) {
        let Some(undo) = self.undo_stack.pop() else { return };
        let (tables, seat, cell) = (self.tables, 1 - self.turn, undo.cell);
        let (deltas, step) = (self.eval.deltas(seat), self.eval.state_step(seat));
        let mut windows = 0;
        for &run in tables.runs(cell) {
            windows += run.windows().len();
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
                    self.threat_sets.revert(&change, || first_free(tables.window(number), &self.owners));
                }
                window.free_xor ^= cell;
            }
        }
        let first_state = self.window_states.len() - windows;
        if self.ordered_plies > self.undo_stack.len() {
            self.apply_ordering(cell, seat, first_state, |order, sum| order - sum);
            (self.ordered_plies, self.ordered_states) = (self.undo_stack.len(), first_state);
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

    /// Brings `move_score` and the cells near stones up to date.
    pub(super) fn update_move_ordering(&mut self) {
        while let Some(&Undo { cell, .. }) = self.undo_stack.get(self.ordered_plies) {
            let seat = self.ordered_plies % 2;
            self.ordered_states =
                self.apply_ordering(cell, seat, self.ordered_states, |order, sum| order + sum);
            self.ordered_plies += 1;
            if self.tables.is_large()
                && let Some(mut near) = self.near_stones.last().copied()
            {
                near.union_with(self.tables.neighbourhood(cell), self.tables.words);
                self.near_stones.push(near);
            }
        }
    }

    /// Adds what a move changed to the cells of its windows, or subtracts it. The states in which it found them
    /// begin at `from`; gives where those of the next move begin.
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
            // A cell is in the k windows that begin at it or before it.
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

    /// The windows that `seat` may still fill.
    pub(super) fn live_windows(&self, seat: usize) -> impl Iterator<Item = u16> + '_ {
        let alive = self.windows.iter().enumerate();
        let alive = alive.filter(move |(_, window)| self.eval.stones(window.state, 1 - seat) == 0);
        alive.map(|(window, _)| window as u16)
    }

    /// Whether a stone of `seat` on this free cell completes a line.
    pub(super) fn is_completing(&self, seat: usize, cell: u16) -> bool {
        self.threat_sets.lacking_one.cells[seat].contains(cell)
            && (!self.tables.rules.exact() || self.is_completing_exactly(seat, cell))
    }

    /// A window that lacks this cell only counts when no stone lengthens it.
    fn is_completing_exactly(&self, seat: usize, cell: u16) -> bool {
        self.tables.runs(cell).iter().flat_map(|run| run.windows()).any(|window| {
            let state = self.windows[window].state;
            let is_own = |cell: u16| cell != NO_CELL && self.owners[usize::from(cell)] == seat as u8;
            self.eval.stones(state, seat) + 1 == self.tables.k
                && self.eval.stones(state, 1 - seat) == 0
                && !self.tables.flanks(window).into_iter().any(is_own)
        })
    }

    /// Where `seat` may complete a line with the next stone.
    pub(super) fn completing(&self, seat: usize) -> CompletingCells {
        let candidates = self.threat_sets.lacking_one.cells[seat].intersection(&self.open, self.tables.words);
        let mut cells =
            candidates.filter(|&cell| !self.tables.rules.exact() || self.is_completing_exactly(seat, cell));
        match (cells.next(), cells.next()) {
            (None, _) => CompletingCells::None,
            (Some(cell), None) => CompletingCells::One(cell),
            (Some(cell), Some(_)) => CompletingCells::More(cell),
        }
    }

    /// Whether a stone of `seat` on this free cell leaves a window that lacks one more.
    pub(super) fn is_threat(&self, seat: usize, cell: u16) -> bool {
        self.threat_sets.lacking_two.cells[seat].contains(cell)
    }

    /// What a cell is worth to try first: for its own sake, and to keep it from the other. The board is settled.
    pub(super) fn move_score(&self, cell: u16) -> i32 {
        debug_assert_eq!(self.ordered_plies, self.undo_stack.len());
        let order = self.order[usize::from(cell)];
        let (own, others) = (order.get(self.turn), order.get(1 - self.turn));
        if self.tables.rules.misere() { -(own + others / 2) } else { own + own / 2 + others }
    }

    /// An estimate of what the position is worth to the seat to move.
    pub(super) fn evaluate(&self) -> i32 {
        let (own, others) = (self.value.get(self.turn), self.value.get(1 - self.turn));
        if self.tables.rules.misere() {
            return others - own;
        }
        let mut estimate = own - others;
        if self.tables.rules.gravity() {
            estimate += self.zugzwang_score(self.turn) - self.zugzwang_score(1 - self.turn);
        } else {
            // To move is worth about an eighth of what one has.
            estimate += own / 8;
        }
        estimate
    }

    /// Under gravity: the cells that would complete a line but cannot be reached yet. Zugzwang decides who
    /// gets them: on boards of even height the first seat fills odd rows in the end, the second even ones
    /// (Allis, "A Knowledge-based Approach of Connect-Four", 1988). The lower, the sooner it counts.
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

/// A free cell of a window that has one.
fn first_free(window: &[u16], owners: &[u8]) -> u16 {
    window.iter().copied().find(|&cell| owners[usize::from(cell)] == NO_OWNER).unwrap_or(NO_CELL)
}
