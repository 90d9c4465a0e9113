//! The board of a search: counts of stones per window, kept up to date move by move, and what follows
//! from them: which cells complete a line, which would threaten to, and what each cell is worth.

use noughts_protocol::{Position, Seat};

use super::cells::Cells;
use super::shape::{NOWHERE, Shape};

/// What a window is worth to the seat that may still fill it, by the stones it lacks: for the value of a
/// position, and for the order in which moves are tried.
const VALUE: [i32; 7] = [0, 160, 40, 10, 3, 1, 0];
const ORDER: [i32; 7] = [0, 100_000, 4_000, 400, 30, 5, 1];

const FREE: u8 = 2;

/// Stones on a [`Shape`], with seats as 0 and 1.
#[derive(Clone, Debug)]
pub(super) struct Board<'s> {
    pub(super) shape: &'s Shape,
    /// The stones of each seat in each window.
    counts: Box<[[u8; 2]]>,
    owners: Box<[u8]>,
    /// What each window state is worth: by stones of its seat, and 0 for a window with stones of both.
    value_of: Box<[i32]>,
    order_of: Box<[i32]>,
    /// For each cell and seat the sum of `order_of` its windows.
    order: Box<[[i32; 2]]>,
    /// Cells of windows that lack one stone, and two.
    pub(super) one: Tier,
    pub(super) two: Tier,
    /// Windows that a seat may still fill.
    pub(super) alive: [u32; 2],
    value: [i32; 2],
    /// The cells that may be played.
    pub(super) open: Cells,
    pub(super) free: usize,
    /// How many stones lie near each cell, and the cells that have any.
    beside: Box<[u16]>,
    pub(super) near: Cells,
    turn: usize,
    key: u64,
    moves: Vec<u16>,
}

/// The cells in windows of one kind, by seat.
#[derive(Clone, Debug)]
pub(super) struct Tier {
    counts: Box<[[u8; 2]]>,
    pub(super) cells: [Cells; 2],
}

impl Tier {
    fn new(cells: usize) -> Tier {
        Tier { counts: vec![[0; 2]; cells].into(), cells: [Cells::default(); 2] }
    }

    fn add(&mut self, window: &[u16], seat: usize) {
        for &cell in window {
            self.counts[usize::from(cell)][seat] += 1;
            self.cells[seat].insert(cell);
        }
    }

    fn take(&mut self, window: &[u16], seat: usize) {
        for &cell in window {
            let count = &mut self.counts[usize::from(cell)][seat];
            *count -= 1;
            if *count == 0 {
                self.cells[seat].remove(cell);
            }
        }
    }
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
        let (k, cells, windows) = (shape.k, shape.cells, shape.windows());
        // The state k + 1 is a window with stones of both.
        let worth = |table: &[i32]| -> Box<[i32]> {
            (0..k + 2)
                .map(|stones| if stones < k { table[(k - stones).min(table.len() - 1)] } else { 0 })
                .collect()
        };
        let mut board = Board {
            shape,
            counts: vec![[0; 2]; windows].into(),
            owners: vec![FREE; cells].into(),
            value_of: worth(&VALUE),
            order_of: worth(&ORDER),
            order: vec![[0; 2]; cells].into(),
            one: Tier::new(cells),
            two: Tier::new(cells),
            alive: [0; 2],
            value: [0; 2],
            open: Cells::default(),
            free: cells,
            beside: vec![0; cells].into(),
            near: Cells::default(),
            turn: 0,
            key: 0,
            moves: Vec::with_capacity(cells),
        };
        for window in 0..windows {
            for seat in 0..2 {
                board.shift(window, seat, k + 1, 0);
            }
        }
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

    /// Puts a stone of the seat to move on an open cell.
    pub(super) fn play(&mut self, cell: u16) {
        let (shape, seat) = (self.shape, self.turn);
        let dead = shape.k + 1;
        for &window in shape.through(cell) {
            let window = usize::from(window);
            let (own, others) = (self.counts[window][seat], self.counts[window][1 - seat]);
            if others == 0 {
                self.shift(window, seat, usize::from(own), usize::from(own) + 1);
            }
            if own == 0 {
                self.shift(window, 1 - seat, usize::from(others), dead);
            }
            self.counts[window][seat] = own + 1;
        }
        self.owners[usize::from(cell)] = seat as u8;
        self.open.remove(cell);
        if let Some(above) = shape.above(cell) {
            self.open.insert(above);
        }
        for &near in shape.near(cell) {
            self.beside[usize::from(near)] += 1;
            self.near.insert(near);
        }
        self.free -= 1;
        self.key ^= shape.key(cell, seat);
        self.turn = 1 - seat;
        self.moves.push(cell);
    }

    /// Takes the last stone back.
    pub(super) fn undo(&mut self) {
        let Some(cell) = self.moves.pop() else { return };
        let (shape, seat) = (self.shape, 1 - self.turn);
        let dead = shape.k + 1;
        for &window in shape.through(cell) {
            let window = usize::from(window);
            let (own, others) = (self.counts[window][seat] - 1, self.counts[window][1 - seat]);
            if own == 0 {
                self.shift(window, 1 - seat, dead, usize::from(others));
            }
            if others == 0 {
                self.shift(window, seat, usize::from(own) + 1, usize::from(own));
            }
            self.counts[window][seat] = own;
        }
        self.owners[usize::from(cell)] = FREE;
        self.open.insert(cell);
        if let Some(above) = shape.above(cell) {
            self.open.remove(above);
        }
        for &near in shape.near(cell) {
            self.beside[usize::from(near)] -= 1;
            if self.beside[usize::from(near)] == 0 {
                self.near.remove(near);
            }
        }
        self.free += 1;
        self.key ^= shape.key(cell, seat);
        self.turn = seat;
    }

    /// A window goes from one state to another, as one seat sees it: so many stones of its own and none
    /// of the other's, or k + 1 for stones of both.
    fn shift(&mut self, window: usize, seat: usize, from: usize, to: usize) {
        let (k, cells) = (self.shape.k, self.shape.window(window));
        self.value[seat] += self.value_of[to] - self.value_of[from];
        let gain = self.order_of[to] - self.order_of[from];
        for &cell in cells {
            self.order[usize::from(cell)][seat] += gain;
        }
        self.alive[seat] = self.alive[seat] + u32::from(to <= k) - u32::from(from <= k);
        match k.checked_sub(from) {
            Some(1) => self.one.take(cells, seat),
            Some(2) => self.two.take(cells, seat),
            Some(_) | None => {}
        }
        match k.checked_sub(to) {
            Some(1) => self.one.add(cells, seat),
            Some(2) => self.two.add(cells, seat),
            Some(_) | None => {}
        }
    }

    /// The windows that `seat` may still fill.
    pub(super) fn windows_alive(&self, seat: usize) -> impl Iterator<Item = u16> + '_ {
        let alive = self.counts.iter().enumerate().filter(move |(_, counts)| counts[1 - seat] == 0);
        alive.map(|(window, _)| window as u16)
    }

    /// Whether a stone of `seat` on this free cell completes a line.
    pub(super) fn completes(&self, seat: usize, cell: u16) -> bool {
        self.one.cells[seat].contains(cell)
            && (!self.shape.rules.exact() || self.completes_exactly(seat, cell))
    }

    /// A window that lacks this cell only counts when no stone lengthens it.
    fn completes_exactly(&self, seat: usize, cell: u16) -> bool {
        self.shape.through(cell).iter().map(|&window| usize::from(window)).any(|window| {
            let counts = self.counts[window];
            let beside = |cell: u16| cell != NOWHERE && self.owners[usize::from(cell)] == seat as u8;
            usize::from(counts[seat]) + 1 == self.shape.k
                && counts[1 - seat] == 0
                && !self.shape.flanks(window).into_iter().any(beside)
        })
    }

    /// Where `seat` may complete a line with the next stone.
    pub(super) fn completing(&self, seat: usize) -> Completing {
        let candidates = self.one.cells[seat].both(&self.open, self.shape.words);
        let mut cells =
            candidates.filter(|&cell| !self.shape.rules.exact() || self.completes_exactly(seat, cell));
        match (cells.next(), cells.next()) {
            (None, _) => Completing::None,
            (Some(cell), None) => Completing::One(cell),
            (Some(cell), Some(_)) => Completing::More(cell),
        }
    }

    /// What a cell is worth to try first: for its own sake, and to keep it from the other.
    pub(super) fn order(&self, cell: u16) -> i32 {
        let order = self.order[usize::from(cell)];
        let (own, others) = (order[self.turn], order[1 - self.turn]);
        if self.shape.rules.misere() { -(own + others / 2) } else { own + own / 2 + others }
    }

    /// An estimate of what the position is worth to the seat to move.
    pub(super) fn estimate(&self) -> i32 {
        let turn = self.turn;
        if self.shape.rules.misere() {
            return self.value[1 - turn] - self.value[turn];
        }
        let mut estimate = self.value[turn] - self.value[1 - turn];
        if self.shape.rules.gravity() {
            estimate += self.waiting(turn) - self.waiting(1 - turn);
        } else {
            // To move is worth about an eighth of what one has.
            estimate += self.value[turn] / 8;
        }
        estimate
    }

    /// Under gravity: the cells that would complete a line but cannot be reached yet. Zugzwang decides who
    /// gets them: on boards of even height the first seat fills odd rows in the end, the second even ones
    /// (Allis, "A Knowledge-based Approach of Connect-Four", 1988). The lower, the sooner it counts.
    fn waiting(&self, seat: usize) -> i32 {
        let shape = self.shape;
        let everything = &self.one.cells[seat];
        everything
            .both(everything, shape.words)
            .filter(|&cell| self.owners[usize::from(cell)] == FREE && !self.open.contains(cell))
            .map(|cell| {
                let row = i32::from(shape.height(cell));
                let own_parity = row % 2 == seat as i32;
                (if own_parity { 240 } else { 60 }) - 8 * row
            })
            .sum()
    }
}
