//! The board of a search: counts of stones per window, kept up to date move by move, and what follows
//! from them: which cells complete a line, which would threaten to, and what each cell is worth.

mod tiers;
mod worth;

use noughts_protocol::{Position, Seat};

use super::cells::Cells;
use super::shape::{NOWHERE, Shape};
use tiers::{Tiers, Touch};
use worth::{Pair, Worth};

const FREE: u8 = 2;

/// Stones on a [`Shape`], with seats as 0 and 1.
#[derive(Clone, Debug)]
pub(super) struct Board<'s> {
    pub(super) shape: &'s Shape,
    worth: Worth,
    windows: Box<[Window]>,
    owners: Box<[u8]>,
    /// What the windows through each cell are worth together when a move is chosen. The moves from `settled` on
    /// are not in it yet: most positions are left before anybody asks.
    order: Box<[Pair]>,
    settled: usize,
    /// By move, one after the other, the states in which it found the windows of its runs; and how many of these
    /// belong to moves that are settled.
    found: Vec<u16>,
    found_settled: usize,
    /// Cells of windows that lack one stone, and two.
    pub(super) tiers: Tiers,
    /// Windows that a seat may still fill.
    alive: Pair,
    value: Pair,
    /// The cells that may be played.
    pub(super) open: Cells,
    pub(super) free: usize,
    /// On a roomy board the cells near any stone, for each number of settled moves.
    near: Vec<Cells>,
    turn: usize,
    key: u64,
    moves: Vec<Past>,
}

/// A window as it stands.
#[derive(Clone, Copy, Debug)]
struct Window {
    /// The stones of both seats: see [`Worth`].
    state: u16,
    /// The exclusive or of its free cells: with one free cell, that one.
    rest: u16,
}

/// A move, and what was before it.
#[derive(Clone, Copy, Debug)]
struct Past {
    cell: u16,
    alive: Pair,
    value: Pair,
}

/// The cells where a seat completes a line at once: none, one or more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Completing {
    None,
    One(u16),
    More(u16),
}

impl<'s> Board<'s> {
    /// The board of a position, whose shape this is.
    pub(super) fn new(shape: &'s Shape, position: &Position) -> Board<'s> {
        let (k, cells, count) = (shape.k, shape.cells, shape.windows());
        let worth = Worth::new(k);
        let mut tiers = Tiers::new(cells);
        let (mut alive, mut value) = (Pair::default(), Pair::default());
        let windows = (0..count).map(|window| {
            let window = shape.window(window);
            tiers.begin(window);
            (alive, value) = (alive + Pair::ONES, value + worth.value);
            Window { state: 0, rest: window.iter().fold(0, |rest, cell| rest ^ cell) }
        });
        let windows = windows.collect();
        let order = |cell: u16| {
            let windows = shape.runs(cell).iter().map(|run| run.windows().len()).sum();
            std::iter::repeat_n(worth.order, windows).fold(Pair::default(), |sum, order| sum + order)
        };
        let mut board = Board {
            order: (0..cells as u16).map(order).collect(),
            shape,
            worth,
            windows,
            owners: vec![FREE; cells].into(),
            settled: 0,
            found: Vec::new(),
            found_settled: 0,
            tiers,
            alive,
            value,
            open: Cells::default(),
            free: cells,
            near: vec![Cells::default()],
            turn: 0,
            key: 0,
            moves: Vec::with_capacity(cells),
        };
        for cell in 0..cells as u16 {
            if !shape.rules.gravity() || shape.height(cell) == 0 {
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
        self.moves.is_empty()
    }

    /// Windows that a seat may still fill.
    pub(super) fn alive(&self, seat: usize) -> usize {
        self.alive.of(seat) as usize
    }

    /// The cells that are looked at first, if not alone: near the stones, or all.
    pub(super) fn likely(&self) -> impl Iterator<Item = u16> + '_ {
        debug_assert_eq!(self.settled, self.moves.len());
        let near = if self.shape.is_roomy() { self.near.last() } else { None };
        near.unwrap_or(&self.open).both(&self.open, self.shape.words)
    }

    /// Puts a stone of the seat to move on an open cell.
    pub(super) fn play(&mut self, cell: u16) {
        let (shape, seat) = (self.shape, self.turn);
        self.moves.push(Past { cell, alive: self.alive, value: self.value });
        self.owners[usize::from(cell)] = seat as u8;
        let (table, step) = (self.worth.changes(seat), self.worth.step(seat));
        for &run in shape.runs(cell) {
            for (number, window) in run.windows().zip(&mut self.windows[run.windows()]) {
                let change = &table[usize::from(window.state)];
                self.found.push(window.state);
                window.state += step;
                window.rest ^= cell;
                self.value += change.value;
                self.alive += change.alive;
                if change.tiers != 0 {
                    let touch = Touch { tiers: change.tiers, seat, cell, rest: window.rest };
                    self.tiers.put(&touch, || first_free(shape.window(number), &self.owners));
                }
            }
        }
        self.open.remove(cell);
        if let Some(above) = shape.above(cell) {
            self.open.insert(above);
        }
        self.free -= 1;
        self.key ^= shape.key(cell, seat);
        self.turn = 1 - seat;
    }

    /// Takes the last stone back.
    pub(super) fn undo(&mut self) {
        let Some(past) = self.moves.pop() else { return };
        let (shape, seat, cell) = (self.shape, 1 - self.turn, past.cell);
        let (table, step) = (self.worth.changes(seat), self.worth.step(seat));
        let mut windows = 0;
        for &run in shape.runs(cell) {
            windows += run.windows().len();
            for (number, window) in run.windows().zip(&mut self.windows[run.windows()]) {
                window.state -= step;
                let change = &table[usize::from(window.state)];
                if change.tiers != 0 {
                    let touch = Touch { tiers: change.tiers, seat, cell, rest: window.rest };
                    self.tiers.take(&touch, || first_free(shape.window(number), &self.owners));
                }
                window.rest ^= cell;
            }
        }
        let before = self.found.len() - windows;
        if self.settled > self.moves.len() {
            self.spread(cell, seat, before, |order, sum| order - sum);
            (self.settled, self.found_settled) = (self.moves.len(), before);
            if shape.is_roomy() {
                self.near.pop();
            }
        }
        self.found.truncate(before);
        self.owners[usize::from(cell)] = FREE;
        self.open.insert(cell);
        if let Some(above) = shape.above(cell) {
            self.open.remove(above);
        }
        (self.alive, self.value) = (past.alive, past.value);
        self.free += 1;
        self.key ^= shape.key(cell, seat);
        self.turn = seat;
    }

    /// Brings `order` and the cells near stones up to date.
    pub(super) fn settle(&mut self) {
        while let Some(&Past { cell, .. }) = self.moves.get(self.settled) {
            let seat = self.settled % 2;
            self.found_settled = self.spread(cell, seat, self.found_settled, |order, sum| order + sum);
            self.settled += 1;
            if self.shape.is_roomy()
                && let Some(mut near) = self.near.last().copied()
            {
                near.unite(self.shape.near(cell), self.shape.words);
                self.near.push(near);
            }
        }
    }

    /// Adds what a move changed to the cells of its windows, or subtracts it. The states in which it found them
    /// begin at `from`; gives where those of the next move begin.
    #[inline]
    fn spread(
        &mut self,
        cell: u16,
        seat: usize,
        mut from: usize,
        with: impl Fn(Pair, Pair) -> Pair,
    ) -> usize {
        let (shape, k, table) = (self.shape, self.shape.k, self.worth.changes(seat));
        for &run in shape.runs(cell) {
            let found = &self.found[from..from + run.windows().len()];
            from += found.len();
            // A cell is in the k windows that begin at it or before it.
            let mut sum = Pair::default();
            for (place, &cell) in shape.cells_of(run).iter().enumerate() {
                if let Some(&state) = found.get(place) {
                    sum += table[usize::from(state)].order;
                }
                if let Some(&state) = place.checked_sub(k).and_then(|place| found.get(place)) {
                    sum -= table[usize::from(state)].order;
                }
                let order = &mut self.order[usize::from(cell)];
                *order = with(*order, sum);
            }
        }
        from
    }

    /// The windows that `seat` may still fill.
    pub(super) fn windows_alive(&self, seat: usize) -> impl Iterator<Item = u16> + '_ {
        let alive = self.windows.iter().enumerate();
        let alive = alive.filter(move |(_, window)| self.worth.stones(window.state, 1 - seat) == 0);
        alive.map(|(window, _)| window as u16)
    }

    /// Whether a stone of `seat` on this free cell completes a line.
    pub(super) fn completes(&self, seat: usize, cell: u16) -> bool {
        self.tiers.one.cells[seat].contains(cell)
            && (!self.shape.rules.exact() || self.completes_exactly(seat, cell))
    }

    /// A window that lacks this cell only counts when no stone lengthens it.
    fn completes_exactly(&self, seat: usize, cell: u16) -> bool {
        self.shape.runs(cell).iter().flat_map(|run| run.windows()).any(|window| {
            let state = self.windows[window].state;
            let beside = |cell: u16| cell != NOWHERE && self.owners[usize::from(cell)] == seat as u8;
            self.worth.stones(state, seat) + 1 == self.shape.k
                && self.worth.stones(state, 1 - seat) == 0
                && !self.shape.flanks(window).into_iter().any(beside)
        })
    }

    /// Where `seat` may complete a line with the next stone.
    pub(super) fn completing(&self, seat: usize) -> Completing {
        let candidates = self.tiers.one.cells[seat].both(&self.open, self.shape.words);
        let mut cells =
            candidates.filter(|&cell| !self.shape.rules.exact() || self.completes_exactly(seat, cell));
        match (cells.next(), cells.next()) {
            (None, _) => Completing::None,
            (Some(cell), None) => Completing::One(cell),
            (Some(cell), Some(_)) => Completing::More(cell),
        }
    }

    /// Whether a stone of `seat` on this free cell leaves a window that lacks one more.
    pub(super) fn threatens(&self, seat: usize, cell: u16) -> bool {
        self.tiers.two.cells[seat].contains(cell)
    }

    /// What a cell is worth to try first: for its own sake, and to keep it from the other. The board is settled.
    pub(super) fn order(&self, cell: u16) -> i32 {
        debug_assert_eq!(self.settled, self.moves.len());
        let order = self.order[usize::from(cell)];
        let (own, others) = (order.of(self.turn), order.of(1 - self.turn));
        if self.shape.rules.misere() { -(own + others / 2) } else { own + own / 2 + others }
    }

    /// An estimate of what the position is worth to the seat to move.
    pub(super) fn estimate(&self) -> i32 {
        let (own, others) = (self.value.of(self.turn), self.value.of(1 - self.turn));
        if self.shape.rules.misere() {
            return others - own;
        }
        let mut estimate = own - others;
        if self.shape.rules.gravity() {
            estimate += self.waiting(self.turn) - self.waiting(1 - self.turn);
        } else {
            // To move is worth about an eighth of what one has.
            estimate += own / 8;
        }
        estimate
    }

    /// Under gravity: the cells that would complete a line but cannot be reached yet. Zugzwang decides who
    /// gets them: on boards of even height the first seat fills odd rows in the end, the second even ones
    /// (Allis, "A Knowledge-based Approach of Connect-Four", 1988). The lower, the sooner it counts.
    fn waiting(&self, seat: usize) -> i32 {
        let shape = self.shape;
        let everything = &self.tiers.one.cells[seat];
        everything
            .both(everything, shape.words)
            .filter(|&cell| !self.open.contains(cell))
            .map(|cell| {
                let row = i32::from(shape.height(cell));
                let own_parity = row % 2 == seat as i32;
                (if own_parity { 240 } else { 60 }) - 8 * row
            })
            .sum()
    }
}

/// A free cell of a window that has one.
fn first_free(window: &[u16], owners: &[u8]) -> u16 {
    window.iter().copied().find(|&cell| owners[usize::from(cell)] == FREE).unwrap_or(NOWHERE)
}
